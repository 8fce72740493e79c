"""The engine in Python: the same JSON as every other face, errors that say where, threads side by side."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import get_type_hints

import countersign
import pytest
from countersign import Guard, Parser, Policy, PolicyError, Report, RequestError

WEATHER = {
    "name": "get_weather",
    "description": "Get the weather forecast of a city.",
    "parameters": {
        "type": "object",
        "required": ["city"],
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 7}},
    },
}
ASKED = [{"role": "user", "content": "What will the weather be in Bergen for the next 3 days?"}]


def line(name: str, arguments: object) -> dict:
    return {"id": 7, "tools": [WEATHER], "messages": ASKED, "call": {"name": name, "arguments": arguments}}


LINES = {
    "check": [line("getWeather", {"city": "Bergen", "days": "3"}), line("get_weather", {"days": 3}), line("launch", {})],
    "verify": [{"call": {"name": "get_weather", "arguments": {"city": "Bergen"}}, "result": {"content": {"error": "no such city"}}}],
    "score": [{"response": "It may rain in Bergen.", "question": "Will it rain?", "context": ["Bergen: rain, 9 degrees"]}],
    "step": [{**line("get_weather", {"city": "Bergen"}), "tool_output": {"text": "rain, 9 degrees"}, "model_response": "Rain at 9 degrees."}],
    "parse": [{"input": '<tool_call>{"name": "get_weather", "arguments": {"city": "Bergen",}}</tool_call>', "tools": [WEATHER]}],
    "claims": [{"text": "Sales grew by 25% to $3.5 billion in 2024. 销售额增长。"}],
}


# LANG-1: one law. What Python says is byte for byte what the command line says.
@pytest.mark.parametrize("face", LINES)
def test_the_same_bytes_as_the_command_line(face: str) -> None:
    lines = [json.dumps(body, ensure_ascii=False) for body in LINES[face]]
    program = os.environ["COUNTERSIGN_BIN"]
    done = subprocess.run([program, face, "--format", "jsonl"], input="\n".join(lines), capture_output=True, text=True)
    assert done.stdout.splitlines() == [getattr(Guard(), face)(text).json() for text in lines], done.stderr


# LANG-1
def test_a_verdict_is_an_object_with_attributes() -> None:
    verdict = Guard(tools=[WEATHER]).check(call={"name": "getWeather", "arguments": '{"city": "Bergen", "days": "3"}'}, messages=ASKED)
    assert verdict.status == "caution" and verdict.allowed and not verdict.needs_review
    assert verdict.call is not None and (verdict.call.name, verdict.call.arguments) == ("get_weather", {"city": "Bergen", "days": 3})
    assert verdict.findings and all(found.code and found.evidence for found in verdict.findings)
    assert verdict.to_dict() == json.loads(verdict.json()) == dict(verdict.to_dict())
    with pytest.raises(AttributeError, match="has no `colour`"):
        verdict.colour
    refused = Guard(tools=[WEATHER]).check(call={"name": "get_weather", "arguments": {}})
    assert refused.call is None and refused.feedback and "city" in refused.feedback


# LANG-1: every member of every report is declared, so that an editor and a type checker know it.
@pytest.mark.parametrize("face", LINES)
def test_reports_are_typed(face: str) -> None:
    for body in LINES[face]:
        assert_typed(getattr(Guard(), face)(body))


def assert_typed(value: object) -> None:
    if isinstance(value, Report):
        assert set(value) <= set(get_type_hints(type(value))), type(value)
        for name in value:
            assert_typed(value[name])
    elif isinstance(value, list):
        for item in value:
            assert_typed(item)


# LANG-1: an ordinary call passes as it came.
def test_a_right_call_is_approved() -> None:
    verdict = Guard(tools=[WEATHER]).check(call={"name": "get_weather", "arguments": {"days": 3, "city": "Bergen"}}, messages=ASKED)
    assert verdict.status == "approved" and not verdict.findings
    assert list(verdict.call.arguments) == ["days", "city"]


# LANG-1
def test_errors_say_what_was_wrong_and_where() -> None:
    with pytest.raises(RequestError, match="needs a `call`") as caught:
        countersign.check({})
    assert caught.value.param == "call"
    with pytest.raises(RequestError, match="at column 8$"):
        countersign.check('{"call":')
    with pytest.raises(RequestError, match="`request` is not JSON"):
        countersign.check(call={"name": "x", "arguments": {"when": object()}})
    with pytest.raises(RequestError, match="not both"):
        countersign.check("{}", id=1)
    with pytest.raises(RequestError, match="strict, moderate or lenient"):
        Guard(level="hard")
    with pytest.raises(PolicyError) as wrong:
        Policy('[checks]\nschema = "loud"\n')
    assert (wrong.value.line, wrong.value.column) == (2, 10)


# LANG-1
def test_a_policy_decides() -> None:
    policy = Policy('[[rules]]\nname = "closed"\ntools = ["get_weather"]\neffect = "deny"\nreason = "the forecast is closed"\n')
    verdict = Guard(tools=[WEATHER], policy=policy).check(call={"name": "get_weather", "arguments": {"city": "Bergen"}}, messages=ASKED)
    assert verdict.status == "rejected" and "the forecast is closed" in verdict.explanation


# LANG-1
def test_an_output_is_read_while_it_comes() -> None:
    output = 'Let me look.<tool_call>{"name": "get_weather", "arguments": {"city": "Bergen",}}</tool_call>'
    parser = Parser(tools=[WEATHER])
    events = [event for letter in output for event in parser.push(letter)] + parser.finish("stop")
    assert [event["type"] for event in events if event["type"].startswith("call")] == ["call_start", "call_end"]
    whole = countersign.parse(input=output, tools=[WEATHER], finish_reason="stop")
    assert parser.reading is not None and parser.reading.json() == whole.json()
    assert whole.calls[0].arguments == {"city": "Bergen"}
    with pytest.raises(RequestError, match="finished"):
        parser.push("more")


# LANG-1: answers are held against what was done.
def test_an_answer_is_examined() -> None:
    guard = Guard(tools=[{"name": "send_email", "description": "Send an email.", "parameters": {"type": "object", "properties": {"to": {"type": "string"}}}}])
    asked = [{"role": "user", "content": "Send the minutes to Ingrid."}]
    said = guard.answer(messages=asked, response="I have sent the email to Ingrid.")
    assert said is not None and said.faults, said
    assert guard.answer(messages=asked, response="") is None


# LANG-1
def test_threads_judge_side_by_side() -> None:
    guard = Guard(tools=[WEATHER])
    body = json.dumps(line("getWeather", {"city": "Bergen", "days": "3"}))
    with ThreadPoolExecutor(8) as pool:
        assert len({verdict.json() for verdict in pool.map(lambda _: guard.check(body), range(200))}) == 1


# LANG-1: the interpreter is free while the engine works: another thread goes on.
def test_judging_releases_the_interpreter() -> None:
    ticks, over = [], threading.Event()

    def tick() -> None:
        while not over.wait(0.001):
            ticks.append(time.perf_counter())

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        began, ended = work_for(0.05)
    finally:
        over.set()
        ticker.join()
    # With the interpreter held there is a tick at each edge at most, however long the call takes.
    inside = [at for at in ticks if began < at < ended]
    assert len(inside) >= 5, f"{len(inside)} ticks in {ended - began:.3f} s"


def work_for(seconds: float) -> tuple[float, float]:
    """When one call of the engine that takes so long began and ended; a fast build gets more to read."""
    for size in (1, 4, 16, 64, 256):
        text = json.dumps({"text": "Sales grew by 25% to $3.5 billion in 2024, said the report. " * size * 1000})
        began = time.perf_counter()
        countersign.claims(text)
        ended = time.perf_counter()
        if ended - began > seconds:
            return began, ended
    raise AssertionError("no text is long enough to show anything")


# LANG-1: the program comes with the package.
def test_the_program_is_installed() -> None:
    import sysconfig

    program = os.path.join(sysconfig.get_path("scripts"), "countersign")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert countersign.__version__ in said
