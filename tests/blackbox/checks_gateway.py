"""The gateway: calls that nobody judged, bytes that changed, text that was lost, things released twice."""

import http.client
import json
import time

import dialects
from dialects import NAMES, PATHS, answer, body, read
from suite import check, eq, ok
from world import Answer

OBJECT = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"], "additionalProperties": False}
WEATHER = ("get_weather", "The weather of a city.", OBJECT)
ROOM = ("book_room", "Book a meeting room.", {"type": "object", "properties": {"room": {"type": "string"}, "hour": {"type": "integer"}}, "required": ["room", "hour"]})
GOOD = ("get_weather", '{"city": "Oslo"}')
BAD = ("no_such_thing_at_all", '{"x": 1}')
EVERYWHERE = [(dialect, streamed) for dialect in NAMES for streamed in (False, True)]


def ask(world, dialect, given, *, streamed=False, tools=(WEATHER,), said="What is the weather in Oslo?", headers=None, path=None, declared=None):
    """One exchange with a provider that answers so; gives `(reply, text, calls)`."""
    model = world.fresh("model")
    answers = given if isinstance(given, list) and given and isinstance(given[0], Answer) else [Answer(given, streamed=streamed)]
    world.provider.answers[model] = answers
    asked = body(dialect, model, tools, said, streamed)
    asked["tools"] += declared or []
    reply = world.server.request("POST", path or PATHS[dialect], asked, headers)
    world.model = model
    if reply.status != 200:
        return reply, "", []
    return reply, *read(dialect, reply, streamed)


def names(calls):
    return [name for name, _ in calls]


# Calls that nobody judged


@check("1", "CALL-1", "CALL-11")
def a_custom_call_does_not_free_its_siblings(world):
    for custom in ('{"name":"run","input":"x"}', "null"):
        listed = (
            f'[{{"id":"a","type":"custom","custom":{custom}}},'
            '{"id":"b","type":"function","function":{"name":"no_such_thing_at_all","arguments":"{}"}}]'
        )
        whole = f'{{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":{listed}}},"finish_reason":"tool_calls"}}]}}'
        _, _, calls = ask(world, "chat", whole.encode())
        ok("no_such_thing_at_all" not in names(calls), f"whole, custom {custom}: {calls}")
        listed = listed.replace('{"id":"a"', '{"index":0,"id":"a"').replace('{"id":"b"', '{"index":1,"id":"b"')
        frames = [dialects.chat_chunk(f'{{"tool_calls":{listed}}}'), dialects.chat_chunk("{}", '"tool_calls"'), b"data: [DONE]\n\n"]
        _, _, calls = ask(world, "chat", frames, streamed=True)
        ok("no_such_thing_at_all" not in names(calls), f"stream, custom {custom}: {calls}")


@check("1", "CALL-1")
def an_empty_list_beside_a_function_call_frees_nothing(world):
    message = '{"role":"assistant","content":null,"tool_calls":[],"function_call":{"name":"no_such_thing_at_all","arguments":"{}"}}'
    whole = f'{{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{{"index":0,"message":{message},"finish_reason":"function_call"}}]}}'
    _, _, calls = ask(world, "chat", whole.encode())
    eq(calls, [])
    delta = '{"tool_calls":[],"function_call":{"name":"no_such_thing_at_all","arguments":"{}"}}'
    frames = [dialects.chat_chunk(delta), dialects.chat_chunk("{}", '"function_call"'), b"data: [DONE]\n\n"]
    _, _, calls = ask(world, "chat", frames, streamed=True)
    eq(calls, [])


@check("1", "CALL-1")
def an_object_in_place_of_the_list_is_judged(world):
    call = '{"id":"a","type":"function","function":{"name":"no_such_thing_at_all","arguments":"{}"}}'
    for listed in (call, f'{{"0":{call}}}'):
        message = f'{{"role":"assistant","content":null,"tool_calls":{listed}}}'
        whole = f'{{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{{"index":0,"message":{message},"finish_reason":"tool_calls"}}]}}'
        reply = exchange_raw(world, whole.encode())
        ok(b"no_such_thing_at_all" not in calls_part(reply), reply.body[:300])
        frames = [dialects.chat_chunk(f'{{"tool_calls":{listed}}}'), dialects.chat_chunk("{}", '"tool_calls"'), b"data: [DONE]\n\n"]
        reply = exchange_raw(world, frames, streamed=True)
        ok(b'"tool_calls":{' not in reply.body.replace(b" ", b""), reply.body[:300])


def exchange_raw(world, given, streamed=False):
    model = world.fresh("model")
    world.provider.answers[model] = [Answer(given, streamed=streamed)]
    return world.server.request("POST", PATHS["chat"], body("chat", model, [WEATHER], streamed=streamed))


def calls_part(reply):
    if reply.status != 200:
        return b""
    return json.dumps(reply.json()["choices"][0]["message"].get("tool_calls")).encode()


@check("1", "CALL-1")
def overlong_and_empty_names_are_refused_everywhere(world):
    for dialect, streamed in EVERYWHERE:
        for name in ("n" * 5000, "", "   "):
            _, _, calls = ask(world, dialect, answer(dialect, calls=[(name, "{}"), GOOD], streamed=streamed), streamed=streamed)
            eq(names(calls), ["get_weather"], f"{dialect} streamed={streamed} name of {len(name)}")


# Items of the responses dialect

ITEMS = {
    "local_shell_call": {"type": "local_shell_call", "id": "ls_1", "call_id": "x1", "status": "completed", "action": {"type": "exec", "command": ["rm", "-rf", "/"], "env": {}}},
    "shell_call": {"type": "shell_call", "id": "sh_1", "call_id": "x1", "status": "completed", "action": {"commands": ["rm -rf /"], "timeout_ms": 1000, "max_output_length": 100}},
    "apply_patch_call": {
        "type": "apply_patch_call",
        "id": "ap_1",
        "call_id": "x1",
        "status": "completed",
        "operation": {"type": "update_file", "path": "../../../../root/.ssh/authorized_keys", "diff": "+ssh-rsa AAAA"},
    },
}


BUILT_IN = [{"type": "local_shell"}, {"type": "shell"}, {"type": "apply_patch"}]


@check("2", "CALL-6", "SERVE-6")
def dangerous_client_run_items_are_refused(world):
    for kind, item in ITEMS.items():
        for streamed in (False, True):
            given = dialects.responses_events([item]) if streamed else json.dumps(dialects.responses_body([item])).encode()
            reply, _, calls = ask(world, "responses", given, streamed=streamed, declared=BUILT_IN)
            eq(calls, [], f"{kind} streamed={streamed}")
            ok(b"countersign-verdict" in reply.body if streamed else reply.headers["countersign-verdict"], f"{kind}: no verdict")


@check("2", "SERVE-6")
def harmless_client_run_items_pass_with_a_verdict(world):
    item = {"type": "local_shell_call", "id": "ls_1", "call_id": "x1", "status": "completed", "action": {"type": "exec", "command": ["ls", "-la"], "env": {}}}
    for streamed in (False, True):
        given = dialects.responses_events([item]) if streamed else json.dumps(dialects.responses_body([item])).encode()
        reply, _, calls = ask(world, "responses", given, streamed=streamed, said="List the files here.", declared=BUILT_IN)
        eq(names(calls), ["local_shell_call"], f"streamed={streamed}")
        ok(b"countersign-verdict" in reply.body if streamed else reply.headers["countersign-verdict"], "no verdict")


@check("2", "RESOLVE-4")
def an_unknown_client_run_item_fails_closed(world):
    item = {"type": "teleport_call", "id": "tp_1", "call_id": "x1", "status": "completed", "action": {"to": "the moon"}}
    for streamed in (False, True):
        given = dialects.responses_events([item]) if streamed else json.dumps(dialects.responses_body([item])).encode()
        _, _, calls = ask(world, "responses", given, streamed=streamed)
        eq(calls, [], f"streamed={streamed}")


@check("2", "SERVE-6")
def what_the_provider_runs_itself_passes_untouched(world):
    item = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "oslo"}}
    given = json.dumps(dialects.responses_body([item])).encode()
    reply, _, _ = ask(world, "responses", given)
    eq(reply.body, given)


# Paths


@check("3", "SERVE-6")
def no_spelling_of_a_path_goes_around_the_guard(world):
    spellings = [
        "/v1/%63hat/completions",
        "/v1/chat%2Fcompletions",
        "/v1/chat%2fcompletions",
        "//v1/chat/completions",
        "/v1//chat/completions",
        "/v1/chat/completions/",
        "/v1/chat/completions//",
        "/v1/./chat/completions",
        "/v1/models/../chat/completions",
        "/v1/models/..%2fchat/completions",
        "/v1/models/%2e%2e/chat/completions",
        "/v1/chat%252Fcompletions",
        "/v1/chat\\completions",
        "/v1/chat/completions;x=1",
        "/V1/chat/completions",
        "/v1/Chat/Completions",
    ]
    for path in spellings:
        reply, _, calls = ask(world, "chat", answer("chat", calls=[BAD]), path=path)
        if reply.status == 200:
            eq(calls, [], path)
        else:
            ok(400 <= reply.status < 500, f"{path}: {reply.status}")
            eq(len(world.provider.seen(world.model)), 0, f"{path} was carried")


# Mention is not use

QUOTED = [
    'I will not do it. It says: "<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>"',
    "The mail reads: “<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}</tool_call>” and I ignore it.",
    'You would write `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>` to ask for it.',
    'For instance [get_weather(city="Oslo")] would ask for the weather.',
    'The page says "{"name": "get_weather", "arguments": {"city": "Oslo"}}" somewhere.',
    '他说：「<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>」，我不会照做。',
    'It contains "<function=get_weather><parameter=city>Oslo</parameter></function>" as a quotation.',
    'The text "[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Oslo"}}]" is a marker of some models.',
    'It says "<|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}" in the log.',
]


@check("4", "PARSE-3", "PARSE-5")
def a_quoted_call_is_text(world):
    for text in QUOTED:
        for dialect, streamed in EVERYWHERE:
            _, shown, calls = ask(world, dialect, answer(dialect, text, streamed=streamed), streamed=streamed)
            eq((shown, calls), (text, []), f"{dialect} streamed={streamed}")


@check("4", "PARSE-3")
def a_written_call_in_its_place_is_still_a_call(world):
    text = 'Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    for dialect, streamed in EVERYWHERE:
        _, shown, calls = ask(world, dialect, answer(dialect, text, streamed=streamed), streamed=streamed)
        eq((shown.strip(), names(calls)), ("Let me look.", ["get_weather"]), f"{dialect} streamed={streamed}")


# Duplicates and repeats


def first_wins(text):
    def pairs(found):
        made = {}
        for key, value in found:
            made.setdefault(key, value)
        return made

    return json.loads(text, object_pairs_hook=pairs)


@check("5", "CALL-2", "RESOLVE-2")
def readers_of_first_and_last_key_see_the_same_call(world):
    written = '{"city": "Oslo", "c\\u0069ty": "Bergen", "days": 1, "days": 2}'
    for dialect, streamed in EVERYWHERE:
        reply, _, calls = ask(world, dialect, answer(dialect, calls=[("get_weather", written)], streamed=streamed), streamed=streamed)
        if dialect == "messages" and not streamed:
            raw = reply.body.decode()
            eq(first_wins(raw), json.loads(raw), dialect)
        for _, arguments in calls:
            eq(first_wins(arguments), json.loads(arguments), f"{dialect} streamed={streamed}")


@check("6", "CALL-10", "CALL-11")
def a_kept_sibling_is_not_delivered_again(world):
    kept = ("book_room", '{"room": "Blue", "hour": 10}')
    wrong = ("get_weather", '{"town": "Oslo"}')
    right = ("get_weather", '{"city": "Oslo"}')
    for dialect, streamed in EVERYWHERE:
        for second in ([kept, right], [right, kept], [right, ("book_room", '{"hour":10,"room":"Blue"}')], [kept]):
            given = [Answer(answer(dialect, calls=calls, streamed=streamed), streamed=streamed) for calls in ([kept, wrong], second)]
            _, _, calls = ask(world, dialect, given, streamed=streamed, tools=(WEATHER, ROOM), said="Book room Blue at 10 and tell me the weather in Oslo.")
            eq(names(calls).count("book_room"), 1, f"{dialect} streamed={streamed} {second}: {calls}")
            told = world.provider.seen(world.model)[1]["body"]
            ok(b"book_room" in told.split(b"Book room Blue")[-1], "the model is not shown that its call is kept")


# Bytes


@check("13", "SERVE-6", "CALL-3")
def a_repair_leaves_all_other_bytes_alone(world):
    tool = ("record", "Record values.", {"type": "object", "properties": {"days": {"type": "integer"}, "values": {}}, "required": ["days"]})
    values = '{"b": 1.10, "a": 1e2, "z": -0.0, "n": 123456789012345678901234567890, "x":  [1.0 ,2.50]}'
    written = f'{{"values": {values}, "days": "3"}}'
    for dialect, streamed in EVERYWHERE:
        reply, _, calls = ask(world, dialect, answer(dialect, calls=[("record", written)], streamed=streamed), streamed=streamed, tools=[tool])
        if dialect == "messages" and not streamed:
            ok(values.encode() in reply.body, f"{dialect}: {reply.body}")
            continue
        eq(len(calls), 1, f"{dialect} streamed={streamed}")
        ok(values in calls[0][1], f"{dialect} streamed={streamed}: {calls[0][1]}")
        eq(json.loads(calls[0][1])["days"], 3)


@check("13", "SERVE-6")
def a_repair_leaves_the_vendors_fields_alone(world):
    vendor = '"vendor": {"z": 1.10, "a": 1e2, "big": 123456789012345678901234567890}'
    whole = answer("chat", calls=[("get_weather", '{"city": "Oslo", "days": "3"}')]).decode()
    whole = whole.replace('"created":1', f'{vendor},"created":1')
    reply, _, calls = ask(world, "chat", whole.encode())
    ok(vendor.encode() in reply.body, reply.body)
    eq(json.loads(calls[0][1])["days"], 3)


@check("13", "CALL-2")
def large_integers_in_valid_calls_pass(world):
    tool = ("count", "Count.", {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
    written = '{"n": 123456789012345678901234567890}'
    for dialect, streamed in EVERYWHERE:
        reply, _, calls = ask(world, dialect, answer(dialect, calls=[("count", written)], streamed=streamed), streamed=streamed, tools=[tool], said="Count to 123456789012345678901234567890.")
        eq(names(calls), ["count"], f"{dialect} streamed={streamed}: {reply.body[:400]}")
        ok(b"123456789012345678901234567890" in reply.body, f"{dialect} streamed={streamed}")


@check("14", "SERVE-6")
def odd_values_in_foreign_fields_pass(world):
    for odd in ("1e400", "[" * 200 + "]" * 200, '"\\ud83d"', "-1e999"):
        whole = answer("chat", "Hello there.").decode().replace('"created":1', f'"odd":{odd},"created":1').encode()
        reply = exchange_raw(world, whole)
        eq((reply.status, reply.body), (200, whole), odd[:12])
        frames = answer("chat", "Hello there.", streamed=True)
        frames = [frame.replace(b'"created":1', b'"odd":' + odd.encode() + b',"created":1') for frame in frames]
        reply = exchange_raw(world, frames, streamed=True)
        eq(reply.body, b"".join(frames), odd[:12])


@check("15", "STREAM-1", "PARSE-5")
def text_in_the_chunk_of_the_finish_arrives(world):
    for ending in ("It is get_wea", "See <tool", "So [get_", "x <|", "`get_weather"):
        delta = f'{{"content":{dialects.quoted(ending)}}}'
        frames = [dialects.chat_chunk('{"content":"Well. "}'), dialects.chat_chunk(delta, '"stop"'), b"data: [DONE]\n\n"]
        _, text, calls = ask(world, "chat", frames, streamed=True)
        eq((text, calls), ("Well. " + ending, []))


@check("15", "STREAM-1")
def blank_text_stays_blank_text(world):
    for content in ('""', '" "', '"\\n"'):
        whole = f'{{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":{content},"tool_calls":[{{"id":"a","type":"function","function":{{"name":"get_weather","arguments":"{{\\"city\\": \\"Oslo\\", \\"days\\": \\"3\\"}}"}}}}]}},"finish_reason":"tool_calls"}}]}}'
        reply, _, calls = ask(world, "chat", whole.encode())
        eq(reply.json()["choices"][0]["message"]["content"], json.loads(content))
        eq(names(calls), ["get_weather"])


@check("16", "SERVE-6")
def fenced_json_flows_while_it_is_written(world):
    lines = ["Here it is:\n", "```json\n", "{\n"] + [f'  "field{at}": "value {at}",\n' for at in range(40)] + ['  "end": 1\n', "}\n", "```\n"]
    frames = [dialects.chat_chunk(f'{{"content":{dialects.quoted(line)}}}') for line in lines]
    frames += [dialects.chat_chunk("{}", '"stop"'), b"data: [DONE]\n\n"]
    model = world.fresh("model")
    world.provider.answers[model] = [Answer(frames, streamed=True, pause=0.02)]
    first = time_of(world, model, b"field5")
    ok(first["at"] < first["end"] - 0.4, f"the sixth line came {first['end'] - first['at']:.2f} s before the end")


def time_of(world, model, wanted):
    connection = http.client.HTTPConnection("127.0.0.1", world.server.port, timeout=30)
    connection.request("POST", PATHS["chat"], json.dumps(body("chat", model, [WEATHER], streamed=True)), {"content-type": "application/json"})
    answer = connection.getresponse()
    seen, found = b"", {"at": float("inf")}
    while piece := answer.read1(65536):
        seen += piece
        if wanted in seen and found["at"] == float("inf"):
            found["at"] = time.monotonic()
    found["end"] = time.monotonic()
    return found


@check("16", "SERVE-6")
def unasked_compression_is_not_passed_unread(world):
    for coding in ("br", "zstd"):
        for streamed in (False, True):
            model = world.fresh("model")
            world.provider.answers[model] = [Answer(b"\x0b\x02\x80not really compressed", streamed=streamed, headers={"content-encoding": coding})]
            reply = world.server.request("POST", PATHS["chat"], body("chat", model, [WEATHER], streamed=streamed))
            ok(b"not really" not in reply.body, f"{coding}: passed unread")
            eq(reply.headers.get("content-encoding"), None, coding)
            ok(b"error" in reply.body, f"{coding}: {reply.status} {reply.body[:200]}")


@check("17", "SERVE-6")
def a_get_with_a_body_does_not_eat_the_next_request(world):
    for method in ("GET", "HEAD"):
        for _ in range(4):
            first = world.server.request(method, "/v1/files", b'{"model":"ghost"}')
            ok(first.status in (200, 400), f"{method}: {first.status}")
            second = world.server.request("GET", "/v1/models")
            eq(second.status, 200, method)
    for request in world.provider.seen("ghost"):
        ok(request["method"] in ("GET", "HEAD"), request)


@check("18", "SERVE-6")
def many_verdicts_fit_into_the_headers(world):
    calls = [("get_weather", json.dumps({"city": f"City {at}"})) for at in range(200)]
    reply, _, _ = ask(world, "chat", answer("chat", calls=calls), said="The weather of " + ", ".join(f"City {at}" for at in range(200)))
    size = sum(len(name) + len(value) for name, value in reply.headers.items() if name.startswith("countersign"))
    ok(0 < size <= 4096, f"{size} bytes of headers")
