"""What a check costs from Python: over the engine itself, and beside pydantic and jsonschema-rs on the same call. Microseconds, best of many rounds in which
all take turns; fails where Python adds more than 5 µs to the engine.
"""

import json
import sys
import time
from datetime import datetime
from typing import Literal

import jsonschema_rs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from countersign import Guard, _engine

PROMISE = 5.0
# Short rounds find the moments in which nothing else runs.
ROUNDS, SECONDS = 400, 0.001
VALID = {"title": "Budget review", "start": "2026-11-20T10:00:00Z", "minutes": 45, "visibility": "private", "reminder": True, "guests": ["Ann", "Ben"], "place": {"city": "Oslo", "room": "Fjord"}}
INVALID = {"title": 7, "start": "tomorrow", "minutes": 5000, "visibility": "secret", "reminder": "yes", "guests": "Ann", "place": {"town": "Oslo"}}
SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "start": {"type": "string", "format": "date-time"},
        "minutes": {"type": "integer", "minimum": 1, "maximum": 1440},
        "visibility": {"type": "string", "enum": ["public", "private"]},
        "reminder": {"type": "boolean"},
        "guests": {"type": "array", "items": {"type": "string"}},
        "place": {"type": "object", "properties": {"city": {"type": "string"}, "room": {"type": "string"}}, "required": ["city"], "additionalProperties": False},
    },
    "required": ["title", "start", "minutes"],
    "additionalProperties": False,
}


class Place(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    city: str
    room: str | None = None


class Event(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str
    start: datetime
    minutes: int = Field(ge=1, le=1440)
    visibility: Literal["public", "private"] | None = None
    reminder: bool | None = None
    guests: list[str] | None = None
    place: Place | None = None


def pydantic(arguments):
    try:
        Event.model_validate(arguments)
    except ValidationError as error:
        error.errors()


def contenders(arguments):
    """By name, something that checks once, or a function that gives the seconds of one check."""
    guard = Guard(tools=[{"name": "create_event", "description": "Create an event.", "parameters": SCHEMA}])
    call = {"name": "create_event", "arguments": arguments}
    line = json.dumps({"call": call}, separators=(",", ":"))
    validator = jsonschema_rs.Draft202012Validator(SCHEMA, validate_formats=True)
    return {
        "engine": lambda times: _engine.time_check(guard._engine, line, times),
        "text": repeated(lambda: guard.check(line)),
        "status": repeated(lambda: guard.check(line).status),
        "dict": repeated(lambda: guard.check(call=call).status),
        "pydantic": repeated(lambda: pydantic(arguments)),
        "jsonschema-rs": repeated(lambda: list(validator.iter_errors(arguments))),
    }


def repeated(work):
    def time_it(times):
        began = time.perf_counter()
        for _ in range(times):
            work()
        return (time.perf_counter() - began) / times

    return time_it


def measure(arguments):
    all_of_them = contenders(arguments)
    times = {name: max(1, int(SECONDS / max(run(20), 1e-7))) for name, run in all_of_them.items()}
    best = dict.fromkeys(all_of_them, float("inf"))
    for _ in range(ROUNDS):
        for name, run in all_of_them.items():
            best[name] = min(best[name], run(times[name]))
    return {name: seconds * 1e6 for name, seconds in best.items()}


ROWS = [
    ("engine", "the engine itself: JSON text in, verdict as JSON text out"),
    ("text", "countersign, JSON text in, verdict as an object"),
    ("status", "the same, and its status read (the verdict is parsed)"),
    ("dict", "countersign, dicts in, status read"),
    ("pydantic", "pydantic (schema only)"),
    ("jsonschema-rs", "jsonschema-rs, all errors (schema only)"),
]

valid, invalid = measure(VALID), measure(INVALID)
print(f"| µs a check | valid | invalid | over the engine, valid | to pydantic, valid |\n|---|---|---|---|---|")
for name, what in ROWS:
    print(f"| {what} | {valid[name]:.1f} | {invalid[name]:.1f} | {valid[name] - valid['engine']:+.1f} | {valid[name] / valid['pydantic']:.1f}x |")
added = max(valid["text"] - valid["engine"], invalid["text"] - invalid["engine"])
print(f"\nPython adds {added:.1f} µs to a check (promise: at most {PROMISE:.0f})")
sys.exit(added > PROMISE)
