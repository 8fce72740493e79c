"""Deployment checks: the image, the compose file, the systemd unit and the release.

    python3 run.py IMAGE.tar [WORD …]       only checks with one of the words in their name

Run by tools/test-image, as root, in namespaces of its own.
"""

import sys
import tempfile
import time
import traceback
from pathlib import Path

import checks_compose
import checks_image
import checks_release
from world import CHECKS, Image, loopback_up


def main():
    archive, *words = sys.argv[1:]
    chosen = [found for found in CHECKS if not words or any(word in found[1].__name__ for word in words)]
    failed = 0
    loopback_up()
    with tempfile.TemporaryDirectory(prefix="countersign-deploy-") as folder:
        image = Image(Path(archive).resolve(), Path(folder))
        for requirements, run in chosen:
            failed += not passes(image, requirements, run)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


def passes(image, requirements, run):
    name = f"{run.__name__.replace('_', ' ')} ({', '.join(requirements)})"
    began = time.monotonic()
    try:
        run(image)
    except Exception as error:
        said = error if isinstance(error, AssertionError) else traceback.format_exc()
        print(f"FAILED  {name}\n        {said}", flush=True)
        return False
    print(f"ok      {name} {time.monotonic() - began:.1f} s", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
