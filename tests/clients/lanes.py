"""The official SDKs behind one small surface: a lane is one SDK, one dialect, streamed or whole.

A lane asks once and gives what the client got; it mends nothing, so that what is wrong on the wire stays wrong here.
"""

import json
from dataclasses import dataclass, field
from functools import cache

import anthropic
import openai

import toolbox


@dataclass
class Outcome:
    text: str
    calls: list[tuple[str, str, object]]  # id, name, arguments as read, or as text where they cannot be read
    finish: str
    usage: tuple[int, int] | None
    turn: list = field(default_factory=list)  # what goes into the history
    raw: object = None

    def wanted(self) -> list[tuple[str, object]]:
        return [(name, arguments) for _, name, arguments in self.calls]


class Chat:
    tools = staticmethod(toolbox.chat_tools)

    def __init__(self, kind: str):
        self.kind, self.name = kind, f"chat-{kind}"

    def client(self, base: str, **more):
        return openai.OpenAI(base_url=f"{base}/v1", api_key="test-key", **{"max_retries": 0, "timeout": 20} | more)

    def ask(self, base: str, model: str, history: list, client=None, **more) -> Outcome:
        client = client or usual(type(self), base)
        about = {"model": model, "messages": history, "tools": self.tools()} | more
        if self.kind == "whole":
            completion = client.chat.completions.create(**about)
        else:
            with client.chat.completions.stream(**about, stream_options={"include_usage": True}) as stream:
                for _ in stream:
                    pass
                completion = stream.get_final_completion()
        choice = completion.choices[0]
        calls = [(call.id, call.function.name, read(call.function.arguments)) for call in choice.message.tool_calls or []]
        turn = {"role": "assistant", "content": choice.message.content}
        if calls:
            turn["tool_calls"] = [
                {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
                for id, name, arguments in calls
            ]
        usage = completion.usage and (completion.usage.prompt_tokens, completion.usage.completion_tokens)
        return Outcome(choice.message.content or "", calls, choice.finish_reason, usage, [turn], completion)

    def texts(self, base: str, model: str, client=None):
        """The pieces of a streamed text, as they come."""
        stream = (client or usual(type(self), base)).chat.completions.create(model=model, messages=self.begin(), stream=True)
        with stream:
            for chunk in stream:
                if chunk.choices and chunk.choices[0].delta.content:
                    yield chunk.choices[0].delta.content

    def begin(self) -> list:
        return [{"role": "user", "content": toolbox.PROMPT}]

    def results(self, results: list[tuple[str, str]]) -> list:
        return [{"role": "tool", "tool_call_id": id, "content": content} for id, content in results]


class Responses(Chat):
    tools = staticmethod(toolbox.responses_tools)

    def __init__(self, kind: str):
        self.kind, self.name = kind, f"responses-{kind}"

    def ask(self, base: str, model: str, history: list, client=None, **more) -> Outcome:
        client = client or usual(type(self), base)
        about = {"model": model, "input": history, "tools": self.tools()} | more
        if self.kind == "whole":
            response = client.responses.create(**about)
        else:
            with client.responses.stream(**about) as stream:
                for event in stream:
                    raise_failed(event)
                response = stream.get_final_response()
        calls = [(item.call_id, item.name, read(item.arguments)) for item in response.output if item.type == "function_call"]
        usage = response.usage and (response.usage.input_tokens, response.usage.output_tokens)
        turn = [item.model_dump(exclude={"parsed_arguments", "status"}, exclude_none=True) for item in response.output]
        return Outcome(response.output_text, calls, response.status, usage, turn, response)

    def texts(self, base: str, model: str, client=None):
        with (client or usual(type(self), base)).responses.create(model=model, input=toolbox.PROMPT, stream=True) as stream:
            for event in stream:
                raise_failed(event)
                if event.type == "response.output_text.delta":
                    yield event.delta

    def results(self, results: list[tuple[str, str]]) -> list:
        return [{"type": "function_call_output", "call_id": id, "output": content} for id, content in results]


class Messages:
    tools = staticmethod(toolbox.messages_tools)

    def __init__(self, kind: str):
        self.kind, self.name = kind, f"messages-{kind}"

    def client(self, base: str, **more):
        return anthropic.Anthropic(base_url=base, api_key="test-key", **{"max_retries": 0, "timeout": 20} | more)

    def ask(self, base: str, model: str, history: list, client=None, **more) -> Outcome:
        client = client or usual(type(self), base)
        about = {"model": model, "messages": history, "tools": self.tools(), "max_tokens": 500} | more
        if self.kind == "whole":
            message = client.messages.create(**about)
        else:
            with client.messages.stream(**about) as stream:
                for _ in stream:
                    pass
                message = stream.get_final_message()
        calls = [(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"]
        text = "".join(block.text for block in message.content if block.type == "text")
        usage = (message.usage.input_tokens, message.usage.output_tokens)
        turn = {"role": "assistant", "content": [written(block) for block in message.content]}
        return Outcome(text, calls, message.stop_reason, usage, [turn], message)

    def texts(self, base: str, model: str, client=None):
        about = {"model": model, "messages": self.begin(), "max_tokens": 500}
        with (client or usual(type(self), base)).messages.stream(**about) as stream:
            yield from stream.text_stream

    def begin(self) -> list:
        return [{"role": "user", "content": toolbox.PROMPT}]

    def results(self, results: list[tuple[str, str]]) -> list:
        blocks = [{"type": "tool_result", "tool_use_id": id, "content": content} for id, content in results]
        return [{"role": "user", "content": blocks}]


@cache
def usual(kind: type, base: str):
    """One client for all tests that want nothing special of it; making one costs more than asking."""
    return kind("whole").client(base)


class StreamFailed(Exception):
    """The dialect's own error event: the SDK hands it over as an event and leaves the raising to the application."""


def raise_failed(event) -> None:
    if event.type == "error":
        raise StreamFailed(event.message)


def written(block) -> dict:
    keys = {"text": ["text"], "tool_use": ["id", "name", "input"]}[block.type]
    return {"type": block.type} | {key: getattr(block, key) for key in keys}


def read(arguments: str) -> object:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


LANES = [kind(way) for kind in (Chat, Responses, Messages) for way in ("whole", "stream")]
STREAMED = [lane for lane in LANES if lane.kind == "stream"]
