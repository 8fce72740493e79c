"""OpenAI Agents SDK: every function call checked and mended before the tool runs.

    agent = guard(Agent(name="Clerk", tools=tools))
    result = await Runner.run(agent, "…")

- A call that may run is run as the verdict has it: its name is mended before the SDK looks for the tool.
- A refused call is answered with the feedback, as the tool's output, so that the model can correct it. A name that is no tool
  at all is the SDK's to refuse; `RunConfig(tool_not_found_behavior="return_error_to_model")` lets the model try again.
- A call that needs a person is an interruption of the run: `result.to_state().approve(item)` lets it go on.
- A result that looks wrong reaches the model with a note.
- An answer that says what was not done trips an output guardrail (`answers="watch"` only reports).
- What another agent says carries its unverified claims: beside the output of an agent that is a tool, and beside a hand-off.
  A hand-off that is refused raises `ModelBehaviorError`, because the SDK has no way to answer it.
"""

from __future__ import annotations

import copy
import json
from contextvars import ContextVar
from typing import Any, AsyncIterator, Collection
from weakref import WeakKeyDictionary

from agents import (
    Agent,
    AgentHooks,
    FunctionTool,
    GuardrailFunctionOutput,
    Handoff,
    Model,
    ModelBehaviorError,
    ModelResponse,
    MultiProvider,
    OutputGuardrail,
    RunContextWrapper,
    handoff,
)
from agents.models.chatcmpl_converter import Converter
from agents.tool_context import ToolContext
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from .guard import Guard, Policy
from .judging import Answers, Judging, Ruling, Rulings, Watcher, content_of, with_note


def guard(
    agent: Agent[Any],
    guard: Guard | None = None,
    *,
    policy: Policy | str | None = None,
    answers: Answers = "correct",
    agents: Collection[str] = (),
    watch: Watcher | None = None,
) -> Agent[Any]:
    """A copy of the agent whose calls, results, answers and hand-offs are checked. `agents` are tools of yours that ask other
    agents; those made with `as_tool` are known."""
    handoffs = [given if isinstance(given, Handoff) else handoff(given) for given in agent.handoffs]
    desk = _Desk(agent, handoffs, Judging(guard, policy, watch, answers, agents))
    tools = [desk.wrap(tool) if isinstance(tool, FunctionTool) else tool for tool in agent.tools]
    examined = OutputGuardrail(guardrail_function=desk.examine, name="countersign")
    return agent.clone(
        model=_GuardedModel(agent.model, desk),
        tools=tools,
        handoffs=[desk.wrap_handoff(given) for given in handoffs],
        hooks=desk,
        output_guardrails=[*agent.output_guardrails, examined],
    )


class _Desk(AgentHooks[Any]):
    """Judges the calls of a model's answer when it comes, and remembers what became of each until it runs."""

    def __init__(self, agent: Agent[Any], handoffs: list[Handoff[Any, Any]], judging: Judging) -> None:
        self._inner = agent.hooks or AgentHooks[Any]()
        self._judging = judging
        self._tools = [_describe(tool) for tool in agent.tools if isinstance(tool, FunctionTool)]
        self._tools += [{"name": to.tool_name, "description": to.tool_description, "parameters": to.input_json_schema or ANY} for to in handoffs]
        # What the model was last asked in a run, and what it answered.
        self._said: WeakKeyDictionary[Any, list[Any]] = WeakKeyDictionary()
        self._answered: WeakKeyDictionary[Any, list[Any]] = WeakKeyDictionary()
        self._rulings = Rulings()

    def __getattribute__(self, name: str) -> Any:
        # Hooks of the agent's own that are not ours to see.
        if name.startswith("on_") and name not in ("on_llm_start", "on_llm_end"):
            return getattr(object.__getattribute__(self, "_inner"), name)
        return object.__getattribute__(self, name)

    async def on_llm_start(self, context: Any, agent: Any, system_prompt: str | None, input_items: list[Any]) -> None:
        self._said[context] = list(input_items)
        await self._inner.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Any, agent: Any, response: ModelResponse) -> None:
        self._answered[context] = list(response.output)
        await self._inner.on_llm_end(context, agent, response)

    def judge(self, asked: Any, output: list[Any]) -> None:
        """Judges the calls of an answer and mends them where they stand."""
        said = _openai(asked)
        for item in output:
            if isinstance(item, ResponseFunctionToolCall):
                self._judge(said, item)

    def _judge(self, said: list[Any], item: ResponseFunctionToolCall) -> None:
        ruling = self._judging.call(self._tools, said, item.name, item.arguments, item.call_id)
        self._rulings.keep(item.call_id, ruling)
        if ruling.kind == "run":
            item.name, item.arguments = ruling.name, _text(ruling.arguments)

    def wrap(self, tool: FunctionTool) -> FunctionTool:
        """The tool, run only as its call was judged."""
        invoke, needs_approval = tool.on_invoke_tool, tool.needs_approval
        is_agent = getattr(tool, "_is_agent_tool", False)

        async def on_invoke_tool(context: ToolContext[Any], arguments: str) -> Any:
            ruling = self._ruling(context, tool.name, arguments)
            if ruling.kind == "review" and not context.is_tool_approved(tool_name=tool.name, call_id=context.tool_call_id):
                return f"The call of `{tool.name}` needs a person's approval and was not made. {ruling.told}"
            if ruling.kind == "refuse":
                return ruling.told
            runs = _text(ruling.arguments)
            output = await invoke(context, runs)
            return with_note(output, self._judging.result(self._tools, tool.name, content_of(runs), content_of(output), from_agent=is_agent))

        async def approve(context: RunContextWrapper[Any], parameters: dict[str, Any], call_id: str) -> bool:
            ruling = self._rulings.find(call_id, tool.name, parameters)
            if ruling is not None and ruling.kind == "review":
                return True
            return await needs_approval(context, parameters, call_id) if callable(needs_approval) else needs_approval

        wrapped = copy.copy(tool)
        wrapped.on_invoke_tool, wrapped.needs_approval = on_invoke_tool, approve
        return wrapped

    def wrap_handoff(self, to: Handoff[Any, Any]) -> Handoff[Any, Any]:
        """The hand-off, whose message carries the unverified claims of what this agent said."""
        invoke, transfer_message = to.on_invoke_handoff, to.get_transfer_message
        mark: ContextVar[str | None] = ContextVar("countersign_mark", default=None)

        async def on_invoke_handoff(context: RunContextWrapper[Any], arguments: str) -> Any:
            call_id = self._call_id(context, to.tool_name, arguments)
            ruling = self._rulings.find(call_id, to.tool_name, arguments or "{}") or self._judging.call(
                self._tools, _openai(self._said.get(context, [])), to.tool_name, arguments or "{}", call_id
            )
            if ruling.kind != "run":
                raise ModelBehaviorError(ruling.told)
            mark.set(self._judging.message(self._tools, "\n".join([*self._spoken(context), arguments or ""])))
            return await invoke(context, arguments)

        wrapped = copy.copy(to)
        wrapped.on_invoke_handoff = on_invoke_handoff
        # Asked for right after the hand-off was invoked, in the same task.
        wrapped.get_transfer_message = lambda agent: with_note(transfer_message(agent), mark.get())  # type: ignore[method-assign]
        return wrapped

    def _call_id(self, context: Any, name: str, arguments: str) -> str | None:
        calls = [item for item in self._answered.get(context, []) if isinstance(item, ResponseFunctionToolCall)]
        return next((call.call_id for call in calls if (call.name, call.arguments) == (name, arguments)), None)

    def _spoken(self, context: Any) -> list[str]:
        """What agents said in this run so far: the words that a hand-off passes on."""
        said = [message["content"] for message in _openai(self._said.get(context, [])) if message["role"] == "assistant"]
        messages = [item for item in self._answered.get(context, []) if isinstance(item, ResponseOutputMessage)]
        said += [part.text for message in messages for part in message.content if isinstance(part, ResponseOutputText)]
        return [text for text in said if isinstance(text, str)]

    def _ruling(self, context: ToolContext[Any], name: str, arguments: str) -> Ruling:
        """What was decided; a run that was resumed elsewhere is judged again."""
        known = self._rulings.find(context.tool_call_id, name, arguments)
        if known is not None:
            return known
        return self._judging.call(self._tools, _openai(context.turn_input), name, arguments, context.tool_call_id)

    async def examine(self, context: RunContextWrapper[Any], agent: Agent[Any], output: Any) -> GuardrailFunctionOutput:
        said = _openai(self._said.get(context, []))
        told = self._judging.answer(self._tools, said, output) if isinstance(output, str) else None
        return GuardrailFunctionOutput(output_info=told, tripwire_triggered=told is not None)


class _GuardedModel(Model):
    """The agent's model, whose calls are judged before the SDK looks for their tools."""

    def __init__(self, model: str | Model | None, desk: _Desk) -> None:
        self._model, self._desk = model, desk

    def _open(self) -> Model:
        # A name is resolved when it is first used, as the SDK does it.
        if not isinstance(self._model, Model):
            self._model = MultiProvider().get_model(self._model)
        return self._model

    async def get_response(self, system_instructions: str | None, input: Any, *rest: Any, **more: Any) -> ModelResponse:
        response = await self._open().get_response(system_instructions, input, *rest, **more)
        self._desk.judge(input, response.output)
        return response

    async def stream_response(self, system_instructions: str | None, input: Any, *rest: Any, **more: Any) -> AsyncIterator[Any]:
        async for event in self._open().stream_response(system_instructions, input, *rest, **more):
            if event.type == "response.output_item.done":
                self._desk.judge(input, [event.item])
            elif event.type == "response.completed":
                self._desk.judge(input, event.response.output)
            yield event


def _describe(tool: FunctionTool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.params_json_schema}


def _openai(items: Any) -> list[Any]:
    return list(Converter.items_to_messages(items)) if items else []


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


# A hand-off without a schema takes anything.
ANY = {"type": "object"}
