"""A small MCP server on stdio: every call appends a line to the file that it is given, so that a test can count."""
import json
import os
import sys
import time

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NAMES = ("look_up", "add_line", "slow_line", "delete_record", "die_before", "die_after")
TOOLS = [{"name": name, "description": f"Works with a text ({name}).", "inputSchema": TEXT} for name in NAMES]


def note(path, name, text):
    """One write, so that a line is whole or not there."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(file, f"{name} {text}\n".encode())
    os.close(file)


def call(path, name, text):
    if name == "die_before":
        os._exit(3)
    note(path, name, text)
    if name == "die_after":
        os._exit(3)
    if name == "slow_line":
        time.sleep(0.3)
    return {"content": [{"type": "text", "text": f"{name} saw {text}"}]}


def answer(path, asked):
    method, params = asked.get("method"), asked.get("params") or {}
    if method == "initialize":
        about = {"name": "counting", "version": "1"}
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return call(path, params.get("name"), (params.get("arguments") or {}).get("text", ""))
    return {} if method == "ping" else None


def main():
    for line in sys.stdin:
        asked = json.loads(line)
        if asked.get("id") is None:
            continue
        result = answer(sys.argv[1], asked)
        told = {"result": result} if result is not None else {"error": {"code": -32601, "message": "no such method"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)


main()
