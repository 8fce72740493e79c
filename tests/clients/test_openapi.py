"""A client that is generated from `/openapi.json` calls the server and reads typed answers. (LANG-4)

The generator is told to fail on a warning: a schema that it cannot read, or two that get one name, is a mistake here.
"""

import importlib
import subprocess
import sys
import urllib.request

import pytest
from conftest import PLACE

pytestmark = pytest.mark.gateway

WEATHER = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]},
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    with urllib.request.urlopen(f"{PLACE}/openapi.json", timeout=10) as answer:
        (folder / "openapi.json").write_bytes(answer.read())
    (folder / "config.yml").write_text("post_hooks: []\n")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--path", "openapi.json", "--config", "config.yml"]
    command += ["--meta", "none", "--output-path", "countersign_generated", "--fail-on-warning"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    sys.path.insert(0, str(folder))
    yield lambda name="": importlib.import_module(f"countersign_generated{name}")
    sys.path.remove(str(folder))


@pytest.fixture
def client(generated):
    return generated().Client(base_url=PLACE)


def request(models, days):
    said = models.Message(role="user", content="The weather in Oslo for 3 days?")
    call = models.ToolCall(name="get_weather", arguments={"city": "Oslo", "days": days})
    return models.CheckRequest(call=call, tools=[models.ToolDefinition.from_dict(WEATHER)], messages=[said])


def test_a_verdict_has_its_type(generated, client):
    models, check = generated(".models"), generated(".api.engine.check")
    verdict = check.sync(client=client, body=request(models, "3"))
    assert isinstance(verdict, models.Verdict) and verdict.status is models.Status.CAUTION
    assert verdict.action is models.Action.PROCEED_WITH_CAUTION and verdict.call.arguments == {"city": "Oslo", "days": 3}
    finding = verdict.findings[0]
    assert (finding.code, finding.severity) == ("call.wrong-type", models.Severity.WARNING)
    assert finding.correction.applied and finding.correction.patch[0].value == 3


def test_an_array_gives_an_array(generated, client):
    models, check = generated(".models"), generated(".api.engine.check")
    verdicts = check.sync(client=client, body=[request(models, 3), request(models, "many")])
    assert [verdict.status for verdict in verdicts] == [models.Status.APPROVED, models.Status.VALIDATION_FAILED]


def test_the_other_routes_of_the_engine(generated, client):
    models = generated(".models")
    api = lambda name: generated(f".api.engine.{name}")
    call = models.ToolCall(id="c", name="get_weather", arguments={"city": "Oslo"})
    result = models.ToolResult(call_id="c", content="Error 500")
    report = api("verify").sync(client=client, body=models.VerifyRequest(call=call, result=result))
    assert isinstance(report, models.VerificationReport) and report.is_suspicious
    score = api("score").sync(client=client, body=models.ScoreRequest(response="Oslo is in Norway.", context="Oslo is in Norway."))
    assert isinstance(score, models.ScoreReport) and score.signals.knowledge_grounding > 0.5
    claims = api("claims").sync(client=client, body=models.ClaimsRequest(text="Sales rose 12% in 2025."))
    assert [claim.status for claim in claims.claims] == [models.ClaimStatus.PENDING] * len(claims.claims) and claims.needs_verify
    read = api("parse").sync(client=client, body=models.ParseRequest(input_='{"name": "get_weather", "arguments": {"city": "Oslo",}}', tools=[models.ToolDefinition.from_dict(WEATHER)]))
    assert read.calls[0].name == "get_weather" and read.repairs
    step = models.StepRequest(tool_name="get_weather", tool_input={"city": "Oslo"}, tool_output={"temperature": 4}, model_response="It is 4 degrees.")
    assert isinstance(api("step").sync(client=client, body=step), models.StepReport)


def test_an_error_has_its_type(generated, client):
    models, get = generated(".models"), generated(".api.sessions.get_session")
    error = get.sync(client=client, id="ses_nobody")
    assert isinstance(error, models.ErrorBody) and error.error.code and "ses_nobody" in error.error.message


def test_sessions_reviews_and_the_audit(generated, client):
    models = generated(".models")
    made = generated(".api.sessions.create_session").sync(client=client, body=models.NewSession(user="ann"))
    assert isinstance(made, models.SessionInfo) and made.user == "ann"
    listed = generated(".api.sessions.list_sessions").sync(client=client, limit=5)
    assert made.session_id in [session.session_id for session in listed.sessions]
    assert isinstance(generated(".api.reviews.list_reviews").sync(client=client), models.ReviewList)
    assert isinstance(generated(".api.reviews.list_verdicts").sync(client=client, limit=5), models.VerdictPage)
    assert isinstance(generated(".api.reviews.stats").sync(client=client), models.Stats)
    stopped = generated(".api.sessions.stop").sync(client=client, body=models.StopRequest(sessions=[made.session_id]))
    assert [flag.session_id for flag in stopped.flags] == [made.session_id]
    generated(".api.sessions.clear_stop").sync(client=client, body=models.StopRequest(sessions=[made.session_id]))
    assert generated(".api.sessions.remove_session").sync_detailed(client=client, id=made.session_id).status_code == 204
