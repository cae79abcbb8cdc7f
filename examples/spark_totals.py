"""Sum and running sums of the partitions of a Spark RDD, with the bits of one NumPy array.

treeReduce and treeAggregate do not promise the order of partitions, so the partials, which are
small, are collected and joined: Partial.join does not mind their order. A partition needs its
position, so a first pass counts the rows. The partitions must have the same rows in both passes:
cache the RDD, or sort it. (pip install pyspark, which needs Java; CI does not run this.)
"""

import itertools

import numpy as np
import upsweep
from pyspark.sql import SparkSession


def begins_of(rdd):
    """For each partition, how many rows are before it."""
    counts = rdd.mapPartitions(lambda rows: [sum(1 for _ in rows)]).collect()
    return list(itertools.accumulate(counts, initial=0))


def partials(rdd, begins, op="sum"):
    def reduced(i, rows):
        yield bytes(upsweep.Partial(op, begin=begins[i]).push(np.fromiter(rows, float)))

    return [upsweep.Partial.from_bytes(p) for p in rdd.mapPartitionsWithIndex(reduced).collect()]


def running(rdd, parts, op="sum"):
    """upsweep.scan(x, op) with the partitions of `rdd`."""
    in_order = sorted(parts, key=lambda part: (part.begin, part.end))
    fronts = [upsweep.Partial(op)]
    for part in in_order[:-1]:
        fronts.append(fronts[-1] + part)
    fronts = [bytes(front) for front in fronts]

    def scanned(i, rows):
        x = np.fromiter(rows, float)
        return upsweep.Partial.from_bytes(fronts[i]).scan(x).tolist() if x.size else []

    return rdd.mapPartitionsWithIndex(scanned)


def main():
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    x = np.random.default_rng(1).standard_normal(100_003)
    for partitions in (1, 5, 16):
        rdd = spark.sparkContext.parallelize(x.tolist(), partitions).cache()
        parts = partials(rdd, begins_of(rdd))
        total = upsweep.Partial.join(parts).result()
        same = total == upsweep.sum(x) and np.array_equal(
            running(rdd, parts).collect(), upsweep.cumulative_sum(x)
        )
        print(
            f"{partitions:3} partitions: spark {rdd.sum():.17g}, here {total:.17g},",
            "the bits of one array" if same else "DIFFERENT BITS",
        )
    spark.stop()


if __name__ == "__main__":
    main()
