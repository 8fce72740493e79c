"""An agent loop with a real, small and unstable model behind the gateway: chat and messages, streamed and whole.

    python loop.py COUNTERSIGN MODEL_PYTHON MODEL.gguf TURNS

It fails where a request hangs, a stream does not end properly, or a call arrives that `countersign check` refuses.
It says nothing about how clever the model is. `DIRECT=1` leaves the gateway out and only counts.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "clients"))

from run import clean_environment, start_gateway, stop  # noqa: E402  (the same starting and stopping as the client tests)
from wire import ask  # noqa: E402

LANES = [(dialect, way) for dialect in ("chat", "messages") for way in ("whole", "stream")]
STEPS = 3
REFUSED = ("requires_review", "rejected", "validation_failed")


def main() -> int:
    program, python, weights, turns = sys.argv[1:5]
    started: list[subprocess.Popen] = []
    direct = os.environ.get("DIRECT") == "1"
    with tempfile.TemporaryDirectory(prefix="countersign-llm-") as work:
        try:
            upstream = start_model(python, weights, started)
            base = upstream if direct else start_gateway(program, upstream, Path(work), clean_environment(), started)
            counts, failures = run_turns(program, base, int(turns), direct)
        finally:
            for process in reversed(started):
                stop(process)
    table(counts)
    for failure in failures:
        print(f"FAILED {failure}")
    return 1 if failures else 0


def start_model(python: str, weights: str, started: list) -> str:
    command = [python, str(Path(__file__).parent / "model.py"), weights]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, text=True, **pipes)
    started.append(process)
    for line in process.stdout:
        if line.startswith("listening on "):
            return line.split()[-1]
    raise SystemExit("the model did not start")


def run_turns(program: str, base: str, turns: int, direct: bool) -> tuple[dict, list[str]]:
    counts = {lane: collections.Counter() for lane in LANES}
    failures: list[str] = []
    for turn in range(turns):
        lane = LANES[turn % len(LANES)]
        began = time.monotonic()
        try:
            failures += one_turn(program, base, lane, turn, counts[lane], direct)
        except Exception as error:
            failures.append(f"turn {turn}, {' '.join(lane)}: {type(error).__name__}: {error}")
        counts[lane]["turns"] += 1
        counts[lane]["seconds"] += time.monotonic() - began
    return counts, failures


def one_turn(program: str, base: str, lane: tuple, turn: int, count, direct: bool) -> list[str]:
    """One question: the model is asked, its calls are run, and asked again, a few steps long."""
    dialect, way = lane
    failures = []
    history = [{"role": "user", "content": QUESTIONS[turn % len(QUESTIONS)]}]
    for step in range(STEPS):
        reply = ask(base, dialect, way, request(dialect, history) | {"seed": turn * 10 + step, "temperature": 0.6})
        count["requests"] += 1
        count["errors"] += bool(reply.error)
        tally(base, reply, count, direct)
        if not reply.calls:
            count["text"] += not reply.error
            break
        verdicts = [check(program, history, call, dialect) for call in reply.calls]
        count["calls"] += len(verdicts)
        bad = [verdict for verdict in verdicts if verdict.get("status") in REFUSED or "error" in verdict]
        count["bad calls"] += len(bad)
        if bad and not direct:
            failures.append(f"turn {turn}, {dialect} {way}: a call arrived that is refused: {json.dumps(bad[0])[:500]}")
        history = history + answered(dialect, reply)
    return failures


def request(dialect: str, history: list) -> dict:
    """The system prompt and two examples go before every question: without them this model seldom calls at all."""
    body = {"model": "smollm2", "tools": tools(dialect), "max_tokens": 120}
    if dialect == "chat":
        return body | {"messages": [{"role": "system", "content": SYSTEM}, *EXAMPLES, *history]}
    return body | {"messages": [*EXAMPLES, *history], "system": SYSTEM}


def check(program: str, history: list, call: dict, dialect: str) -> dict:
    line = {"id": "again", "tools": tools(dialect), "messages": request(dialect, history)["messages"], "call": call}
    done = subprocess.run([program, "check"], input=json.dumps(line) + "\n", capture_output=True, text=True, timeout=30)
    return json.loads(done.stdout.splitlines()[0]) if done.stdout else {"error": done.stderr}


def tally(base: str, reply, count, direct: bool) -> None:
    """What the gateway did, as its own verdicts tell."""
    for verdict in [] if direct else reply.verdicts:
        with urllib.request.urlopen(f"{base}/v1/verdicts/{verdict}", timeout=10) as answer:
            told = json.load(answer)
        count["verdicts"] += 1
        count["corrected"] += max(0, int(told.get("attempts") or 1) - 1)
        count["refused"] += told.get("status") in REFUSED
        for finding in found(told):
            if (finding.get("correction") or {}).get("applied"):
                count[f"mended {finding['code']}"] += 1


def found(value) -> list[dict]:
    """Every finding in a verdict, wherever it stands."""
    if isinstance(value, list):
        return [finding for item in value for finding in found(item)]
    if not isinstance(value, dict):
        return []
    here = [value] if "code" in value and "severity" in value else []
    return here + [finding for item in value.values() for finding in found(item)]


def answered(dialect: str, reply) -> list:
    if dialect == "chat":
        calls = [{"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": c["arguments"]}} for c in reply.calls]
        results = [{"role": "tool", "tool_call_id": c["id"], "content": RESULTS.get(c["name"], "no such tool")} for c in reply.calls]
        return [{"role": "assistant", "content": reply.text, "tool_calls": calls}, *results]
    text = [{"type": "text", "text": reply.text}] if reply.text else []
    used = [{"type": "tool_use", "id": c["id"], "name": c["name"], "input": json.loads(c["arguments"] or "{}")} for c in reply.calls]
    results = [{"type": "tool_result", "tool_use_id": c["id"], "content": RESULTS.get(c["name"], "no such tool")} for c in reply.calls]
    return [{"role": "assistant", "content": text + used}, {"role": "user", "content": results}]


def tools(dialect: str) -> list[dict]:
    if dialect == "chat":
        return [{"type": "function", "function": {"name": n, "description": d, "parameters": s}} for n, d, s in TOOLS]
    return [{"name": n, "description": d, "input_schema": s} for n, d, s in TOOLS]


def table(counts: dict) -> None:
    columns = ["turns", "requests", "calls", "bad calls", "verdicts", "corrected", "refused", "text", "errors"]
    print(f"{'lane':<18}" + "".join(f"{column:>11}" for column in columns) + f"{'seconds':>11}")
    for lane, count in counts.items():
        print(f"{' '.join(lane):<18}" + "".join(f"{count[column]:>11}" for column in columns) + f"{count['seconds']:>11.1f}")
    kinds = collections.Counter()
    for count in counts.values():
        kinds.update({name: number for name, number in count.items() if name.startswith("mended ")})
    for kind, number in kinds.most_common():
        print(f"{kind}: {number}")


def schema(required: list[str], **properties) -> dict:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


TEXT = {"type": "string"}
TOOLS = [
    ("get_weather", "The weather in a city.", schema(["city", "unit"], city=TEXT, unit=TEXT | {"enum": ["celsius", "fahrenheit"]})),
    ("add_numbers", "Adds two numbers.", schema(["a", "b"], a={"type": "integer"}, b={"type": "integer"})),
    ("search_notes", "Searches the notes.", schema(["query"], query=TEXT, limit={"type": "integer", "minimum": 1, "maximum": 20})),
]
RESULTS = {"get_weather": "18 degrees, light rain", "add_numbers": "42", "search_notes": "one note: buy milk"}
SYSTEM = (
    "You may call functions. To call one, answer with nothing but "
    '<tool_call>{"name": "NAME", "arguments": {...}}</tool_call>. '
    "Functions: get_weather(city, unit), add_numbers(a, b), search_notes(query, limit)."
)
EXAMPLES = [
    {"role": "user", "content": "What is the weather in Madrid, in fahrenheit?"},
    {"role": "assistant", "content": '<tool_call>{"name": "get_weather", "arguments": {"city": "Madrid", "unit": "fahrenheit"}}</tool_call>'},
    {"role": "user", "content": "What is 3 plus 4?"},
    {"role": "assistant", "content": '<tool_call>{"name": "add_numbers", "arguments": {"a": 3, "b": 4}}</tool_call>'},
]
QUESTIONS = [
    "What is the weather in Paris, in celsius? Use get_weather.",
    "Add 10 and 32 with the tool add_numbers.",
    "Search my notes for milk, at most 5 of them.",
    "Is it warmer in Oslo or in Rome? Look both up in celsius.",
    "How many apples are 17 apples and 25 apples? Use a tool.",
    "Say hello.",
]


if __name__ == "__main__":
    sys.exit(main())
