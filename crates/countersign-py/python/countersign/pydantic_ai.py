"""Pydantic AI: every tool call checked and mended before it is validated and run.

    agent = Agent(model, tools=tools, capabilities=[Countersign()])

- A call that may run is run as the verdict has it: its name is mended before the agent looks for the tool.
- A refused call is a `ModelRetry` with the feedback, so that the model can correct it; one that no correction would
  save, because it is denied, is a `ToolFailed`. A name that is no tool at all is the agent's own to refuse.
- A call that needs a person is an `ApprovalRequired`: with `output_type=[str, DeferredToolRequests]` the run ends with the
  request, and goes on with `deferred_tool_results`. Without it there is nobody to ask, the agent raises, and nothing runs.
- A result that looks wrong reaches the model with a note.
- An answer that says what was not done is sent back once, as one of the agent's output retries.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Collection

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, ToolFailed
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryFeedbackPart,
    SystemPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import ToolDefinition

from .guard import Guard, Policy
from .judging import ASKED_AGAIN, Answers, Judging, Ruling, Rulings, Watcher, content_of, with_note


class Countersign(AbstractCapability[Any]):
    """Checks the calls, results and answers of an agent. `guard` brings tools and policy of its own; else the tools are those
    of the agent, and `policy` is TOML or a `Policy`. `agents` are tools that ask other agents."""

    def __init__(
        self,
        guard: Guard | None = None,
        *,
        policy: Policy | str | None = None,
        answers: Answers = "correct",
        agents: Collection[str] = (),
        watch: Watcher | None = None,
    ) -> None:
        self._judging = Judging(guard, policy, watch, answers, agents)
        self._rulings = Rulings()
        # The agent's tools, as the model was shown them.
        self._tools: list[Any] | None = None

    async def for_run(self, ctx: RunContext[Any]) -> Countersign:
        run = copy(self)
        run._rulings, run._tools = Rulings(), None
        return run

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        # A run that goes on after an approval runs its tools before it asks the model.
        self._tools = [_describe(tool) for tool in tool_defs]
        return tool_defs

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        asked = request_context.model_request_parameters
        self._tools = [_describe(tool) for tool in [*asked.function_tools, *asked.output_tools]]
        said = _openai(ctx.messages)
        # What a call of an output tool holds is the answer, which the agent validates.
        outputs = {tool.name for tool in asked.output_tools}
        parts = [self._judge(said, part) if isinstance(part, ToolCallPart) and part.tool_name not in outputs else part for part in response.parts]
        if not response.tool_calls and not _asked_before(ctx.messages):
            told = self._judging.answer(self._tools, said, response.text or "")
            if told is not None:
                raise ModelRetry(told)
        return replace(response, parts=parts)

    async def before_tool_validate(self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any) -> Any:
        ruling = self._ruling(ctx, call)
        if ruling.kind == "refuse":
            raise (ToolFailed if ruling.final else ModelRetry)(ruling.told)
        return args

    async def before_tool_execute(self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any) -> Any:
        ruling = self._ruling(ctx, call)
        if ruling.kind == "review" and not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={"reason": ruling.told})
        return args

    async def after_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, result: Any
    ) -> Any:
        return with_note(result, self._judging.result(self._tools, call.tool_name, content_of(call.args), content_of(result)))

    def _judge(self, said: list[dict[str, Any]], call: ToolCallPart) -> ToolCallPart:
        ruling = self._judging.call(self._tools, said, call.tool_name, call.args, call.tool_call_id)
        self._rulings.keep(call.tool_call_id, ruling)
        if ruling.kind != "run" or (ruling.name, ruling.arguments) == (call.tool_name, content_of(call.args)):
            return call
        # A provider replays its own copy of a call that keeps its item id.
        return replace(call, tool_name=ruling.name, args=ruling.arguments, id=None)

    def _ruling(self, ctx: RunContext[Any], call: ToolCallPart) -> Ruling:
        """What was decided; a run that was resumed elsewhere is judged again."""
        known = self._rulings.find(call.tool_call_id, call.tool_name, call.args)
        if known is not None:
            return known
        said = _openai(_before(ctx.messages, call.tool_call_id))
        return self._rulings.keep(call.tool_call_id, self._judging.call(self._tools, said, call.tool_name, call.args, call.tool_call_id))


def _describe(tool: ToolDefinition) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters_json_schema}


def _before(messages: list[ModelMessage], call_id: str) -> list[ModelMessage]:
    """The conversation up to the response that makes this call."""
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if isinstance(message, ModelResponse) and any(call.tool_call_id == call_id for call in message.tool_calls):
            return messages[:at]
    return messages


def _asked_before(messages: list[ModelMessage]) -> bool:
    """Whether the model was already asked again since a person spoke: once is enough."""
    for message in reversed(messages):
        for part in reversed(message.parts):
            if isinstance(part, RetryFeedbackPart) and isinstance(part.content, str) and part.content.startswith(ASKED_AGAIN):
                return True
            if isinstance(part, UserPromptPart):
                return False
    return False


def _openai(messages: list[ModelMessage]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            calls = [
                {"id": call.tool_call_id, "type": "function", "function": {"name": call.tool_name, "arguments": call.args_as_json_str()}}
                for call in message.tool_calls
            ]
            out.append({"role": "assistant", "content": message.text, **({"tool_calls": calls} if calls else {})})
        else:
            if message.instructions:
                out.append({"role": "system", "content": message.instructions})
            out.extend(filter(None, map(_request_part, message.parts)))
    return out


def _request_part(part: Any) -> dict[str, Any] | None:
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, UserPromptPart):
        texts = [part.content] if isinstance(part.content, str) else [item for item in part.content if isinstance(item, str)]
        return {"role": "user", "content": "\n".join(texts)}
    if isinstance(part, ToolReturnPart):
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
    if isinstance(part, RetryFeedbackPart):
        return {"role": "user", "content": part.content if isinstance(part.content, str) else "Correct the output."}
    return None
