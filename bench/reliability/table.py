"""Gathers the lines that the fault tests print into the tables of docs/reliability.md."""
import re
import sys

faults, planted, simulation = {}, {}, []
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    line = re.sub(r"^(test \S+ \.\.\. |\.+)", "", line.strip())
    parts = [part.strip() for part in line.split("|")]
    if parts[0] == "FAULT" and len(parts) >= 7:
        rounds, wrong, times = faults.setdefault(parts[1], [0, 0, []])
        faults[parts[1]] = [rounds + int(parts[2]), wrong + int(parts[3]), times + [int(t) for t in parts[6].split()]]
    elif parts[0] == "PLANTED":
        planted.setdefault(parts[1], parts[2][:120])
    elif parts[0] == "SIMULATION":
        simulation.append(parts[1])


def at(times, share):
    times = sorted(times)
    return f"{times[min(len(times) * share // 100, len(times) - 1)]}" if times else "–"


print("| fault | rounds | violations | p50 ms | p99 ms |\n|---|---|---|---|---|")
for name, (rounds, wrong, times) in sorted(faults.items()):
    print(f"| {name} | {rounds} | {wrong} | {at(times, 50)} | {at(times, 99)} |")
print("\n| planted bug | what the test said |\n|---|---|")
for name, said in sorted(planted.items()):
    print(f"| `{name}` | {said} |")
for line in simulation:
    print(f"\nSimulation: {line}")
