"""The checks of tools/fuzz_tool.py: each makes a case from a random source and runs the tool on it.

`survives`: whatever options and bytes, the tool ends with a documented status, one sentence on
stderr if that is not 0, and no half-written file; `same_bytes`: whatever bytes, a file, a pipe,
gzip and three threads give the same. `same_forms`: a table gives the same in quotes, with CRLF,
other delimiters or decimal commas, and in two files. `right_table`, `right_numbers`, `right_array`:
sums, extrema, order, selections, groups and prefixes are those of Python's own arithmetic.
`right_expressions`: computed columns are those of tests/cli/expressions_model.py.
"""

import csv
import gzip
import io
import itertools
import json
import math
import os
from fractions import Fraction
from pathlib import Path

import expressions_model
import option_pairs
import support
from fuzz_tool import ROOT, finding

NAMES = ["x", "y", "größe", "two words", "a-b", "Total", "_1", "price", "n"]
TEXTS = ["a", "b", "Bonn", "Kiel", "a b", "x|y", 'say "so"', "ü", "A", "tab", "it's"]
ODD = [b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b'""', b",", b"\r", b"\n", b"\r\n", b"\t", b";"]
ODD += [b"NA", b"nan", b"-inf", b"1e999", b"-0", b"0x1p3", b"9" * 30, b"1" * 5000, b"#", b"1,234"]
ODD += [b"\xed\xa0\x80", b"\xc0\x80", "−1".encode(), "١".encode(), b"sep=;\n", b"\x1a", b"1.5e"]
ODD += [b"9223372036854775808", b"18446744073709551616", b"1e-400", b"+", b"-", b".", b"\n\n", b" "]


def seeds():
    found = list(option_pairs.INPUTS.items())
    for line in Path(ROOT, "tests/cli/tables/cases.jsonl").read_text().splitlines():
        case = json.loads(line)
        found.append((case["file"], case["data"].encode()))
    return found


SEEDS = seeds()


def expect(got, right, what):
    if got != right:
        raise finding(f"{what}: {str(got)[:300]} and should be {str(right)[:300]}")


# Tables


def a_number(source, kind):
    if kind == "int":
        return str(source.choice([0, 1, -1, 7, source.randint(-999, 999)]))
    if kind == "large":
        return str(source.choice([2**63 - 1, -(2**63), 2**53 + 1, source.randint(-(2**62), 2**62)]))
    digits = source.randint(0, 10 ** source.randint(1, 17))
    power = source.choice(["", "", f"e{source.randint(-30, 30)}"])
    return f"{source.choice(['', '-'])}{digits}.{source.randint(0, 999)}{power}"


def a_table(source):
    """Names, the kind of each column, and rows of strings; the first column has numbers."""
    names = source.sample(NAMES, source.randint(1, 4))
    kinds = [source.choice(["int", "int", "large", "decimal"])]
    kinds += [source.choice(["int", "large", "decimal", "text", "text"]) for _ in names[1:]]
    rows = [
        [source.choice(TEXTS) if k == "text" else a_number(source, k) for k in kinds]
        for _ in range(source.choice([1, 2, 3, source.randint(1, 40), 300]))
    ]
    return names, kinds, rows


def written(rows, delimiter=",", newline="\n", quoting=csv.QUOTE_MINIMAL):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=newline, quoting=quoting).writerows(rows)
    return out.getvalue().encode()


def parsed(out, delimiter=","):
    text = out if isinstance(out, str) else out.decode()
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def question(source, names):
    """A command that every form of a table answers alike."""
    x, key = names[0], names[-1]
    some = ",".join(source.sample(["sum", "count", "min", "max", "mean", "first", "var"], 3))
    one = source.choice(["median", "argmax", "distinct", "exact-sum", "quantile:0.3", "moments"])
    running = source.choice(["sum", "max", "window:3:mean", "lag:2", "count", "ema:0.5", "diff:1"])
    commands = [
        ["reduce", "-c", x, "--op", source.choice([some, one])],
        ["scan", "-c", x, "--op", running],
        ["scan", "-c", x, "--keep", "all", source.choice(["--exclusive", "--reverse"])],
        ["sort", "-c", x] + source.choice([[], ["--descending"], ["--unique"], ["--top=2"]]),
        ["unique", "-c", x],
        ["runs", "-c", x],
        ["select", "--where", f"`{x}` >= 1"] + source.choice([[], ["--invert"], ["--positions"]]),
        ["histogram", "-c", x, "--counts-only", "--bins", "3"],
        ["reduce", "--by", key, "--op", f"sum:{x},count,max:{x}"],
        ["scan", "--by", key, "--keep", x, "--op", f"sum:{x}"],
    ]
    return source.choice(commands) + ["--header"]


def same_forms(source, run):
    names, kinds, rows = a_table(source)
    args, table = question(source, names), [names] + rows
    run.write("x.csv", written(table))
    status, out, errors = run(*args, "x.csv")
    if status == 3 and "is beyond 2^53, and f64 would round it" in errors:  # of lag and diff
        return
    if status and args[0] != "histogram":  # whose bins can be too narrow for f64
        raise finding(f"status {status}: {errors}")
    commas = [names] + [
        [f if k == "text" else f.replace(".", ",") for f, k in zip(r, kinds)] for r in rows
    ]
    forms = [
        ("crlf.csv", written(table, newline="\r\n"), ",", []),
        ("open.csv", written(table)[:-1], ",", []),
        ("mark.csv", b"\xef\xbb\xbf" + written(table), ",", []),
        ("semi.csv", written(table, ";"), ";", ["--delimiter", ";"]),
        ("bar.csv", written(table, "|"), "|", ["--delimiter", "|"]),
        ("quoted.csv", written(table, quoting=csv.QUOTE_ALL), ",", []),
        ("tab.tsv", written(table, "\t"), "\t", []),
    ]
    if args[0] in ("reduce", "runs", "histogram"):  # the others keep fields as they are written
        forms.append(("comma.csv", written(commas, ";"), ";", ["--decimal", ","]))
    for name, content, delimiter, more in source.sample(forms, 3):
        run.write(name, content)
        got = run(*args, *more, name)
        if "--decimal" in more and "--by" in args and kinds[-1] == "decimal":
            continue  # keys are written as they stand
        expect((got[0], parsed(got[1], delimiter)), (status, parsed(out)), f"{name} {got[2]}")
    half = len(rows) // 2
    if half and "--positions" not in args:
        run.write("1.csv", written([names] + rows[:half]))
        run.write("2.csv", written([names] + rows[half:]))
        got = run(*args, "1.csv", "2.csv")
        expect(got[:2], (status, out), f"of two files {got[2]}")


# Python's arithmetic


def wrapped(total):
    return (total + 2**63) % 2**64 - 2**63


def right_table(source, run):
    names, kinds, rows = a_table(source)
    x, read = names[0], float if kinds[0] == "decimal" else int
    run.write("x.csv", written([names] + rows))
    values = [read(r[0]) for r in rows]
    where = ["-c", x, "--header", "x.csv"]
    got = run.text("reduce", "--op", "count,min,max", *where).splitlines()[1].split(",")
    expect([read(t) for t in got], [len(rows), min(values), max(values)], "count, min, max")
    if read is int:
        expect(int(run.text("reduce", *where)), wrapped(sum(values)), "sum")
    exact = run.text("reduce", "--op", "exact-sum", "--dtype", "f64", *where)
    right = sum(Fraction(float(v)) for v in values)
    expect(float(exact), float(right), "exact-sum in f64")
    for op in source.sample(["sum", "min", "max", "last", "mean", "product", "var"], 2):
        prefixes = run.text("scan", "--op", op, *where).splitlines()
        expect(len(prefixes), len(rows) + 1, "length of a scan")
        expect(prefixes[-1], run.text("reduce", "--op", op, *where).strip(), f"last of scan {op}")
    down = source.random() < 0.5
    ordered = parsed(run.text("sort", *(["--descending"] if down else []), *where))
    right = sorted(rows, key=lambda r: read(r[0]), reverse=down)
    expect(ordered, [names] + right, "sort")
    border = source.choice(rows)[0]
    chosen = [r for r in rows if read(r[0]) > read(border)]
    kept = parsed(run.text("select", "--where", f"`{x}` > {border}", "--header", "x.csv"))
    expect(kept, [names] + chosen, f"select > {border}")
    if kinds[-1] == "text" or read is int:
        right_groups(run, names, rows, kinds, read)


def right_groups(run, names, rows, kinds, read):
    totals = {}
    for r in rows:
        totals.setdefault(r[-1] if kinds[-1] == "text" else read_key(r[-1]), []).append(r[0])
    got = parsed(run.text("reduce", "--by", names[-1], "--op", "count", "--header", "x.csv"))[1:]
    keys = [k if kinds[-1] == "text" else read_key(k) for k, _ in got]
    expect(dict(zip(keys, (int(n) for _, n in got))), {k: len(v) for k, v in totals.items()}, "by")


def read_key(text):
    return Fraction(text)


def right_numbers(source, run):
    """Numbers as people write them, also missing ones, beside Python's reading of them."""
    texts, missing = [], source.random() < 0.5
    for _ in range(source.randint(1, 30)):
        turn = source.random()
        if missing and turn < 0.2:
            texts.append(source.choice(["", "NA", "n/a", "null", "NULL", "-"]))
        elif turn < 0.4:
            texts.append(
                source.choice(["0", "-0", "1e-320", "4.9e-324", "2.2250738585072011e-308"])
            )
        elif turn < 0.6:
            texts.append(f"{source.choice(['', '-', '+'])}{source.randint(0, 10**25)}")
        else:
            digits = "".join(source.choice("0123456789") for _ in range(source.randint(1, 40)))
            at = source.randint(0, len(digits))
            power = source.choice(
                ["", f"E{source.randint(-330, 280)}", f"e+{source.randint(0, 9)}"]
            )
            texts.append(f"{digits[:at]}.{digits[at:]}{power}")
    there = [float(t) for t in texts if t not in ("", "NA", "n/a", "null", "NULL", "-")]
    there = [v for v in there if math.isfinite(v)]
    run.write("x.csv", ("x,y\n" + "".join(f"{t},1\n" for t in texts)).encode())
    if not there or any(math.isinf(float(t)) for t in texts if t and t[-1].isdigit()):
        return
    skip = ["--skip-missing", "--missing=-"] if missing else []
    where = ["--dtype", "f64", "--header", *skip]
    ops = "min:x,max:x,exact-sum:x,count:x,count"
    got = run.text("reduce", "--op", ops, *where, "x.csv").splitlines()[1].split(",")
    total = sum(map(Fraction, there))
    right = [min(there), max(there), float(total), len(there), len(texts)]
    expect([float(g) for g in got], right, ops)
    if not missing:  # the shortest text of each number reads back as the same bits
        runs = run.text("runs", "-c", "x", *where, "x.csv").splitlines()[1:]
        read = [repr(float(line.split(",")[0])) for line in runs]
        expect(read, [k for k, _ in itertools.groupby(map(repr, there))], "runs")


def right_array(source, run):
    """Integers of .npy and raw files, along an axis and in all."""
    dtype = source.choice(["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"])
    shape = [source.randint(1, 7) for _ in range(source.randint(1, 3))]
    count, order = math.prod(shape), source.choice("<>")
    signed = dtype[0] == "i"
    values = [source.randint(-100 if signed else 0, 100) for _ in range(count)]
    fortran = source.random() < 0.5
    run.write("x.npy", support.npy(dtype, values, shape, fortran, order))
    run.write("x.raw", support.raw(dtype, values, order))
    expect(int(run.text("reduce", "x.npy")), sum(values), "sum of .npy")
    endian = ["--dtype", dtype, "--endian", "little" if order == "<" else "big"]
    got = run.text("scan", "--to", "text", *endian, "x.raw").split()
    expect(list(map(int, got)), [sum(values[: i + 1]) for i in range(count)], "scan of raw")
    skipped = source.randint(0, count)
    size = len(support.raw(dtype, [0]))
    got = run.text("reduce", *endian, "--offset", str(size * skipped), "x.raw")
    expect(int(got), sum(values[skipped:]), "--offset")
    axis = source.randrange(len(shape))
    sums = {}
    for i, v in enumerate(values):
        at, index = i, [0] * len(shape)
        for k in range(len(shape)) if fortran else reversed(range(len(shape))):
            at, index[k] = divmod(at, shape[k])
        del index[axis]
        sums[tuple(index)] = sums.get(tuple(index), 0) + v
    got = run.text("reduce", "--axis", str(axis), "--to", "text", "x.npy").split()
    expect(list(map(int, got)), [sums[k] for k in sorted(sums)], f"--axis {axis}")


# Random bytes and options


def mutated(source, content):
    content = bytearray(content)
    for _ in range(source.randint(0, 4)):
        at, turn = source.randint(0, len(content)), source.random()
        if turn < 0.4:
            content[at:at] = source.choice(ODD)
        elif turn < 0.6 and content:
            content[at % len(content)] = source.randrange(256)
        elif turn < 0.75:
            del content[at : at + source.randint(1, 9)]
        elif turn < 0.85:
            del content[at:]
        else:
            content[at:at] = content[: source.randint(0, 200)] * source.choice([1, 2, 40])
    return bytes(content)


def damaged(source, content):
    """In another encoding, or compressed, with or without an error."""
    turn = source.random()
    if turn < 0.1:
        return content.decode("latin-1").encode(source.choice(["utf-16", "utf-32-le"]))
    if turn < 0.25:
        packed = bytearray(gzip.compress(content))
        if source.random() < 0.6:
            packed[source.randrange(len(packed))] ^= 1 << source.randrange(8)
        return bytes(packed[: source.choice([len(packed), source.randint(0, len(packed))])])
    return content


def survives(source, run):
    command = source.choice(option_pairs.commands())
    options = option_pairs.options_of(command)
    some = source.sample(options, min(len(options), source.choice([0, 1, 1, 2, 3, 5])))
    line = [command] + option_pairs.needs(command, some)
    for option in some:
        line += option_pairs.written(option, source.choice(option_pairs.values_of(option)))
    name, content = source.choice(SEEDS)
    name = source.choice([name, name, "plain.txt", "y.tsv", "z.npy", "w.raw", "v.gz"])
    run.write(name, damaged(source, mutated(source, content)))
    files = [] if command in option_pairs.WITHOUT_FILES else [name]
    before = set(os.listdir(run.folder))
    status, _, errors = run(*line, *files)
    wrong = option_pairs.wrong_end(line, status, errors, name)
    if wrong:
        raise finding(wrong)
    left = set(os.listdir(run.folder)) - before
    if status not in (0, 1, 6) and left:
        raise finding(f"status {status} leaves {left}")


def same_bytes(source, run):
    name, content = source.choice([s for s in SEEDS if s[0].endswith((".csv", ".txt", ".tsv"))])
    form = {"csv": "csv", "txt": "text", "tsv": "tsv"}[name.split(".")[-1]]
    run.write("x", mutated(source, content))
    column = source.choice(["1", "2", "all", "x"])
    args = source.choice(
        [
            ["reduce", "-c", column, "--op", "sum,min,max,count"],
            ["reduce", "-c", column, "--op", "mean,first", "--skip-missing"],
            ["reduce", "--op", "count"],
            ["reduce", "--by", column, "--op", "count"],
            ["scan", "-c", column, "--keep", "all"],
            ["sort", "-c", column],
            ["unique", "-c", column, "--counts"],
            ["select", "--where", f"${source.choice('12')} > 1"],
            ["histogram", "-c", column, "--counts-only", "--range=-5,5"],
        ]
    ) + ["--from", form]
    status, out, errors = run(*args, "x")
    if source.random() < 0.3:
        args += ["--threads", source.choice(["1", "3"])]
    run.write("x.gz", gzip.compress((run.folder / "x").read_bytes()))
    for got in (run(*args, stdin="x"), run(*args, "x.gz"), run(*args, stdin="x.gz")):
        late = "decimal" in got[2]  # documented: the type of a stream can be fixed already
        if not late and (got[0] != status or status == 0 and got[1] != out):
            raise finding(f"differs from the file ({status}: {errors.strip()}): {got}"[:500])


def right_expressions(source, run):
    text, rows = expressions_model.table(source)
    run.write("x.csv", text.encode())
    good = []
    while len(good) < 40:
        written, kind, function = expressions_model.expression(source)
        try:
            good.append((written, kind, [function(row) for row in rows]))
        except (expressions_model.Refused, OverflowError):
            pass
    adds = [word for n, (e, _, _) in enumerate(good) for word in ("--add", f"e{n}={e}")]
    got = parsed(run.text("select", "--skip-missing", *adds, "x.csv"))[1:]
    for n, (written, kind, values) in enumerate(good):
        for row, value in zip(got, values, strict=True):
            if not expressions_model.agrees(kind, row[n - len(good)], value):
                raise finding(f"{written}: {row[n - len(good)]}, not {value!r}")


CHECKS = {
    check.__name__: check
    for check in (
        survives,
        same_bytes,
        same_forms,
        right_table,
        right_numbers,
        right_array,
        right_expressions,
    )
}
