#!/usr/bin/env python3
"""What people do with a table in a shell, by upsweep and by what they would use instead: prints
docs/generated/performance_shell.md.

    bench/shell_tasks.py [--rows N] [--times K] [--tool PATH] [--folder FOLDER]

The other programs are used if they are installed: datamash, mlr, mawk, and DuckDB and polars as
packages of the Python that runs this script. Each program does each task K times, all programs in
turn; a cell is the median of the processor time (user and system) in seconds. The numbers that a
program prints are compared with those of upsweep.
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

PYTHON = sys.executable
POLARS = "import polars as p; t = p.scan_csv('{file}'); print({}.collect().write_csv())"
DUCKDB = "import duckdb; duckdb.sql(\"COPY ({}) TO '/dev/stdout' (HEADER)\")"


def polars(expression):
    return [PYTHON, "-c", POLARS.replace("{}", expression)]


def duckdb(query):
    return [PYTHON, "-c", DUCKDB.replace("{}", query)]


def shell(text):
    return ["sh", "-c", text]


TASKS = [
    (
        "sum of a column",
        {
            "upsweep": "reduce t.csv -c price",
            "datamash": "-t, --header-in sum 4 < t.csv",
            "mlr": "--icsv --ojson stats1 -a sum -f price t.csv",
            "mawk": "-F, 'NR>1{s+=$4}END{printf \"%.9g\\n\", s}' t.csv",
            "DuckDB": "SELECT sum(price) FROM 't.csv'",
            "polars": "t.select(p.col('price').sum())",
        },
    ),
    (
        "five statistics of two columns",
        {
            "upsweep": "reduce t.csv -c price,qty --op sum,min,max,mean,sample-std",
            "datamash": "-t, --header-in sum 4 min 4 max 4 mean 4 sstdev 4 "
            "sum 5 min 5 max 5 mean 5 sstdev 5 < t.csv",
            "mlr": "--icsv --ojson stats1 -a sum,min,max,mean,stddev -f price,qty t.csv",
            "DuckDB": "SELECT sum(price), min(price), max(price), avg(price), stddev(price), "
            "sum(qty), min(qty), max(qty), avg(qty), stddev(qty) FROM 't.csv'",
            "polars": "t.select(*[getattr(p.col(c), f)().name.suffix(f) for c in ('price', 'qty') "
            "for f in ('sum', 'min', 'max', 'mean', 'std')])",
        },
    ),
    (
        "totals of 500 groups, sorted",
        {
            "upsweep": "reduce sorted.csv --by store --sorted --op sum:price",
            "datamash": "-t, --header-in -g 3 sum 4 < sorted.csv",
            "mlr": "--icsv --ocsv stats1 -a sum -f price -g store sorted.csv",
            "mawk": "-F, 'NR>1{s[$3]+=$4}"
            'END{for(k in s) printf "%s,%.9g\\n", k, s[k]}\' sorted.csv',
            "DuckDB": "SELECT store, sum(price) FROM 'sorted.csv' GROUP BY store",
            "polars": "t.group_by('store').agg(p.col('price').sum())",
            "file": "sorted.csv",
        },
    ),
    (
        "totals of 500 groups, not sorted",
        {
            "upsweep": "reduce t.csv --by store --op sum:price",
            "datamash": "-t, -s --header-in -g 3 sum 4 < t.csv",
            "mlr": "--icsv --ocsv stats1 -a sum -f price -g store t.csv",
            "mawk": "-F, 'NR>1{s[$3]+=$4}END{for(k in s) printf \"%s,%.9g\\n\", k, s[k]}' t.csv",
            "DuckDB": "SELECT store, sum(price) FROM 't.csv' GROUP BY store",
            "polars": "t.group_by('store').agg(p.col('price').sum())",
        },
    ),
    (
        "as many groups as a third of the rows, not sorted",
        {
            "upsweep": "reduce t.csv --by key --op sum:price",
            "mlr": "--icsv --ocsv stats1 -a sum -f price -g key t.csv",
            "mawk": "-F, 'NR>1{s[$1]+=$4}END{for(k in s) printf \"%s,%.9g\\n\", k, s[k]}' t.csv",
            "DuckDB": "SELECT key, sum(price) FROM 't.csv' GROUP BY key",
            "polars": "t.group_by('key').agg(p.col('price').sum())",
        },
    ),
    (
        "sum, largest and number of rows by group, with names",
        {
            "upsweep": "reduce t.csv --by store --op 'sum:price as total,max:qty as most,count'",
            "datamash": "-t, -s --header-in -g 3 sum 4 max 5 count 1 < t.csv",
            "DuckDB": "SELECT store, sum(price) total, max(qty) most, count(*) n FROM 't.csv' "
            "GROUP BY store",
            "polars": "t.group_by('store').agg(p.col('price').sum().alias('total'), "
            "p.col('qty').max().alias('most'), p.len())",
        },
    ),
    (
        "median by group",
        {
            "upsweep": "reduce t.csv --by store --op median:price",
            "datamash": "-t, -s --header-in -g 3 median 4 < t.csv",
            "mlr": "--icsv --ocsv stats1 -i -a median -f price -g store t.csv",
            "DuckDB": "SELECT store, median(price) FROM 't.csv' GROUP BY store",
            "polars": "t.group_by('store').agg(p.col('price').median())",
        },
    ),
    (
        "different values, first and last day",
        {
            "upsweep": "reduce t.csv --op distinct:store,min:day,max:day",
            "datamash": "-t, --header-in countunique 3 < t.csv",
            "DuckDB": "SELECT count(DISTINCT store), min(day), max(day) FROM 't.csv'",
            "polars": "t.select(p.col('store').n_unique(), p.col('day').min().alias('a'), "
            "p.col('day').max().alias('b'))",
        },
    ),
    (
        "total of a product of two columns",
        {
            "upsweep": "reduce t.csv --op 'sum:price*qty'",
            "mlr": "--icsv --ojson put -q '@s += $price * $qty; end {emit @s}' t.csv",
            "mawk": "-F, 'NR>1{s+=$4*$5}END{printf \"%.9g\\n\", s}' t.csv",
            "DuckDB": "SELECT sum(price * qty) FROM 't.csv'",
            "polars": "t.select((p.col('price') * p.col('qty')).sum())",
        },
    ),
    (
        "totals by month of a date",
        {
            "upsweep": "reduce t.csv --by 'month(day)' --op sum:price",
            "mlr": '--icsv --ocsv put \'$m = int(sub($day, "^....-0?(.*)-..$", "\\1"))\' '
            "then stats1 -a sum -f price -g m t.csv",
            "mawk": "-F, 'NR>1{s[substr($2,6,2)+0]+=$4}"
            'END{for(k in s) printf "%s,%.9g\\n", k, s[k]}\' t.csv',
            "DuckDB": "SELECT month(day::DATE), sum(price) FROM 't.csv' GROUP BY ALL",
            "polars": "t.group_by(p.col('day').str.to_date().dt.month()).agg(p.col('price').sum())",
        },
    ),
    (
        "rows by a condition on two columns",
        {
            "upsweep": "select t.csv --where 'price > 900 && day >= \"2020-06-01\"'",
            "mlr": "--icsv --ocsv filter '$price > 900 && $day >= \"2020-06-01\"' t.csv",
            "mawk": "-F, 'NR==1 || ($4 > 900 && $2 >= \"2020-06-01\")' t.csv",
            "DuckDB": "SELECT * FROM 't.csv' WHERE price > 900 AND day >= '2020-06-01'",
            "polars": "t.filter((p.col('price') > 900) & (p.col('day') >= '2020-06-01'))",
        },
    ),
    (
        "running total, whole rows kept",
        {
            "upsweep": "scan t.csv -c price --keep all",
            "mlr": "--icsv --ocsv step -a rsum -f price t.csv",
            "mawk": '-F, \'NR==1{print $0 ",s";next}{s+=$4; print $0 "," s}\' t.csv',
            "DuckDB": "SELECT *, sum(price) OVER (ROWS UNBOUNDED PRECEDING) FROM 't.csv'",
            "polars": "t.with_columns(p.col('price').cum_sum().alias('s'))",
        },
    ),
    (
        "mean of the last seven rows",
        {
            "upsweep": "scan t.csv --op window:7:mean:price",
            "mlr": "--icsv --ocsv step -a slwin_6_0 -f price then cut -f price_slwin_6_0 t.csv",
            "DuckDB": "SELECT avg(price) OVER (ROWS 6 PRECEDING) FROM 't.csv'",
            "polars": "t.select(p.col('price').rolling_mean(7, min_samples=1))",
        },
    ),
    (
        "ten largest rows",
        {
            "upsweep": "sort t.csv -c price --top 10",
            "mlr": "--icsv --ocsv top -n 10 -f price -a t.csv",
            "DuckDB": "SELECT * FROM 't.csv' ORDER BY price DESC LIMIT 10",
            "polars": "t.top_k(10, by='price')",
        },
    ),
    (
        "three largest rows of each of 500 groups",
        {
            "upsweep": "sort t.csv --by store -c price --top 3",
            "mlr": "--icsv --ocsv top -n 3 -f price -g store -a t.csv",
            "DuckDB": "SELECT * FROM 't.csv' QUALIFY row_number() OVER "
            "(PARTITION BY store ORDER BY price DESC) <= 3",
            "polars": "t.sort('price', descending=True).group_by('store').head(3)",
        },
    ),
    (
        "rank in each of 500 groups",
        {
            "upsweep": "scan t.csv --by store --op rank:price",
            "DuckDB": "SELECT rank() OVER (PARTITION BY store ORDER BY price) FROM 't.csv'",
            "polars": "t.select(p.col('price').rank('min').over('store'))",
        },
    ),
    (
        "cumulative share of the total",
        {
            "upsweep": "scan t.csv --op cumulative-share:price",
            "mlr": "--icsv --ocsv fraction -f price -c then cut -f price_cumulative_fraction t.csv",
            "DuckDB": "SELECT sum(price) OVER (ROWS UNBOUNDED PRECEDING) / sum(price) OVER () "
            "FROM 't.csv'",
            "polars": "t.select(p.col('price').cum_sum() / p.col('price').sum())",
        },
    ),
    (
        "all rows sorted by a column",
        {
            "upsweep": "sort t.csv -c price",
            "mlr": "--icsv --ocsv sort -nf price t.csv",
            "DuckDB": "SELECT * FROM 't.csv' ORDER BY price",
            "polars": "t.sort('price', maintain_order=True)",
        },
    ),
    (
        "sum of a column, gzip",
        {
            "upsweep": "reduce t.csv.gz -c price",
            "datamash": ("gunzip -c t.csv.gz | datamash -t, --header-in sum 4",),
            "mlr": "--icsv --ojson stats1 -a sum -f price t.csv.gz",
            "DuckDB": "SELECT sum(price) FROM 't.csv.gz'",
            "polars": "t.select(p.col('price').sum())",
            "file": "t.csv.gz",
        },
    ),
]
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
        return [part.replace("{file}", file) for part in polars(what)]
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
    flags = arguments.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = flags.folder or made
        os.makedirs(folder, exist_ok=True)
        write_tables(folder, flags.rows)
        measure(flags, folder)


def measure(flags, folder):
    programs = [p for p in PROGRAMS if p == "upsweep" or installed(p)]
    size = os.path.getsize(os.path.join(folder, "t.csv")) / 1e6
    print("# Tables in a shell\n")
    print(
        f"Printed by `bench/shell_tasks.py --rows {flags.rows}`: medians of {flags.times} processor"
    )
    print(
        f"times in seconds (user and system), for a CSV of {size:.0f} MB, on {os.cpu_count()} "
        "threads."
    )
    print("DuckDB and polars are called from Python; start-up is included everywhere. `?` marks")
    print("numbers that differ from upsweep's by more than rounding to six digits.\n")
    print("| task | " + " | ".join(programs) + " |")
    print("| --- |" + " --- |" * len(programs))
    for name, ways in TASKS:
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


if __name__ == "__main__":
    main()
