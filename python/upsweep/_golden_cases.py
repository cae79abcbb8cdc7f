"""The cases of the golden set by the functions of this package: `upsweep.golden` runs them."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

import numpy as np

import upsweep
from upsweep._golden_inputs import bfloat16, elements, patterns_of, segment_offsets, type_named

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, Any]

U64 = np.dtype(np.uint64)
NARROW = ("float16", "bfloat16")  # the results of their sums and extrema are in float32
OPERATORS = (
    "sum product min max min_number max_number bit_and bit_or bit_xor all any parity argmin argmax "
    "gcd checked_sum checked_product exact_sum"
).split()


class NotCovered(Exception):
    """The package has no function for the case."""


def not_covered_unless(condition: bool) -> None:
    if not condition:
        raise NotCovered


class Case:
    """A case: its words and their meaning."""

    def __init__(self, verb: str, keys: list[str], values: list[str], threads: int | None) -> None:
        self.verb, self.keys = verb, dict(zip(keys, values))
        self.text = " ".join([verb, *(f"{k}={v}" for k, v in self.keys.items())])
        self.threads = threads
        self.shape = [int(extent) for extent in self.keys.get("shape", "").split("x") if extent]
        self.n = int(np.prod(self.shape)) if self.shape else int(self.keys["n"])
        self.op = self.keys.get("op", "").replace("-", "_")

    def __getitem__(self, key: str) -> str:
        return self.keys.get(key, "")

    def prepare(self) -> None:
        """Makes the elements, and those after the last."""
        if self["type"].startswith("xy-"):
            return
        not_covered_unless("-" not in self["type"] and self["type"] != "text")
        not_covered_unless(self["type"] != "bf16" or bfloat16 is not None)
        self.type = type_named(self["type"])
        x = elements(self.type, self["kind"], self.n, 8)
        self.x, self.after = x[: self.n], x[self.n :]

    @property
    def how(self) -> dict[str, Any]:
        """The options of a call."""
        how: dict[str, Any] = {"threads": self.threads}
        if self["reverse"] == "yes":
            how["reverse"] = True
        if self["initial"] == "next":
            how["initial"] = self.after[0].item()
        return how


# ---- The text of results ----


def text_of(*parts: Array, moved: bool = False) -> str:
    """The text of an array whose elements have one number of each part."""
    count = len(parts[0])
    if count == 0:
        return "-"
    bits = [patterns_of(part, canonical=not moved) for part in parts]
    if count * len(parts) <= 6:
        digits = [[f"{int(b):0{2 * part.dtype.itemsize}x}" for b in part] for part in bits]
        return ",".join(":".join(row) for row in zip(*digits))
    rows = np.empty(count, [(str(k), part.dtype.newbyteorder("<")) for k, part in enumerate(bits)])
    for k, part in enumerate(bits):
        rows[str(k)] = part
    return "#" + hashlib.sha256(rows.tobytes()).hexdigest()[:16]


def result_type(op: str, type: np.dtype) -> np.dtype:
    """The type of an operator's results in the set."""
    if op in ("all", "any", "parity"):
        return np.dtype(np.uint8)
    wide = np.dtype(np.float32) if type.name in NARROW else type
    if type.kind not in "iu" or op in ("min", "max", "min_number", "max_number") or "bit_" in op:
        return wide
    if op in ("exact_sum", "log_sum_exp"):
        return np.dtype(np.float64)
    return np.dtype(np.uint64 if type.kind == "u" or op == "gcd" else np.int64)


def results(c: Case, out: Any) -> str:
    """Results of the operator of a case, which the package may store in another type."""
    out = np.atleast_1d(np.asarray(out)).reshape(-1)
    want = result_type(c.op, c.type)
    if c["out"] == "element":
        want = c.type
    # Some results have a type that NumPy's have, with the same values.
    same = out.dtype == want or out.dtype == bool or np.can_cast(out.dtype, want, "safe")
    not_covered_unless(same or out.dtype.name in NARROW)
    return text_of(out.astype(want))


# ---- Reductions and scans ----


def positions(c: Case, at: Any, begin: Any = 0) -> str:
    """Positions of extrema, and their values."""
    at = np.atleast_1d(np.asarray(at)).reshape(-1).astype(U64)
    none = at == np.uint64(2**64 - 1)
    not_covered_unless(not none.any())
    values = c.x[(at + np.asarray(begin, U64)).astype(np.int64)]
    return text_of(values.astype(result_type("min", c.type)), at)


def whole(c: Case) -> str:
    how = c.how
    if c["out"] == "element":
        how["dtype"] = c.type
    if c.verb == "reduce":
        # NumPy's functions have no result for no elements where the library's have the identity.
        none = c.n == 0 and c["initial"] != "next"
        not_covered_unless(not (none and c.op in ("min", "max", "min_number", "max_number")))
        if c.op in ("argmin", "argmax"):
            return positions(c, upsweep.reduce(c.x, c.op, **how))
        return results(c, upsweep.reduce(c.x, c.op, **how))
    exclusive = c.verb == "exclusive_scan"
    out = upsweep.scan(c.x, c.op, exclusive=exclusive, **how)
    return positions(c, out) if c.op in ("argmin", "argmax") else results(c, out)


def in_segments(c: Case, offsets: Array) -> str:
    if c.verb.startswith("reduce"):
        return results(c, upsweep.segment_reduce(c.x, offsets, c.op, **c.how))
    exclusive = c.verb.startswith("exclusive")
    out = upsweep.segment_scan(c.x, offsets, c.op, exclusive=exclusive, **c.how)
    if c.op in ("argmin", "argmax"):
        return positions(c, out, np.repeat(offsets[:-1], np.diff(offsets)))
    return results(c, out)


def segments(c: Case) -> str:
    return in_segments(c, segment_offsets(c.n, c["cut"]))


def runs_of_keys(c: Case) -> str:
    """Consecutive equal keys are segments: keys of the package's groups need not be adjacent."""
    if c["keys"] == "few":
        keys = elements(np.dtype(np.float64), "few", c.n, 0, 1)
    else:
        offsets = segment_offsets(c.n, c["keys"])
        keys = np.repeat(np.arange(len(offsets) - 1) % 3, np.diff(offsets)).astype(np.int32)
    firsts, lengths = upsweep.runs(keys, threads=c.threads)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    out = in_segments(c, offsets)
    return f"{text_of(firsts)} {out}" if c.verb == "reduce_runs" else out


def windows(c: Case) -> str:
    out = upsweep.windowed(c.x, int(c["width"]), c.op, **c.how)
    if c.op in ("argmin", "argmax"):
        return positions(c, out, np.arange(len(out)))
    return results(c, out)


def lines(c: Case) -> str:
    x, axis = c.x.reshape(c.shape), int(c["axis"])
    not_covered_unless(c.op not in ("argmin", "argmax"))
    if c.verb == "reduce_lines":
        return results(c, upsweep.reduce(x, c.op, axis, **c.how))
    exclusive = c.verb == "exclusive_scan_lines"
    return results(c, upsweep.scan(x, c.op, axis=axis, exclusive=exclusive, **c.how))


STATISTICS: dict[str, Callable[..., Any]] = {
    "mean": upsweep.mean,
    "var": upsweep.var,
    "std": upsweep.std,
    "sample_var": lambda x, **how: upsweep.var(x, correction=1, **how),
    "sample_std": lambda x, **how: upsweep.std(x, correction=1, **how),
    "skewness": upsweep.skew,
    "kurtosis": upsweep.kurtosis,
    "sample_skewness": lambda x, **how: upsweep.skew(x, bias=False, **how),
    "sample_kurtosis": lambda x, **how: upsweep.kurtosis(x, bias=False, **how),
}
STATISTICS_OF_PAIRS: dict[str, Callable[..., Any]] = {
    "covariance": upsweep.covariance,
    "sample_covariance": lambda x, y, **how: upsweep.covariance(x, y, correction=1, **how),
    "correlation": upsweep.correlation,
    "slope": lambda x, y, **how: upsweep.linear_regression(x, y, **how).slope,
    "intercept": lambda x, y, **how: upsweep.linear_regression(x, y, **how).intercept,
}


def statistic(c: Case) -> str:
    """Results that are derived from moments, in f64."""
    not_covered_unless(c.n > 0 or c.op != "mean")  # NaN, as NumPy's
    return text_of(np.atleast_1d(STATISTICS[c.op](c.x, threads=c.threads)))


def statistic_of_pairs(c: Case) -> str:
    not_covered_unless(c["type"] == "xy-f64")
    numbers = elements(np.dtype(np.float64), c["kind"], c.n, 0, parts=2).reshape(-1, 2)
    x, y = np.ascontiguousarray(numbers[:, 0]), np.ascontiguousarray(numbers[:, 1])
    return text_of(np.atleast_1d(STATISTICS_OF_PAIRS[c.op](x, y, threads=c.threads)))


def smallest_and_largest(c: Case) -> str:
    not_covered_unless(c.n > 0)
    low, high = upsweep.minmax(c.x, threads=c.threads)
    type = result_type("min", c.type)
    return text_of(*(np.atleast_1d(e).astype(type) for e in (low, high)))


def log_of_sum(c: Case) -> str:
    not_covered_unless(c["initial"] != "next")
    out = np.atleast_1d(upsweep.logsumexp(c.x, threads=c.threads))
    return text_of(out.astype(result_type("log_sum_exp", c.type)))


def recurrence(c: Case) -> str:
    """Of the first order; `lfilter` may choose a loop, which has other bits."""
    not_covered_unless(":" not in c["coefficients"] and c.type.kind == "f")
    if c["initial"] != "next" and c.n == 0:
        return text_of(np.zeros(int(c.verb == "reduce"), c.type))
    a = c.type.type(c["coefficients"])
    out = np.asarray(upsweep.linear_recurrence(a, c.x, **c.how))
    first = np.array([c.after[0] if c["initial"] == "next" else 0], c.type)
    out = np.concatenate([first, out])  # the result before the first element, too
    part = {"reduce": out[-1:], "inclusive_scan": out[1:], "exclusive_scan": out[:-1]}[c.verb]
    return text_of(part)


def distribution(c: Case) -> str:
    not_covered_unless(c.type == np.float64 and c["initial"] != "next")
    return text_of(upsweep.cumulative_distribution(c.x, threads=c.threads))


# ---- Selections, orders, counts ----


def selection(c: Case) -> str:
    odd = (patterns_of(c.x) & np.ones(1, patterns_of(c.x).dtype)) != 0
    flags = odd if c["test"] == "odd" else np.asarray(c.x > c.type.type(0))
    if c.verb == "select_positions":
        return text_of(upsweep.select(np.arange(c.n, dtype=U64), flags, threads=c.threads))
    if c.verb == "select":
        return text_of(upsweep.select(c.x, flags, threads=c.threads), moved=True)
    both = upsweep.partition(c.x, flags, threads=c.threads)
    return " ".join(text_of(part, moved=True) for part in both)


def runs(c: Case) -> str:
    x = patterns_of(c.x) if c["equal"] == "bits" else c.x
    values, lengths = upsweep.runs(x, threads=c.threads)
    starts = np.cumsum(lengths) - lengths
    return " ".join(
        [text_of(values, moved=True), text_of(starts.astype(U64)), text_of(lengths.astype(U64))]
    )


def order(c: Case) -> str:
    if c.verb == "quantile":
        return text_of(np.atleast_1d(upsweep.quantile(c.x, float(c["q"]), threads=c.threads)))
    if c.verb == "top":
        count = min(c.n, int(c["count"]))
        smallest = c["order"] == "up"
        return text_of(upsweep.top(c.x, count, smallest=smallest, threads=c.threads), moved=True)
    how: dict[str, Any] = {"descending": c["order"] == "down", "threads": c.threads}
    at = upsweep.argsort(c.x, **how).astype(U64)
    ordered = text_of(upsweep.sort(c.x, **how), moved=True)
    keys, moved = upsweep.sort_by_key(c.x, np.arange(c.n, dtype=U64), **how)
    if text_of(keys, moved=True) != ordered or not np.array_equal(moved, at):
        return "sort, argsort, sort_by_key differ"
    return f"{ordered} {text_of(at)}"


def counts(c: Case) -> str:
    """The package has NumPy's last bin, which includes its upper edge."""
    not_covered_unless(c["closed"] == "right")
    count = int(c["bins"])
    even, _, edges = c["edges"].partition(":")
    b = np.arange(count + 1)
    bins = (
        {"bins": count, "range": tuple(float(e) for e in edges.split(":"))}
        if even == "even"
        else {"bins": -50 + 0.375 * (b * (b + 1) // 2)}
    )
    if c.verb == "histogram":
        out, borders = upsweep.histogram(c.x, **bins, threads=c.threads)
        text = text_of(out.astype(U64))
    else:
        weights = elements(type_named(c["weights"]), c["wkind"], c.n, 0, 1)
        out, borders = upsweep.weighted_histogram(c.x, weights, **bins, op=c.op, threads=c.threads)
        text = text_of(out.astype(result_type(c.op, weights.dtype)))
    not_covered_unless(c["type"] not in ("i64", "u64") or c["kind"] == "small")
    x = c.x.astype(np.float64)  # exact: the elements of kind small, and floats
    outside = [x < borders[0], x > borders[-1], x != x]
    three = [upsweep.count_nonzero(flags, threads=c.threads) for flags in outside]
    return f"{text} {text_of(np.array(three, U64))}"


def indices(c: Case) -> str:
    bins = int(c["bins"])
    x = (patterns_of(c.x).astype(U64) % np.uint64(bins)).astype(c.type)
    return text_of(upsweep.bincount(x, minlength=bins, threads=c.threads).astype(U64))


VERBS: dict[str, Callable[[Case], str]] = {
    **dict.fromkeys(("reduce", "inclusive_scan", "exclusive_scan"), whole),
    **dict.fromkeys(("select", "select_positions", "partition"), selection),
    **dict.fromkeys(("sort", "top", "quantile"), order),
    **dict.fromkeys(("histogram", "weighted_histogram"), counts),
    "runs": runs,
    "windowed": windows,
    "count_indices": indices,
    "cumulative_distribution": distribution,
}
# Reductions by functions of their own.
OWN: dict[str, Callable[[Case], str]] = {
    **dict.fromkeys(STATISTICS, statistic),
    "minmax": smallest_and_largest,
    "log_sum_exp": log_of_sum,
}
FORMS = {"_segments": segments, "_runs": runs_of_keys, "_lines": lines}


def computed(c: Case) -> str | None:
    """The text of the results of a case, or None if the package does not have it."""
    try:
        c.prepare()
        if c["coefficients"]:
            not_covered_unless(c.verb in ("reduce", "inclusive_scan", "exclusive_scan"))
            return recurrence(c)
        if c["type"].startswith("xy-"):
            not_covered_unless(c.verb == "reduce" and c.op in STATISTICS_OF_PAIRS)
            return statistic_of_pairs(c)
        if c.verb == "reduce" and c.op in OWN:
            return OWN[c.op](c)
        not_covered_unless(not c.op or c.op in OPERATORS)
        not_covered_unless(c.op != "exact_sum" or c.type.kind not in "iu")
        form = next((f for end, f in FORMS.items() if c.verb.endswith(end)), None)
        not_covered_unless(form is not None or c.verb in VERBS)
        return (form or VERBS[c.verb])(c)
    except NotCovered:
        return None
    except OverflowError as error:
        position = re.search(r"overflow at element (\d+)", str(error))
        return f"overflow@{position[1]}" if position else None
    except ValueError:
        return "refused"
