"""The openai and anthropic Python SDKs on the wire: streams, errors, retries, cancellation, and what passes untouched."""

import time

import anthropic
import openai
import pytest

from conftest import PLACE, closed_within, seen
from lanes import LANES, STREAMED, Chat, Messages, StreamFailed

EVERY_LANE = pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.name)
EVERY_STREAM = pytest.mark.parametrize("lane", STREAMED, ids=lambda lane: lane.name)
WHOLE = [lane for lane in LANES if lane.kind == "whole"]
STATUSES = {
    "bad-request": (400, "BadRequestError", "context_length_exceeded"),
    "no-key": (401, "AuthenticationError", "invalid_api_key"),
    "unheard-of": (404, "NotFoundError", "model_not_found"),
    "limited": (429, "RateLimitError", "rate_limit_exceeded"),
    "broken-server": (500, "InternalServerError", "server_error"),
    "overloaded": (529, ("InternalServerError", "OverloadedError"), "overloaded"),
}


# SERVE-6: text arrives while the upstream still writes.
@EVERY_STREAM
def test_text_arrives_piece_by_piece(lane, model):
    arrived = [(time.monotonic(), piece) for piece in lane.texts(PLACE, model("clean-text"))]
    assert "".join(piece for _, piece in arrived) == "Rain falls on the plain and stays there for a week."
    assert len(arrived) >= 8
    assert arrived[-1][0] - arrived[0][0] > 0.25


# SERVE-6: the client's own typed errors, with status, code and request id, streamed or not.
@EVERY_LANE
@pytest.mark.parametrize("scenario", STATUSES)
def test_errors_keep_their_type(lane, scenario, model):
    status, kind, code = STATUSES[scenario]
    name = model(scenario)
    with pytest.raises((openai.APIStatusError, anthropic.APIStatusError)) as raised:
        lane.ask(PLACE, name, lane.begin())
    error = raised.value
    assert type(error).__name__ in (kind if isinstance(kind, tuple) else (kind,))
    assert error.status_code == status
    assert error.request_id.startswith("req_")
    if isinstance(error, openai.APIStatusError):
        assert error.code == code
    else:
        assert error.body["error"]["type"]
    assert len(seen(name)) == 1, "no retries but the client's own"


# SERVE-6: an error in the middle of a stream is the client's exception; the text before it has arrived.
@EVERY_STREAM
def test_an_error_in_the_stream_is_raised(lane, model):
    arrived = []
    with pytest.raises((openai.APIError, anthropic.APIError, StreamFailed)) as raised:
        for piece in lane.texts(PLACE, model("error-in-stream")):
            arrived.append(piece)
    assert "".join(arrived) == "Rain falls on "
    assert "the model broke" in str(raised.value)


# SERVE-6, PARSE-3: a stream that is cut in a call is an error for the client, never a call, never a silent end.
@pytest.mark.gateway
@EVERY_LANE
def test_a_cut_answer_is_an_error(lane, model):
    name = model("cut-stream")
    with pytest.raises((openai.APIError, anthropic.APIError, StreamFailed)) as raised:
        lane.ask(PLACE, name, lane.begin())
    assert len(seen(name)) == 1, "the answer that was cut came from the upstream"
    if lane.kind == "whole":
        assert raised.value.status_code == 502


# SERVE-6: 429 with `retry-after-ms` reaches the client as it is, and the client's own retry succeeds.
@EVERY_LANE
def test_the_clients_own_retry(lane, model):
    name = model("limited-once")
    began = time.monotonic()
    outcome = lane.ask(PLACE, name, lane.begin(), client=lane.client(PLACE, max_retries=1))
    assert outcome.text == "Better now."
    assert time.monotonic() - began < 10, "retry-after-ms goes before retry-after"
    assert len(seen(name)) == 2


# SERVE-6: a client that goes away ends the upstream's work.
@EVERY_STREAM
def test_leaving_ends_the_upstream_request(lane, model):
    name = model("slow-drip")
    client = lane.client(PLACE)
    pieces = lane.texts(PLACE, name, client=client)
    assert next(pieces) == "drip "
    pieces.close()
    client.close()
    assert closed_within(name, 2.0)


# SERVE-6: a client whose patience ends before the first byte, too.
@pytest.mark.parametrize("lane", WHOLE, ids=lambda lane: lane.name)
def test_a_client_timeout_ends_the_upstream_request(lane, model):
    name = model("slow-drip")
    client = lane.client(PLACE, timeout=0.5)
    with pytest.raises((openai.APITimeoutError, anthropic.APITimeoutError)):
        lane.ask(PLACE, name, lane.begin(), client=client)
    client.close()
    assert closed_within(name, 2.0)


# SERVE-6: unknown fields and headers, query strings and credentials go upstream; unknown fields come back.
@EVERY_LANE
def test_what_is_not_known_passes(lane, model):
    name = model("usage")
    more = {
        "extra_body": {"house_option": {"deep": [1, 2.50, None]}},
        "extra_headers": {"x-house": "yes"},
        "extra_query": {"house": "1"},
    }
    outcome = lane.ask(PLACE, name, lane.begin(), **more)
    (asked,) = seen(name)
    assert asked["body"]["house_option"] == {"deep": [1, 2.5, None]}
    assert asked["headers"]["x-house"] == "yes"
    assert asked["target"].endswith("house=1")
    assert "test-key" in asked["headers"].get("authorization", "") + asked["headers"].get("x-api-key", "")
    if lane.kind == "whole":
        assert outcome.raw.model_extra["upstream_note"] == "kept"
        assert outcome.raw._request_id.startswith("req_")
    if isinstance(lane, Messages):
        assert asked["headers"]["anthropic-version"] == lane.client(PLACE).default_headers["anthropic-version"]


# SERVE-6: the verdict is named on every answer that held a call.
@pytest.mark.gateway
def test_the_verdict_is_named(model):
    client = Chat("whole").client(PLACE)
    about = {"messages": Chat("whole").begin(), "tools": Chat.tools()}
    answer = client.chat.completions.with_raw_response.create(model=model("misspelt-name"), **about)
    assert answer.headers["countersign-verdict"]


# SERVE-6: the list of models is the upstream's.
def test_models_are_listed():
    client = Chat("whole").client(PLACE)
    assert [listed.id for listed in client.models.list()] == ["clean-text"]
