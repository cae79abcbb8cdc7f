#!/usr/bin/env python3
"""Stores the counters of Nsight Compute (gpu_check.sh --counters) together with those of the
emulator.

    tools/textbook_counters.py COUNTERS.csv UPSWEEP

UPSWEEP is the tool; the result is bench/results/textbook/counters/DATE.json.

tools/textbook_ladder.py writes the page. textbook_on_gpu runs each kernel on ascending sizes from
1; the launch for n = 256, the seventh, with one block of 256 threads, is the one that is compared.
"""

import csv
import datetime
import json
import pathlib
import re
import subprocess
import sys

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAUNCH, N = 6, 256
METRICS = {
    "requests": [
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    ],
    "sectors_loaded": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    "sectors_stored": ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    "shared_requests": [
        f"sm__sass_inst_executed_op_shared_{operation}.sum" for operation in ("ld", "st")
    ],
    "shared_conflicts": [
        f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{operation}.sum"
        for operation in ("ld", "st")
    ],
    "shared_wavefronts": [
        f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{operation}.sum"
        for operation in ("ld", "st")
    ],
}


def on_gpu(path):
    """A dictionary from stem to its launches in order, each a row of the report."""
    rows = list(csv.reader(open(path, errors="replace")))
    header = next(row for row in rows if row and row[0] == "ID")
    launches = {}
    for row in rows:
        if row and row[0].isdigit():
            fields = dict(zip(header, row))
            launches.setdefault(
                re.match(r"(?:void )?(\w+)", fields["Kernel Name"]).group(1), []
            ).append(fields)
    return launches


def on_emulator(tool, stem):
    report = json.loads(
        subprocess.run(
            [tool, "run", stem, "-n", str(N), "--block", str(N), "--json"],
            check=True,
            capture_output=True,
        ).stdout
    )
    counters = next(launch["counters"] for launch in report["launches"] if launch["name"] == stem)
    return {name: counters["global_requests" if name == "requests" else name] for name in METRICS}


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    kept = []
    for stem, launches in on_gpu(sys.argv[1]).items():
        number = lambda name: int(launches[LAUNCH][name].replace(",", ""))  # noqa: E731
        kept.append(
            {
                "stem": stem,
                "n": N,
                "gpu": {name: sum(map(number, metrics)) for name, metrics in METRICS.items()},
                "emulator": on_emulator(sys.argv[2], stem),
            }
        )
    folder = ROOT / "bench" / "results" / "textbook" / "counters"
    folder.mkdir(exist_ok=True)
    device = launches[0].get("device__attribute_display_name", "NVIDIA H200")
    revision = subprocess.run(
        ["git", "rev-parse", "--short=10", "HEAD"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    report = {
        "gpu": device,
        "revision": revision,
        "date": datetime.date.today().isoformat(),
        "kernels": kept,
    }
    (folder / f"{report['date']}.json").write_text(results.text_of(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
