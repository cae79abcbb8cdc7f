#!/usr/bin/env python3
"""Times what the host does for small calls of upsweep.torch, beside PyTorch's functions.

    bench/torch_host.py [--device cpu|cuda] [--json FILE] [--revision REVISION]

Microseconds of a call without a gradient, medians over rounds in which all functions take turns. On
a GPU a call is over when its kernels are in the stream. --json stores the times, as in
bench/results/torch/.
"""

import argparse
import datetime
import json
import platform
import statistics
import time

import torch

import upsweep
import upsweep.torch as ut

ROUNDS, CALLS = 15, 200


def functions(device):
    """Functions of upsweep.torch and of PyTorch without arguments, by name and shape."""
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
    along = "cumsum cumprod cummax logcumsumexp sum mean var logsumexp softmax log_softmax"
    for name in along.split():
        ours, theirs = getattr(ut, name), getattr(torch, name)
        rows[name] = x, lambda f=ours: f(x, 1), lambda f=theirs: f(x, 1)
    return rows


def microseconds(call, device):
    """Those of a call, of many one after another."""
    begin = time.perf_counter()
    for _ in range(CALLS):
        call()
    taken = (time.perf_counter() - begin) / CALLS * 1e6
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
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--json", metavar="FILE", help="store the times there")
    parser.add_argument("--revision", default="", help="of Upsweep, to be stored with the times")
    options = parser.parse_args()
    torch.set_num_threads(1)  # a team of threads takes longer than these calls
    rows = functions(options.device)
    calls = [call for _, *both in rows.values() for call in both if call]
    taken = {call: [] for call in calls}
    for _ in range(ROUNDS + 1):
        for call in calls:
            taken[call].append(microseconds(call, options.device))
    medians = {call: statistics.median(all_times[1:]) for call, all_times in taken.items()}
    print(f"{'function':23} {'shape':14} {'upsweep':>8} {'PyTorch':>8}")
    found = []
    for name, (x, *both) in rows.items():
        ours, theirs = (round(medians[call], 2) if call else None for call in both)
        found.append({
            "function": name, "shape": list(x.shape), "type": "float32",
            "microseconds": {"upsweep": ours, "torch": theirs},
        })  # fmt: skip
        print(f"{name:23} {str(list(x.shape)):14} {ours:8.1f} {theirs or float('nan'):8.1f}")
    about = {
        "format": 1,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": f"bench/torch_host.py --device {options.device} --json FILE",
        "cpu": processor(),
        "device": options.device,
        "torch": torch.__version__,
        "upsweep": upsweep.__version__,
        "rounds": ROUNDS,
        "revision": options.revision,
        "rows": found,
    }
    if options.json:
        with open(options.json, "w") as f:
            json.dump(about, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
