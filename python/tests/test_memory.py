"""Large results: the memory of one that is gone serves the next, and no other array's."""

import subprocess
import sys
import threading

import numpy as np
import pytest
import upsweep

N = 2**23 + 1  # more than 32 MiB, for all types of 4 bytes
LARGE = {
    "a scan": lambda x: upsweep.cumulative_sum(x),
    "a scan on one thread": lambda x: upsweep.cumulative_sum(x, threads=1),
    "a recurrence": lambda x: upsweep.ema(x, 0.5),
    "windows": lambda x: upsweep.windowed(x, 3, "max"),
    "a sort": lambda x: upsweep.sort(x),
    "segments": lambda x: upsweep.segment_reduce(x, np.arange(x.size + 1)),
    "a selection": lambda x: upsweep.select(x, x == x),
}


def place(a):
    return a.__array_interface__["data"][0]


@pytest.mark.parametrize("name", LARGE)
def test_memory_of_a_result_that_is_gone_serves_the_next(name):
    x = np.ones(N, np.float32)
    call = LARGE[name]
    places = {place(call(x)) for _ in range(4)}
    assert len(places) == 1


def test_results_that_live_keep_their_memory():
    x = np.arange(N, dtype=np.float32)
    results = [upsweep.cummax(x) for _ in range(5)]
    gone = {place(results.pop(1)), place(results.pop(2))}
    others = [upsweep.cummin(x) for _ in range(3)]
    assert all((r == x).all() for r in results)
    assert all((o == 0).all() for o in others)
    assert gone < {place(o) for o in others}
    assert len({place(a) for a in [*results, *others]}) == 6


def test_a_large_result_can_be_resized():
    x = np.ones(N)
    for size in (2 * N, 10, 0):
        a = upsweep.cumulative_sum(x)
        a.resize(size, refcheck=False)
        assert a.size == size
        assert (a[:N] == np.arange(1, min(N, size) + 1)).all()
        assert (a[N:] == 0).all()


def test_threads_take_and_give_back_memory_at_once():
    wrong = []

    def work(step):
        x = np.full(N + step, step, np.int64)
        for _ in range(10):
            total = upsweep.cumulative_sum(x)
            if total[-1] != step * x.size or total[0] != step:
                wrong.append(step)

    threads = [threading.Thread(target=work, args=(k + 1,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_no_memory_for_chosen_elements_is_an_error_of_memory():
    code = (
        "import resource\nimport numpy as np, upsweep\n"
        f"x = np.ones({4 * N})\nflags = x > 0\nupsweep.sum(x[:2], where=flags[:2])\n"
        "pages = int(open('/proc/self/statm').read().split()[0])\n"
        "most = pages * resource.getpagesize() + 2**26\n"
        "resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
        "try:\n    upsweep.sum(x, where=flags)\n"
        "except MemoryError:\n    print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.stdout == "refused\n", done.stderr
