#!/usr/bin/env python3
"""Checks the registers and spills of compiled CUDA kernels against budgets, from the compiler's
report.

usage: check_registers.py keep COMMAND...    runs a compiler (with -Xptxas -v) and saves its report
                                             next to the object, as FILE.o.ptxas
       check_registers.py check FOLDER...    checks all reports below the folders; --print lists
                                             every kernel
       check_registers.py measure FOLDER...  prints the maximum of each kernel, to set BUDGETS

The compiler keeps a kernel within the registers that its launch bounds allow and spills the rest.
Exit status: 0 within the budgets, 1 over budget or nothing to check, 2 usage.
"""

import pathlib
import re
import subprocess
import sys

# For each kernel: the maximum number of registers per thread, and the maximum number of bytes
# spilled (stores plus loads), on any architecture. Values are those measured with nvcc 13.0 for
# sm_80 and sm_90 plus an eighth or 32 bytes. Kernels that spill have wide accumulators or many
# narrow elements. A kernel without a row may not spill.
BUDGETS = {
    "scan_wave": (128, 302),
    "scan_tiles": (128, 40),
    "scan_ring": (104, 32),
    "reduce": (104, 96),
    "select_ring": (108, 32),
    "select_wave": (72, 0),
    "reduce of recurrences": (79, 40),
    "reduce_segments": (81, 52),
    "reduce_long_segments": (90, 132),
    "reduce_segments of logarithms": (81, 192),
    "reduce_long_segments of logarithms": (90, 432),
    "reduce_by_warps of logarithms": (108, 76),
    "scan_segments": (81, 48),
    "reduce_runs": (72, 112),
    "scan_runs": (81, 64),
    "scan_table": (128, 96),
    "scan_wave of recurrences": (128, 48),
    "select_tiles": (123, 0),
    "windows": (255, 452),
    "anchored_recurrence": (255, 190),
    "anchored_recurrence of gradients": (255, 360),
    "anchored_recurrence of lines": (255, 380),
    "anchored_staged": (128, 32),
    "anchored_staged of gradients": (128, 224),
    "selective_scan": (144, 1000),
    "selective_gradients_of": (144, 1140),
    "exact_sum_of of arrays of ranks": (148, 1100),
    "reduce of arrays of ranks": (144, 1100),
    "whole_lines": (72, 204),
    "window_blocks": (36, 0),
}


def keep(command):
    done = subprocess.run(command, capture_output=True, text=True)
    report, rest = [], []
    for line in done.stderr.splitlines(keepends=True):
        is_report = line.startswith("ptxas info") or re.match(r"\s+\d+ bytes stack frame", line)
        (report if is_report else rest).append(line)
    sys.stdout.write(done.stdout)
    sys.stderr.write("".join(rest))
    if "-o" in command and report:
        pathlib.Path(command[command.index("-o") + 1] + ".ptxas").write_text("".join(report))
    return done.returncode


def kernels_in(report):
    """(mangled name, architecture, registers, spilled bytes) of each kernel."""
    pattern = (
        r"Compiling entry function '(\w+)' for '(\w+)'.*?(\d+) bytes spill stores, (\d+) "
        r"bytes spill loads.*?"
        r"Used (\d+) registers"
    )
    for name, arch, stores, loads, registers in re.findall(pattern, report, re.DOTALL):
        yield name, arch, int(registers), int(stores) + int(loads)


def reports_below(folders):
    """(kernel's name without templates, full name, architecture, registers, spilled bytes) of
    each kernel. Those with recurrences, whose accumulators are wide, are a kind of their own, as
    are those that find their elements by strides and multiply them, those of gradients, those of
    logarithms of sums, and those that move lines.
    """
    kinds = {
        r"recurrence_": "recurrences",
        r"c_api::device_": "arrays of ranks",
        r"log_sums_of": "logarithms",
        r"false, true>\(upsweep::device::anchored_call": "lines",
        r"true(, false)?>\(upsweep::device::anchored_call": "gradients",
    }
    kernels = [
        k
        for folder in folders
        for file in sorted(pathlib.Path(folder).rglob("*.ptxas"))
        for k in kernels_in(file.read_text())
    ]
    names = subprocess.run(
        ["c++filt"], input="\n".join(k[0] for k in kernels), capture_output=True, text=True
    ).stdout.splitlines()
    for name, (_, *figures) in zip(names, kernels):
        stem = re.search(r"upsweep::device::(\w+)[<(]", name)
        kernel = stem.group(1) if stem else name
        kind = next((k for part, k in kinds.items() if re.search(part, name)), None)
        yield (f"{kernel} of {kind}" if kind else kernel, name, *figures)


def check(folders, is_printed):
    kernels = list(reports_below(folders))
    if not kernels:
        print(f"check_registers: no report found below {', '.join(folders)}", file=sys.stderr)
        return 1
    failures = [
        f"BUDGETS names {stem}, but there is no kernel of that name; remove it"
        for stem in BUDGETS.keys() - {k[0] for k in kernels}
    ]
    for stem, name, arch, registers, spilled in kernels:
        most_registers, most_spilled = BUDGETS.get(stem, (255, 0))
        if is_printed:
            print(f"{arch} {registers:4} registers {spilled:6} bytes spilled  {name}")
        if registers > most_registers or spilled > most_spilled:
            failures.append(
                f"{registers} registers and {spilled} bytes spilled on {arch}, "
                f"{most_registers} and {most_spilled} allowed: "
                f"{name[:160]}"
            )
    for failure in failures:
        print(f"check_registers: {failure}", file=sys.stderr)
    print(
        f"{len(kernels)} kernels, at most {max(k[3] for k in kernels)} registers, "
        f"{sum(k[4] > 0 for k in kernels)} of them spill; "
        f"{len(failures)} failures"
    )
    return 1 if failures else 0


def measure(folders):
    most = {}
    for stem, _, arch, registers, spilled in reports_below(folders):
        before = most.get((stem, arch), (0, 0, 0))
        most[stem, arch] = (max(before[0], registers), max(before[1], spilled), before[2] + 1)
    for (stem, arch), (registers, spilled, count) in sorted(most.items()):
        print(
            f"{stem:16} {arch} {count:4} kernels, at most {registers:3} registers and "
            f"{spilled:5} bytes spilled"
        )
    return 0 if most else 1


def main():
    arguments = sys.argv[1:]
    if len(arguments) >= 2 and arguments[0] == "keep":
        return keep(arguments[1:])
    if len(arguments) >= 2 and arguments[0] == "check":
        folders = [a for a in arguments[1:] if a != "--print"]
        return check(folders, "--print" in arguments)
    if len(arguments) >= 2 and arguments[0] == "measure":
        return measure(arguments[1:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
