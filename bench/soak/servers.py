"""PostgreSQL, Redis and two nodes of the real binary, on free loopback ports, in one folder; each can be killed and started again."""
import glob, os, signal, socket, subprocess, time, urllib.request
from pathlib import Path


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def as_postgres(command):
    return (["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []) + command


class Server:
    """Something that is started, killed and started again on the same port."""

    def __init__(self, name, folder):
        self.name, self.folder, self.port, self.process = name, Path(folder) / name, free_port(), None
        self.folder.mkdir(parents=True)

    def spawn(self, command, env=None):
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, cwd="/", start_new_session=True)

    def wait(self, seconds=60):
        end = time.monotonic() + seconds
        while not self.answers():
            if time.monotonic() > end:
                raise RuntimeError(f"{self.name} does not answer within {seconds} s; see {self.folder}/log")
            if self.process.poll() is not None:
                # After a kill PostgreSQL refuses to start until its last child is gone.
                time.sleep(0.3)
                self.start()
            time.sleep(0.05)

    def kill(self):
        # Only what was started here: the group of this one process.
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def restart(self):
        self.kill()
        self.start()
        self.wait()

    def connects(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 0.5).close()
            return True
        except OSError:
            return False


class Postgres(Server):
    def __init__(self, folder):
        super().__init__("postgres", folder)
        self.programs = max(glob.glob("/usr/lib/postgresql/*/bin"), default="")
        if os.geteuid() == 0:
            subprocess.run(["chown", "postgres", str(self.folder)], check=True)
            os.chmod(folder, 0o755)
        data = str(self.folder / "data")
        subprocess.run(as_postgres([os.path.join(self.programs, "initdb"), "-N", "-A", "trust", "-U", "countersign", "-E", "UTF8", "--no-locale", "-D", data]), check=True, stdout=subprocess.DEVNULL, cwd="/")
        self.start()
        self.wait()
        self.url = f"postgres://countersign@127.0.0.1:{self.port}/postgres"

    def start(self):
        self.spawn(as_postgres([os.path.join(self.programs, "postgres"), "-D", str(self.folder / "data"), "-p", str(self.port), "-k", "", "-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=32MB"]))

    def answers(self):
        ready = [os.path.join(self.programs, "pg_isready"), "-q", "-h", "127.0.0.1", "-U", "countersign", "-p", str(self.port)]
        return subprocess.run(ready).returncode == 0


class Redis(Server):
    def __init__(self, folder):
        super().__init__("redis", folder)
        self.start()
        self.wait()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self):
        self.spawn(["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly", "yes", "--dir", str(self.folder)])

    def answers(self):
        return self.connects()


class Node(Server):
    """A node of the server; its clock can jump where libfaketime is there."""

    def __init__(self, name, folder, program, settings):
        super().__init__(name, folder)
        self.program, self.settings, self.base = program, settings, f"http://127.0.0.1:{self.port}"
        self.clock = self.folder / "clock"
        self.clock.write_text("+0s\n")
        self.starts = 0
        self.start()
        self.wait()

    def start(self):
        self.starts += 1
        env = {"HOME": str(self.folder), "PATH": os.environ["PATH"], **self.settings}
        library = next(iter(glob.glob("/usr/lib*/*/faketime/libfaketimeMT.so.1") + glob.glob("/usr/lib*/faketime/libfaketimeMT.so.1")), None)
        if library:
            env.update(LD_PRELOAD=library, FAKETIME_TIMESTAMP_FILE=str(self.clock), FAKETIME_NO_CACHE="0", FAKETIME_CACHE_DURATION="1", DONT_FAKE_MONOTONIC="1")
        self.jumps = library is not None
        self.spawn([self.program, "serve", "--listen", f"127.0.0.1:{self.port}", "--data-dir", str(self.folder / "data"), "--set", f"advertise={self.base}", "--log-format", "json"], env)

    def answers(self):
        try:
            with urllib.request.urlopen(f"{self.base}/readyz", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def terminate(self):
        self.process.terminate()
        code = self.process.wait(timeout=60)
        self.start()
        self.wait()
        return code

    def memory(self):
        """Resident memory in MiB."""
        try:
            lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
            return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
        except (OSError, StopIteration):
            return None
