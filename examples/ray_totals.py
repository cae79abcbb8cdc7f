"""Sum and running sums of pieces that Ray's tasks have, with the bits of one NumPy array.

Tasks end in any order, which Partial.join does not mind. The running sums of a piece need the
partial of all pieces before it, and the piece. (pip install ray)
"""

import itertools
import operator

import numpy as np
import ray
import upsweep


@ray.remote
def reduced(piece, begin):
    return upsweep.Partial("sum", begin=begin).push(piece)


@ray.remote
def scanned(front, piece):
    return front.scan(piece)


def main():
    ray.init(include_dashboard=False)
    x = np.random.default_rng(1).standard_normal(1_000_003)
    cuts = [0, 300_000, 300_001, 777_777, x.size]
    begins = cuts[:-1]
    pieces = [ray.put(x[begin:end]) for begin, end in itertools.pairwise(cuts)]

    tasks = [reduced.remote(piece, begin) for piece, begin in zip(pieces, begins, strict=True)]
    parts, waiting = [], tasks
    while waiting:  # as they arrive
        done, waiting = ray.wait(waiting)
        parts += ray.get(done)
    total = upsweep.Partial.join(parts).result()

    in_order = sorted(parts, key=lambda part: part.begin)
    fronts = itertools.accumulate(in_order[:-1], operator.add, initial=upsweep.Partial("sum"))
    running = ray.get([scanned.remote(f, p) for f, p in zip(fronts, pieces, strict=True)])

    same = total == upsweep.sum(x) and np.array_equal(
        np.concatenate(running), upsweep.cumulative_sum(x)
    )
    print(f"{total:.17g}", "the bits of one array" if same else "DIFFERENT BITS")


if __name__ == "__main__":
    main()
