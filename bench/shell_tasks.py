#!/usr/bin/env python3
"""What people do with a table in a shell, by upsweep and by what they would use instead: prints
docs/generated/performance_shell.md.

    bench/shell_tasks.py [--rows N] [--times K] [--tool PATH] [--folder FOLDER]
                         [--only TEXT] [--without PROGRAM]... [--quick]

The other programs are used if they are installed: datamash, mlr, mawk, and DuckDB and polars as
packages of the Python that runs this script. Each program does each task K times, all programs in
turn; a cell is the median of the CPU time (user and system) in seconds. The numbers that a
program prints are compared with those of upsweep. --quick tries every task once with few rows, and
ends with status 1 if a program fails. --only runs the tasks whose names contain TEXT, --without
leaves a program out. Parquet is written by polars or DuckDB; without them its tasks are left out.
"""

import argparse
import datetime
import gzip
import importlib.util
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from shell_task_list import TASKS

PYTHON = sys.executable
POLARS = "import polars as p; t = p.{scan}('{file}'); print({}.collect().write_csv())"
SCANS = {".jsonl": "scan_ndjson", ".parquet": "scan_parquet"}
DUCKDB = "import duckdb; duckdb.sql(\"COPY ({}) TO '/dev/stdout' (HEADER)\")"


def polars(expression):
    return [PYTHON, "-c", POLARS.replace("{}", expression)]


def duckdb(query):
    return [PYTHON, "-c", DUCKDB.replace("{}", query)]


def shell(text):
    return ["sh", "-c", text]


PROGRAMS = ["upsweep", "datamash", "mlr", "mawk", "DuckDB", "polars"]


def installed(program):
    if program in ("DuckDB", "polars"):
        return importlib.util.find_spec(program.lower()) is not None
    return shutil.which(program) is not None


def command(program, what, tool, file):
    if isinstance(what, tuple):
        return shell(what[0])
    if program == "DuckDB":
        return duckdb(what)
    if program == "polars":
        scan = SCANS.get(os.path.splitext(file)[1], "scan_csv")
        return [part.replace("{file}", file).replace("{scan}", scan) for part in polars(what)]
    return shell(f"{tool if program == 'upsweep' else program} {what}")


def write_tables(folder, rows):
    """Prices are log-normal with two decimals; keys, days and stores are uniform."""
    source = random.Random(20240229)
    start = datetime.date(2020, 1, 1)
    days = [str(start + datetime.timedelta(d)) for d in range(366)]
    table = [
        f"k{source.randrange(max(1, rows // 3)):07d},{source.choice(days)},"
        f"s{source.randrange(500):03d},"
        f"{source.lognormvariate(5, 1):.2f},{source.randrange(1, 100)}\n"
        for _ in range(rows)
    ]
    header = "key,day,store,price,qty\n"
    with open(os.path.join(folder, "t.csv"), "w") as f:
        f.writelines([header, *table])
    with open(os.path.join(folder, "sorted.csv"), "w") as f:
        f.writelines([header, *sorted(table, key=lambda row: row.split(",")[2])])
    with (
        open(os.path.join(folder, "t.csv"), "rb") as f,
        gzip.open(os.path.join(folder, "t.csv.gz"), "wb", 6) as g,
    ):
        shutil.copyfileobj(f, g)
    with open(os.path.join(folder, "t.jsonl"), "w") as f:
        for row in table:
            key, day, store, price, qty = row[:-1].split(",")
            price = price.rstrip("0").rstrip(".")
            f.write(
                f'{{"key":"{key}","day":"{day}","store":"{store}","price":{price},"qty":{qty}}}\n'
            )
    with open(os.path.join(folder, "visits.csv"), "w") as f:
        time = 1_700_000_000
        f.write("user,time\n")
        for _ in range(rows):
            time += source.randrange(10)
            f.write(f"u{source.randrange(500):03d},{time}\n")
    write_parquet(folder)


def write_parquet(folder):
    csv, parquet = (os.path.join(folder, name) for name in ("t.csv", "t.parquet"))
    if installed("polars"):
        import polars

        polars.read_csv(csv).write_parquet(parquet)
    elif installed("DuckDB"):
        import duckdb

        duckdb.sql(f"COPY (SELECT * FROM '{csv}') TO '{parquet}'")


def seconds(words, folder, out):
    """Processor time of the command and its children."""
    before = os.times()
    with open(out, "wb") as f:
        done = subprocess.run(words, stdout=f, stderr=subprocess.PIPE, cwd=folder)
    after = os.times()
    if done.returncode != 0:
        return None, done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    return (
        after.children_user + after.children_system - before.children_user - before.children_system,
        None,
    )


def numbers(path):
    with open(path, errors="replace") as f:
        text = f.read()
    first = text.split("\n", 1)[0]
    if first[:1] not in ("{", "[") and not re.fullmatch(
        r"-?[\d.]+(e[+-]?\d+)?", first.split(",")[-1]
    ):
        text = text[len(first) :]  # a header: its last field is no number
    found = re.findall(r"(?<![\w.-])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w-])", text)
    return sorted(float(x) for x in found)


def agree(mine, others):
    """Whether the numbers are the same but for rounding; of programs that print fewer, those."""
    if len(mine) != len(others):
        return False
    return all(abs(a - b) <= 1e-5 * max(abs(a), abs(b), 1e-3) for a, b in zip(mine, others))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--rows", type=int, default=3_000_000)
    arguments.add_argument("--times", type=int, default=5)
    arguments.add_argument("--tool", default="upsweep")
    arguments.add_argument("--folder")
    arguments.add_argument("--only", default="")
    arguments.add_argument("--without", action="append", default=[], choices=PROGRAMS[1:])
    arguments.add_argument("--quick", action="store_true")
    flags = arguments.parse_args()
    if not shutil.which(flags.tool):
        arguments.error(f"{flags.tool} is no program; give --tool PATH")
    flags.tool = os.path.abspath(shutil.which(flags.tool))
    if flags.quick:
        flags.rows, flags.times = 20_000, 1
    with tempfile.TemporaryDirectory() as made:
        folder = flags.folder or made
        os.makedirs(folder, exist_ok=True)
        write_tables(folder, flags.rows)
        failed = measure(flags, folder)
    sys.exit(flags.quick and failed)


def measure(flags, folder):
    programs = [p for p in PROGRAMS if p == "upsweep" or installed(p) and p not in flags.without]
    without = "".join(f" --without {p}" for p in flags.without)
    size = os.path.getsize(os.path.join(folder, "t.csv")) / 1e6
    print("# Tables in a shell\n")
    print(
        f"Printed by `bench/shell_tasks.py --rows {flags.rows}{without}`: medians of {flags.times}"
    )
    print(
        f"processor times in seconds (user and system), for a CSV of {size:.0f} MB, "
        f"on {os.cpu_count()} threads."
    )
    print("DuckDB and polars are called from Python; start-up is included everywhere. `?` marks")
    print("numbers that differ from upsweep's by more than rounding to six digits.\n")
    print("| task | " + " | ".join(programs) + " |")
    print("| --- |" + " --- |" * len(programs))
    failed = False
    for name, ways in TASKS:
        if flags.only not in name or not os.path.exists(
            os.path.join(folder, ways.get("file", "t.csv"))
        ):
            continue
        times = {p: [] for p in programs if p in ways}
        notes = {}
        mine = None
        for turn in range(flags.times):
            for program in times:
                words = command(program, ways[program], flags.tool, ways.get("file", "t.csv"))
                out = os.path.join(folder, "out")
                taken, error = seconds(words, folder, out)
                if taken is None:
                    notes[program] = "fails"
                    failed = True
                    print(f"{name}: {program}: {error}", file=sys.stderr)
                    continue
                times[program].append(taken)
                if turn == 0 and program == "upsweep":
                    mine = numbers(out)
                elif turn == 0 and mine and not agree(mine, numbers(out)):
                    notes[program] = "?"
        cells = []
        best = min((statistics.median(t) for t in times.values() if t), default=0)
        for program in programs:
            if not times.get(program):
                cells.append(notes.get(program, "–"))
                continue
            median = statistics.median(times[program])
            text = f"{median:.2f}{' ?' if notes.get(program) == '?' else ''}"
            cells.append(f"**{text}**" if median == best else text)
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    return failed


if __name__ == "__main__":
    main()
