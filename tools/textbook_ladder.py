#!/usr/bin/env python3
"""Writes docs/generated/textbook_on_gpu.md, the speeds of the textbook's kernels on a GPU, from the
runs in bench/results/textbook/.

    tools/textbook_ladder.py                          write the page from the stored runs
    tools/textbook_ladder.py --keep FILE DRIVER CUDA  first store FILE, written by textbook_on_gpu
    tools/textbook_ladder.py --check                  change nothing; exit status 1 if the page is
                                                      out of date
"""

import datetime
import subprocess
import sys
import textwrap

import results
from page_writer import GENERATED, RESULTS, ROOT, finish, power, table

PAGE = GENERATED / "textbook_on_gpu.md"
KEPT = RESULTS / "textbook"


def prose(text):
    """A paragraph wrapped at 100 columns."""
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def ladder(run):
    rows = {}  # stem -> {n: row}
    for row in run["rows"]:
        rows.setdefault(row["stem"], {})[row["n"]] = row
    copy = rows.pop("copy")
    sizes = sorted(copy)
    speed = lambda row: 1e-6 * row["bytes"] / row["milliseconds"]  # noqa: E731
    yield f"## {run['gpu']}"
    yield ""
    yield prose(
        f"Driver {run['driver']}, CUDA {run['cuda']}, revision {run['revision']}, {run['date']}. "
        f"{run['checked']} results checked, {len(run['wrong'])} wrong. "
        "`cudaMemcpyAsync` of as many floats takes "
        + " and ".join(
            f"{copy[n]['milliseconds']:.3f} ms for {power(n)} ({speed(copy[n]):.0f} GB/s)"
            for n in sizes
        )
        + "."
    )
    for title, stems in (
        ("Reductions", [stem for stem in rows if is_reduction(rows[stem])]),
        ("Scans", [stem for stem in rows if not is_reduction(rows[stem])]),
    ):
        yield from ["", f"### {title}", ""]
        head = [
            "kernel",
            *(word for n in sizes for word in (f"{power(n)} ms", "GB/s", "of memcpy")),
        ]
        lines = []
        for stem in sorted(stems, key=lambda stem: -rows[stem][sizes[0]]["milliseconds"]):
            lines.append([f"[`{stem}`](../algorithms/{stem}.md)"])
            for n in sizes:
                row = rows[stem].get(n)
                share = percent(speed(row) / speed(copy[n])) if row else "–"
                of_row = [f"{row['milliseconds']:.3f}", f"{speed(row):.0f}"] if row else ["–", "–"]
                lines[-1] += [*of_row, share]
        yield table(head, lines)
    yield ""


def percent(share):
    return f"{share:.1%}".replace("%", " %") if share < 0.1 else f"{share:.0%}".replace("%", " %")


def is_reduction(times):
    return all(row["bytes"] < 8 * n for n, row in times.items())


COUNTERS = {
    "requests": "global requests",
    "sectors_loaded": "sectors loaded",
    "sectors_stored": "sectors stored",
    "shared_requests": "shared requests",
    "shared_wavefronts": "shared wavefronts",
    "shared_conflicts": "bank conflicts",
}


def counters(run):
    """The section on counters, from a run of tools/textbook_counters.py."""
    yield f"## Counters of {run['gpu']} and of the emulator"
    yield ""
    yield prose(
        f"Nsight Compute and the emulator, for n = {run['kernels'][0]['n']} in one block; "
        f"revision {run['revision']}, {run['date']}. The numbers are equal except for the two "
        "Blelloch scans, where nvcc makes fewer accesses to shared memory than the source: it "
        "keeps stored values in registers and merges adjacent accesses. Wavefronts are those of "
        "loads and stores; the counter without an operation includes those of barriers."
    )
    yield ""
    head = [
        "kernel",
        *(word for name in COUNTERS.values() for word in (f"{name}: GPU", "emulator")),
    ]
    rows = []
    for kernel in run["kernels"]:
        both = (str(kernel[by][name]) for name in COUNTERS for by in ("gpu", "emulator"))
        rows.append([f"[`{kernel['stem']}`](../algorithms/{kernel['stem']}.md)", *both])
    yield table(head, rows)
    yield ""


def keep(path, driver, cuda):
    """Stores the times of a report of textbook_on_gpu, and the number of correct results."""
    report = results.load(path)
    checks = [row for row in report["rows"] if not row["milliseconds"]]
    revision = subprocess.run(
        ["git", "rev-parse", "--short=10", "HEAD"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    date = datetime.date.today().isoformat()
    kept = {
        "gpu": report["gpu"],
        "driver": driver,
        "cuda": cuda,
        "revision": revision,
        "date": date,
        "checked": len(checks),
        "wrong": [row for row in checks if row["difference"]],
        "rows": [row for row in report["rows"] if row["milliseconds"]],
    }
    name = date + "-" + report["gpu"].lower().replace(" ", "-") + ".json"
    (KEPT / name).write_text(results.text_of(kept))


def main():
    if sys.argv[1:2] == ["--keep"]:
        keep(*sys.argv[2:5])
    lines = [
        "# The textbook on a GPU",
        "",
        prose(
            "Every kernel of the textbook on sums of f32, slowest first: from naive to "
            "single-pass. These kernels are for teaching and follow their sources; the speed "
            "of the library's kernels is in [performance.md](performance.md#on-gpus). GB/s "
            "counts the bytes that a call must move: a reduction's input, and a scan's input "
            "and output. Written by `tools/textbook_ladder.py` from "
            "`bench/results/textbook/`."
        ),
        "",
    ]
    newest = {}  # GPU -> its last run
    for path in sorted(KEPT.glob("*.json")):
        run = results.load(path)
        newest[run["gpu"]] = run
    for run in newest.values():
        lines += ladder(run)
    for path in sorted((KEPT / "counters").glob("*.json"), reverse=True):
        lines += counters(results.load(path))
    return finish({PAGE: "\n".join(lines)}, sys.argv[1:] == ["--check"], "tools/textbook_ladder.py")


if __name__ == "__main__":
    sys.exit(main())
