"""AGENT-HOOKS-0.1 in Microsoft Agent Framework's own agent with a scripted model, and in the contract's own emitter."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

from agent_hooks import AgentContextBuilder, ApprovalOutcome, ApprovalResolution, InterceptionBlocked, InterceptionEmitter, Verdict
from countersign import Claims, Guard
from countersign.agent_hooks import Interceptor

with warnings.catch_warnings():
    # The framework says that its agent-hooks are experimental.
    warnings.simplefilter("ignore")
    from agent_framework import Agent, BaseChatClient, ChatMiddlewareLayer, ChatResponse, Content, FunctionInvocationLayer, Message, create_agent_hooks_middleware, tool

pytestmark = pytest.mark.filterwarnings("ignore")
ran: list[tuple[str, dict[str, Any]]] = []


@tool
def get_forecast(city: str, days: int = 1) -> str:
    """Get the weather forecast of a city for a number of days."""
    ran.append(("get_forecast", {"city": city, "days": days}))
    return '{"city": "%s", "text": "rain, 9 degrees"}' % city


@tool
def send_letter(to: str) -> str:
    """Send a letter to somebody."""
    ran.append(("send_letter", {"to": to}))
    return '{"sent": true}'


@tool
def ask_analyst(question: str) -> str:
    """Ask the analyst."""
    return "Sales grew by 25% to $3.5 billion in 2024."


TOOLS = [get_forecast, send_letter, ask_analyst]


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    def __init__(self, says: list[Content]) -> None:
        super().__init__()
        self.says = iter(says)
        self.told: list[list[Message]] = []

    async def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **more: Any) -> ChatResponse:
        self.told.append(list(messages))
        return ChatResponse(messages=[Message("assistant", [next(self.says)])])


def agent(says: list[Content], resolver: Any = None, **options: Any) -> tuple[Agent, Scripted]:
    ran.clear()
    model = Scripted(says)
    middleware = create_agent_hooks_middleware([Interceptor(**{"tools": TOOLS, **options})], resolver=resolver)
    return Agent(client=model, name="Clerk", tools=TOOLS, middleware=[middleware]), model


def call(name: str, arguments: dict[str, Any], id: str = "call_1") -> Content:
    return Content.from_function_call(id, name, arguments=json.dumps(arguments))


def say(text: str) -> Content:
    return Content.from_text(text)


def returned(messages: list[Message]) -> str:
    return str(next(content for message in reversed(messages) for content in message.contents if content.type == "function_result").result)


ASKED = "What will the weather be in Bergen for the next 3 days?"


# LANG-3: a wrong name and a wrong type are mended before the tool runs.
async def test_a_call_is_mended() -> None:
    clerk, _ = agent([call("getForecast", {"city": "Bergen", "days": "3"}), say("Rain, 9 degrees in Bergen.")])
    done = await clerk.run(ASKED)
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]
    assert done.text == "Rain, 9 degrees in Bergen."


# LANG-3: the model is told what is wrong, and corrects it.
async def test_a_refused_call_goes_back() -> None:
    clerk, model = agent([call("get_forecast", {"days": 3}), call("get_forecast", {"city": "Bergen", "days": 3}, "call_2"), say("Rain.")])
    await clerk.run(ASKED)
    told = returned(model.told[1])
    assert "`city`" in told and "call.missing-field" in told
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]


# LANG-3: a person decides, through the contract's own approval.
@pytest.mark.parametrize(("approved", "runs"), [(True, 1), (False, 0)])
async def test_a_person_is_asked(approved: bool, runs: int) -> None:
    asked: list[str] = []

    class Person:
        def resolve(self, request: Any) -> ApprovalResolution:
            asked.append(request.verdict.message)
            outcome = ApprovalOutcome.APPROVE if approved else ApprovalOutcome.REJECT
            return ApprovalResolution(outcome, request.context_identity, Verdict.allow() if approved else Verdict.deny())

    policy = '[[rules]]\nname = "letters"\ntools = ["send_letter"]\neffect = "review"\nreason = "letters are read first"\n'
    clerk, _ = agent([call("send_letter", {"to": "Ingrid"}), say("Done.")], Person(), policy=policy, answers="pass")
    await clerk.run("Send Ingrid a letter.")
    assert len(asked) == 1 and "letters are read first" in asked[0] and len(ran) == runs


# LANG-3: nobody to ask is a no.
async def test_nobody_to_ask() -> None:
    policy = '[[rules]]\nname = "letters"\ntools = ["send_letter"]\neffect = "review"\nreason = "letters are read first"\n'
    clerk, model = agent([call("send_letter", {"to": "Ingrid"}), say("It waits.")], policy=policy, answers="pass")
    await clerk.run("Send Ingrid a letter.")
    assert not ran and "letters are read first" in returned(model.told[1])


# LANG-3: what was said and not done does not leave.
async def test_an_answer_is_examined() -> None:
    clerk, _ = agent([say("I have sent the letter to Ingrid.")])
    with pytest.raises(InterceptionBlocked):
        await clerk.run("Send Ingrid a letter.")
    clerk, _ = agent([say("I have sent the letter to Ingrid.")], answers="watch")
    assert (await clerk.run("Send Ingrid a letter.")).text


# LANG-3: what another agent says carries its claims.
async def test_claims_travel_marked() -> None:
    seen: list[Any] = []
    clerk, model = agent([call("ask_analyst", {"question": "How were sales?"}), say("They grew.")], agents={"ask_analyst"}, watch=seen.append)
    await clerk.run("How were sales? Ask the analyst.")
    assert "unverified: “25%”, “$3.5 billion”, “2024”" in returned(model.told[1])
    assert any(isinstance(report, Claims) and report.needs_verify for report in seen)


# LANG-3: what cannot be judged does not run, and the model is told; what fails in the interceptor itself ends the run.
async def test_it_fails_closed() -> None:
    class Broken(Guard):
        def check(self, *args: Any, **fields: Any) -> Any:
            raise RuntimeError("out of order")

    clerk, model = agent([call("get_forecast", {"city": "Bergen"}), say("I could not look it up.")], guard=Broken())
    await clerk.run(ASKED)
    assert not ran and "could not be checked" in returned(model.told[1])
    clerk, _ = agent([call("get_forecast", {"city": "Bergen"})], tools=["no tool definition"])
    with pytest.raises(Exception):
        await clerk.run(ASKED)
    assert not ran


# LANG-3: a host that emits the two tool points only: arguments are mended where the tool is called, names cannot be.
async def test_a_host_with_tool_points_only() -> None:
    definition = {"name": "get_forecast", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}
    emitter = InterceptionEmitter().register(Interceptor(tools=[definition]))
    build = AgentContextBuilder(agent_id="a", framework="own", session_id="s")
    asked = build.pre_tool_call(call_id="1", name="get_forecast", args={"city": "Bergen", "days": "3"})
    assert (await emitter.emit(asked)).target == {"city": "Bergen", "days": 3}
    with pytest.raises(InterceptionBlocked):
        await emitter.emit(build.pre_tool_call(call_id="2", name="getForecast", args={"city": "Bergen"}))
