"""Pydantic AI's own agent with a scripted model: what runs, what the model is told, what a person is asked."""

from __future__ import annotations

from typing import Any

import pytest

from countersign import Claims, Guard
from countersign.pydantic_ai import Countersign
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

ran: list[tuple[str, dict[str, Any]]] = []


def get_forecast(city: str, days: int = 1) -> str:
    """Get the weather forecast of a city for a number of days."""
    ran.append(("get_forecast", {"city": city, "days": days}))
    return '{"city": "%s", "text": "rain, 9 degrees"}' % city


def send_letter(to: str) -> str:
    """Send a letter to somebody."""
    ran.append(("send_letter", {"to": to}))
    return '{"sent": true}'


def ask_analyst(question: str) -> str:
    """Ask the analyst."""
    return "Sales grew by 25% to $3.5 billion in 2024."


class Scripted:
    def __init__(self, says: list[Any]) -> None:
        self.says = iter(says)
        self.told: list[list[ModelMessage]] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.told.append(messages)
        return ModelResponse(parts=[next(self.says)])

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> Any:
        part = self(messages, info).parts[0]
        if isinstance(part, TextPart):
            yield part.content
        else:
            yield {0: DeltaToolCall(name=part.tool_name, json_args=part.args_as_json_str(), tool_call_id=part.tool_call_id)}


def agent(says: list[Any], output: Any = str, **options: Any) -> tuple[Agent[None, Any], Scripted]:
    ran.clear()
    model = Scripted(says)
    tools = [get_forecast, send_letter, ask_analyst]
    scripted = FunctionModel(model, stream_function=model.stream)
    return Agent(scripted, tools=tools, output_type=output, capabilities=[Countersign(**options)]), model


def call(name: str, args: dict[str, Any], id: str = "call_1") -> ToolCallPart:
    return ToolCallPart(name, args, id)


def returned(messages: list[ModelMessage]) -> ToolReturnPart:
    return next(part for message in reversed(messages) for part in message.parts if isinstance(part, ToolReturnPart))


ASKED = "What will the weather be in Bergen for the next 3 days?"


# LANG-3: a wrong name and a wrong type are mended before the tool runs.
async def test_a_call_is_mended() -> None:
    clerk, _ = agent([call("getForecast", {"city": "Bergen", "days": "3"}), TextPart("Rain, 9 degrees in Bergen.")])
    done = await clerk.run(ASKED)
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]
    assert done.output == "Rain, 9 degrees in Bergen."


# LANG-3
async def test_a_call_is_mended_in_a_stream() -> None:
    clerk, _ = agent([call("getForecast", {"city": "Bergen", "days": "3"}), TextPart("Rain, 9 degrees in Bergen.")])
    async with clerk.run_stream(ASKED) as done:
        assert await done.get_output() == "Rain, 9 degrees in Bergen."
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]


# LANG-3: the model is told what is wrong, and corrects it.
async def test_a_refused_call_goes_back() -> None:
    clerk, model = agent([call("get_forecast", {"days": 3}), call("get_forecast", {"city": "Bergen", "days": 3}, "call_2"), TextPart("Rain.")])
    await clerk.run(ASKED)
    told = returned(model.told[1])
    assert told.outcome == "retried" and "`city`" in told.model_response_str()
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]


# LANG-3: what is denied is not asked for again.
async def test_a_denied_call_fails() -> None:
    policy = '[[rules]]\nname = "letters"\ntools = ["send_letter"]\neffect = "deny"\nreason = "letters are not sent from here"\n'
    clerk, model = agent([call("send_letter", {"to": "Ingrid"}), TextPart("I may not.")], policy=policy)
    await clerk.run("Send Ingrid a letter.")
    told = returned(model.told[1])
    assert not ran and told.outcome == "failed" and "letters are not sent from here" in told.model_response_str()


# LANG-3: a person decides, through the agent's own deferred calls.
@pytest.mark.parametrize(("answer", "runs"), [(True, 1), (ToolDenied("No."), 0)])
async def test_a_person_is_asked(answer: Any, runs: int) -> None:
    policy = '[[rules]]\nname = "letters"\ntools = ["send_letter"]\neffect = "review"\nreason = "letters are read first"\n'
    clerk, _ = agent([call("send_letter", {"to": "Ingrid"}), TextPart("Done.")], [str, DeferredToolRequests], policy=policy, answers="pass")
    paused = await clerk.run("Send Ingrid a letter.")
    assert isinstance(paused.output, DeferredToolRequests) and not ran
    assert paused.output.approvals[0].tool_name == "send_letter" and "letters are read first" in paused.output.metadata["call_1"]["reason"]
    results = DeferredToolResults(approvals={"call_1": answer})
    await clerk.run(message_history=paused.all_messages(), deferred_tool_results=results)
    assert len(ran) == runs


# LANG-3: what was said and not done goes back once.
async def test_an_answer_is_examined() -> None:
    clerk, _ = agent([TextPart("I have sent the letter to Ingrid."), TextPart("I have not sent it yet.")])
    assert (await clerk.run("Send Ingrid a letter.")).output == "I have not sent it yet."
    clerk, model = agent([TextPart("I have sent the letter to Ingrid."), TextPart("I have sent the letter to Ingrid.")])
    assert (await clerk.run("Send Ingrid a letter.")).output == "I have sent the letter to Ingrid."
    assert len(model.told) == 2


# LANG-3: what another agent says carries its claims.
async def test_claims_travel_marked() -> None:
    seen: list[Any] = []
    clerk, model = agent([call("ask_analyst", {"question": "How were sales?"}), TextPart("They grew.")], agents={"ask_analyst"}, watch=seen.append)
    await clerk.run("How were sales? Ask the analyst.")
    told = returned(model.told[1]).model_response_str()
    assert told.startswith("Sales grew") and "unverified: “25%”, “$3.5 billion”, “2024”" in told
    assert any(isinstance(report, Claims) and report.needs_verify for report in seen)


# LANG-3: what cannot be judged does not run, and the model is told.
async def test_it_fails_closed() -> None:
    class Broken(Guard):
        def check(self, *args: Any, **fields: Any) -> Any:
            raise RuntimeError("out of order")

    clerk, model = agent([call("get_forecast", {"city": "Bergen"}), TextPart("I could not look it up.")], guard=Broken())
    await clerk.run(ASKED)
    assert not ran and "could not be checked" in returned(model.told[1]).model_response_str()
