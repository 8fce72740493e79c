"""Stands between the server and the model, and puts examples before every conversation, in the part that the model plays.

A model this small follows examples and hardly any instructions: without them it never calls a tool, writes no tag and makes
no plan, and nothing would be tested. The answers are its own, passed on as they come.
"""

import http.client
import http.server
import itertools
import json
import threading
from urllib.parse import urlsplit


def start_teacher(upstream: str, examples: list[dict], tokens: int) -> str:
    """Serves until the process ends; gives the address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Teacher)
    server.daemon_threads = True
    server.upstream, server.examples, server.tokens, server.seeds = urlsplit(upstream), examples, tokens, itertools.count()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


class Teacher(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.carry("GET", None)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "messages" in body:
            body["messages"] = self.taught(body["messages"])
            body |= {"max_tokens": self.server.tokens, "seed": next(self.server.seeds), "temperature": 0.6}
        self.carry("POST", json.dumps(body))

    def taught(self, messages: list[dict]) -> list[dict]:
        """The examples stand right before the last question: further up they are forgotten after one bad turn."""
        words = messages[0]["content"] if messages and messages[0]["role"] == "system" else ""
        part = next((part for part, mark in MARKS.items() if mark in words), "assistant")
        shown = self.server.examples if part == "assistant" else EXAMPLES[part]
        last = max((at for at, message in enumerate(messages) if message["role"] == "user"), default=len(messages))
        return [*messages[:last], *shown, *messages[last:]]

    def carry(self, method: str, body: str | None) -> None:
        url = self.server.upstream
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=120)
        try:
            connection.request(method, self.path, body, {"content-type": "application/json"})
            response = connection.getresponse()
            self.send_response(response.status)
            self.send_header("content-type", response.getheader("content-type") or "application/json")
            self.send_header("connection", "close")
            self.end_headers()
            while piece := response.read1(65536):
                self.wfile.write(piece)
                self.wfile.flush()
        except OSError:
            pass  # One of the two has gone away: the connection ends, and the other sees it.
        finally:
            self.close_connection = True
            connection.close()

    def log_message(self, *_: object) -> None:
        pass


def said(*words: str) -> list[dict]:
    return [{"role": role, "content": text} for role, text in zip(itertools.cycle(("user", "assistant")), words)]


# By these words in its instructions it is known which part the model plays.
MARKS = {"planner": "Plan:", "solver": "#E1", "concierge": "<create_note>"}
EXAMPLES = {
    "concierge": said(
        "Make a note named tea: buy green tea.",
        "<create_note><name>tea</name><content>buy green tea</content></create_note> It is noted.",
        "Keep this: the train leaves at nine.",
        "<save_material><content>the train leaves at nine</content></save_material> It is kept.",
        "Find out how warm it is in Madrid, and compare it with Rome.",
        "<call_orchestrator>How warm is it in Madrid and in Rome? Compare them.</call_orchestrator>",
        "What shall we do about the report?",
        "<confirm1>Write the outline first.</confirm1> <confirm2>Ask Ann for the figures.</confirm2>",
    ),
    "planner": said(
        "What is the weather in Madrid, in fahrenheit?",
        'Plan: look the weather up\n#E1 = get_weather[{"city": "Madrid", "unit": "fahrenheit"}]',
        "Add 3 and 4, and search my notes for the sum.",
        'Plan: add the numbers\n#E1 = add_numbers[{"a": 3, "b": 4}]\nPlan: search for the sum\n#E2 = search_notes[{"query": "#E1"}]',
    ),
    "solver": said("Question: how warm is it in Madrid? #E1: 80 degrees", "It is 80 degrees in Madrid [#E1]."),
}
