"""Writes about 60 MB of `check` lines: 200 tool lists, conversations of several turns, valid and invalid calls."""
import json, random, sys

random.seed(7)
WORDS = "order customer report invoice meeting project budget delivery weather flight hotel ticket account payment review".split()


def tool(n):
    words = random.sample(WORDS, 2)
    properties = {
        f"{words[0]}_id": {"type": "string", "description": f"The id of the {words[0]}."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many to return, between 1 and 100."},
        "since": {"type": "string", "format": "date", "description": "The first day, YYYY-MM-DD."},
        "status": {"type": "string", "enum": ["open", "closed", "pending"]},
        "options": {"type": "object", "properties": {"verbose": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}}}},
    }
    description = f"Look up a {words[0]} and its {words[1]} in the company's records. " * 3
    return {"type": "function", "function": {"name": f"get_{words[0]}_{words[1]}_{n}", "description": description, "parameters": {"type": "object", "properties": properties, "required": [f"{words[0]}_id"]}}}


lists = [[tool(n) for n in range(random.randint(3, 12))] for _ in range(200)]
with open(sys.argv[1], "w") as out:
    size = 0
    while size < 60e6:
        tools = random.choice(lists)
        chosen = random.choice(tools)["function"]
        key = next(iter(chosen["parameters"]["properties"]))
        value = f"{random.choice('ABC')}-{random.randint(1000, 9999)}"
        messages = [{"role": "user", "content": f"Please look into {key} {value} for me. " + " ".join(random.choices(WORDS, k=60))}]
        for turn in range(random.randint(0, 6)):
            messages.append({"role": "assistant", "content": None, "tool_calls": [{"id": f"c{turn}", "type": "function", "function": {"name": chosen["name"], "arguments": json.dumps({key: value, "limit": turn + 1})}}]})
            messages.append({"role": "tool", "tool_call_id": f"c{turn}", "content": json.dumps({"items": [{"id": f"X{random.randint(1, 9999)}", "note": " ".join(random.choices(WORDS, k=12))} for _ in range(6)]})})
        arguments = {key: value, "limit": random.choice([10, "10", 500]), "status": random.choice(["open", "Open"])}
        line = json.dumps({"id": size, "tools": tools, "messages": messages, "call": {"name": chosen["name"], "arguments": arguments}}) + "\n"
        size += len(line)
        out.write(line)
