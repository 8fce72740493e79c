"""The compose file: valid, refuses to start without secrets, and two nodes with exactly its settings on a real PostgreSQL and a real Redis."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from world import KEY, PATIENCE, ROOT, Container, check, eq, run, running

SECRETS = {"POSTGRES_PASSWORD": "3f9a1c20b7", "REDIS_PASSWORD": "77d01e4caa", "COUNTERSIGN_API_KEYS": KEY}
# All containers share one network here, so each gets a loopback address; the names are those of the compose file.
ADDRESSES = {"postgres": "127.0.0.21", "redis": "127.0.0.22", "one": "127.0.0.23", "two": "127.0.0.24"}


@check("SERVE-1")
def the_compose_file_wants_secrets(_):
    for name in SECRETS:
        others = {other: value for other, value in SECRETS.items() if other != name}
        assert "set it in .env" in (said := composed(others, fine=False)), said
    example = read_env(ROOT / "deploy/env.example")
    eq({name for name, value in example.items() if not value}, set(SECRETS), "what env.example leaves to be filled in")
    written = (ROOT / "deploy/env.example").read_text() + (ROOT / "deploy/compose.yaml").read_text()
    for name in re.findall(r"^#?([A-Z_]+)=", (ROOT / "deploy/env.example").read_text(), re.MULTILINE):
        assert name == "COMPOSE_PROJECT_NAME" or f"${{{name}" in written, f"{name} of env.example is used nowhere"


@check("SERVE-5")
def settings_of_the_compose_file_exist(image):
    docs = Container(image, ["config", "docs"])
    eq(docs.wait(), 0)
    for name in ("one", "two"):
        service = services()[name]
        for variable in service["environment"]:
            assert f"`{variable}`" in docs.said(), f"{variable} is no setting"
        shown = Container(image, ["config", "show", *service["command"][1:]], env=service["environment"])
        eq(shown.wait(), 0, shown.said())
        assert SECRETS["POSTGRES_PASSWORD"] not in shown.said(), "secrets are hidden"
        eq((service["read_only"], service["cap_drop"], service["security_opt"]), (True, ["ALL"], ["no-new-privileges:true"]), name)
        grace, stop = service["environment"]["COUNTERSIGN_SHUTDOWN_GRACE"], service["stop_grace_period"]
        assert int(grace[:-1]) + 2 < int(stop[:-1]), f"{grace} of grace in {stop}"


@check("SERVE-5", "SERVE-7")
def two_nodes_of_the_compose_file_are_one_server(image):
    found = services()
    with postgres(image.folder, found["postgres"]), redis(image.folder, found["redis"]), contextlib.ExitStack() as stack:
        one, two = (stack.enter_context(node(image, name, found[name])) for name in ("one", "two"))
        session = json.loads(one.ask("POST", "/v1/sessions", {"agent": "concierge", "user": "ann"})[1])["session_id"]
        status, said = one.ask("POST", f"/v1/sessions/{session}/messages", {"content": "How did the market do?"})
        assert status == 200 and said.rstrip().endswith("data: [DONE]"), said[-500:]
        status, replayed = two.ask("GET", f"/v1/sessions/{session}/events?mode=replay")
        eq(status, 200, replayed)
        eq(ids(replayed), ids(said), "the events, read on the other node")
        eq(two.ask("GET", f"/v1/sessions/{session}/events", key=None)[0], 401, "without a key")
        made = Container(image, ["keys", "create", "--name", "ci"], env=found["one"]["environment"], root=one.root)
        eq(made.wait(), 0, made.said())
        key = next(line for line in made.said().splitlines() if not line.startswith("countersign: "))
        until = time.monotonic() + 10
        while (status := two.ask("GET", "/v1/models", key=key)[0]) != 200 and time.monotonic() < until:
            time.sleep(0.2)
        eq(status, 200, "a key that was made on one node, on the other")
        layers = json.loads(two.ask("GET", "/health")[1])["layers"]
        eq((layers["store"]["status"], layers["redis"]["status"]), ("healthy", "healthy"))
        for each in (one, two):
            eq(each.stop()[0], 0, each.said()[-1000:])


def composed(secrets, fine=True):
    """The compose file as Docker's own parser reads it, with variables filled in."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"} | secrets
    return run("docker-compose", "--file", ROOT / "deploy/compose.yaml", "config", env=env, fine=fine)


def services():
    return parse_yaml(composed(SECRETS))["services"]


def parse_yaml(text):
    """YAML, read by Debian's parser, which the Python of the PATH may not see."""
    read = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
    done = subprocess.run(["/usr/bin/python3", "-c", read], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def read_env(path):
    lines = [line.split("=", 1) for line in path.read_text().splitlines() if "=" in line and not line.startswith("#")]
    return dict(lines)


def ids(stream):
    return [line for line in stream.splitlines() if line.startswith("id: ")]


@contextlib.contextmanager
def node(image, name, service):
    """A node with the service's command, variables and hardening; only the address is its own, because the network is shared."""
    root = image.unpack()
    (root / "etc/hosts").write_text("".join(f"{address} {host}\n" for host, address in ADDRESSES.items()))
    env = service["environment"] | {"COUNTERSIGN_LISTEN": f"{ADDRESSES[name]}:7420"}
    with running(Container(image, service["command"], env=env, root=root, read_only=service["read_only"]), address=(ADDRESSES[name], 7420)) as container:
        kind, *test = service["healthcheck"]["test"]
        probe = Container(image, test, env=env, root=root, entrypoint=[])
        eq((kind, probe.wait()), ("CMD", 0), probe.said())
        yield container


@contextlib.contextmanager
def server(command, health, env, user="root"):
    """A server, until its own health check of the compose file passes."""
    process = subprocess.Popen(["setpriv", f"--reuid={user}", "--clear-groups", *command] if user != "root" else command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
    try:
        until = time.monotonic() + PATIENCE
        while (done := subprocess.run(health, env=os.environ | env, capture_output=True)).returncode and time.monotonic() < until:
            time.sleep(0.1)
        eq(done.returncode, 0, f"{health}: {done.stdout} {done.stderr}")
        yield
    finally:
        process.kill()
        process.wait()


def postgres(folder, service):
    """PostgreSQL with the user, the password and the database that its image would make from these variables."""
    settings, data, password = service["environment"], folder / "postgres", folder / "password"
    data.mkdir()
    folder.chmod(0o755)
    password.write_text(settings["POSTGRES_PASSWORD"])
    shutil.chown(data, "postgres")
    programs = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
    program = lambda name: str(programs / name) if programs else shutil.which(name)
    as_postgres = ["setpriv", "--reuid=postgres", "--clear-groups"]
    run(*as_postgres, program("initdb"), "--no-sync", "--auth=scram-sha-256", f"--pwfile={password}", f"--username={settings['POSTGRES_USER']}", "--encoding=UTF8", data, cwd="/")
    # The database of the user's name is what the image makes at its first start.
    single = [*as_postgres, program("postgres"), "--single", "-D", str(data), "postgres"]
    subprocess.run(single, input=f"CREATE DATABASE {settings['POSTGRES_DB']}\n", text=True, check=True, capture_output=True, cwd="/")
    options = ["-c", f"listen_addresses={ADDRESSES['postgres']}", "-c", "unix_socket_directories=", "-c", "fsync=off"]
    kind, *health = service["healthcheck"]["test"]
    eq(kind, "CMD")
    health[0] = program(health[0])
    return server([program("postgres"), "-D", str(data), *options], health, {"PGHOST": ADDRESSES["postgres"]}, user="postgres")


def redis(folder, service):
    """Redis with the arguments of the compose file."""
    kind, *health = service["healthcheck"]["test"]
    eq(kind, "CMD")
    health.insert(1, "-h")
    health.insert(2, ADDRESSES["redis"])
    return server([*service["command"], "--bind", ADDRESSES["redis"], "--dir", str(folder)], health, service["environment"])
