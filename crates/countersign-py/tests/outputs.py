"""Outputs of a model, right and faulty, that every framework must judge alike."""

ASKED = "Reserve a table for 4 at Nordlys on 2031-05-02."
TOOLS = [
    {
        "name": "reserve_table",
        "description": "Reserve a table in a restaurant.",
        "parameters": {
            "type": "object",
            "required": ["restaurant", "guests", "date"],
            "additionalProperties": False,
            "properties": {
                "restaurant": {"type": "string"},
                "guests": {"type": "integer", "minimum": 1, "maximum": 12},
                "date": {"type": "string", "format": "date"},
            },
        },
    }
]
RIGHT = {"restaurant": "Nordlys", "guests": 4, "date": "2031-05-02"}
OUTPUTS = {
    "right": ("reserve_table", RIGHT),
    "a number as a string": ("reserve_table", {**RIGHT, "guests": "4"}),
    "a misspelt name": ("reserveTable", RIGHT),
    "a value is missing": ("reserve_table", {"restaurant": "Nordlys", "guests": 4}),
    "out of bounds": ("reserve_table", {**RIGHT, "guests": 40}),
    "a date that is none": ("reserve_table", {**RIGHT, "date": "2031-02-30"}),
    "another amount than asked for": ("reserve_table", {**RIGHT, "guests": 6}),
    "an invented tool": ("cancel_everything", {}),
}
