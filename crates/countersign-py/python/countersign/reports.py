"""What the engine says, as objects: attributes for programs, `.json()` for the very line that every other face writes."""

from __future__ import annotations

import json
from typing import Any, Iterator, Literal, Mapping, TypeVar

Status = Literal["approved", "caution", "requires_review", "rejected", "validation_failed"]
R = TypeVar("R", bound="Report")


class Report(Mapping[str, Any]):
    """A JSON object whose members are attributes. Read-only; parsed when it is first looked at."""

    _parts: dict[str, type[Report]] = {}

    __slots__ = ("_text", "_members")

    def __init__(self, text: str | None = None, members: dict[str, Any] | None = None) -> None:
        self._text = text
        self._members = members

    def json(self) -> str:
        """The report as one line of JSON, byte for byte as the command line writes it."""
        if self._text is None:
            self._text = json.dumps(self._members, ensure_ascii=False, separators=(",", ":"))
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries and lists; yours to change."""
        return json.loads(self.json())

    def _read(self) -> dict[str, Any]:
        if self._members is None:
            self._members = json.loads(self._text or "{}")
        return self._members

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            if name in type(self).__annotations__:
                return None
            raise AttributeError(f"{type(self).__name__} has no `{name}`") from None

    def __getitem__(self, name: str) -> Any:
        return _wrap(type(self)._parts.get(name), self._read()[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.json()})"

    def __eq__(self, other: object) -> bool:
        return self._read() == (other._read() if isinstance(other, Report) else other)

    __hash__ = None  # type: ignore[assignment]


def _wrap(kind: type[Report] | None, value: Any) -> Any:
    if kind is None:
        return value
    if isinstance(value, list):
        return [_wrap(kind, item) for item in value]
    return kind(members=value) if isinstance(value, dict) else value


class Call(Report):
    """A tool call."""

    id: str | None
    name: str
    arguments: Any


class Correction(Report):
    """How a finding is mended: a JSON Patch on the call, and whether it was applied."""

    note: str
    patch: list[dict[str, Any]]
    applied: bool


class Finding(Report):
    """What a check found: a stable code, a place, a sentence for people and, where there is one, a fix."""

    code: str
    layer: str
    severity: Literal["error", "warning", "info"]
    confidence: float
    pointer: str
    evidence: str
    correction: Correction | None
    mode: str | None  # None is `enforce`

    _parts = {"correction": Correction}


class Verdict(Report):
    """The verdict on a call. `call` is the call to run, mended where that was certain; None where nothing may run."""

    id: Any
    status: Status
    action: str
    score: float
    findings: list[Finding]
    shadow: list[Finding] | None
    call: Call | None
    feedback: str | None
    explanation: str
    unanswered: list[Any] | None

    _parts = {"call": Call, "findings": Finding, "shadow": Finding}

    @property
    def allowed(self) -> bool:
        """Whether `call` may run."""
        return self.status in ("approved", "caution")

    @property
    def needs_review(self) -> bool:
        """Whether a person decides."""
        return self.status == "requires_review"


class Verification(Report):
    """What is known of a result."""

    id: Any
    is_suspicious: bool
    confidence: float
    checks_passed: int
    total_checks: int
    concerns: list[str]
    recommendations: list[str]
    findings: list[Finding]

    _parts = {"findings": Finding}


class Sentence(Report):
    """A sentence of an answer, in bytes, and how far its context supports it."""

    start: int
    end: int
    support: float


class Assessment(Report):
    """How far an answer can be trusted. `overall` is its name inside a step."""

    id: Any
    overall_confidence: float
    overall: float | None
    recommendation: Literal["high_confidence", "medium_confidence", "low_confidence", "manual_review"]
    signals: dict[str, float]
    absent: list[str]
    sentences: list[Sentence]
    rationale: str

    _parts = {"sentences": Sentence}


class Validation(Report):
    """What a step says of its call."""

    is_valid: bool
    confidence: float
    validated_params: dict[str, Any]
    warnings: list[str]
    corrections: dict[str, Any]
    suggestion: str | None
    hallucinations: list[dict[str, Any]]


class Step(Report):
    """A call, its result and the answer, judged together."""

    id: Any
    status: Status
    action: str
    explanation: str
    tool_name: str
    score: float
    findings: list[Finding]
    feedback: str | None
    validation: Validation
    verification: Verification | None
    confidence: Assessment | None
    warnings: list[str] | None
    suggestion: str | None

    _parts = {"findings": Finding, "validation": Validation, "verification": Verification, "confidence": Assessment}


class Answer(Report):
    """An answer, examined on the conversation that it ends."""

    status: Status
    score: float
    findings: list[Finding]
    confidence: Assessment

    _parts = {"findings": Finding, "confidence": Assessment}

    @property
    def faults(self) -> list[Finding]:
        """What is held against it: enforced, and more than a remark."""
        return [found for found in self.findings if found.mode in (None, "enforce") and found.severity != "info"]


class Repair(Report):
    """What had to be mended in an output, and where, in bytes."""

    code: str
    at: int
    end: int
    note: str
    before: str
    after: str
    confidence: float


class Reading(Report):
    """What a model wrote: text, calls, and what had to be mended."""

    id: Any
    text: str
    remaining_text: str
    messages: list[dict[str, Any]]
    calls: list[Call]
    value: Any
    tags: list[dict[str, Any]] | None
    complete: bool
    unfinished: list[Any] | None
    repairs: list[Repair]
    findings: list[Finding] | None

    _parts = {"calls": Call, "repairs": Repair, "findings": Finding}


class Claim(Report):
    """A claim and where it stands, in bytes and in UTF-16 units."""

    start: int
    end: int
    utf16_start: int
    utf16_end: int
    text: str
    kind: str
    type: str
    value: dict[str, Any] | None
    language: str
    status: Literal["pending", "verified", "disputed", "unverifiable"]
    verified: bool
    verify_note: str | None


class Claims(Report):
    """A message with its claims."""

    id: Any
    content: str
    needs_verify: bool
    claims: list[Claim]

    _parts = {"claims": Claim}
