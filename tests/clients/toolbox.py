"""The two tools of the tests: their schemas in each dialect, and what they do."""

import json
from pathlib import Path

PROMPT = "What is the weather in Paris and in Oslo, in celsius? And what is 10 plus 32?"

EXPECTED = json.loads((Path(__file__).parent / "expected.json").read_text())

SCHEMAS = {
    "get_weather": (
        "The weather in a city.",
        {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["city", "unit"],
            "additionalProperties": False,
        },
    ),
    "add_numbers": (
        "Adds two numbers.",
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
            "additionalProperties": False,
        },
    ),
}


def run(name: str, arguments: dict) -> str:
    """Runs a tool as careless agents do: whatever is wrong with the call is an exception here."""
    if name == "get_weather":
        return f"18 degrees {arguments['unit']} in {arguments['city']}"
    if name == "add_numbers":
        return f"the sum is {arguments['a'] + arguments['b']:d}"
    raise LookupError(f"there is no tool {name}")


def expected(scenario: str) -> list[tuple[str, dict]]:
    return [(name, arguments) for name, arguments in EXPECTED[scenario]["calls"]]


def broken_in(lane: str) -> list[str]:
    """The scenarios that a client of this lane cannot use as they come from the model."""
    return [name for name, case in EXPECTED.items() if case.get("broken") == "everywhere" or lane in case.get("broken", "").split()]


def chat_tools() -> list[dict]:
    return [
        {"type": "function", "function": {"name": name, "description": text, "parameters": schema, "strict": True}}
        for name, (text, schema) in SCHEMAS.items()
    ]


def responses_tools() -> list[dict]:
    return [
        {"type": "function", "name": name, "description": text, "parameters": schema, "strict": True}
        for name, (text, schema) in SCHEMAS.items()
    ]


def messages_tools() -> list[dict]:
    return [{"name": name, "description": text, "input_schema": schema} for name, (text, schema) in SCHEMAS.items()]
