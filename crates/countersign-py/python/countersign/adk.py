"""Google's Agent Development Kit: every tool call checked and mended before it runs, by one plugin for all agents of an app.

    app = App(name="desk", root_agent=agent, plugins=[CountersignPlugin()])

- A call that may run is run as the verdict has it: its name is mended before the kit looks for the tool.
- A refused call is answered with the feedback as its `error`.
- A call that needs a person asks for the kit's tool confirmation (`adk_request_confirmation`); anything but a yes refuses.
- A result that looks wrong reaches the model with a note.
- An answer that says what was not done is not delivered: the model is asked again, once, as the kit's own retry plugin does it.
- What another agent said, after a transfer or as a tool, carries its unverified claims.
- What fails in here is raised by the kit, and the tool does not run.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any, Collection
from uuid import uuid4

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from .guard import Guard, Policy
from .judging import ASKED_AGAIN, Answers, Judging, Ruling, Rulings, Watcher, content_of


class CountersignPlugin(BasePlugin):
    """Checks the calls, results and answers of agents. `guard` brings tools and policy of its own; else the tools are those of
    each agent, and `policy` is TOML or a `Policy`. `agents` are tools of yours that ask other agents."""

    def __init__(
        self,
        guard: Guard | None = None,
        *,
        policy: Policy | str | None = None,
        answers: Answers = "correct",
        agents: Collection[str] = (),
        watch: Watcher | None = None,
    ) -> None:
        super().__init__(name="countersign")
        self._judging = Judging(guard, policy, watch, answers, agents)
        self._rulings = Rulings()
        # What each agent's model was last asked: its tools and the conversation.
        self._asked: OrderedDict[tuple[str, str], tuple[list[Any], list[Any]]] = OrderedDict()

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> LlmResponse | None:
        tools = [_describe(declared) for tool in llm_request.config.tools or [] for declared in getattr(tool, "function_declarations", None) or []]
        for content in llm_request.contents:
            self._mark(tools, content)
        self._asked[_who(callback_context)] = (tools, _instructions(llm_request) + _openai(llm_request.contents))
        while len(self._asked) > OPEN:
            self._asked.popitem(last=False)
        llm_request.tools_dict[CORRECTION] = FunctionTool(countersign_correct_answer)
        return None

    async def after_model_callback(self, *, callback_context: CallbackContext, llm_response: LlmResponse) -> LlmResponse | None:
        parts = (llm_response.content and llm_response.content.parts) or []
        if llm_response.partial or not parts:
            return None
        tools, said = self._asked.get(_who(callback_context), (None, []))
        calls = [part.function_call for part in parts if part.function_call]
        for call in calls:
            self._judge(tools, said, call)
        text = "".join(part.text for part in parts if part.text and not part.thought)
        told = None if calls or _asked_before(said) else self._judging.answer(tools, said, text)
        if told is None:
            return None
        call = types.FunctionCall(id=f"adk-{uuid4()}", name=CORRECTION, args={"answer": text, "problem": told})
        return LlmResponse(content=types.Content(role="model", parts=[types.Part(function_call=call)]))

    async def before_tool_callback(self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any] | None:
        if tool.name == CORRECTION:
            return None
        ruling = self._ruling(tool, tool_args, tool_context)
        if ruling.kind == "refuse":
            return {"error": ruling.told}
        if ruling.kind == "review":
            return _confirm(tool_context, ruling)
        if ruling.arguments != tool_args:
            tool_args.clear()
            tool_args.update(ruling.arguments)
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> dict[str, Any] | None:
        ruling = self._rulings.find(tool_context.function_call_id, tool.name, tool_args)
        # What was refused, or waits for a person, has no result.
        if ruling is None or ruling.kind == "refuse" or (ruling.kind == "review" and not _confirmed(tool_context)):
            return None
        tools, _ = self._asked.get(_who(tool_context), (None, []))
        note = self._judging.result(tools, tool.name, tool_args, content_of(result), from_agent=isinstance(tool, AgentTool))
        if note is None:
            return None
        return {**(result if isinstance(result, dict) else {"result": content_of(result)}), "countersign": note}

    def _judge(self, tools: list[Any] | None, said: list[Any], call: types.FunctionCall) -> None:
        """Judges a call and mends it where it stands."""
        # The kit gives ids only later; it takes back those that begin like its own before the model sees them.
        call.id = call.id or f"adk-{uuid4()}"
        ruling = self._rulings.keep(call.id, self._judging.call(tools, said, call.name or "", call.args or {}, call.id))
        if ruling.kind == "run":
            call.name, call.args = ruling.name, ruling.arguments

    def _ruling(self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext) -> Ruling:
        """What was decided; an invocation that goes on after a confirmation is judged again."""
        call_id = context.function_call_id
        known = self._rulings.find(call_id, tool.name, arguments)
        if known is not None:
            return known
        declared = tool._get_declaration()
        heard = _openai([event.content for event in context.session.events if event.content])
        tools, said = self._asked.get(_who(context), ([_describe(declared)] if declared else None, heard))
        return self._rulings.keep(call_id or "", self._judging.call(tools, said, tool.name, arguments, call_id))

    def _mark(self, tools: list[Any], content: types.Content) -> None:
        """Marks what the kit relays from another agent."""
        parts = content.parts or []
        if content.role != "user" or not parts or not (parts[0].text or "").startswith("For context:"):
            return
        note = self._judging.message(tools, "\n".join(part.text for part in parts[1:] if part.text and "] said:" in part.text.split("\n")[0]))
        if note is not None:
            content.parts = [*parts, types.Part(text=note)]


def countersign_correct_answer(answer: str, problem: str) -> dict[str, str]:
    """An answer that was not delivered. Reserved: do not call it."""
    return {"not_delivered": answer, "problem": problem}


def _confirm(context: ToolContext, ruling: Ruling) -> dict[str, str] | None:
    if context.tool_confirmation is None:
        context.request_confirmation(hint=ruling.told)
        # The pause is no result for the model to talk about.
        context.actions.skip_summarization = True
        return {"error": "This tool call requires confirmation, please approve or reject."}
    return None if _confirmed(context) else {"error": "A person refused this call. Do not try it again."}


def _confirmed(context: ToolContext) -> bool:
    return context.tool_confirmation is not None and context.tool_confirmation.confirmed


def _who(context: CallbackContext) -> tuple[str, str]:
    return context.invocation_id, context.agent_name


def _describe(declared: types.FunctionDeclaration) -> dict[str, Any]:
    schema = declared.parameters_json_schema
    if schema is None:
        schema = declared.parameters.json_schema.model_dump(mode="json", exclude_none=True, by_alias=True) if declared.parameters else {}
    return {"name": declared.name, "description": declared.description, "parameters": schema}


def _asked_before(said: list[dict[str, Any]]) -> bool:
    """Whether the model was already asked again since a person spoke: once is enough."""
    for message in reversed(said):
        if message["role"] == "user":
            return False
        if message["role"] == "tool" and ASKED_AGAIN in message["content"]:
            return True
    return False


def _instructions(request: LlmRequest) -> list[dict[str, Any]]:
    given = request.config.system_instruction
    return [{"role": "system", "content": given}] if isinstance(given, str) else []


def _openai(contents: list[types.Content]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    waiting: list[tuple[str | None, str]] = []
    for at, content in enumerate(contents):
        parts = content.parts or []
        answers = [part.function_response for part in parts if part.function_response]
        out.extend({"role": "tool", "tool_call_id": _answered(waiting, answer), "content": _json(answer.response)} for answer in answers)
        calls = []
        for number, call in enumerate(part.function_call for part in parts if part.function_call):
            # The kit takes its own ids back before it asks the model.
            waiting.append((call.name, call.id or f"{at}.{number}"))
            calls.append({"id": waiting[-1][1], "type": "function", "function": {"name": call.name, "arguments": _json(call.args or {})}})
        text = "\n".join(part.text for part in parts if part.text and not part.thought)
        if text or calls:
            out.append({"role": "assistant" if content.role == "model" else "user", "content": text, **({"tool_calls": calls} if calls else {})})
    return out


def _answered(waiting: list[tuple[str | None, str]], answer: types.FunctionResponse) -> str | None:
    """The id of the call that this answers: its own, else that of the first open call of the same name."""
    found = next((call for call in waiting if answer.id in (None, call[1]) and call[0] == answer.name), None)
    if found is None:
        return answer.id
    waiting.remove(found)
    return found[1]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


# The tool that asks for an answer again; the model is not shown it.
CORRECTION = countersign_correct_answer.__name__
# So many conversations are remembered between the model's answer and its tools.
OPEN = 1024
