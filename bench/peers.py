"""The same 7-property nested call checked by what people use today: µs a check, valid and invalid, best of many."""
import json, time

VALID = {"title": "Budget review", "start": "2026-11-20T10:00:00Z", "minutes": 45, "visibility": "private", "reminder": True, "guests": ["Ann", "Ben"], "place": {"city": "Oslo", "room": "Fjord"}}
INVALID = {"title": 7, "start": "tomorrow", "minutes": 5000, "visibility": "secret", "reminder": "yes", "guests": "Ann", "place": {"town": "Oslo"}}
SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"}, "start": {"type": "string", "format": "date-time"},
        "minutes": {"type": "integer", "minimum": 1, "maximum": 1440}, "visibility": {"type": "string", "enum": ["public", "private"]},
        "reminder": {"type": "boolean"}, "guests": {"type": "array", "items": {"type": "string"}},
        "place": {"type": "object", "properties": {"city": {"type": "string"}, "room": {"type": "string"}}, "required": ["city"], "additionalProperties": False},
    },
    "required": ["title", "start", "minutes"], "additionalProperties": False,
}


def best(run, rounds=15):
    began = time.perf_counter(); run(); once = max(time.perf_counter() - began, 1e-7)
    count = max(1, min(20000, int(0.02 / once)))
    def round_():
        began = time.perf_counter()
        for _ in range(count): run()
        return (time.perf_counter() - began) / count
    return min(round_() for _ in range(rounds)) * 1e6


def show(name, valid, invalid):
    print(f"{name:34} {best(valid):>10.2f} {best(invalid):>10.2f}")


def pydantic_peer():
    from datetime import datetime
    from typing import Literal
    from pydantic import BaseModel, ConfigDict, Field, ValidationError
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
    def run(value):
        try: Event.model_validate(value)
        except ValidationError as error: error.errors()
    show("pydantic", lambda: run(VALID), lambda: run(INVALID))


def jsonschema_rs_peer():
    import jsonschema_rs
    validator = jsonschema_rs.Draft202012Validator(SCHEMA, validate_formats=True)
    show("jsonschema-rs, all errors", lambda: list(validator.iter_errors(VALID)), lambda: list(validator.iter_errors(INVALID)))


def guardrails_peer():
    import os
    os.environ.setdefault("OTEL_SDK_DISABLED", "true")
    from guardrails import Guard
    from pydantic import BaseModel
    class Place(BaseModel):
        city: str
        room: str | None = None
    class Event(BaseModel):
        title: str
        start: str
        minutes: int
        visibility: str | None = None
        reminder: bool | None = None
        guests: list[str] | None = None
        place: Place | None = None
    guard = Guard.for_pydantic(Event)
    show("guardrails-ai Guard.parse", lambda: guard.parse(json.dumps(VALID), num_reasks=0), lambda: guard.parse(json.dumps(INVALID), num_reasks=0))


print(f"{'peer':34} {'valid':>10} {'invalid':>10}")
for peer in (pydantic_peer, jsonschema_rs_peer, guardrails_peer):
    try:
        peer()
    except Exception as error:
        print(f"{peer.__name__}: could not be measured: {type(error).__name__}: {str(error)[:120]}")
