"""Google's Agent Development Kit: its own runner with a scripted model."""

from __future__ import annotations

import warnings
from typing import Any, AsyncGenerator

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from google.adk.agents import LlmAgent
    from google.adk.apps import App
    from google.adk.models import BaseLlm, LlmRequest, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.adk.tools.agent_tool import AgentTool
    from google.genai import types

    from countersign.adk import CountersignPlugin
from countersign import Claims, Guard

pytestmark = pytest.mark.filterwarnings("ignore")
ran: list[tuple[str, dict[str, Any]]] = []


def get_forecast(city: str, days: int = 1) -> str:
    """Get the weather forecast of a city for a number of days."""
    ran.append(("get_forecast", {"city": city, "days": days}))
    return '{"city": "%s", "text": "rain, 9 degrees"}' % city


def send_letter(to: str) -> dict[str, Any]:
    """Send a letter to somebody."""
    ran.append(("send_letter", {"to": to}))
    return {"sent": True}


class Scripted(BaseLlm):
    model: str = "scripted"
    says: Any = None
    told: list[Any] = []

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        self.told.append([content.model_copy(deep=True) for content in llm_request.contents])
        yield LlmResponse(content=types.Content(role="model", parts=[next(self.says)]))


def call(name: str, args: dict[str, Any], id: str | None = "call_1") -> types.Part:
    return types.Part(function_call=types.FunctionCall(id=id, name=name, args=args))


def say(text: str) -> types.Part:
    return types.Part(text=text)


class Desk:
    """A runner with one session."""

    def __init__(self, says: list[types.Part], sub_agents: list[Any] = [], tools: list[Any] = [], **options: Any) -> None:
        ran.clear()
        self.model = Scripted(says=iter(says), told=[])
        clerk = LlmAgent(name="clerk", model=self.model, tools=[get_forecast, send_letter, *tools], sub_agents=sub_agents)
        self.runner = InMemoryRunner(app=App(name="desk", root_agent=clerk, plugins=[CountersignPlugin(**options)]))

    async def ask(self, asked: str | types.Part) -> list[types.Part]:
        part = types.Part(text=asked) if isinstance(asked, str) else asked
        session = await self.runner.session_service.get_session(app_name="desk", user_id="u", session_id="s")
        if session is None:
            await self.runner.session_service.create_session(app_name="desk", user_id="u", session_id="s")
        message = types.Content(role="user", parts=[part])
        events = [event async for event in self.runner.run_async(user_id="u", session_id="s", new_message=message)]
        return [part for event in events if event.content for part in event.content.parts or []]


def text(contents: Any) -> str:
    return "\n".join(str(part.function_response.response) if part.function_response else part.text or "" for content in contents for part in content.parts)


ASKED = "What will the weather be in Bergen for the next 3 days?"


# LANG-3: a wrong name and a wrong type are mended before the tool runs, also where the model gave no id.
@pytest.mark.parametrize("id", ["call_1", None])
async def test_a_call_is_mended(id: str | None) -> None:
    said = await Desk([call("getForecast", {"city": "Bergen", "days": "3"}, id), say("Rain, 9 degrees in Bergen.")]).ask(ASKED)
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]
    assert said[-1].text == "Rain, 9 degrees in Bergen."


# LANG-3: the model is told what is wrong, and corrects it.
async def test_a_refused_call_goes_back() -> None:
    desk = Desk([call("get_forecast", {"days": 3}), call("get_forecast", {"city": "Bergen", "days": 3}, "call_2"), say("Rain.")])
    await desk.ask(ASKED)
    assert "`city`" in text(desk.model.told[1])
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]


# LANG-3: a person decides, through the kit's own confirmation.
@pytest.mark.parametrize(("confirmed", "runs"), [(True, 1), (False, 0)])
async def test_a_person_is_asked(confirmed: bool, runs: int) -> None:
    policy = '[[rules]]\nname = "letters"\ntools = ["send_letter"]\neffect = "review"\nreason = "letters are read first"\n'
    desk = Desk([call("send_letter", {"to": "Ingrid"}), say("Done."), say("Done.")], policy=policy, answers="pass")
    asked = next(part.function_call for part in await desk.ask("Send Ingrid a letter.") if part.function_call and part.function_call.name == "adk_request_confirmation")
    assert not ran and "letters are read first" in asked.args["toolConfirmation"]["hint"]
    await desk.ask(types.Part(function_response=types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": confirmed})))
    assert len(ran) == runs


# LANG-3: what was said and not done is not delivered, and asked for again once.
async def test_an_answer_is_examined() -> None:
    said = await Desk([say("I have sent the letter to Ingrid."), say("I have not sent it yet.")]).ask("Send Ingrid a letter.")
    assert [part.text for part in said if part.text] == ["I have not sent it yet."]
    said = await Desk([say("I have sent the letter to Ingrid."), say("I have sent the letter to Ingrid.")]).ask("Send Ingrid a letter.")
    assert [part.text for part in said if part.text] == ["I have sent the letter to Ingrid."]


SALES = "Sales grew by 25% to $3.5 billion in 2024."


# LANG-3: what another agent says carries its claims, as a tool and after a transfer.
async def test_claims_travel_marked() -> None:
    seen: list[Any] = []
    analyst = LlmAgent(name="analyst", model=Scripted(says=iter([say(SALES)]), told=[]), description="Knows the sales.")
    desk = Desk([call("analyst", {"request": "How were sales?"}), say("They grew.")], tools=[AgentTool(analyst)], watch=seen.append)
    await desk.ask("How were sales? Ask the analyst.")
    assert "unverified: “25%”, “$3.5 billion”, “2024”" in text(desk.model.told[1])
    assert any(isinstance(report, Claims) and report.needs_verify for report in seen)


# LANG-3
async def test_claims_travel_marked_after_a_transfer() -> None:
    writer = LlmAgent(name="writer", model=Scripted(says=iter([say("They grew.")]), told=[]), description="Writes.")
    transfer = types.Content(role="model", parts=[say(SALES), call("transfer_to_agent", {"agent_name": "writer"})])

    class Both(Scripted):
        async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
            yield LlmResponse(content=transfer)

    desk = Desk([], sub_agents=[writer])
    desk.runner.agent.model = Both()
    await desk.ask("Let the writer tell me about sales.")
    assert "unverified: “25%”, “$3.5 billion”, “2024”" in text(writer.model.told[0])


# LANG-3: what cannot be judged does not run, and the model is told.
async def test_it_fails_closed() -> None:
    class Broken(Guard):
        def check(self, *args: Any, **fields: Any) -> Any:
            raise RuntimeError("out of order")

    desk = Desk([call("get_forecast", {"city": "Bergen"}), say("I could not look it up.")], guard=Broken())
    await desk.ask(ASKED)
    assert not ran and "could not be checked" in text(desk.model.told[1])


# LANG-3: what fails in the plugin itself ends the run before the tool.
async def test_a_broken_plugin_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("out of order")

    monkeypatch.setattr("countersign.judging.Rulings.find", broken)
    with pytest.raises(RuntimeError, match="out of order"):
        await Desk([call("get_forecast", {"city": "Bergen"}), say("Rain.")]).ask(ASKED)
    assert not ran
