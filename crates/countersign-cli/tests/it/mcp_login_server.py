"""An MCP server that wants its users to sign in, and its own authorization server, on one loopback port: prints the port.

Access tokens end at once, so each use refreshes them; refresh tokens are good once. `/seen` tells what happened.
"""

import base64
import hashlib
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlparse

seen = {"registered": 0, "codes": 0, "refreshed": 0, "calls": 0, "refused": 0}
clients, codes, access, refresh = {}, {}, set(), set()
TOOL = {"name": "add", "description": "Adds two numbers.", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, body, status=200, headers=()):
        data = json.dumps(body).encode() if body is not None else b""
        self.send_response(status)
        for name, value in [("content-type", "application/json"), ("content-length", str(len(data))), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urlparse(self.path)
        if url.path == "/seen":
            return self.answer(seen)
        if url.path == "/.well-known/oauth-protected-resource/mcp":
            return self.answer({"resource": f"{self.base}/mcp", "authorization_servers": [self.base]})
        if url.path == "/.well-known/oauth-authorization-server":
            return self.answer({"issuer": self.base, "authorization_endpoint": f"{self.base}/authorize", "token_endpoint": f"{self.base}/token", "registration_endpoint": f"{self.base}/register", "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"]})
        if url.path == "/authorize":
            asked = {key: values[0] for key, values in parse_qs(url.query).items()}
            assert asked["client_id"] in clients and asked["code_challenge_method"] == "S256" and asked["resource"] == f"{self.base}/mcp"
            code = f"code-{len(codes)}"
            codes[code] = asked["code_challenge"]
            return self.answer(None, 302, [("location", f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}")])
        self.answer({"error": "not found"}, 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/register":
            wish = json.loads(body)
            assert wish["redirect_uris"][0].startswith("http://127.0.0.1:"), wish
            seen["registered"] += 1
            clients[f"client-{len(clients)}"] = wish
            return self.answer({"client_id": f"client-{len(clients) - 1}", "redirect_uris": wish["redirect_uris"]}, 201)
        if self.path == "/token":
            return self.token({key: values[0] for key, values in parse_qs(body.decode()).items()})
        if self.path == "/mcp":
            return self.mcp(json.loads(body))
        self.answer({"error": "not found"}, 404)

    def token(self, asked):
        if asked["grant_type"] == "authorization_code":
            digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
            if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != codes.pop(asked["code"], None):
                return self.answer({"error": "invalid_grant"}, 400)
            seen["codes"] += 1
        elif asked.get("refresh_token") in refresh:
            refresh.discard(asked["refresh_token"])
            seen["refreshed"] += 1
        else:
            return self.answer({"error": "invalid_grant"}, 400)
        number = seen["codes"] + seen["refreshed"]
        access.add(f"secret-access-{number}")
        refresh.add(f"secret-refresh-{number}")
        self.answer({"access_token": f"secret-access-{number}", "refresh_token": f"secret-refresh-{number}", "token_type": "Bearer", "expires_in": 1})

    def mcp(self, message):
        if self.headers.get("authorization", "").removeprefix("Bearer ") not in access:
            seen["refused"] += 1
            return self.answer({"error": "who are you"}, 401, [("www-authenticate", f'Bearer resource_metadata="{self.base}/.well-known/oauth-protected-resource/mcp"')])
        method = message.get("method")
        if "id" not in message:
            return self.answer(None, 202)
        if method == "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "sums", "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [TOOL]}
        elif method == "tools/call":
            seen["calls"] += 1
            given = message["params"]["arguments"]
            result = {"content": [{"type": "text", "text": f"The sum is {given['a'] + given['b']}."}]}
        else:
            return self.answer({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}})
        self.answer({"jsonrpc": "2.0", "id": message["id"], "result": result})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
