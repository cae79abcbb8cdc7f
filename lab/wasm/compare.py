#!/usr/bin/env python3
"""Compares the laboratory's WebAssembly module with the tool: counters, findings, traces.

    compare.py MODULE [--tool build/bin/upsweep] [--stem STEM ...] [--quick]

Each kernel of the textbook runs for several sizes, types, block sizes and schedules in Node and by
`upsweep run --json`; the answers must be equal but for the time. The steps and the combining tree
must be those of `upsweep trace`. Prints each difference, and how many of the cases are equal. Where
the counters depend on the compiler (reason()), the result and the findings must be equal.
"""

import itertools
import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from asking import Lab, comparison, differences

QUICK = [{"n": 300}, {"n": 1025, "schedule": "random", "seed": 3}]
# Their threads wait in a loop for others.
WAITING = ("chained_scan", "decoupled_lookback", "tree_lookback", "tasklet_rss", "tasklet_ssa")
SAME = ("stem", "n", "op", "dtype", "block", "exclusive", "seed", "agrees", "value", "findings")


def reason(stem, case):
    """Why the counters of g++'s kernel and of Clang's may differ, or an empty text."""
    if case.get("op") == "affine":
        return "some copies of a struct of two words are one access or two"
    if stem in WAITING and case.get("schedule") in ("random", "round-robin"):
        return "turns are counted in basic blocks, so a thread that waits looks more or less often"
    return ""


def runs_of(quick):
    """Options of `run`."""
    if quick:
        yield from QUICK
        return
    yield from ({"n": n} for n in (0, 1, 31, 33, 1000, 4096))
    for block, dtype in itertools.product((32, 256, 1024), ("i32", "f32")):
        yield {"n": 777, "block": block, "dtype": dtype}
    yield {"n": 777, "op": "affine"}
    yield {"n": 777, "op": "max"}
    yield {"n": 300, "exclusive": True}
    for how in ("round-robin", "random", "adversarial", "lockstep"):
        for seed in (1, 2):
            yield {"n": 600, "block": 64, "schedule": how, "seed": seed}


def options(case):
    for name, value in case.items():
        if value is True:
            yield f"--{name}"
        else:
            yield f"--{name}={value}" if name != "n" else f"-n{value}"


def by_tool(tool, *words):
    done = subprocess.run([tool, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def compare_run(lab, of_tool, stem, case):
    """What is wrong, and why the counters are allowed to differ if they do."""
    status, out, err = of_tool
    got = lab.ask(verb="run", stem=stem, **case)
    if status > 1:
        sentence = err.split(": ", 1)[-1].strip()
        same = got.get("error") == sentence
        return [] if same else [f"the tool refuses ({sentence}), the module says {got}"], ""
    if "error" in got:
        return [f"the module: {got['error']}"], ""
    wanted = json.loads(out)
    for name in ("seconds", "verdict", "command", "rows"):
        wanted.pop(name, None)
        got.pop(name, None)
    wrong, why = list(differences(wanted, got)), reason(stem, case)
    if not wrong or not why:
        return wrong, ""
    same = ({name: answer[name] for name in SAME} for answer in (wanted, got))
    return list(differences(*same)), why


def compare_trace(lab, of_tool, stem):
    _, out, _ = of_tool
    got = lab.ask(verb="trace", stem=stem, n=16, text=True)
    if "error" in got:
        return [f"the module: {got['error']}"], ""
    # g++ evaluates arguments from the last one and Clang from the first: two reads of one statement
    # are in the other order.
    heading = "\nThe elements that each combination covers; results in brackets:\n\n"
    wanted, lines = out.replace(heading, ""), got["text"]
    same = sorted(wanted.splitlines()) == sorted(lines.splitlines())
    why = reason(stem, {})
    return ([], "" if same else why) if same or why else (["the steps differ"], "")


def main():
    parser = comparison(__doc__, "module")
    parser.add_argument("--stem", action="append")
    asked = parser.parse_args()
    lab = Lab("ask.mjs", asked.module)
    stems = asked.stem or lab.ask(verb="list")["stems"]
    cases = equal = 0
    excused = Counter()
    with ThreadPoolExecutor() as others:
        for stem in stems:
            runs = list(runs_of(asked.quick))
            commands = [("run", stem, "--json", *options(case)) for case in runs]
            commands.append(("trace", stem, "-n16"))
            of_tool = [others.submit(by_tool, asked.tool, *words) for words in commands]
            results = [
                (case, *compare_run(lab, done.result(), stem, case))
                for case, done in zip(runs, of_tool, strict=False)
            ]
            results.append(("trace", *compare_trace(lab, of_tool[-1].result(), stem)))
            for case, wrong, why in results:
                cases += 1
                equal += not wrong and not why
                excused[why] += not wrong and why != ""
                for sentence in wrong[:4]:
                    print(f"{stem} {case}: {sentence}"[:400])
    excused = +excused
    print(f"{equal} of {cases} cases of {len(stems)} kernels are equal")
    for why, count in excused.items():
        print(f"{count} are equal in result and findings, and not in counters: {why}")
    sys.exit(0 if equal + excused.total() == cases else 1)


main()
