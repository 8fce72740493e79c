"""Every scenario with every fault, once and always, through each set-up: a table, and each case that was not done right."""
import argparse, collections, itertools, json, pathlib, subprocess, sys, tempfile

import faults, scenarios
from model import Model, Script
from setups import Forge, Gateway, Loop

HERE = pathlib.Path(__file__).resolve().parent
SETUPS = ["none", "forge", "countersign"]
MODES = ["once", "always"]


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=str(HERE.parents[2] / "target/release/countersign"), help="the countersign to measure")
    parser.add_argument("--scenario", default="", help="only scenarios whose name contains this")
    parser.add_argument("--fault", default="", help="only faults whose name contains this")
    parser.add_argument("--mode", choices=MODES, action="append")
    parser.add_argument("--setup", choices=SETUPS, action="append")
    parser.add_argument("--no-policy", action="store_true", help="run the gateway with its default policy, without the order of steps")
    parser.add_argument("--trace", action="store_true", help="print every conversation")
    parser.add_argument("--output", default=str(HERE.parents[2] / "target/forge"), help="where table.md and failed.json go")
    return parser.parse_args()


def policy_of(task):
    """What a forge workflow says about the order of steps, as a policy: the steps before the last tool, and that only the
    last tool ends the work."""
    workflow = task.prepare().workflow
    last = sorted(workflow.terminal_tools)
    lines = ["[answer]", f"requires = {json.dumps(workflow.required_steps + last)}"]
    for tool in last if workflow.required_steps else []:
        lines += ["", f"[tools.{tool}]", f"requires = {json.dumps(workflow.required_steps)}"]
    return "\n".join(lines) + "\n"


def check_policy(binary, policy):
    """Ends the program where the binary is missing or does not know the order of steps."""
    if not pathlib.Path(binary).is_file():
        sys.exit(f"{binary} does not exist: build it, or name another one with --binary")
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(policy)
        file.flush()
        checked = subprocess.run([binary, "policy", "check", file.name], capture_output=True, text=True)
    if checked.returncode:
        sys.exit(f"{binary} does not take the order of steps as policy (--no-policy runs without):\n{checked.stdout}{checked.stderr}")


def drive(setup, driver, model, task, fault, mode):
    """One case; without a fault, the right course, which every set-up must let through."""
    run, script = task.prepare(), Script(task, fault, fault and fault.place(task), mode)
    kind = fault.name if fault else "no-fault"
    name = f"{task.name}/{kind}/{mode}/{setup}"
    model.scripts[name] = script
    ended, notes = driver.drive(run, script, name)
    del model.scripts[name]
    right = run.done_right() and script.turns <= task.scenario.max_iterations
    case = {"scenario": task.name, "fault": kind, "mode": mode, "setup": setup, "right": right, "broken": run.broken, "ended": ended, "turns": script.turns}
    if setup == "countersign" and not right:
        case["verdicts"] = driver.findings(notes)
    return case, script


def trace(case, script):
    print(f"\n=== {case['scenario']} {case['fault']} {case['mode']} {case['setup']}: {'right' if case['right'] else 'WRONG'}, {case['ended']}; broken: {case['broken']}")
    shown = 0
    for messages, answer in script.exchanges:
        for message in messages[shown:]:
            print("   ", json.dumps(message, ensure_ascii=False)[:900])
        shown = len(messages)
        print("  model:", answer)
    for line in case.get("verdicts", []):
        print("  verdict:", line)


def table(cases, kinds, pairs):
    """A row for each fault: how many cases, and for each mode and set-up how many were done right and how many broken calls ran."""
    lines = ["| fault | cases |" + "".join(f" {setup}, {mode} |" for mode, setup in pairs), "|---|" + "---:|" * (1 + len(pairs))]
    totals = collections.Counter()
    for fault in kinds:
        cells = []
        for pair in pairs:
            row = [case for case in cases if case["fault"] == fault and (case["mode"], case["setup"]) == pair]
            right, broken = sum(case["right"] for case in row), sum(len(case["broken"]) for case in row)
            totals += collections.Counter({(pair, "right"): right, (pair, "broken"): broken, (pair, "cases"): len(row)})
            cells.append(f"{right} ({broken} broken)" if broken else str(right))
        lines.append(f"| {fault} | {len(row)} | {' | '.join(cells)} |")
    cells = [f"**{totals[pair, 'right']}** ({totals[pair, 'broken']} broken)" for pair in pairs]
    lines.append(f"| **all** | {totals[pairs[0], 'cases']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    chosen = options()
    modes, setups = chosen.mode or MODES, chosen.setup or SETUPS
    tasks = [task for task in scenarios.load() if chosen.scenario in task.name]
    kinds = [fault for fault in faults.load() if chosen.fault in fault.name]
    if not tasks or not kinds:
        sys.exit("no scenario or no fault has such a name: courses.toml and faults.toml list them")
    model, cases = Model(), []
    if "countersign" in setups:
        check_policy(chosen.binary, "" if chosen.no_policy else policy_of(tasks[0]))
    drivers = {"none": Loop(model.base), "forge": Forge(model.base)}
    for task in tasks:
        if "countersign" in setups:
            drivers["countersign"] = Gateway(chosen.binary, model.base, None if chosen.no_policy else policy_of(task))
        begun = len(cases)
        for fault, mode, setup in itertools.product([None, *kinds], modes, setups):
            if fault is None or fault.place(task):
                case, script = drive(setup, drivers[setup], model, task, fault, mode)
                cases.append(case)
                if chosen.trace:
                    trace(case, script)
        if "countersign" in setups:
            drivers["countersign"].stop()
        print(f"{task.name}: {sum(case['right'] for case in cases[begun:])} of {len(cases) - begun} runs done right", file=sys.stderr)
    report(cases, kinds, list(itertools.product(modes, setups)), pathlib.Path(chosen.output))


def report(cases, kinds, pairs, output):
    wrong = [case for case in cases if case["fault"] == "no-fault" and (not case["right"] or case["broken"])]
    text = table(cases, [fault.name for fault in kinds], pairs)
    print(text)
    for case in wrong:
        print(f"without any fault, {case['setup']} does {case['scenario']} wrong: {case['ended']}")
    output.mkdir(parents=True, exist_ok=True)
    (output / "table.md").write_text(text + "\n")
    (output / "failed.json").write_text(json.dumps([case for case in cases if not case["right"] or case["broken"]], indent=1, ensure_ascii=False))
    sys.exit(bool(wrong))


main()
