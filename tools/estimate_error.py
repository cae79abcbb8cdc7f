#!/usr/bin/env python3
"""Writes docs/estimate.md's table: estimated times of the textbook's kernels on a GPU beside the
times measured there (bench/results/textbook/*.json).

    tools/estimate_error.py TOOL          runs `TOOL run STEM --json --gpu NAME` for every kernel

The emulator counts 2^20 elements, and launches of more than one block are scaled to 2^24, at which
the times were measured: 16 times as many blocks. It takes about a minute.
"""

import json
import subprocess
import sys

import results
from page_writer import DOCS, RESULTS, filled, finish, table

PAGE = DOCS / "estimate.md"
MEASURED = RESULTS / "textbook" / "2026-11-22-nvidia-h200.json"
GPU, COUNTED, TIMED = "H200", 1 << 20, 1 << 24
LAUNCH, MULTIPROCESSORS, WARPS = 2.5e-6, 132, 64  # as in lab/estimate.cpp


def scaled(launch, scale):
    """The seconds of a launch with `scale` times as many blocks, and what binds it."""
    estimate = launch["estimate"]
    warps = launch["blocks"] * -(-launch["threads"] // 32)
    waves = warps / (MULTIPROCESSORS * WARPS * estimate["occupancy"])

    def used(blocks):
        return min(blocks, MULTIPROCESSORS)

    busy = scale * used(launch["blocks"]) / used(launch["blocks"] * scale)
    times = {
        "issue": estimate["issue"] * busy,
        "shared memory": estimate["shared"] * busy,
        "memory": estimate["memory"] * scale,
        "latency": estimate["latency"] * max(waves * scale, 1) / max(waves, 1),
    }
    bound = max(times, key=times.get)
    return times[bound] + LAUNCH, bound


def estimated(tool, stem):
    """The seconds of all launches and what binds the longest; None if blocks wait."""
    words = [tool, "run", stem, "-n", str(COUNTED), "--dtype", "f32", "--json", "--gpu", GPU]
    run = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    seconds, longest, bound = 0.0, 0.0, ""
    for launch in run["launches"]:
        if "seconds" not in launch["estimate"]:
            return None
        if launch["blocks"] == 1 and len(run["launches"]) == 1:
            took, by = launch["estimate"]["seconds"] * (TIMED // COUNTED), "latency"
        else:
            took, by = scaled(launch, TIMED // COUNTED if launch["blocks"] > 1 else 1)
        seconds += took
        if took > longest:
            longest, bound = took, by
    return seconds, bound


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    times = {
        row["stem"]: row["milliseconds"] * 1e-3
        for row in results.load(MEASURED)["rows"]
        if row["type"] == "f32" and row["n"] == TIMED and row["stem"] != "copy"
    }
    rows, ratios = [], []
    for stem in sorted(times, key=times.get):
        found = estimated(sys.argv[1], stem)
        if found is None:
            rows.append((stem, times[stem], "-", "blocks wait for each other", "-"))
            continue
        ratio = found[0] / times[stem]
        ratios.append(max(ratio, 1 / ratio))
        rows.append((stem, times[stem], f"{1e3 * found[0]:.3f}", found[1], f"{ratio:.2f}"))
    ratios.sort()
    within = [sum(r <= limit for r in ratios) for limit in (1.25, 1.5, 2)]
    lines = [
        f"Of {len(ratios)} kernels, {within[0]} are within a factor of 1.25, {within[1]} within "
        f"1.5 and {within[2]} within 2; the median\nfactor is {ratios[len(ratios) // 2]:.2f}.",
        "",
        table(
            ["kernel", "measured ms", "estimated ms", "bound by", "estimated / measured"],
            [
                [f"[`{stem}`](algorithms/{stem}.md)", f"{1e3 * time:.3f}", guess, bound, ratio]
                for stem, time, guess, bound, ratio in rows
            ],
            left=[0, 3],
        ),
    ]
    text = filled(PAGE.read_text(), "table", "\n".join(lines))
    return finish({PAGE: text}, False, "tools/estimate_error.py")


sys.exit(main())
