"""The world of the deployment checks: an image unpacked, and containers started from it as an engine would."""

import contextlib
import fcntl
import hashlib
import http.client
import itertools
import json
import os
import shlex
import signal
import socket
import struct
import subprocess
import tarfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KEY = "deploy-check-4f1c9a7e2b"
PATIENCE = 30
CHECKS = []


def check(*requirements):
    """A check; it shows these requirements."""

    def register(run):
        CHECKS.append((requirements, run))
        return run

    return register


def eq(seen, expected, where=""):
    assert seen == expected, f"{where}: expected {expected!r}, saw {seen!r}"


def loopback_up():
    """A new network namespace has a loopback device that is down."""
    with socket.socket() as any_socket:
        up = struct.pack("16sh", b"lo", 0x1 | 0x40)  # IFF_UP, IFF_RUNNING
        fcntl.ioctl(any_socket, 0x8914, up)  # SIOCSIFFLAGS


class Image:
    """An archive as `docker load` takes it."""

    def __init__(self, archive, folder):
        self.archive, self.folder = archive, folder
        with tarfile.open(archive) as tar:
            [self.manifest] = json.load(tar.extractfile("manifest.json"))
            self.described = json.load(tar.extractfile(self.manifest["Config"]))
            self.layers = [tar.extractfile(name).read() for name in self.manifest["Layers"]]
        self.config = self.described["config"]
        self.env = dict(pair.split("=", 1) for pair in self.config["Env"])
        self.numbers = itertools.count(1)

    def digests(self):
        return ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in self.layers]

    def unpack(self):
        """A root of its own, with what an engine adds to it."""
        root = self.folder / f"root-{next(self.numbers)}"
        root.mkdir()
        for layer in self.layers:
            subprocess.run(["tar", "--extract", "--same-owner", "--same-permissions", "--directory", root], input=layer, check=True)
        for name in ("dev", "proc"):
            (root / name).mkdir(exist_ok=True)
        (root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        (root / "etc/resolv.conf").write_text("nameserver 127.0.0.1\n")
        return root


class Container:
    """The image's own entrypoint, user, variables and working folder; `command` replaces its CMD, and `env` adds variables, as with `docker run`."""

    def __init__(self, image, command=None, env=None, root=None, *, entrypoint=None, workdir=None, read_only=False):
        self.root = root or image.unpack()
        config = image.config
        entrypoint = config["Entrypoint"] if entrypoint is None else entrypoint
        user, group = config["User"].split(":")
        enter = ["/usr/bin/unshare", f"--root={self.root}", f"--wd={workdir or config['WorkingDir']}", f"--setgid={group}", f"--setuid={user}"]
        mounts = (MOUNTS + READ_ONLY if read_only else MOUNTS).format(root=shlex.quote(str(self.root)))
        line = f"{mounts}exec {shlex.join([*enter, *entrypoint, *(config['Cmd'] if command is None else command)])}"
        self.log = open(image.folder / f"container-{next(image.numbers)}.log", "ab+")
        self.env = image.env | (env or {})
        start = ["/usr/bin/unshare", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-ec", line]
        self.process = subprocess.Popen(start, env=self.env, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def said(self):
        self.log.flush()
        return Path(self.log.name).read_text(encoding="utf-8", errors="replace")

    def wait(self):
        """Its exit code."""
        return self.process.wait(PATIENCE)

    def ready(self, address=("127.0.0.1", 7420)):
        self.address = address
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(OSError):
                if self.ask("GET", "/readyz", key=None)[0] == 200:
                    return self
            time.sleep(0.05)
        raise AssertionError(f"it did not start:\n{self.said()[-2000:]}")

    def ask(self, method, path, body=None, key=KEY):
        """Status and body of an answer."""
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        headers = {"authorization": f"Bearer {key}"} if key else {}
        if body is not None:
            headers["content-type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def first_process(self):
        """The one that is process 1 to itself."""
        return int(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[0])

    def stop(self):
        """SIGTERM to process 1, as an engine does; its exit code and how long it took."""
        began = time.monotonic()
        os.kill(self.first_process(), signal.SIGTERM)
        return self.wait(), time.monotonic() - began


def run(*command, env=None, fine=True, cwd=ROOT):
    """Output of a command that must succeed, or must not."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env, cwd=cwd)
    said = done.stdout + done.stderr
    assert (done.returncode == 0) == fine, f"{shlex.join(map(str, command))} exited with {done.returncode}:\n{said[-3000:]}"
    return said


@contextlib.contextmanager
def running(container, **ready):
    try:
        yield container.ready(**ready)
    finally:
        if container.process.poll() is None:
            os.kill(container.first_process(), signal.SIGKILL)
            container.process.wait()


MOUNTS = """
mount --bind {root} {root}
mount --rbind /dev {root}/dev
mount -t proc proc {root}/proc
"""

# As with `docker run --read-only --tmpfs /tmp -v …:/data`.
READ_ONLY = """mount --bind {root}/data {root}/data
mount -t tmpfs tmpfs {root}/tmp
mount -o remount,bind,ro {root}
"""
