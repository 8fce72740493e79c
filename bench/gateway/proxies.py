"""What stands between the client and the upstream: how each is started, and how it is told where the upstream is.

All listen on 127.0.0.1, speak HTTP/1.1, and have two workers or threads (Portkey is one process; that is how it comes).
What is not installed is left out with a sentence that says so.
"""
import os, pathlib, secrets, shutil, socket, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent
PARTS = HERE / "target/release/countersign-bench-gateway"
WORKERS = 2


class Absent(Exception):
    """It cannot run here, and why."""


class Running:
    """A process with all its children: its address, processor time and memory."""

    def __init__(self, name, port, process=None, headers=(), cases=None):
        self.name, self.port, self.process, self.headers, self.cases = name, port, process, list(headers), cases

    @property
    def target(self):
        return f"127.0.0.1:{self.port}"

    def tree(self):
        if self.process is None:
            return []
        parents = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    stat = pathlib.Path(f"/proc/{entry}/stat").read_text()
                except OSError:
                    continue
                parents[int(entry)] = int(stat.rsplit(")", 1)[1].split()[1])
        tree = [self.process.pid]
        for pid in tree:
            tree += [child for child, parent in parents.items() if parent == pid]
        return tree

    def processor_seconds(self):
        """utime + stime of the whole tree, threads that ended included, from the processes' own clocks: /proc/PID/stat
        has the same sum in ticks of 10 ms, which is too coarse here."""
        total = 0.0
        for pid in self.tree():
            try:
                total += time.clock_gettime((~pid << 3) | 2)
            except OSError:
                continue
        return total

    def resident_mib(self):
        total = 0
        for pid in self.tree():
            try:
                status = pathlib.Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            total += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
        return total / 1024

    def stop(self):
        if self.process is None:
            return
        tree = self.tree()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        for pid in tree:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        self.process.wait()


def free_port():
    # Below the ports that the kernel gives to clients: none of ten thousand of them can be in the way.
    for port in range(20000 + os.getpid() % 9000, 32000):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in taken:
            taken.add(port)
            return port
    raise Absent("no free port")


taken = set()


def launch(name, command, port, folder, environment=None, patience=15, **more):
    log = open(folder / f"{name}.log", "wb")
    environment = {**os.environ, "TOKIO_WORKER_THREADS": str(WORKERS), **(environment or {})}
    process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, cwd=folder)
    running = Running(name, port, process, **more)
    until = time.time() + patience
    while time.time() < until and process.poll() is None:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return running
        time.sleep(0.05)
    running.stop()
    tail = (folder / f"{name}.log").read_text(errors="replace")[-600:]
    raise Absent(f"it did not listen within {patience} s: {tail}")


def stub(folder):
    port = free_port()
    return launch("stub", [PARTS, "stub", f"127.0.0.1:{port}"], port, folder)


def direct(upstream, folder, options):
    return Running("direct", upstream)


def nginx(upstream, folder, options):
    binary = shutil.which("nginx") or "/usr/sbin/nginx"
    if not os.path.exists(binary):
        raise Absent("nginx is not installed (apt-get install nginx-light)")
    port = free_port()
    text = (HERE / "nginx.conf").read_text()
    for word, value in {"FOLDER": folder, "PORT": port, "UPSTREAM": upstream, "WORKERS": WORKERS, "FILES": options.files}.items():
        text = text.replace(f"@{word}@", str(value))
    (folder / "nginx.conf").write_text(text)
    return launch("nginx", [binary, "-p", folder, "-e", folder / "nginx-error.log", "-c", folder / "nginx.conf"], port, folder)


def bare(upstream, folder, options):
    port = free_port()
    return launch("bare", [PARTS, "bare", f"127.0.0.1:{port}", f"http://127.0.0.1:{upstream}"], port, folder)


def countersign(upstream, folder, options):
    binary = pathlib.Path(options.binary).resolve()
    if not binary.exists():
        raise Absent(f"{options.binary} is not built (cargo build --release --bin countersign)")
    port = free_port()
    command = [binary, "serve", "--listen", f"127.0.0.1:{port}", "--upstream-openai", f"http://127.0.0.1:{upstream}/v1"]
    command += ["--upstream-anthropic", f"http://127.0.0.1:{upstream}", "--data-dir", folder / f"countersign-{port}", *options.serve_args.split()]
    return launch("countersign", command, port, folder)


def litellm(upstream, folder, options):
    binary = HERE / ".venv/bin/litellm"
    if not binary.exists():
        raise Absent("LiteLLM is not installed (bench/run --gateway --peers)")
    port = free_port()
    # It does not start without one.
    key = "sk-" + secrets.token_hex(32)
    (folder / "litellm.yaml").write_text(
        "model_list:\n  - model_name: '*'\n    litellm_params:\n      model: openai/*\n"
        f"      api_base: http://127.0.0.1:{upstream}/v1\n      api_key: sk-bench\n"
        "litellm_settings:\n  telemetry: false\n  num_retries: 0\n"
    )
    command = [binary, "--config", folder / "litellm.yaml", "--host", "127.0.0.1", "--port", port, "--num_workers", WORKERS]
    environment = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR", "LITELLM_MASTER_KEY": key, "PATH": f"{binary.parent}:{os.environ['PATH']}"}
    return launch("litellm", command, port, folder, environment, patience=120, headers=[f"x-litellm-api-key: {key}"], cases=CHAT)


def portkey(upstream, folder, options):
    server = HERE / "node_modules/@portkey-ai/gateway/build/start-server.js"
    if not server.exists():
        raise Absent("Portkey is not installed (bench/run --gateway --peers)")
    port = free_port()
    headers = ["x-portkey-provider: openai", f"x-portkey-custom-host: http://127.0.0.1:{upstream}/v1"]
    return launch("portkey", ["node", server, f"--port={port}", "--headless"], port, folder, patience=60, headers=headers, cases=CHAT)


def tensorzero(upstream, folder, options):
    python = HERE / ".venv-tensorzero/bin/python"
    if not python.exists():
        raise Absent("TensorZero's server is in no package registry; the one inside its Python package is not installed (bench/run --gateway --peers)")
    (folder / "tensorzero.toml").write_text("".join(
        f'[models."bench-{case}"]\nrouting = ["stub"]\n[models."bench-{case}".providers.stub]\ntype = "openai"\n'
        f'model_name = "bench-{case}"\napi_base = "http://127.0.0.1:{upstream}/v1"\napi_key_location = "none"\n' for case in CHAT
    ))
    command = [python, HERE / "tensorzero_server.py", folder / "tensorzero.toml", folder / "tensorzero.port"]
    return tensorzero_launch(command, folder)


def tensorzero_launch(command, folder):
    """It chooses its port itself and writes it into a file."""
    log = open(folder / "tensorzero.log", "wb")
    process = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, env={**os.environ, "TOKIO_WORKER_THREADS": str(WORKERS)})
    for _ in range(600):
        time.sleep(0.05)
        text = (folder / "tensorzero.port").read_text() if (folder / "tensorzero.port").exists() else ""
        if text.endswith("\n"):
            headers = [":path-prefix: /openai", ":model-prefix: tensorzero::model_name::"]
            return Running("tensorzero", int(text), process, headers, CHAT)
        if process.poll() is not None:
            break
    Running("tensorzero", 0, process).stop()
    raise Absent("it did not start: " + (folder / "tensorzero.log").read_text(errors="replace")[-600:])


CHAT = ["chat", "stream", "call", "plain", "plain-stream", "call-whole", "drip", "call-drip"]
ALL = {f.__name__: f for f in (direct, nginx, bare, countersign, tensorzero, portkey, litellm)}


def start(names, upstream, folder, options):
    """Starts what can be started; says what cannot."""
    running, absent = [], {}
    for name in names:
        try:
            running.append(ALL[name](upstream, folder, options))
        except Absent as why:
            absent[name] = str(why)
            print(f"left out: {name}: {why}", file=sys.stderr)
    return running, absent
