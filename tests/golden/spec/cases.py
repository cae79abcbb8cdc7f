"""The verbs and the recipe of docs/spec/golden.md: from a line of the recipe to its result."""

import bisect
import hashlib
import itertools
import math
import operator
import pathlib

from spec.inputs import SECOND, inputs, run_starts, segment_starts
from spec.numbers import F64, I32, INF, M64, NAN, TYPES, U64
from spec.operators import operator_named, recurrence
from spec.tree import Refused, combined


FOLDER = pathlib.Path(__file__).parents[1]


def array(rows, types=(U64,)):
    """The text of an array of numbers or tuples of numbers."""
    rows = [row if isinstance(row, (tuple, list)) else (row,) for row in rows]
    data = [t.pattern(x).to_bytes(t.bits // 8, "big") for row in rows for t, x in zip(types, row)]
    if len(data) > 6:
        return "#" + hashlib.sha256(b"".join(x[::-1] for x in data)).hexdigest()[:16]
    texts = zip(*[iter([x.hex() for x in data])] * len(types))
    return ",".join(map(":".join, texts)) or "-"


class Case:
    def __init__(self, verb, words):
        self.verb = verb
        self.words = {"initial": "none", "reverse": "no", "out": "result", "closed": "no"} | words
        self.shape = [int(s) for s in self.words.get("shape", words.get("n")).split("x")]
        self.n = math.prod(self.shape)
        self.t = TYPES[words["type"].rpartition("-")[2]]
        self.bits, values = inputs(words["type"], words["kind"], self.n)
        self.x, self.extra = values[: self.n], values[self.n :]

    def __getitem__(self, key):
        return int(self.words[key]) if self.words[key].isdigit() else self.words[key]

    def operator(self):
        if "op" in self.words:
            return operator_named(self["op"], self.t)
        given = map(float if self.t.is_float else int, self.words["coefficients"].split(":"))
        return recurrence(self.t, [self.t.round(a) for a in given])

    def initial(self, op):
        if self["initial"] == "none":
            return None
        if op.trait == "initial is first":
            return self.extra[: len(op.identity[0])], 1
        return op.lift(self.extra[0], M64)

    def pieces(self):
        """The positions of the elements of each reduction or scan."""
        starts = [0, self.n]
        if self.verb == "windowed":
            return [range(i, i + self["width"]) for i in range(self.n - self["width"] + 1)]
        if self.verb.endswith("_lines"):
            stride, length = math.prod(self.shape[self["axis"] + 1 :]), self.shape[self["axis"]]
            firsts = [i for i in range(self.n) if i // stride % length == 0]
            return [range(i, i + length * stride, stride) for i in firsts]
        if self.verb.endswith("_segments"):
            starts = segment_starts(self.n, self["cut"])
        if self.verb.endswith("_runs"):
            starts = run_starts(self.keys()[0]) + [self.n]
        return list(map(range, starts, starts[1:]))

    def keys(self):
        if self["keys"] == "few":
            return inputs("f64", "few", self.n, SECOND)[1][: self.n], F64
        starts = segment_starts(self.n, self["keys"])
        return [(bisect.bisect(starts, i) - 1) % 3 for i in range(self.n)], I32

    def results(self):
        """Of reductions and scans."""
        op, pieces, backwards = self.operator(), self.pieces(), self["reverse"] == "yes"
        rows = combined(self.verb, op, self.x, pieces, self.initial(op), backwards)
        rows = rows[0] if self["type"] == "text" else rows
        text = array(rows, [self.t] if self["out"] == "element" else op.types)
        if self.verb != "reduce_runs":
            return text
        keys, t = self.keys()
        return array([keys[piece[0]] for piece in pieces], [t]) + " " + text

    def bins(self):
        """The bin of each element, or where it is else."""
        k, (edges, *ends) = self["bins"], self["edges"].split(":")
        borders = [-50 + 0.375 * b * (b + 1) / 2 for b in range(k + 1)]
        if edges == "even":
            low, high = map(float, ends)
            borders = [low + b * ((high - low) / k) for b in range(k)] + [high]
        names = ["below", *range(k), "above"]
        for x in self.x:
            at_end = self["closed"] == "right" and x == borders[-1]
            yield "NaN" if x != x else k - 1 if at_end else names[bisect.bisect(borders, x)]

    def histogram(self):
        bins = list(self.bins())
        results = array(map(bins.count, range(self["bins"])))
        if self.verb == "weighted_histogram":
            weights = inputs(self["weights"], self["wkind"], self.n, SECOND)[1]
            pieces = [[i for i, b in enumerate(bins) if b == k] for k in range(self["bins"])]
            op = operator_named(self["op"], TYPES[self["weights"]])
            results = array(combined("reduce", op, weights, pieces), op.types)
        return results + " " + array(map(bins.count, ("below", "above", "NaN")))

    def count_indices(self):
        indices = [b % self["bins"] for b in self.bits[: self.n]]
        return array(map(indices.count, range(self["bins"])))

    def moved(self, positions):
        """The text of elements that keep all their bits."""
        return array([self.bits[i] for i in positions], [TYPES["u%d" % self.t.bits]])

    def passing(self):
        """The positions of the elements that pass, and of those that do not."""
        passes = [b & 1 == 1 for b in self.bits[: self.n]]
        if self["test"] == "positive":
            passes = [x > 0 for x in self.x]
        return [[i for i, y in enumerate(passes) if y == wanted] for wanted in (True, False)]

    def runs(self):
        starts = run_starts(self.x if self["equal"] == "value" else self.bits[: self.n])
        lengths = map(operator.sub, starts[1:] + [self.n], starts)
        return " ".join([self.moved(starts), array(starts), array(lengths)])

    def order(self, order):
        """The positions of the sorted elements."""
        keys, t = self.x, self.t
        if t.is_float:
            keys = [b ^ (t.mask if b & t.sign else t.sign) for b in self.bits]
        return sorted(range(self.n), key=keys.__getitem__, reverse=order == "down")

    def quantile(self):
        if self.n == 0:
            raise Refused("refused")
        s = [float(self.x[i]) for i in self.order("up")]
        position = float(self["q"]) * (self.n - 1)
        k = min(math.floor(position), self.n - 1)
        part, lower, upper = position - k, s[k], s[min(k + 1, self.n - 1)]
        d = upper - lower
        if any(x != x for x in s):
            return NAN
        if lower == upper or part == 0:
            return lower
        if not d < INF:
            return lower * (1 - part) + upper * part
        return lower + d * part if part < 0.5 else upper - d * (1 - part)

    def cumulative_distribution(self):
        op = operator_named("sum", self.t)
        sums = combined("inclusive_scan", op, self.x, [range(self.n)], self.initial(op))
        return array(itertools.accumulate(sums, max), op.types)

    def rows(self, length):
        """The positions of rows of that length; those of added elements are n."""
        rows, columns = self.shape
        index = lambda r, c: r * columns + c if c < columns else self.n
        return [index(r, c) for r in range(rows) for c in range(length)]


VERBS = {  # those that are neither reductions nor scans
    "histogram": Case.histogram,
    "weighted_histogram": Case.histogram,
    "count_indices": Case.count_indices,
    "select": lambda c: c.moved(c.passing()[0]),
    "select_positions": lambda c: array(c.passing()[0]),
    "partition": lambda c: " ".join(map(c.moved, c.passing())),
    "runs": Case.runs,
    "sort": lambda c: c.moved(c.order(c["order"])) + " " + array(c.order(c["order"])),
    "top": lambda c: c.moved(c.order(c["order"])[: c["count"]]),
    "quantile": lambda c: array([c.quantile()], [F64]),
    "cumulative_distribution": Case.cumulative_distribution,
    "pad": lambda c: c.moved(c.rows(c["padded"])),
    "unpad": lambda c: c.moved(c.rows(c["columns"])),
}


def cases_of_recipe(name):
    """Each case as its text, its verb and its words."""
    lists = {}
    entries = lambda text: [e for name in text.split(",") for e in lists.get(name, [name])]
    recipe = (FOLDER / name).read_text(encoding="ascii")
    lines = [line.split() for line in recipe.splitlines() if line[0] != "#"]
    for first, *more in lines:
        if first == "list":
            lists["@" + more[0]] = entries(more[1])
            continue
        keys, values = zip(*[word.split("=") for word in more])
        for verb, *chosen in itertools.product(*map(entries, (first, *values))):
            words = dict(zip(keys, chosen))
            yield " ".join([verb] + ["%s=%s" % word for word in words.items()]), verb, words


def golden_set(recipe, every=1):
    """The lines of the set; those that are not one of `every` end before their result."""
    for number, (text, verb, words) in enumerate(cases_of_recipe(recipe)):
        if number % every != 0:
            yield text + " => "
            continue
        try:
            result = VERBS.get(verb, Case.results)(Case(verb, words))
        except Refused as reason:
            result = reason
        yield "%s => %s\n" % (text, result)
