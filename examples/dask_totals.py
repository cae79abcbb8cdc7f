"""Sums, running sums and sums by key of a Dask array, with the bits of one NumPy array,
whatever the chunks.

Each worker reduces its chunks to partials; partials of adjacent chunks are added in a tree. The
running sums of a chunk need the partial of all chunks before it, and the chunk. The sum of a
key is that of its values alone, so their positions count within the key: a first pass counts them.
"""

import collections
import itertools
import operator

import dask
import dask.array as da
import numpy as np
import upsweep


def partials(x, op="sum"):
    """The partial of each chunk of a vector, not computed yet."""
    begins = itertools.accumulate((0, *x.chunks[0][:-1]))
    piece = dask.delayed(lambda chunk, begin: upsweep.Partial(op, x.dtype, begin=begin).push(chunk))
    return [piece(chunk, begin) for chunk, begin in zip(x.to_delayed(), begins, strict=True)]


def total(x, op="sum"):
    """upsweep.reduce(x, op) of a vector, not computed yet."""
    parts, add = partials(x, op), dask.delayed(operator.add)
    while len(parts) > 1:
        pairs = [add(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(pairs) * 2 :]
    return dask.delayed(lambda whole: whole.result())(parts[0])


def running(x, op="sum"):
    """upsweep.scan(x, op) as a Dask array with the chunks of x."""
    parts, chunks = partials(x, op), x.to_delayed()
    empty = upsweep.Partial(op, x.dtype)
    add, scan = (
        dask.delayed(operator.add),
        dask.delayed(lambda front, chunk: (front + empty).scan(chunk)),
    )
    fronts = itertools.accumulate(parts[:-1], add, initial=dask.delayed(empty))
    scans = [scan(front, chunk) for front, chunk in zip(fronts, chunks, strict=True)]
    return da.concatenate(
        [da.from_delayed(s, (n,), x.dtype) for s, n in zip(scans, x.chunks[0], strict=True)]
    )


def totals_by_key(x, keys, op="sum"):
    """{key: upsweep.reduce(x[keys == key], op)}, not computed yet; keys are not negative."""

    def reduce_each(chunk, keys, before):
        found = np.unique(keys).tolist()
        return {
            key: upsweep.Partial(op, x.dtype, begin=before[key]).push(chunk[keys == key])
            for key in found
        }

    def join(pieces):
        every = set().union(*pieces)
        return {
            key: upsweep.Partial.join(p[key] for p in pieces if key in p).result() for key in every
        }

    chunks, its_keys = x.to_delayed(), keys.to_delayed()
    counts = [dask.delayed(lambda k: collections.Counter(k.tolist()))(k) for k in its_keys]
    none = dask.delayed(collections.Counter)()
    before = itertools.accumulate(counts[:-1], dask.delayed(operator.add), initial=none)
    pieces = [
        dask.delayed(reduce_each)(*piece) for piece in zip(chunks, its_keys, before, strict=True)
    ]
    return dask.delayed(join)(pieces)


def main():
    x = np.random.default_rng(1).standard_normal(1_000_003)
    keys = np.random.default_rng(2).integers(0, 5, x.size)
    by_key = {key: upsweep.sum(x[keys == key]) for key in range(5)}
    for chunks in (100_000, 77_777, x.size, (1, 999_999, 3)):
        d = da.from_array(x, chunks=chunks)
        of_dask = total(d).compute()
        same = (
            of_dask == upsweep.sum(x)
            and np.array_equal(running(d).compute(), upsweep.cumulative_sum(x))
            and totals_by_key(d, da.from_array(keys, chunks=chunks)).compute() == by_key
        )
        print(
            f"{d.numblocks[0]:3} chunks: dask {d.sum().compute():.17g}, here {of_dask:.17g},",
            "the bits of one array" if same else "DIFFERENT BITS",
        )


if __name__ == "__main__":
    main()
