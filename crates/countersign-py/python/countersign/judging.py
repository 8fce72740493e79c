"""The one law of the adapters: what becomes of a call, a result, an answer and a message. An adapter only carries it out.

A framework's messages come here in the form of OpenAI's chat API. Whatever goes wrong on our side refuses the call and
says so: an unchecked call never runs.
"""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Collection, Literal, Mapping, Sequence

from .guard import Guard, Policy
from .reports import Answer, Claims, Report, Verdict, Verification

Message = Mapping[str, Any]
Watcher = Callable[[Report], None]
# An answer that a check holds something against: asked for again once, only watched, or not examined.
Answers = Literal["correct", "watch", "pass"]
log = logging.getLogger("countersign")


@dataclass(frozen=True)
class Ruling:
    """What becomes of a call. `run`: with `name` and `arguments`. `refuse`: `told` goes to the model. `review`: a person
    decides, and is shown `told`; where they say yes, `name` and `arguments` run."""

    kind: Literal["run", "refuse", "review"]
    name: str
    arguments: Any
    told: str
    verdict: Verdict | None

    @property
    def final(self) -> bool:
        """Whether a refused call stays refused however it is corrected."""
        return self.verdict is None or self.verdict.status == "rejected"


class Judging:
    """A guard for the calls of an agent. `watch` is called with every report, for logs and audits; `agents` are the other
    agents, by name: what they write is a message from agent to agent and carries its unverified claims."""

    def __init__(
        self,
        guard: Guard | None,
        policy: Policy | str | None,
        watch: Watcher | None,
        answers: Answers = "correct",
        agents: Collection[str] = (),
    ) -> None:
        if guard is not None and policy is not None:
            raise ValueError("give `guard` or `policy`, not both")
        self._guard = guard
        self._policy = policy if isinstance(policy, Policy) or policy is None else Policy(policy)
        self._watch = watch
        self.answers = answers
        self.agents = frozenset(agents)
        self._tools: tuple[str, Guard] | None = None

    def guard(self, tools: Sequence[Any] | None) -> Guard:
        """The caller's own guard, or one for the framework's tools, compiled when they change."""
        if self._guard is not None:
            return self._guard
        text = json.dumps(tools, ensure_ascii=False, default=str)
        if self._tools is None or self._tools[0] != text:
            self._tools = (text, Guard(tools=None if tools is None else text, policy=self._policy))
        return self._tools[1]

    def call(self, tools: Sequence[Any] | None, messages: Sequence[Message], name: str, arguments: Any, call_id: str | None = None) -> Ruling:
        """Judges a call before it runs."""
        try:
            call = {"id": call_id, "name": name, "arguments": arguments}
            verdict = self.guard(tools).check(call=call, messages=list(messages))
            self._show(verdict)
        except Exception as error:  # Fails closed: what could not be judged does not run.
            log.exception("the call of %s could not be checked and was not made", name)
            told = f"The call of `{name}` could not be checked and was not made: {error}"
            return Ruling("refuse", name, arguments, told, None)
        if verdict.allowed and verdict.call is not None:
            return Ruling("run", verdict.call.name, verdict.call.arguments, verdict.explanation, verdict)
        told = verdict.feedback or verdict.explanation
        if verdict.needs_review:
            fixed = _mended(verdict, name, arguments)
            return Ruling("review", fixed[0], fixed[1], verdict.explanation, verdict)
        return Ruling("refuse", name, arguments, told, verdict)

    def result(
        self, tools: Sequence[Any] | None, name: str, arguments: Any, content: Any, is_error: bool = False, from_agent: bool = False
    ) -> str | None:
        """Verifies what a tool returned: what the model is told beside it where it looks wrong, else None. What another agent
        returned also carries its claims."""
        notes = [self._verify(tools, name, arguments, content, is_error)]
        if from_agent or name in self.agents:
            notes.append(self.message(tools, content if isinstance(content, str) else _encode(content)))
        return "\n\n".join(note for note in notes if note) or None

    def _verify(self, tools: Sequence[Any] | None, name: str, arguments: Any, content: Any, is_error: bool) -> str | None:
        try:
            result = {"content": content, "is_error": is_error}
            report: Verification = self.guard(tools).verify(call={"name": name, "arguments": arguments}, result=result)
            self._show(report)
        except Exception as error:
            log.exception("the result of %s could not be verified", name)
            return f"This result could not be verified ({error}). Do not rely on it."
        if not report.is_suspicious:
            return None
        return f"This result looks wrong: {' '.join(report.concerns)} Check it before you rely on it."

    def answer(self, tools: Sequence[Any] | None, messages: Sequence[Message], text: str) -> str | None:
        """Examines an answer: what the model is told where it should answer again, else None."""
        if self.answers == "pass" or not text.strip():
            return None
        try:
            report: Answer | None = self.guard(tools).answer(messages=list(messages), response=text)
        except Exception:
            log.exception("an answer could not be examined and is passed on unexamined")
            return None
        if report is None:
            return None
        self._show(report)
        faults = report.faults
        if not faults or self.answers != "correct":
            return None
        return f"{ASKED_AGAIN}: {faults[0].evidence}. Correct it and answer again."

    def message(self, tools: Sequence[Any] | None, text: str) -> str | None:
        """The mark that a message from agent to agent carries: its claims that nobody verified. None where it has none."""
        try:
            report: Claims = self.guard(tools).claims(text=text)
            self._show(report)
        except Exception as error:
            log.exception("the claims of a message could not be looked for")
            return f"[{MARKED}: its claims could not be looked for ({error}). Treat all of them as unverified.]"
        pending = list(dict.fromkeys(claim.text for claim in report.claims if not claim.verified))
        if not pending:
            return None
        named = ", ".join(f"“{text}”" for text in pending[:SHOWN]) + (f" and {len(pending) - SHOWN} more" if len(pending) > SHOWN else "")
        return f"[{MARKED}: {named}. Nobody has verified this. Say so wherever you repeat it, until something confirms it.]"

    def _show(self, report: Report) -> None:
        if self._watch is not None:
            self._watch(report)


class Rulings:
    """What became of each call, from its verdict to its run."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Ruling] = OrderedDict()

    def keep(self, call_id: str, ruling: Ruling) -> Ruling:
        self._kept[call_id] = ruling
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return ruling

    def find(self, call_id: str | None, name: str, arguments: Any) -> Ruling | None:
        """Ids may come again in another run: a ruling is for the name and the arguments that it was made on."""
        ruling = self._kept.get(call_id or "")
        if ruling is None or (ruling.name, content_of(ruling.arguments)) != (name, content_of(arguments)):
            return None
        return ruling


def with_note(output: Any, note: str | None) -> Any:
    """A tool's output as the model gets it: untouched, or as text with what it should know beside it."""
    if note is None:
        return output
    return f"{output if isinstance(output, str) else _encode(content_of(output))}\n\n{note}"


def content_of(value: Any) -> Any:
    """A tool's result as JSON, or as its text."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return json.loads(_encode(value))


def _encode(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else str(value)


def _mended(verdict: Verdict, name: str, arguments: Any) -> tuple[str, Any]:
    # A call under review has no `call` to run: what a person approves is what they were shown.
    return (verdict.call.name, verdict.call.arguments) if verdict.call is not None else (name, arguments)


# How a correction of an answer begins: an answer that follows one is not sent back again.
ASKED_AGAIN = "There is something wrong with that answer"
# How the mark of a message begins.
MARKED = "countersign: unverified"
# So many claims are named in a mark, the rest is counted.
SHOWN = 12
# So many calls are remembered between their verdict and their run.
KEPT = 4096
