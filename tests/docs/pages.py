"""A page of Markdown, read into its code blocks, and a console block into its commands."""

import re
import shlex
import subprocess
from dataclasses import dataclass, field


@dataclass
class Block:
    """A fenced block of code."""

    line: int
    language: str
    lines: list
    marks: dict = field(default_factory=dict)

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


@dataclass
class Command:
    """A command of a console block, and the output that is shown under it."""

    line: int
    text: str
    expected: list

    @property
    def comment(self):
        found = re.search(r"\s#\s(.*)$", self.text.split("\n")[0])
        return found.group(1) if found else ""

    def words(self):
        """The words of its first line, without the comment; of a pipe those before the first bar."""
        first = self.text.split("\n")[0].rstrip("\\")
        try:
            found = shlex.split(first, comments=True)
        except ValueError:
            found = first.split()
        while found and re.fullmatch(r"[A-Za-z_]\w*=.*", found[0]):
            found = found[1:]
        return found


class BadPage(Exception):
    """A page that cannot be read as it is written."""


def blocks(text):
    """The fenced blocks of a page, each with the marks of the HTML comments directly before it."""
    found, marks, opened, fence = [], {}, None, ""
    for number, line in enumerate(_joined_comments(text), 1):
        bare = line.strip()
        if opened is not None:
            if bare == fence:
                found.append(opened)
                opened, marks = None, {}
            else:
                opened.lines.append(line[_indent(line, opened.marks.get("", 0)):])
        elif match := re.match(r"(\s*)(```+|~~~+)\s*([\w,+-]*)", line):
            fence = match.group(2)
            opened = Block(number, match.group(3).split(",")[0], [], {**marks, "": len(match.group(1))})
        elif match := re.match(r"<!--\s*(.*?)\s*-->$", bare):
            _read_mark(match.group(1), marks)
        elif bare:
            marks = {}
    if opened is not None:
        raise BadPage(f"the block of line {opened.line} is never closed")
    return found


def _joined_comments(text):
    """The lines of a page, a comment over several lines as one; the numbers of the lines stay."""
    whole = lambda match: re.sub(r"\s+", " ", match.group(0)) + "\n" * match.group(0).count("\n")
    return re.sub(r"<!--.*?-->", whole, text, flags=re.S).split("\n")


def _indent(line, most):
    return min(most, len(line) - len(line.lstrip()))


def _read_mark(text, marks):
    for word in MARKS:
        if match := re.match(rf"{word}(?: \"(.*?)\")?: (.*)$", text):
            if match.group(1) is None:
                marks[word] = match.group(2)
            else:
                marks.setdefault("some " + word, []).append((match.group(1), match.group(2)))


def commands(block):
    """The commands of a console block."""
    found, lines, at = [], block.lines, 0
    while at < len(lines):
        if not lines[at].startswith("$ "):
            if not found:
                raise BadPage(f"line {block.line + at + 1}: a console block begins with `$ `")
            found[-1].expected.append(lines[at])
            at += 1
            continue
        begin, text = at, lines[at][2:]
        at += 1
        while at < len(lines) and _goes_on(text):
            text += "\n" + lines[at]
            at += 1
        found.append(Command(block.line + begin + 1, text, []))
    for command in found:
        while command.expected and not command.expected[-1].strip():
            command.expected.pop()
    return found


def _goes_on(text):
    """Whether the shell would ask for another line."""
    if text.rstrip(" ").endswith("\\"):
        return True
    asked = subprocess.run(["bash", "-n"], input=text + "\n", capture_output=True, text=True)
    return "unexpected EOF" in asked.stderr or "unexpected end of file" in asked.stderr or "delimited by end-of-file" in asked.stderr


def inline_commands(text):
    """Commands that stand in the prose, with their lines."""
    fenced = set()
    for block in blocks(text):
        fenced.update(range(block.line, block.line + len(block.lines) + 2))
    for number, line in enumerate(text.split("\n"), 1):
        if number not in fenced:
            for match in re.finditer(r"`((?:countersign|make) [a-z][^`]*|tools/[\w-]+(?: [^`]*)?)`", line):
                yield number, match.group(1)


# not run: REASON            the block is not run; `not run "WORDS": REASON` only its commands with these words
# output of: COMMAND         the block shows what COMMAND prints
# input of: COMMAND          COMMAND reads the block
# compiled in: PATH          the lines of the block stand in this file, which is compiled and run by the tests
# saved as: PATH             the block is this file
MARKS = ["not run", "output of", "input of", "compiled in", "saved as"]
