#!/usr/bin/env python3
"""Writes docs/textbook_on_gpu.md, the ladder of the textbook's kernels on a GPU, from the runs kept in bench/results/textbook/ (what
textbook_on_gpu FILE leaves, with driver, cuda, revision and date added). With --check changes nothing; exit status 1 when the page is not
what the kept runs make.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "textbook_on_gpu.md"


def ladder(run):
    times = {}  # stem -> {n: milliseconds}
    for row in run["rows"]:
        times.setdefault(row["stem"], {})[row["n"]] = row["milliseconds"]
    sizes = sorted({row["n"] for row in run["rows"]})
    yield f"## {run['gpu']}"
    yield ""
    yield f"Driver {run['driver']}, CUDA {run['cuda']}, revision {run['revision']}, {run['date']}. {run['checked']} results checked, {len(run['wrong'])} wrong."
    yield ""
    yield "| kernel | " + " | ".join(f"2^{n.bit_length() - 1} ms | GB/s of input" for n in sizes) + " |"
    yield "| :-- |" + " --: |" * (2 * len(sizes))
    for stem in sorted(times, key=lambda stem: -times[stem][sizes[0]]):
        cells = [f"{times[stem][n]:.3f} | {4e-6 * n / times[stem][n]:.0f}" if times[stem].get(n) else "– | –" for n in sizes]
        yield f"| [`{stem}`](algorithms/{stem}.md) | " + " | ".join(cells) + " |"
    yield ""


COUNTERS = {"requests": "global requests", "sectors_loaded": "sectors loaded", "sectors_stored": "sectors stored",
            "shared_wavefronts": "shared wavefronts", "shared_conflicts": "of them conflicts"}


def counters(run):
    """What tools/textbook_counters.py has kept."""
    yield f"## Counters of {run['gpu']} and of the emulator"
    yield ""
    yield f"Nsight Compute beside the emulator, for n = {run['kernels'][0]['n']} in one block; revision {run['revision']}, {run['date']}. Requests and sectors of global memory are the same"
    yield "numbers. Wavefronts are not: the GPU's counter has something else in it (17 in a block of `interleaved`, which never touches shared memory),"
    yield "and what the rest of the difference is, and that of the conflicts, is not explained."
    yield ""
    yield "| kernel | " + " | ".join(f"{name}: GPU | emulator" for name in COUNTERS.values()) + " |"
    yield "| :-- |" + " --: |" * (2 * len(COUNTERS))
    for kernel in run["kernels"]:
        cells = " | ".join(f"{kernel['gpu'][name]} | {kernel['emulator'][name]}" for name in COUNTERS)
        yield f"| [`{kernel['stem']}`](algorithms/{kernel['stem']}.md) | {cells} |"
    yield ""


def main():
    lines = ["# The textbook on a GPU", "",
             "Every kernel of the collection on f32 sums, slowest first: the ladder from naive to single pass, as the literature draws it. These are",
             "kernels to learn from, in the form of their sources; the library's own are in [performance.md](performance.md#on-gpus). A scan moves",
             "twice its input. Made by `tools/textbook_ladder.py` from `bench/results/textbook/`.", ""]
    for path in sorted((ROOT / "bench" / "results" / "textbook").glob("*.json"), reverse=True):
        lines += ladder(json.loads(path.read_text()))
    for path in sorted((ROOT / "bench" / "results" / "textbook" / "counters").glob("*.json"), reverse=True):
        lines += counters(json.loads(path.read_text()))
    page = "\n".join(lines)
    if "--check" in sys.argv:
        return 0 if PAGE.read_text() == page else 1
    PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
