"""A model of a core of tasklets: from the emulator's counts to cycles, and SSA against RSS by it.
docs/algorithms/tasklet_ssa.md has the formula.
"""

import math

import page_writer
from drawing import BLUE, GREEN, GRAY, ORANGE, PURPLE, short, svg, text

TASKLETS, CACHE = 16, 16  # of core_shape in upsweep/textbook/tasklets.hpp
INSTRUCTION_DISTANCE = 11  # cycles between two instructions of one tasklet
HERTZ = 425e6
READ_START, WRITE_START, CYCLES_PER_BYTE = 77, 61, 0.5  # of a transfer to or from main memory
LOOP = 2  # instructions around an application: index and branch


def cycles_of(launch, element_bytes, transfer_bytes):
    """The cycles of one core that takes the launch's blocks in turn, if only one thing limited it:
    issue, the chain of dependent applications, transfers. The largest is the model's answer.
    """
    c = launch["counters"]
    apply = max(1, element_bytes // 4) + LOOP
    instructions = (
        c["shared_loads"]
        + c["shared_stores"]
        + c["global_loads"]
        + c["global_stores"]
        + c["applications"] * apply
        + c["atomics"]
        + c["barriers"] * TASKLETS
    )
    per_cycle = min(1, TASKLETS / INSTRUCTION_DISTANCE)
    chain = c["span"] * launch["blocks"] * (apply + 2) * INSTRUCTION_DISTANCE
    transfers = 0
    for elements, start in ((c["global_loads"], READ_START), (c["global_stores"], WRITE_START)):
        size = elements * element_bytes
        transfers += math.ceil(size / transfer_bytes) * start + size * CYCLES_PER_BYTE
    return {"issue": instructions / per_cycle, "chain": chain, "transfers": transfers}


SIZES = [1024, 2048, 4096, 16384, 65536]
COLORS = {
    "tasklet_scan": BLUE,
    "tasklet_add": ORANGE,
    "tasklet_reduce": GREEN,
    "tasklet_scan_from": PURPLE,
}


def runs_of(tool):
    """{(stem, n): [(kernel, {transfer bytes: cycles})]} of 64-bit integers."""
    runs = {}
    for stem in ("tasklet_ssa", "tasklet_rss"):
        for n in SIZES:
            run = tool("run", stem, "-n", n, "--dtype", "i64")
            runs[stem, n] = [
                (launch["name"], {t: cycles_of(launch, 8, t) for t in (128, 1024)})
                for launch in run["launches"]
            ]
    return runs


def figure(runs):
    """Cycles per element by kernel, for transfers of 128 and of 1024 bytes."""
    width, height, top, bottom, left, gap = 920, 400, 46, 96, 44, 48
    panel = (width - left - gap - 10) / 2
    high = 45
    parts = []

    def y(cycles):
        return height - bottom - (height - top - bottom) * cycles / high

    names = []
    for i, size in enumerate((128, 1024)):
        at = left + i * (panel + gap)
        parts.append(
            text(
                at,
                top - 16,
                f"Cycles per element, transfers of {size} bytes",
                "start",
                ' font-weight="600" font-size="15"',
            )
        )
        for value in range(0, high + 1, 10):
            parts.append(
                f'<path class="grid" d="M{at} {short(y(value))}h{short(panel)}"/>'
                + text(at - 6, y(value) + 4, value, "end", ' font-size="11"')
            )
        step = panel / len(SIZES)
        for k, n in enumerate(SIZES):
            for j, stem in enumerate(("tasklet_ssa", "tasklet_rss")):
                x, below = at + k * step + 8 + j * (step / 2 - 6), 0.0
                for name, cycles in runs[stem, n]:
                    share = max(cycles[size].values()) / n
                    if name not in names:
                        names.append(name)
                    parts.append(
                        f'<rect x="{short(x)}" y="{short(y(below + share))}" '
                        f'width="{short(step / 2 - 10)}" '
                        f'height="{short(y(below) - y(below + share))}" '
                        f'fill="{COLORS.get(name, GRAY)}" stroke="#fff"/>'
                    )
                    below += share
                middle = x + (step / 2 - 10) / 2
                parts.append(text(middle, y(below) - 5, f"{below:.0f}", more=' font-size="11"'))
                parts.append(
                    text(middle, height - bottom + 16, stem[-3:].upper(), more=' font-size="11"')
                )
            parts.append(text(at + (k + 0.5) * step, height - bottom + 34, f"{n:,}"))
    parts.append(text(width / 2, height - bottom + 54, "elements on one core"))
    along = left
    for name in names:
        parts.append(
            f'<rect x="{along}" y="{height - 24}" width="14" height="14" '
            f'fill="{COLORS.get(name, GRAY)}"/>' + text(along + 20, height - 12, name, "start")
        )
        along += 50 + 7.6 * len(name)
    return svg(width, height, "SCAN-SSA against SCAN-RSS on a core of tasklets", parts)


def table(runs):
    rows = []
    for n in SIZES:
        ssa, rss = (
            sum(max(cycles[1024].values()) for _, cycles in runs[stem, n])
            for stem in ("tasklet_ssa", "tasklet_rss")
        )
        times = (f"{ssa / HERTZ * 1e3:.3f}", f"{rss / HERTZ * 1e3:.3f}")
        rows.append(
            [f"{n:,}", f"{ssa:,.0f}", times[0], f"{rss:,.0f}", times[1], f"{ssa / rss:.2f}"]
        )
    return page_writer.table(
        ["elements", "SSA cycles", "ms", "RSS cycles", "ms", "SSA / RSS"], rows, 0
    )
