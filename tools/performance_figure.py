"""The figures of docs/generated/speed/: speed against size, and against the number of threads, for
reduce and scan, as self-contained SVGs.
"""

import math

from drawing import points_of, short, text
from performance_goals import median

WIDTH, HEIGHT, TOP, BOTTOM, LEFT, GAP = 920, 400, 46, 74, 52, 56
PANEL = (WIDTH - LEFT - GAP - 14) / 2
# The palette of Okabe and Ito, safe for color-blind readers. Dashes and widths also tell the lines
# apart.
LINES = [
    ("upsweep", "#0072b2", 3.2, ""),
    ("loop", "#5b6470", 1.6, "2 3"),
    ("std", "#c98a00", 1.6, ""),
    ("tbb", "#d55e00", 1.6, "7 3"),
    ("openmp", "#009e73", 1.6, ""),
    ("numpy", "#b5558a", 1.6, "7 3 2 3"),
    ("cub", "#d55e00", 1.6, ""),
    ("cccl", "#c98a00", 1.6, "7 3"),
    ("thrust", "#009e73", 1.6, "2 3"),
]
PANELS = [("Reduce, sum of f32", "reduce"), ("Inclusive scan, sum of f32", "inclusive_scan")]


class Panel:
    """Logarithmic axes: elements or threads to the right, GB/s upwards. Speeds below a thousandth
    of the largest are cut off.
    """

    def __init__(self, left, counts, speeds):
        self.left, self.counts = left, counts
        self.first, self.last = math.log2(counts[0]), math.log2(counts[-1])
        self.high = max(speeds) * 1.15
        self.low = max(min(speeds) / 1.15, self.high / 1000)

    def x(self, n):
        return self.left + PANEL * (math.log2(n) - self.first) / max(1e-9, self.last - self.first)

    def y(self, speed):
        share = math.log(speed / self.low) / math.log(self.high / self.low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    def line(self, points):
        return points_of((self.x(n), self.y(speed)) for n, speed in points)


def speeds_of(report, cells, name):
    return [
        (c["n"], c["traffic"] / median(c["all"][name]) * 1e-9) for c in cells if name in c["all"]
    ]


def power_of_two(n):
    return f'2<tspan dy="-4" font-size="9">{n.bit_length() - 1}</tspan>'


def axes(panel, title, label=power_of_two):
    bottom, right = HEIGHT - BOTTOM, panel.left + PANEL
    yield f'<text x="{panel.left}" y="{TOP - 16}" font-weight="600" font-size="15">{title}</text>'
    for exponent in range(-3, 4):
        for digit in (1, 2, 5):
            value = digit * 10.0**exponent
            if panel.low <= value <= panel.high:
                y = panel.y(value)
                yield f'<path d="M{panel.left} {short(y)}H{short(right)}" class="grid"/>'
                yield text(panel.left - 6, y + 4, f"{value:g}", "end")
    shown = panel.counts[::-2][::-1] if len(panel.counts) > 8 else panel.counts
    for count in shown:
        x = panel.x(count)
        yield f'<path d="M{short(x)} {TOP}V{bottom}" class="grid"/>'
        yield text(x, bottom + 17, label(count))


def limit_band(panel, points):
    if not points:
        return
    line = panel.line(points)
    yield (
        f'<polygon points="{panel.line([(points[0][0], panel.high)])} {line} '
        f'{panel.line([(points[-1][0], panel.high)])}" class="beyond"/>'
    )
    yield f'<polyline points="{line}" fill="none" class="limit"/>'


def draw_panel(report, left, title, verb):
    cells = report.cells(verb, "sum", ["f32"])
    series = {name: speeds_of(report, cells, name) for name, *_ in LINES}
    limits = [
        (c["n"], c["traffic"] / median(c["all"][report.limit(c)]) * 1e-9)
        for c in cells
        if report.limit(c)
    ]
    counts = [c["n"] for c in cells]
    panel = Panel(
        left, counts, [speed for points in [*series.values(), limits] for _, speed in points]
    )
    yield (
        f'<clipPath id="{verb}"><rect x="{left - 3}" y="{TOP}" width="{short(PANEL + 6)}" '
        f'height="{HEIGHT - TOP - BOTTOM}"/></clipPath>'
    )
    yield from axes(panel, title)
    yield f'<g clip-path="url(#{verb})">'
    yield from limit_band(panel, limits)
    yield "</g>"
    for name, color, width, dash in reversed(LINES):
        if series[name]:
            yield (
                f'<polyline points="{panel.line(series[name])}" fill="none" '
                f'stroke="{color}" stroke-width="{width}" '
                f'stroke-dasharray="{dash}" stroke-linejoin="round" clip-path="url(#{verb})"/>'
            )


def keys(report):
    x, y = 12, HEIGHT - 16
    for name, color, width, dash in LINES:
        if name not in report.title:
            continue
        text = report.title[name].split(",")[0]
        yield (
            f'<line x1="{x}" x2="{x + 26}" y1="{y - 4}" y2="{y - 4}" stroke="{color}" '
            f'stroke-width="{width}" stroke-dasharray="{dash}"/>'
        )
        yield f'<text x="{x + 32}" y="{y}">{text}</text>'
        x += 47 + 6.6 * len(text)
    yield (
        f'<rect x="{x}" y="{y - 10}" width="26" height="12" class="beyond"/><line x1="{x}" '
        f'x2="{x + 26}" y1="{y + 2}" y2="{y + 2}" class="limit"/>'
    )
    yield f'<text x="{x + 32}" y="{y}">above a plain loop or copy</text>'


def page_of(title, across, parts, height=HEIGHT):
    """An SVG with the axes' names."""
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
                'font-family="system-ui, sans-serif" font-size="12">'
            ),
            f"<title>{title}</title>",
            "<style>text{fill:#1b1f24}.grid{stroke:#d8dde3}.limit{stroke:#5b6470;stroke-width:1.2}"
            ".beyond{fill:#5b6470;fill-opacity:.14}</style>",
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
            f'<text x="{LEFT - 40}" y="{TOP - 16}" font-size="12">GB/s</text>',
            f'<text x="{WIDTH / 2}" y="{HEIGHT - 40}" text-anchor="middle">{across}</text>',
            *parts,
            "</svg>",
            "",
        ]
    )


def figure(report):
    """The SVG, or None unless the run has both verbs."""
    if not all(report.cells(verb, "sum", ["f32"]) for _, verb in PANELS):
        return None
    parts = []
    for i, (title, verb) in enumerate(PANELS):
        parts += draw_panel(report, LEFT + i * (PANEL + GAP), title, verb)
    return page_of(
        "Speed in GB/s against the number of elements, on logarithmic axes",
        "elements",
        [*parts, *keys(report)],
    )


# Solid in memory, at the larger size, and dashed in a cache, at the smaller one.
THREAD_LINES = [
    ("upsweep", "Upsweep", "#0072b2", 3.2),
    ("read", "read loop", "#5b6470", 1.6),
    ("copy", "memcpy", "#d55e00", 1.6),
    ("stream", "non-temporal copy", "#009e73", 1.6),
]
PLACES = [("in memory", 1, ""), ("in a cache", 0, "6 4")]


def thread_lines(report, verb):
    """The lines of a panel: their looks and points (threads, GB/s)."""
    for _, index, dash in PLACES:
        cell = report.by_threads(verb)[index]
        for name, _, color, width in THREAD_LINES:
            points = sorted(
                (threads, cell["traffic"] / median(seconds) * 1e-9)
                for (found, threads), seconds in cell["all"].items()
                if found == name
            )
            if points:
                yield (color, width, dash), points


def draw_thread_panel(report, left, title, verb):
    lines = list(thread_lines(report, verb))
    speeds = [speed for _, points in lines for _, speed in points]
    panel = Panel(left, [threads for threads, _ in lines[0][1]], speeds)
    yield from axes(panel, title, str)
    for (color, width, dash), points in reversed(lines):
        yield (
            f'<polyline points="{panel.line(points)}" fill="none" stroke="{color}" '
            f'stroke-width="{width}" stroke-dasharray="{dash}" stroke-linejoin="round"/>'
        )


def thread_keys():
    for row, (place, _, dash) in enumerate(PLACES):
        y = HEIGHT - 16 + 18 * row
        yield f'<text x="{LEFT}" y="{y}">{place}</text>'
        for column, (_, text, color, width) in enumerate(THREAD_LINES):
            x = LEFT + 110 + 170 * column
            yield (
                f'<line x1="{x}" x2="{x + 26}" y1="{y - 4}" y2="{y - 4}" stroke="{color}" '
                f'stroke-width="{width}" stroke-dasharray="{dash}"/>'
            )
            yield f'<text x="{x + 32}" y="{y}">{text}</text>'


def thread_figure(report):
    """The SVG, or None unless the run compares numbers of threads."""
    if not report.compares_threads():
        return None
    parts = []
    for i, (title, verb) in enumerate(PANELS):
        parts += draw_thread_panel(report, LEFT + i * (PANEL + GAP), title, verb)
    return page_of(
        "Speed in GB/s against the number of threads, on logarithmic axes",
        "threads",
        [*parts, *thread_keys()],
        HEIGHT + 18,
    )
