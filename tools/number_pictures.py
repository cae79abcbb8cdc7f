#!/usr/bin/env python3
"""Draws the ten pictures of docs/numbers.md from results of the tool.

    tools/number_pictures.py [--tool build/bin/upsweep] [--check]

--check writes nothing and fails if a picture is out of date.
"""

import json
import math
import struct
import subprocess
import sys

from drawing import BLUE, GREEN, GRAY, ORANGE, PURPLE, short, svg, text
from page_writer import GENERATED, arguments, finish

WIDTH, HEIGHT = 500, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 470, 34, 256
CODES = {"f16": "e", "f32": "f", "f64": "d"}
MINUS = "\N{MINUS SIGN}"


class Tool:
    def __init__(self, path):
        self.path = str(path)

    def __call__(self, *arguments, given=b""):
        command = [self.path, *map(str, arguments)]
        return subprocess.run(command, input=given, capture_output=True, check=False).stdout

    def words(self, values, *arguments):
        """What a command prints for lines of text."""
        return self(*arguments, given="".join(f"{v}\n" for v in values).encode()).decode().split()

    def raw(self, values, dtype, *arguments):
        return self(
            *arguments, "--from", "raw", "--dtype", dtype, given=packed(values, CODES[dtype])
        )

    def scan(self, values, dtype, *arguments, to=None):
        out = self.raw(values, dtype, "scan", *arguments)
        code = CODES[to or dtype]
        return struct.unpack(f"<{len(out) // struct.calcsize(code)}{code}", out)

    def check(self, values, dtype, shuffles=0):
        """The orders of the sum, their values and errors."""
        out = self.raw(values, dtype, "check", "--shuffles", shuffles, "--json")
        return {row["order"]: row for row in json.loads(out)["columns"][0]["sums"]}


def packed(values, code):
    return struct.pack(f"<{len(values)}{code}", *values)


def rounded(value, code):
    """The nearest number of a format."""
    return struct.unpack(f"<{code}", struct.pack(f"<{code}", value))[0]


def loop(values, code):
    """Running sums from left to right, each rounded to the format."""
    total, sums = 0.0, []
    for value in values:
        total = rounded(total + value, code)
        sums.append(total)
    return sums


def uniform(n, seed=12345):
    """Numbers from 0 to 1, with 24 bits each."""
    for _ in range(n):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield (seed >> 40) / 2**24


def lines(ends, color=GRAY, width=1.2, dash=""):
    """Lines of one kind, each given by its ends: x1, y1, x2, y2."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    path = "".join("M{} {}L{} {}".format(*map(short, line)) for line in ends)
    return f'<path d="{path}" stroke="{color}" stroke-width="{width}"{dashes}/>'


def line(x1, y1, x2, y2, *looks):
    return lines([(x1, y1, x2, y2)], *looks)


def polyline(points, color, width=2.4, dash=""):
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    path = "L".join(f"{short(x)} {short(y)}" for x, y in points)
    return f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="{width}"{dashes}/>'


def dot(x, y, color, radius=4.5):
    return f'<circle cx="{short(x)}" cy="{short(y)}" r="{radius}" fill="{color}"/>'


def bold(x, y, words, color, anchor="start"):
    return text(x, y, words, anchor, f' font-weight="600" style="fill:{color}"')


def power(base, exponent):
    sign = MINUS if exponent < 0 else ""
    return f'{base}<tspan dy="-5" font-size="10">{sign}{abs(exponent)}</tspan>'


class Plot:
    """A frame whose axes are linear in what is given: pass logarithms for others."""

    def __init__(self, xs, ys):
        self.xs, self.ys = xs, ys
        self.parts = [line(LEFT, BOTTOM, RIGHT, BOTTOM), line(LEFT, TOP, LEFT, BOTTOM)]

    def at(self, x, y):
        across = (x - self.xs[0]) / (self.xs[1] - self.xs[0])
        up = (y - self.ys[0]) / (self.ys[1] - self.ys[0])
        return LEFT + (RIGHT - LEFT) * across, BOTTOM - (BOTTOM - TOP) * up

    def ticks(self, xs, ys, x_title, y_title):
        for value, label in xs:
            x, _ = self.at(value, self.ys[0])
            self.parts += [line(x, BOTTOM, x, BOTTOM + 5), text(x, BOTTOM + 20, label)]
        for value, label in ys:
            _, y = self.at(self.xs[0], value)
            self.parts += [line(LEFT, y, RIGHT, y, "#e3e7eb"), text(LEFT - 7, y + 5, label, "end")]
        self.parts += [text((LEFT + RIGHT) / 2, HEIGHT - 6, x_title), text(8, 18, y_title, "start")]

    def curve(self, points, color, label, label_at, dash=""):
        self.parts.append(polyline([self.at(*p) for p in points], color, dash=dash))
        x, y = self.at(*label_at)
        self.parts.append(bold(x, y, label, color, "middle"))


def spacing(tool):
    """1: the distance of adjacent float numbers grows with them."""
    plot = Plot((0, 26), (-24, 4))
    points = []
    for k in range(27):
        points += [(k, k - 24), (k, k - 23)] if k else [(0, -23)]
        points.append((min(k + 1, 26), k - 23))
    plot.ticks(
        [(k, power(2, k)) for k in range(0, 27, 4)],
        [(k, power(2, k)) for k in range(-24, 5, 4)],
        "a number of type float",
        "distance to the next one",
    )
    plot.curve(points, BLUE, "", (10, 0))
    x, y = plot.at(24, 1)
    total = tool.words([2**24, 1], "reduce", "--dtype", "f32")[0]
    plot.parts += [dot(x, y, ORANGE), bold(x - 8, y - 14, f"{2**24} + 1 = {total}", ORANGE, "end")]
    return plot.parts


def addition(tool):
    """2: a sum that lies between two numbers is rounded to one of them."""
    parts = [text(20, 26, "Numbers of type double beside 10000000000000000", "start")]

    def place(k):
        return 60 + 66 * k, 250

    parts.append(line(30, 250, 480, 250))
    for k in range(0, 7, 2):
        x, y = place(k)
        label = power(10, 16) if k == 0 else f"+ {k}"
        parts += [line(x, y - 7, x, y + 7, "#1b1f24", 2), text(x, y + 26, label)]
    for row, k in enumerate(range(1, 6)):
        total = tool.words(["1e16", k], "reduce", "--dtype", "f64")[0]
        to = int(float(total)) - 10**16
        y = 60 + 34 * row
        x1, x2 = place(k)[0], place(to)[0]
        parts += [
            text(20, y + 5, f"+ {k}", "start"),
            dot(x1, y, GRAY),
            line(x1, y, x2, y, ORANGE, 2.4),
            dot(x2, y, ORANGE),
            line(x2, y, x2, 243, GRAY, 1, "2 4"),
        ]
    return [*parts, bold(480, 66, "rounded", ORANGE, "end"), text(480, 48, "the sum", "end")]


def order(tool):
    """3: the same numbers in other orders have other sums."""
    values = [1 / k for k in range(1, 100001)]
    rows = tool.check(values, "f64", 3)
    names = [n for n in rows if n != "exact" and n != "growing magnitude"]
    errors = [math.copysign(float(rows[n]["ulps"]), float(rows[n]["error"])) for n in names]
    reach = max(map(abs, errors)) * 1.15
    parts = [text(20, 24, "1 + 1/2 + 1/3 + ... + 1/100000, in seven orders", "start")]
    for i, (name, error) in enumerate(zip(names, errors, strict=True)):
        y = 56 + 28 * i
        x = 330 + 150 * error / reach
        color = GREEN if name == "tree" else ORANGE
        shown = name.removesuffix(" of seed 1")
        parts += [
            text(130, y + 5, shown, "end"),
            line(330, y, x, y, color, 3),
            dot(x, y, color),
            text(150, y + 5, f"{error:+.0f}".replace("-", MINUS), "start"),
        ]
    parts += [line(330, 40, 330, 246, "#1b1f24")]
    return [*parts, text(480, 272, "error, in units in the last place of the exact sum", "end")]


def growth(tool):
    """4: the error of a loop grows with n, that of the tree with its depth."""
    tree, left = [], []
    for k in range(4, 23):
        rows = tool.check([0.1] * (2**k - 1), "f32")
        exact = float(rows["exact"]["sum"])
        for name, to in (("tree", tree), ("left to right", left)):
            error = abs(float(rows[name]["error"])) / exact
            to.append((k, math.log10(max(error, 1e-9))))
    plot = Plot((4, 22), (-9, 0))
    labels = [(-9, "0")] + [(k, power(10, k)) for k in (-7, -5, -3, -1)]
    marks = [(k, power(2, k)) for k in range(4, 23, 3)]
    plot.ticks(marks, labels, "additions of 0.1f", "relative error of the sum")
    x, y = plot.at(4, -8)  # the axis has a break between 0 and the logarithms
    gap = f'<path d="M{x} {short(y - 4)}v8" stroke="#fff" stroke-width="3"/>'
    plot.parts += [gap, *(line(x - 6, y + d + 3, x + 6, y + d - 3) for d in (-4, 4))]
    plot.curve(left, ORANGE, "a loop", (14, -2.2), "7 3")
    plot.curve(tree, GREEN, "the tree", (16, -6.6))
    return plot.parts


def blocks(n):
    """The aligned blocks of a prefix of n elements, the largest first."""
    begin = 0
    while n:
        size = 1 << (n.bit_length() - 1)
        yield begin, begin + size
        begin, n = begin + size, n - size


def tree(tool):
    """5: the combine tree of seven elements, with the value of each node."""
    values = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    parts, at = [], {}

    def node(begin, end, x, y, left, right):
        value = tool.words(values[begin:end], "reduce", "--dtype", "f32")[0]
        for child in (left, right):
            parts.insert(0, line(*at[child], x, y, BLUE if child == left else GRAY, 2))
        at[(begin, end)] = x, y
        halo = ' font-weight="600" style="fill:#fff;stroke:#fff;stroke-width:6"'
        halo = text(x, y + 20, value, "middle", halo)  # covers the lines to the next level
        return halo + bold(x, y + 20, value, GREEN, "middle")

    marks = []
    for i, value in enumerate(values):
        at[(i, i + 1)] = 46 + 66 * i, 44
        marks.append(text(46 + 66 * i, 32, value))
    for size, y in ((2, 92), (4, 150)):
        for begin in range(0, 7 - size + 1, size):
            half = begin + size // 2
            x = (at[(begin, half)][0] + at[(half, begin + size)][0]) / 2
            marks.append(node(begin, begin + size, x, y, (begin, half), (half, begin + size)))
    spans = list(blocks(7))
    front = spans[0]
    for i, span in enumerate(spans[1:]):
        x = (at[front][0] + at[span][0]) / 2 + 20
        marks.append(node(0, span[1], x, 206 + 52 * i, front, span))
        front = (0, span[1])
    return (
        parts + [dot(x, y, GREEN if b - a > 1 else BLUE) for (a, b), (x, y) in at.items()] + marks
    )


def threads(tool):
    """6: whatever thread computes a node, it is the same node."""
    colors, parts = [BLUE, ORANGE, PURPLE], []
    values = [1 / (k + 1) for k in range(16)]
    for row, count in enumerate((1, 2, 3)):
        top, place = 34 + 86 * row, {}
        total = tool.words(values, "reduce", "--dtype", "f32", "--threads", count)[0]
        owner = {(i, i + 1): i * count // 16 for i in range(16)}
        for i in range(16):
            place[(i, i + 1)] = 30 + 21 * i, top
        ends, size = [], 2
        while size <= 16:
            for begin in range(0, 16, size):
                pair = (begin, begin + size // 2), (begin + size // 2, begin + size)
                x = (place[pair[0]][0] + place[pair[1]][0]) / 2
                y = top + 14 * size.bit_length() - 14
                key = (begin, begin + size)
                place[key] = x, y
                same = owner[pair[0]] == owner[pair[1]]
                owner[key] = owner[pair[0]] if same else -1
                ends += [(*place[p], x, y) for p in pair]
            size *= 2
        parts.append(lines(ends))
        for key, (x, y) in place.items():
            parts.append(dot(x, y, colors[owner[key]] if owner[key] >= 0 else "#1b1f24", 3.6))
        words = f"{count} thread" + "s" * (count > 1)
        parts += [text(374, top + 14, words, "start"), bold(374, top + 36, total, GREEN)]
    return parts


def exact(tool):
    """7: an exact sum is rounded once, at the end."""
    values = ["1e16", "1", "1", "-1e16", "0.5"]
    sums = tool.words(values, "scan", "--op", "sum")
    exacts = tool.words(values, "scan", "--op", "exact-sum")
    parts = [
        text(90, 34, "value", "end"),
        text(230, 34, "running sum", "end"),
        text(470, 34, "exact running sum", "end"),
        line(20, 44, 480, 44),
    ]
    for i, (value, plain, right) in enumerate(zip(values, sums, exacts, strict=True)):
        y = 76 + 42 * i
        color = GREEN if plain == right else ORANGE
        parts += [
            text(90, y, value.replace("-", MINUS), "end"),
            bold(230, y, plain, color, "end"),
            bold(470, y, right, GREEN, "end"),
        ]
    return parts


def falls(tool):
    """8: prefix sums of a tree may decrease by a rounding error; a running maximum does not."""
    first, behind = 2**15 - 12, 24  # a block of 2^15 elements is complete in the middle
    weights = [*uniform(first, seed=14), *(v * 4e-4 for v in uniform(behind))]
    sums = tool.scan([rounded(w, "f") for w in weights], "f32")
    highest = tool.scan(sums, "f32", "--op", "max")
    unit = 2.0 ** (math.floor(math.log2(sums[first])) - 23)

    def shown(of):
        return [(i, (of[first + i] - sums[first]) / unit) for i in range(behind)]

    plot = Plot((0, behind - 1), (-0.5, 2.8))
    marks = [(k, first + k) for k in range(0, behind, 6)]
    heights = [(0, "0"), (1, "+1"), (2, "+2")]
    plot.ticks(marks, heights, "elements", "running sum of weights, in units in its last place")
    plot.curve(shown(highest), GREEN, "cumulative_distribution", (15, 1.3))
    plot.curve(shown(sums), ORANGE, "inclusive_scan", (15, -0.35), "5 3")
    return plot.parts + [dot(*plot.at(*p), ORANGE, 3.5) for p in shown(sums)]


def half(tool):
    """9: sums of 16-bit floats are made in 32 bits."""
    ones = [1.0] * 4096
    sums, plain = tool.scan(ones, "f16", to="f32"), loop(ones, "e")
    plot = Plot((0, 4096), (0, 4096))
    marks = [(k, k) for k in range(0, 4097, 1024)]
    plot.ticks(marks, marks, "ones of type float16", "running sum")
    every = range(0, 4096, 64)
    plot.curve([(i + 1, sums[i]) for i in every], GREEN, "upsweep", (2500, 3300))
    plot.curve([(i + 1, plain[i]) for i in every], ORANGE, "a loop in float16", (3300, 1800), "7 3")
    return plot.parts


def special(tool):
    """10: NaN, infinities and zeros with a sign."""
    inputs = [("1", "nan"), ("0", "-0"), ("-0", "-0"), ("inf", "-inf"), ("inf", "1")]
    operators = ["sum", "min", "max", "min-number", "max-number"]
    parts = [line(112, 50, 484, 50)]
    for column, values in enumerate(inputs):
        words = ", ".join(values).replace("-", MINUS)
        parts.append(text(150 + 76 * column, 36, words))
    for row, op in enumerate(operators):
        y = 84 + 42 * row
        parts.append(text(104, y, op, "end"))
        for column, values in enumerate(inputs):
            result = tool.words(values, "reduce", "--op", op)[0]
            color = ORANGE if result == "nan" else GREEN
            parts.append(bold(150 + 76 * column, y, result.replace("-", MINUS), color, "middle"))
    return parts


PICTURES = [spacing, addition, order, growth, tree, threads, exact, falls, half, special]


def main():
    options = arguments(__doc__, tool=True).parse_args()
    tool, files = Tool(options.tool), {}
    for picture in PICTURES:
        title = picture.__doc__.partition(": ")[2].rstrip(".")
        files[GENERATED / "numbers" / f"{picture.__name__}.svg"] = svg(
            WIDTH,
            HEIGHT,
            title[0].upper() + title[1:],
            ['<g font-size="15">', *picture(tool), "</g>"],
        )
    return finish(files, options.check, "tools/number_pictures.py")


if __name__ == "__main__":
    sys.exit(main())
