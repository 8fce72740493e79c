"""A shell on a terminal of its own, as a person has it: what one command sets, the next one sees."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unicodedata
from pathlib import Path


class TooLong(Exception):
    """A command that did not end in time."""


class Terminal:
    """Bash, which reads the names of scripts from a pipe and runs each in itself."""

    def __init__(self, folder, environment):
        self.folder, self.number, self.seen = Path(folder), 0, b""
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        reads, self.orders = os.pipe()
        loop = f"while IFS= read -r -u {reads} script; do . \"$script\"; printf '\\036%s\\036' \"$?\"; done"
        own = lambda: (os.setsid(), fcntl.ioctl(slave, termios.TIOCSCTTY, 0))
        self.shell = subprocess.Popen(
            ["bash", "--noprofile", "--norc", "-c", loop], cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave,
            pass_fds=[reads], preexec_fn=own)
        os.close(slave)
        os.close(reads)

    def run(self, command, seconds, typed=()):
        """Runs a command; gives its exit code and what the terminal showed. `typed` are prompts with what is typed at each."""
        self.number += 1
        script = self.folder / f".command-{self.number}"
        script.write_text(command + "\n")
        os.write(self.orders, f"{script}\n".encode())
        end = time.monotonic() + seconds
        ended = lambda: self.seen.endswith(b"\x1e") and self.seen.count(b"\x1e") >= 2
        before = 0
        for prompt, words in typed:
            # What was typed comes back as an echo, so a prompt is a new one only behind it.
            self._until(lambda: ended() or (len(self.seen) > before and _plain(self.seen).endswith(prompt)), end)
            if not ended():
                before = len(self.seen)
                os.write(self.master, words.encode())
        self._until(ended, end)
        output, code, _ = self.seen.rsplit(b"\x1e", 2)
        self.seen = b""
        return int(code), output.decode(errors="replace")

    def _until(self, done, end):
        while not done():
            if not select.select([self.master], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TooLong(self.seen.decode(errors="replace"))
            try:
                more = os.read(self.master, 65536)
            except OSError:
                more = b""
            if not more:
                raise TooLong("the shell has ended\n" + self.seen.decode(errors="replace"))
            self.seen += more

    def close(self):
        """Ends the shell and what runs in it."""
        os.close(self.orders)
        try:
            os.killpg(self.shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.shell.wait()
        os.close(self.master)


def screen(output):
    """The lines that a person sees in the end: colours left out, lines that were drawn again once."""
    rows, row, column = [_Row()], 0, 0
    for part in re.findall(r"\x1b\[[0-9;:?]*[A-Za-z]|\r|\n|[^\x1b\r\n]|\x1b", output):
        if part == "\n":
            row, column = row + 1, 0
        elif part == "\r":
            column = 0
        elif part.startswith("\x1b["):
            count, kind = re.sub(r"[^0-9]", "", part[2:-1].split(";")[0]), part[-1]
            if kind == "A":
                row = max(0, row - int(count or 1))
            elif kind == "J":
                del rows[row + 1:]
                rows[row].cells = rows[row].cells[:column]
            elif kind == "K":
                rows[row].cells = rows[row].cells[:column]
        elif part >= " ":
            wide = 2 if unicodedata.east_asian_width(part) in "WF" else 0 if unicodedata.combining(part) else 1
            if column + wide > COLUMNS:
                row, column = row + 1, 0
                rows[row:row + 1] = [_Row(goes_on=True)]
            rows[row].cells[column:column + max(wide, 1)] = [part] + [""] * (wide - 1)
            column += wide
        while row >= len(rows):
            rows.append(_Row())
    lines = []
    for found in rows:
        if found.goes_on and lines:
            lines[-1] += "".join(found.cells)
        else:
            lines.append("".join(found.cells))
    return lines


class _Row:
    """A row of the screen; one that goes on is the rest of a line that was too long for the row above."""

    def __init__(self, goes_on=False):
        self.cells, self.goes_on = [], goes_on


def _plain(seen):
    return re.sub(r"\x1b\[[0-9;:?]*[A-Za-z]", "", seen[-200:].decode(errors="replace"))


COLUMNS = 110
