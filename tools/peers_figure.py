"""The figure of the verbs beside other libraries: for every case how many times as fast as the best
of them, or as one of them, Upsweep is.
"""

import math

from drawing import BLUE, GREEN, ORANGE, PURPLE, short, svg, text
from performance_goals import power

WIDTH, LEFT, RIGHT, TOP, ROW = 920, 150, 900, 64, 22
TICKS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


def elements(n):
    return f"{power(n)} elements"


def peers_figure(gains, peer="the peer", size_name=elements):
    """`gains` has for each verb pairs of a size and a ratio; an SVG with a row for each verb."""
    best = peer.replace("the ", "the best ")
    ratios = [gain for pairs in gains.values() for _, gain in pairs]
    first = max((t for t in TICKS if t <= min(ratios)), default=TICKS[0])
    last = min((t for t in TICKS if t >= max(ratios)), default=TICKS[-1])
    bottom = TOP + ROW * len(gains)

    def x(gain):
        share = math.log(min(max(gain, first), last) / first) / math.log(last / first)
        return LEFT + (RIGHT - LEFT) * share

    sizes = sorted({n for pairs in gains.values() for n, _ in pairs})
    looks = dict(zip(sizes, (ORANGE, BLUE, GREEN, PURPLE), strict=False))
    parts = [
        text(LEFT, 22, f"times as fast as {best}; each mark is a case", "start"),
        f'<rect x="{LEFT}" y="{TOP}" width="{short(x(1) - LEFT)}" height="{bottom - TOP}" '
        'fill="#5b6470" fill-opacity=".12"/>',
        text(x(1) - 8, TOP - 24, f"{peer} is faster", "end"),
        text(x(1) + 8, TOP - 24, "Upsweep is faster", "start"),
    ]
    for tick in (t for t in TICKS if first <= t <= last):
        parts += [
            f'<path d="M{short(x(tick))} {TOP}V{bottom}" class="grid"/>',
            text(x(tick), TOP - 6, f"{tick:g}"),
            text(x(tick), bottom + 16, f"{tick:g}"),
        ]
    marks = {n: "" for n in sizes}
    for row, (verb, pairs) in enumerate(gains.items()):
        y = TOP + ROW * (row + 0.5)
        parts.append(text(LEFT - 10, y + 4, verb, "end"))
        for n, gain in pairs:
            cy = y - 3 + 6 * (n == sizes[-1])
            marks[n] += f'<circle cx="{short(x(gain))}" cy="{short(cy)}" r="4"/>'
    parts += [f'<g fill="{looks[n]}" fill-opacity=".75">{drawn}</g>' for n, drawn in marks.items()]
    for place, n in enumerate(sizes):
        at = LEFT + 180 * place
        parts += [
            f'<circle cx="{at + 4}" cy="{bottom + 38}" r="4" fill="{looks[n]}"/>',
            text(at + 16, bottom + 42, size_name(n), "start"),
        ]
    title = f"Every verb beside {best}, on a logarithmic axis"
    return svg(WIDTH, bottom + 56, title, parts)
