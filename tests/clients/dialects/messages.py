"""Anthropic messages."""

import json

from .wire import event, history_fault, split

FINISH = {"stop": "end_turn", "calls": "tool_use", "length": "max_tokens"}


def read(body: dict) -> tuple[list[str], str]:
    results, steps = [], []
    for message in body.get("messages", []):
        blocks = message.get("content")
        blocks = blocks if isinstance(blocks, list) else []
        found = [block for block in blocks if block.get("type") == "tool_result"]
        results.extend(flat(block.get("content")) for block in found)
        steps.extend(("result", block.get("tool_use_id")) for block in found)
        steps.append(("turn", ""))
        steps.extend(("call", block.get("id")) for block in blocks if block.get("type") == "tool_use")
    return results, history_fault(steps)


def flat(content) -> str:
    if isinstance(content, list):
        return "".join(block.get("text", "") for block in content)
    return content or ""


def whole(answer, stamp: str) -> dict:
    content = [{"type": "text", "text": "".join(answer.text)}] if answer.text else []
    content.extend(used(call, stamp, at) | {"input": read_input(call)} for at, call in enumerate(answer.calls))
    return head(answer, stamp) | {
        "content": content,
        "stop_reason": FINISH[answer.finish],
        "usage": usage(answer),
        "upstream_note": "kept",
    }


def read_input(call):
    """Arguments that are no JSON stand as a text, as compatible servers hand them on."""
    try:
        return json.loads(call.arguments)
    except ValueError:
        return call.arguments


def pieces(answer, stamp: str, body: dict):
    start = usage(answer) | {"output_tokens": 1}
    yield named("message_start", message=head(answer, stamp) | {"content": [], "stop_reason": None, "usage": start})
    yield named("ping")
    place = 1 if answer.shape == "from-one" else 0
    if answer.text:
        yield named("content_block_start", index=place, content_block={"type": "text", "text": ""})
        for at, piece in enumerate(answer.text):
            if answer.fault == "error" and at == 3:
                yield named("error", error={"type": "overloaded_error", "message": "the model broke"})
                return
            yield named("content_block_delta", index=place, delta={"type": "text_delta", "text": piece})
        yield named("content_block_stop", index=place)
        place += 1
    for at, call in enumerate(answer.calls):
        yield named("content_block_start", index=place + at, content_block=used(call, stamp, at) | {"input": {}})
        parts = split(call.arguments)
        for part in parts[: len(parts) // 2] if answer.fault == "cut" else parts:
            yield named("content_block_delta", index=place + at, delta={"type": "input_json_delta", "partial_json": part})
        if answer.fault == "cut":
            return
        yield named("content_block_stop", index=place + at)
    ended = {"stop_reason": FINISH[answer.finish], "stop_sequence": None}
    yield named("message_delta", delta=ended, usage={"output_tokens": answer.usage[1]})
    yield named("message_stop")


def failure(failure) -> dict:
    return {"type": "error", "error": {"type": failure.kind, "message": failure.message}}


def used(call, stamp: str, at: int) -> dict:
    return {"type": "tool_use", "id": f"toolu_{stamp}_{at}", "name": call.name}


def head(answer, stamp: str) -> dict:
    return {"id": f"msg_{stamp}", "type": "message", "role": "assistant", "model": "scripted", "stop_sequence": None}


def usage(answer) -> dict:
    return {"input_tokens": answer.usage[0], "output_tokens": answer.usage[1]}


def named(name: str, **data) -> bytes:
    return event({"type": name} | data, name)
