"""The three dialects, as little of each as a check needs: answers written as text, and what a client reads out of a reply."""

import json

NAMES = ["chat", "responses", "messages"]
PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}
USAGE = {
    "chat": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    "responses": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
    "messages": {"input_tokens": 1, "output_tokens": 1},
}


def body(dialect, model, tools, said="Please do it.", streamed=False, **more):
    """A request; `tools` are `(name, description, parameters)`."""
    message = {"role": "user", "content": said}
    found = {"model": model, "stream": streamed}
    if dialect == "chat":
        found |= {"messages": [message], "tools": [{"type": "function", "function": {"name": n, "description": d, "parameters": p}} for n, d, p in tools]}
    elif dialect == "responses":
        found |= {"input": [message], "tools": [{"type": "function", "name": n, "description": d, "parameters": p} for n, d, p in tools]}
    else:
        found |= {"max_tokens": 100, "messages": [message], "tools": [{"name": n, "description": d, "input_schema": p} for n, d, p in tools]}
    return found | more


def answer(dialect, text="", calls=(), streamed=False):
    """What a provider says: a text, then calls `(name, arguments as text)`. A list of pieces where it is streamed."""
    calls = [(f"call_{at}", name, arguments) for at, (name, arguments) in enumerate(calls)]
    if streamed:
        return STREAMS[dialect](text, calls)
    return WHOLES[dialect](text, calls)


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def chat_whole(text, calls):
    listed = ",".join(f'{{"id":"{i}","type":"function","function":{{"name":{quoted(n)},"arguments":{quoted(a)}}}}}' for i, n, a in calls)
    tool_calls = f',"tool_calls":[{listed}]' if calls else ""
    finish = "tool_calls" if calls else "stop"
    message = f'{{"role":"assistant","content":{quoted(text)}{tool_calls}}}'
    return (
        f'{{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{{"index":0,"message":{message},"finish_reason":"{finish}"}}],'
        f'"usage":{json.dumps(USAGE["chat"])}}}'
    ).encode()


def chat_stream(text, calls):
    frames = [chat_chunk('{"role":"assistant","content":""}')]
    frames += [chat_chunk(f'{{"content":{quoted(piece)}}}') for piece in pieces(text)]
    for at, (i, n, a) in enumerate(calls):
        frames.append(chat_chunk(f'{{"tool_calls":[{{"index":{at},"id":"{i}","type":"function","function":{{"name":{quoted(n)},"arguments":""}}}}]}}'))
        frames.append(chat_chunk(f'{{"tool_calls":[{{"index":{at},"function":{{"arguments":{quoted(a)}}}}}]}}'))
    frames.append(chat_chunk("{}", quoted("tool_calls" if calls else "stop")))
    return frames + [b"data: [DONE]\n\n"]


def chat_chunk(delta, finish="null"):
    return (f'data: {{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}\n\n').encode()


def responses_items(text, calls):
    items = []
    if text:
        items.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]})
    items += [{"type": "function_call", "id": f"fc_{i}", "call_id": i, "name": n, "arguments": a, "status": "completed"} for i, n, a in calls]
    return items


def responses_body(items, status="completed"):
    found = {"id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": "m", "output": items}
    return found | ({"usage": USAGE["responses"]} if status == "completed" else {})


def responses_whole(text, calls):
    return json.dumps(responses_body(responses_items(text, calls)), ensure_ascii=False).encode()


def responses_stream(text, calls):
    return responses_events(responses_items(text, calls))


def responses_events(items):
    """The events of these items, whatever they are."""
    events = [("response.created", {"response": responses_body([], "in_progress")})]
    for at, item in enumerate(items):
        begun = dict(item, status="in_progress")
        if item["type"] == "message":
            text = item["content"][0]["text"]
            events.append(("response.output_item.added", {"output_index": at, "item": dict(begun, content=[])}))
            place = {"item_id": item["id"], "output_index": at, "content_index": 0}
            events.append(("response.content_part.added", place | {"part": {"type": "output_text", "text": "", "annotations": []}}))
            events += [("response.output_text.delta", place | {"delta": piece}) for piece in pieces(text)]
            events.append(("response.output_text.done", place | {"text": text}))
            events.append(("response.content_part.done", place | {"part": item["content"][0]}))
        elif item["type"] == "function_call":
            events.append(("response.output_item.added", {"output_index": at, "item": dict(begun, arguments="")}))
            place = {"item_id": item["id"], "output_index": at}
            events.append(("response.function_call_arguments.delta", place | {"delta": item["arguments"]}))
            events.append(("response.function_call_arguments.done", place | {"arguments": item["arguments"]}))
        else:
            events.append(("response.output_item.added", {"output_index": at, "item": begun}))
        events.append(("response.output_item.done", {"output_index": at, "item": item}))
    events.append(("response.completed", {"response": responses_body(items)}))
    return [
        f"event: {kind}\ndata: {json.dumps({'type': kind, 'sequence_number': at} | data, ensure_ascii=False)}\n\n".encode()
        for at, (kind, data) in enumerate(events)
    ]


def messages_whole(text, calls):
    blocks = ([f'{{"type":"text","text":{quoted(text)}}}'] if text else []) + [
        f'{{"type":"tool_use","id":"{i}","name":{quoted(n)},"input":{a}}}' for i, n, a in calls
    ]
    stop = "tool_use" if calls else "end_turn"
    return (
        f'{{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{",".join(blocks)}],"stop_reason":"{stop}","stop_sequence":null,'
        f'"usage":{json.dumps(USAGE["messages"])}}}'
    ).encode()


def messages_stream(text, calls):
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None, "stop_sequence": None, "usage": USAGE["messages"]}
    events = [("message_start", {"message": start})]
    at = 0
    if text:
        events.append(("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}))
        events += [("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": piece}}) for piece in pieces(text)]
        events.append(("content_block_stop", {"index": 0}))
        at = 1
    for i, n, a in calls:
        events.append(("content_block_start", {"index": at, "content_block": {"type": "tool_use", "id": i, "name": n, "input": {}}}))
        events.append(("content_block_delta", {"index": at, "delta": {"type": "input_json_delta", "partial_json": a}}))
        events.append(("content_block_stop", {"index": at}))
        at += 1
    events.append(("message_delta", {"delta": {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 1}}))
    events.append(("message_stop", {}))
    return [f"event: {kind}\ndata: {json.dumps({'type': kind} | data, ensure_ascii=False)}\n\n".encode() for kind, data in events]


def pieces(text):
    """Pieces of some characters each, as models write."""
    return [text[at : at + 7] for at in range(0, len(text), 7)]


WHOLES = {"chat": chat_whole, "responses": responses_whole, "messages": messages_whole}
STREAMS = {"chat": chat_stream, "responses": responses_stream, "messages": messages_stream}


def read(dialect, reply, streamed):
    """`(text, [(name, arguments as text)])` as a client of the dialect would have them."""
    return (READ_STREAMS if streamed else READ_WHOLES)[dialect](reply)


def data_of(reply):
    for frame in reply.body.decode().replace("\r\n", "\n").split("\n\n"):
        lines = [line[5:].strip() for line in frame.split("\n") if line.startswith("data:")]
        if lines and lines[0] != "[DONE]":
            yield json.loads("\n".join(lines))


def read_chat_whole(reply):
    message = reply.json()["choices"][0]["message"]
    calls = [(c.get("function", c.get("custom", {})).get("name"), c.get("function", {}).get("arguments")) for c in message.get("tool_calls") or []]
    legacy = message.get("function_call")
    return message.get("content") or "", calls + ([(legacy["name"], legacy["arguments"])] if legacy else [])


def read_chat_stream(reply):
    text, calls = "", {}
    for chunk in data_of(reply):
        for choice in chunk.get("choices", []):
            delta = choice.get("delta", {})
            text += delta.get("content") or ""
            listed = delta.get("tool_calls") or []
            for call in [listed] if isinstance(listed, dict) else listed:
                known = calls.setdefault(call.get("index", len(calls)), ["", ""])
                function = call.get("function") or {}
                known[0] += function.get("name") or ""
                known[1] += function.get("arguments") or ""
            if legacy := delta.get("function_call"):
                known = calls.setdefault("legacy", ["", ""])
                known[0] += legacy.get("name") or ""
                known[1] += legacy.get("arguments") or ""
    return text, [tuple(call) for call in calls.values()]


def read_items(items):
    text = "".join(part.get("text", "") for item in items if item["type"] == "message" for part in item["content"])
    calls = [(item.get("name", item["type"]), item.get("arguments", "")) for item in items if item["type"].endswith("_call") and item["type"] != "web_search_call"]
    return text, calls


def read_responses_whole(reply):
    return read_items(reply.json()["output"])


def read_responses_stream(reply):
    text, items = "", []
    for event in data_of(reply):
        if event["type"] == "response.output_text.delta":
            text += event["delta"]
        if event["type"] == "response.output_item.done":
            items.append(event["item"])
    return text, read_items(items)[1]


def read_messages_whole(reply):
    raw = reply.json()["content"]
    text = "".join(block["text"] for block in raw if block["type"] == "text")
    return text, [(block["name"], json.dumps(block["input"])) for block in raw if block["type"] == "tool_use"]


def read_messages_stream(reply):
    text, calls = "", {}
    for event in data_of(reply):
        if event["type"] == "content_block_start" and event["content_block"]["type"] == "tool_use":
            calls[event["index"]] = [event["content_block"]["name"], ""]
        if event["type"] == "content_block_delta":
            text += event["delta"].get("text", "")
            if "partial_json" in event["delta"]:
                calls[event["index"]][1] += event["delta"]["partial_json"]
    return text, [tuple(call) for call in calls.values()]


READ_WHOLES = {"chat": read_chat_whole, "responses": read_responses_whole, "messages": read_messages_whole}
READ_STREAMS = {"chat": read_chat_stream, "responses": read_responses_stream, "messages": read_messages_stream}
