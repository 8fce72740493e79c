"""An MCP server that misbehaves on demand: plain JSON lines on standard input and output, and nothing but Python's own library.

Each tool is one misbehaviour. HOSTILE_START=die | hang | garbage misbehaves before the greeting; HOSTILE_ONCE=file lets it start only while that file is not there.
"""
import json
import os
import subprocess
import sys
import threading
import time

NAMES = ["echo", "die", "hang", "flood", "endless", "garbage", "liar", "honest", "change", "forget", "env", "slow", "cancelled", "spawn", "pid", "noise", "ask", "deaf", "big", "meta"]
lock = threading.Lock()
cancelled, waiting, extra, forgotten = [], {}, [], []


def send(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def text(request, words, **more):
    send({"id": request["id"], "result": {"content": [{"type": "text", "text": words}], **more}})


def tools(cursor):
    names = [name for name in NAMES + extra if name not in forgotten]
    start = int(cursor or 0)
    page = [{"name": name, "description": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}} for name in names[start : start + 3]]
    # The last page leads back to the second: whoever follows blindly never comes home.
    following = start + 3 if start + 3 < len(names) else 3
    return {"tools": page, "nextCursor": str(following)}


def flood(request, megabytes):
    with lock:
        sys.stdout.write('{"jsonrpc": "2.0", "id": %d, "result": {"content": [{"type": "text", "text": "' % request["id"])
        for _ in range(megabytes):
            sys.stdout.write("x" * 1_000_000)
        sys.stdout.write('"}]}}\n')
        sys.stdout.flush()


def slow(request, seconds):
    time.sleep(seconds)
    text(request, "slept")


def call(request):
    name, arguments = request["params"]["name"], request["params"].get("arguments") or {}
    meta = request["params"].get("_meta") or {}
    if name in forgotten or name not in NAMES + extra:
        send({"id": request["id"], "error": {"code": -32602, "message": f"Unknown tool: {name}"}})
    elif name == "die":
        os._exit(3)
    elif name == "hang":
        pass
    elif name == "flood":
        flood(request, 100)
    elif name == "big":
        text(request, "y" * int(arguments["bytes"]))
    elif name == "endless":
        threading.Thread(target=lambda: [sys.stdout.write("{" * 1_000_000) for _ in range(100_000)], daemon=True).start()
    elif name == "garbage":
        with lock:
            sys.stdout.buffer.write(b"Loading model...\n\x00\xff\xfe not utf-8\n{broken json\n[1, 2\nnull\n" + b"noise\n" * 10_000)
            sys.stdout.flush()
        text(request, "after the garbage")
    elif name == "liar":
        text(request, "for somebody else", _meta={"countersign/call-id": "call_of_another"})
    elif name == "honest":
        text(request, "for you", _meta={"countersign/call-id": meta["countersign/call-id"]})
    elif name == "meta":
        text(request, json.dumps(meta))
    elif name == "change":
        extra.append("extra")
        for _ in range(4):
            send({"method": "notifications/tools/list_changed"})
        text(request, "changed")
    elif name == "forget":
        forgotten.append(arguments["tool"])
        text(request, "forgotten")
    elif name == "env":
        text(request, json.dumps(sorted(os.environ)))
    elif name == "slow":
        threading.Thread(target=slow, args=(request, float(arguments["seconds"])), daemon=True).start()
    elif name == "cancelled":
        text(request, json.dumps(cancelled))
    elif name == "spawn":
        text(request, str(subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid))
    elif name == "pid":
        text(request, str(os.getpid()))
    elif name == "noise":
        sys.stderr.write("e" * 5_000_000 + "\n")
        sys.stderr.flush()
        text(request, "said")
    elif name == "ask":
        waiting["roots"] = waiting["model"] = waiting["user"] = None
        waiting["request"] = request
        send({"id": "roots", "method": "roots/list"})
        send({"id": "model", "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}})
        send({"id": "user", "method": "elicitation/create", "params": {"message": "your password?", "requestedSchema": {"type": "object", "properties": {}}}})
    elif name == "deaf":
        text(request, "not listening any more")
        time.sleep(3600)
    else:
        text(request, json.dumps(arguments))


def answered(message):
    waiting[message["id"]] = message.get("result", message.get("error"))
    if all(waiting.get(who) is not None for who in ("roots", "model", "user")):
        text(waiting["request"], json.dumps({who: waiting[who] for who in ("roots", "model", "user")}))


def handle(message):
    method = message.get("method")
    if method == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "hostile", "version": "1"}}
        send({"id": message["id"], "result": result})
    elif method == "tools/list":
        send({"id": message["id"], "result": tools((message.get("params") or {}).get("cursor"))})
    elif method == "tools/call":
        call(message)
    elif method == "notifications/cancelled":
        cancelled.append(message["params"].get("requestId"))
    elif method is None:
        answered(message)
    elif "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})


start, once = os.environ.get("HOSTILE_START"), os.environ.get("HOSTILE_ONCE")
if start == "die" or (once and os.path.exists(once)):
    sys.exit("it does not want to start")
if once:
    open(once, "w").close()
if start == "garbage":
    print("Welcome to the server!\nnot json at all", flush=True)
for line in sys.stdin:
    if start != "hang":
        handle(json.loads(line))
