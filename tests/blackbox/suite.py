"""The list of checks, and what they assert with."""

CHECKS = []


def check(point, *requirements):
    """A check of a point of the examination; it shows these requirements."""

    def register(run):
        CHECKS.append((point, requirements, run))
        return run

    return register


def eq(seen, expected, where=""):
    assert seen == expected, f"{where}: expected {short(expected)}, saw {short(seen)}"


def ok(fine, why=""):
    assert fine, short(why)


def short(value):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) < 700 else text[:700] + " …"
