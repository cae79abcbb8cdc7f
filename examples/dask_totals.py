"""Total and running totals of a Dask array, with the bits of one NumPy array, whatever the chunks.

Each chunk is reduced to a partial where it lies; partials of neighbours are added in a tree. The
running totals of a chunk need the partial of what is in front of it, and the chunk.
"""

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


def main():
    x = np.random.default_rng(1).standard_normal(1_000_003)
    for chunks in (100_000, 77_777, x.size, (1, 999_999, 3)):
        d = da.from_array(x, chunks=chunks)
        of_dask = total(d).compute()
        same = of_dask == upsweep.sum(x) and np.array_equal(
            running(d).compute(), upsweep.cumulative_sum(x)
        )
        print(
            f"{d.numblocks[0]:3} chunks: dask {d.sum().compute():.17g}, here {of_dask:.17g},",
            "the bits of one array" if same else "DIFFERENT BITS",
        )


if __name__ == "__main__":
    main()
