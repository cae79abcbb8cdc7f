#!/usr/bin/env python3
"""Prints a table of what upsweep_gpu_pieces has measured (docs/design/0008-pieces.md).

    tools/gpu_pieces_table.py bench/results/gpu_pieces/DATE-GPU.json.bz2

Medians in microseconds. "Floor" is one GPU alone for a reduction, and for a scan reading its piece
once and copying it once.
"""

import statistics
import sys

import results

COLUMNS = [
    ("reduce", "one GPU alone", "reduce: floor"),
    ("reduce", "upsweep", "Upsweep"),
    ("reduce", "CUB and NCCL", "CUB, NCCL"),
    ("reduce", "cuda::experimental", "cudax"),
    ("read, copy", "loop, cudaMemcpyAsync", "exclusive_scan: floor"),
    ("exclusive_scan", "upsweep", "Upsweep"),
    ("exclusive_scan", "CUB and NCCL", "CUB, NCCL"),
    ("exclusive_scan", "cuda::experimental", "cudax"),
    ("exclusive_scan", "upsweep, uneven", "Upsweep, uneven"),
]


def table(run):
    """The lines of the table, one for each number of GPUs and size."""
    median = {}
    for row in run["rows"]:
        key = (row["gpus"], row["bytes"], row["call"], row["by"])
        median[key] = statistics.median(row["seconds"]) * 1e6
    measured = {key[2:] for key in median}
    columns = [column for column in COLUMNS if column[:2] in measured]
    yield "| GPUs | MiB a GPU | " + " | ".join(name for _, _, name in columns) + " |"
    yield "|" + " --: |" * (2 + len(columns))
    for gpus, size in sorted({key[:2] for key in median}):
        cells = [median.get((gpus, size, call, by)) for call, by, _ in columns]
        shown = " | ".join("" if cell is None else f"{cell:.1f}" for cell in cells)
        yield f"| {gpus} | {size >> 20} | {shown} |"


def main():
    run = results.load(sys.argv[1])
    print(
        f"{run['gpu']}, driver {run['driver']}, CUDA {run['cuda']}, NCCL {run['nccl']}, "
        f"revision {run['revision']}.\n"
    )
    print("\n".join(table(run)))


if __name__ == "__main__":
    main()
