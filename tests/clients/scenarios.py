"""What the scripted model answers, in no dialect: texts, calls and faults, chosen by the model's name.

A model's name is `SCENARIO` or `SCENARIO.anything`; what follows the dot keeps the requests of two tests apart.
The answers never look at who asks: a gateway between client and upstream changes nothing here.
"""

from dataclasses import dataclass, field


@dataclass
class Call:
    name: str
    arguments: str  # as the model wrote it, which need not be JSON


@dataclass
class Answer:
    text: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    finish: str = "stop"  # stop, calls or length
    pause: float = 0.0  # seconds before each piece of a stream
    shape: str = "proper"  # proper, no-index, from-one, repeated: how the deltas of calls are written
    fault: str = ""  # cut: the connection ends in the middle; error: the stream says so in the middle
    usage: tuple[int, int] = (11, 7)


@dataclass
class Failure:
    """An answer that is an error, in the dialect's own form."""

    status: int
    code: str
    kind: str
    message: str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Asked:
    """What a scenario may look at: how often this model was asked, and what the tools answered so far."""

    attempt: int
    results: list[str]
    history_fault: str  # what a strict provider would refuse in the history, else nothing

    def ran(self) -> list[str]:
        """The results of tools that ran, as the tests' tools write them; the others are corrections and errors."""
        return [result for result in self.results if "degrees" in result or "sum is" in result]


def answer(model: str, asked: Asked) -> Answer | Failure:
    scenario = SCENARIOS.get(model.split(".")[0])
    if scenario is None:
        return Failure(404, "model_not_found", "not_found_error", f"no model is named {model}")
    return scenario(asked)


def done(asked: Asked) -> Answer:
    return Answer(text=["Done: ", "; ".join(asked.ran()), "."])


def loop(*calls: Call, **more):
    """A whole agent loop: the calls, and once a tool ran, the final answer."""

    def scenario(asked: Asked) -> Answer:
        return done(asked) if asked.ran() else Answer(calls=list(calls), finish="calls", **more)

    return scenario


def missing_field(asked: Asked) -> Answer:
    """Leaves out the unit; once told (a tool result that is no weather), writes it."""
    if asked.ran():
        return done(asked)
    return Answer(calls=[PARIS if asked.results else NO_UNIT], finish="calls")


def one_of_two_missing(asked: Asked) -> Answer:
    """A good call beside a bad one; once told, mends the bad one alone."""
    if asked.ran():
        return done(asked)
    return Answer(calls=[PARIS] if asked.results else [ADD, NO_UNIT], finish="calls")


def stubborn(asked: Asked) -> Answer:
    return Answer(calls=[NO_UNIT], finish="calls")


def stubborn_beside_good(asked: Asked) -> Answer:
    if asked.ran():
        return done(asked)
    return Answer(calls=[NO_UNIT] if asked.results else [ADD, NO_UNIT], finish="calls")


def limited_once(asked: Asked) -> Answer | Failure:
    if asked.attempt == 1:
        headers = {"retry-after-ms": "40", "retry-after": "30"}
        return Failure(429, "rate_limit_exceeded", "rate_limit_error", "too many requests", headers)
    return Answer(text=["Better ", "now."])


def strict_history(asked: Asked) -> Answer | Failure:
    """Refuses, as providers do, a history with orphan calls or orphan results."""
    if asked.history_fault:
        return Failure(400, "invalid_history", "invalid_request_error", asked.history_fault)
    return Answer(text=["The history ", "is sound."])


def failing(status: int, code: str, kind: str, message: str):
    return lambda asked: Failure(status, code, kind, message)


WORDS = ["Rain ", "falls ", "on ", "the ", "plain ", "and ", "stays ", "there ", "for ", "a ", "week."]

PARIS = Call("get_weather", '{"city":"Paris","unit":"celsius"}')
OSLO = Call("get_weather", '{"city":"Oslo","unit":"celsius"}')
ADD = Call("add_numbers", '{"a":10,"b":32}')
NO_UNIT = Call("get_weather", '{"city":"Paris"}')
AS_TEXT = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "unit": "celsius"}}\n</tool_call>'

SCENARIOS = {
    "clean-text": lambda asked: Answer(text=WORDS, pause=0.04),
    "usage": lambda asked: Answer(text=["Counted."], usage=(123, 45)),
    "one-call": loop(PARIS),
    "text-then-call": loop(PARIS, text=["I look ", "it up. "]),
    "parallel-calls": loop(PARIS, OSLO, ADD),
    "misspelt-name": loop(Call("get_wether", PARIS.arguments)),
    "number-as-text": loop(Call("add_numbers", '{"a":"10","b":"32"}')),
    "broken-json": loop(Call("get_weather", "{'city': 'Paris', \"unit\": \"celsius\",}")),
    "missing-field": missing_field,
    "one-of-two-missing": one_of_two_missing,
    "stubborn": stubborn,
    "stubborn-beside-good": stubborn_beside_good,
    "call-as-text": lambda asked: (
        done(asked) if asked.ran() else Answer(text=[AS_TEXT[at : at + 7] for at in range(0, len(AS_TEXT), 7)])
    ),
    "cut-by-length": lambda asked: Answer(calls=[Call("get_weather", '{"city":"Paris","un')], finish="length"),
    "cut-stream": lambda asked: Answer(text=["I look ", "it up. "], calls=[PARIS], finish="calls", fault="cut"),
    "error-in-stream": lambda asked: Answer(text=WORDS, fault="error"),
    "deltas-no-index": loop(PARIS, shape="no-index"),
    "deltas-from-one": loop(PARIS, shape="from-one"),
    "deltas-repeated": loop(PARIS, shape="repeated"),
    "stop-with-call": lambda asked: done(asked) if asked.ran() else Answer(calls=[PARIS], finish="stop"),
    "limited-once": limited_once,
    "limited": failing(429, "rate_limit_exceeded", "rate_limit_error", "too many requests"),
    "bad-request": failing(400, "context_length_exceeded", "invalid_request_error", "the input is too long"),
    "no-key": failing(401, "invalid_api_key", "authentication_error", "this key opens nothing"),
    "broken-server": failing(500, "server_error", "api_error", "something broke"),
    "overloaded": failing(529, "overloaded", "overloaded_error", "too busy"),
    "slow-drip": lambda asked: Answer(text=["drip "] * 300, pause=0.1),
    "strict-history": strict_history,
}
