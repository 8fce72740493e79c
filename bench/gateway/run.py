#!/usr/bin/env python3
"""What the gateway costs, beside others, in one run: `bench/run --gateway [options]`.

Without a mode: rounds of all cases, the proxies in turn within each, so that what else the machine does meets all alike.
Then processor time per request (whole process tree, less what it takes when idle), time to the first byte and to the
last over the direct way, as Markdown. Every answer is checked against the upstream's, byte for byte; where a proxy
writes JSON anew or gives a call in one piece, by its meaning.

--soak N       memory over N requests          --streams N    N slow streams at once, every byte checked
--outage S     an upstream that refuses connections for S seconds, and comes back
"""
import argparse, json, pathlib, resource, shutil, subprocess, sys, tempfile, threading, time

import proxies, table

PARTS = proxies.PARTS
CASES = ["chat", "stream", "call", "plain", "plain-stream", "call-whole", "drip", "call-drip", "messages"]
QUICK_CASES = ["chat", "stream", "call", "plain", "plain-stream"]
LATENCY_CASES = ["chat", "stream", "call", "drip"]


def main():
    options = arguments()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-gateway-bench-"))
    folder.chmod(0o755)
    try:
        mode = soak if options.soak else streams if options.streams else outage if options.outage else cost
        text = mode(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(text)
    if options.output:
        pathlib.Path(options.output).write_text(text + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, the five main cases")
    parser.add_argument("--rounds", type=int, help="default 7, quick 3")
    parser.add_argument("--seconds", type=float, help="of one measurement; default 1.5, quick 0.7")
    parser.add_argument("--cases", help="some of " + ",".join(CASES))
    parser.add_argument("--proxies", help="some of " + ",".join(proxies.ALL) + "; default: all that are installed")
    parser.add_argument("--concurrency", type=int, default=16, help="connections of the closed loop (dripping cases: 128)")
    parser.add_argument("--binary", default="target/release/countersign")
    parser.add_argument("--serve-args", default="", help="more options for `countersign serve`")
    parser.add_argument("--soak", type=int, metavar="N")
    parser.add_argument("--streams", type=int, metavar="N")
    parser.add_argument("--outage", type=int, metavar="SECONDS")
    parser.add_argument("--output", metavar="FILE.md", help="write the Markdown here too")
    parser.add_argument("--raw", metavar="FILE.json", help="write all measurements here")
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 7)
    options.seconds = options.seconds or (0.7 if options.quick else 1.5)
    options.cases = options.cases.split(",") if options.cases else QUICK_CASES if options.quick else CASES
    # As many open files as we may have: children inherit it.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    options.files = min(hard, 100_000)
    return options


def load(proxy, case, concurrency, until):
    command = [PARTS, "load", proxy.target, case, concurrency, until, *proxy.headers]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def cost(options, folder):
    names = options.proxies.split(",") if options.proxies else list(proxies.ALL)
    if "direct" not in names:
        names.insert(0, "direct")
    upstream = proxies.stub(folder)
    running, absent = proxies.start(names, upstream.port, folder, options)
    try:
        measured = rounds(options, running, absent)
        memory = {proxy.name: proxy.resident_mib() for proxy in running if proxy.process}
    finally:
        for proxy in [*running, upstream]:
            proxy.stop()
    if options.raw:
        pathlib.Path(options.raw).write_text(json.dumps(measured, indent=1))
    return table.cost(measured, options, [proxy.name for proxy in running], absent, memory)


def rounds(options, running, absent):
    measured = []
    for proxy in list(running):
        failure = warm_up(proxy, options)
        if failure:
            # Nothing is measured of what gives wrong answers; that it did is said.
            absent[proxy.name] = "its answers were wrong: " + failure
            print(f"left out: {proxy.name}: {absent[proxy.name]}", file=sys.stderr)
            proxy.stop()
            running.remove(proxy)
    for number in range(options.rounds):
        idle = idle_shares(running)
        for case in options.cases:
            for proxy in running:
                if proxy.cases is None or case in proxy.cases:
                    measured.append({"round": number, "case": case, "proxy": proxy.name, **measure(proxy, case, options, idle[proxy.name])})
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    return measured


def warm_up(proxy, options):
    for case in options.cases:
        if proxy.cases is None or case in proxy.cases:
            result = load(proxy, case, concurrency(case, options), 0.3)
            if result["requests"] == 0:
                return f"{case}: {result['sample']}"
    return None


def idle_shares(running):
    """Processor seconds a second of each when nothing is asked of any."""
    before = {proxy.name: proxy.processor_seconds() for proxy in running}
    began = time.monotonic()
    time.sleep(1.5)
    seconds = time.monotonic() - began
    return {proxy.name: (proxy.processor_seconds() - before[proxy.name]) / seconds for proxy in running}


def measure(proxy, case, options, idle):
    before, began = proxy.processor_seconds(), time.monotonic()
    result = load(proxy, case, concurrency(case, options), options.seconds)
    # What was begun for the last answers (a log line, a row) belongs to them.
    time.sleep(0.1)
    spent = proxy.processor_seconds() - before - idle * (time.monotonic() - began)
    result["micros"] = spent * 1e6 / max(result["requests"], 1)
    if case in LATENCY_CASES:
        result["alone"] = load(proxy, case, 1, max(options.seconds / 2, 0.6))
    return result


def concurrency(case, options):
    # A dripping stream takes a quarter of a second: more of them, for the same work.
    return 128 if case.endswith("drip") else options.concurrency


def one_by_one(options, folder, default, mode):
    """Each proxy alone, with an upstream of its own; gives (name, what the mode gave)."""
    names = options.proxies.split(",") if options.proxies else default
    for name in names:
        upstream = proxies.stub(folder)
        running, absent = proxies.start([name], upstream.port, folder, options)
        try:
            yield name, mode(running[0], upstream) if running else absent[name]
        finally:
            for proxy in [*running, upstream]:
                proxy.stop()


def soak(options, folder):
    mixed = ",".join(case for case in options.cases if not case.endswith("drip") and case != "messages")

    def mode(proxy, _):
        warmed = load(proxy, mixed, options.concurrency, "x2000")
        memory, wrong, requests = [proxy.resident_mib()], warmed["wrong"], 0
        for part in range(10):
            result = load(proxy, mixed, options.concurrency, f"x{options.soak // 10}")
            requests, wrong = requests + result["requests"], wrong + result["wrong"]
            memory.append(proxy.resident_mib())
            print(f"{proxy.name}: {requests} requests, {memory[-1]:.1f} MiB", file=sys.stderr)
        time.sleep(15)
        return {"memory": memory, "rested": proxy.resident_mib(), "requests": requests, "wrong": wrong, "sample": result["sample"]}

    return table.soak(dict(one_by_one(options, folder, ["nginx", "bare", "countersign"], mode)), mixed)


def streams(options, folder):
    # A gateway has two sockets for each stream, and a few files of its own.
    count = min(options.streams, (options.files - 300) // 2)

    def mode(proxy, _):
        peak, over = [proxy.resident_mib()], threading.Event()

        def watch():
            while not over.wait(1):
                peak.append(proxy.resident_mib())

        watcher = threading.Thread(target=watch)
        watcher.start()
        before = proxy.processor_seconds()
        command = [PARTS, "streams", proxy.target, count, 20, *proxy.headers]
        result = json.loads(subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout)
        over.set()
        watcher.join()
        return {**result, "processor_s": proxy.processor_seconds() - before, "memory": (peak[0], max(peak))}

    return table.streams(dict(one_by_one(options, folder, ["nginx", "bare", "countersign"], mode)), options, count)


def outage(options, folder):
    def mode(proxy, upstream):
        upstream.stop()
        command = [PARTS, "outage", proxy.target, f"127.0.0.1:{upstream.port}", options.outage, *proxy.headers]
        return json.loads(subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout)

    return table.outage(dict(one_by_one(options, folder, ["nginx", "bare", "countersign"], mode)))


if __name__ == "__main__":
    main()
