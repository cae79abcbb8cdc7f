#!/usr/bin/env python3
"""Measures the editor in headless Chromium: first and later compilations, and the second visit.

    measure.py [SITE] [--repeat N]

SITE is build-lab-wasm/site, which `make lab-editor` writes. A time goes from the press of the
button to the results, so it includes the program's run. The server is on this machine: the first
run loads the compiler from it. Prints each time as it is measured, then a table in Markdown, the
medians of N runs. The time of CPU, of all threads, depends less on what else runs on the machine.
An error names what took longer than --seconds.
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
const until = (right, what) => new Promise((done, fail) => {
  const begin = performance.now();
  const look = () => {
    if (right()) done();
    else if (performance.now() - begin < 1000 * SECONDS) setTimeout(look, 5);
    else fail(new Error(`${what} took longer than ${SECONDS} s; the page says: ` +
                        document.getElementById("status")?.textContent));
  };
  look();
});
const isReady = () => document.documentElement.dataset.ready == "yes";
const ready = () => until(isReady, "the page's start");
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
  await until(() => at("run").getAttribute("aria-disabled") != "true", "a program");
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


def measured(session, name, script):
    """Seconds, and seconds of CPU."""
    begin = cpu_seconds()
    words = WORDS.replace("SECONDS", str(chromium.SECONDS // 2))
    asked = {"expression": f"(async () => {{ {words} {script} }})()"}
    answer = browser().ask(
        "Runtime.evaluate", session, awaitPromise=True, returnByValue=True, **asked
    )
    if "exceptionDetails" in answer:
        said = answer["exceptionDetails"].get("exception", {}).get("description", answer)
        sys.exit(f"{name}: {said}"[:500])
    milliseconds, status = answer["result"]["value"]
    used = cpu_seconds() - begin
    print(f"{name}: {milliseconds:.0f} ms, {used:.1f} s of CPU: {status}", flush=True)
    return milliseconds / 1000, used


FIRST = "first program, with the load of the compiler"
LATER = "later programs"
FIRST_GRADE = "the first grade of exercise 02"
GRADE = "later grades: 15 of 15 points"
SECOND_VISIT = "first program of the second visit"


def visit(session, repeat, times):
    def measure(name, script):
        times[name].append(measured(session, name, script))

    race, exercise = 'choose("A sum in shared memory");', 'choose("02 ");'
    measure(FIRST, f"await ready(); {race} return run();")
    for i in range(repeat):
        measure(LATER, f"await ready(); {race} return run('\\n// {i}');")
    text = json.dumps(solution("02-missing-barrier"))
    for i in range(repeat + 1):
        what = FIRST_GRADE if i == 0 else GRADE
        measure(what, f"{exercise} at('source').value = {text}; return run('\\n// {i}');")
    browser().ask("Page.reload", session)
    loaded = "await until(() => document.readyState == 'complete', 'the load of the page');"
    measure(SECOND_VISIT, f"{loaded} await ready(); {race} return run();")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", nargs="?", type=Path, default=ROOT / "build-lab-wasm" / "site")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=120, help="for each program")
    asked = parser.parse_args()
    times = {name: [] for name in (FIRST, LATER, FIRST_GRADE, GRADE, SECOND_VISIT)}
    chromium.SECONDS = 2 * asked.seconds  # the page's start, and the program
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
