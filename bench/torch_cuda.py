#!/usr/bin/env python3
"""Times upsweep.torch on a GPU beside a copy of as many bytes and PyTorch's cumsum, in one run.

    bench/torch_cuda.py

Times are medians over rounds in which all take turns, from events of the stream. `share of a copy`
is the time of torch.add(a, b, out=h), which moves the same bytes, divided by the time. The backward
pass moves 5/3 as many.
"""

import statistics
import time

import torch

import upsweep.torch as ut


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
    ours, plain = times([
        lambda: ut.linear_recurrence_step(state, a, b),
        lambda: torch.addcmul(b, a, h),
    ])  # fmt: skip
    begin = time.perf_counter()
    for _ in range(200):
        ut.linear_recurrence_step(state, a, b)
    host = (time.perf_counter() - begin) / 200 * 1e6
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(20):
            ut.linear_recurrence_step(state, a, b)
    (replay,) = times([graph.replay])
    print(
        f"step [{batch}, {channels}]: {ours:.1f} us, in a graph of 20 {replay / 20:.1f} us, "
        f"torch.addcmul {plain:.1f} us, the host {host:.1f} us",
        flush=True,
    )


def main():
    print(torch.cuda.get_device_name(), torch.__version__)
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


if __name__ == "__main__":
    main()
