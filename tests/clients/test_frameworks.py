"""pydantic-ai, langchain-openai and openai-agents: whole agent loops, mended calls, refusals, errors."""

import pytest

import frameworks
import toolbox
from conftest import PLACE, UPSTREAM, seen

EVERY_LANE = pytest.mark.parametrize("lane", frameworks.LANES, ids=lambda lane: "-".join([lane[0].__name__, *lane[1:]]))
SOUND = ["one-call", "text-then-call", "parallel-calls"]
MENDED = ["misspelt-name", "number-as-text", "broken-json", "missing-field", "one-of-two-missing", "call-as-text"]
MENDED += ["deltas-no-index", "deltas-from-one", "deltas-repeated"]


def order(ran: list) -> list:
    """Frameworks run parallel calls in any order."""
    return sorted(ran, key=repr)


# SERVE-6: the framework's own loop runs the tools and ends with the final answer.
@EVERY_LANE
@pytest.mark.parametrize("scenario", SOUND)
def test_sound_calls_run(lane, scenario, model):
    ran, text = frameworks.run(lane, PLACE, model(scenario))
    assert order(ran) == order(toolbox.expected(scenario))
    assert "Done: " in text and "degrees" in text


# SERVE-6, PARSE-3, CALL-10: broken calls are mended before the framework sees them: it never retries by itself.
@pytest.mark.gateway
@EVERY_LANE
@pytest.mark.parametrize("scenario", MENDED)
def test_broken_calls_are_mended(lane, scenario, model):
    name = model(scenario)
    ran, text = frameworks.run(lane, PLACE, name)
    assert order(ran) == order(toolbox.expected(scenario))
    assert "Done: " in text
    assert len(seen(name)) == toolbox.EXPECTED[scenario].get("attempts", 1) + 1


# The same, straight from the model: the loop fails, or nothing is run.
@EVERY_LANE
def test_without_the_gateway_a_misspelt_name_ends_the_loop(lane, model):
    name, bench = model("misspelt-name"), frameworks.Bench()
    try:
        frameworks.run(lane, UPSTREAM, name, bench)
    except Exception:
        pass  # Each framework gives up in its own way; what counts is that it was answered and ran nothing.
    assert bench.ran == []
    assert seen(name)[0]["finished"]


# CALL-10: a refused call is the answer that the framework ends with, and no tool has run.
@pytest.mark.gateway
@EVERY_LANE
def test_a_refused_call_is_readable_text(lane, model):
    ran, text = frameworks.run(lane, PLACE, model("stubborn"))
    assert ran == []
    assert "get_weather" in text and "unit" in text


# SERVE-6: the framework's own error, with the upstream's status.
@EVERY_LANE
@pytest.mark.parametrize("scenario, status", [("bad-request", 400), ("limited", 429), ("overloaded", 529)])
def test_errors_keep_their_status(lane, scenario, status, model):
    with pytest.raises(Exception) as raised:
        frameworks.run(lane, PLACE, model(scenario))
    assert status_of(raised.value) == status


def status_of(error: BaseException | None) -> int | None:
    while error is not None:
        if getattr(error, "status_code", None):
            return error.status_code
        error = error.__cause__ or error.__context__
    return None


# SERVE-6: a stream that is cut in a call never runs the tool.
@pytest.mark.gateway
@EVERY_LANE
def test_a_cut_answer_runs_nothing(lane, model):
    name, bench = model("cut-stream"), frameworks.Bench()
    with pytest.raises(Exception) as raised:
        frameworks.run(lane, PLACE, name, bench)
    assert bench.ran == []
    assert len(seen(name)) == 1, "the answer that was cut came from the upstream"
    if lane[2] == "whole":
        assert status_of(raised.value) == 502
