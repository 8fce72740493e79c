"""OpenAI responses."""

from .wire import event, history_fault, split


def read(body: dict) -> tuple[list[str], str]:
    results, steps = [], []
    items = body.get("input")
    for item in items if isinstance(items, list) else []:
        if item.get("type") == "function_call_output":
            results.append(flat(item.get("output")))
            steps.append(("result", item.get("call_id")))
        elif item.get("type") == "function_call":
            steps.append(("call", item.get("call_id")))
        else:
            steps.append(("turn", ""))
    return results, history_fault(steps)


def flat(output) -> str:
    if isinstance(output, list):
        return "".join(part.get("text", "") for part in output)
    return output or ""


def whole(answer, stamp: str) -> dict:
    output = [spoken(answer, stamp)] if answer.text else []
    output.extend(called(call, stamp, at, status(answer)) for at, call in enumerate(answer.calls))
    return response(answer, stamp, status(answer), output)


def pieces(answer, stamp: str, body: dict):
    number = iter(range(100000))

    def named(kind: str, /, **data) -> bytes:
        return event({"type": kind, "sequence_number": next(number)} | data, kind)

    yield named("response.created", response=response(answer, stamp, "in_progress", []))
    yield named("response.in_progress", response=response(answer, stamp, "in_progress", []))
    output = []
    if answer.text:
        yield from text_events(named, answer, stamp)
        if answer.fault == "error":
            return
        output.append(spoken(answer, stamp))
    for at, call in enumerate(answer.calls):
        place, item = len(output), called(call, stamp, at, status(answer))
        started = item | {"arguments": "", "status": "in_progress"}
        yield named("response.output_item.added", output_index=place, item=started)
        where = {"output_index": place, "item_id": item["id"]}
        parts = split(call.arguments)
        for part in parts[: len(parts) // 2] if answer.fault == "cut" else parts:
            yield named("response.function_call_arguments.delta", delta=part, **where)
        if answer.fault == "cut":
            return
        yield named("response.function_call_arguments.done", arguments=call.arguments, name=call.name, **where)
        yield named("response.output_item.done", output_index=place, item=item)
        output.append(item)
    ended = status(answer)
    yield named(f"response.{ended}", response=response(answer, stamp, ended, output))


def text_events(named, answer, stamp: str):
    item = spoken(answer, stamp)
    where = {"output_index": 0, "item_id": item["id"], "content_index": 0}
    empty = {"type": "output_text", "text": "", "annotations": []}
    yield named("response.output_item.added", output_index=0, item=item | {"content": [], "status": "in_progress"})
    yield named("response.content_part.added", part=empty, **where)
    for at, piece in enumerate(answer.text):
        if answer.fault == "error" and at == 3:
            yield named("error", code="model_broke", message="the model broke", param=None)
            return
        yield named("response.output_text.delta", delta=piece, logprobs=[], **where)
    yield named("response.output_text.done", text="".join(answer.text), logprobs=[], **where)
    yield named("response.content_part.done", part=item["content"][0], **where)
    yield named("response.output_item.done", output_index=0, item=item)


def failure(failure) -> dict:
    return {"error": {"message": failure.message, "type": failure.kind, "param": None, "code": failure.code}}


def status(answer) -> str:
    return "incomplete" if answer.finish == "length" else "completed"


def spoken(answer, stamp: str) -> dict:
    content = [{"type": "output_text", "text": "".join(answer.text), "annotations": [], "logprobs": []}]
    return {"id": f"msg_{stamp}", "type": "message", "role": "assistant", "status": "completed", "content": content}


def called(call, stamp: str, at: int, state: str) -> dict:
    name = {"call_id": f"call_{stamp}_{at}", "name": call.name, "arguments": call.arguments}
    return {"id": f"fc_{stamp}_{at}", "type": "function_call", "status": state} | name


def response(answer, stamp: str, state: str, output: list) -> dict:
    going = state == "in_progress"
    return {
        "id": f"resp_{stamp}",
        "object": "response",
        "created_at": 1700000000,
        "status": state,
        "model": "scripted",
        "output": output,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if state == "incomplete" else None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": None if going else usage(answer),
        "upstream_note": "kept",
    }


def usage(answer) -> dict:
    prompt, completion = answer.usage
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + completion,
    }
