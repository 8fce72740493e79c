"""The OpenAI Agents SDK's own runner with a scripted model: what runs, what the model is told, what a person is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents import Agent, Model, ModelBehaviorError, ModelResponse, OutputGuardrailTripwireTriggered, Runner, Usage, function_tool, set_tracing_disabled
from countersign import Claims, Guard, Verdict
from countersign.openai_agents import guard
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)
ran: list[tuple[str, dict[str, Any]]] = []


@function_tool
def get_forecast(city: str, days: int = 1) -> str:
    """Get the weather forecast of a city for a number of days."""
    ran.append(("get_forecast", {"city": city, "days": days}))
    return '{"city": "%s", "text": "rain, 9 degrees"}' % city


@function_tool
def send_letter(to: str) -> str:
    """Send a letter to somebody."""
    ran.append(("send_letter", {"to": to}))
    return '{"sent": true}'


class Scripted(Model):
    def __init__(self, says: list[Any]) -> None:
        self.says = iter(says)
        self.told: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        self.told.append(input)
        return ModelResponse(output=[next(self.says)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def call(name: str, arguments: dict[str, Any], id: str = "call_1") -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(type="function_call", name=name, arguments=json.dumps(arguments), call_id=id)


def say(text: str) -> ResponseOutputMessage:
    content = [ResponseOutputText(type="output_text", text=text, annotations=[])]
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=content)


def agent(says: list[Any], **options: Any) -> tuple[Agent[Any], Scripted]:
    ran.clear()
    model = Scripted(says)
    return guard(Agent(name="Clerk", model=model, tools=[get_forecast, send_letter]), **options), model


ASKED = "What will the weather be in Bergen for the next 3 days?"


# LANG-3: a wrong name and a wrong type are mended before the tool runs.
async def test_a_call_is_mended() -> None:
    clerk, _ = agent([call("getForecast", {"city": "Bergen", "days": "3"}), say("Rain, 9 degrees in Bergen.")])
    done = await Runner.run(clerk, ASKED)
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]
    assert done.final_output == "Rain, 9 degrees in Bergen."


# LANG-3: an id that comes again in another run does not bring the first call's verdict with it.
async def test_an_id_that_comes_again_is_judged_again() -> None:
    clerk, model = agent([call("get_forecast", {"city": "Bergen", "days": 3}), say("Rain."), call("get_forecast", {"days": 3}), say("Where?")])
    await Runner.run(clerk, ASKED)
    await Runner.run(clerk, ASKED)
    assert len(ran) == 1 and "city" in model.told[3][-1]["output"]


# LANG-3: the model is told what is wrong, and corrects it.
async def test_a_refused_call_goes_back() -> None:
    says = [call("get_forecast", {"days": 3}), call("get_forecast", {"city": "Bergen", "days": 3}, "call_2"), say("Rain.")]
    clerk, model = agent(says)
    await Runner.run(clerk, ASKED)
    assert "city" in model.told[1][-1]["output"]
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]


# LANG-3: a person decides, through the run's own interruption.
@pytest.mark.parametrize(("approved", "runs"), [(True, 1), (False, 0)])
async def test_a_person_is_asked(approved: bool, runs: int) -> None:
    policy = '[[rules]]\nname = "letters"\ntools = ["send_letter"]\neffect = "review"\nreason = "letters are read first"\n'
    clerk, _ = agent([call("send_letter", {"to": "Ingrid"}), say("Done.")], policy=policy, answers="pass")
    paused = await Runner.run(clerk, "Send Ingrid a letter.")
    assert len(paused.interruptions) == 1 and not ran
    state = paused.to_state()
    (state.approve if approved else state.reject)(paused.interruptions[0])
    await Runner.run(clerk, state)
    assert len(ran) == runs


# LANG-3: what was said and not done trips the guardrail.
async def test_an_answer_is_examined() -> None:
    clerk, _ = agent([say("I have sent the letter to Ingrid.")])
    with pytest.raises(OutputGuardrailTripwireTriggered):
        await Runner.run(clerk, "Send Ingrid a letter.")


SALES = "Sales grew by 25% to $3.5 billion in 2024."
MARK = "unverified: “25%”, “$3.5 billion”, “2024”"


# LANG-3: what an agent says that is a tool carries its claims.
async def test_claims_travel_marked() -> None:
    analyst = Agent(name="Analyst", model=Scripted([say(SALES)])).as_tool("ask_analyst", "Ask the analyst.")
    model = Scripted([call("ask_analyst", {"input": "How were sales?"}), say("They grew.")])
    seen: list[Any] = []
    await Runner.run(guard(Agent(name="Clerk", model=model, tools=[analyst]), watch=seen.append), "How were sales?")
    assert MARK in model.told[1][-1]["output"]
    assert any(isinstance(report, Claims) and report.needs_verify for report in seen)


# LANG-3: and so does a hand-off, which is a call like any other, denied where the policy says so.
async def test_claims_travel_with_a_hand_off() -> None:
    class Both(Scripted):
        async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
            return ModelResponse(output=[say(SALES), call("transfer_to_writer", {})], usage=Usage(), response_id=None)

    heard = Scripted([say("They grew.")])
    writer = Agent(name="Writer", model=heard)
    seen: list[Any] = []
    clerk = guard(Agent(name="Clerk", model=Both([]), handoffs=[writer]), watch=seen.append)
    done = await Runner.run(clerk, "Let the writer tell me about sales.")
    assert done.last_agent.name == "Writer" and done.final_output == "They grew."
    assert MARK in heard.told[0][-1]["output"]
    assert [report.allowed for report in seen if isinstance(report, Verdict)] == [True]
    policy = '[[rules]]\nname = "no writer"\ntools = ["transfer_to_writer"]\neffect = "deny"\nreason = "the writer is away"\n'
    with pytest.raises(ModelBehaviorError, match="the writer is away"):
        await Runner.run(guard(Agent(name="Clerk", model=Both([]), handoffs=[writer]), policy=policy), "Let the writer tell me about sales.")


# LANG-3: what cannot be judged does not run, and the model is told.
async def test_it_fails_closed() -> None:
    class Broken(Guard):
        def check(self, *args: Any, **fields: Any) -> Any:
            raise RuntimeError("out of order")

    clerk, model = agent([call("get_forecast", {"city": "Bergen"}), say("I could not look it up.")], guard=Broken())
    await Runner.run(clerk, ASKED)
    assert not ran and "could not be checked" in model.told[1][-1]["output"]
