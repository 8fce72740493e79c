"""Claude Agent SDK: every tool call checked and mended before it runs, by hooks.

    options = ClaudeAgentOptions(mcp_servers={"desk": server}, hooks=hooks())

- The conversation and the tools are those of the session's transcript, which Claude Code keeps.
- A call that may run runs with its arguments mended (`updatedInput`). An approved call is answered with nothing, so that
  the permissions you set up still count. A name that is no tool never reaches a hook: Claude Code refuses it itself.
- A refused call is a `deny` with the feedback.
- A call that needs a person is an `ask`: `can_use_tool` decides; without it nobody is there, and Claude Code refuses.
  `approvals="defer"` ends the run with the call in `deferred_tool_use` instead, to be resumed later.
- A result that looks wrong reaches the model with a note, and so do the unverified claims of a sub-agent.
- An answer that says what was not done is sent back once.
- A callback that fails blocks the call (`on_failure="block"`).

Shell commands and files are judged as every other call; `countersign hook install` adds the rules for coding agents.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from pathlib import Path
from typing import Any, Collection, Literal

from claude_agent_sdk import HookMatcher

from .guard import Guard, Policy
from .judging import MARKED, Answers, Judging, Watcher, content_of, log


def hooks(
    guard: Guard | None = None,
    *,
    policy: Policy | str | None = None,
    answers: Answers = "correct",
    approvals: Literal["ask", "defer"] = "ask",
    agents: Collection[str] = ("Agent", "Task"),
    watch: Watcher | None = None,
) -> dict[Any, list[HookMatcher]]:
    """The hooks that check an agent, for `ClaudeAgentOptions(hooks=…)`. `agents` are tools that ask other agents: the
    SDK's own for sub-agents, and yours."""
    desk = _Desk(Judging(guard, policy, watch, answers, agents), approvals)
    return {
        "PreToolUse": [HookMatcher(hooks=[desk.before_tool], on_failure="block")],
        "PostToolUse": [HookMatcher(hooks=[desk.after_tool])],
        "Stop": [HookMatcher(hooks=[desk.stop])],
    }


class _Desk:
    def __init__(self, judging: Judging, approvals: Literal["ask", "defer"]) -> None:
        self._judging = judging
        self._approvals = approvals
        self._transcripts: OrderedDict[Path, _Transcript] = OrderedDict()

    async def before_tool(self, event: Any, tool_use_id: str | None, context: Any) -> Any:
        name, arguments, call_id = event["tool_name"], event["tool_input"], event["tool_use_id"]
        session = await self._read(event, call_id)
        ruling = self._judging.call(session.tools, session.before(call_id), name, arguments, call_id)
        if ruling.kind == "refuse":
            return _decide(permissionDecision="deny", permissionDecisionReason=ruling.told)
        if ruling.kind == "review":
            return _decide(permissionDecision=self._approvals, permissionDecisionReason=ruling.told)
        # Hooks run side by side and the last rewrite wins: what was not mended is not written again.
        return {} if ruling.arguments == arguments else _decide(updatedInput=ruling.arguments)

    async def after_tool(self, event: Any, tool_use_id: str | None, context: Any) -> Any:
        name, response = event["tool_name"], event["tool_response"]
        session = await self._read(event)
        if name in self._judging.agents and isinstance(response, dict) and response.get("isAsync"):
            note: str | None = f"[{MARKED}: what this agent will report. Say so wherever you repeat it, until something confirms it.]"
        else:
            note = self._judging.result(session.tools, name, event["tool_input"], content_of(_text(response)))
        return {} if note is None else {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": note}}

    async def stop(self, event: Any, tool_use_id: str | None, context: Any) -> Any:
        # Once is enough: an answer that follows our own block is passed on.
        if event.get("stop_hook_active"):
            return {}
        session = await self._read(event)
        told = self._judging.answer(session.tools, session.messages, event.get("last_assistant_message") or "")
        return {} if told is None else {"decision": "block", "reason": told}

    async def _read(self, event: Any, call_id: str | None = None) -> _Transcript:
        """The transcript of who calls, read to its end. Claude Code writes it beside its work, about a tenth of a second late: a
        call is waited for, because before the first one the file is not even there."""
        path = Path(event["transcript_path"])
        if event.get("agent_id"):
            path = path.with_suffix("") / "subagents" / f"agent-{event['agent_id']}.jsonl"
        transcript = self._transcripts.setdefault(path, _Transcript(path))
        self._transcripts.move_to_end(path)
        while len(self._transcripts) > OPEN:
            self._transcripts.popitem(last=False)
        transcript.read()
        for _ in range(0 if call_id is None or transcript.absent else TRIES):
            if transcript.holds(call_id):
                break
            await asyncio.sleep(WAIT / TRIES)
            transcript.read()
        else:
            transcript.tell_unknown(call_id)
        return transcript


class _Transcript:
    """A transcript of Claude Code: a line of JSON a message, and the tools that the model was shown."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0
        self._calls: set[str] = set()
        self.messages: list[dict[str, Any]] = []
        self.tools: list[Any] | None = None
        # No transcript is kept: it is waited for once.
        self.absent = False
        self._told = False

    def holds(self, call_id: str | None) -> bool:
        return call_id in self._calls

    def tell_unknown(self, call_id: str | None) -> None:
        """Says once that the tools are not known, because no transcript holds them."""
        if call_id is None or self.tools is not None or self._told:
            return
        self._told, self.absent = True, not self._path.exists()
        log.warning("no list of tools in %s: without a guard that has tools, arguments are not held against their schemas", self._path)

    def read(self) -> None:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._at)
            new = file.read()
        # The last line may still be on its way.
        whole = new[: new.rfind(b"\n") + 1]
        self._at += len(whole)
        for line in whole.splitlines():
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
        except ValueError:
            return
        kind = entry.get("type") if isinstance(entry, dict) else None
        if kind in ("user", "assistant") and isinstance(entry.get("message"), dict):
            self.messages.append(entry["message"])
            self._calls.update(_calls(entry["message"]))
        elif kind == "api-request-shape":
            self.tools = (entry.get("shape") or {}).get("tools") or self.tools

    def before(self, call_id: str) -> list[dict[str, Any]]:
        """The conversation up to the message that makes this call."""
        for at in range(len(self.messages) - 1, -1, -1):
            if call_id in _calls(self.messages[at]):
                return self.messages[:at]
        return self.messages


def _decide(**fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}


def _calls(message: dict[str, Any]) -> list[Any]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [block.get("id") for block in blocks if isinstance(block, dict) and block.get("type") == "tool_use"]


def _text(response: Any) -> Any:
    """What a tool returned, without the blocks that its text came in."""
    blocks = response.get("content") if isinstance(response, dict) and "content" in response else response
    if isinstance(blocks, list) and blocks and all(isinstance(block, dict) and block.get("type") == "text" for block in blocks):
        return "\n".join(block.get("text", "") for block in blocks)
    return response


# So many sessions are kept open.
OPEN = 64
# A call is waited for so long, in seconds, looking so many times.
WAIT, TRIES = 2.0, 100
