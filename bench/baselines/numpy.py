"""The NumPy process of the benchmark. Reads one request per line from standard input, runs and
times it, and answers with one line on standard output.

prepare VERB OP TYPE IN_PLACE N   followed by the repeated block of the input as bytes  -> "ready"
run REPEATS                       -> seconds, for all repeats together
checksum                          -> that of the last result, as defined in data.hpp
"""

import sys
import time

# `python3 -c` would take a module from the folder in which the benchmark is started.
sys.path = [folder for folder in sys.path if folder not in ("", ".")]

import numpy as np

BLOCK = 1 << 16
TYPES = {"i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64}
CHUNK = 1 << 20


def calls(verb, op, x, out):
    """The function to time, which returns the result; None if NumPy has none."""
    if verb == "reduce":
        return {"sum": lambda: x.sum(), "max": lambda: x.max()}.get(op)
    if verb == "inclusive_scan":
        return {
            "sum": lambda: np.cumsum(x, dtype=x.dtype, out=out),
            "max": lambda: np.maximum.accumulate(x, out=out),
        }.get(op)
    return None


def checksum(result):
    """Sum of word[i] * (2 i + 1) modulo 2^64."""
    result = np.atleast_1d(result)
    words = result.view(np.uint32 if result.dtype.itemsize == 4 else np.uint64)
    total = 0
    for start in range(0, len(words), CHUNK):
        part = words[start : start + CHUNK].astype(np.uint64)
        weights = np.arange(start, start + len(part), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        total += int((part * weights).sum(dtype=np.uint64))
    return total % 2**64


def reduction_bits(value, op, dtype):
    """A reduction's value as the C++ side stores it, in words of the element's size. Sums of
    32-bit integers have 64 bits.
    """
    stored = np.array([value], dtype=np.int64 if op == "sum" and dtype == np.int32 else dtype)
    return stored.view(np.uint32 if dtype().itemsize == 4 else np.uint64)


def serve(requests, answers):
    run = result = reduction = None
    for line in requests:
        command, *words = line.decode().split()
        if command == "prepare":
            verb, op, dtype, in_place, n = (
                words[0],
                words[1],
                TYPES[words[2]],
                words[3] == "1",
                int(words[4]),
            )
            block = np.frombuffer(requests.read(BLOCK * dtype().itemsize), dtype=dtype)
            x = np.resize(block, n)
            out = x if in_place else np.empty(n, dtype) if verb != "reduce" else None
            run, reduction = calls(verb, op, x, out), (op, dtype) if verb == "reduce" else None
            answer = "ready" if run else "none"
        elif command == "run":
            start = time.perf_counter()
            for _ in range(int(words[0])):
                result = run()
            answer = repr(time.perf_counter() - start)
        else:
            answer = str(checksum(reduction_bits(result, *reduction) if reduction else result))
        answers.write(answer.encode() + b"\n")
        answers.flush()


serve(sys.stdin.buffer, sys.stdout.buffer)
