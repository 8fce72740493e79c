"""Starts the scripted upstream and the gateway on free loopback ports, runs both suites beside each other, stops all.

    python run.py COUNTERSIGN NODE_MODULES_FOLDER [pytest arguments]

`DIRECT=1` leaves the gateway out.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
PATIENCE = 30
LONGEST = 600


def main() -> int:
    program, modules, *more = sys.argv[1:]
    work = Path(tempfile.mkdtemp(prefix="countersign-clients-"))
    started: list[subprocess.Popen] = []
    try:
        upstream = start_upstream(started)
        env = clean_environment() | {"COUNTERSIGN_TEST_UPSTREAM": upstream}
        if os.environ.get("DIRECT") != "1":
            env["COUNTERSIGN_TEST_GATEWAY"] = start_gateway(program, upstream, work, env, started)
        return run_suites(env, modules, more, work)
    finally:
        for process in reversed(started):
            stop(process)
        shutil.rmtree(work, ignore_errors=True)


def start_upstream(started: list) -> str:
    command = [sys.executable, str(HERE / "upstream.py"), "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    started.append(process)
    line = process.stdout.readline()
    if not line.startswith("listening on "):
        raise SystemExit("the scripted upstream did not start")
    return f"http://127.0.0.1:{line.split()[-1]}"


def start_gateway(program: str, upstream: str, work: Path, env: dict, started: list) -> str:
    """Its port is chosen beforehand; a port that was taken meanwhile is tried again with another."""
    for _ in range(3):
        port = free_port()
        command = [program, "serve", "--listen", f"127.0.0.1:{port}", "--data-dir", str(work / f"data-{port}")]
        command += ["--upstream-openai", f"{upstream}/v1", "--upstream-anthropic", upstream]
        log = open(work / "gateway.log", "ab")
        process = subprocess.Popen(command, stdout=log, stderr=log, env=env)
        started.append(process)
        if ready(f"http://127.0.0.1:{port}/readyz", process):
            return f"http://127.0.0.1:{port}"
    sys.stderr.write((work / "gateway.log").read_text(errors="replace")[-4000:])
    raise SystemExit("the gateway did not become ready")


def ready(address: str, process: subprocess.Popen) -> bool:
    until = time.time() + PATIENCE
    while time.time() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=1) as answer:
                return answer.status == 200
        except OSError:
            time.sleep(0.05)
    return False


def run_suites(env: dict, modules: str, more: list[str], work: Path) -> int:
    python = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *more]
    node = ["node", "--test", "--test-reporter=tap", *sorted(str(file) for file in Path(modules).glob("*.test.mjs"))]
    began = time.time()
    suites = {
        "python": subprocess.Popen(python, cwd=HERE, env=env, stdout=open(work / "python.log", "wb"), stderr=subprocess.STDOUT),
        "node": subprocess.Popen(node, cwd=modules, env=env, stdout=open(work / "node.log", "wb"), stderr=subprocess.STDOUT),
    }
    failed = []
    for name, process in suites.items():
        try:
            code = process.wait(timeout=max(1, LONGEST - (time.time() - began)))
        except subprocess.TimeoutExpired:
            code = f"none after {LONGEST} s"
            stop(process)
        log = (work / f"{name}.log").read_text(errors="replace")
        if code:
            failed.append(name)
            print(f"---- {name}, exit {code} ----\n{shortened(name, log)}")
        print(f"clients, {name}: {summary(name, log)}, {time.time() - began:.0f} s")
    if failed and (work / "gateway.log").exists() and os.environ.get("GATEWAY_LOG") == "1":
        print((work / "gateway.log").read_text(errors="replace")[-20000:])
    return 1 if failed else 0


def shortened(name: str, log: str) -> str:
    if name == "node":
        log = "\n".join(line for line in log.splitlines() if not re.match(r"\s*(ok \d|# Subtest|---|\.\.\.|duration_ms|type:)", line))
    return log[-int(os.environ.get("LOG_CHARACTERS", "12000")) :]


def summary(name: str, log: str) -> str:
    if name == "python":
        return (log.strip().splitlines() or ["nothing ran"])[-1].strip("= ")
    counts = dict(re.findall(r"^# (tests|pass|fail|skipped) (\d+)$", log, re.M))
    return ", ".join(f"{counts.get(word, '?')} {word}" for word in ("pass", "fail", "skipped"))


def clean_environment() -> dict:
    """Nothing of the surroundings may lead a client elsewhere: no proxies, no keys, no telemetry."""
    env = {name: value for name, value in os.environ.items() if not re.search("proxy|API_KEY|BASE_URL|COUNTERSIGN|LANGSMITH|LANGCHAIN", name, re.I)}
    quiet = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "LANGSMITH_TRACING": "false", "NO_PROXY": "*", "PYTHONDONTWRITEBYTECODE": "1"}
    return env | quiet | {"ANTHROPIC_LOG": "", "AI_SDK_LOG_WARNINGS": "false"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stop(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=5)


if __name__ == "__main__":
    sys.exit(main())
