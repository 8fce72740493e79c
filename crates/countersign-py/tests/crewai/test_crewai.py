"""CrewAI's own crew with a scripted model. CrewAI pins an older pydantic than the others and brings 130 packages: `tools/test-python --crewai`."""

from __future__ import annotations

import json
from typing import Any, Iterator

import pytest

from countersign import Claims, Guard, Verdict
from countersign.crewai import guard
from crewai import Agent, Crew, Task
from crewai.hooks import HookAborted
from crewai.llms.base_llm import BaseLLM
from crewai.tools import tool
from outputs import ASKED as RESERVE
from outputs import OUTPUTS, TOOLS

ran: list[tuple[str, dict[str, Any]]] = []


@tool("get_forecast")
def get_forecast(city: str, days: int = 1) -> str:
    """Get the weather forecast of a city for a number of days."""
    ran.append(("get_forecast", {"city": city, "days": days}))
    return '{"city": "%s", "text": "rain, 9 degrees"}' % city


@tool("send_letter")
def send_letter(to: str) -> str:
    """Send a letter to somebody."""
    ran.append(("send_letter", {"to": to}))
    return '{"sent": true}'


@tool("ask_analyst")
def ask_analyst(question: str) -> str:
    """Ask the analyst."""
    return "Sales grew by 25% to $3.5 billion in 2024."


class Scripted(BaseLLM):
    says: Any = None
    told: list[Any] = []

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, tools: Any = None, *args: Any, **more: Any) -> Any:
        self.told.append(json.loads(json.dumps(messages, default=str)))
        return next(self.says)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    ran.clear()
    yield


def run(asked: str, says: list[Any], tools: list[Any] | None = None, **options: Any) -> tuple[Any, Scripted]:
    remove = guard(**options)
    try:
        model = Scripted(model="scripted", says=iter(says), told=[])
        clerk = Agent(role="Clerk", goal="Answer.", backstory="A clerk.", llm=model, tools=tools or [get_forecast, send_letter, ask_analyst])
        task = Task(description=asked, expected_output="An answer.", agent=clerk)
        return Crew(agents=[clerk], tasks=[task]).kickoff(), model
    finally:
        remove()


def call(name: str, arguments: dict[str, Any], id: str = "call_1") -> list[Any]:
    return [{"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}]


def told(model: Scripted, at: int) -> str:
    return json.dumps(model.told[at], ensure_ascii=False)


ASKED = "What will the weather be in Bergen for the next 3 days?"


# LANG-3: arguments are mended before the tool runs.
def test_a_call_is_mended() -> None:
    done, _ = run(ASKED, [call("get_forecast", {"city": "Bergen", "Days": "3"}), "Rain, 9 degrees in Bergen."])
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]
    assert done.raw == "Rain, 9 degrees in Bergen."


# LANG-3: the model is told what is wrong, also of a name that is no tool, and corrects it.
def test_a_refused_call_goes_back() -> None:
    says = [call("get_forecast", {"days": 3}), call("getForecast", {"city": "Bergen"}, "call_2"), call("get_forecast", {"city": "Bergen", "days": 3}, "call_3"), "Rain."]
    _, model = run(ASKED, says)
    assert "`city`" in told(model, 1) and "was not run" in told(model, 1)
    assert ran[-1] == ("get_forecast", {"city": "Bergen", "days": 3})


# LANG-3: a person decides; nobody there is a no.
@pytest.mark.parametrize(("approve", "runs"), [(lambda *_: True, 1), (lambda *_: False, 0), (None, 0)])
def test_a_person_is_asked(approve: Any, runs: int) -> None:
    policy = '[[rules]]\nname = "letters"\ntools = ["send_letter"]\neffect = "review"\nreason = "letters are read first"\n'
    run("Send Ingrid a letter.", [call("send_letter", {"to": "Ingrid"}), "Done."], policy=policy, approve=approve, answers="pass")
    assert len(ran) == runs


# LANG-3: what was said and not done does not leave.
def test_an_answer_is_examined() -> None:
    with pytest.raises(HookAborted, match="no successful call did it"):
        run("Send Ingrid a letter.", ["I have sent the letter to Ingrid."])


# LANG-3: what another agent says carries its claims.
def test_claims_travel_marked() -> None:
    seen: list[Any] = []
    _, model = run("How were sales? Ask the analyst.", [call("ask_analyst", {"question": "How were sales?"}), "They grew."], agents={"ask_analyst"}, watch=seen.append)
    assert "unverified: “25%”, “$3.5 billion”, “2024”" in told(model, 1)
    assert any(isinstance(report, Claims) and report.needs_verify for report in seen)


@tool("reserve_table")
def reserve_table(restaurant: str, guests: int, date: str) -> str:
    """Reserve a table in a restaurant."""
    ran.append(("reserve_table", {"restaurant": restaurant, "guests": guests, "date": date}))
    return '{"reserved": true}'


# LANG-3: one verdict in all: what the other frameworks are held to in test_one_law.py. A hook cannot rename a call here: it is refused with the right name.
@pytest.mark.parametrize("what", OUTPUTS)
def test_the_same_output_gets_the_same_verdict(what: str) -> None:
    name, arguments = OUTPUTS[what]
    own, seen = Guard(tools=TOOLS), []
    verdict = own.check(call={"name": name, "arguments": arguments}, messages=[{"role": "user", "content": RESERVE}])
    run(RESERVE, [call(name, arguments), "That is all."], [reserve_table], guard=own, answers="pass", watch=seen.append, approve=lambda *_: False)
    judged = [report for report in seen if isinstance(report, Verdict)]
    # CrewAI writes a misspelt name as it would write a tool's own before a hook sees it.
    assert [report.status for report in judged] in ([verdict.status], ["approved"] if name == "reserveTable" else [])
    assert [report.findings for report in judged] == [verdict.findings] or name == "reserveTable"
    assert ran == ([("reserve_table", verdict.call.arguments)] if verdict.allowed and verdict.call else [])


# LANG-3: what cannot be judged does not run, and the model is told, though CrewAI swallows what a hook raises.
def test_it_fails_closed() -> None:
    class Broken(Guard):
        def check(self, *args: Any, **fields: Any) -> Any:
            raise RuntimeError("out of order")

    _, model = run(ASKED, [call("get_forecast", {"city": "Bergen"}), "I could not look it up."], guard=Broken())
    assert not ran and "could not be checked" in told(model, 1)

    def refuse(*_: Any) -> bool:
        raise RuntimeError("no line to the person")

    policy = '[[rules]]\nname = "letters"\ntools = ["send_letter"]\neffect = "review"\nreason = "letters are read first"\n'
    _, model = run("Send Ingrid a letter.", [call("send_letter", {"to": "Ingrid"}), "Done."], policy=policy, approve=refuse, answers="pass")
    assert not ran and "no line to the person" in told(model, 1)
