"""Servers that a page starts: each takes the place of the one before it, on the same port and the same data."""

import os
import signal
import socket
import time
from pathlib import Path

ADDRESS = ("127.0.0.1", 7420)


class Servers:
    """At most one server at a time."""

    def __init__(self, terminal, folder):
        self.terminal, self.folder = terminal, Path(folder)
        self.process, self.output, self.number = None, None, 0

    def runs(self):
        """Whether somebody listens where the pages say it."""
        return self.process is not None

    def start(self, command):
        """Starts a server in the shell; gives what it printed until it listened, or its exit code."""
        self.stop()
        self.number += 1
        self.output = self.folder / f".server-{self.number}"
        ended = self.folder / f".server-{self.number}.code"
        self.output.touch()
        background = f"{{ {command}\n echo $? > {ended}; }} > {self.output} 2>&1 < /dev/null & echo $! > {self.output}.pid"
        self.terminal.run(background, 10)
        self.process = int(Path(f"{self.output}.pid").read_text())
        end = time.monotonic() + START
        while time.monotonic() < end:
            printed = self.output.read_text()
            if ended.exists():
                self.process = None
                return int(ended.read_text()), printed
            if printed and listens():
                time.sleep(SETTLED)
                return 0, self.output.read_text()
            time.sleep(0.02)
        return None, self.output.read_text()

    def stop(self):
        """Ends the server as a person does, with Ctrl-C."""
        if self.process is None:
            return
        for child in _children(self.process):
            os.kill(child, signal.SIGINT)
        end = time.monotonic() + 10
        while time.monotonic() < end and (_children(self.process) or listens()):
            time.sleep(0.02)
        for child in _children(self.process):
            os.kill(child, signal.SIGKILL)
        self.process = None


def _children(process):
    try:
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def listens():
    """Whether somebody listens where the pages say it."""
    try:
        socket.create_connection(ADDRESS, 1).close()
        return True
    except OSError:
        return False


# A debug build takes a second or two.
START = 30
# How long it prints after it listens.
SETTLED = 0.2
