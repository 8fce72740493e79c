"""LangChain 1 and LangGraph: every tool call checked and mended before it runs.

    agent = create_agent(model, tools, middleware=[CountersignMiddleware()])

- A call that may run is run as the verdict has it: names and arguments mended where that is certain.
- A refused call becomes a `ToolMessage` with status `error`, so that the model can correct it.
- A call that needs a person pauses the graph (`interrupt`), with the decisions of LangChain's own
  `HumanInTheLoopMiddleware`: resume with `Command(resume={"decisions": [{"type": "approve"}]})`. Without a checkpointer
  there is nobody to ask, LangGraph raises, and nothing runs.
- A result that looks wrong reaches the model with a note.
- An answer that says what was not done is sent back once.
- What the other `agents` say, as a tool or as messages under their name, reaches the model with its unverified claims.
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Collection

from langchain.agents.middleware import AgentMiddleware, AgentState, ToolCallRequest, hook_config
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, convert_to_openai_messages
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from .guard import Guard, Policy
from .judging import Answers, Judging, Ruling, Watcher, content_of, with_note

ToolResult = ToolMessage | Command[Any]


class CountersignMiddleware(AgentMiddleware[Any, Any, Any]):
    """Checks the calls, results and answers of an agent. `guard` brings tools and policy of its own; else the tools are
    those of the agent, and `policy` is TOML or a `Policy`. `agents` are the names of other agents, of tools that ask them
    and of messages that they wrote."""

    def __init__(
        self,
        guard: Guard | None = None,
        *,
        policy: Policy | str | None = None,
        answers: Answers = "correct",
        agents: Collection[str] = (),
        watch: Watcher | None = None,
    ) -> None:
        super().__init__()
        self._judging = Judging(guard, policy, watch, answers, agents)
        # The agent's tools, as the model was shown them.
        self._tools: list[Any] | None = None
        self._by_name: dict[str, Any] = {}

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(self._prepare(request))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        return await handler(self._prepare(request))

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolResult]) -> ToolResult:
        cleared = self._clear(request)
        return cleared if isinstance(cleared, ToolMessage) else self._verify(cleared, handler(cleared))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        cleared = self._clear(request)
        return cleared if isinstance(cleared, ToolMessage) else self._verify(cleared, await handler(cleared))

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        messages = state["messages"]
        last = messages[-1] if messages else None
        if not isinstance(last, AIMessage) or last.tool_calls or _asked_before(messages):
            return None
        told = self._judging.answer(self._tools, _openai(messages[:-1]), last.text)
        if told is None:
            return None
        return {"messages": [HumanMessage(told, name=SENDER)], "jump_to": "model"}

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        return self.after_model(state, runtime)

    def _prepare(self, request: Any) -> Any:
        """Learns the tools, and marks what other agents wrote."""
        self._tools = [convert_to_openai_tool(tool) for tool in request.tools]
        self._by_name = {tool.name: tool for tool in request.tools if hasattr(tool, "name")}
        if not any(self._is_of_other(message) for message in request.messages):
            return request
        return request.override(messages=[self._mark(message) if self._is_of_other(message) else message for message in request.messages])

    def _is_of_other(self, message: BaseMessage) -> bool:
        return isinstance(message, AIMessage) and message.name in self._judging.agents

    def _mark(self, message: BaseMessage) -> BaseMessage:
        note = self._judging.message(self._tools, message.text)
        return message if note is None else message.model_copy(update={"content": with_note(message.text, note)})

    def _clear(self, request: ToolCallRequest) -> ToolCallRequest | ToolMessage:
        call = request.tool_call
        said = _openai(_before(request.state, call["id"]))
        if self._tools is None and request.tool is not None:
            # A graph that is resumed in another process runs its tools before it asks the model.
            self._tools, self._by_name = [convert_to_openai_tool(request.tool)], {request.tool.name: request.tool}
        ruling = self._judging.call(self._tools, said, call["name"], call["args"], call["id"])
        if ruling.kind == "review":
            return self._ask(request, ruling)
        if ruling.kind == "refuse":
            return _refused(call, ruling.told)
        return self._override(request, ruling.name, ruling.arguments)

    def _ask(self, request: ToolCallRequest, ruling: Ruling) -> ToolCallRequest | ToolMessage:
        call = request.tool_call
        action = {"name": ruling.name, "args": ruling.arguments, "description": ruling.told}
        config = {"action_name": ruling.name, "allowed_decisions": ["approve", "reject"]}
        answer = interrupt({"action_requests": [action], "review_configs": [config]})
        decisions = answer.get("decisions") if isinstance(answer, dict) else None
        decision = decisions[0] if isinstance(decisions, list) and decisions else {}
        if isinstance(decision, dict) and decision.get("type") == "approve":
            return self._override(request, ruling.name, ruling.arguments)
        why = decision.get("message") if isinstance(decision, dict) else None
        return _refused(call, f"A person refused this call of `{call['name']}`{': ' + why if why else ''}. Do not try it again.")

    def _override(self, request: ToolCallRequest, name: str, arguments: Any) -> ToolCallRequest:
        call = {**request.tool_call, "name": name, "args": arguments}
        return request.override(tool_call=call, tool=request.tool if name == request.tool_call["name"] else self._by_name.get(name))

    def _verify(self, request: ToolCallRequest, result: ToolResult) -> ToolResult:
        if not isinstance(result, ToolMessage):
            return result
        call = request.tool_call
        note = self._judging.result(
            self._tools, call["name"], call["args"], content_of(result.text), result.status == "error"
        )
        return result if note is None else result.model_copy(update={"content": with_note(result.text, note)})


def _refused(call: Any, told: str) -> ToolMessage:
    return ToolMessage(told, name=call["name"], tool_call_id=call["id"], status="error")


def _before(state: Any, call_id: str | None) -> list[BaseMessage]:
    """The conversation up to the message that makes this call."""
    messages = list(state["messages"] if isinstance(state, dict) else getattr(state, "messages", state))
    for at in range(len(messages) - 1, -1, -1):
        if any(call["id"] == call_id for call in getattr(messages[at], "tool_calls", None) or ()):
            return messages[:at]
    return messages


def _asked_before(messages: list[BaseMessage]) -> bool:
    """Whether the model was already asked again since a person spoke: once is enough."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            return message.name == SENDER
    return False


def _openai(messages: list[BaseMessage]) -> list[dict[str, Any]]:
    return convert_to_openai_messages(messages)  # type: ignore[return-value]


# Whose words the correction of an answer is.
SENDER = "countersign"
