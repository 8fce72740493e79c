"""Agent frameworks behind one small surface: each runs its own whole loop and gives the calls that ran and the answer."""

import asyncio
import os
from functools import cache
from typing import Literal

import anthropic
import openai

import toolbox

os.environ.setdefault("OPENAI_API_KEY", "test-key")
os.environ.setdefault("ANTHROPIC_API_KEY", "test-key")


class Bench:
    """The tools of one run, which remember what they were asked to do."""

    def __init__(self):
        self.ran: list[tuple[str, dict]] = []

    def get_weather(self, city: str, unit: Literal["celsius", "fahrenheit"]) -> str:
        """The weather in a city."""
        return self.run("get_weather", {"city": city, "unit": unit})

    def add_numbers(self, a: int, b: int) -> str:
        """Adds two numbers."""
        return self.run("add_numbers", {"a": a, "b": b})

    def run(self, name: str, arguments: dict) -> str:
        self.ran.append((name, arguments))
        return toolbox.run(name, arguments)


async def pydantic_ai(base: str, model: str, dialect: str, way: str, bench: Bench) -> str:
    from pydantic_ai import Agent

    agent = Agent(pydantic_model(base, model, dialect), tools=[bench.get_weather, bench.add_numbers], retries=0)
    # With a handler of events every answer is streamed; `run_stream` would take text before a call for the answer.
    return (await agent.run(toolbox.PROMPT, event_stream_handler=watch if way == "stream" else None)).output


async def watch(context, events) -> None:
    async for _ in events:
        pass


def pydantic_model(base: str, model: str, dialect: str):
    if dialect == "messages":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=anthropic_client(base)))
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    kind = OpenAIChatModel if dialect == "chat" else OpenAIResponsesModel
    return kind(model, provider=OpenAIProvider(openai_client=openai_client(base)))


async def langchain(base: str, model: str, dialect: str, way: str, bench: Bench) -> str:
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool

    tools = {made.name: made for made in (tool(bench.get_weather), tool(bench.add_numbers))}
    chat = langchain_model(base, model, dialect).bind_tools(list(tools.values()))
    history = [HumanMessage(toolbox.PROMPT)]
    for _ in range(4):
        if way == "whole":
            message = await chat.ainvoke(history)
        else:
            message = None
            async for chunk in chat.astream(history):
                message = chunk if message is None else message + chunk
        if message.invalid_tool_calls:
            raise ValueError(f"calls that cannot be read: {message.invalid_tool_calls}")
        if not message.tool_calls:
            return message.text if isinstance(message.text, str) else message.text()
        history.append(message)
        for call in message.tool_calls:
            result = await tools[call["name"]].ainvoke(call["args"])
            history.append(ToolMessage(result, tool_call_id=call["id"]))
    raise AssertionError("no answer after four turns")


def langchain_model(base: str, model: str, dialect: str):
    from langchain_openai import ChatOpenAI

    about = {"base_url": f"{base}/v1", "api_key": "test-key", "model": model, "max_retries": 0, "timeout": 20}
    return ChatOpenAI(**about, use_responses_api=dialect == "responses", stream_usage=True)


async def openai_agents(base: str, model: str, dialect: str, way: str, bench: Bench) -> str:
    import agents

    tools = [agents.function_tool(bench.get_weather), agents.function_tool(bench.add_numbers)]
    agent = agents.Agent(name="tests", model=agents_model(base, model, dialect), tools=tools)
    if way == "whole":
        return (await agents.Runner.run(agent, toolbox.PROMPT, max_turns=4)).final_output
    result = agents.Runner.run_streamed(agent, toolbox.PROMPT, max_turns=4)
    async for _ in result.stream_events():
        pass
    return result.final_output


def agents_model(base: str, model: str, dialect: str):
    import agents

    agents.set_tracing_disabled(True)
    kind = agents.OpenAIChatCompletionsModel if dialect == "chat" else agents.OpenAIResponsesModel
    return kind(model=model, openai_client=openai_client(base))


@cache
def openai_client(base: str) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{base}/v1", api_key="test-key", max_retries=0)


@cache
def anthropic_client(base: str) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(base_url=base, api_key="test-key", max_retries=0)


# One loop for all runs: clients and frameworks keep connections that belong to it.
loop = asyncio.new_event_loop()


def run(lane: tuple, base: str, model: str, bench: Bench | None = None) -> tuple[list, str]:
    """A test that expects a failure brings its own bench, to see afterwards what ran before it."""
    framework, dialect, way = lane
    bench = bench or Bench()

    async def bounded():
        return await asyncio.wait_for(framework(base, model, dialect, way, bench), timeout=30)

    return bench.ran, loop.run_until_complete(bounded())


LANES = [
    (framework, dialect, way)
    for framework, dialects in {
        pydantic_ai: ("chat", "responses", "messages"),
        langchain: ("chat", "responses"),
        openai_agents: ("chat", "responses"),
    }.items()
    for dialect in dialects
    for way in ("whole", "stream")
]
