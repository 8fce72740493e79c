"""Countersign: no tool call runs unchecked, no result passes unexamined.

    from countersign import Guard

    guard = Guard(tools=tools)
    verdict = guard.check(call={"name": "getWeather", "arguments": {"city": "Oslo"}}, messages=messages)
    if verdict.allowed:
        run(verdict.call.name, verdict.call.arguments)

The engine is the one of the command line and the gateway, in this process; it does no I/O and needs no server.
"""

from __future__ import annotations

from ._engine import VERSION as __version__
from ._engine import EngineError, PolicyError, RequestError
from .guard import Guard, Parser, Policy, check, claims, parse, score, step, verify
from .reports import (
    Answer,
    Assessment,
    Call,
    Claim,
    Claims,
    Correction,
    Finding,
    Reading,
    Repair,
    Report,
    Sentence,
    Status,
    Step,
    Validation,
    Verdict,
    Verification,
)

__all__ = [
    "Answer",
    "Assessment",
    "Call",
    "Claim",
    "Claims",
    "Correction",
    "EngineError",
    "Finding",
    "Guard",
    "Parser",
    "Policy",
    "PolicyError",
    "Reading",
    "Repair",
    "Report",
    "RequestError",
    "Sentence",
    "Status",
    "Step",
    "Validation",
    "Verdict",
    "Verification",
    "__version__",
    "check",
    "claims",
    "parse",
    "score",
    "step",
    "verify",
]
