"""A shell on a terminal of its own, as a person has it: what one command sets, the next one sees."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path


class TooLong(Exception):
    """A command that did not end in time."""


class Terminal:
    """Bash, which reads the names of scripts from a pipe and runs each in itself."""

    def __init__(self, folder, environment):
        self.folder, self.number, self.seen = Path(folder), 0, b""
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 110, 0, 0))
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
        for prompt, words in typed:
            self._until(lambda: ended() or self.seen.endswith(prompt.encode()), end)
            if not ended():
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
