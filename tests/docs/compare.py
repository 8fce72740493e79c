"""Output as it is shown on a page against output as it came.

`…` inside a line stands for anything in that line, a line with nothing else for any number of lines. Times and ids stand for any other; an id
that a page shows twice must be the same twice, and a command that names it gets the real one.
"""

import json
import re

from terminal import screen

ELLIPSIS = "…"


class Known:
    """The ids that a page has shown, with the real ones."""

    def __init__(self):
        self.ids = {}

    def put_into(self, command):
        """A command with the real ids."""
        for shown in sorted(self.ids, key=len, reverse=True):
            command = command.replace(shown, self.ids[shown])
        return command

    def difference(self, expected, output, excerpt):
        """Nothing where the output is as it is shown; else what differs. Of an excerpt each paragraph must occur, in this order."""
        seen = clean(output)
        shown = [line.rstrip() for line in expected]
        if excerpt:
            return self._excerpt(_paragraphs(shown), seen)
        pattern = _Pattern(shown, self.ids)
        match = re.fullmatch(pattern.text, "\n".join(seen) + "\n")
        if match is None:
            return _report(shown, seen, self.ids)
        self.ids.update(pattern.found(match))
        return None

    def _excerpt(self, paragraphs, seen):
        text, at = "\n".join(seen) + "\n", 0
        for paragraph in paragraphs:
            pattern = _Pattern(paragraph, self.ids)
            match = re.compile("^" + pattern.text, re.M).search(text, at)
            if match is None:
                return _report(paragraph, seen, self.ids, "an excerpt of ")
            self.ids.update(pattern.found(match))
            at = match.end()
        return None


def clean(output):
    """The lines that a person sees, without blank ends."""
    lines = [line.rstrip() for line in screen(output)]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


class _Pattern:
    """A regular expression for lines as they are shown."""

    def __init__(self, lines, known):
        self.known, self.groups = known, {}
        self.text = "".join(r"(?:.*\n)*?" if line.strip() == ELLIPSIS else self._line(line) + r"\n" for line in lines)

    def _line(self, line):
        parts, at = [], 0
        for match in TOKEN.finditer(line):
            parts.append(re.escape(line[at:match.start()]))
            parts.append(self._token(match))
            at = match.end()
        return "".join(parts) + re.escape(line[at:]) + r"\s*"

    def _token(self, match):
        shown = match.group(0)
        if shown == ELLIPSIS:
            return r".*?"
        if match.group("time"):
            return TIME
        value = re.escape(match.group("kind")) + r"_[0-9A-Za-z]+"
        if shown.endswith("_" + ELLIPSIS):
            # Any id of this kind; a command that names it gets the newest.
            name = f"id{len(self.groups)}"
            self.groups[name] = shown
            return f"(?P<{name}>{value})"
        if shown in self.known:
            return re.escape(self.known[shown])
        for name, other in self.groups.items():
            if other == shown:
                return f"(?P={name})"
        name = f"id{len(self.groups)}"
        self.groups[name] = shown
        return f"(?P<{name}>{value})"

    def found(self, match):
        return {shown: match.group(name) for name, shown in self.groups.items()}


def _paragraphs(lines):
    found = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [paragraph for paragraph in found if paragraph]


def _report(expected, seen, known, what=""):
    """Where the output leaves what is shown."""
    text = "\n".join(seen) + "\n"
    fits = 0
    for many in range(1, len(expected) + 1):
        begin = "^" if what else r"\A"
        if not re.compile(begin + _Pattern(expected[:many], known).text, re.M).search(text):
            break
        fits = many
    wrong = expected[fits] if fits < len(expected) else "(the end)"
    came = "\n".join("      | " + line[:400] for line in seen[:40]) or "      | (nothing)"
    more = f"\n      | … and {len(seen) - 40} lines more" if len(seen) > 40 else ""
    return f"the page shows {what}\n" + "\n".join("      | " + line for line in expected) + f"\n    which leaves the output at\n      | {wrong}\n    and the output is\n{came}{more}"


def json_difference(expected, seen, at=""):
    """Nothing where the JSON that came has at least what is shown; `…` in a text stands for anything, and as the last item for more items."""
    if isinstance(expected, dict) and isinstance(seen, dict):
        for name, value in expected.items():
            if name not in seen:
                return f"{at}/{name} is shown and did not come: {json.dumps(seen, ensure_ascii=False)}"
            if difference := json_difference(value, seen[name], f"{at}/{name}"):
                return difference
        return None
    if isinstance(expected, list) and isinstance(seen, list):
        shown = expected[:-1] if expected and expected[-1] == ELLIPSIS else expected
        if len(shown) != len(seen) and shown is expected:
            return f"{at} has {len(seen)} items, not {len(expected)}"
        pairs = enumerate(zip(shown, seen))
        return next((difference for number, (a, b) in pairs if (difference := json_difference(a, b, f"{at}/{number}"))), None)
    if isinstance(expected, str) and isinstance(seen, str):
        fits = re.fullmatch(".*".join(re.escape(part) for part in expected.split(ELLIPSIS)), seen, re.S)
        return None if fits else f"{at} is {seen!r}, not {expected!r}"
    return None if expected == seen else f"{at} is {seen!r}, not {expected!r}"


TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"
TOKEN = re.compile(rf"(?P<time>{TIME})|\b(?P<kind>[a-z]+)_(?:[0-9A-Za-z]*{ELLIPSIS}|(?=[0-9a-f]*\d)[0-9a-f]{{8,}}\b)|{ELLIPSIS}")
