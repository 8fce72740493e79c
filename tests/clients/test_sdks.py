"""The openai and anthropic Python SDKs: calls, agent loops, refusals and histories."""

import anthropic
import openai
import pytest

import toolbox
from conftest import PLACE, UPSTREAM, seen
from lanes import LANES

SOUND = ["one-call", "text-then-call", "parallel-calls"]
EVERY_LANE = pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.name)
BROKEN = [(lane, scenario) for lane in LANES for scenario in toolbox.broken_in(lane.name)]
EVERY_BROKEN = pytest.mark.parametrize("lane, scenario", BROKEN, ids=[f"{lane.name}-{name}" for lane, name in BROKEN])


def agent(lane, base: str, model: str) -> tuple[list, str]:
    """The plainest agent loop: run what is asked for, give back the results, until there is an answer."""
    history, ran = lane.begin(), []
    for _ in range(4):
        outcome = lane.ask(base, model, history)
        if not outcome.calls:
            return ran, outcome.text
        results = [(id, toolbox.run(name, arguments)) for id, name, arguments in outcome.calls]
        ran.extend(outcome.wanted())
        history = history + outcome.turn + lane.results(results)
    raise AssertionError(f"no answer after four turns; ran {ran}")


# SERVE-6: sound calls pass as they are, one or several, and the loop ends with the final answer.
@EVERY_LANE
@pytest.mark.parametrize("scenario", SOUND)
def test_sound_calls_run(lane, scenario, model):
    name = model(scenario)
    ran, text = agent(lane, PLACE, name)
    assert ran == toolbox.expected(scenario)
    assert text.startswith("Done: ")
    assert len(seen(name)) == 2


# SERVE-6, PARSE-3, CALL-10: what the model got wrong is mended on the way; the tool runs with right arguments.
@pytest.mark.gateway
@EVERY_BROKEN
def test_broken_calls_are_mended(lane, scenario, model):
    name = model(scenario)
    ran, text = agent(lane, PLACE, name)
    assert ran == toolbox.expected(scenario)
    assert text.startswith("Done: ")
    assert len(seen(name)) == toolbox.EXPECTED[scenario].get("attempts", 1) + 1


# The same, straight from the model: the client raises, or hands on a call that is not the one that was meant.
@EVERY_BROKEN
def test_without_the_gateway_they_stay_broken(lane, scenario, model):
    try:
        outcome = lane.ask(UPSTREAM, model(scenario), lane.begin())
    except (openai.APIConnectionError, anthropic.APIConnectionError):
        raise  # The upstream itself failed, which would show nothing.
    except Exception:
        return
    assert outcome.wanted() != toolbox.expected(scenario)


# SERVE-6: a finish of `stop` beside calls is put right.
@pytest.mark.gateway
@EVERY_LANE
def test_the_finish_says_that_there_are_calls(lane, model):
    outcome = lane.ask(PLACE, model("stop-with-call"), lane.begin())
    assert outcome.wanted() == toolbox.expected("stop-with-call")
    assert outcome.finish in ("tool_calls", "tool_use", "completed")


# CALL-10: a model that makes the same mistake again is not asked for ever; its call becomes a readable text.
@pytest.mark.gateway
@EVERY_LANE
def test_a_refused_call_is_readable_text(lane, model):
    name = model("stubborn")
    outcome = lane.ask(PLACE, name, lane.begin())
    assert outcome.calls == []
    assert "get_weather" in outcome.text and "unit" in outcome.text
    assert outcome.finish in ("stop", "end_turn", "completed")
    assert 2 <= len(seen(name)) <= 3


# CALL-11: one refusal does not drop its siblings, and a text says what was refused.
@pytest.mark.gateway
@EVERY_LANE
def test_a_good_call_beside_a_refused_one_is_delivered(lane, model):
    outcome = lane.ask(PLACE, model("stubborn-beside-good"), lane.begin())
    assert outcome.wanted() == [("add_numbers", {"a": 10, "b": 32})]
    assert "get_weather" in outcome.text and "unit" in outcome.text
    assert outcome.finish in ("tool_calls", "tool_use", "completed")


# PARSE-3: a call that the length cut is never a call for the client.
@pytest.mark.gateway
@EVERY_LANE
def test_a_call_cut_by_length_never_arrives(lane, model):
    try:
        outcome = lane.ask(PLACE, model("cut-by-length"), lane.begin())
    except Exception as error:
        # The openai helpers raise for every answer that a limit has cut: LengthFinishReasonError in chat, and in
        # responses because the last event is `response.incomplete`.
        assert "ength" in type(error).__name__ or "response.completed" in str(error), error
        return
    assert outcome.calls == []
    assert outcome.finish in ("length", "max_tokens", "incomplete")


# CALL-10: usage adds up over the attempts; only one answer reaches the client.
@pytest.mark.gateway
@EVERY_LANE
def test_usage_adds_up_over_corrections(lane, model):
    outcome = lane.ask(PLACE, model("missing-field"), lane.begin())
    assert outcome.usage == (22, 14)


# SERVE-6: usage passes as it is where nothing was corrected.
@EVERY_LANE
def test_usage_passes(lane, model):
    assert lane.ask(PLACE, model("usage"), lane.begin()).usage == (123, 45)


# CALL-11: a history that a provider refuses is repaired before it goes there.
@pytest.mark.gateway
@EVERY_LANE
@pytest.mark.parametrize("fault", ["orphan call", "orphan result", "second result"])
def test_histories_are_repaired(lane, fault, model):
    outcome = lane.ask(PLACE, model("strict-history"), faulty(lane, fault))
    assert outcome.text == "The history is sound."


@EVERY_LANE
def test_without_the_gateway_a_broken_history_is_an_error(lane, model):
    with pytest.raises(Exception) as raised:
        lane.ask(UPSTREAM, model("strict-history"), faulty(lane, "orphan call"))
    assert raised.value.status_code == 400


def faulty(lane, fault: str) -> list:
    """A history as clients write it after a crash, a cut, or a double click."""
    call = lane.ask(UPSTREAM, "one-call.history", lane.begin())
    result = lane.results([(call.calls[0][0], "18 degrees celsius in Paris")])
    history = {
        "orphan call": lane.begin() + call.turn,
        "orphan result": lane.begin() + result,
        "second result": lane.begin() + call.turn + result + result,
    }[fault]
    return history + lane.begin()
