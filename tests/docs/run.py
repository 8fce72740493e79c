"""Every command of the documentation, run and compared with the output that the page shows.

    python3 run.py COUNTERSIGN PYTHON [WORD …]       only pages whose name has one of the words

Each page has a network of its own, where there is nothing but the server that it starts on port 7420.
"""

import collections
import concurrent.futures
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from servers import listens

ROOT = Path(__file__).resolve().parents[2]


def main():
    program, python, *words = sys.argv[1:]
    python = str(Path(python).absolute())
    pages = [page for page in all_pages() if not words or any(word in page for word in words)]
    began = time.monotonic()
    alone = isolation()
    if not alone and listens():
        print("FAILED  pages cannot have a network of their own here, and port 7420, which they need, is in use: end what listens there")
        return 1
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE if alone else 1) as pool:
        results = list(pool.map(lambda page: run(alone, program, python, page), pages))
    ended = [(page, part) for page, parts in zip(pages, results) for part in parts]
    for page, part in ended:
        if part["how"] == "failed":
            print(f"FAILED  {page}:{part['line']}  {part['what'].splitlines()[0]}\n    {part['why']}\n", flush=True)
    for page, part in ended:
        if part["how"] == "not run":
            print(f"not run {page}:{part['line']}  {part['what'].splitlines()[0][:70]}: {part['why']}")
    tally = collections.Counter(part["how"] for _, part in ended)
    said = ", ".join(f"{tally[how]} {how}" for how in ["compared", "run", "loaded", "compiled", "saved", "named", "mentioned", "not run", "failed"] if tally[how])
    print(f"{len(pages)} pages, {len(ended)} blocks and commands: {said} ({time.monotonic() - began:.0f} s)")
    return 1 if tally["failed"] or not ended else 0


def all_pages():
    """README and everything that it leads to, without the pages that hold no commands of ours."""
    found = sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md")) + sorted(ROOT.glob("conformance/*.md")) + sorted(ROOT.glob("examples/**/*.md"))
    names = [str(page.relative_to(ROOT)) for page in found]
    has_commands = lambda name: re.search(r"```|`(?:countersign|make) |`tools/", (ROOT / name).read_text())
    return [name for name in names if name != "CHANGELOG.md" and has_commands(name)]


def isolation():
    """How a process gets a network of its own, where that is allowed; else pages run one by one on this machine's port 7420."""
    for way in [["unshare", "-n"], ["unshare", "-rn"]]:
        try:
            if subprocess.run([*way, "true"], capture_output=True).returncode == 0:
                return way
        except OSError:
            pass
    return []


def run(alone, program, python, page):
    here = str(Path(__file__).parent / "page.py")
    asked = subprocess.run([*alone, sys.executable, here, program, python, page], capture_output=True, text=True, cwd=ROOT)
    try:
        return json.loads(asked.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        return [{"line": 0, "what": "page", "how": "failed", "why": asked.stdout + asked.stderr}]


# Pages mostly wait: for a demo model that writes as slowly as a real one, and for servers that start.
AT_ONCE = 4


if __name__ == "__main__":
    sys.exit(main())
