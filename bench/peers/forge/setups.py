"""The three set-ups that a case is driven through: no guard, forge's guard, and the gateway.

No guard and the gateway are one loop, which runs what the model calls and gives errors back as results, as agent frameworks do;
only its base URL differs. forge is its own WorkflowRunner with the settings of its own evaluation.
"""
import asyncio, os, pathlib, socket, subprocess, sys, tempfile, time

import httpx
from forge.clients.openai_compat import OpenAICompatClient
from forge.context.manager import ContextManager
from forge.context.strategies import NoCompact
from forge.core.runner import WorkflowRunner


class Loop:
    """Calls the model until the last tool has run, the model answers without a call, or the scenario's turns are used up."""

    def __init__(self, base):
        self.base, self.client = base, httpx.Client(timeout=60)

    def drive(self, run, script, name):
        messages, notes = run.messages(), []
        while script.turns < run.scenario.max_iterations:
            response = self.client.post(f"{self.base}/chat/completions", json={"model": name, "messages": messages, "tools": run.tools()})
            if "countersign-verdict" in response.headers:
                notes.append(response.headers.get("countersign-verdicts", response.headers["countersign-verdict"]))
            if response.status_code != 200:
                return f"status {response.status_code}: {response.text[:300]}", notes
            message = response.json()["choices"][0]["message"]
            messages.append(message)
            calls = message.get("tool_calls") or []
            if not calls:
                return f"answered: {message.get('content')!r}", notes
            for call in calls:
                result = run.execute(call["function"]["name"], call["function"]["arguments"])
                messages.append({"role": "tool", "tool_call_id": call.get("id"), "content": result})
            if run.finished:
                return "finished", notes
        return "out of turns", notes


class Forge:
    def __init__(self, base):
        self.client, self.loop = OpenAICompatClient(model="", base_url=base), asyncio.Runner()

    def drive(self, run, script, name):
        self.client.model = name
        scenario = run.scenario
        runner = WorkflowRunner(
            client=self.client,
            context_manager=ContextManager(strategy=NoCompact(), budget_tokens=scenario.budget_tokens),
            max_iterations=scenario.max_iterations,
            max_retries_per_step=scenario.max_retries_per_step,
            max_tool_errors=scenario.max_tool_errors,
        )
        try:
            self.loop.run(runner.run(run.workflow, scenario.user_message))
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:300]}", []
        return "finished", []


class Gateway:
    """`countersign serve` before the model, with a policy that says what forge is told in a workflow."""

    def __init__(self, binary, upstream, policy=None):
        self.folder = tempfile.TemporaryDirectory(prefix="countersign-forge-")
        port = free_port()
        command = [binary, "serve", "--listen", f"127.0.0.1:{port}", "--data-dir", ":memory:", "--upstream-openai", upstream]
        if policy:
            path = pathlib.Path(self.folder.name) / "policy.toml"
            path.write_text(policy)
            command += ["--policy", str(path)]
        log = open(pathlib.Path(self.folder.name) / "server.log", "wb")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder.name, env={**os.environ, "TOKIO_WORKER_THREADS": "2"})
        self.base = f"http://127.0.0.1:{port}/v1"
        self.wait(port)
        self.loop = Loop(self.base)

    def wait(self, port):
        until = time.time() + 30
        while time.time() < until and self.process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)
        sys.exit("the gateway did not start: " + (pathlib.Path(self.folder.name) / "server.log").read_text(errors="replace")[-2000:])

    def drive(self, run, script, name):
        return self.loop.drive(run, script, name)

    def findings(self, notes):
        """The codes of the verdicts that the answers' headers name."""
        said = []
        for note in notes:
            for verdict in note.split(", "):
                body = self.loop.client.get(f"{self.base}/verdicts/{verdict.split()[0]}").json()
                codes = [finding["code"] for finding in body.get("verdict", {}).get("findings", [])]
                said.append(f"{body.get('tool')} {body.get('status')} {body.get('outcome')} {codes}")
        return said

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        self.folder.cleanup()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
