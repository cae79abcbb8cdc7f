#!/usr/bin/env python3
"""Runs the golden set that `make golden SYSTEM=...` has built for a system, and prints its hash.

tools/systems.py SYSTEM          runs it, and compares every line with the golden set
tools/systems.py SYSTEM --keep   also writes the row of docs/systems.md
"""

import argparse
import datetime
import hashlib
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/systems.md"
GOLDEN = ROOT / "tests/golden"

# System: what runs its programs, the words that run one, the words that tell the version.
WASM = [sys.executable, str(ROOT / "tools/run_wasm.py")]
RUNNERS = {
    "linux": ("this machine", [], None),
    "musl": ("this machine", [], None),
    "aarch64": ("qemu-user", ["qemu-aarch64", "-L", "/"], ["qemu-aarch64", "--version"]),
    "s390x": ("qemu-user", ["qemu-s390x", "-L", "/"], ["qemu-s390x", "--version"]),
    "windows": ("wine", ["wine"], ["wine", "--version"]),
    "wasm": ("wasmtime", WASM, [*WASM, "--version"]),
    "macos": ("nothing", None, None),
}
EXTENSIONS = {"windows": ".exe", "wasm": ".wasm"}


def program_of(system):
    """Releases of CMake differ in whether a program for WebAssembly has an extension."""
    program = ROOT / f"build-golden/{system}/bin/golden_set"
    longer = program.with_suffix(EXTENSIONS.get(system, ""))
    return longer if longer.exists() else program


def compiler_of(system):
    """The compiler's name and version; of zig its own."""
    folder = ROOT / f"build-golden/{system}"
    told = next(folder.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")).read_text()
    compiler = re.search(r'set\(CMAKE_CXX_COMPILER "(.*)"\)', told)[1]
    zig = re.search(r"^UPSWEEP_ZIG:\w+=(.*)$", (folder / "CMakeCache.txt").read_text(), re.M)
    if zig:
        return "zig " + first_line([zig[1], "version"])
    version = re.search(r'set\(CMAKE_CXX_COMPILER_VERSION "(.*)"\)', told)[1]
    return f"{Path(compiler).name} {version}"


def first_line(words):
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return told.strip().splitlines()[0].strip()


def run(system):
    """The hash of the set on this system, each of whose lines has been compared."""
    _, words, _ = RUNNERS[system]
    recipe, kept = GOLDEN / "recipe.txt", ROOT / "build-golden/set.txt"
    with tarfile.open(GOLDEN / "set.tar.xz") as archive:
        kept.write_bytes(archive.extractfile("set.txt").read())
    done = subprocess.run(
        [*words, str(program_of(system)), str(recipe), "--check", str(kept)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "WINEDEBUG": "-all"},
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout}systems: the golden set of {system} failed ({done.returncode})")
    said = done.stdout.strip()
    if said != hashlib.sha256(kept.read_bytes()).hexdigest():
        sys.exit(f"systems: {said} is not the hash of the golden set")
    return said


def keep(system, cells):
    """Replaces the row of the system in the page's table."""
    lines = PAGE.read_text().splitlines(keepends=True)
    for i, line in enumerate(lines):
        old = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(old) == 6 and old[0] == f"`{system}`":
            lines[i] = "| " + " | ".join([*old[:2], *cells]) + " |\n"
            PAGE.write_text("".join(lines))
            return
    sys.exit(f"systems: docs/systems.md has no row `{system}`")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", choices=sorted(RUNNERS))
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    name, words, version = RUNNERS[given.system]
    if words is None:
        built, by, said = compiler_of(given.system), "not run", ""
        print(f"{given.system}: built; nothing here can run it")
    else:
        said = run(given.system)
        built = compiler_of(given.system)
        by = name if version is None else f"{name}: {first_line(version)}"
        print(said)
    if given.keep:
        short = f"`{said[:16]}`" if said else "not run"
        keep(given.system, [built, by, short, str(datetime.date.today())])


if __name__ == "__main__":
    main()
