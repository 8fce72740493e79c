"""The Claude Agent SDK with the Claude Code that comes in it, against a scripted model on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, PermissionResultAllow, PermissionResultDeny, ResultMessage, create_sdk_mcp_server, tool
from claude_model import Model, environment
from countersign import Claims, Guard
from countersign.claude import hooks

ran: list[tuple[str, dict[str, Any]]] = []


@tool("get_forecast", "Get the weather forecast of a city for a number of days.", {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}})
async def get_forecast(arguments: dict[str, Any]) -> dict[str, Any]:
    ran.append(("get_forecast", arguments))
    return {"content": [{"type": "text", "text": json.dumps({"city": arguments["city"], "text": "rain, 9 degrees"})}]}


@tool("send_letter", "Send a letter to somebody.", {"to": str})
async def send_letter(arguments: dict[str, Any]) -> dict[str, Any]:
    ran.append(("send_letter", arguments))
    return {"content": [{"type": "text", "text": '{"sent": true}'}]}


@tool("ask_analyst", "Ask the analyst.", {"question": str})
async def ask_analyst(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": "Sales grew by 25% to $3.5 billion in 2024."}]}


async def run(home: Path, asked: str, says: list[tuple[Any, ...]], can_use_tool: Any = None, **options: Any) -> tuple[list[dict[str, Any]], ResultMessage]:
    """What the model was told, and how the run ended."""
    ran.clear()
    allowed = [] if can_use_tool else ["mcp__desk"]
    with Model(says) as model:
        settings = ClaudeAgentOptions(
            cwd=home,
            env=environment(model, home),
            model="sonnet",
            setting_sources=[],
            tools=[],
            mcp_servers={"desk": create_sdk_mcp_server("desk", tools=[get_forecast, send_letter, ask_analyst])},
            allowed_tools=allowed,
            can_use_tool=can_use_tool,
            hooks=hooks(**options),
        )
        async with ClaudeSDKClient(settings) as client:
            await client.query(asked)
            last = [message async for message in client.receive_response()][-1]
    assert isinstance(last, ResultMessage)
    return model.told, last


def call(name: str, arguments: dict[str, Any]) -> tuple[Any, ...]:
    return ("call", f"mcp__desk__{name}", arguments)


def results(told: dict[str, Any]) -> str:
    return json.dumps(told["messages"][-1], ensure_ascii=False)


ASKED = "What will the weather be in Bergen for the next 3 days?"


# LANG-3: the model is told what is wrong, and corrects it; what Claude Code itself would let pass is mended.
async def test_a_call_is_refused_and_mended(tmp_path: Path) -> None:
    says = [call("get_forecast", {"days": 3}), call("get_forecast", {"city": "Bergen", "Days": 3}), ("say", "Rain, 9 degrees.")]
    told, last = await run(tmp_path, ASKED, says)
    assert "`city`" in results(told[1]) and "was not run" in results(told[1])
    assert ran == [("get_forecast", {"city": "Bergen", "days": 3})]
    assert last.result == "Rain, 9 degrees."


# LANG-3: a person decides, where the SDK asks them.
@pytest.mark.parametrize(("approved", "runs"), [(True, 1), (False, 0)])
async def test_a_person_is_asked(tmp_path: Path, approved: bool, runs: int) -> None:
    asked: list[str] = []

    async def can_use_tool(name: str, arguments: dict[str, Any], context: Any) -> Any:
        asked.append(name)
        return PermissionResultAllow() if approved else PermissionResultDeny(message="No.")

    policy = '[[rules]]\nname = "letters"\ntools = ["mcp__desk__send_letter"]\neffect = "review"\nreason = "letters are read first"\n'
    await run(tmp_path, "Send Ingrid a letter.", [call("send_letter", {"to": "Ingrid"}), ("say", "Done.")], can_use_tool, policy=policy, answers="pass")
    assert asked == ["mcp__desk__send_letter"] and len(ran) == runs


# LANG-3: what was said and not done goes back once; what another agent says carries its claims.
async def test_answers_and_claims(tmp_path: Path) -> None:
    seen: list[Any] = []
    says = [call("ask_analyst", {"question": "How were sales?"}), ("say", "I have sent the letter to Ingrid."), ("say", "I have not sent it yet.")]
    told, last = await run(tmp_path, "Send Ingrid a letter about sales.", says, agents={"mcp__desk__ask_analyst"}, watch=seen.append)
    assert "unverified: “25%”, “$3.5 billion”, “2024”" in json.dumps(told[1], ensure_ascii=False)
    assert "There is something wrong with that answer" in json.dumps(told[2])
    assert last.result == "I have not sent it yet."
    assert any(isinstance(report, Claims) and report.needs_verify for report in seen)


# LANG-3: what cannot be judged does not run, and the model is told.
async def test_it_fails_closed(tmp_path: Path) -> None:
    class Broken(Guard):
        def check(self, *args: Any, **fields: Any) -> Any:
            raise RuntimeError("out of order")

    told, _ = await run(tmp_path, ASKED, [call("get_forecast", {"city": "Bergen"}), ("say", "I could not look it up.")], guard=Broken())
    assert not ran and "could not be checked" in results(told[1])


# LANG-3: where no transcript is kept, the guard's own tools hold, it is waited for once, and the log says so.
async def test_without_a_transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("countersign.claude.WAIT", 0.05)
    forecast = {"name": "mcp__desk__get_forecast", "parameters": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}
    before = hooks(Guard(tools=[forecast]))["PreToolUse"][0].hooks[0]

    async def ask(arguments: dict[str, Any]) -> Any:
        event = {"transcript_path": str(tmp_path / "none.jsonl"), "tool_name": forecast["name"], "tool_input": arguments, "tool_use_id": "t"}
        return (await before(event, "t", None)).get("hookSpecificOutput", {})

    assert (await ask({"days": 3}))["permissionDecision"] == "deny"
    assert (await ask({"city": "Bergen", "days": "3"}))["updatedInput"] == {"city": "Bergen", "days": 3}
    assert [record.message for record in caplog.records if "no list of tools" in record.message] == [caplog.records[0].message]
