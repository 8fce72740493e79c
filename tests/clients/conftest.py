"""Where the tests find the gateway and the scripted upstream, and the tools that the scripted model knows.

`tools/test-clients` starts both and names them in the environment. With `DIRECT=1` there is no gateway: the tests that
show what it does are left out, and the rest runs straight against the upstream.
"""

import itertools
import json
import os
import time
import urllib.request

import pytest

UPSTREAM = os.environ["COUNTERSIGN_TEST_UPSTREAM"]
GATEWAY = os.environ.get("COUNTERSIGN_TEST_GATEWAY", "")
PLACE = GATEWAY or UPSTREAM

numbers = itertools.count(1)


def pytest_configure(config):
    config.addinivalue_line("markers", "gateway: shows what the gateway does; left out with DIRECT=1")


def pytest_collection_modifyitems(config, items):
    if GATEWAY:
        return
    left_out = [item for item in items if item.get_closest_marker("gateway")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture
def model():
    """Gives a scenario's model a name of its own, so that its requests can be told apart."""
    return lambda scenario: f"{scenario}.py{os.getpid()}n{next(numbers)}"


def seen(model: str) -> list[dict]:
    """What reached the upstream under this model's name."""
    with urllib.request.urlopen(f"{UPSTREAM}/control/requests?model={model}", timeout=5) as answer:
        return json.load(answer)


def closed_within(model: str, seconds: float) -> bool:
    """Whether the upstream saw the connection of the model's last request close in time, before its answer ended."""
    until = time.time() + seconds
    while time.time() < until:
        last = seen(model)[-1]
        if last["closed_after"]:
            return not last["finished"]
        time.sleep(0.05)
    return False
