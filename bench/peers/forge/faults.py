"""The faults of faults.toml as answers of a model.

A function takes a `Place` and returns the answer, or None where the fault cannot be made there (no number to write as a
string, say).
"""
import json, pathlib, tomllib
from dataclasses import dataclass


@dataclass
class Place:
    """Where the model errs: call `index` of a task's course."""

    task: object
    index: int

    @property
    def call(self):
        return self.task.calls[self.index]

    @property
    def last(self):
        return len(self.task.calls) - 1


@dataclass
class Answer:
    content: str | None = None
    calls: list = ()
    finish: str | None = None


def call(name, arguments, **more):
    return {"name": name, "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False), **more}


def right(place):
    return Answer(calls=[call(*place.call)])


class Fault:
    def __init__(self, entry):
        self.name, self.what = entry["name"], entry["what"]
        self.says, self.how = entry.get("says"), entry.get("how")

    def place(self, task):
        """The first call where it can be made; the last one in a task with state, so that both ends of a course are tried."""
        indexes = range(len(task.calls))
        for index in reversed(indexes) if task.stateful else indexes:
            if self.answer(Place(task, index)) is not None:
                return Place(task, index)
        return None

    def answer(self, place):
        if self.how:
            return globals()[self.how](place)
        name, arguments = place.call
        words = {
            "{name}": name,
            "{arguments}": json.dumps(arguments, ensure_ascii=False),
            "{call}": json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False),
            "{keywords}": ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items()),
            "{answer}": " ".join(place.task.calls[-1][1].values()),
        }
        text = self.says
        for word, value in words.items():
            text = text.replace(word, value)
        return Answer(content=text)


def load():
    path = pathlib.Path(__file__).resolve().parent / "faults.toml"
    return [Fault(entry) for entry in tomllib.loads(path.read_text())["fault"]]


# The name of the tool

def unknown_tool(place):
    return Answer(calls=[call("assist_me_please", place.call[1])])


def misspelt_name(place):
    name, arguments = place.call
    at = next(at for at in range(len(name) // 2, len(name) - 1) if name[at] != name[at + 1] and "_" not in name[at:at + 2])
    return Answer(calls=[call(name[:at] + name[at + 1] + name[at] + name[at + 2:], arguments)])


def camel_case_name(place):
    first, *rest = place.call[0].split("_")
    name = first + "".join(word.capitalize() for word in rest) if rest else first.capitalize()
    return Answer(calls=[call(name, place.call[1])])


def namespaced_name(place):
    return Answer(calls=[call(f"functions.{place.call[0]}", place.call[1])])


# The arguments

def changed(place, change, kind=object):
    """The call with the first argument of that kind changed; `change` gives the new value, or None to leave it out."""
    name, arguments = place.call
    key = next((key for key, value in arguments.items() if isinstance(value, kind)), None)
    if key is None:
        return None
    return Answer(calls=[call(name, {**{k: v for k, v in arguments.items() if k != key}, **change(key, arguments[key])})])


def missing_argument(place):
    return changed(place, lambda key, value: {})


def extra_argument(place):
    return Answer(calls=[call(place.call[0], {**place.call[1], "verbose": True})])


def number_as_string(place):
    return changed(place, lambda key, value: {key: f"{value:g}"}, (int, float))


def list_for_string(place):
    return changed(place, lambda key, value: {key: [value]}, str)


def null_argument(place):
    return changed(place, lambda key, value: {key: None})


def object_for_string(place):
    return changed(place, lambda key, value: {key: {"value": value}}, str)


def nested_arguments(place):
    return Answer(calls=[call(place.call[0], {"arguments": place.call[1]})]) if place.call[1] else None


# The JSON of the arguments

def rewritten(place, rewrite):
    name, arguments = place.call
    return Answer(calls=[call(name, rewrite(arguments))]) if arguments else None


def unclosed_json(place):
    return rewritten(place, lambda arguments: json.dumps(arguments)[:-1])


def trailing_comma(place):
    return rewritten(place, lambda arguments: json.dumps(arguments)[:-1] + ",}")


def single_quotes(place):
    return rewritten(place, repr)


def double_encoded(place):
    return rewritten(place, lambda arguments: json.dumps(json.dumps(arguments)))


def cut_by_limit(place):
    answer = rewritten(place, lambda arguments: json.dumps(arguments)[: len(json.dumps(arguments)) * 2 // 3])
    return answer and Answer(calls=answer.calls, finish="length")


def null_answer(place):
    return Answer()


# Ids and several calls

def duplicate_ids(place):
    if place.index == place.last and place.last > 0:
        return None
    following = place.index + 1 if place.index + 1 < place.last else place.index
    return Answer(calls=[call(*place.task.calls[at], id="call_0") for at in (place.index, following)])


def missing_id(place):
    return Answer(calls=[call(*place.call, id=None)])


def one_of_two_wrong(place):
    return Answer(calls=[call(*place.call), call("assist_me_please", {"query": "everything"})])


def repeated_call(place):
    return Answer(calls=[call(*place.task.calls[place.index - 1])]) if place.index > 0 else None


# The order of steps

def skipped_step(place):
    """The model goes on with the next call; model.py knows that this place stays open."""
    name = place.call[0]
    once = [called for called, _ in place.task.calls].count(name) == 1
    required = name in place.task.prepare().workflow.required_steps
    return Answer(calls=[call(*place.task.calls[place.index + 1])]) if required and once else None


def terminal_too_early(place):
    name, arguments = place.task.calls[-1]
    required = place.task.prepare().workflow.required_steps
    open_steps = [called for called, _ in place.task.calls[place.index:] if called in required]
    return Answer(calls=[call(name, {key: "Not known yet." for key in arguments})]) if open_steps else None
