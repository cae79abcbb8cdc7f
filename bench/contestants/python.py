"""The processes of NumPy, SciPy, pandas and bottleneck in `upsweep bench`. Reads one request per
line from standard input, and answers with one line on standard output.

import LIBRARY                                      -> its name and version, or "none"
prepare LIBRARY VERB OP TYPE N PARTS LEVEL RESULT_TYPE MORE_TYPE BYTES...
  followed by the elements, keys, offsets and levels of so many bytes  -> "ready", or "none";
  the elements of reductions and scans are a block, which is repeated
run REPEATS                                         -> seconds, for all repeats together
result                        -> count and bytes of the two outputs, and after the line these
checksum                      -> that of the last result, as defined in data.hpp
"""

import importlib
import sys
import time

# `python3 -c` would take a module from the folder in which the benchmark is started.
sys.path = [folder for folder in sys.path if folder not in ("", ".")]

import numpy as np

TYPES = {
    "u8": np.uint8,
    "u32": np.uint32,
    "u64": np.uint64,
    "i32": np.int32,
    "i64": np.int64,
    "f32": np.float32,
    "f64": np.float64,
    "pair": np.dtype([("first", np.uint32), ("second", np.uint32)]),
}
NAMES = {"numpy": "NumPy", "scipy": "SciPy", "pandas": "pandas", "bottleneck": "bottleneck"}
MOST_WINDOW_WORK = 2**30


class Work:
    """The inputs of a row. Sorts change `x` and `keys`, which run() makes anew."""

    def __init__(self, words, read):
        self.verb, self.op, kind = words[:3]
        self.n, self.parts, self.level = int(words[3]), int(words[4]), float(words[5])
        self.result_type = TYPES.get(words[6])
        self.more_type = TYPES.get(words[7])
        sizes = [int(w) for w in words[8:]]
        self.x = np.frombuffer(read(sizes[0]), TYPES[kind])
        self.keys = np.frombuffer(read(sizes[1]), np.uint32)
        self.offsets = np.frombuffer(read(sizes[2]), np.int64)
        self.levels = np.frombuffer(read(sizes[3]), np.float64)
        self.threshold = self.x.dtype.type(self.level) if self.verb in SELECTIONS else None
        self.last = self.parts - 1
        if self.verb in ON_BLOCKS:
            self.x = np.resize(self.x, self.n)
            self.out = self.x if self.verb == "scan_in_place" else np.empty_like(self.x)
        self.flags = self.keys.view(np.bool_)[: self.n] if self.op == "flags" else None


SELECTIONS = ("select", "select_positions", "partition")
ON_BLOCKS = ("reduce", "inclusive_scan", "scan_in_place")


def running_sum(w):
    return np.cumsum(w.x, dtype=w.x.dtype, out=w.out)


def running_max(w):
    return np.maximum.accumulate(w.x, out=w.out)


def heads(x):
    """The positions where runs of equal neighbors begin."""
    return np.concatenate(([0], np.flatnonzero(x[1:] != x[:-1]) + 1))


def runs(w):
    starts = heads(w.x)
    return w.x[starts], np.diff(starts, append=w.n)


def partition(w):
    kept = w.x < w.threshold
    return w.x[kept], w.x[~kept]


KEPT_COLUMNS = 1000


def pad(w):
    rows = w.n // w.parts
    y = np.zeros((rows, w.parts), w.x.dtype)
    y[:, :KEPT_COLUMNS] = w.x[: rows * KEPT_COLUMNS].reshape(rows, KEPT_COLUMNS)
    return y.ravel()


def unpad(w):
    rows = w.n // w.parts
    return w.x[: rows * w.parts].reshape(rows, w.parts)[:, :KEPT_COLUMNS].ravel()


def reduce_runs(w):
    starts = heads(w.keys)
    return np.add.reduceat(w.x, starts), w.keys[starts]


def window_sums(w):
    total = np.cumsum(w.x, dtype=np.float64)
    total[w.parts :] = total[w.parts :] - total[: -w.parts]
    return total[w.last :]


def window_maxima(w):
    return np.lib.stride_tricks.sliding_window_view(w.x, w.parts).max(axis=1)


def sort(w):
    w.y.sort()
    return w.y


def sort_by_key(w):
    order = np.argsort(w.x, kind="stable")
    return w.x[order], w.keys[order]


def median(w):
    low = (w.n - 1) // 2
    y = np.partition(w.x, (low, w.n // 2))
    return np.array([(float(y[low]) + float(y[w.n // 2])) / 2])


def top(w):
    count = min(100, w.n)
    return np.sort(np.partition(w.x, w.n - count)[w.n - count :])[::-1]


def numpy_call(w):
    if w.verb == "windowed" and w.op == "max" and w.n * w.parts > MOST_WINDOW_WORK:
        return None
    if w.verb == "reduce_segments" and (np.diff(w.offsets) == 0).any():
        return None  # reduceat gives an element for an empty segment
    return {
        "reduce sum": lambda w: w.x.sum(),
        "reduce max": lambda w: w.x.max(),
        "inclusive_scan sum": running_sum,
        "inclusive_scan max": running_max,
        "scan_in_place sum": running_sum,
        "scan_in_place max": running_max,
        "select": lambda w: np.compress(w.x < w.threshold, w.x),
        "select flags": lambda w: w.x[w.flags],
        "select_positions": lambda w: np.flatnonzero(w.x < w.threshold),
        "partition": partition,
        "unique": lambda w: w.x[heads(w.x)],
        "run_starts": lambda w: heads(w.x),
        "runs": runs,
        "histogram even": lambda w: np.histogram(w.x, w.parts, (0, w.level))[0],
        "histogram given": lambda w: np.histogram(w.x, w.levels)[0],
        "weighted_histogram sum": lambda w: np.histogram(
            w.x, w.parts, (0, w.level), weights=w.keys
        )[0],
        "count_indices": lambda w: np.bincount(w.x, minlength=w.parts),
        "reduce_runs sum": reduce_runs,
        "reduce_segments sum": lambda w: np.add.reduceat(w.x, w.offsets[:-1]),
        "windowed sum": window_sums,
        "windowed max": window_maxima,
        "sort": sort,
        "sort_by_key": sort_by_key,
        "sort_by_order": lambda w: w.x[np.argsort(w.x["first"], kind="stable")],
        "argsort": lambda w: np.argsort(w.x, kind="stable"),
        "quantile": median,
        "top": top,
        "pad": pad,
        "unpad": unpad,
    }.get(w.verb if w.op == "-" else f"{w.verb} {w.op}")


def scipy_call(w):
    signal, ndimage = (importlib.import_module(f"scipy.{m}") for m in ("signal", "ndimage"))
    if w.verb == "recurrence":  # y[i] = x[i] + y[i - 1] - y[i - 2]
        one, a = np.ones(1, w.x.dtype), np.array([1, -1, 1], w.x.dtype)
        if w.op == "initial":
            state = signal.lfiltic(one, a, np.array([3, -2], w.x.dtype))
            return lambda w: signal.lfilter(one, a, w.x, zi=state)[0]
        return lambda w: signal.lfilter(one, a, w.x)
    if w.verb == "windowed" and w.op == "max":
        begin = w.parts // 2
        end = begin + w.n - w.last
        return lambda w: ndimage.maximum_filter1d(w.x, w.parts)[begin:end]
    return None


def pandas_call(w):
    pandas = importlib.import_module("pandas")
    series = pandas.Series(w.x) if w.verb != "sort_by_order" else None
    if w.verb == "windowed" and w.op in ("sum", "max"):
        return lambda w: getattr(series.rolling(w.parts), w.op)().to_numpy()[w.last :]
    if w.verb == "reduce_runs" and w.op == "sum":
        by = series.groupby(w.keys, sort=False)  # keys of runs differ

        def sums(w):
            found = by.sum()
            return found.to_numpy(), found.index.to_numpy()

        return sums
    return None


def bottleneck_call(w):
    bottleneck = importlib.import_module("bottleneck")
    if w.verb == "windowed" and w.op in ("sum", "max"):
        move = getattr(bottleneck, "move_" + w.op)
        return lambda w: move(w.x, w.parts)[w.last :]
    return None


CALLS = {
    "numpy": numpy_call,
    "scipy": scipy_call,
    "pandas": pandas_call,
    "bottleneck": bottleneck_call,
}


def run(w, call):
    """Result and seconds of a call."""
    if w.verb == "sort":
        w.y = w.x.copy()
    start = time.perf_counter()
    result = call(w)
    return result, time.perf_counter() - start


def outputs(w, result):
    """The two outputs as the C++ side stores them."""
    first, second = result if isinstance(result, tuple) else (result, None)

    def as_bytes(x, kind):
        return np.ascontiguousarray(x).astype(kind, copy=False).tobytes()

    return (
        len(first),
        as_bytes(first, w.result_type),
        b"" if second is None else as_bytes(second, w.more_type),
    )


CHUNK = 1 << 20


def checksum(w, result):
    """Sum of word[i] * (2 i + 1) modulo 2^64, in words of the elements' size: sums of 32-bit
    integers have two.
    """
    words = np.atleast_1d(result).view(np.uint32 if w.x.itemsize == 4 else np.uint64)
    total = 0
    for start in range(0, len(words), CHUNK):
        part = words[start : start + CHUNK].astype(np.uint64)
        weights = np.arange(start, start + len(part), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        total += int((part * weights).sum(dtype=np.uint64))
    return total % 2**64


def imported(library):
    try:
        return f"{NAMES[library]} {importlib.import_module(library).__version__}"
    except ImportError:
        return "none"


def serve(requests, answers):
    w = call = result = None
    for line in requests:
        command, *words = line.decode().split()
        data = b""
        if command == "import":
            answer = imported(words[0])
        elif command == "prepare":
            w = Work(words[1:], requests.read)
            call = CALLS[words[0]](w)
            answer = "ready" if call else "none"
        elif command == "run":
            seconds = 0.0
            for _ in range(int(words[0])):
                result, once = run(w, call)
                seconds += once
            answer = repr(seconds)
        elif command == "checksum":
            answer = str(checksum(w, result))
        else:
            count, first, second = outputs(w, run(w, call)[0])
            answer, data = f"{count} {len(first)} {len(second)}", first + second
        answers.write(answer.encode() + b"\n" + data)
        answers.flush()


serve(sys.stdin.buffer, sys.stdout.buffer)
