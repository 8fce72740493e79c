"""A scripted model on loopback that speaks Anthropic's Messages API: enough for the Claude Code that comes with the Agent SDK."""

from __future__ import annotations

import http.server
import json
import threading
from pathlib import Path
from typing import Any


class Model:
    """Each answer of the script is ("call", name, input) or ("say", text). `told` holds what the model was sent."""

    def __init__(self, says: list[tuple[Any, ...]]) -> None:
        self.says, self.told, self.at = says, [], 0
        self.lock = threading.Lock()
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self.reply("application/json", "{}")

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
                if "count_tokens" in self.path:
                    return self.reply("application/json", '{"input_tokens": 10}')
                self.reply("text/event-stream", model.answer(asked))

            def reply(self, kind: str, text: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, asked: dict[str, Any]) -> str:
        # Titles and summaries are asked for without tools.
        said: tuple[Any, ...] = ("say", "A title")
        with self.lock:
            if asked.get("tools"):
                self.told.append(asked)
                said = self.says[min(self.at, len(self.says) - 1)]
                self.at += 1
        return stream(asked.get("model", "m"), self.at, said)


def environment(model: Model, home: Path) -> dict[str, str]:
    """Claude Code with this model, and with nothing of the machine it runs on."""
    folders = {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    return {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none", **folders, **quiet}


def stream(model: str, number: int, said: tuple[Any, ...]) -> str:
    if said[0] == "call":
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": said[1], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(said[2])}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": said[1]}
    usage = {"input_tokens": 10, "output_tokens": 5}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    stop = {"stop_reason": "tool_use" if said[0] == "call" else "end_turn", "stop_sequence": None}
    events = [
        ("message_start", {"message": message}),
        ("content_block_start", {"index": 0, "content_block": block}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": stop, "usage": usage}),
        ("message_stop", {}),
    ]
    return "".join(f"event: {name}\ndata: {json.dumps({'type': name, **rest})}\n\n" for name, rest in events)
