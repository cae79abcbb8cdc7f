#!/usr/bin/env python3
"""Compares programs in the browser's module with the tool: findings, counters, what they print.

    compare_programs.py BUILD [FILE.cu ...] [--tool build/bin/upsweep] [--only WORD] [--quick]

BUILD is build-lab-wasm. Each example of a finding, in its wrong and its right form, and each
reference solution of an exercise with its checker is compiled by clang in Node and by the tool; or
the given programs, without arguments, if the tool runs them within two seconds. Prints each
difference, and how many of the cases are equal.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from asking import ROOT, Lab, comparison, differences

sys.path[:0] = [str(ROOT / "tests" / "exercises"), str(ROOT / "tests" / "support")]
import small_files  # noqa: E402
import solutions  # noqa: E402

CHECK = ROOT / "upsweep" / "simt" / "check"
SEED = "7"

# Why a case differs: the compilers give their code other steps, or the browser lacks what it needs.
REASONS = {
    "10-non-associative steps of the recurrence": "g++ stores the members of a list one by one",
}


def finding_cases():
    for path in sorted((ROOT / "examples" / "findings").glob("*.cu")):
        for words in ([], ["fixed"]):
            yield f"{path.stem} {'right' if words else 'wrong'}", {"file": path}, words


def exercise_cases(quick):
    for name in solutions.names():
        given = solutions.EXERCISES / name
        task = json.loads((given / "exercise.json").read_text())
        sizes = [str(n) for n in task["sizes"]]
        with tempfile.TemporaryDirectory() as folder:
            kernel = Path(folder) / "kernel.cu"
            kernel.write_text(solutions.solution(name))
            for case in task["cases"][: 1 if quick else None]:
                files = {"file": kernel, "checker": given / "check.cu"}
                yield f"{name} {case}", files, [case, SEED, *sizes]


def known_cases(quick):
    programs = ROOT / "tests" / "lab" / "programs"
    files = small_files.unpacked(programs)
    for name in ("host_variables.cu", *sorted(small_files.files_in(programs / "browser"))):
        yield f"program {Path(name).stem}", {"file": files / name}, []
    yield from finding_cases()
    yield from exercise_cases(quick)


def runs_soon(tool, path):
    """Whether the tool compiles the program, and runs it within two seconds."""
    words = [tool, "run", path, "--json", "--time-limit=2"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if not done.stdout:
        print(f"{path}: the tool refuses it: {done.stderr.splitlines()[0]}"[:300])
    elif "time limit" in (json.loads(done.stdout).get("failure") or ""):
        print(f"{path}: the tool takes longer")
        return False
    return bool(done.stdout)


def by_tool(tool, files, words):
    """The object, and what the program printed."""
    with tempfile.TemporaryDirectory() as folder:
        path = files["file"]
        if "checker" in files:
            (Path(folder) / "kernel.cu").write_text(path.read_text())
            path = Path(folder) / "check.cu"
            # upsweep_check.h defines main, and the tool looks for it in the file.
            path.write_text(files["checker"].read_text() + "\nint main(int, char**);\n")
        done = subprocess.run(
            [tool, "run", path, "--json", f"-I{CHECK}", "--", *words],
            capture_output=True,
            text=True,
            check=False,
        )
    if not done.stdout:
        return {"error": done.stderr}, ""
    return json.loads(done.stdout), done.stderr


def place(p):
    return p and f"{Path(p['file']).name}:{p['line']}"


def compared(answer):
    """What must be the same, by name."""
    findings = [
        {
            "kind": f["kind"],
            "sentence": f["sentence"],
            "first": place(f["first"]),
            "second": place(f["second"]),
            "occurrences": f["occurrences"],
        }
        for f in answer["findings"]
    ]
    launches = [
        {"name": one["name"], "grid": one["grid"], "block": one["block"], "at": place(one["at"])}
        for one in answer["launches"]
    ]
    return {
        "status": answer["status"],
        "findings": findings,
        "launches": launches,
        "total": answer["total"],
        "counters": [one["counters"] for one in answer["launches"]],
    }


def without_notes(said):
    """What a program printed, and the tool's notes about lines: [(place, sentence)]."""
    note = re.compile(r"upsweep: note: (\S+):(\d+): (.*)\n|upsweep: note: .*\n")
    notes = [(f"{Path(m[1]).name}:{m[2]}", m[3]) for m in note.finditer(said) if m[1]]
    return note.sub("", said), notes


def compare(lab, tool, files, words):
    expected, said = by_tool(tool, files, words)
    printed, notes = without_notes(said)
    got = lab.ask(**files, arguments=["program", *words])
    if "error" in got or "error" in expected:
        return [f"tool {expected.get('error', 'runs')}, module {got.get('error', 'runs')}"]
    wrong = list(differences(compared(expected), compared(got)))
    # The tool writes what is printed to a file, so it comes after lines of stderr.
    printed = printed.replace(f"{files['file'].parent}/", "")
    if sorted(printed.split("\n")) != sorted(got["printed"].split("\n")):
        wrong.append(f"printed: tool {printed!r}, module {got['printed']!r}")
    found = [(place(note), note["sentence"]) for note in got["notes"]]
    if notes != found:
        wrong.append(f"notes: tool {notes}, module {found}")
    return wrong


def main():
    parser = comparison(__doc__, "build")
    parser.add_argument("programs", nargs="*", type=Path)
    parser.add_argument("--only", action="append")
    asked = parser.parse_args()
    lab = Lab("run_program.mjs", asked.build)
    cases = equal = 0
    unexpected = []
    own = [(str(p), {"file": p}, []) for p in asked.programs if runs_soon(asked.tool, p)]
    for name, files, words in own if asked.programs else known_cases(asked.quick):
        if not any(word in name for word in asked.only or [""]):
            continue
        wrong = compare(lab, asked.tool, files, words)
        cases += 1
        equal += not wrong
        if wrong and name not in REASONS:
            unexpected.append(name)
        for sentence in wrong[:4]:
            print(f"{name}: {sentence}"[:500], flush=True)
    print(f"{equal} of {cases} cases are equal")
    sys.exit(1 if unexpected else 0)


main()
