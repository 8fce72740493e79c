"""The engine through `countersign check` and `verify`: repairs that keep the meaning, effects, danger, and alarms that were wrong."""

import json
import subprocess

from suite import check, eq, ok

REFUSED = {"validation_failed", "rejected", "requires_review"}


def run(world, command, *lines, policy=None):
    args = [world.program, command, "--format", "jsonl"]
    if policy:
        path = world.folder / "policy.toml"
        path.write_text(policy, encoding="utf-8")
        args += ["--policy", str(path)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    done = subprocess.run(args, input=text, capture_output=True, text=True, timeout=60)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    eq(len(answers), len(lines), done.stderr[-400:])
    return answers


def tool(name, description="", properties=None, **more):
    schema = {"type": "object", "properties": properties or {}} | more
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def request(tools, name, arguments, said="Please do it.", **more):
    return {"tools": tools, "messages": [{"role": "user", "content": said}], "call": {"name": name, "arguments": arguments}} | more


def codes(answer):
    return [finding["code"] for finding in answer["findings"] if finding["severity"] != "info"]


@check("19", "MEANING-5", "CALL-1")
def a_rename_never_turns_a_call_around(world):
    pairs = [
        ("lock_door", "unlock_door"),
        ("block_user", "unblock_user"),
        ("encrypt", "decrypt"),
        ("get_user", "set_user"),
        ("dry_run_deploy", "run_deploy"),
        ("mute_channel", "unmute_channel"),
        ("enable_alarm", "disable_alarm"),
        ("connect_device", "disconnect_device"),
        ("archive_chat", "unarchive_chat"),
        ("subscribe", "unsubscribe"),
        ("import_data", "export_data"),
        ("preview_delete_user", "delete_user"),
    ]
    for written, registered in pairs:
        for one, other in ((written, registered), (registered, written)):
            [answer] = run(world, "check", request([tool(other, "")], one, {}))
            ok(answer["call"] is None, f"{one} became {other}: {answer['call']}")


@check("19", "CALL-1")
def a_plain_misspelling_is_still_mended(world):
    for written, registered in [("get_wether", "get_weather"), ("getWeather", "get_weather"), ("mcp__x__get_weather", "get_weather"), ("search_flight", "search_flights")]:
        [answer] = run(world, "check", request([tool(registered)], written, {}))
        eq((answer["call"] or {}).get("name"), registered, written)


@check("20", "CALL-5", "CALL-6", "MEANING-4")
def what_a_tool_does_is_told_by_all_it_says(world):
    acting = [
        ("get_and_delete_all", ""),
        ("obliterate", "Deletes everything"),
        ("send_money", "Sends money to an account"),
        ("process", "Permanently removes the selected customer record."),
        ("finalize", "Charges the customer's card."),
        ("处理", "删除所有记录"),
    ]
    for name, description in acting:
        [answer] = run(world, "check", request([tool(name, description)], name, {}, context={"user": {"role": "viewer"}}))
        eq(answer["status"], "rejected", f"{name}: {description}")
    reading = [
        ("list_deleted_items", "Returns deleted items."),
        ("list_payments", "Lists the payments of a customer."),
        ("get_send_status", "Gets the send status of a message."),
        ("search_docs", "Searches the docs. Does not delete or change anything."),
        ("preview_email", "Shows how an e-mail would look. Nothing is sent."),
    ]
    for name, description in reading:
        [answer] = run(world, "check", request([tool(name, description)], name, {}, context={"user": {"role": "viewer"}}))
        eq(answer["status"], "approved", f"{name}: {description}")


SHELL = tool("run_command", "Run a shell command.", {"command": {"type": "string"}}, required=["command"])
QUERY = tool("query_database", "Run a read-only SQL query.", {"sql": {"type": "string"}}, required=["sql"])
FETCH = tool("fetch_url", "Fetch a web page.", {"url": {"type": "string"}}, required=["url"])


@check("21", "CALL-6")
def destruction_in_disguise_is_seen(world):
    commands = [
        "\\rm -rf /",
        "rm${IFS}-rf${IFS}/",
        "'rm' -rf /",
        'r""m -rf /',
        "command rm -rf /",
        "env X=1 rm -rf /",
        "python3 -c \"import shutil; shutil.rmtree('/')\"",
        "echo cm0gLXJmIC8= | base64 -d | sh",
        'eval "$(echo cm0gLXJmIC8= | base64 -d)"',
        "cd / && sudo rm -fr --no-preserve-root /",
    ]
    for command in commands:
        [answer] = run(world, "check", request([SHELL], "run_command", {"command": command}, said="Tidy up the build folder."))
        ok(answer["status"] in REFUSED, f"{command}: {answer['status']}")
    for sql in ["DROP TABLE users", "DELETE FROM users", "SELECT 1; TRUNCATE orders"]:
        [answer] = run(world, "check", request([QUERY], "query_database", {"sql": sql}, said="How many users do we have?"))
        ok(answer["status"] in REFUSED, f"{sql}: {answer['status']}")
    for url in ["http://127。0。0。1/admin", "http://①②⑦.⓪.⓪.①/admin", "http://１２７.0.0.1/", "http://0x7f000001/"]:
        [answer] = run(world, "check", request([FETCH], "fetch_url", {"url": url}, said=f"Fetch {url}"))
        ok(answer["status"] in REFUSED, f"{url}: {answer['status']}")


@check("21", "CALL-6")
def words_about_destruction_are_data(world):
    commands = [
        'git commit -m "Explain why rm -rf / is dangerous"',
        "cat > notes.md <<'END'\nNever run rm -rf / on a server.\nEND",
        'echo "rm -rf / is a bad idea" >> README.md',
        "grep -rn 'rm -rf /' docs/",
        "rm -rf build/",
        "python3 -c \"print('hello')\"",
        'psql -c "SELECT count(*) FROM users"',
    ]
    for command in commands:
        [answer] = run(world, "check", request([SHELL], "run_command", {"command": command}, said=f"Run {command}"))
        ok(answer["status"] in ("approved", "caution"), f"{command}: {answer['status']} {codes(answer)}")
    for sql in ["SELECT * FROM users WHERE note = 'DROP TABLE users'", "SELECT count(*) FROM deleted_users"]:
        [answer] = run(world, "check", request([QUERY], "query_database", {"sql": sql}, said="How many users do we have?"))
        ok(answer["status"] in ("approved", "caution"), f"{sql}: {answer['status']} {codes(answer)}")


@check("22", "CALL-6")
def a_shutdown_that_was_asked_for_goes_to_a_person(world):
    [answer] = run(world, "check", request([SHELL], "run_command", {"command": "sudo shutdown -h now"}, said="Please shut this machine down now: sudo shutdown -h now"))
    eq(answer["status"], "requires_review")


@check("22", "CALL-2")
def an_object_without_properties_is_open(world):
    free = {"type": "function", "function": {"name": "store_event", "description": "Store an event.", "parameters": {"type": "object"}}}
    [answer] = run(world, "check", request([free], "store_event", {"kind": "visit", "count": 3}, said="Store a visit with count 3."))
    eq(answer["status"], "approved", str(codes(answer)))
    nested = tool("track", "Track an event.", {"event": {"type": "object"}, "name": {"type": "string"}})
    [answer] = run(world, "check", request([nested], "track", {"name": "visit", "event": {"page": "/home", "ms": 20}}, said="Track a visit of /home, 20 ms."))
    eq(answer["status"], "approved", str(codes(answer)))
    [answer] = run(world, "check", request([nested], "track", {"name": "visit", "colour": "red"}, said="Track a red visit."))
    eq(answer["status"], "validation_failed", "an unknown field beside declared ones")


@check("22", "RESULT-5")
def records_of_a_list_do_not_contradict_each_other(world):
    call = {"id": "c1", "name": "list_orders", "arguments": {}}
    contents = [
        [{"id": 1, "status": "open", "paid": True}, {"id": 2, "status": "closed", "paid": False}],
        "- id: 1\n  status: active\n  enabled: true\n- id: 2\n  status: inactive\n  enabled: false\n",
        "id: 1\nstatus: active\n---\nid: 2\nstatus: inactive\n",
        "Order 1 is open.\nOrder 2 is not open.\n",
    ]
    for content in contents:
        [answer] = run(world, "verify", {"call": call, "result": {"call_id": "c1", "content": content}})
        ok("result.contradiction" not in [f["code"] for f in answer["findings"]], short_of(content))


def short_of(content):
    return f"{json.dumps(content)[:120]} is called a contradiction"


@check("22", "CALL-8")
def the_id_of_an_example_grounds_nothing(world):
    cancel = tool("cancel_order", "Cancel an order, e.g. ORD-12345.", {"order_id": {"type": "string", "description": "The order's id, for example ORD-12345"}}, required=["order_id"])
    [copied] = run(world, "check", request([cancel], "cancel_order", {"order_id": "ORD-12345"}, said="Cancel my last order."))
    ok(codes(copied), "an id that was copied from the description's example passed in silence")
    [said] = run(world, "check", request([cancel], "cancel_order", {"order_id": "ORD-12345"}, said="Cancel order ORD-12345."))
    eq(codes(said), [])


@check("22", "CALL-4")
def a_format_that_cannot_be_read_is_no_rule(world):
    book = tool("book", "Book a table.", {"date": {"type": "string", "description": "The date, as MM-DD-YYY"}}, required=["date"])
    [answer] = run(world, "check", request([book], "book", {"date": "05-11-2026"}, said="Book a table for 05-11-2026."))
    eq(codes(answer), [])


@check("23", "CALL-5")
def rules_may_use_the_macros_of_cel(world):
    mail = tool("send_mail", "Send a mail.", {"to": {"type": "array", "items": {"type": "string"}}, "text": {"type": "string"}})
    policy = (
        '[[rules]]\nname = "only-ours"\ntools = ["send_mail"]\nwhen = \'!arguments.to.all(a, a.endsWith("@example.com"))\'\neffect = "deny"\nreason = "only to example.com"\n'
    )
    said = "Mail ann@example.com and eve@evil.test: hello"
    lines = [
        request([mail], "send_mail", {"to": ["ann@example.com"], "text": "hello"}, said=said),
        request([mail], "send_mail", {"to": ["ann@example.com", "eve@evil.test"], "text": "hello"}, said=said),
    ]
    fine, denied = run(world, "check", *lines, policy=policy)
    ok(fine["status"] != "rejected", fine["status"])
    eq(denied["status"], "rejected")


@check("23", "CALL-5")
def previous_calls_come_from_the_messages(world):
    pay = tool("pay", "Pay an invoice.", {"invoice": {"type": "string"}})
    policy = '[[rules]]\nname = "once"\ntools = ["pay"]\nwhen = \'context.previous_calls.exists(c, c.name == "pay")\'\neffect = "deny"\nreason = "one payment a conversation"\n'
    line = request([pay], "pay", {"invoice": "INV-2"}, said="Pay INV-1, then INV-2.")
    again = json.loads(json.dumps(line))
    again["messages"] += [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "pay", "arguments": '{"invoice": "INV-1"}'}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "paid"},
    ]
    first, second = run(world, "check", line, again, policy=policy)
    ok(first["status"] != "rejected", first["status"])
    eq(second["status"], "rejected")
