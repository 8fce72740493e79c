"""A scripted model provider on loopback: three dialects, streamed or whole, right or wrong as the scenario says.

It speaks HTTP/1.1 over plain sockets, so that a test decides about every byte and sees when the other side leaves.
`GET /control/requests?model=NAME` tells what reached it. It never talks to anyone but the one who asks.

    python3 upstream.py PORT
"""

import asyncio
import itertools
import json
import sys
import time
from urllib.parse import parse_qs, urlsplit

from dialects import chat, messages, responses
from scenarios import Answer, Asked, Failure, answer

DIALECTS = {"/v1/chat/completions": chat, "/v1/responses": responses, "/v1/messages": messages}
KEPT = 5000

requests: list[dict] = []
stamps = itertools.count(1)


async def serve(port: int) -> None:
    server = await asyncio.start_server(connection, "127.0.0.1", port)
    print(f"listening on {server.sockets[0].getsockname()[1]}", flush=True)
    async with server:
        await server.serve_forever()


async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection, one request after the other, until somebody leaves."""
    try:
        while request := await read_request(reader):
            if not await respond(request, reader, writer):
                break
    except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        pass
    finally:
        writer.close()


async def read_request(reader: asyncio.StreamReader) -> dict | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = b""
        while size := int((await reader.readline()).split(b";")[0], 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
    else:
        body = await reader.readexactly(int(headers.get("content-length", 0)))
    return {"method": method, "target": target, "headers": headers, "body": body}


async def respond(request: dict, reader, writer) -> bool:
    """Whether the connection may be used again."""
    url = urlsplit(request["target"])
    if url.path == "/control/requests":
        wanted = parse_qs(url.query).get("model", [""])[0]
        return await send_json(writer, 200, [kept for kept in requests if kept["model"] == wanted])
    if url.path == "/v1/models":
        listed = [{"id": "clean-text", "object": "model", "created": 1700000000, "owned_by": "tests"}]
        return await send_json(writer, 200, {"object": "list", "data": listed})
    dialect = DIALECTS.get(url.path)
    if dialect is None:
        return await send_json(writer, 404, {"error": {"message": "no such path", "type": "not_found", "code": None, "param": None}})
    body = json.loads(request["body"])
    model = body.get("model", "")
    entry = {
        "model": model,
        "target": request["target"],
        "headers": request["headers"],
        "body": body,
        "closed_after": None,
        "finished": False,
    }
    attempt = 1 + sum(kept["model"] == model for kept in requests)
    requests.append(entry)
    del requests[:-KEPT]
    results, fault = dialect.read(body)
    given = answer(model, Asked(attempt, results, fault))
    return await deliver(given, dialect, body, entry, reader, writer)


async def deliver(given: Answer | Failure, dialect, body: dict, entry: dict, reader, writer) -> bool:
    stamp = f"{next(stamps):06d}"
    ids = {"x-request-id": f"req_{stamp}", "request-id": f"req_{stamp}"}
    if isinstance(given, Failure):
        return await send_json(writer, given.status, dialect.failure(given), ids | given.headers)
    if body.get("stream"):
        await send_head(writer, 200, ids | {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        return await send_stream(given, dialect.pieces(given, stamp, body), entry, reader, writer)
    for _ in given.text if given.pause else []:
        if await left(entry, given.pause, reader):
            return False
    if given.fault == "error":
        broke = Failure(500, "model_broke", "api_error", "the model broke")
        return await send_json(writer, 500, dialect.failure(broke), ids)
    whole = dialect.whole(given, stamp)
    entry["finished"] = given.fault != "cut"
    return await send_json(writer, 200, whole, ids, cut=given.fault == "cut")


async def send_stream(given: Answer, pieces, entry: dict, reader, writer) -> bool:
    for piece in pieces:
        if await left(entry, given.pause, reader):
            return False
        writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        try:
            await writer.drain()
        except ConnectionError:
            entry["closed_after"] = time.time()
            raise
    if given.fault == "cut":
        return False
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    entry["finished"] = True
    return True


async def left(entry: dict, pause: float, reader) -> bool:
    """Waits, and says whether the other side closed the connection meanwhile."""
    await asyncio.sleep(pause)
    gone = reader.at_eof() or reader.exception() is not None
    if gone:
        entry["closed_after"] = time.time()
    return gone


async def send_json(writer, status: int, body, headers: dict | None = None, cut: bool = False) -> bool:
    data = json.dumps(body, ensure_ascii=False).encode()
    length = {"content-type": "application/json", "content-length": str(len(data))}
    await send_head(writer, status, (headers or {}) | length)
    writer.write(data[: len(data) // 2] if cut else data)
    await writer.drain()
    return not cut


async def send_head(writer, status: int, headers: dict) -> None:
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    await writer.drain()


if __name__ == "__main__":
    try:
        asyncio.run(serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
    except KeyboardInterrupt:
        pass
