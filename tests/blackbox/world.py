"""The world of the black-box checks: a scripted model provider, the real server, and a client that trusts nobody.

The provider answers each model's requests with what a check put under that name, byte for byte. The client speaks raw HTTP, so
that paths, headers and bodies arrive as they were written.
"""

import contextlib
import http.client
import json
import os
import signal
import socket
import socketserver
import subprocess
import tempfile
import threading
import time
from pathlib import Path

PATIENCE = 30


class Provider:
    """`answers[model]` is a list of answers, given one after the other; the last one is repeated."""

    def __init__(self):
        provider = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                with contextlib.suppress(OSError):
                    while provider.serve(self.rfile, self.wfile):
                        pass

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

        self.answers, self.requests, self.lock = {}, [], threading.Lock()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def serve(self, rfile, wfile):
        first = rfile.readline().decode("latin-1").split()
        if len(first) != 3:
            return False
        headers = {}
        while (line := rfile.readline().decode("latin-1").strip()):
            name, value = line.split(":", 1)
            headers[name.lower()] = value.strip()
        body = read_body(rfile, headers)
        with contextlib.suppress(ValueError):
            model = json.loads(body or b"{}").get("model", "")
        if not body:
            model = ""
        with self.lock:
            self.requests.append({"method": first[0], "path": first[1], "headers": headers, "body": body, "model": model})
            script = self.answers.get(model) or [Answer(b'{"object":"list","data":[]}')]
            answer = script.pop(0) if len(script) > 1 else script[0]
        try:
            answer.send(wfile, first[0])
        except OSError:
            return False
        return True

    def seen(self, model):
        with self.lock:
            return [request for request in self.requests if request["model"] == model]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def read_body(rfile, headers):
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = b""
        while (size := int(rfile.readline().split(b";")[0], 16)):
            body += rfile.read(size)
            rfile.readline()
        rfile.readline()
        return body
    return rfile.read(int(headers.get("content-length", 0)))


class Answer:
    """An answer of the provider: one body, or pieces with pauses."""

    def __init__(self, body, *, streamed=False, status=200, headers=None, pause=0.0):
        self.pieces = body if isinstance(body, list) else [body]
        self.headers = {"content-type": "text/event-stream" if streamed else "application/json"} | (headers or {})
        self.status, self.pause = status, pause

    def send(self, wfile, method):
        head = f"HTTP/1.1 {self.status} OK\r\ntransfer-encoding: chunked\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        wfile.write(head.encode() + b"\r\n")
        if method == "HEAD":
            wfile.flush()
            return
        for piece in self.pieces:
            wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            wfile.flush()
            time.sleep(self.pause)
        wfile.write(b"0\r\n\r\n")
        wfile.flush()


class Server:
    """The real program, on a free port, with a data folder of its own."""

    def __init__(self, program, provider, *, data=None, env=None, config="", args=()):
        self.program, self.provider = program, provider
        self.folder = tempfile.TemporaryDirectory(prefix="countersign-blackbox-")
        self.data = Path(data or Path(self.folder.name) / "data")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("COUNTERSIGN_", "OPENAI_", "ANTHROPIC_"))}
        self.env |= env or {}
        self.config = Path(self.folder.name) / "countersign.toml"
        self.config.write_text(config, encoding="utf-8")
        self.args, self.process = list(args), None

    def start(self):
        for _ in range(3):
            self.port = free_port()
            command = [self.program, "serve", "--config", str(self.config), "--listen", f"127.0.0.1:{self.port}", "--data-dir", str(self.data)]
            command += ["--upstream-openai", f"{self.provider.address}/v1", "--upstream-anthropic", self.provider.address, *self.args]
            self.log = open(Path(self.folder.name) / "log", "ab")
            self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=self.env)
            if self.ready():
                return self
        raise AssertionError("the server did not start:\n" + self.said()[-2000:])

    def ready(self):
        until = time.time() + PATIENCE
        while time.time() < until and self.process.poll() is None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.request("GET", "/readyz").status == 200:
                    return True
            time.sleep(0.05)
        return False

    def said(self):
        return (Path(self.folder.name) / "log").read_text(encoding="utf-8", errors="replace")

    def run(self, *args):
        """Another command of the program on the same data."""
        command = [self.program, *args]
        return subprocess.run(command, capture_output=True, text=True, env=self.env, timeout=PATIENCE)

    def request(self, method, path, body=None, headers=None, timeout=PATIENCE):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        head = {"content-type": "application/json"} if data is not None else {}
        connection.putrequest(method, path, skip_accept_encoding=True)
        if data is not None:
            head["content-length"] = str(len(data))
        for name, value in (head | (headers or {})).items():
            connection.putheader(name, value)
        connection.endheaders(data)
        answer = connection.getresponse()
        return Reply(answer.status, answer.headers, answer.read())

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
