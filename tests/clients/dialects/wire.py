"""What the dialects share: server-sent events, arguments in small pieces, and the look at a history."""

import json


def event(data, name: str = "") -> bytes:
    """One event; `name` only where the dialect has `event:` lines."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def split(text: str, size: int = 6) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def history_fault(steps: list[tuple[str, str]]) -> str:
    """Steps are `("call", id)`, `("result", id)` and `("turn", "")` for all else. A call is answered before the next turn."""
    waiting: set[str] = set()
    seen: set[str] = set()
    for kind, name in [*steps, ("turn", "")]:
        if kind == "call" and name in seen:
            return f"the call {name} stands twice in the history"
        if kind == "call":
            waiting.add(name)
            seen.add(name)
        elif kind == "result" and name not in waiting:
            return f"a result for {name} follows no call"
        elif kind == "result":
            waiting.discard(name)
        elif waiting:
            return f"the calls {sorted(waiting)} have no results"
    return ""
