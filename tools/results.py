#!/usr/bin/env python3
"""How measured results are kept in bench/results: JSON files that this module writes and reads.

    tools/results.py FILE              print a kept run as the benchmark wrote it
    tools/results.py --pack FILE...    rewrite runs with packed columns

In a packed run a list of objects is {"rows": N, "columns": {key: column}}. A column is one of

- {"values": [...], "at": TEXT}: the index of each row's value;
- {"values": [...], "runs": TEXT}: an index and the number of rows that have this value, in turns;
- {"lengths": column, "of": table}: lists of objects;
- {"series": [TEXT, ...]}: lists of numbers, the times of a call in the rounds of a run.

TEXT is numbers in base 64, the lowest five bits first; 32 is added to each digit but the last of a
number. Numbers of a series are decimal, with the same power of ten: it, the smallest, and what each
exceeds that by. So they are read back bit for bit. `repeats`, which no page shows, is left out.
"""

import json
import sys
from decimal import Decimal
from pathlib import Path

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
VALUES = {digit: value for value, digit in enumerate(DIGITS)}
LEFT_OUT = ("repeats",)
TABLES = ("cells", "by_threads", "verbs", "rows")  # the lists of a run that are packed
NONE = {}  # what a row has that lacks the key of a column


def text_of(report):
    """The JSON of a report, whose lists of objects have a line for each."""

    def value(v):
        if isinstance(v, list) and v and isinstance(v[0], dict):
            rows = (json.dumps(x, ensure_ascii=False, separators=(",", ":")) for x in v)
            return "[\n  " + ",\n  ".join(rows) + "\n ]"
        return json.dumps(v, ensure_ascii=False)

    lines = (f" {json.dumps(k)}: {value(v)}" for k, v in report.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def written(numbers):
    text = ""
    for number in numbers:
        while number > 31:
            text += DIGITS[32 + number % 32]
            number //= 32
        text += DIGITS[number]
    return text


def numbers_of(text):
    found, number, bits = [], 0, 0
    for digit in text:
        value = VALUES[digit]
        number += (value % 32) << bits
        bits += 5
        if value < 32:
            found.append(number)
            number, bits = 0, 0
    return found


def series_text(numbers):
    """One word; "." for no numbers."""
    if not numbers:
        return "."
    decimals = [Decimal(repr(x)).normalize() for x in numbers]
    places = max(0, *(-d.as_tuple().exponent for d in decimals))
    whole = [int(d.scaleb(places)) for d in decimals]
    least = min(whole)
    return written([places, least, *(x - least for x in whole)])


def series_of(text):
    if text == ".":
        return []
    places, least, *more = numbers_of(text)
    return [float(f"{least + x}e-{places}") for x in more]


def wrapped(words, width=96):
    """The words in lines."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def packed_column(values):
    lists = [v for v in values if isinstance(v, list)]
    if lists and len(lists) == len(values):
        flat = [x for v in values for x in v]
        if all(isinstance(x, dict) for x in flat):
            return {"lengths": packed_column([len(v) for v in values]), "of": packed_table(flat)}
        if all(isinstance(x, float) and x >= 0 for x in flat):
            return {"series": wrapped(series_text(v) for v in values)}
    distinct, at = {}, []
    for value in values:
        at.append(distinct.setdefault(json.dumps(value, ensure_ascii=False), len(distinct)))
    runs = []
    for index in at:
        if runs and runs[-2] == index:
            runs[-1] += 1
        else:
            runs += [index, 1]
    found = {"values": [json.loads(value) for value in distinct]}
    one, other = written(at), written(runs)
    return {**found, **({"runs": other} if len(other) < len(one) else {"at": one})}


def column_of(packed):
    if "series" in packed:
        return [series_of(word) for line in packed["series"] for word in line.split()]
    if "of" in packed:
        rows = iter(table_of(packed["of"]))
        return [[next(rows) for _ in range(count)] for count in column_of(packed["lengths"])]
    if "at" in packed:
        return [packed["values"][index] for index in numbers_of(packed["at"])]
    runs = iter(numbers_of(packed["runs"]))
    return [value for index, n in zip(runs, runs) for value in [packed["values"][index]] * n]


def packed_table(rows):
    keys = dict.fromkeys(key for row in rows for key in row if key not in LEFT_OUT)
    columns = {key: packed_column([row.get(key, NONE) for row in rows]) for key in keys}
    return {"rows": len(rows), "columns": columns}


def table_of(packed):
    columns = {key: column_of(column) for key, column in packed["columns"].items()}
    rows = range(packed["rows"])
    return [{k: c[i] for k, c in columns.items() if c[i] != NONE} for i in rows]


def is_table(value):
    return isinstance(value, dict) and value.keys() == {"rows", "columns"}


def packed_text(report):
    """The JSON of a run with packed columns, a line for each column and for each line of series."""

    def value(v, indent):
        if isinstance(v, dict) and any(isinstance(x, (dict, list)) for x in v.values()):
            inner = indent + " "
            lines = (f"{inner}{json.dumps(k)}: {value(x, inner)}" for k, x in v.items())
            return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
        if isinstance(v, list) and v and isinstance(v[0], str) and len(v[0]) > 40:
            return "[\n" + ",\n".join(json.dumps(x) for x in v) + f"\n{indent}]"
        return json.dumps(v, ensure_ascii=False, separators=(",", ":"))

    packed = {k: packed_table(v) if k in TABLES and v else v for k, v in report.items()}
    return value(packed, "") + "\n"


def unpacked(report):
    return {k: table_of(v) if is_table(v) else v for k, v in report.items()}


def load(path):
    """The report of a file, packed or not."""
    report = json.loads(Path(path).read_text(encoding="utf-8"))
    return unpacked(report) if isinstance(report, dict) else report


def keep(path, folder, name):
    """Stores the run of a file as folder/name, packed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(packed_text(load(path)), encoding="utf-8")


def main():
    if sys.argv[1:2] == ["--pack"]:
        for path in map(Path, sys.argv[2:]):
            keep(path, path.parent, path.name)
        return
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(text_of(load(sys.argv[1])))


if __name__ == "__main__":
    main()
