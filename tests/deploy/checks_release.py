"""The systemd unit, the files of a release, the release workflow, and what docs/install.md says."""

import json
import os
import re
import shlex
import shutil
import tarfile
from pathlib import Path

from checks_compose import parse_yaml
from checks_image import KEYS, WEATHER, version
from world import ROOT, Container, Image, check, eq, run, running

UNIT = ROOT / "deploy/countersign.service"
PAPERS = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "completions/_countersign", "completions/countersign", "completions/countersign.fish",
          "countersign", "countersign.1", "deploy/Containerfile", "deploy/compose.yaml", "deploy/countersign.service", "deploy/env.example",
          "deploy/grafana-dashboard.json", "deploy/prometheus-rules.yml", "install.md"]


@check("SERVE-7")
def systemd_takes_the_unit(image):
    root = image.folder / "systemd"
    for path in ("etc/systemd/system", "usr/local/bin", "usr/share/man/man1"):
        (root / path).mkdir(parents=True)
    shutil.copy(UNIT, root / "etc/systemd/system")
    command = root / setting("ExecStart").split()[0].lstrip("/")
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    # What other packages bring (targets, man pages) is not in this root.
    said = run("systemd-analyze", "verify", f"--root={root}", "--man=no", "--recursive-errors=no", "countersign.service")
    eq(said.strip(), "", "systemd-analyze verify")
    run("systemd-analyze", "security", "--offline=true", "--threshold=15", UNIT)
    eq([setting(name) for name in ("ProtectSystem", "NoNewPrivileges", "StateDirectory", "Restart")], ["strict", "yes", "countersign", "on-failure"])


@check("SERVE-7")
def the_command_of_the_unit_runs(image):
    """With its variables, its working folder and its state folder, as a user of its own, and nothing else to write to."""
    root = image.unpack()
    program, *arguments = shlex.split(setting("ExecStart"))
    state = root / "var/lib" / setting("StateDirectory")
    for folder in (state, (root / program.lstrip("/")).parent):
        folder.mkdir(parents=True)
    os.link(root / "usr/bin/countersign", root / program.lstrip("/"))
    shutil.chown(state, 65532, 65532)
    variables = dict(line.split("=", 1) for line in settings("Environment"))
    eq(variables["COUNTERSIGN_DATA_DIR"], f"/var/lib/{setting('StateDirectory')}")
    env = dict.fromkeys(image.env, "") | variables | {"PATH": "/usr/local/bin:/usr/bin"}
    unit = Container(image, arguments, env=env, root=root, entrypoint=[program], workdir=setting("WorkingDirectory"))
    with running(unit) as container:
        eq(container.ask("POST", "/v1/chat/completions", WEATHER, key=None)[0], 200, "open, on loopback only")
        eq(container.stop()[0], 0, container.said())
    assert any(state.iterdir()), "it keeps its data in the state folder"


@check("SERVE-7")
def the_release_has_all_papers(image):
    """The files of `make release`, made from the same binary."""
    dist, name = Path(os.environ["OUT"]) / "dist", f"countersign-{version()}-{os.uname().machine}-linux"
    run("tools/build-release")
    sums = (dist / "SHA256SUMS").read_text()
    eq(sorted(line.split()[1] for line in sums.splitlines()), sorted([f"{name}.tar.gz", f"{name}-image.tar.gz", f"countersign-{version()}.cdx.json"]))
    eq(sorted(path.name for path in dist.iterdir()), sorted([line.split()[1] for line in sums.splitlines()] + ["SHA256SUMS"]))
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=dist)
    run("tar", "--extract", "--file", dist / f"{name}.tar.gz", cwd=image.folder)
    papers = image.folder / name
    eq(sorted(str(path.relative_to(papers)) for path in papers.rglob("*") if path.is_file()), PAPERS)
    assert all(path.stat().st_size for path in papers.rglob("*")), "an empty file"
    eq(run(papers / "countersign", "--version").strip(), f"countersign {version()}")
    assert (papers / "countersign.1").read_text().count(".SH") > 3
    eq(json.loads((dist / f"countersign-{version()}.cdx.json").read_text())["bomFormat"], "CycloneDX")
    eq(Image(dist / f"{name}-image.tar.gz", image.folder).digests(), image.digests(), "the same layer, made again")
    with tarfile.open(dist / f"{name}.tar.gz") as tar:
        eq({(member.uid, member.gid, member.mtime) for member in tar}, {(0, 0, int(run("sh", "-c", "git log -1 --format=%ct 2> /dev/null || echo 0")))}, "nothing of this machine or hour")


@check("SERVE-7")
def the_release_workflow_calls_what_is_there(_):
    text = (ROOT / ".github/workflows/release.yml").read_text()
    workflow = parse_yaml(text.replace("\non:", "\n'on':"))
    eq(workflow["on"]["push"]["tags"], ["v*"])
    eq(workflow["permissions"], {"contents": "read"}, "what jobs may do unless they say so")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    called = {word for step in steps for word in re.findall(r"^make ([a-z-]+)", step.get("run", ""), re.MULTILINE)}
    eq(called, {"check", "test", "release"})
    assert called <= targets, called - targets
    for step in steps:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step.get("uses", "actions/none@" + "0" * 40)), f"not pinned: {step}"
    for job in workflow["jobs"].values():
        needs = job.get("needs", [])
        assert set([needs] if isinstance(needs, str) else needs) <= set(workflow["jobs"]), needs
    eq({entry["arch"] for entry in workflow["jobs"]["build"]["strategy"]["matrix"]["include"]}, {"x86_64", "aarch64"})


# What the page tells readers to type: commands of ours exist, settings exist, files exist.
@check("SERVE-7")
def the_page_about_installing_is_true(image):
    page = (ROOT / "docs/install.md").read_text()
    blocks = "\n".join(re.findall(r"^```\w*\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    docs = Container(image, ["config", "docs"])
    eq(docs.wait(), 0)
    for variable in set(re.findall(r"\bCOUNTERSIGN_[A-Z_]+\b", page)):
        assert f"`{variable}`" in docs.said() or variable in (ROOT / "deploy/compose.yaml").read_text(), f"{variable} is no setting"
    for command in set(re.findall(r"\bcountersign ((?:keys )?(?!countersign)[a-z]+)(?= |$)", blocks, re.MULTILINE)):
        helped = Container(image, [*command.split(), "--help"])
        eq(helped.wait(), 0, f"{command}: {helped.said()}")
    for target in set(re.findall(r"\bmake ([a-z-]+)", blocks)):
        assert f"\n{target}:" in (ROOT / "Makefile").read_text(), f"make {target}"
    for link in re.findall(r"\]\((?!http)([^)#]+)", page):
        assert (ROOT / "docs" / link).exists(), link
    assert f"countersign-{version()}-x86_64-linux" in page and f"countersign:{version()}" in page, "the version of the page"


def setting(name):
    [value] = settings(name)
    return value


def settings(name):
    """What the unit says about it, in order."""
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(), re.MULTILINE)
