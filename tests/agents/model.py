"""A scripted model on loopback that speaks to three coding agents: Anthropic messages, OpenAI responses and Gemini.

Each answer of the script is ("call", command) or ("say", text). What the agent sends is kept in `told`, so that a test can see what the model was told.
"""

import http.server
import json
import threading


class Model:
    def __init__(self, script):
        self.script = list(script)
        self.told = []
        self.at = 0
        self.lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.reply("application/json", b'{"data": [], "models": []}')

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                try:
                    asked = json.loads(body or b"{}")
                except ValueError:
                    asked = {}
                kind, text = outer.answer(self.path, asked, body.decode("utf-8", "replace"))
                self.reply(kind, text.encode())

            def reply(self, kind, text):
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self, body):
        with self.lock:
            self.told.append(body)
            step = self.script[min(self.at, len(self.script) - 1)]
            self.at += 1
            return step

    def answer(self, path, asked, body):
        if "count_tokens" in path:
            return "application/json", '{"input_tokens": 10}'
        if path.startswith("/v1/messages"):
            return self.messages(asked, body)
        if path.endswith("/responses"):
            return self.responses(body)
        return self.gemini(path, asked, body)

    def messages(self, asked, body):
        # Titles and summaries are asked for without tools.
        kind, text = self.next(body) if asked.get("tools") else ("say", "A title")
        call = {"type": "tool_use", "id": f"toolu_{self.at}", "name": "Bash", "input": {"command": text, "description": "work"}}
        block = call if kind == "call" else {"type": "text", "text": text}
        stop = "tool_use" if kind == "call" else "end_turn"
        usage = {"input_tokens": 10, "output_tokens": 5}
        message = {"id": f"msg_{self.at}", "type": "message", "role": "assistant", "model": asked.get("model", "m"), "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage}
        if not asked.get("stream"):
            return "application/json", json.dumps(message)
        empty = {**call, "input": {}} if kind == "call" else {"type": "text", "text": ""}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call["input"])} if kind == "call" else {"type": "text_delta", "text": text}
        events = [
            ("message_start", {"message": {**message, "content": [], "stop_reason": None}}),
            ("content_block_start", {"index": 0, "content_block": empty}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}),
            ("message_stop", {}),
        ]
        return "text/event-stream", "".join(f"event: {name}\ndata: {json.dumps({'type': name, **rest})}\n\n" for name, rest in events)

    def responses(self, body):
        kind, text = self.next(body)
        if kind == "call":
            item = {"type": "function_call", "id": f"fc_{self.at}", "call_id": f"call_{self.at}", "name": "exec_command", "arguments": json.dumps({"cmd": text})}
        else:
            item = {"type": "message", "id": f"msg_{self.at}", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        usage = {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 5, "output_tokens_details": None, "total_tokens": 15}
        events = [
            {"type": "response.created", "response": {"id": f"r{self.at}"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": f"r{self.at}", "usage": usage}},
        ]
        return "text/event-stream", "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)

    def gemini(self, path, asked, body):
        kind, text = self.next(body) if asked.get("tools") else ("say", '{"model_choice": "flash", "reasoning": "short"}')
        part = {"functionCall": {"name": "run_shell_command", "args": {"command": text}}} if kind == "call" else {"text": text}
        answer = {
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        }
        if "stream" in path:
            return "text/event-stream", f"data: {json.dumps(answer)}\n\n"
        return "application/json", json.dumps(answer)
