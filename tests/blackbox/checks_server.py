"""The server: who may decide and see, what is stored, and what is noticed when it is damaged."""

import contextlib
import http.client
import json
import random
import subprocess
import threading
import time

from checks_gateway import GOOD, WEATHER
from dialects import answer, body
from suite import check, eq, ok
from world import Answer, Server, free_port

PAY = ("pay_invoice", "Pays an invoice.", {"type": "object", "properties": {"invoice_id": {"type": "string"}}, "required": ["invoice_id"]})


@contextlib.contextmanager
def running(world, **options):
    server = Server(world.program, world.provider, **options)
    try:
        yield server.start()
    finally:
        server.stop()


def make_key(server, name, *scopes):
    done = server.run("keys", "create", "--name", name, "--scope", ",".join(scopes), "--data-dir", str(server.data))
    eq(done.returncode, 0, done.stderr)
    return next(word for word in done.stdout.split() if len(word) > 24)


def bearer(key):
    return {"authorization": f"Bearer {key}"}


def chat(world, server, given, headers=None, tools=(WEATHER,), said="What is the weather in Oslo?", model=None, **more):
    model = model or world.fresh("model")
    if given is not None:
        world.provider.answers[model] = [Answer(given)]
    return server.request("POST", "/v1/chat/completions", body("chat", model, tools, said, **more), headers), model


@contextlib.contextmanager
def with_keys(world):
    """A server with keys: two callers, a reviewer, an operator."""
    server = Server(world.program, world.provider)
    try:
        keys = {
            "ann": make_key(server, "ann", "engine", "sessions"),
            "bob": make_key(server, "bob", "engine", "sessions"),
            "both": make_key(server, "both", "engine", "review"),
            "rita": make_key(server, "rita", "review"),
            "op": make_key(server, "op", "admin"),
        }
        yield server.start(), keys
    finally:
        server.stop()


def pending(world, server, key, said="Pay my invoice."):
    """A payment of an invoice that nobody named waits for a person."""
    reply, model = chat(world, server, answer("chat", calls=[("pay_invoice", '{"invoice_id": "INV-90817"}')]), bearer(key), [PAY], said)
    text = reply.json()["choices"][0]["message"]["content"] or ""
    ok("rev_" in text, f"no review was opened: {reply.body[:400]}")
    return "rev_" + text.split("rev_")[1].split(")")[0].split()[0].rstrip(".)）"), model


@check("7", "REVIEW-1")
def only_a_reviewer_decides_and_never_on_their_own_call(world):
    with with_keys(world) as (server, keys):
        review, _ = pending(world, server, keys["ann"])
        decide = lambda who: server.request("POST", f"/v1/reviews/{review}/decision", {"decision": "approve"}, bearer(keys[who])).status
        for who in ("ann", "bob"):
            ok(decide(who) in (403, 404), f"{who} decided")
        own, _ = pending(world, server, keys["both"], said="Pay my other invoice.")
        status = server.request("POST", f"/v1/reviews/{own}/decision", {"decision": "approve"}, bearer(keys["both"])).status
        ok(status in (403, 404), f"a key decided on its own call: {status}")
        eq(decide("rita"), 200)


@check("7", "REVIEW-1")
def an_approval_holds_for_its_caller_conversation_and_tool(world):
    with with_keys(world) as (server, keys):
        review, model = pending(world, server, keys["ann"])
        eq(server.request("POST", f"/v1/reviews/{review}/decision", {"decision": "approve"}, bearer(keys["rita"])).status, 200)
        calls = lambda reply: reply.json()["choices"][0]["message"].get("tool_calls") or []
        other, _ = chat(world, server, None, bearer(keys["bob"]), [PAY], "Pay my invoice.", model)
        eq(calls(other), [], "another caller used the approval")
        elsewhere, _ = chat(world, server, None, bearer(keys["ann"]), [PAY], "Something else entirely: what is new?", model)
        eq(calls(elsewhere), [], "another conversation used the approval")
        changed = (PAY[0], "Pays an invoice from the company's account.", PAY[2])
        redefined, _ = chat(world, server, None, bearer(keys["ann"]), [changed], "Pay my invoice.", model)
        eq(calls(redefined), [], "another definition of the tool used the approval")
        same, _ = chat(world, server, None, bearer(keys["ann"]), [PAY], "Pay my invoice.", model)
        eq(len(calls(same)), 1, "the same call again did not go through")
        again, _ = chat(world, server, None, bearer(keys["ann"]), [PAY], "Pay my invoice.", model)
        eq(calls(again), [], "the approval was used twice")


@check("7", "REVIEW-1")
def the_reviewers_name_comes_from_the_key(world):
    with with_keys(world) as (server, keys):
        review, _ = pending(world, server, keys["ann"])
        server.request("POST", f"/v1/reviews/{review}/reserve", {"reviewer": "The Boss"}, bearer(keys["rita"]))
        eq(server.request("POST", f"/v1/reviews/{review}/decision", {"decision": "reject", "reason": "no"}, bearer(keys["rita"])).status, 200)
        item = server.request("GET", f"/v1/reviews/{review}", headers=bearer(keys["op"])).json()
        ok("rita" in json.dumps(item), f"the record does not name the key: {json.dumps(item)[:600]}")


@check("8", "SERVE-1", "STREAM-5")
def keys_see_only_what_is_theirs(world):
    with with_keys(world) as (server, keys):
        reply, _ = chat(world, server, answer("chat", calls=[GOOD]), bearer(keys["ann"]))
        verdict = reply.headers["countersign-verdict"]
        time.sleep(0.3)
        listed = lambda who: [v.get("verdict_id", v.get("id")) for v in server.request("GET", "/v1/verdicts", headers=bearer(keys[who])).json()["verdicts"]]
        eq(server.request("GET", f"/v1/verdicts/{verdict}", headers=bearer(keys["op"])).status, 200)
        ok(server.request("GET", f"/v1/verdicts/{verdict}", headers=bearer(keys["bob"])).status in (403, 404), "bob sees ann's verdict")
        reply = server.request("GET", "/v1/verdicts", headers=bearer(keys["bob"]))
        ok(reply.status == 403 or verdict not in reply.body.decode(), "bob's list has ann's verdict")
        ok(verdict in str(listed("op")), "the operator does not see it")
        review, _ = pending(world, server, keys["ann"])
        ok(server.request("GET", f"/v1/reviews/{review}", headers=bearer(keys["bob"])).status in (403, 404), "bob sees ann's review")


@check("8", "SERVE-1")
def wrong_keys_are_limited_on_every_route(world):
    with with_keys(world) as (server, keys):
        for path in ("/v1/models", "/v1/verdicts", "/v1/sessions", "/v1/stats"):
            seen = set()
            for at in range(300):
                reply = server.request("GET", path, headers=bearer(f"wrong-key-{at}-{random.random()}"))
                seen.add(reply.status)
                if reply.status == 429:
                    ok(int(reply.headers["retry-after"]) >= 1, "no honest retry-after")
                    break
            ok(429 in seen, f"{path}: 300 wrong keys were answered with {seen}")
        eq(server.request("GET", "/v1/sessions", headers=bearer(keys["ann"])).status, 200, "a right key from the same address")


@check("8", "SERVE-1")
def a_weak_key_is_refused_on_a_public_address(world):
    for key in ("abc", "password", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"):
        server = Server(world.program, world.provider, env={"COUNTERSIGN_API_KEYS": key})
        command = [world.program, "serve", "--listen", f"0.0.0.0:{free_port()}", "--data-dir", str(server.data)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=server.env, timeout=8)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the server listens everywhere with the key {key}") from None
        eq(done.returncode, 2, key)
        ok("key" in done.stderr and key not in done.stderr, done.stderr)


@check("8", "SERVE-1")
def a_server_that_lost_its_keys_stays_closed(world):
    server = Server(world.program, world.provider)
    try:
        key = make_key(server, "ann", "engine")
        server.start()
        eq(server.request("GET", "/v1/models").status, 401)
        listed = server.run("keys", "list", "--data-dir", str(server.data)).stdout
        name = listed.split()[0]
        server.run("keys", "revoke", name, "--data-dir", str(server.data))
        server.stop()
        with contextlib.suppress(AssertionError):
            server.start()
            ok(server.request("GET", "/v1/models").status in (401, 403), f"it opened itself ({key[:3]}…)")
    finally:
        server.stop()


@check("9", "REVIEW-2")
def an_image_of_another_page_is_no_reviewer(world):
    with running(world) as server:
        stop = threading.Event()

        def watch():
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
            headers = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "image", "accept": "image/*", "referer": "http://evil.test/"}
            with contextlib.suppress(OSError):
                connection.request("GET", "/v1/reviews/events", headers=headers)
                connection.getresponse()
                stop.wait(15)

        threading.Thread(target=watch, daemon=True).start()
        time.sleep(0.5)
        began = time.monotonic()
        chat(world, server, answer("chat", calls=[("pay_invoice", '{"invoice_id": "INV-90817"}')]), tools=[PAY], said="Pay my invoice.")
        stop.set()
        ok(time.monotonic() - began < 5, "the call was held for a reviewer who is not there")


@check("10", "SERVE-5")
def a_deep_call_does_not_break_the_readers(world):
    with running(world) as server:
        free = ("store", "Store anything.", {"type": "object", "properties": {"value": {}}})
        for depth in (60, 100, 120, 125, 127, 130, 400):
            written = '{"value": ' + "[" * depth + "]" * depth + "}"
            chat(world, server, answer("chat", calls=[("store", written)]), tools=[free], said="Store it.")
        time.sleep(0.5)
        for path in ("/v1/stats", "/v1/verdicts", "/v1/verdicts?format=jsonl", "/v1/reviews", "/v1/reviews?state=pending"):
            eq(server.request("GET", path).status, 200, path)
        eq(server.request("POST", "/v1/policy/replay", {"policy": 'level = "strict"'}).status, 200, "replay")


@check("11", "SERVE-5")
def what_was_delivered_is_on_record_after_a_kill(world):
    server = Server(world.program, world.provider).start()
    try:
        model = world.fresh("model")
        world.provider.answers[model] = [Answer(answer("chat", calls=[GOOD]))]
        delivered, lock, over = [], threading.Lock(), threading.Event()

        def client():
            while not over.is_set():
                try:
                    reply, _ = chat(world, server, None, model=model)
                except (OSError, ValueError):
                    return
                if reply.status == 200 and "countersign-verdict" in reply.headers:
                    with lock:
                        delivered.append(reply.headers["countersign-verdict"])

        threads = [threading.Thread(target=client, daemon=True) for _ in range(8)]
        [thread.start() for thread in threads]
        time.sleep(2)
        server.kill()
        over.set()
        [thread.join(5) for thread in threads]
        server.start()
        ok(len(delivered) > 20, f"only {len(delivered)} calls were delivered")
        lost = [verdict for verdict in delivered if server.request("GET", f"/v1/verdicts/{verdict}").status != 200]
        eq(len(lost), 0, f"{len(lost)} of {len(delivered)} delivered calls are not in the audit")
    finally:
        server.stop()


@check("11", "SERVE-5")
def a_request_is_stored_once(world):
    with running(world) as server:
        calls = [("get_weather", json.dumps({"city": f"City {at}"})) for at in range(100)]
        said = "The weather of " + ", ".join(f"City {at}" for at in range(100)) + ". " + "Some long background. " * 40000
        reply, _ = chat(world, server, answer("chat", calls=calls), said=said)
        eq(reply.status, 200)
        time.sleep(1)
        size = sum(path.stat().st_size for path in server.data.rglob("*") if path.is_file())
        ok(size < 12_000_000, f"a request of {len(said)} bytes with 100 calls takes {size} bytes")
        verdict = reply.headers["countersign-verdict"]
        shown = server.request("GET", f"/v1/verdicts/{verdict}").body
        ok(b"Some long background" in shown, "the verdict no longer shows its request")


def health_of_store(server):
    """The health, as soon as it says that the store is not well: within five seconds."""
    until = time.monotonic() + 5
    while True:
        health = server.request("GET", "/health").json()
        if health["layers"]["store"]["status"] != "healthy" or time.monotonic() > until:
            return health
        time.sleep(0.1)


@check("12", "SERVE-3", "SERVE-5")
def damage_in_the_write_ahead_log_is_noticed(world):
    server = Server(world.program, world.provider).start()
    try:
        for _ in range(30):
            eq(server.request("POST", "/v1/sessions", {"agent": "react"}).status, 201)
        server.kill()
        [log] = [path for path in server.data.rglob("*-wal") if path.stat().st_size > 10_000]
        data = bytearray(log.read_bytes())
        data[len(data) // 3] ^= 0xFF
        log.write_bytes(data)
        server.start()
        health = health_of_store(server)
        sessions = server.request("GET", "/v1/sessions?limit=100").json()["sessions"]
        noticed = health["layers"]["store"]["status"] != "healthy" and "damage" in (json.dumps(health) + server.said()).lower()
        ok(noticed or len(sessions) == 30, f"{len(sessions)} of 30 sessions, and health says {json.dumps(health)[:400]}")
        aside = [path.name for path in server.data.rglob("*") if "damage" in path.name]
        ok(aside or len(sessions) == 30, f"nothing was set aside: {[path.name for path in server.data.rglob('*')]}")
    finally:
        server.stop()
