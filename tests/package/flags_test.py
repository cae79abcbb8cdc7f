"""Compiles flags/verbs.cpp with flags that a user may have, links it with the library, and compares
what it prints with flags/verbs.txt. It also runs flags/operators.cpp, which checks itself.
`flags_test.py MODE COMPILER ROOT LIBRARY...`:

  one   -ffast-math for a processor with fused multiply-adds, by COMPILER, for some of the types
  all   every row of FLAGS by COMPILER, and by each clang++ that is installed
  keep  writes flags/verbs.txt, with the flags of the CMake package

Each program also has to say on its standard error output that its flags may change what a user
computes, or to say nothing, as the row has it.
"""

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import compilers_test as compilers  # noqa: E402

PACKAGE = ["-ffp-contract=off", "-DUPSWEEP_ROUNDS_PRODUCTS"]
FUSED, FAST, NOTHING = "for fused multiply-adds", "with -ffast-math or a part of it", ""
EITHER = None  # whether g++ fuses depends on what the sanitizers leave of an expression
SAMPLE, RESULTS = "-DSAMPLE", {False: 107, True: 76}
FLAGS = [
    (["-O1", *PACKAGE], NOTHING),
    (["-O1", "-march=x86-64-v3", "-ffast-math"], FAST),
    (["-O0"], NOTHING),
    (["-O2", "-march=x86-64-v3"], FUSED),
    (["-O2", "-march=x86-64-v3", "-ffp-contract=fast"], FUSED),
    (["-O2", "-mfma", "-ffp-contract=fast"], FUSED),
    (["-O2", "-march=x86-64-v3", *PACKAGE], NOTHING),
    (["-O3", "-march=x86-64-v3", "-ffast-math"], FAST),
    (["-O3", "-ffast-math", *PACKAGE], FAST),
    (["-O3", "-march=x86-64-v3", "-ffast-math", "-DUPSWEEP_ANY_FLAGS"], NOTHING),
    (["-O2", "-flto", "-march=x86-64-v3", "-ffast-math"], FAST),
    (["-O1", "-march=x86-64-v3", "-fsanitize=address,undefined"], EITHER),
]


def complaint(compiler, flags, says, expected, root, libraries, *arguments):
    """What is wrong with the program by these flags, or None."""
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/program"
        command = [compiler, "-std=c++20", "-w", f"-I{root}", *flags]
        command += [f"{root}/tests/package/flags/verbs.cpp", "-o", program, *libraries]
        built = compilers.output_of(
            [*command, f"-Wl,-rpath,{Path(libraries[0]).parent}", "-pthread"]
        )
        if "cannot find" in built.stderr and "libclang_rt" in built.stderr:
            return None  # Debian's clang is without the libraries of its sanitizers
        if "could not run lto-wrapper" in built.stderr:
            return None  # a g++ that is installed without its link-time optimizer
        if built.returncode != 0:
            return f"does not build:\n{built.stderr[:3000]}"
        ran = compilers.output_of([program, *arguments])
    if ran.returncode != 0:
        return f"status {ran.returncode}: {ran.stderr[:3000]}"
    if expected is None:
        return ran.stdout
    results, rest = ran.stdout.splitlines(), iter(expected.splitlines())
    wrong = [here for here in results if here not in rest]  # in order, without those left out
    if wrong:
        return f"results differ from {wrong[0]} on"
    if not arguments and len(results) != RESULTS[SAMPLE in flags]:
        return f"{len(results)} results"
    if says is EITHER:
        return None
    if ran.stderr.count("upsweep: ") != (1 if says else 0) or says not in ran.stderr:
        return f"says '{ran.stderr.strip()}'"
    return None


def wrong_operators(compiler, flag, root):
    """What flags/operators.cpp finds wrong with a flag, or None."""
    with tempfile.TemporaryDirectory() as folder:
        command = [compiler, "-std=c++20", "-w", "-O2", flag, f"-I{root}"]
        command += [f"{root}/tests/package/flags/operators.cpp", "-o", f"{folder}/program"]
        built = compilers.output_of(command)
        ran = built if built.returncode else compilers.output_of([f"{folder}/program"])
    return f"{ran.stdout}{ran.stderr[:3000]}" if ran.returncode else None


def main():
    mode, compiler, root, *libraries = sys.argv[1:]
    kept = Path(root) / "tests/package/flags/verbs.txt"
    if mode == "keep":
        kept.write_text(complaint(compiler, *FLAGS[0], None, root, libraries))
        return 0
    expected = kept.read_text()
    chosen = [compiler]
    if mode == "all":
        chosen += [
            c.path
            for c in compilers.installed()
            if c.kind == "clang++" and c.major >= compilers.OLDEST[c.kind] and c.works()
        ]
    found = [
        f"{c} {flag}: operators: {wrong}"
        for c in chosen
        for flag in ("-ffast-math", "-ffinite-math-only")
        if (wrong := wrong_operators(c, flag, root))
    ]
    print(*found, sep="\n", flush=True)
    rows = FLAGS if mode == "all" else [([*FLAGS[1][0], SAMPLE], FAST)]
    programs = [(c, row) for c in chosen for row in rows]

    def fails(program):
        each, (flags, says) = program
        # clang's -ffast-math promises that there are no NaN and infinities (docs/flags.md).
        finite = ["finite"] if "clang" in each and "-ffast-math" in flags else []
        wrong = complaint(each, flags, says, expected, root, libraries, *finite)
        if wrong:
            print(f"{each} {' '.join(flags)}: {wrong}", flush=True)
        return bool(wrong)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return 1 if found or any(list(threads.map(fails, programs))) else 0


if __name__ == "__main__":
    sys.exit(main())
