"""What was measured, as Markdown."""
import os, statistics, time

MEANINGS = {
    "chat": "a whole answer of 1 KB, five tools declared", "stream": "the same as 50 chunks", "call": "a tool call in 20 deltas",
    "plain": "a whole answer, no tools", "plain-stream": "50 chunks, no tools", "call-whole": "a tool call, not streamed",
    "drip": "50 chunks, 5 ms apart", "call-drip": "a tool call in 20 deltas, 5 ms apart", "messages": "50 chunks in Anthropic's dialect",
}


def cost(measured, options, names, absent, memory):
    cases = [case for case in options.cases if any(row["case"] == case for row in measured)]
    at = {(row["case"], row["proxy"], row["round"]): row for row in measured}
    rounds = sorted({row["round"] for row in measured})
    series = lambda case, name, pick: [pick(at[case, name, number]) for number in rounds if (case, name, number) in at]
    lines = [f"{options.rounds} rounds of {options.seconds} s, {options.concurrency} connections, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end, {time.strftime('%Y-%m-%d')}.", ""]
    lines += [f"- {case}: {MEANINGS[case]}" for case in cases]

    proxied = [name for name in names if name != "direct"]
    lines += ["", "### Processor time, µs per request (least, median)", "", *header("", cases)]
    for name in proxied:
        lines.append(row(name, [least_and_median(series(case, name, lambda one: one["micros"]), "{:.0f}") for case in cases]))
    for base in ("nginx", "bare"):
        if base in proxied:
            lines += ["", f"### As a multiple of {base} (least to least, median within rounds)", "", *header("", cases)]
            for name in proxied:
                if name != base:
                    lines.append(row(name, [ratio(case, name, base, at, rounds) for case in cases]))

    timed = [case for case in cases if any("alone" in one for one in measured if one["case"] == case)]
    for title, field in (("first byte of the body", "first_byte_p50_ms"), ("last byte", "whole_p50_ms")):
        lines += ["", f"### Time to the {title}, p50 of one connection, ms (direct: as it is; others: added to it; least, median)", "", *header("", timed)]
        for name in names:
            lines.append(row(name, [added(case, name, field, at, rounds) for case in timed]))

    lines += ["", "### Answers", "", *header("", ["checked", "byte for byte", "by meaning", "wrong", "memory at the end, MiB"])]
    for name in names:
        own = [one for one in measured if one["proxy"] == name]
        total = lambda field: sum(one[field] for one in own)
        lines.append(row(name, [str(total("exact") + total("meant") + total("wrong")), str(total("exact")), str(total("meant")), str(total("wrong")), f"{memory[name]:.0f}" if name in memory else ""]))
        by_meaning = sorted({one["case"] for one in own if one["meant"]})
        if by_meaning:
            lines.append(row("", ["", "", "in " + ", ".join(by_meaning), "", ""]))
    samples = {(one["proxy"], one["case"]): one["sample"] for one in measured if one["wrong"]}
    lines += [""] + [f"- WRONG, {name}, {case}: `{sample[:300]}`" for (name, case), sample in samples.items()]
    lines += [f"- left out: {name}: {why.splitlines()[0][:300]}" for name, why in absent.items()]
    return "\n".join(lines)


def header(first, rest):
    return [row(first, rest), "|---" * (len(rest) + 1) + "|"]


def row(first, rest):
    return "| " + " | ".join([first, *rest]) + " |"


def least_and_median(values, form):
    return f"{form.format(min(values))}, {form.format(statistics.median(values))}" if values else ""


def ratio(case, name, base, at, rounds):
    both = [(at[case, name, number]["micros"], at[case, base, number]["micros"]) for number in rounds if (case, name, number) in at and (case, base, number) in at]
    if not both:
        return ""
    least = min(one for one, _ in both) / min(other for _, other in both)
    return f"{least:.2f}x, {statistics.median(one / other for one, other in both):.2f}x"


def added(case, name, field, at, rounds):
    """Least less the direct way's least, and the median of the differences within rounds."""
    both = []
    for number in rounds:
        one, base = at.get((case, name, number)), at[case, "direct", number]
        if one and one["alone"]["requests"] and base["alone"]["requests"]:
            both.append((one["alone"][field], base["alone"][field] if name != "direct" else 0))
    if not both:
        return ""
    least = min(one for one, _ in both) - min(base for _, base in both)
    return f"{least:.3f}, {statistics.median(one - base for one, base in both):.3f}"


def soak(results, mixed):
    lines = [f"Memory (RSS, MiB) at the start (after 2,000 requests), after each tenth, and after 15 s of rest; {mixed}.", ""]
    lines += header("", ["requests", "wrong", "before", "after", "rested", "by tenths"])
    for name, one in results.items():
        if isinstance(one, str):
            lines.append(row(name, [f"left out: {one[:200]}", "", "", "", "", ""]))
            continue
        memory = one["memory"]
        tenths = " ".join(f"{value:.0f}" for value in memory)
        lines.append(row(name, [f"{one['requests']:,}", str(one["wrong"]), f"{memory[0]:.1f}", f"{memory[-1]:.1f}", f"{one['rested']:.1f}", tenths]))
        if one["wrong"]:
            lines.append(f"\nwrong, for example: {one['sample']}\n")
    return "\n".join(lines)


def streams(results, options, count):
    lines = []
    if count < options.streams:
        lines += [f"A process here may open {options.files:,} files, and a gateway needs two for a stream: {count:,} streams instead of {options.streams:,}.", ""]
    lines += header("", ["at once", "whole", "lost", "first byte p50, p99, ms", "longest, s (chunks)", "processor, s", "memory before, most, MiB"])
    for name, one in results.items():
        if isinstance(one, str):
            lines.append(row(name, [f"left out: {one[:200]}"] + [""] * 6))
            continue
        memory = one["memory"]
        lines.append(row(name, [
            f"{one['most_at_once']:,}", f"{one['whole']:,}", f"{one['lost']:,}", f"{one['first_byte_p50_ms']:.1f}, {one['first_byte_p99_ms']:.1f}",
            f"{one['lasted_most_s']:.1f} ({one['chunks']})", f"{one['processor_s']:.1f}", f"{memory[0]:.0f}, {memory[1]:.0f}"]))
        lines += [f"\nlost, for example: {sample}\n" for sample in one["samples"]]
    return "\n".join(lines)


def outage(results):
    lines = []
    for name, one in results.items():
        lines += [f"### {name}", ""]
        if isinstance(one, str):
            lines += [f"left out: {one}", ""]
            continue
        seconds = lambda value: "never" if value is None else f"{value:.2f} s"
        lines += [
            f"- before: {one['before']['success']} of {one['before']['asked']} answered whole",
            f"- down for {one['down_s']} s: {one['asked_while_down']} asked, {one['success_while_down']} answered whole; an answer took {one['answer_while_down_p50_ms']:.1f} ms (p50), {one['answer_while_down_most_ms']:.0f} ms at most",
            f"- back: first success after {seconds(one['first_success_after_s'])}, last failure asked {'none' if one['last_failure_after_s'] is None else seconds(one['last_failure_after_s'])} after the return",
        ]
        for outcome, seen in one["outcomes"].items():
            lines.append(f"- {outcome}: {seen['count']}" + (f", for example `{seen['body']}`" if seen["body"] else ""))
        lines.append("")
    return "\n".join(lines)
