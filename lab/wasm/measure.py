#!/usr/bin/env python3
"""Measures the editor in headless Chromium: first and later compilations, and the second visit.

    measure.py [SITE] [--repeat N]

SITE is build-lab-wasm/site, which `make lab-editor` writes. A time goes from the press of the
button to the results, so it includes the program's run. The server is on this machine: the first
run loads the compiler from it. Prints a table in Markdown, the medians of N runs. The time of CPU,
of all threads, depends less on what else runs on the machine.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "exercises")]
import browser as chromium  # noqa: E402
from browser import CHROMIUM, browser  # noqa: E402
from solutions import solution  # noqa: E402
from static_server import serving  # noqa: E402

WORDS = """const at = (id) => document.getElementById(id);
const until = (right) => new Promise((done) => {
  const look = () => right() ? done() : setTimeout(look, 5);
  look();
});
const ready = () => until(() => document.documentElement.dataset.ready == "yes");
const choose = (title) => {
  const option = [...at("example").options].find((o) => o.textContent.startsWith(title));
  at("example").value = option.value;
  at("example").dispatchEvent(new Event("change"));
};
const run = async (more = "") => {
  at("source").value += more;
  at("source").dispatchEvent(new Event("input"));
  const begin = performance.now();
  at("run").click();
  await until(() => at("run").getAttribute("aria-disabled") != "true");
  return [performance.now() - begin, at("status").textContent];
};"""


def cpu_seconds():
    """That Chromium's processes have used."""
    known = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        known[int(stat.parent.name)] = int(fields[1]), int(fields[11]) + int(fields[12])

    def is_browsers(process):
        while process in known and process != browser().process.pid:
            process = known[process][0]
        return process in known

    ticks = sum(used for process, (_, used) in known.items() if is_browsers(process))
    return ticks / os.sysconf("SC_CLK_TCK")


def measured(session, script):
    begin = cpu_seconds()
    asked = {"expression": f"(async () => {{ {WORDS} {script} }})()"}
    answer = browser().ask(
        "Runtime.evaluate", session, awaitPromise=True, returnByValue=True, **asked
    )
    if "exceptionDetails" in answer:
        sys.exit(json.dumps(answer["exceptionDetails"])[:500])
    milliseconds, status = answer["result"]["value"]
    used = cpu_seconds() - begin
    print(f"  {milliseconds:.0f} ms, {used:.1f} s of CPU: {status}", file=sys.stderr)
    return milliseconds / 1000, used


def visit(session, repeat, times):
    race, exercise = 'choose("A sum in shared memory");', 'choose("02 ");'
    times["first program, with the load of the compiler"].append(
        measured(session, f"await ready(); {race} return run();")
    )
    for i in range(repeat):
        again = f"await ready(); {race} return run('\\n// {i}');"
        times["later programs"].append(measured(session, again))
    text = json.dumps(solution("02-missing-barrier"))
    for i in range(repeat):
        typed = f"{exercise} at('source').value = {text}; return run('\\n// {i}');"
        times["the grade of exercise 02: 15 of 15 points"].append(measured(session, typed))
    browser().ask("Page.reload", session)
    times["first program of the second visit"].append(
        measured(
            session,
            f"await until(() => document.readyState == 'complete'); await ready(); {race} "
            "return run();",
        )
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", nargs="?", type=Path, default=ROOT / "build-lab-wasm" / "site")
    parser.add_argument("--repeat", type=int, default=5)
    asked = parser.parse_args()
    names = (
        "first program, with the load of the compiler",
        "later programs",
        "the grade of exercise 02: 15 of 15 points",
        "first program of the second visit",
    )
    times = {name: [] for name in names}
    chromium.SECONDS = 600  # for one answer, on a busy machine
    with serving(asked.site) as address:
        with browser().shown(f"{address}editor/", "1280,900", False) as session:
            visit(session, asked.repeat, times)
    version = subprocess.run([CHROMIUM, "--version"], capture_output=True, text=True, check=True)
    print(f"{version.stdout.split(' built')[0].strip()}, {os.cpu_count()} cores\n")
    print("| | seconds | of CPU |\n|---|--:|--:|")
    for name, pairs in times.items():
        seconds, used = (statistics.median(column) for column in zip(*pairs))
        print(f"| {name} | {seconds:.2f} | {used:.2f} |")


main()
