"""Black-box checks of the program: what an examiner tries who knows the contracts and not the code.

    python3 run.py COUNTERSIGN [WORD …]       only checks whose name or point has one of the words

Needs nothing but Python's own library. Starts its provider and its servers on free loopback ports and stops them.
"""

import itertools
import sys
import tempfile
import time
import traceback
from pathlib import Path

import checks_engine
import checks_gateway
import checks_server
from suite import CHECKS
from world import Provider, Server


class World:
    """What a check gets: the program, a provider, and a server that other checks use too."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.provider = Provider()
        self.server = Server(program, self.provider).start()
        self.numbers = itertools.count(1)

    def fresh(self, name):
        return f"{name}-{next(self.numbers)}"

    def close(self):
        self.server.stop()
        self.provider.close()


def main():
    program, *words = sys.argv[1:]
    chosen = [found for found in CHECKS if not words or any(word == found[0] or word in found[2].__name__ for word in words)]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="countersign-blackbox-") as folder:
        world = World(str(Path(program).resolve()), Path(folder))
        try:
            for point, requirements, run in chosen:
                failed += not passes(world, point, requirements, run)
        finally:
            world.close()
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


def passes(world, point, requirements, run):
    name = run.__name__.replace("_", " ")
    began = time.monotonic()
    try:
        run(world)
    except AssertionError as error:
        print(f"FAILED  {point:>3}  {name} ({', '.join(requirements)})\n             {error}", flush=True)
        return False
    except Exception:
        print(f"FAILED  {point:>3}  {name} ({', '.join(requirements)})\n{traceback.format_exc()}", flush=True)
        return False
    print(f"ok      {point:>3}  {name} ({time.monotonic() - began:.1f} s)", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
