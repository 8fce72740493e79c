"""One request in the chat or the messages dialect, whole or streamed, read strictly: a stream must end as its dialect says."""

import http.client
import json
from dataclasses import dataclass, field
from urllib.parse import urlsplit

DEADLINE = 120


class BadEnding(Exception):
    """A stream that just stopped, or said something after its end."""


@dataclass
class Reply:
    text: str = ""
    calls: list[dict] = field(default_factory=list)  # id, name, arguments as text
    finish: str = ""
    verdicts: list[str] = field(default_factory=list)
    error: str = ""


def ask(base: str, dialect: str, way: str, body: dict) -> Reply:
    url = urlsplit(base)
    path = "/v1/chat/completions" if dialect == "chat" else "/v1/messages"
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=DEADLINE)
    try:
        headers = {"content-type": "application/json", "anthropic-version": "2023-06-01", "authorization": "Bearer none"}
        connection.request("POST", path, json.dumps(body | {"stream": way == "stream"}), headers)
        response = connection.getresponse()
        verdict = response.getheader("countersign-verdict")
        data = response.read().decode()
    finally:
        connection.close()
    if response.status != 200:
        return Reply(error=f"{response.status} {data[:300]}")
    read = {("chat", "whole"): chat_whole, ("messages", "whole"): messages_whole}
    read |= {("chat", "stream"): chat_stream, ("messages", "stream"): messages_stream}
    reply = read[dialect, way](json.loads(data) if way == "whole" else events(data))
    reply.verdicts += [verdict] if verdict else []
    reply.verdicts += [line.split()[2] for line in data.splitlines() if line.startswith(": countersign-verdict ")]
    reply.verdicts = list(dict.fromkeys(reply.verdicts))
    return reply


def events(data: str) -> list:
    """The data of each event; `[DONE]` stays a text."""
    found = []
    for block in data.replace("\r\n", "\n").split("\n\n"):
        lines = [line[5:].strip() for line in block.split("\n") if line.startswith("data:")]
        if lines:
            found.append("[DONE]" if lines == ["[DONE]"] else json.loads("\n".join(lines)))
    return found


def chat_whole(body: dict) -> Reply:
    choice = body["choices"][0]
    calls = [{"id": call["id"], **call["function"]} for call in choice["message"].get("tool_calls") or []]
    return Reply(choice["message"].get("content") or "", calls, choice["finish_reason"])


def chat_stream(events: list) -> Reply:
    reply, calls = Reply(), {}
    for event in events:
        if event == "[DONE]":
            continue
        if "error" in event:
            reply.error = json.dumps(event["error"])
        for choice in event.get("choices", []):
            reply.text += choice["delta"].get("content") or ""
            reply.finish = choice.get("finish_reason") or reply.finish
            for delta in choice["delta"].get("tool_calls") or []:
                call = calls.setdefault(delta["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] += delta.get("id") or ""
                call["name"] += delta.get("function", {}).get("name") or ""
                call["arguments"] += delta.get("function", {}).get("arguments") or ""
    if not reply.error and (not events or events[-1] != "[DONE]" or not reply.finish):
        raise BadEnding(f"a chat stream ended with {events[-1:]} and finish {reply.finish!r}")
    reply.calls = list(calls.values())
    return reply


def messages_whole(body: dict) -> Reply:
    text = "".join(block.get("text", "") for block in body["content"])
    calls = [block for block in body["content"] if block["type"] == "tool_use"]
    calls = [{"id": call["id"], "name": call["name"], "arguments": json.dumps(call["input"])} for call in calls]
    return Reply(text, calls, body["stop_reason"])


def messages_stream(events: list) -> Reply:
    reply, calls, ended = Reply(), {}, False
    for event in events:
        kind = event["type"]
        if ended:
            raise BadEnding(f"{kind} after message_stop")
        if kind == "error":
            reply.error = json.dumps(event["error"])
        elif kind == "content_block_start" and event["content_block"]["type"] == "tool_use":
            block = event["content_block"]
            calls[event["index"]] = {"id": block["id"], "name": block["name"], "arguments": ""}
        elif kind == "content_block_delta":
            reply.text += event["delta"].get("text", "")
            if "partial_json" in event["delta"]:
                calls[event["index"]]["arguments"] += event["delta"]["partial_json"]
        elif kind == "message_delta":
            reply.finish = event["delta"].get("stop_reason") or ""
        ended = kind == "message_stop"
    if not reply.error and not (ended and reply.finish):
        raise BadEnding(f"a messages stream ended with {events[-1:]} and finish {reply.finish!r}")
    reply.calls = list(calls.values())
    return reply
