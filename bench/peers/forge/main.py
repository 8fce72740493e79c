"""Every scenario with every fault, once and always, through each set-up: a table, and each case that was not done right."""
import argparse, collections, json, pathlib, subprocess, sys, tempfile

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
    parser.add_argument("--output", default=str(HERE / ".venv/results"), help="where table.md and failed.json go")
    return parser.parse_args()


def policy_of(task):
    """What forge's workflow says about order, as a policy: the steps that must come before the last tool."""
    workflow = task.prepare().workflow
    lines = []
    for terminal in sorted(workflow.terminal_tools):
        if workflow.required_steps:
            lines += [f"[tools.{terminal}]", f"requires = {json.dumps(workflow.required_steps)}", ""]
    return "\n".join(lines)


def accepts_order_of_steps(binary):
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write('[tools.refund_order]\nrequires = ["get_order"]\n')
        file.flush()
        return subprocess.run([binary, "policy", "check", file.name], capture_output=True).returncode == 0


def drive(setup, driver, model, task, fault, mode):
    place = fault.place(task)
    run, script = task.prepare(), Script(task, fault, place, mode)
    name = f"{task.name}/{fault.name}/{mode}/{setup}"
    model.scripts[name] = script
    ended, notes = driver.drive(run, script, name)
    del model.scripts[name]
    right = run.done_right() and script.turns <= task.scenario.max_iterations
    case = {"scenario": task.name, "fault": fault.name, "mode": mode, "setup": setup, "right": right, "broken": run.broken, "ended": ended, "turns": script.turns}
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


def table(cases, chosen):
    lines = ["| fault | cases |" + "".join(f" {setup}, {mode} |" for mode in chosen.mode for setup in chosen.setup), "|---|" + "---|" * (1 + len(chosen.mode) * len(chosen.setup))]
    counts = collections.Counter((case["fault"], case["mode"], case["setup"]) for case in cases if case["right"])
    broken = collections.Counter()
    for case in cases:
        broken[case["fault"], case["mode"], case["setup"]] += len(case["broken"])
    names = list(dict.fromkeys(case["fault"] for case in cases))
    pairs = [(mode, setup) for mode in chosen.mode for setup in chosen.setup]
    total_cases = 0
    for name in names:
        number = sum(1 for case in cases if (case["fault"], case["mode"], case["setup"]) == (name, *pairs[0]))
        total_cases += number
        cells = [str(counts[name, *pair]) + (f" ({broken[name, *pair]} broken)" if broken[name, *pair] else "") for pair in pairs]
        lines.append(f"| {name} | {number} | " + " | ".join(cells) + " |")
    totals = [f"**{sum(counts[name, *pair] for name in names)}** ({sum(broken[name, *pair] for name in names)} broken)" for pair in pairs]
    lines.append(f"| **all** | {total_cases} | " + " | ".join(totals) + " |")
    return "\n".join(lines)


def main():
    chosen = options()
    chosen.mode, chosen.setup = chosen.mode or MODES, chosen.setup or SETUPS
    model, cases = Model(), []
    tasks = [task for task in scenarios.load() if chosen.scenario in task.name]
    kinds = [fault for fault in faults.load() if chosen.fault in fault.name]
    ordered = "countersign" in chosen.setup and not chosen.no_policy and accepts_order_of_steps(chosen.binary)
    if "countersign" in chosen.setup and not ordered:
        print("the gateway runs with its default policy, without the order of steps", file=sys.stderr)
    shared = Gateway(chosen.binary, model.base) if "countersign" in chosen.setup and not ordered else None
    for task in tasks:
        drivers = {"none": Loop(model.base), "forge": Forge(model.base)}
        if "countersign" in chosen.setup:
            drivers["countersign"] = shared or Gateway(chosen.binary, model.base, policy_of(task))
        for fault in (fault for fault in kinds if fault.place(task)):
            for mode in chosen.mode:
                for setup in chosen.setup:
                    case, script = drive(setup, drivers[setup], model, task, fault, mode)
                    cases.append(case)
                    if chosen.trace:
                        trace(case, script)
        if "countersign" in chosen.setup and not shared:
            drivers["countersign"].stop()
        print(f"{task.name}: {sum(case['right'] for case in cases if case['scenario'] == task.name)} of {sum(case['scenario'] == task.name for case in cases)} runs right", file=sys.stderr)
    if shared:
        shared.stop()
    text = table(cases, chosen)
    print(text)
    output = pathlib.Path(chosen.output)
    output.mkdir(parents=True, exist_ok=True)
    (output / "table.md").write_text(text + "\n")
    (output / "failed.json").write_text(json.dumps([case for case in cases if not case["right"] or case["broken"]], indent=1, ensure_ascii=False))


main()
