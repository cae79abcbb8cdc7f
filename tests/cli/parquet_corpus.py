#!/usr/bin/env python3
"""Reads every column of folders of Parquet files (git clone apache/parquet-testing) by the tool
and by pyarrow: sums agree, and what pyarrow refuses ends the tool with a sentence, not a signal.

    UPSWEEP_TOOL=build/bin/upsweep tests/cli/parquet_corpus.py FOLDER...
"""

import collections
import math
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as compute
from pyarrow import parquet

TOOL = os.environ.get("UPSWEEP_TOOL", "upsweep")
found = collections.Counter()


def tool(*args):
    done = subprocess.run([TOOL, *args, "--skip-missing"], capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(errors="replace").strip(), done.stderr.decode()


def compare(path, table):
    for i, field in enumerate(table.schema):
        if not (pa.types.is_integer(field.type) or pa.types.is_floating(field.type)):
            status, _, error = tool("reduce", path, "-c", str(i + 1), "--op", "count")
            found[f"other columns, status {status}"] += 1
            if status not in (0, 3):
                print(path, field.name, field.type, status, error)
            continue
        column, tolerance = table.column(i), 1e-6
        if pa.types.is_float16(field.type):
            column, tolerance = column.cast(pa.float32()), 1e-3
        wanted = compute.sum(column).as_py() or 0
        status, out, error = tool("reduce", path, "-c", str(i + 1))
        got = float(out) if status == 0 else error
        same = got == wanted or (
            status == 0
            and (
                math.isclose(got, wanted, rel_tol=tolerance)
                or (math.isnan(got) and math.isnan(wanted))
            )
        )
        found["sums that agree" if same else "sums that differ"] += 1
        if not same:
            print(path, field.name, field.type, got, wanted)


def main():
    for folder in sys.argv[1:]:
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if not os.path.isfile(path) or not name.endswith(".parquet"):
                continue
            try:
                table = parquet.read_table(path)
            except Exception:
                status, _, error = tool("reduce", path, "-c", "1")
                found[f"files that pyarrow refuses, status {status}"] += 1
                if status not in (0, 2, 3):
                    print(path, status, error)
                continue
            compare(path, table)
    for what, count in sorted(found.items()):
        print(f"{count:5} {what}")
    return found["sums that differ"] > 0


if __name__ == "__main__":
    sys.exit(main())
