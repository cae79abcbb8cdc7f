#!/usr/bin/env python3
"""The Python package on a GPU, beside PyTorch, CuPy and a copy, in one run, as a Markdown table.

    bench/python_cuda.py [--write docs/python.md]

Run it with a Python that has upsweep, upsweep-cuda13, PyTorch and, if it is to have its column,
CuPy. Times are medians of alternating batches of calls in one stream, by events, so they contain
what the host takes between calls. A copy reads and writes the elements once.
"""

import argparse
import re
import statistics
import subprocess
import time
from pathlib import Path

import torch
import upsweep

try:
    import cupy
except ImportError:
    cupy = None

CASES = [(n, torch.float32) for n in (1 << 16, 1 << 24, 1 << 28)]
CASES += [(1 << 24, torch.float64), (1 << 24, torch.int64)]


def batch(call, calls):
    """Seconds of a call, of `calls` in a row."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(calls):
        call()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1000 / calls


def medians(calls, seconds=0.6):
    """The median times of several calls, run in turn."""
    for call in calls:
        call()
    torch.cuda.synchronize()
    count = max(3, min(50, int(0.02 / max(batch(call, 3) for call in calls))))
    times = [[] for _ in calls]
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or len(times[0]) < 5:
        for mine, call in zip(times, calls):
            mine.append(batch(call, count))
    return [statistics.median(mine) for mine in times]


def numbers(n, dtype):
    if dtype.is_floating_point:
        return torch.randn(n, device="cuda", dtype=dtype)
    return torch.randint(-1000, 1000, (n,), device="cuda", dtype=dtype)


def rows(n, dtype):
    """Name, ours, PyTorch's, CuPy's or None, and what a copy of as many bytes is."""
    x = numbers(n, dtype)
    y = torch.empty_like(x)
    theirs = cupy.from_dlpack(x) if cupy else None
    copy = lambda: y.copy_(x)  # noqa: E731
    cupy_call = lambda name: (lambda: getattr(cupy, name)(theirs)) if cupy else None  # noqa: E731
    yield "sum", lambda: upsweep.sum(x), lambda: torch.sum(x), cupy_call("sum"), copy
    yield (
        "cumulative_sum",
        lambda: upsweep.cumulative_sum(x),
        lambda: torch.cumsum(x, 0),
        cupy_call("cumsum"),
        copy,
    )
    yield (
        "cumulative_sum, out=",
        lambda: upsweep.cumulative_sum(x, out=y),
        lambda: torch.cumsum(x, 0, out=y),
        None,
        copy,
    )
    yield "cummax", lambda: upsweep.cummax(x), lambda: torch.cummax(x, 0), None, copy
    if n >= 1 << 24:
        table, to = x.reshape(-1, 1024), y.reshape(-1, 1024)
        for axis in (0, 1):
            yield (
                f"cumulative_sum, axis {axis} of 1024 columns",
                lambda axis=axis: upsweep.cumulative_sum(table, axis=axis, out=to),
                lambda axis=axis: torch.cumsum(table, axis, out=to),
                None,
                copy,
            )
    if n <= 1 << 24:
        flags = x > 0
        yield "sort", lambda: upsweep.sort(x), lambda: torch.sort(x), cupy_call("sort"), copy
        yield (
            "select",
            lambda: upsweep.select(x, flags),
            lambda: torch.masked_select(x, flags),
            None,
            copy,
        )


def host_seconds(call, calls=2000):
    """Seconds of the host for a call, without waiting for the GPU."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    seconds = time.perf_counter() - start
    torch.cuda.synchronize()
    return seconds / calls


def driver():
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    return subprocess.check_output(query, text=True).split()[0]


def tables():
    yield (
        f"{torch.cuda.get_device_name()}, driver {driver()}, PyTorch {torch.__version__}"
        + (f", CuPy {cupy.__version__}" if cupy else "")
        + f", upsweep {upsweep.__version__}.\n"
        "Microseconds per call of Upsweep; for the others, their time / Upsweep's time:"
    )
    yield ""
    yield "| call | elements | upsweep | PyTorch | CuPy | copy |"
    yield "|---|---|---|---|---|---|"
    for n, dtype in CASES:
        for name, ours, torchs, cupys, copy in rows(n, dtype):
            calls = [call for call in (ours, torchs, copy, cupys) if call]
            mine, *others = medians(calls)
            ratios = [f"{other / mine:.2f}" for other in others] + ["–"] * (4 - len(calls))
            kind = str(dtype).removeprefix("torch.")
            cells = f"{mine * 1e6:.1f} | {ratios[0]} | {ratios[2]} | {ratios[1]}"
            yield f"| {name} {kind} | 2^{n.bit_length() - 1} | {cells} |"
    yield ""
    x = numbers(1000, torch.float32)
    shares = {
        "upsweep.sum": lambda: upsweep.sum(x),
        "torch.sum": lambda: torch.sum(x),
        "upsweep.cumulative_sum": lambda: upsweep.cumulative_sum(x),
        "torch.cumsum": lambda: torch.cumsum(x, 0),
    }
    host = ", ".join(f"{name} {host_seconds(call) * 1e6:.1f}" for name, call in shares.items())
    yield f"Host time of a call of 1000 elements, in microseconds:\n{host}."


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", metavar="FILE", help="replace the table in this page")
    arguments = parser.parse_args()
    lines = []
    for line in tables():
        lines.append(line)
        print(line, flush=True)
    if arguments.write:
        page = Path(arguments.write)
        mark = "<!-- bench/python_cuda.py -->"
        body = mark + "\n" + "\n".join(lines) + "\n<!-- end -->"
        page.write_text(
            re.sub(rf"{mark}\n.*?<!-- end -->", lambda _: body, page.read_text(), flags=re.S)
        )


if __name__ == "__main__":
    main()
