"""AGENT-HOOKS-0.1, the contract that Microsoft Agent Framework and others emit: an interceptor that checks every tool call.

    agent = Agent(client, tools=tools, middleware=[create_agent_hooks_middleware([Interceptor(tools=tools)])])

- The contract names an agent's tools but not their schemas: give them, as definitions or as the framework's own objects.
  Without them names are checked and arguments are not.
- A call is mended where the model's answer comes in (`post_model_call`), name and arguments; a host that does not emit that
  point has its arguments mended at `pre_tool_call`.
- A refused call is a `deny` with the feedback as its message, which the host shows to the model.
- A call that needs a person is a `deny` with an `approval` block: the host's approval resolver may lift it.
- A result that looks wrong, and the unverified claims of another agent, reach the model with a note.
- An answer that says what was not done is denied at `output`: the host raises (`answers="watch"` only reports).
- Whatever fails in here is the host's `host_error:interceptor_failed`, which denies.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any, Collection, Mapping, Sequence

from agent_hooks import Decision, InterceptionPoint, Transform, Verdict

from .guard import Guard, Policy
from .judging import Answers, Judging, Ruling, Rulings, Watcher, content_of, with_note


class Interceptor:
    """Checks the calls, results and answers of agents. `guard` brings tools and policy of its own; else `tools` are those of
    the agent, and `policy` is TOML or a `Policy`. `agents` are tools that ask other agents."""

    def __init__(
        self,
        guard: Guard | None = None,
        *,
        tools: Sequence[Any] | None = None,
        policy: Policy | str | None = None,
        answers: Answers = "correct",
        agents: Collection[str] = (),
        watch: Watcher | None = None,
    ) -> None:
        self._judging = Judging(guard, policy, watch, answers, agents)
        self._given = None if tools is None else [_describe(tool) for tool in tools]
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def intercept(self, context: Mapping[str, Any]) -> Verdict:
        point = InterceptionPoint(context["interception_point"])
        session = self._session(context["session"]["id"])
        answer = getattr(self, f"_{point.value}", None)
        return Verdict.allow() if answer is None else answer(context, session)

    def _session(self, name: str) -> _Session:
        session = self._sessions.setdefault(name, _Session(self._given))
        self._sessions.move_to_end(name)
        while len(self._sessions) > OPEN:
            self._sessions.popitem(last=False)
        return session

    def _agent_shutdown(self, context: Mapping[str, Any], session: _Session) -> Verdict:
        self._sessions.pop(context["session"]["id"], None)
        return Verdict.allow()

    def _input(self, context: Mapping[str, Any], session: _Session) -> Verdict:
        session.said.extend(_openai([context["input"]]))
        return Verdict.allow()

    def _pre_model_call(self, context: Mapping[str, Any], session: _Session) -> Verdict:
        # What the model reads is the conversation, with what was said before this session.
        session.said = _openai(context["messages"])
        if self._given is None and context.get("tools") is not None:
            session.tools = [{"name": tool["name"], "description": tool.get("description"), "parameters": ANY} for tool in context["tools"]]
        return Verdict.allow()

    def _post_model_call(self, context: Mapping[str, Any], session: _Session) -> Verdict:
        calls = context["response"]["tool_calls"]
        mended = [self._judge(session, call) for call in calls]
        session.said.append({"role": "assistant", "content": _text(context["response"]["content"]), "tool_calls": [_openai_call(call) for call in mended]})
        return Verdict.allow() if mended == calls else _replace("$target.tool_calls", mended)

    def _judge(self, session: _Session, call: Mapping[str, Any]) -> dict[str, Any]:
        ruling = self._judging.call(session.tools, session.said, call["name"], call["args"], call["id"])
        session.rulings.keep(call["id"], ruling)
        return {**call, "name": ruling.name, "args": ruling.arguments} if ruling.kind == "run" else dict(call)

    def _pre_tool_call(self, context: Mapping[str, Any], session: _Session) -> Verdict:
        call = context["tool_call"]
        name, arguments, call_id = call["name"], call["args"], call["id"]
        ruling = session.rulings.find(call_id, name, arguments)
        if ruling is None:
            ruling = session.rulings.keep(call_id, self._judging.call(session.tools, session.said, name, arguments, call_id))
        if ruling.kind == "review":
            return Verdict.escalate(reason=_code(ruling), message=ruling.told)
        if ruling.kind == "refuse":
            return Verdict.deny(reason=_code(ruling), message=ruling.told)
        if ruling.name != name:
            # The contract cannot rename a call here, and the tool that was named must not run.
            return Verdict.deny(reason=_code(ruling), message=f"The call of `{name}` was not made: call `{ruling.name}`.")
        return Verdict.allow() if ruling.arguments == arguments else _replace("$target", ruling.arguments)

    def _post_tool_call(self, context: Mapping[str, Any], session: _Session) -> Verdict:
        call, result = context["tool_call"], context["tool_result"]
        value = with_note(
            result["value"], self._judging.result(session.tools, call["name"], call["args"], content_of(result["value"]), result["is_error"])
        )
        session.said.append({"role": "tool", "tool_call_id": call["id"], "content": _text(value)})
        return Verdict.allow() if value == result["value"] else _replace("$target", value)

    def _output(self, context: Mapping[str, Any], session: _Session) -> Verdict:
        messages = _openai([{"role": "assistant", "content": context["output"]["content"]}])
        text = next((message["content"] for message in reversed(messages) if message["role"] == "assistant"), None)
        told = self._judging.answer(session.tools, session.said, text or "")
        return Verdict.allow() if told is None else Verdict.deny(reason="answer", message=told)


class _Session:
    def __init__(self, tools: list[Any] | None) -> None:
        self.tools = tools
        self.said: list[dict[str, Any]] = []
        self.rulings = Rulings()


def _describe(tool: Any) -> Any:
    spec = getattr(tool, "to_json_schema_spec", None)
    return spec() if callable(spec) else tool


def _replace(path: str, value: Any) -> Verdict:
    return Verdict(decision=Decision.TRANSFORM, transform=Transform(path, value))


def _code(ruling: Ruling) -> str:
    """The code of the worst finding; what failed on our side has none."""
    findings = ruling.verdict.findings if ruling.verdict is not None else []
    return findings[0].code if findings else "countersign"


def _openai(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The contract leaves a message's content to the framework: text, or parts with a `type`, or messages inside."""
    out: list[dict[str, Any]] = []
    for message in messages:
        role, content = message.get("role", "user"), message.get("content")
        parts = content if isinstance(content, list) else [content]
        nested = [part for part in parts if isinstance(part, Mapping) and "role" in part and "content" in part]
        out.extend(_openai(nested))
        calls = [_openai_call(part) for part in parts if _is(part, "function_call", "tool_call", "tool_use")]
        for part in parts:
            if _is(part, "function_result", "tool_result"):
                out.append({"role": "tool", "tool_call_id": part.get("call_id") or part.get("id"), "content": _text(part.get("result", part.get("content")))})
        text = "\n".join(part if isinstance(part, str) else part["text"] for part in parts if isinstance(part, str) or _is(part, "text"))
        if text or calls:
            out.append({"role": "user" if role == "external" else role, "content": text, **({"tool_calls": calls} if calls else {})})
    return out


def _is(part: Any, *kinds: str) -> bool:
    return isinstance(part, Mapping) and part.get("type") in kinds


def _openai_call(call: Mapping[str, Any]) -> dict[str, Any]:
    arguments = next((call[key] for key in ("args", "arguments", "input") if key in call), {})
    return {"id": call.get("call_id") or call.get("id"), "type": "function", "function": {"name": call.get("name"), "arguments": _text(arguments)}}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


# A tool whose schema is unknown takes anything.
ANY = {"type": "object"}
# So many sessions are kept; a host that ends them keeps fewer.
OPEN = 1024
