"""Hosted agents with a real, small and unstable model: concierge, react and rewoo in turn, over sessions and messages.

    python hosted.py COUNTERSIGN MODEL_PYTHON MODEL.gguf TURNS

It fails where a turn does not end in time, a stream has not exactly one terminal event and then `[DONE]`, event numbers
have a hole, or a session is left open. How many turns needed repair, and of which kind, is counted and printed.
"""

import collections
import http.client
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent / "clients"))

from loop import EXAMPLES, QUESTIONS, REFUSED, RESULTS, found, start_model, tools  # noqa: E402  (the same model, tools and questions)
from run import clean_environment, start_gateway, stop  # noqa: E402
from teacher import start_teacher  # noqa: E402

AGENTS = ("concierge", "react", "rewoo")
TURNS_OF_A_SESSION = 4
DEADLINE = 300
TOKENS = 64  # of one answer, at most: this model seldom ends by itself
REMARKS = ("answer_cut", "answer_doubtful", "suspicious_result")  # said of the answer, and nothing was mended
TERMINAL = ("completed", "failed", "stopped", "lost")


class BadStream(Exception):
    """A stream that broke a promise."""


def main() -> int:
    program, python, weights, turns = sys.argv[1:5]
    started: list[subprocess.Popen] = []
    with tempfile.TemporaryDirectory(prefix="countersign-llm-") as work:
        try:
            upstream = start_teacher(start_model(python, weights, started), EXAMPLES, TOKENS)
            base = start_gateway(program, upstream, Path(work), clean_environment(), started)
            told, failures = run_turns(base, int(turns))
            failures += ["the server ended"] if started[-1].poll() is not None else []
        finally:
            for process in reversed(started):
                stop(process)
    tables(told)
    for failure in failures:
        print(f"FAILED {failure}")
    return 1 if failures else 0


def run_turns(base: str, turns: int) -> tuple[list[dict], list[str]]:
    told, failures, sessions = [], [], {}
    for turn in range(turns):
        agent = AGENTS[turn % len(AGENTS)]
        nth = turn // len(AGENTS)
        began = time.monotonic()
        try:
            if nth % TURNS_OF_A_SESSION == 0 or agent not in sessions:
                sessions[agent] = ask(base, "/v1/sessions", {"agent": agent, "tools": tools("chat")})["session_id"]
            events = one_turn(base, sessions[agent], ASKED[agent][nth % len(ASKED[agent])])
            told.append({"agent": agent, "seconds": time.monotonic() - began, **kinds_of(events)})
        except Exception as error:
            failures.append(f"turn {turn}, {agent}: {type(error).__name__}: {error}")
            sessions.pop(agent, None)
        if sys.stderr.isatty() or turn % 10 == 9:
            print(f"{turn + 1} of {turns} turns, {len(failures)} failed", file=sys.stderr, flush=True)
    return told, failures


def one_turn(base: str, session: str, question: str) -> list[dict]:
    """One message, its stream read to the end; calls of our tools are answered and people say no."""
    url, until = urlsplit(base), time.monotonic() + DEADLINE
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=DEADLINE)
    events, done = [], False
    try:
        headers = {"content-type": "application/json"}
        connection.request("POST", f"/v1/sessions/{session}/messages", json.dumps({"content": question}), headers)
        response = connection.getresponse()
        if response.status != 200:
            raise BadStream(f"{response.status} {response.read(300)!r}")
        for line in response:
            if time.monotonic() > until:
                raise BadStream(f"no end after {DEADLINE} s; the last event was {events[-1:]}")
            if not line.startswith(b"data:"):
                continue
            if done:
                raise BadStream(f"something after [DONE]: {line!r}")
            data = line[5:].strip()
            done = data == b"[DONE]"
            if not done:
                events.append(json.loads(data))
                act(base, session, events[-1])
    finally:
        connection.close()
    return ended_well(base, session, events, done)


def act(base: str, session: str, event: dict) -> None:
    payload = event["payload"]
    if event["event_type"] == "tool_call" and payload["run_by"] == "client":
        result = {"call_id": payload["call_id"], "content": RESULTS.get(payload["name"], "no such tool")}
        ask(base, f"/v1/sessions/{session}/tool_results", result)
    if event["event_type"] == "review_required":
        review = f"/v1/reviews/{payload['review_id']}"
        ask(base, f"{review}/reserve", {"reviewer": "test"})
        ask(base, f"{review}/decision", {"decision": "reject", "reason": "not in a test", "reviewer": "test"})


def ended_well(base: str, session: str, events: list[dict], done: bool) -> list[dict]:
    ends = [event["event_type"] for event in events if event["event_type"] in TERMINAL]
    if not done or len(ends) != 1 or events[-1]["event_type"] != ends[0]:
        raise BadStream(f"[DONE]: {done}, terminal events: {ends}, last: {[event['event_type'] for event in events[-3:]]}")
    numbers = [int(event["id"].split(".")[1]) for event in events]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise BadStream(f"event numbers have a hole: {numbers}")
    if ends[0] == "lost" or ask(base, f"/v1/sessions/{session}")["running"]:
        raise BadStream(f"the turn ended as {ends[0]}, and may still run")
    return events


def ask(base: str, path: str, body: dict | None = None) -> dict:
    url = urlsplit(base)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
    try:
        text = None if body is None else json.dumps(body)
        connection.request("GET" if body is None else "POST", path, text, {"content-type": "application/json"})
        response = connection.getresponse()
        data = response.read()
        if response.status >= 300:
            raise BadStream(f"{path}: {response.status} {data[:300]!r}")
        return json.loads(data)
    finally:
        connection.close()


def kinds_of(events: list[dict]) -> dict:
    """What the events tell of a turn: what happened, and what had to be mended."""
    count, repairs, remarks = collections.Counter(), collections.Counter(), collections.Counter()
    for event in events:
        kind, payload = event["event_type"], event["payload"]
        count[kind] += 1
        if kind == "warning":
            (remarks if payload["code"] in REMARKS else repairs)[f"warning {payload['code']}"] += 1
        if kind == "failed":
            repairs[f"failed {payload.get('code') or (payload.get('error') or {}).get('code')}"] += 1
        if kind == "verdict":
            applied = [f["code"] for f in found(payload["verdict"]) if (f.get("correction") or {}).get("applied")]
            repairs.update(f"call mended: {code}" for code in set(applied))
            if payload["status"] in REFUSED:
                repairs["call refused, the model is told why"] += 1
        if kind == "evidence" and payload.get("is_error"):
            repairs["evidence with an error"] += 1
    return {"count": count, "repairs": repairs, "remarks": remarks}


def tables(told: list[dict]) -> None:
    print(f"{'agent':<12}" + "".join(f"{column:>11}" for column in COLUMNS) + f"{'p50 s':>11}{'longest s':>11}")
    for name in (*AGENTS, "all"):
        turns = [turn for turn in told if name in (turn["agent"], "all")]
        count = sum((turn["count"] for turn in turns), collections.Counter({"turns": len(turns)}))
        count["repaired"] = sum(bool(turn["repairs"]) for turn in turns)
        seconds = sorted(turn["seconds"] for turn in turns) or [0.0]
        numbers = "".join(f"{count[column]:>11}" for column in COLUMNS)
        print(f"{name:<12}{numbers}{seconds[len(seconds) // 2]:>11.1f}{seconds[-1]:>11.1f}")
    shares("repairs", told)
    shares("remarks", told)


def shares(what: str, told: list[dict]) -> None:
    """In how many turns there was something of this, by kind."""
    print(f"\n{'share of turns with ' + what:<58}" + "".join(f"{name:>11}" for name in (*AGENTS, "all")))
    kinds = collections.Counter(kind for turn in told for kind in turn[what])
    lines = {"any": lambda turn: bool(turn[what])} | {kind: lambda turn, kind=kind: kind in turn[what] for kind, _ in kinds.most_common()}
    for kind, having in lines.items():
        of = lambda name: [having(turn) for turn in told if name in (turn["agent"], "all")] or [False]
        print(f"{kind:<58}" + "".join(f"{sum(of(name)) / len(of(name)):>11.0%}" for name in (*AGENTS, "all")))


COLUMNS = ["turns", "completed", "failed", "repaired", "verdict", "tool_call", "tool_result", "plan", "evidence", "note"]
ASKED = {
    "concierge": [
        "Write a note named shopping that says: buy milk and bread.",
        "What do you know about Paris?",
        "Hello! What can you do for me?",
        "Keep this as material: the meeting is on Friday at ten.",
        "Please find out how the market did in 2024, and tell me what you found.",
        "我想写一份关于电动汽车的报告，你有什么建议？",
    ],
    "react": [
        *QUESTIONS,
        "Make a note named plan with the content: call the plumber. Use create_note.",
        'Call a function: answer with <tool_call>{"name": "get_weather", "arguments": {"city": "Madrid", "unit": "celsius"}}</tool_call>',
        'Answer with <tool_call>{"name": "add_numbers", "arguments": {"a": "3", "b": 4}}</tool_call> and nothing else.',
    ],
    "rewoo": [
        "What is the weather in Paris, in celsius? Use get_weather.",
        "Add 10 and 32 with the tool add_numbers, and search my notes for the sum.",
        'Write exactly this plan:\nPlan: look it up\n#E1 = get_weather[{"city": "Rome", "unit": "celsius"}]',
        "Which notes do I have? Search them for milk and list them.",
        "Is it warmer in Oslo or in Rome?",
    ],
}


if __name__ == "__main__":
    sys.exit(main())
