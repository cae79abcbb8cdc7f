#!/usr/bin/env python3
"""Writes the tables of times in docs/torch.md from the newest runs in bench/results/torch/, which
bench/torch_cuda.py and bench/torch_cpu.py stored with --json.

    tools/torch_tables.py            write them
    tools/torch_tables.py --check    change nothing; exit status 1 if a table is out of date

All times are microseconds, medians over the rounds of one run.
"""

import json
import sys

from page_writer import DOCS, RESULTS, arguments, filled, finish, table

PAGE = DOCS / "torch.md"


def newest(part):
    """The rows of the newest file of a part of the benchmark, and a link to it."""
    path = max((RESULTS / "torch").glob(f"*-{part}.json"))
    about = json.loads(path.read_text(encoding="utf-8"))
    machine = about.get("cpu") or about["gpu"].removeprefix("NVIDIA ")
    driver = f"driver {about['driver']}, CUDA {about['cuda']}, " if "gpu" in about else ""
    link = (
        f"{machine}, PyTorch {about['torch'].partition('+')[0]}, {driver}{about['date'][:10]}, at "
        f"{about['revision']}; medians of {about['rounds']} rounds in turns "
        f"([times](../{path.relative_to(DOCS.parent)}))."
    )
    return about["rows"], link


def time(us):
    return "" if us is None else f"{us:.1f}" if us < 100 else f"{us:.0f}"


def shape(row):
    return str(row["shape"])


def label(name):
    """The function's name as code, before what else is said of it."""
    function, _, more = name.replace(" with ", ", with ").partition(", ")
    return f"`{function}`" + (f", {more}" if more else "")


def recurrences():
    rows, link = newest("recurrences")
    found = []
    for row in (r for r in rows if r["function"] == "linear_recurrence"):
        us = row["microseconds"]
        copy, forward, backward = us["copy"], us["forward"], us["backward"]
        found.append([
            shape(row), row["type"], time(copy), time(forward), f"{copy / forward:.2f}",
            time(backward), f"{5 / 3 * copy / backward:.2f}",
        ])  # fmt: skip
    head = ["shape", "type", "copy", "forward", "share", "backward", "share"]
    return f"{table(head, found, 2)}\n\n{link}"


def steps():
    rows, link = newest("steps")
    found = []
    for row in rows:
        us = row["microseconds"]
        in_graph, plain = us["in_a_graph"], us["addcmul_in_a_graph"]
        found.append([
            shape(row), time(us["forward"]), time(us["addcmul"]),
            f"{us['forward'] / us['addcmul']:.2f}", time(in_graph), time(plain),
            f"{in_graph / plain:.2f}", time(us["host"]), time(us["addcmul_host"]),
        ])  # fmt: skip
    head = ["shape", "step", "`addcmul`", "ratio", "in a graph", "`addcmul`", "ratio", "host",
            "`addcmul`"]  # fmt: skip
    return f"{table(head, found)}\n\n{link}"


def is_few_long(row):
    return row["function"].startswith(("cumsum", "cumprod", "cummax")) and row["shape"][0] < 32


def functions():
    rows, link = newest("functions")
    found = []
    for row in (r for r in rows if not is_few_long(r)):
        us = row["microseconds"]
        found.append([
            label(row["function"]), shape(row), row["type"], time(us["reading"]),
            time(us["forward"]), f"{us['reading'] / us['forward']:.2f}", time(us["torch"]),
            time(us["backward"]), time(us["torch_backward"]),
        ])  # fmt: skip
    head = ["function", "shape", "type", "reading", "forward", "share", "PyTorch", "backward",
            "PyTorch"]  # fmt: skip
    return f"{table(head, found, 3)}\n\n{link}"


def few_long():
    rows, _ = newest("functions")
    names = ["cumsum", "cumsum, reverse", "cumprod", "cumprod, reverse", "cummax"]
    by_shape = {}
    for row in filter(is_few_long, rows):
        us = row["microseconds"]
        cell = f"{time(us['forward'])} ({time(us['torch'])})"
        by_shape.setdefault(shape(row), {})[row["function"]] = cell
    head = ["shape", *map(label, names)]
    return table(head, [[s, *(of[name] for name in names)] for s, of in by_shape.items()])


def peers():
    rows, link = newest("peers")
    keys = ["forward", "fused", "chunk", "backward", "fused_backward", "chunk_backward"]
    found = [
        [shape(row), row["type"], *(time(row["microseconds"][key]) for key in keys)] for row in rows
    ]
    head = ["shape", "type", "forward", "step by step", "by chunks", "backward", "step by step",
            "by chunks"]  # fmt: skip
    return f"{table(head, found, 2)}\n\n{link}"


def selective_scans():
    rows, link = newest("selective-scan")
    keys = ["forward", "mamba forward", "both", "mamba both"]
    found = [
        [shape(row), row["type"], *(time(row["microseconds"][key]) for key in keys)] for row in rows
    ]
    head = ["shape", "type", "forward", "mamba_ssm", "with the gradients", "mamba_ssm"]
    return f"{table(head, found, 2)}\n\n{link}"


def on_cpu(part, keys, head):
    rows, link = newest(part)
    found = [
        [label(row["function"]), shape(row), row["type"]]
        + [time(row["microseconds"][key]) for key in keys]
        for row in rows
    ]
    return f"{table(['function', 'shape', 'type', *head], found, 3)}\n\n{link}"


def small_calls():
    return on_cpu("small", ["upsweep", "torch"], ["microseconds", "PyTorch"])


def arrays():
    keys = ["forward", "torch", "both", "torch_both"]
    return on_cpu("arrays", keys, ["forward", "PyTorch", "with the gradient", "PyTorch"])


TABLES = {
    "recurrences": recurrences,
    "steps": steps,
    "functions": functions,
    "few long lines": few_long,
    "peers": peers,
    "selective scans": selective_scans,
    "small calls": small_calls,
    "arrays": arrays,
}


def main():
    options = arguments(__doc__).parse_args()
    page = PAGE.read_text(encoding="utf-8")
    for name, made in TABLES.items():
        page = filled(page, f"times of {name}", made())
    return finish({PAGE: page}, options.check, "tools/torch_tables.py")


if __name__ == "__main__":
    sys.exit(main())
