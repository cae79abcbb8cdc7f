#!/usr/bin/env python3
"""Times upsweep.torch on a GPU beside copies of as many bytes and PyTorch's functions, in one run.

    bench/torch_cuda.py [--json FILE] [--only recurrences|functions|peers]

Times are medians over rounds in which all take turns, from events of the stream. `share of a copy`
is the time of torch.add(a, b, out=h), which moves the same bytes, divided by the time. The backward
pass moves 5/3 as many. Functions of rows are shown beside PyTorch's, and beside torch.sum of all
elements, which only reads. The peers are mamba_ssm's selective scan and HGRN's recurrences of
flash-linear-attention (`fla`), where these are installed. --json stores the microseconds, as in
bench/results/torch/.
"""

import argparse
import datetime
import json
import statistics
import subprocess
import sys
import time

import torch

import upsweep
import upsweep.torch as ut


ROWS = []


def keep(what, shape, dtype, **microseconds):
    ROWS.append({
        "function": what, "shape": list(shape), "type": str(dtype).removeprefix("torch."),
        "microseconds": {k: round(x, 2) for k, x in microseconds.items()},
    })  # fmt: skip


def times(calls, rounds=15):
    """Microseconds of each call, in turns."""
    for call in calls:
        for _ in range(3):
            call()
    events = lambda: [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    taken = [[] for _ in calls]
    for _ in range(rounds):
        for call, all_times in zip(calls, taken):
            begin, end = events()
            torch.cuda._sleep(10_000_000)  # 5 ms: the host is ahead, also of a backward pass
            begin.record()
            call()
            end.record()
            end.synchronize()
            all_times.append(1000 * begin.elapsed_time(end))
    return [statistics.median(x) for x in taken]


def of_recurrence(shape, dtype):
    a = torch.rand(shape, device="cuda").to(dtype)
    b = torch.randn(shape, device="cuda").to(dtype)
    h = torch.empty_like(b)
    needs = a.clone().requires_grad_(), b.clone().requires_grad_()
    result = ut.linear_recurrence(*needs)
    ours, copy, cumsum, back = times([
        lambda: ut.linear_recurrence(a, b),
        lambda: torch.add(a, b, out=h),
        lambda: torch.cumsum(b, 1, out=h),
        lambda: torch.autograd.grad(result, needs, b, retain_graph=True),
    ])  # fmt: skip
    bytes_moved = 3 * a.numel() * a.element_size()
    keep("linear_recurrence", shape, dtype, forward=ours, backward=back, copy=copy, cumsum=cumsum)
    print(
        f"{str(list(shape)):20} {str(dtype)[6:]:9} {ours:9.1f} {copy:9.1f} {copy / ours:6.3f} "
        f"{bytes_moved / ours / 1e6:6.2f} {cumsum:9.1f} {back:9.1f} {5 / 3 * copy / back:6.3f}",
        flush=True,
    )


def of_cumsum(shape, dim):
    x = torch.randn(shape, device="cuda")
    out = torch.empty_like(x)
    ours, copy, default = times([
        lambda: ut.cumsum(x, dim),
        lambda: out.copy_(x),
        lambda: torch.cumsum(x, dim, out=out),
    ])  # fmt: skip
    torch.use_deterministic_algorithms(True)
    (deterministic,) = times([lambda: torch.cumsum(x, dim, out=out)])
    torch.use_deterministic_algorithms(False)
    peers = {"copy": copy, "torch": default, "torch_deterministic": deterministic}
    keep(f"cumsum along {dim}", shape, x.dtype, forward=ours, **peers)
    print(
        f"{str(list(shape)):20} dim {dim:2} {ours:11.1f} {copy:9.1f} {copy / ours:6.3f} "
        f"{default:9.1f} {deterministic:9.1f}",
        flush=True,
    )


def of_step(batch, channels):
    a, b = (torch.rand(batch, channels, device="cuda") for _ in "ab")
    wide = torch.rand(batch, 300, channels, device="cuda")
    state = ut.linear_recurrence(wide, wide, return_state=True)[1]
    h = torch.zeros_like(b)
    calls = lambda: ut.linear_recurrence_step(state, a, b), lambda: torch.addcmul(b, a, h)
    ours, plain = times(calls)
    of_host, graphs = [], []
    for call in calls:
        begin = time.perf_counter()
        for _ in range(200):
            call()
        of_host.append((time.perf_counter() - begin) / 200 * 1e6)
        torch.cuda.synchronize()
        graphs.append(torch.cuda.CUDAGraph())
        with torch.cuda.graph(graphs[-1]):
            for _ in range(20):
                call()
    in_graph, plain_in_graph = (x / 20 for x in times([graph.replay for graph in graphs]))
    keep("step", (batch, channels), a.dtype, forward=ours, addcmul=plain, in_a_graph=in_graph,
         addcmul_in_a_graph=plain_in_graph, host=of_host[0], addcmul_host=of_host[1])  # fmt: skip
    print(
        f"step [{batch}, {channels}]: {ours:.1f} us, torch.addcmul {plain:.1f}; "
        f"in a graph of 20 {in_graph:.1f}, {plain_in_graph:.1f}; "
        f"the host {of_host[0]:.1f}, {of_host[1]:.1f}",
        flush=True,
    )


def of_function(name, ours, theirs, shape, dtype=torch.float32, others=()):
    x = torch.randn(shape, device="cuda").to(dtype)
    needs = x.clone().requires_grad_(), *others
    y, peer = (f(needs[0]) for f in (ours, theirs))
    seed = torch.randn_like(y)
    forward, plain, reading, back, plain_back = times([
        lambda: ours(x),
        lambda: theirs(x),
        lambda: torch.sum(x),
        lambda: torch.autograd.grad(y, needs, seed, retain_graph=True),
        lambda: torch.autograd.grad(peer, needs, seed, retain_graph=True),
    ])  # fmt: skip
    keep(name, shape, dtype, forward=forward, torch=plain, reading=reading, backward=back,
         torch_backward=plain_back)  # fmt: skip
    print(
        f"{name:13} {str(list(shape)):15} {str(dtype)[6:]:9} {forward:9.1f} {reading:9.1f} "
        f"{reading / forward:6.3f} {plain:9.1f} {back:9.1f} {plain_back:9.1f}",
        flush=True,
    )


def functions():
    print("microseconds; reading is torch.sum(x); torch's functions and their backward passes")
    print(f"{'function':13} {'shape':15} {'type':9} {'forward':>9} {'reading':>9} {'share':>6} "
          f"{'torch':>9} {'backward':>9} {'torch':>9}")  # fmt: skip
    vocabulary = (1, 152064), (32, 152064), (256, 152064)
    for shape in vocabulary:
        of_function("logsumexp", lambda x: ut.logsumexp(x, 1), lambda x: x.logsumexp(1), shape)
        of_function("sum", lambda x: ut.sum(x, 1), lambda x: x.sum(1), shape)
        for f in ("softmax", "log_softmax"):
            ours, theirs = getattr(ut, f), getattr(torch, f)
            of_function(f, lambda x: ours(x, 1), lambda x: theirs(x, 1), shape)
    of_function("logsumexp", lambda x: ut.logsumexp(x, 1), lambda x: x.logsumexp(1),
                vocabulary[2], torch.bfloat16)  # fmt: skip
    of_function("logsumexp", lambda x: ut.logsumexp(x, 1), lambda x: x.logsumexp(1),
                (256, 38016), torch.float64)  # fmt: skip
    wide, square = (16384, 4096), (8192, 8192)
    of_function("logsumexp", lambda x: ut.logsumexp(x, 1), lambda x: x.logsumexp(1), wide)
    of_function("mean", lambda x: ut.mean(x, 1), lambda x: x.mean(1), wide)
    of_function("var", lambda x: ut.var(x, 1), lambda x: x.var(1), wide)
    for f in ("softmax", "log_softmax"):
        ours, theirs = getattr(ut, f), getattr(torch, f)
        of_function(f, lambda x: ours(x, 1), lambda x: theirs(x, 1), wide)
    of_function("softmax", lambda x: ut.softmax(x, 1), lambda x: x.softmax(1), wide, torch.bfloat16)
    of_function("rms_norm", ut.rms_norm, lambda x: torch.rms_norm(x, x.shape[1:], eps=1e-6), wide)
    weight = torch.rand(wide[1], device="cuda").bfloat16().requires_grad_()
    of_function("rms_norm with weight", lambda x: ut.rms_norm(x, weight),
                lambda x: torch.rms_norm(x, x.shape[1:], weight, 1e-6), wide,
                torch.bfloat16, (weight,))  # fmt: skip
    of_function("cumprod", lambda x: ut.cumprod(x, 1), lambda x: x.cumprod(1), square)
    of_function("cummax", lambda x: ut.cummax(x, 1)[0], lambda x: x.cummax(1)[0], square)
    of_function("logcumsumexp", lambda x: ut.logcumsumexp(x, 1), lambda x: x.logcumsumexp(1),
                square)  # fmt: skip
    for few_long in ((2, 20_000), (8, 131_072), (31, 100_000), (8, 1 << 20)):
        for f in ("cumsum", "cumprod"):
            ours, theirs = getattr(ut, f), getattr(torch, f)
            of_function(f, lambda x: ours(x, 1), lambda x: theirs(x, 1), few_long)
            of_function(f + ", reverse", lambda x: ours(x, 1, reverse=True),
                        lambda x: theirs(x.flip(1), 1).flip(1), few_long)  # fmt: skip
        of_function("cummax", lambda x: ut.cummax(x, 1)[0], lambda x: x.cummax(1)[0], few_long)
    rows = 1 << 20
    offsets = torch.arange(0, rows + 1, 256, device="cuda")
    keys = torch.randint(0, 50_000, (rows,), device="cuda")
    zeros = torch.zeros(50_000, 64, device="cuda")
    of_function("segment_sum", lambda x: ut.segment_sum(x, offsets),
                lambda x: torch.segment_reduce(x, "sum", offsets=offsets), (rows, 64))  # fmt: skip
    some = torch.randint(0, rows, (50_000,), device="cuda").sort()[0]
    uneven = torch.cat([offsets[:1], some, offsets[-1:]])
    of_function("segment_sum, uneven", lambda x: ut.segment_sum(x, uneven),
                lambda x: torch.segment_reduce(x, "sum", offsets=uneven), (rows, 64))  # fmt: skip
    of_function("index_add", lambda x: ut.index_add(zeros, keys, x),
                lambda x: zeros.index_add(0, keys, x), (rows, 64))  # fmt: skip


def recurrences():
    print("linear_recurrence; microseconds; TB/s; cumsum is torch's along dim 1")
    print(f"{'shape':20} {'type':9} {'forward':>9} {'copy':>9} {'share':>6} {'TB/s':>6} "
          f"{'cumsum':>9} {'backward':>9} {'share':>6}")  # fmt: skip
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        of_recurrence((8, 4096, 2048), dtype)
    of_recurrence((4, 4096, 2048), torch.complex64)
    of_recurrence((2, 65536, 256), torch.bfloat16)
    for shape in ((1, 131072, 2048), (1, 131072, 512), (1, 131072, 128), (64, 512, 2048),
                  (8, 4096, 2000), (4096, 1024, 1), (1, 1 << 20, 1), (1, 1 << 20, 31)):  # fmt: skip
        of_recurrence(shape, torch.float32)
    print("cumsum; microseconds: ours, copy, share, torch's default and deterministic")
    of_cumsum((8192, 8192), 1)
    of_cumsum((8192, 8192), 0)
    for shape in ((64, 8192), (16, 2048), (1, 2048)):
        of_step(*shape)


def of_peer(shape, dtype):
    """h[t] = exp(g[t]) h[t-1] + x[t] of fla, step by step and by chunks, whose bits may depend on
    where the tokens are cut."""
    from fla.ops.hgrn import chunk_hgrn, fused_recurrent_hgrn

    a = (0.5 + 0.5 * torch.rand(shape, device="cuda")).to(dtype)
    g, x = a.log(), torch.randn(shape, device="cuda").to(dtype)
    seed, h = torch.randn_like(x), torch.empty_like(x)
    back = lambda y, needs: lambda: torch.autograd.grad(y, needs, seed, retain_graph=True)
    needs = [v.clone().requires_grad_() for v in (a, x)]
    calls = {
        "copy": lambda: torch.add(a, x, out=h),
        "forward": lambda: ut.linear_recurrence(a, x),
        "backward": back(ut.linear_recurrence(*needs), needs),
    }
    differ = {}
    for name, f in (("fused", fused_recurrent_hgrn), ("chunk", chunk_hgrn)):
        needs = [v.clone().requires_grad_() for v in (x, g)]
        calls[name] = lambda f=f: f(x, g)
        calls[f"{name}_backward"] = back(f(*needs)[0].to(dtype), needs)
        cut = lambda begin, end: [v[:, begin:end].contiguous() for v in (x, g)]
        first, state = f(*cut(0, 1000), output_final_state=True)
        rest = f(*cut(1000, None), initial_state=state)[0]
        differ[name] = int((torch.cat([first, rest], 1) != f(x, g)[0]).sum()) / x.numel()
    taken = dict(zip(calls, times(calls.values())))
    keep("recurrences of fla", shape, dtype, **taken)
    print(str(list(shape)), str(dtype)[6:], {k: round(t, 1) for k, t in taken.items()},
          "differ if cut after 1000 tokens:", differ, flush=True)  # fmt: skip


def scanned(batch, channels, tokens, dtype):
    """The arguments of a selective scan with 16 states, as a model has them."""
    random = lambda *shape: torch.randn(shape, device="cuda").to(dtype)
    u, z, delta = (random(batch, channels, tokens) for _ in range(3))
    A = -torch.arange(1.0, 17, device="cuda").repeat(channels, 1)
    B, C = (random(batch, 16, tokens) for _ in "BC")
    D, bias = torch.ones(channels, device="cuda"), torch.randn(channels, device="cuda") - 4
    return [u, delta, A, B, C, D, z, bias]


def kept_bytes(call):
    """The memory that remains after a call, for its gradients."""
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    y = call()
    kept = torch.cuda.memory_allocated() - before
    del y
    return kept


def of_selective_scan(shape, dtype, peer):
    """Beside mamba_ssm's kernels: times, memory, errors beside float64, and whether the gradients
    of two calls differ."""
    args = scanned(*shape, dtype)
    seed = torch.randn_like(args[0])
    needs = [x.clone().requires_grad_() for x in args]
    functions = {"": ut.selective_scan} | ({"mamba": peer} if peer else {})
    back = lambda f, of: torch.autograd.grad(f(*of, True), of, seed.to(of[0].dtype))
    calls = {}
    for name, f in functions.items():
        calls[f"{name} forward".strip()] = lambda f=f: f(*args, True)
        calls[f"{name} both".strip()] = lambda f=f: back(f, needs)
    taken = dict(zip(calls, times(calls.values())))
    wide = [x.double().requires_grad_() for x in needs]
    exact = ut.selective_scan(*wide, True).detach(), *back(ut.selective_scan, wide)
    for name, f in functions.items():
        twice = [back(f, needs) for _ in range(2)]
        made = f(*args, True), *twice[0]
        error = lambda x, y: float(
            (x.double() - y).square().mean().sqrt() / y.square().mean().sqrt()
        )
        print(
            f"  {name or 'upsweep'}: keeps {kept_bytes(lambda: f(*needs, True)) / 1e6:.0f} MB; "
            f"gradients that differ between two calls: "
            f"{sum(int((x != y).sum()) for x, y in zip(*twice))}; errors of y and the gradients of "
            f"u, delta, A, B, C, D, z, bias: {[f'{error(x, y):.1e}' for x, y in zip(made, exact)]}"
        )
        del twice, made
    keep("selective_scan", shape, dtype, **taken)
    print(list(shape), str(dtype)[6:], {k: round(t, 1) for k, t in taken.items()}, flush=True)


def of_mamba():
    try:
        from mamba_ssm.ops.selective_scan_interface import selective_scan_fn as peer
    except ImportError:
        print("mamba_ssm is not installed")
        peer = None
    for shape in ((8, 1536, 2048), (1, 1536, 2048), (2, 5120, 4096)):
        for dtype in (torch.float32, torch.bfloat16):
            of_selective_scan(shape, dtype, peer)


def peers():
    print("microseconds; the peer is mamba_ssm's selective_scan_fn")
    of_mamba()
    print("microseconds; peers are fla's fused_recurrent_hgrn and chunk_hgrn")
    try:
        import fla.ops.hgrn  # noqa: F401
    except ImportError:
        print("fla is not installed")
        return
    for dtype in (torch.float32, torch.bfloat16):
        of_peer((8, 4096, 2048), dtype)
    of_peer((8, 2048, 1536), torch.float32)


def described(rows):
    """What the times were measured with, as a file keeps it."""
    ask = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "-i", "0"]
    try:
        driver = subprocess.run(ask, capture_output=True, text=True).stdout.strip()
    except OSError:
        driver = ""
    return {
        "format": 1, "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": " ".join(sys.argv), "gpu": torch.cuda.get_device_name(), "driver": driver,
        "cuda": torch.version.cuda, "torch": torch.__version__, "upsweep": upsweep.__version__,
        "rounds": 15, "rows": rows,
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", metavar="FILE", help="store the times there")
    parser.add_argument("--only", choices=("recurrences", "functions", "peers"))
    parser.add_argument("--revision", default="", help="of Upsweep, to be stored with the times")
    options = parser.parse_args()
    about = described(ROWS) | {"revision": options.revision}
    print(about["gpu"], "driver", about["driver"], "PyTorch", about["torch"])
    for part in (recurrences, functions, peers):
        if options.only not in (None, part.__name__):
            continue
        part()
        if options.json:
            with open(options.json, "w") as f:
                json.dump(about, f, indent=1)
                f.write("\n")


if __name__ == "__main__":
    main()
