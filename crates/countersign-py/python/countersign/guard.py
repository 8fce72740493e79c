"""The guard: tools and a policy, compiled once, and what may be asked of them."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Mapping, Sequence

from . import _engine
from ._engine import RequestError
from .reports import Answer, Assessment, Claims, Reading, Step, Verdict, Verification

Json = Any


class Policy:
    """The rules, as TOML. What is wrong in it is told at once, with its line."""

    def __init__(self, toml: str = "") -> None:
        self.toml = toml
        self.version: str = _engine.check_policy(toml)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Policy:
        """Reads a policy file."""
        return cls(Path(path).read_text(encoding="utf-8"))

    def __repr__(self) -> str:
        return f"Policy(version={self.version!r})"


class Guard:
    """Judges calls, results and answers. Safe to share between threads; judging releases the interpreter.

    `tools` are definitions in the form of OpenAI, Anthropic or MCP: a list, or JSON. `policy` is a `Policy`, TOML, or a
    `Path`. `context` is what is known of the caller; a request's own words win over all of these.
    """

    def __init__(
        self,
        tools: Sequence[Json] | Mapping[str, Json] | str | None = None,
        policy: Policy | str | os.PathLike[str] | None = None,
        *,
        context: Mapping[str, Json] | None = None,
        language: str | None = None,
        level: str | None = None,
        verification_level: str | None = None,
    ) -> None:
        self.policy = policy if isinstance(policy, Policy) else _read_policy(policy)
        self._engine = _engine.Engine(
            self.policy.toml if self.policy else None,
            None if tools is None else write(tools, "tools"),
            None if context is None else write(context, "context"),
            language,
            level,
            verification_level,
        )

    def check(self, request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Verdict:
        """Judges a call before it runs: `call`, and `messages`, `tools`, `context`, `level`, `id` as they are known."""
        return Verdict(self._engine.check(_line(request, fields)))

    def verify(self, request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Verification:
        """Verifies what a tool returned: `call` and `result`."""
        return Verification(self._engine.verify(_line(request, fields)))

    def score(self, request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Assessment:
        """How far an answer can be trusted: `response`, with `question`, `context`, `logprobs`, `samples`."""
        return Assessment(self._engine.score(_line(request, fields)))

    def step(self, request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Step:
        """Judges a call, its result and the answer together: `call`, `tool_output`, `model_response`."""
        return Step(self._engine.step(_line(request, fields)))

    def answer(self, request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Answer | None:
        """Examines the answer that ends a conversation: `messages` and `response`. None where it is empty or too long."""
        text = self._engine.answer(_line(request, fields))
        return None if text is None else Answer(text)

    def parse(self, request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Reading:
        """What a model wrote: `input` or `chunks`, with `protocol`, `schema`, `finish_reason`."""
        return Reading(self._engine.parse(_line(request, fields)))

    def claims(self, request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Claims:
        """What a message claims and nobody has verified: `text`."""
        return Claims(self._engine.claims(_line(request, fields)))

    def parser(self, protocol: str = "auto", *, schema: Json = None, tools: Json = None) -> Parser:
        """Begins to read an output piece by piece."""
        return Parser(self, protocol, schema=schema, tools=tools)


class Parser:
    """Reads a model's output while it comes. Any split of the output gives the same reading."""

    def __init__(self, guard: Guard | None = None, protocol: str = "auto", *, schema: Json = None, tools: Json = None) -> None:
        engine = (guard or _standard())._engine
        schema = None if schema is None else write(schema, "schema")
        self._parser = engine.parser(protocol, schema, None if tools is None else write(tools, "tools"))
        self.reading: Reading | None = None

    def push(self, piece: str) -> list[dict[str, Json]]:
        """Takes the next piece; gives the events that are certain by now, each with its `type`."""
        return json.loads(self._parser.push(piece))

    def finish(self, reason: str | None = None) -> list[dict[str, Json]]:
        """Nothing more comes: the last events. `reading` then is the whole."""
        events, reading = self._parser.finish(reason)
        self.reading = Reading(reading)
        return json.loads(events)


def check(request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Verdict:
    """`Guard.check` by the policy that ships."""
    return _standard().check(request, **fields)


def verify(request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Verification:
    """`Guard.verify` by the policy that ships."""
    return _standard().verify(request, **fields)


def score(request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Assessment:
    """`Guard.score` by the policy that ships."""
    return _standard().score(request, **fields)


def step(request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Step:
    """`Guard.step` by the policy that ships."""
    return _standard().step(request, **fields)


def parse(request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Reading:
    """`Guard.parse` by the policy that ships."""
    return _standard().parse(request, **fields)


def claims(request: Mapping[str, Json] | str | None = None, /, **fields: Json) -> Claims:
    """`Guard.claims` by the policy that ships."""
    return _standard().claims(request, **fields)


@lru_cache(maxsize=1)
def _standard() -> Guard:
    return Guard()


def write(value: Json, name: str) -> str:
    """JSON text of a value, or the value itself where it is text."""
    if isinstance(value, str):
        return value
    try:
        return _encode(value)
    except (TypeError, ValueError) as error:
        raise _request_error(f"`{name}` is not JSON: {error}", name) from None


def _line(request: Mapping[str, Json] | str | None, fields: Mapping[str, Json]) -> str:
    if request is None:
        return write(fields, "request")
    if not fields:
        return write(request, "request")
    if isinstance(request, str):
        raise _request_error("give one JSON text, or fields, not both", None)
    return write({**request, **fields}, "request")


def _request_error(message: str, param: str | None) -> RequestError:
    error = RequestError(message)
    error.param = param
    return error


def _read_policy(policy: str | os.PathLike[str] | None) -> Policy | None:
    if policy is None:
        return None
    return Policy(policy) if isinstance(policy, str) else Policy.read(policy)


# Numbers that JSON does not have are refused here, where the caller can be told.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
