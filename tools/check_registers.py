#!/usr/bin/env python3
"""Holds the registers and spills of compiled CUDA kernels to their budgets, by the compiler's own report.

usage: check_registers.py keep COMMAND...     runs a compiler (with -Xptxas -v) and keeps its report beside the object, as FILE.o.ptxas
       check_registers.py check FOLDER        reads all reports below the folder; --print lists every kernel

The compiler keeps a kernel within the registers that its launch bounds leave; what does not fit is spilled. Exit: 0 within budget,
1 beyond it or nothing to check, 2 usage.
"""
import pathlib
import re
import subprocess
import sys

# Kernels by name, and how many bytes a thread may spill, stores and loads together. Spills are granted where accumulators are wide or
# narrow elements are many; docs/design/0004-cuda.md says what is known of their cost.
BUDGETS = {"scan_wave": 350, "scan_tiles": 350, "scan_ring": 128, "reduce": 5000}


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
    pattern = (r"Compiling entry function '(\w+)' for '(\w+)'.*?(\d+) bytes spill stores, (\d+) bytes spill loads.*?"
               r"Used (\d+) registers")
    for name, arch, stores, loads, registers in re.findall(pattern, report, re.DOTALL):
        yield name, arch, int(registers), int(stores) + int(loads)


def check(folder, is_printed):
    kernels = [k for file in sorted(pathlib.Path(folder).rglob("*.ptxas")) for k in kernels_in(file.read_text())]
    names = subprocess.run(["c++filt"], input="\n".join(k[0] for k in kernels), capture_output=True, text=True).stdout.splitlines()
    beyond = 0
    for name, (_, arch, registers, spilled) in zip(names, kernels):
        stem = re.search(r"upsweep::device::(\w+)<", name)
        budget = BUDGETS.get(stem.group(1), 0) if stem else 0
        if is_printed:
            print(f"{arch} {registers:4} registers {spilled:6} bytes spilled  {name}")
        if spilled > budget:
            beyond += 1
            print(f"check_registers: {spilled} bytes spilled on {arch}, {budget} granted: {name[:160]}", file=sys.stderr)
    if not kernels:
        print(f"check_registers: there is no report below {folder}", file=sys.stderr)
        return 1
    print(f"{len(kernels)} kernels, at most {max(k[2] for k in kernels)} registers, {sum(k[3] > 0 for k in kernels)} of them spill; "
          f"{beyond} beyond their budget")
    return 1 if beyond else 0


def main():
    arguments = sys.argv[1:]
    if len(arguments) >= 2 and arguments[0] == "keep":
        return keep(arguments[1:])
    if len(arguments) >= 2 and arguments[0] == "check":
        return check(arguments[1], "--print" in arguments)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
