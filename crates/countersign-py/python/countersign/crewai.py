"""CrewAI: every tool call of every crew checked and mended before it runs, by CrewAI's own hooks.

    guard()                       # once, before crews are made
    crew.kickoff()

- CrewAI's points carry the names of AGENT-HOOKS-0.1 and are hooks of its own, so this adapter is one of its own, too.
- A call that may run runs with its arguments mended in place. A hook cannot rename a call: a misspelt name is refused with
  the name that was meant.
- A refused call is blocked, and the feedback takes the place of CrewAI's fixed sentence.
- A call that needs a person asks on the console (`request_human_input`), or asks the `approve` that you give.
- A result that looks wrong, and the unverified claims of a coworker, reach the model with a note.
- An answer that says what was not done aborts the crew with `HookAborted` (`answers="watch"` only reports).
- CrewAI swallows what a hook raises and goes on; whatever fails in here blocks the call.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Callable, Collection

from crewai.hooks import HookAborted, InterceptionPoint, register_hook, unregister_hook
from crewai.utilities.string_utils import sanitize_tool_name

from .guard import Guard, Policy
from .judging import Answers, Judging, Watcher, content_of, log, with_note

# Decides on a call that needs a person: CrewAI's own context, and why it is asked.
Approve = Callable[[Any, str], bool]


def guard(
    guard: Guard | None = None,
    *,
    policy: Policy | str | None = None,
    answers: Answers = "correct",
    agents: Collection[str] = ("delegate_work_to_coworker", "ask_question_to_coworker"),
    approve: Approve | None = None,
    watch: Watcher | None = None,
) -> Callable[[], None]:
    """Checks the calls, results and answers of all crews; gives a function that ends it. `agents` are tools that ask other
    agents: CrewAI's own for coworkers, and yours."""
    desk = _Desk(Judging(guard, policy, watch, answers, agents), approve or _ask_on_the_console)
    points = {
        InterceptionPoint.PRE_MODEL_CALL: desk.before_model,
        InterceptionPoint.PRE_TOOL_CALL: desk.before_tool,
        InterceptionPoint.POST_TOOL_CALL: desk.after_tool,
        InterceptionPoint.OUTPUT: desk.output,
    }
    for point, hook in points.items():
        register_hook(point, hook)

    def remove() -> None:
        for point, hook in points.items():
            unregister_hook(point, hook)

    return remove


class _Desk:
    def __init__(self, judging: Judging, approve: Approve) -> None:
        self._judging = judging
        self._approve = approve
        # The conversation of each agent, as its model was last asked, and of the one that was asked last.
        self._said: OrderedDict[Any, list[Any]] = OrderedDict()
        self._last: list[Any] = []
        # What the model is told of a blocked call, by the arguments that CrewAI hands from hook to hook.
        self._told: dict[int, str] = {}

    def before_model(self, context: Any) -> None:
        self._last = self._said[_key(context.agent)] = [message for message in context.messages if isinstance(message, dict)]
        while len(self._said) > OPEN:
            self._said.popitem(last=False)

    def before_tool(self, context: Any) -> None:
        try:
            told = self._decide(context)
        except Exception as error:  # CrewAI would go on as if nothing had been said.
            log.exception("the call of %s could not be checked and was not made", context.tool_name)
            told = f"The call of `{context.tool_name}` could not be checked and was not made: {error}"
        if told is not None:
            self._told[id(context.tool_input)] = told
            raise HookAborted(reason=told, source="countersign")

    def _decide(self, context: Any) -> str | None:
        """What the model is told where the call must not run; its arguments are mended where they stand."""
        ruling = self._judging.call(_tools(context), self._said.get(_key(context.agent), []), context.tool_name, dict(context.tool_input))
        if ruling.kind == "refuse":
            return ruling.told
        if ruling.kind == "review" and not self._approve(context, ruling.told):
            return f"A person refused this call of `{context.tool_name}`. Do not try it again."
        if ruling.name != context.tool_name:
            return f"The call of `{context.tool_name}` was not made: call `{ruling.name}`."
        if ruling.arguments != context.tool_input:
            context.tool_input.clear()
            context.tool_input.update(ruling.arguments)
        return None

    def after_tool(self, context: Any) -> str | None:
        told = self._told.pop(id(context.tool_input), None)
        if told is not None:
            return told
        note = self._judging.result(_tools(context), context.tool_name, context.tool_input, content_of(context.tool_result or ""))
        return None if note is None else with_note(context.tool_result or "", note)

    def output(self, context: Any) -> None:
        told = self._judging.answer(None, self._last, str(getattr(context.payload, "raw", context.payload) or ""))
        if told is not None:
            raise HookAborted(reason=told, source="countersign")


def _ask_on_the_console(context: Any, why: str) -> bool:
    try:
        return context.request_human_input(prompt=why, default_message="Type 'approve' to let the call run:").strip().lower() == "approve"
    except EOFError:
        # Nobody is there.
        return False


def _key(agent: Any) -> Any:
    return getattr(agent, "id", None) or id(agent)


def _tools(context: Any) -> list[Any] | None:
    """The agent's tools, as its model was shown them, with the one that is called: CrewAI adds some of its own."""
    known = {}
    for tool in [*(getattr(context.agent, "tools", None) or []), *([context.tool] if context.tool is not None else [])]:
        name = sanitize_tool_name(tool.name)
        known[name] = {"name": name, "description": tool.description, "parameters": tool.args_schema.model_json_schema()}
    return list(known.values()) or None


# The conversations of so many agents are remembered.
OPEN = 1024
