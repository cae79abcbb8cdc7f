#!/usr/bin/env python3
"""Times functions of upsweep.torch on a CPU, beside PyTorch's.

    bench/torch_cpu.py [--only small|arrays] [--device cpu|cuda] [--json FILE] [--revision REVISION]

Microseconds, medians over rounds in which all functions take turns: of small calls without a
gradient on one thread, and of arrays on all threads, forward, and forward and backward. With
--device cuda, the host's time for small calls, which are over when their kernels are in the stream.
PyTorch's threads do not spin between calls (OMP_WAIT_POLICY=passive, unless it is set). --json
stores the times of one part, as in bench/results/torch/.
"""

import argparse
import datetime
import itertools
import json
import os
import platform
import statistics
import time

os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import torch

import upsweep
import upsweep.torch as ut

ROUNDS, CALLS = 15, 200
ALONG = "cumsum cumprod cummax logcumsumexp sum mean var logsumexp softmax log_softmax"


def small_calls(device):
    """Functions of upsweep.torch and of PyTorch without arguments, by name."""
    random = lambda *shape: torch.rand(shape, device=device)
    a, b, x, w = random(1, 2048), random(1, 2048), random(4, 64), random(64)
    state = ut.linear_recurrence(random(1, 300, 2048), random(1, 300, 2048), return_state=True)[1]
    many = random(1, 64, 16)
    offsets, index = (torch.tensor(k, device=device) for k in ([0, 1, 4], [0, 1, 1, 0]))
    rows = {
        "linear_recurrence_step": (
            a,
            lambda: ut.linear_recurrence_step(state, a, b),
            lambda: torch.addcmul(b, a, state.value),
        ),
        "linear_recurrence": (many, lambda: ut.linear_recurrence(many, many), None),
        "segment_sum": (
            x,
            lambda: ut.segment_sum(x, offsets),
            lambda: torch.segment_reduce(x, "sum", offsets=offsets),
        ),
        "index_add": (
            x,
            lambda: ut.index_add(x, index, x),
            lambda: torch.index_add(x, 0, index, x),
        ),
        "rms_norm": (x, lambda: ut.rms_norm(x, w), lambda: torch.rms_norm(x, (64,), w, 1e-6)),
        "exp": (x, lambda: ut.exp(x), lambda: torch.exp(x)),
    }
    for name in ALONG.split():
        ours, theirs = getattr(ut, name), getattr(torch, name)
        rows[name] = x, lambda f=ours: f(x, 1), lambda f=theirs: f(x, 1)
    return rows


def of_arrays(x):
    """Functions of an array, by name."""
    w, index = torch.rand(x.shape[1:], dtype=x.dtype), torch.randint(0, 100, x.shape[:1])
    offsets, sums = torch.arange(0, len(x) + 1, 8), torch.zeros(100, x.shape[1], dtype=x.dtype)
    values = lambda y: y if isinstance(y, torch.Tensor) else y[0]
    rows = {}
    for name in ALONG.split():
        ours, theirs = getattr(ut, name), getattr(torch, name)
        rows[name] = (lambda x, f=ours: values(f(x, 1)), lambda x, f=theirs: values(f(x, 1)))
    rows["rms_norm"] = (
        lambda x: ut.rms_norm(x, w),
        lambda x: torch.rms_norm(x, tuple(w.shape), w, 1e-6),
    )
    rows["exp"] = ut.exp, torch.exp
    rows["segment_sum"] = lambda x: ut.segment_sum(x, offsets), None
    rows["index_add"] = (
        lambda x: ut.index_add(sums, index, x),
        lambda x: torch.index_add(sums, 0, index, x),
    )
    return rows


def with_gradient(f, x):
    """Calls f and computes the gradient."""
    x = x.clone().requires_grad_()
    grad = torch.ones_like(f(x))
    return lambda: torch.autograd.grad(f(x), x, grad)


def medians_of(calls, number, device):
    """The medians of microseconds of each call."""
    taken = {call: [] for call in calls}
    for _ in range(ROUNDS + 1):
        for call in calls:
            taken[call].append(microseconds(call, number, device))
    return {call: round(statistics.median(times[1:]), 2) for call, times in taken.items()}


def rows_of_small_calls(device):
    torch.set_num_threads(1)  # a team of threads takes longer than these calls
    rows = small_calls(device)
    medians = medians_of([f for _, *both in rows.values() for f in both if f], CALLS, device)
    return [
        {
            "function": name,
            "shape": list(x.shape),
            "type": "float32",
            "microseconds": {"upsweep": medians[ours], "torch": medians.get(theirs)},
        }
        for name, (x, ours, theirs) in rows.items()
    ]


def of_sequences(b):
    """The same of sequences [batch, tokens, channels]."""
    a = torch.rand(b.shape).to(b.dtype)
    return {"linear_recurrence": (lambda b: ut.linear_recurrence(a, b), None)}


def rows_of_arrays():
    found = []
    shapes = (512, 4096), (1, 1 << 20, 1), (1, 1 << 16, 32), (64, 4096, 8)
    for dtype, shape in itertools.product((torch.float32, torch.bfloat16), shapes):
        x = torch.randn(shape).to(dtype)
        functions = of_arrays(x) if x.ndim == 2 else of_sequences(x)
        for name, both in functions.items():
            calls = [f and (lambda f=f: f(x)) for f in both]
            calls += [f and with_gradient(f, x) for f in both]
            medians = medians_of([call for call in calls if call], 2, "cpu")
            keys = "forward", "torch", "both", "torch_both"
            found.append({
                "function": name,
                "shape": list(x.shape),
                "type": str(dtype).removeprefix("torch."),
                "microseconds": {key: medians.get(call) for key, call in zip(keys, calls)},
            })  # fmt: skip
    return found


def microseconds(call, number, device):
    """Those of a call, of many one after another."""
    begin = time.perf_counter()
    for _ in range(number):
        call()
    taken = (time.perf_counter() - begin) / number * 1e6
    if device == "cuda":
        torch.cuda.synchronize()
    return taken


def processor():
    """The name of the CPU, or of its architecture."""
    try:
        with open("/proc/cpuinfo") as f:
            return next(line for line in f if "model name" in line).partition(": ")[2].strip()
    except (OSError, StopIteration):
        return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=("small", "arrays"), help="one of the parts")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--json", metavar="FILE", help="store the times of a part there")
    parser.add_argument("--revision", default="", help="of Upsweep, to be stored with the times")
    options = parser.parse_args()
    if options.json and not options.only:
        parser.error("--json needs --only")
    parts = {
        "arrays": rows_of_arrays,
        "small": lambda: rows_of_small_calls(options.device),
    }
    for part, rows_of in parts.items():
        if options.only not in (None, part):
            continue
        found = rows_of()
        for row in found:
            times = (f"{k} {v:.1f}" for k, v in row["microseconds"].items() if v is not None)
            print(f"{row['function']:23} {str(row['shape']):12} {row['type']:9} {', '.join(times)}")
        if options.json:
            store(found, part, options)


def store(rows, part, options):
    about = {
        "format": 1,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": f"bench/torch_cpu.py --only {part} --device {options.device} --json FILE",
        "cpu": processor(),
        "threads": torch.get_num_threads(),
        "device": options.device,
        "torch": torch.__version__,
        "upsweep": upsweep.__version__,
        "rounds": ROUNDS,
        "revision": options.revision,
        "rows": rows,
    }
    with open(options.json, "w") as f:
        json.dump(about, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
