"""Countersign as the client of one scenario of the MCP conformance suite: `client.py COUNTERSIGN SERVER_URL`.

The suite starts it with the address of its own server. It does what a user does: write the server into a configuration, list its
tools, sign in where the server wants it (the "browser" is a request that follows the redirects back to us), and call tools.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

SIGN_INS = 3
# What a scenario wants to be called, where it is not every tool with an example of its arguments.
ARGUMENTS = {"add_numbers": {"a": 5, "b": 3}, "valid_tool": {"region": "us-west1"}}


class Client:
    def __init__(self, program: str, url: str, folder: Path):
        self.program, self.folder = program, folder
        self.scenario = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
        self.context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
        self.env = dict(os.environ, NO_PROXY="*", COUNTERSIGN_LOG="debug")
        self.settle(url)

    def settle(self, url: str) -> None:
        lines = ["[mcp.s]", f"url = {json.dumps(url)}", 'prefix = ""', 'timeout = "20s"', 'questions = "defaults"']
        oauth = {}
        if "client_id" in self.context:
            oauth["client_id"] = self.context["client_id"]
        if "client_secret" in self.context:
            self.env["MCP_CLIENT_SECRET"] = self.context["client_secret"]
            oauth["client_secret_env"] = "MCP_CLIENT_SECRET"
        if self.scenario.startswith("auth/client-credentials"):
            oauth["grant"] = "client_credentials"
        if self.scenario == "auth/basic-cimd":
            oauth["client_metadata_url"] = "https://conformance-test.local/client-metadata.json"
        if oauth:
            lines.append("oauth = { " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in oauth.items()) + " }")
        self.config = self.folder / "countersign.toml"
        self.config.write_text(f'data_dir = "{self.folder}/data"\n' + "\n".join(lines) + "\n")

    def run(self, *args: str) -> subprocess.CompletedProcess:
        command = [self.program, *args, "--config", str(self.config), "--log-level", "trace"]
        ran = subprocess.run(command, capture_output=True, text=True, env=self.env, timeout=60)
        # A token in a log or a message is a leak, whatever the scenario is about.
        if re.search(r"test-token|refresh-token-", ran.stdout + ran.stderr):
            sys.exit(f"a token is in the output of {args}")
        sys.stderr.write(f"$ {' '.join(args)} -> {ran.returncode}\n{ran.stdout}{ran.stderr}\n")
        return ran

    def sign_in(self) -> bool:
        command = [self.program, "mcp", "login", "s", "--config", str(self.config)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.env)
        browser = None
        for line in process.stdout:
            if line.startswith("http"):
                browser = threading.Thread(target=browse, args=(line.strip(),), daemon=True)
                browser.start()
        error = process.stderr.read()
        sys.stderr.write(f"$ mcp login -> {process.wait(60)} {error}\n")
        return process.returncode == 0

    def signed_in(self, *args: str) -> subprocess.CompletedProcess:
        """Runs a command, and signs in as often as the server wants it, up to a limit."""
        ran = self.run(*args)
        for _ in range(SIGN_INS):
            if "mcp login" not in ran.stdout + ran.stderr or not self.sign_in():
                break
            ran = self.run(*args)
        return ran

    def play(self) -> int:
        listed = self.signed_in("tools", "--format", "json")
        if listed.returncode != 0:
            return 1
        tools = {tool["name"]: tool["input_schema"] for tool in json.loads(listed.stdout) if tool["source"] == "mcp:s"}
        wanted = [(call["name"], call["arguments"]) for call in self.context.get("toolCalls", [])]
        if "json_schema_echo" in tools:
            # The schema of the other tool, as an agent is given it.
            wanted = [("json_schema_echo", {"schema": tools[name]}) for name in tools if name != "json_schema_echo"]
        calls = wanted or [(name, ARGUMENTS.get(name, {})) for name in tools]
        codes = [self.signed_in("tools", "--call", name, "--arguments", json.dumps(arguments)).returncode for name, arguments in calls]
        return max(codes, default=0)


def browse(address: str) -> None:
    """A browser in which somebody agrees at once."""
    try:
        urllib.request.urlopen(address, timeout=30).read()
    except OSError as error:
        sys.stderr.write(f"the browser: {error}\n")


def main() -> int:
    program, url = sys.argv[1], sys.argv[-1]
    with tempfile.TemporaryDirectory(prefix="countersign-mcp-client-") as folder:
        return Client(program, url, Path(folder)).play()


if __name__ == "__main__":
    sys.exit(main())
