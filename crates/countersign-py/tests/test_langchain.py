"""LangChain's own agent with a scripted model: what runs, what the model is told, what a person is asked."""

from __future__ import annotations

from typing import Any

import pytest

from countersign import Claims, Guard
from countersign.langchain import CountersignMiddleware
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

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


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def agent(says: list[AIMessage], checkpointer: Any = None, **options: Any) -> Any:
    ran.clear()
    middleware = [CountersignMiddleware(**options)]
    return create_agent(Scripted(messages=iter(says)), [get_forecast, send_letter], middleware=middleware, checkpointer=checkpointer)


def call(name: str, args: dict[str, Any], id: str = "call_1") -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": id}])


ASKED = {"messages": [HumanMessage("What will the weather be in Bergen for the next 3 days?")]}


# LANG-3: a wrong name and a wrong type are mended before the tool runs.
def test_a_call_is_mended() -> None:
    done = agent([call("getForecast", {"city": "Bergen", "days": "3"}), AIMessage("Rain, 9 degrees in Bergen.")]).invoke(ASKED)
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]
    assert done["messages"][-1].text == "Rain, 9 degrees in Bergen."


# LANG-3
async def test_a_call_is_mended_in_async_agents() -> None:
    says = [call("getForecast", {"city": "Bergen", "days": "3"}), AIMessage("Rain, 9 degrees in Bergen.")]
    await agent(says).ainvoke(ASKED)
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]


# LANG-3: the model is told what is wrong, and corrects it.
def test_a_refused_call_goes_back() -> None:
    says = [call("get_forecast", {"days": 3}), call("get_forecast", {"city": "Bergen", "days": 3}, "call_2"), AIMessage("Rain.")]
    done = agent(says).invoke(ASKED)
    told = next(message for message in done["messages"] if isinstance(message, ToolMessage))
    assert told.status == "error" and "city" in told.text
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]


# LANG-3: a person decides, through the graph's own pause.
@pytest.mark.parametrize(("decision", "runs"), [("approve", 1), ("reject", 0)])
def test_a_person_is_asked(decision: str, runs: int) -> None:
    policy = '[[rules]]\nname = "letters"\ntools = ["send_letter"]\neffect = "review"\nreason = "letters are read first"\n'
    graph = agent([call("send_letter", {"to": "Ingrid"}), AIMessage("Done.")], InMemorySaver(), policy=policy, answers="pass")
    config = {"configurable": {"thread_id": "1"}}
    paused = graph.invoke({"messages": [HumanMessage("Send Ingrid a letter.")]}, config)
    asked = paused["__interrupt__"][0].value
    assert not ran and asked["action_requests"][0]["name"] == "send_letter"
    graph.invoke(Command(resume={"decisions": [{"type": decision}]}), config)
    assert len(ran) == runs


# LANG-3: a graph that is resumed in another process, where no model was asked yet, is judged with the tool that is called.
def test_a_graph_is_resumed_elsewhere() -> None:
    policy = '[[rules]]\nname = "letters"\ntools = ["send_letter"]\neffect = "review"\nreason = "letters are read first"\n'
    kept, config, seen = InMemorySaver(), {"configurable": {"thread_id": "1"}}, []
    agent([call("send_letter", {"to": "Ingrid"})], kept, policy=policy).invoke({"messages": [HumanMessage("Send Ingrid a letter.")]}, config)
    elsewhere = agent([AIMessage("Done.")], kept, policy=policy, answers="pass", watch=seen.append)
    elsewhere.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    assert ran == [("send_letter", {"to": "Ingrid"})]
    # 0.5 would be a call of a tool whose schema nobody knows.
    assert seen[0].score > 0.5


# LANG-3: what was said and not done goes back once.
def test_an_answer_is_examined() -> None:
    said = AIMessage("I have sent the letter to Ingrid.")
    done = agent([said, AIMessage("I have not sent it yet.")]).invoke({"messages": [HumanMessage("Send Ingrid a letter.")]})
    assert [message.name for message in done["messages"] if isinstance(message, HumanMessage)] == [None, "countersign"]
    assert done["messages"][-1].text == "I have not sent it yet."


SALES = "Sales grew by 25% to $3.5 billion in 2024."


@tool
def ask_analyst(question: str) -> str:
    """Ask the analyst."""
    return SALES


# LANG-3: what another agent says carries its claims, as a tool and as a message under its name.
def test_claims_travel_marked() -> None:
    seen: list[Any] = []
    told: list[Any] = []

    class Hearing(Scripted):
        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            told.append(messages)
            return super()._generate(messages, *args, **kwargs)

    model = Hearing(messages=iter([call("ask_analyst", {"question": "How were sales?"}), AIMessage("They grew.")]))
    graph = create_agent(model, [ask_analyst], middleware=[CountersignMiddleware(agents={"ask_analyst", "analyst"}, watch=seen.append)])
    graph.invoke({"messages": [HumanMessage("How were sales?"), AIMessage("Profit fell by 10%.", name="analyst"), HumanMessage("And sales?")]})
    assert "unverified: “10%”" in told[0][1].text
    assert "unverified: “25%”, “$3.5 billion”, “2024”" in told[1][-1].text
    assert sum(isinstance(report, Claims) and report.needs_verify for report in seen) >= 2


# LANG-3: what cannot be judged does not run, and the model is told.
def test_it_fails_closed() -> None:
    class Broken(Guard):
        def check(self, *args: Any, **fields: Any) -> Any:
            raise RuntimeError("out of order")

    done = agent([call("get_forecast", {"city": "Bergen"}), AIMessage("I could not look it up.")], guard=Broken()).invoke(ASKED)
    told = next(message for message in done["messages"] if isinstance(message, ToolMessage))
    assert not ran and told.status == "error" and "could not be checked" in told.text
