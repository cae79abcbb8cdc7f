#!/usr/bin/env python3
"""Runs what the pages of docs/guides say of other libraries and tools, where these are installed,
and compares what they give. No test needs it: the pages have the values.

    guide_peers.py [--thrust FOLDER] [--parlay FOLDER] [COLUMN...]

Folders are those of headers. NumPy, pandas and SQL are run by python/tests/test_guides.py.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from guides import ROOT, calls, program  # noqa: E402

HEADERS = {
    "thrust": """
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/pair.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>
""",
    "tbb": "#include <tbb/tbb.h>\n",
    "parlay": """
#include <algorithm>
#include <parlay/delayed.h>
#include <parlay/primitives.h>
#include <parlay/sequence.h>
""",
}
FLAGS = {
    "thrust": ["-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"],
    "tbb": ["-ltbb"],
    "parlay": ["-pthread"],
}


def complaints_of_program(column, folder):
    """Compiles and runs the calls of a C++ library, or says that they do not compile."""
    with tempfile.TemporaryDirectory() as work:
        source = Path(work) / "calls.cpp"
        source.write_text("#define GUIDES_PEER\n" + HEADERS[column] + program(column))
        search = [f"-I{folder}"] if folder else []
        done = subprocess.run(
            ["g++", "-std=c++20", "-O1", "-w", *search, f"-I{ROOT / 'tests/guides'}", str(source)]
            + ["-o", f"{work}/calls", *FLAGS[column]],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            return [f"{column}: does not compile\n{done.stderr[:3000]}"]
        return subprocess.run([f"{work}/calls"], capture_output=True, text=True).stdout.splitlines()


def shell(code, data):
    return ["sh", "-c", code]


def r(code, data):
    show = 'cat(format(unlist(shown), digits = 15, trim = TRUE, drop0trailing = TRUE), "\\n")'
    return ["Rscript", "-e", f"{data}\nshown <- {{ {code} }}\n{show}"]


def duckdb(code, data):
    show = "for row in duckdb.sql(sys.argv[1]).fetchall(): print(*row)"
    return [sys.executable, "-c", f"import duckdb, sys\n{show}", code]


COMMANDS = {"datamash": (shell, "datamash"), "miller": (shell, "mlr"), "r": (r, "Rscript")}
COMMANDS["duckdb"] = (duckdb, None)


def words(text):
    """The words of an output, whole numbers without their fraction."""
    return " ".join(word.removesuffix(".0") for word in text.split())


def complaints_of_command(column):
    make, _ = COMMANDS[column]
    for call in calls(column):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in call.files.items():
                (Path(folder) / name).write_text(text)
            done = subprocess.run(
                make(call.code, call.data), cwd=folder, capture_output=True, text=True
            )
        if words(done.stdout) != call.shows:
            yield f"{call.where}: gives '{words(done.stdout)}{done.stderr}', not '{call.shows}'"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--thrust")
    parser.add_argument("--parlay")
    parser.add_argument("columns", nargs="*", metavar="COLUMN")
    options = parser.parse_args()
    wrong = []
    for column in options.columns or [*HEADERS, *COMMANDS]:
        folder = vars(options).get(column)
        if column in COMMANDS and COMMANDS[column][1] and not shutil.which(COMMANDS[column][1]):
            print(f"{column}: not installed")
        elif column in COMMANDS:
            wrong += complaints_of_command(column)
        elif column in ("thrust", "parlay") and not folder:
            print(f"{column}: no --{column} FOLDER")
        else:
            wrong += complaints_of_program(column, folder)
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
