"""OpenAI chat completions."""

from .wire import event, history_fault, split

FINISH = {"stop": "stop", "calls": "tool_calls", "length": "length"}


def read(body: dict) -> tuple[list[str], str]:
    results, steps = [], []
    for message in body.get("messages", []):
        if message.get("role") == "tool":
            results.append(flat(message.get("content")))
            steps.append(("result", message.get("tool_call_id")))
        else:
            steps.append(("turn", ""))
            steps.extend(("call", call.get("id")) for call in message.get("tool_calls") or [])
    return results, history_fault(steps)


def flat(content) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def whole(answer, stamp: str) -> dict:
    message = {"role": "assistant", "content": "".join(answer.text) or None}
    if answer.calls:
        message["tool_calls"] = [named(call, stamp, at) | {"type": "function"} for at, call in enumerate(answer.calls)]
    choice = {"index": 0, "message": message, "finish_reason": FINISH[answer.finish], "logprobs": None}
    return head(stamp, "chat.completion") | {"choices": [choice], "usage": usage(answer), "upstream_note": "kept"}


def pieces(answer, stamp: str, body: dict):
    yield chunk(stamp, {"role": "assistant", "content": ""})
    for at, piece in enumerate(answer.text):
        if answer.fault == "error" and at == 3:
            yield event({"error": {"message": "the model broke", "type": "server_error", "param": None, "code": "model_broke"}})
            return
        yield chunk(stamp, {"content": piece})
    for at, call in enumerate(answer.calls):
        yield from call_deltas(answer, stamp, at, call)
        if answer.fault == "cut":
            return
    yield chunk(stamp, {}, FINISH[answer.finish])
    if (body.get("stream_options") or {}).get("include_usage"):
        yield event(head(stamp, "chat.completion.chunk") | {"choices": [], "usage": usage(answer)})
    yield event("[DONE]")


def call_deltas(answer, stamp: str, at: int, call):
    """Name first, arguments in pieces; the broken shapes are those that servers were seen to write."""
    place = {"no-index": {}, "from-one": {"index": at + 1}}.get(answer.shape, {"index": at})
    full = named(call, stamp, at)
    first = full | {"type": "function", "function": {"name": call.name, "arguments": ""}}
    yield chunk(stamp, {"tool_calls": [place | first]})
    parts = split(call.arguments)
    for part in parts[: len(parts) // 2] if answer.fault == "cut" else parts:
        again = {"id": full["id"], "type": "function"} if answer.shape == "repeated" else {}
        name = {"name": call.name} if answer.shape == "repeated" else {}
        yield chunk(stamp, {"tool_calls": [place | again | {"function": name | {"arguments": part}}]})


def failure(failure) -> dict:
    return {"error": {"message": failure.message, "type": failure.kind, "param": None, "code": failure.code}}


def named(call, stamp: str, at: int) -> dict:
    return {"id": f"call_{stamp}_{at}", "function": {"name": call.name, "arguments": call.arguments}}


def head(stamp: str, kind: str) -> dict:
    return {"id": f"chatcmpl-{stamp}", "object": kind, "created": 1700000000, "model": "scripted"}


def usage(answer) -> dict:
    prompt, completion = answer.usage
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def chunk(stamp: str, delta: dict, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return event(head(stamp, "chat.completion.chunk") | {"choices": [choice]})
