"""One page: its blocks run from top to bottom in a fresh folder, with a fresh data folder, and compared.

    python3 page.py COUNTERSIGN PYTHON PAGE      prints one JSON object: how each block and each command ended
"""

import fcntl
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from compare import Known, clean, json_difference
from pages import BadPage, Command, blocks, commands, inline_commands
from servers import Servers
from terminal import Terminal, TooLong

ROOT = Path(__file__).resolve().parents[2]


class Page:
    """A page while it is run."""

    def __init__(self, program, python, path):
        self.program, self.python, self.path = Path(program).resolve(), Path(python).absolute(), path
        self.folder = Path(tempfile.mkdtemp(prefix="countersign-docs-"))
        self.known, self.ended, self.helps = Known(), [], {}
        self._furnish()
        self._sit_down()
        self.servers = Servers(self.terminal, self.folder)
        # The output of the command before a block that may show it: its lines, or its JSON.
        self.open_output = None

    def _furnish(self):
        """The folder of a reader: a checkout with its examples, and the files of their own that pages speak of."""
        for name in ["docs", "examples"]:
            shutil.copytree(ROOT / name, self.folder / name, ignore=shutil.ignore_patterns("screens", ".countersign-kb"))
        for name in ["README.md", "Makefile", "conformance", "crates"]:
            (self.folder / name).symlink_to(ROOT / name)
        shutil.copytree(Path(__file__).parent / "files", self.folder, dirs_exist_ok=True)
        for name, example in OWN_FILES.items():
            shutil.copy(ROOT / "examples" / example, self.folder / name)
        for place in [self.folder / ".bin", *(self.folder / "target" / profile for profile in PROFILES)]:
            place.mkdir(parents=True)
            (place / "countersign").symlink_to(self.program)
        (self.folder / ".home").mkdir()
        servers = ROOT / "target/mcp/current/node/node_modules"
        if servers.is_dir():
            (self.folder / "node_modules").symlink_to(servers)
        for step in GIT:
            subprocess.run(["git", *step], cwd=self.folder, check=True, capture_output=True)
        (self.folder / "prompts/librarian.en.md").write_text("You are a librarian. Answer from the documents alone.\n")

    def _sit_down(self):
        self.terminal = Terminal(self.folder, self._environment())

    def _environment(self):
        home = str(self.folder / ".home")
        path = f"{self.folder / '.bin'}:{os.environ['PATH']}"
        return {"PATH": path, "HOME": home, "TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "npm_config_offline": "true"}

    def run(self):
        """Runs everything; gives how each part ended."""
        text = (ROOT / self.path).read_text()
        try:
            for block in blocks(text):
                self._block(block)
            for line, command in inline_commands(text):
                self._inline(line, command)
        except BadPage as error:
            self._end(0, "page", "failed", str(error))
        finally:
            self.servers.stop()
            self.terminal.close()
            shutil.rmtree(self.folder, ignore_errors=True)
        return self.ended

    def _end(self, line, what, how, why=""):
        self.ended.append({"line": line, "what": what, "how": how, "why": why})

    def _show_nothing_open(self):
        self.open_output = None

    # ------------------------------------------------------------------ blocks

    def _block(self, block):
        mine = {"console": self._console, "text": self._text, "toml": self._toml, "json": self._json, "python": self._python}
        saved = block.marks.get("saved as") or _named_file(block)
        if saved:
            place = self.folder / saved
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.text)
            self._typed(_variables(block.text))
        if "not run" in block.marks:
            self._show_nothing_open()
            self._end(block.line, block.language or "block", "not run", block.marks["not run"])
        elif "compiled in" in block.marks:
            self._compiled(block)
        elif "output of" in block.marks and block.language != "json":
            _, self.open_output = self._run(block.line, block.marks["output of"])
            self._text(block)
        elif block.language in mine:
            mine[block.language](block)
        elif saved:
            self._end(block.line, block.language, "saved")
        else:
            self._end(block.line, block.language or "block", "failed", "nobody runs this block: make it console, text, toml, json or python, or say `<!-- not run: why -->`")

    def _console(self, block):
        self._show_nothing_open()
        found = commands(block)
        for words, _ in block.marks.get("some not run", []):
            if not any(words in command.text for command in found):
                self._end(block.line, "console", "failed", f"no command has the words {words!r} that a mark names")
        for command in found:
            why = next((why for words, why in block.marks.get("some not run", []) if words in command.text), None)
            if why is not None:
                self._end(command.line, command.text, "not run", why)
                self._show_nothing_open()
            elif command.words()[:1] == ["make"] and command.words() != ["make", "run"]:
                self._make(command)
            else:
                self._command(command)

    def _make(self, command, how="named"):
        """What takes minutes is not run here; that it exists is looked at."""
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M)
        target = (command.words() + [""])[1]
        self._end(command.line, command.text, how if target in targets else "failed", "" if target in targets else f"the Makefile has no target {target}")

    def _command(self, command):
        text = self.known.put_into(command.text)
        if _is_server(command):
            code, output = self.servers.start(re.sub(r"^make run\b", "countersign serve", text))
            self._settle(command, code, output)
            if "--upstream" in text:
                # A model that cannot be reached from here: the page goes on with the demo model.
                self.servers.stop()
            return
        code, output = self._run(command.line, text, command)
        self._settle(command, code, output)

    def _run(self, line, text, command=None):
        needs = re.search(r"localhost:7420|127\.0\.0\.1:7420|countersign review", text)
        if needs and not self.servers.runs():
            self.servers.start("countersign serve")
        typed = [(prompt, shown[len(prompt):] + "\n") for shown in (command.expected if command else []) for prompt in PROMPTS if shown.startswith(prompt)]
        if typed:
            typed.append((PROMPTS[0], "\x04"))
        elif re.fullmatch(r"(?:\S+/)?countersign chat(?: --[\w-]+ \S+)*", text.split(" #")[0].strip()):
            # A conversation whose page shows nothing of it is left at once.
            typed = [(PROMPTS[0], "\x04")]
        return self._typed(text, typed)

    def _typed(self, text, typed=()):
        """Runs a command in the shell; one that does not end takes the shell with it."""
        try:
            return self.terminal.run(text, SECONDS, typed)
        except TooLong as error:
            self.terminal.close()
            self._sit_down()
            self.servers.terminal = self.terminal
            return None, f"it did not end within {SECONDS} seconds\n{error}"

    def _settle(self, command, code, output):
        if command.expected:
            self._show_nothing_open()
            difference = self.known.difference(command.expected, output, False)
            self._end(command.line, command.text, "failed" if difference else "compared", difference or "")
            return
        self.open_output = output
        wrong = _wrong_code(command, code) or _refused(command, output)
        printed = "\n".join("      | " + line[:400] for line in clean(output)[-12:])
        self._end(command.line, command.text, "failed" if wrong else "run", f"{wrong}\n{printed}" if wrong else "")

    def _text(self, block):
        """An excerpt of what the command before it printed."""
        if self.open_output is None:
            self._end(block.line, "text", "failed", "no command before this block has its output open: say `<!-- output of: COMMAND -->` or `<!-- not run: why -->`")
            return
        difference = self.known.difference(block.lines, self.open_output, True)
        self._end(block.line, "text", "failed" if difference else "compared", difference or "")

    def _toml(self, block):
        """A configuration or a policy: one of the two must take it."""
        name = ".block.toml"
        (self.folder / name).write_text(block.text)
        said = []
        for check in [f"countersign config check --config {name}", f"countersign policy check {name}"]:
            code, output = self._typed(f"( {_variables(block.text)} {check} )")
            if code == 0:
                return self._end(block.line, "toml", "loaded")
            said.append("\n".join(["      $ " + check] + ["      | " + line for line in clean(output)]))
        self._end(block.line, "toml", "failed", "neither a configuration nor a policy\n" + "\n".join(said))

    def _json(self, block):
        """What a command reads, or what it printed."""
        value = json.loads(block.text)
        if "input of" in block.marks:
            (self.folder / ".input").write_text(json.dumps(value, ensure_ascii=False) + "\n")
            _, output = self._run(block.line, f"{block.marks['input of']} < .input | cat")
            self.open_output = output
            return self._end(block.line, "json", "run")
        if "output of" in block.marks:
            _, self.open_output = self._run(block.line, block.marks["output of"] + " | cat")
        if self.open_output is None:
            return self._end(block.line, "json", "failed", "nobody reads or writes this JSON: say `<!-- input of: COMMAND -->`, `<!-- output of: COMMAND -->` or `<!-- not run: why -->`")
        try:
            seen = json.loads(self.open_output)
            difference = json_difference(value, seen)
        except ValueError:
            difference = f"the output is no JSON: {self.open_output[:400]}"
        return self._end(block.line, "json", "failed" if difference else "compared", difference or "")

    def _python(self, block):
        """A program with the official clients; comments under a print show what it prints."""
        if not self.servers.runs():
            self.servers.start("countersign serve")
        imports = "".join(f"from {module} import {name}\n" for name, module in CLIENTS.items() if name in block.text and f"import {name}" not in block.text)
        (self.folder / ".block.py").write_text(imports + block.text)
        code, output = self._typed(f"OPENAI_API_KEY=sk-of-a-reader ANTHROPIC_API_KEY=sk-of-a-reader {self.python} .block.py")
        shown = _printed(block.lines)
        if code != 0:
            return self._end(block.line, "python", "failed", "\n".join("      | " + line for line in clean(output)[-8:]))
        difference = self.known.difference(shown, output, False) if shown else None
        return self._end(block.line, "python", "failed" if difference else "compared" if shown else "run", difference or "")

    def _compiled(self, block):
        """Each line stands in a file that the tests compile and run, in this order."""
        place = ROOT / block.marks["compiled in"]
        bare = lambda line: re.sub(r"\s+", " ", re.sub(r"(^|\s)//.*", "", line)).strip()
        there = iter([bare(line) for line in place.read_text().split("\n")] if place.is_file() else [])
        missing = next((line for line in block.lines if bare(line) and not any(bare(line) == other for other in there)), None)
        self._end(block.line, block.language, "failed" if missing else "compiled", f"{block.marks['compiled in']} lacks, in this order: {missing}" if missing else "")

    # ------------------------------------------------------------------ prose

    def _inline(self, line, command):
        """Names in the prose: the command exists, and has the options."""
        if command.startswith("make "):
            return self._make(Command(line, command, []), "mentioned")
        if command.startswith("tools/"):
            there = (ROOT / command.split()[0]).is_file()
            return self._end(line, command, "mentioned" if there else "failed", "" if there else "there is no such file")
        words = [word for word in re.split(r"[\s|;,…]+", command) if word][1:]
        path = []
        while words and f"\n  {words[0]} " in self._help(path).split("Options:")[0].replace("\n\n", "\n") and re.fullmatch(r"[a-z-]+", words[0]):
            path.append(words.pop(0))
        if not path:
            return self._end(line, command, "failed", f"there is no command {words[0] if words else ''}")
        options = [re.match(r"--[\w-]+", word).group(0) for word in words if re.match(r"--[a-z]", word)]
        # An option that help does not list may still be one.
        known = lambda option: re.search(rf"{option}\b", self._help(path)) or "unexpected argument" not in self._help([*path, option, "x"])
        unknown = next((option for option in options if not known(option)), None)
        return self._end(line, command, "failed" if unknown else "mentioned", f"`countersign {' '.join(path)}` has no option {unknown}" if unknown else "")

    def _help(self, path):
        key = " ".join(path)
        if key not in self.helps:
            asked = subprocess.run([str(self.program), *path, "--help"], capture_output=True, text=True, timeout=60)
            self.helps[key] = "\n" + asked.stdout + asked.stderr
        return self.helps[key]


def _named_file(block):
    """A file that its first line names: `# countersign.toml`."""
    first = block.lines[0].strip() if block.lines else ""
    match = re.fullmatch(r"# ([\w./-]+\.(?:toml|yaml|yml|json))", first)
    return match.group(1) if match else None


def _is_server(command):
    words = command.words()
    is_ours = bool(words) and Path(words[0]).name == "countersign"
    return words[:2] == ["make", "run"] or (is_ours and words[1:2] == ["serve"] and "--help" not in words)


def _wrong_code(command, code):
    """Whether a command ended otherwise than it is meant to: a comment says `exit 1`, else it is 0, or 1 where something was judged."""
    said = re.search(r"\bexit (\d)", command.comment)
    judged = re.search(r"countersign (?:check|verify|score|step|factcheck|parse)\b", command.text)
    meant = [int(said.group(1))] if said else [0, 1] if judged else [0]
    return "" if code in meant else f"it ended with {code}"


def _refused(command, output):
    """What curl calls a success though the server answered with an error."""
    return "the server answered with an error" if "curl" in command.text and re.search(r'^\{"error":', output, re.M) else ""


def _variables(toml):
    """The variables that a configuration reads secrets from, set."""
    names = re.findall(r"_env = (?:\{[^}]*\}|\"[A-Z_]+\")", toml)
    return "".join(f"export {name}=of-a-reader; " for found in names for name in re.findall(r'"([A-Z_]+)"', found))


def _printed(lines):
    """The comments under a print: what it prints."""
    found = []
    for before, line in zip([""] + lines, lines):
        if line.startswith("# ") and (before.startswith("print(") or (before.startswith("# ") and found)):
            found.append(line[2:])
    return found


def raise_loopback():
    """A new network namespace has a loopback that is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        name = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(any_socket, SIOCGIFFLAGS, name))[1]
        if not flags & IFF_UP:
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | IFF_UP))


SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
# How long a command may take.
SECONDS = 30
# The folder is a repository with a change in it.
GIT = [
    ["init", "-q"], ["add", "prompts"],
    ["-c", "user.name=reader", "-c", "user.email=reader@example.com", "commit", "-q", "-m", "Prompts"],
]
# What a program asks a person with; on a page the answer stands behind it.
PROMPTS = ["› ", "approve, edit, reject? [a/e/r] "]
CLIENTS = {"OpenAI": "openai", "Anthropic": "anthropic"}
# Where pages look for the program beside the path.
PROFILES = ["release", "quick", "debug"]
# Files that pages name as the reader's own, and what they hold here.
OWN_FILES = {
    "calls.jsonl": "check.jsonl", "results.jsonl": "verify.jsonl", "answers.jsonl": "score.jsonl", "steps.jsonl": "step.jsonl",
    "outputs.jsonl": "parse.jsonl", "messages.jsonl": "factcheck.jsonl",
}


if __name__ == "__main__":
    raise_loopback()
    print(json.dumps(Page(*sys.argv[1:]).run()))
