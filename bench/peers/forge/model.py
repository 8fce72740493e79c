"""The scripted model: an OpenAI chat-completions server on loopback that follows the right course of a task and errs at one place.

It reads the conversation as a model does: a step is done when the result of its right call is there. Where it errs `once`, it
makes the right call the next time it is asked; where it errs `always`, it never does at that place. Like the providers' own
servers it refuses a history in which calls and results do not pair.
"""
import json, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import faults


class Script:
    """One case: the task, the fault and its place, and how often the model errs there."""

    def __init__(self, task, fault, place, mode):
        self.task, self.fault, self.place, self.mode = task, fault, place, mode
        self.turns, self.erred, self.exchanges = 0, False, []

    def answer(self, request):
        self.turns += 1
        messages = request["messages"]
        problem = pairing_problem(messages)
        if problem:
            self.exchanges.append((messages, problem))
            return 400, {"error": {"message": problem, "type": "invalid_request_error", "param": "messages", "code": None}}
        answer = self.speak(messages)
        self.exchanges.append((messages, answer))
        return 200, self.completion(request, answer)

    def speak(self, messages):
        results = [text_of(message) for message in messages if message["role"] == "tool"]
        last = len(self.task.calls) - 1
        open_steps = [at for at in range(last) if not any(self.task.results[at] in said for said in results)] + [last]
        step = open_steps[0]
        if self.fault and self.fault.name == "skipped-step":
            return self.skip(step, open_steps, messages)
        if self.place and step == self.place.index and (self.mode == "always" or not self.erred):
            self.erred = True
            return self.fault.answer(self.place)
        return faults.right(faults.Place(self.task, step))

    def skip(self, step, open_steps, messages):
        """A step left out stays out until somebody says something that is neither the task nor an expected result."""
        last = text_of(messages[-1])
        told = messages[-1]["role"] != "user" or self.erred
        told = told and not any(result in last for result in self.task.results[:-1])
        self.erred = self.erred or step == self.place.index
        if step == self.place.index and not (told and self.mode == "once"):
            step = open_steps[1]
        return faults.right(faults.Place(self.task, step))

    def completion(self, request, answer):
        message = {"role": "assistant", "content": answer.content}
        if answer.calls:
            message["tool_calls"] = [self.written(at, call) for at, call in enumerate(answer.calls)]
        finish = answer.finish or ("tool_calls" if answer.calls else "stop")
        return {
            "id": f"chatcmpl-{self.turns}", "object": "chat.completion", "created": 1, "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
        }

    def written(self, at, call):
        written = {"id": call.get("id", f"call_{self.turns}_{at}"), "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
        if written["id"] is None:
            del written["id"]
        return written


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def pairing_problem(messages):
    """What a provider answers with 400: calls without an id, one id twice, calls without a result, results without a call."""
    waiting = set()
    for message in messages:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                return f"a tool message answers {message.get('tool_call_id')!r}, which is not an open call"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"no tool message answers {sorted(waiting)}"
        ids = [call.get("id") for call in message.get("tool_calls") or []]
        if not all(isinstance(identifier, str) and identifier for identifier in ids):
            return "a tool call has no id"
        if len(set(ids)) < len(ids):
            return "two tool calls have one id"
        waiting = set(ids)
    return f"no tool message answers {sorted(waiting)}" if waiting else None


class Model:
    """The server; a request's `model` names the script that answers it."""

    def __init__(self):
        self.scripts = {}
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status, body = model.scripts[request["model"]].answer(request)
                body = json.dumps(body).encode()
                head = f"HTTP/1.1 {status} -\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
                self.wfile.write(head + body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_port}/v1"
