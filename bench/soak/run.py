#!/usr/bin/env python3
"""A long time under load and faults: agents, the gateway, reviews, kills, restarts of PostgreSQL and Redis, clocks that jump.

    bench/soak/run.py [--minutes 60] [--program target/quick/countersign] [--output FILE]

Everything runs on 127.0.0.1 and in one folder that is removed at the end. Exit code 1 where something was lost: a hole in a session's events, a
turn without exactly one end, a call that a client received and the audit does not have, a node that ended by itself, or memory that grew.
"""
import argparse, collections, http.client, json, random, re, shutil, statistics, sys, tempfile, threading, time, urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from servers import Node, Postgres, Redis

CLIENT, OPERATOR = "soak-client-key-83fk2", "soak-operator-key-9d1mz"
WEATHER = {"type": "function", "function": {"name": "get_weather", "description": "The weather of a city", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}}
DELETE = {"type": "function", "function": {"name": "delete_customer", "description": "Deletes a customer for good", "parameters": {"type": "object", "properties": {"customer_id": {"type": "string"}}, "required": ["customer_id"]}}}
MODELS = ["demo", "demo-clean", "demo-types", "demo-name", "demo-unknown-tool"]
# As the demo model makes them.
OWN_ID = re.compile(r"^call_[0-9a-f]{24}$")
ENDS = {"completed", "failed", "stopped", "lost"}


class World:
    def __init__(self, args):
        self.folder = tempfile.mkdtemp(prefix="countersign-soak-")
        self.random = random.Random(args.seed)
        self.over = threading.Event()
        self.counts, self.problems, self.lock = collections.Counter(), [], threading.Lock()
        self.received, self.sessions, self.memory = [], {}, collections.defaultdict(list)
        self.postgres, self.redis = Postgres(self.folder), Redis(self.folder)
        settings = {"COUNTERSIGN_POSTGRES_URL": self.postgres.url, "COUNTERSIGN_REDIS_URL": self.redis.url,
                    "COUNTERSIGN_API_KEYS": f"client:engine+sessions={CLIENT},operator:admin={OPERATOR}", "COUNTERSIGN_SESSION_KEY": "s" * 40, "COUNTERSIGN_REVIEW_EXPIRY": "60s"}
        # The first node is killed again and again; the second lives through everything else, and its memory is watched.
        self.nodes = [Node("node-1", self.folder, args.program, settings), Node("node-2", self.folder, args.program, settings)]

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def problem(self, text):
        with self.lock:
            self.problems.append(text)

    def ask(self, node, method, path, body=None, key=CLIENT, timeout=30):
        """A whole answer: status, headers, bytes. An error of the connection is None."""
        address = urllib.parse.urlsplit(node.base)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=timeout)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, {"content-type": "application/json", "x-api-key": key})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()


def gateway_worker(world, number):
    """Calls through the drop-in route; what is received whole must be in the audit."""
    rng = random.Random(number)
    while not world.over.is_set():
        node, streamed = rng.choice(world.nodes), rng.random() < 0.5
        city = rng.choice(["Oslo", "Lima", "Kyoto", "Accra"])
        body = {"model": rng.choice(MODELS), "stream": streamed, "tools": [WEATHER], "messages": [{"role": "user", "content": f"What is the weather in {city} for {rng.randint(1, 9)} days?"}]}
        answer = world.ask(node, "POST", "/v1/chat/completions", body)
        if answer is None or answer[0] >= 500:
            world.count("gateway: failed while something was down")
            time.sleep(0.2)
            continue
        status, _, raw = answer
        world.count(f"gateway: {status}")
        ids = calls_of(raw.decode(), streamed) if status == 200 else []
        with world.lock:
            world.received.extend(ids)
        time.sleep(rng.uniform(0, 0.05))


def calls_of(text, streamed):
    if not streamed:
        message = json.loads(text)["choices"][0]["message"]
        return [call["id"] for call in message.get("tool_calls") or []]
    if "[DONE]" not in text:
        return []
    found = []
    for line in text.splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line[6:]).get("choices", []):
                found += [call["id"] for call in choice.get("delta", {}).get("tool_calls") or [] if call.get("id")]
    return found


def session_worker(world, number):
    """Hosted turns: some plain, some with a tool that the client runs, some that wait for a person."""
    rng = random.Random(1000 + number)
    while not world.over.is_set():
        node = rng.choice(world.nodes)
        made = world.ask(node, "POST", "/v1/sessions", {"agent": "react", "model": rng.choice(MODELS), "tools": [WEATHER, DELETE]})
        if made is None or made[0] != 201:
            time.sleep(0.3)
            continue
        session = json.loads(made[2])["session_id"]
        turns = 0
        for _ in range(rng.randint(1, 3)):
            if world.over.is_set():
                break
            words = rng.choice(["What is the weather in Oslo for 3 days?", "Delete customer C-1042 now", "Tell me something about rivers."])
            if begin(world, rng, session, words):
                turns += 1
                follow(world, rng, session, turns)
        with world.lock:
            world.sessions[session] = turns


def begin(world, rng, session, words):
    """Posts a message; the answer's stream is left at once, as a phone that loses its network does."""
    for _ in range(20):
        node = rng.choice(world.nodes)
        address = urllib.parse.urlsplit(node.base)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
        try:
            connection.request("POST", f"/v1/sessions/{session}/messages", json.dumps({"content": words}), {"content-type": "application/json", "x-api-key": CLIENT})
            answer = connection.getresponse()
            if answer.status == 200:
                answer.read(200)
                world.count("turns begun")
                return True
            if answer.status not in (409, 429, 500, 502, 503, 504):
                world.problem(f"a message was answered {answer.status}: {answer.read()[:200]}")
                return False
        except (OSError, http.client.HTTPException):
            # Nobody knows whether it began; the log does.
            if ends(events(world, session)) != ends_before(world, session):
                return True
        finally:
            connection.close()
        time.sleep(0.5)
    return False


def ends_before(world, session):
    return world.sessions.get(session, 0)


def ends(all_events):
    return sum(event["event_type"] in ENDS for event in all_events or [])


def events(world, session, key=CLIENT):
    """The whole log of a session, read from any node that answers."""
    for node in world.nodes:
        address = urllib.parse.urlsplit(node.base)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
        try:
            connection.request("GET", f"/v1/sessions/{session}/export", headers={"x-api-key": key})
            answer = connection.getresponse()
            body = answer.read()
            if answer.status == 200:
                return parse_export(body)
        except (OSError, http.client.HTTPException, ValueError):
            pass
        finally:
            connection.close()
    return None


def parse_export(body):
    text = body.decode()
    try:
        whole = json.loads(text)
        return whole["events"] if isinstance(whole, dict) else whole
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.startswith("{") and '"event_type"' in line]


def follow(world, rng, session, turn):
    """Waits for the end of a turn, and runs the tools that it asks for."""
    answered = set()
    end = time.monotonic() + 150
    while time.monotonic() < end and not world.over.is_set():
        log = events(world, session)
        if log is not None and ends(log) >= turn:
            world.count("turns ended")
            return
        for event in log or []:
            if event["event_type"] == "tool_call" and event["payload"]["call_id"] not in answered:
                result = {"call_id": event["payload"]["call_id"], "content": {"city": "Oslo", "temperature": 3, "ok": True}}
                sent = world.ask(rng.choice(world.nodes), "POST", f"/v1/sessions/{session}/tool_results", result)
                if sent is not None and sent[0] < 500:
                    answered.add(event["payload"]["call_id"])
        time.sleep(0.4)


def reviewer(world):
    rng = random.Random(7)
    while not world.over.is_set():
        node = rng.choice(world.nodes)
        listed = world.ask(node, "GET", "/v1/reviews?state=pending", key=OPERATOR)
        if listed is not None and listed[0] == 200:
            for item in json.loads(listed[2])["reviews"][:20]:
                decision = {"decision": rng.choice(["approve", "reject"]), "reason": "soak"}
                decided = world.ask(rng.choice(world.nodes), "POST", f"/v1/reviews/{item['review_id']}/decision", decision, key=OPERATOR)
                if decided is not None and decided[0] == 200:
                    world.count("reviews decided")
        time.sleep(1)


def watcher(world, began):
    """Memory, health and figures of both nodes, every five seconds."""
    while not world.over.wait(5):
        for node in world.nodes:
            memory = node.memory()
            if memory is not None:
                world.memory[node.name].append((time.monotonic() - began, node.starts, memory))
            if world.ask(node, "GET", "/v1/stats", key=OPERATOR, timeout=20) is not None:
                world.count("looks at /v1/stats")


def faults(world, every):
    """One fault after the other; each is over before the next begins."""
    first, second = world.nodes
    kinds = ["kill", "postgres", "redis", "terminate", "clock", "both stores"]
    at = 0
    while not world.over.wait(every):
        kind = kinds[at % len(kinds)]
        at += 1
        try:
            if kind == "kill":
                first.restart()
            elif kind == "terminate":
                if first.terminate() != 0:
                    world.problem("a node that was told to end did not end in order")
            elif kind == "postgres":
                world.postgres.restart()
            elif kind == "redis":
                world.redis.restart()
            elif kind == "both stores":
                world.postgres.kill(); world.redis.kill()
                time.sleep(3)
                world.postgres.start(); world.redis.start()
                world.postgres.wait(); world.redis.wait()
            elif kind == "clock":
                if not second.jumps:
                    continue
                for node in world.nodes:
                    node.clock.write_text(f"{world.random.choice(['+3600s', '-3600s', '+86400s', '-600s'])}\n")
                time.sleep(every / 2)
                for node in world.nodes:
                    node.clock.write_text("+0s\n")
        except RuntimeError as error:
            world.problem(f"{kind}: {error}")
        if second.process.poll() is not None:
            world.problem(f"node-2 ended by itself with {second.process.returncode}")
            second.start(); second.wait()
        world.count(f"fault: {kind}")


def examine(world):
    """Nothing lost: every session dense with one end a turn, every received call in the audit."""
    for node in world.nodes:
        node.wait()
    deadline = time.monotonic() + 60
    for session in list(world.sessions):
        log = events(world, session, OPERATOR)
        while log is None and time.monotonic() < deadline:
            time.sleep(1)
            log = events(world, session, OPERATOR)
        check_session(world, session, log)
    known, released = audited(world)
    # A call that the model gave no id, or one that it had used before, gets a new one on its way; it is counted instead.
    missing = [call for call in world.received if OWN_ID.match(call) and call not in known]
    if missing:
        world.problem(f"{len(missing)} of {len(world.received)} received calls are not in the audit, such as {missing[:3]}")
    if released < len(world.received):
        world.problem(f"{len(world.received)} calls were received, and the audit has {released} that were released")
    check_memory(world)


def check_session(world, session, log):
    if log is None:
        return world.problem(f"the log of {session} cannot be read")
    numbers = [int(event["id"].split(".")[1]) for event in log]
    if numbers != list(range(1, len(numbers) + 1)):
        world.problem(f"{session} has holes or duplicates: {numbers[:5]} … {numbers[-5:]}")
    asked = sum(event["event_type"] == "message" and event["payload"].get("role") == "user" for event in log)
    if ends(log) > asked or asked - ends(log) > 1:
        world.problem(f"{session}: {asked} turns, {ends(log)} ends")
    world.count("sessions examined")
    with world.lock:
        world.counts["events examined"] += len(log)


def audited(world):
    known, released, after = set(), 0, ""
    while True:
        page = world.ask(world.nodes[1], "GET", f"/v1/verdicts?limit=200&of=call{after}", key=OPERATOR, timeout=60)
        if page is None or page[0] != 200:
            world.problem(f"the audit cannot be read: {page and page[2][:200]}")
            return known, released
        body = json.loads(page[2])
        known.update(verdict["call_id"] for verdict in body["verdicts"])
        released += sum(verdict.get("released", False) for verdict in body["verdicts"])
        if not body.get("next"):
            return known, released
        after = f"&after={urllib.parse.quote(body['next'])}"


def check_memory(world):
    """The node that is never killed must not grow: its second quarter against its last."""
    seen = [memory for _, _, memory in world.memory["node-2"]]
    quarter = len(seen) // 4
    if quarter < 5:
        return
    early, late = statistics.median(seen[quarter:2 * quarter]), statistics.median(seen[-quarter:])
    world.growth = (early, late)
    if late > early * 1.3 + 20:
        world.problem(f"memory of node-2 grew from {early:.0f} to {late:.0f} MiB")


def report(world, minutes):
    lines = [f"soak of {minutes:g} minutes, 2 nodes on PostgreSQL and Redis", ""]
    lines += [f"  {what:<45} {count:>8}" for what, count in sorted(world.counts.items())]
    lines.append(f"  {'calls received and held against the audit':<45} {len(world.received):>8}")
    for name, seen in world.memory.items():
        values = [memory for _, _, memory in seen]
        if values:
            lines.append(f"  {name + ': memory, MiB (least, median, most)':<45} {min(values):.0f}, {statistics.median(values):.0f}, {max(values):.0f}")
    if hasattr(world, "growth"):
        lines.append(f"  {'node-2: memory, second quarter and last':<45} {world.growth[0]:.0f}, {world.growth[1]:.0f} MiB")
    lines += ["", "nothing lost" if not world.problems else f"{len(world.problems)} problems:"] + [f"  {problem}" for problem in world.problems[:20]]
    return "\n".join(lines) + "\n"


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--minutes", type=float, default=60)
    args.add_argument("--program", default="target/quick/countersign")
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--every", type=float, default=20, help="seconds between two faults")
    args.add_argument("--output", help="write the report there too")
    args = args.parse_args()
    args.program = str(Path(args.program).resolve())
    world = World(args)
    began = time.monotonic()
    workers = [threading.Thread(target=gateway_worker, args=(world, n)) for n in range(4)]
    workers += [threading.Thread(target=session_worker, args=(world, n)) for n in range(6)]
    workers += [threading.Thread(target=reviewer, args=(world,)), threading.Thread(target=watcher, args=(world, began)), threading.Thread(target=faults, args=(world, args.every))]
    try:
        for worker in workers:
            worker.start()
        time.sleep(args.minutes * 60)
        world.over.set()
        for worker in workers:
            worker.join(timeout=200)
        time.sleep(8)
        examine(world)
    finally:
        world.over.set()
        for server in [*world.nodes, world.postgres, world.redis]:
            try:
                server.kill()
            except ProcessLookupError:
                pass
    text = report(world, args.minutes)
    print(text, end="")
    if args.output:
        Path(args.output).write_text(text)
    if world.problems:
        print(f"the logs are in {world.folder}", file=sys.stderr)
        return 1
    shutil.rmtree(world.folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
