#!/usr/bin/env python3
"""Writes the tables of docs/determinism.md, what reproducible results cost, from the measurements
that are kept. --check only compares.
"""

import sys

import results
from page_writer import DOCS, GENERATED, RESULTS, arguments, cells, filled, finish, power, table
from performance_goals import Report, median

PAGE = DOCS / "determinism.md"
SIZES = (2**10, 2**16, 2**20, 2**24, 2**28)
GPU_SIZES = (2**10, 2**20, 2**28, 2**30)
GPU_HEAD = ("Upsweep", "× CUB", "× newer CCCL")
VERBS = {"reduce": "reduce", "inclusive_scan": "inclusive scan"}
LIBRARIES = {
    "std": "`std::`, `par_unseq`",
    "tbb": "oneTBB",
    "openmp": "OpenMP",
    "numpy": "NumPy, 1 thread",
}
IN_PYTORCH = {"sum float32": "reduce", "cumulative_sum float32": "inclusive scan"}


def sums(data):
    """(verb, size) -> timings by name, of sums of float that are not in place."""
    for cell in Report(data).all_cells():
        if not cell["in_place"] and cell["op"] == "sum" and cell["type"] == "f32":
            yield (cell["verb"], cell["n"]), cell["all"]


def ratio(timed, one, other):
    pairs = zip(timed[one], timed[other], strict=True)
    return f"{median([a / b for a, b in pairs]):.2f}"


def cost():
    """The time of mode fast over that of the default, by machine."""
    for _, path in results.runs(RESULTS):
        data = results.load(path)
        timed = dict(sums(data))
        if not all((verb, n) in timed for verb in VERBS for n in SIZES):
            continue
        for verb, name in VERBS.items():
            ratios = [ratio(timed[verb, n], "upsweep-fast", "upsweep") for n in SIZES]
            machine = data["machine"]["cpu"].replace("(R)", "")
            yield [f"{machine}, {data['threads']} threads", name, *ratios]


def libraries():
    """The times of libraries without the promise over Upsweep's, by machine, in memory."""
    for _, path in results.runs(RESULTS):
        data = results.load(path)
        timed, sizes = dict(sums(data)), SIZES[-2:]
        if not all((verb, n) in timed for verb in VERBS for n in sizes):
            continue
        machine = f"{data['machine']['cpu'].replace('(R)', '')}, {data['threads']} threads"
        for peer, title in LIBRARIES.items():
            for verb, name in VERBS.items():
                row = [ratio(timed[verb, n], peer, "upsweep") for n in sizes]
                yield [title, name, machine, *row]
    page = (DOCS / "python.md").read_text().partition("<!-- bench/python_cuda.py -->")[2]
    rows = [cells(line) for line in page.splitlines()]
    for call, name in IN_PYTORCH.items():
        found = {row[1]: row[3] for row in rows if row[:1] == [call]}
        ratios = [found.get(power(n), "–") for n in SIZES[-2:]]
        yield ["PyTorch, default mode", name, "NVIDIA H200", *ratios]


def on_gpu():
    """The rows of sums of float of the page of performance, of CUB's columns."""
    page = (GENERATED / "performance.md").read_text()
    page = page.partition("\n## NVIDIA H200\n")[2]
    for title, name in (("Reduce, f32", "reduce"), ("Inclusive scan, f32", "inclusive scan")):
        lines = page.partition(f"\n### {title}\n")[2].partition("\n### ")[0].splitlines()
        head, _, *rows = (cells(line) for line in lines if line[:2] == "| ")
        for row in rows:
            timed = dict(zip(head, row, strict=True))
            if timed["n"] in map(power, GPU_SIZES):
                yield [name, timed["n"], *(timed[column] for column in GPU_HEAD)]


def main():
    page = PAGE.read_text()
    head = ["machine", "verb", *(power(n) for n in SIZES)]
    new = filled(page, "cost", table(head, list(cost()), 2))
    head = ["verb", "n", "Upsweep, µs", "CUB 3.0 / Upsweep", "CUB of CCCL 3.5 / Upsweep"]
    new = filled(new, "gpu", table(head, list(on_gpu())))
    head = ["library", "verb", "machine", *(power(n) for n in SIZES[-2:])]
    new = filled(new, "libraries", table(head, list(libraries()), 3))
    return finish({PAGE: new}, arguments(__doc__).parse_args().check, "tools/determinism_cost.py")


if __name__ == "__main__":
    sys.exit(main())
