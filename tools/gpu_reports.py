"""Reads the reports of upsweep_gpu_bench --json."""

import json

import results
from performance_goals import median

FORMAT = 1
NEEDED = ["gpu", "driver", "cuda", "cub", "revision", "date", "rows"]


class Refused(Exception):
    """A report cannot be shown; the message says why."""


def flattened(data):
    """Converts a report of cells, each with the rounds of all competitors, to the rows of medians
    of the older format. Its element types have the operation as a prefix: "exact_f32",
    "affine_f32".
    """

    def label(cell):
        return {
            "work": cell["verb"],
            "type": {"exact_sum": "exact_", "affine": "affine_"}.get(cell["op"], "") + cell["type"],
            "n": cell["n"],
        }

    gpu, build = data.get("gpu") or {}, data.get("build") or {}
    rows = [
        {
            **label(cell),
            "competitor": s["name"],
            "launch": cell["launch"],
            "cold": cell["cold"],
            "us": float(f"{median(s['seconds']) * 1e6:.6g}"),
        }
        for cell in data["cells"]
        for s in cell["all"]
        if s["correct"]
    ]
    return {
        **data,
        "rows": rows,
        "gpu": gpu.get("name"),
        "driver": gpu.get("driver"),
        "cuda": gpu.get("toolkit"),
        "processors": gpu.get("multiprocessors"),
        "version": build.get("version"),
        "revision": build.get("revision"),
        "cub": next(
            (c["title"] for c in data["competitors"] if c["name"] in ("cub", "cccl")), None
        ),
        "wrong": [
            {**label(cell), "sentence": s["difference"]}
            for cell in data["cells"]
            for s in cell["all"]
            if not s["correct"]
        ],
        "skipped": [{**label(one), "sentence": one["reason"]} for one in data.get("skipped", [])],
    }


def load(path):
    try:
        data = results.load(path)
    except (OSError, json.JSONDecodeError) as problem:
        raise Refused(f"{path} cannot be read: {problem}") from problem
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise Refused(
            f"{path} is not a report of upsweep_gpu_bench in format {FORMAT}; run the benchmark "
            "again"
        )
    if "cells" in data:
        data = flattened(data)
    missing = [key for key in NEEDED if not data.get(key)]
    if missing:
        raise Refused(f"{path} lacks {', '.join(missing)}; run the benchmark again")
    return data
