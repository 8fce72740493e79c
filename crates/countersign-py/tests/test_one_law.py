"""One law: the same output of a model gets the same verdict, and the same calls run, in every framework."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any, Awaitable, Callable

import pytest
from agents import Agent, Model as OpenAIModel, ModelResponse, RunConfig, Runner, Usage, function_tool, set_tracing_disabled
from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server, query
from claude_agent_sdk import tool as claude_tool
from claude_model import Model, environment
from countersign import Guard, Verdict
from countersign.agent_hooks import Interceptor
from countersign.claude import hooks
from countersign.langchain import CountersignMiddleware
from countersign.openai_agents import guard as guard_agent
from countersign.pydantic_ai import Countersign
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from outputs import ASKED, OUTPUTS, TOOLS
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import DeferredToolRequests
from pydantic_ai import Tool as PydanticTool
from pydantic_ai.messages import ModelResponse as PydanticResponse
from pydantic_ai.messages import TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

with warnings.catch_warnings():
    # Two frameworks say that parts of theirs are experimental.
    warnings.simplefilter("ignore")
    from agent_framework import Agent as FrameworkAgent
    from agent_framework import BaseChatClient, ChatMiddlewareLayer, ChatResponse, Content, FunctionInvocationLayer, FunctionTool, Message, create_agent_hooks_middleware
    from countersign.adk import CountersignPlugin
    from google.adk.agents import LlmAgent
    from google.adk.apps import App
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types

set_tracing_disabled(True)
ran: list[Any] = []


def body(restaurant: str, guests: int, date: str) -> str:
    """Reserve a table in a restaurant."""
    ran.append({"restaurant": restaurant, "guests": guests, "date": date})
    return '{"reserved": true}'


async def in_langchain(guard: Guard, name: str, arguments: dict[str, Any], seen: list[Any]) -> None:
    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            return self

    says = [AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": "call_1"}]), AIMessage("That is all.")]
    middleware = CountersignMiddleware(guard, answers="pass", watch=seen.append)
    agent = create_agent(Scripted(messages=iter(says)), [tool("reserve_table")(body)], middleware=[middleware])
    await agent.ainvoke({"messages": [HumanMessage(ASKED)]})


async def in_openai_agents(guard: Guard, name: str, arguments: dict[str, Any], seen: list[Any]) -> None:
    call = ResponseFunctionToolCall(type="function_call", name=name, arguments=json.dumps(arguments), call_id="call_1")
    text = [ResponseOutputText(type="output_text", text="That is all.", annotations=[])]
    says = iter([call, ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=text)])

    class Scripted(OpenAIModel):
        async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
            return ModelResponse(output=[next(says)], usage=Usage(), response_id=None)

        def stream_response(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

    own = function_tool(body, name_override="reserve_table")
    agent = guard_agent(Agent(name="Clerk", model=Scripted(), tools=[own]), guard, answers="pass", watch=seen.append)
    await Runner.run(agent, ASKED, run_config=RunConfig(tool_not_found_behavior="return_error_to_model"))


async def in_pydantic_ai(guard: Guard, name: str, arguments: dict[str, Any], seen: list[Any]) -> None:
    says = iter([ToolCallPart(name, arguments, "call_1"), TextPart("That is all.")])
    model = FunctionModel(lambda messages, info: PydanticResponse(parts=[next(says)]))
    checked = Countersign(guard, answers="pass", watch=seen.append)
    own = PydanticTool(body, name="reserve_table")
    await PydanticAgent(model, tools=[own], output_type=[str, DeferredToolRequests], capabilities=[checked]).run(ASKED)


async def in_agent_hooks(guard: Guard, name: str, arguments: dict[str, Any], seen: list[Any]) -> None:
    says = iter([Content.from_function_call("call_1", name, arguments=arguments), Content.from_text("That is all.")])

    class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
        async def _inner_get_response(self, **asked: Any) -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", [next(says)])])

    middleware = create_agent_hooks_middleware([Interceptor(guard, answers="pass", watch=seen.append)])
    own = FunctionTool(name="reserve_table", description="Reserve a table in a restaurant.", func=body)
    await FrameworkAgent(client=Scripted(), tools=[own], middleware=[middleware]).run(ASKED)


async def in_adk(guard: Guard, name: str, arguments: dict[str, Any], seen: list[Any]) -> None:
    call = types.Part(function_call=types.FunctionCall(id="call_1", name=name, args=arguments))
    says = iter([call, types.Part(text="That is all.")])

    class Scripted(BaseLlm):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            yield LlmResponse(content=types.Content(role="model", parts=[next(says)]))

    def reserve_table(restaurant: str, guests: int, date: str) -> str:
        """Reserve a table in a restaurant."""
        return body(restaurant, guests, date)

    agent = LlmAgent(name="clerk", model=Scripted(model="scripted"), tools=[reserve_table])
    runner = InMemoryRunner(app=App(name="desk", root_agent=agent, plugins=[CountersignPlugin(guard, answers="pass", watch=seen.append)]))
    session = await runner.session_service.create_session(app_name="desk", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text=ASKED)])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        pass


FRAMEWORKS: list[Callable[..., Awaitable[None]]] = [in_langchain, in_openai_agents, in_pydantic_ai, in_agent_hooks, in_adk]


# LANG-3: one verdict in all.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", OUTPUTS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_the_same_output_gets_the_same_verdict(framework: Callable[..., Awaitable[None]], what: str) -> None:
    name, arguments = OUTPUTS[what]
    guard, seen = Guard(tools=TOOLS), []
    verdict = guard.check(call={"id": "call_1", "name": name, "arguments": arguments}, messages=[{"role": "user", "content": ASKED}])
    ran.clear()
    await framework(guard, name, arguments, seen)
    judged = [report for report in seen if isinstance(report, Verdict)]
    assert [report.json() for report in judged] == [verdict.json()]
    assert ran == ([verdict.call.arguments] if verdict.allowed and verdict.call else [])


# LANG-3: and in Claude Code, whose tools have their server's name before their own. What it refuses or turns itself never reaches a hook: names
# that are no tool, and numbers as strings.
async def test_the_same_output_gets_the_same_verdict_in_claude(tmp_path: Path) -> None:
    named = [{**TOOLS[0], "name": "mcp__desk__reserve_table"}]
    reaching = ("right", "a value is missing", "out of bounds", "another amount than asked for")
    cases = [("mcp__desk__reserve_table", OUTPUTS[what][1]) for what in reaching]
    guard, seen = Guard(tools=named), []
    ran.clear()
    verdicts = await in_claude(guard, cases, seen, tmp_path)
    judged = [report for report in seen if isinstance(report, Verdict)]
    assert [report.json() for report in judged] == [verdict.json() for verdict in verdicts]
    assert ran == [verdict.call.arguments for verdict in verdicts if verdict.allowed and verdict.call]


async def in_claude(guard: Guard, cases: list[Any], seen: list[Any], home: Path) -> list[Verdict]:
    """A conversation for each call; the verdicts that the guard itself gives."""

    @claude_tool("reserve_table", "Reserve a table in a restaurant.", TOOLS[0]["parameters"])
    async def reserve_table(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": body(**arguments)}]}

    verdicts = []
    for name, arguments in cases:
        with Model([("call", name, arguments), ("say", "That is all.")]) as model:
            options = ClaudeAgentOptions(
                cwd=home,
                env=environment(model, home),
                model="sonnet",
                setting_sources=[],
                tools=[],
                mcp_servers={"desk": create_sdk_mcp_server("desk", tools=[reserve_table])},
                allowed_tools=["mcp__desk"],
                hooks=hooks(guard, answers="pass", watch=seen.append),
            )
            async for _ in query(prompt=ASKED, options=options):
                pass
        verdicts.append(guard.check(call={"id": "toolu_1", "name": name, "arguments": arguments}, messages=[{"role": "user", "content": ASKED}]))
    return verdicts


# LANG-3: the cases are worth their name: some run as they came, some mended, some not at all.
def test_the_outputs_are_of_every_kind() -> None:
    check = Guard(tools=TOOLS).check
    asked = [{"role": "user", "content": ASKED}]
    status = {what: check(call={"name": name, "arguments": arguments}, messages=asked).status for what, (name, arguments) in OUTPUTS.items()}
    assert status["right"] == "approved" and status["a number as a string"] == "caution"
    assert all(status[what] == "validation_failed" for what in ("a value is missing", "out of bounds", "a date that is none", "an invented tool")), status
