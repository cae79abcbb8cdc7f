"""The combine tree and the verbs of docs/spec/, for reference.py: functions from a case to the text
of its result.
"""

import functools
import hashlib
import itertools
import math

from reference_numbers import F64, INF, NAN, TYPES, U8, U64, patterns, texts, values, word
from reference_operators import named
from reference_simple import Refused

# ---- The combine tree: spec, "The combine tree" ----


def prefixes(op, x, initial=None):
    """The results for the first 1, 2, ... elements, as accumulators."""
    if hasattr(op, "left_fold"):
        return list(itertools.accumulate(x if initial is None else [initial] + x, op.op))[
            initial is not None :
        ]
    levels = [x]
    while len(levels[-1]) > 1:
        below = levels[-1]
        levels.append([op.op(below[j], below[j + 1]) for j in range(0, len(below) - 1, 2)])
    first = initial if op.continues else None
    result = [first]
    for m in range(1, len(x) + 1):
        lowest = m & -m
        total = levels[lowest.bit_length() - 1][m // lowest - 1]
        before = result[m - lowest]
        result.append(total if before is None else op.op(before, total))
    if initial is not None and not op.continues:
        return [op.op(initial, p) for p in result[1:]]
    return result[1:]


def total_of(op, x, initial=None):
    """reduce, as an accumulator."""
    if not x:
        if initial is None and op.refuses_empty:
            raise Refused("refused")
        return op.identity if initial is None else initial
    if hasattr(op, "left_fold"):
        return prefixes(op, x, initial)[-1]
    fold, start = initial if op.continues else None, 0
    while start < len(x):
        size = 1 << (len(x) - start).bit_length() - 1
        block = x[start : start + size]
        while len(block) > 1:
            block = [op.op(block[j], block[j + 1]) for j in range(0, len(block), 2)]
        fold = block[0] if fold is None else op.op(fold, block[0])
        start += size
    return fold if initial is None or op.continues else op.op(initial, fold)


def scan(op, x, inclusive, initial=None):
    results = prefixes(op, x, initial)
    if not inclusive:
        results = ([op.identity if initial is None else initial] + results)[: len(x)]
    return [op.finish(a) for a in results]


def segment_offsets(n, cut):
    offsets = [0]
    for k in itertools.count():
        if offsets[-1] >= n:
            return offsets + [n]
        w = word(n + (1 << 32), k)
        kind, length = w & 15, w >> 8
        if cut == "short":
            length %= 4
        elif kind < 3:
            length = 0
        else:
            length %= 8 if kind < 8 else 50 if kind < 13 else 400 if kind < 15 else 3000
        offsets.append(min(n, offsets[-1] + length))


# ---- Text of results: golden.md, "Results" ----


def listed(rows, types):
    """The text of an array: rows are tuples of numbers of these types."""
    if not rows:
        return "-"
    bits = [[t.pattern(x) for t, x in zip(types, row)] for row in rows]
    if len(rows) * len(types) <= 6:
        return ",".join(
            ":".join("%0*x" % (2 * t.bytes, b) for t, b in zip(types, row)) for row in bits
        )
    raw = b"".join(b.to_bytes(t.bytes, "little") for row in bits for t, b in zip(types, row))
    return "#" + hashlib.sha256(raw).hexdigest()[:16]


def moved(bits, t):
    """The text of an array of elements that were only moved: their bits, those of NaN too."""
    return listed([(b,) for b in bits], [TYPES["u%d" % t.bits]])


def numbers(rows, t=U64):
    return listed([(x,) for x in rows], [t])


# ---- Verbs ----


def out_types(case, op):
    return (op.t,) if case["out"] == "element" else op.parts


def results(case, op, rows):
    if case["out"] == "element" and not op.t.is_float:
        rows = [(op.t.round(row[0]),) for row in rows]
    return listed(rows, out_types(case, op))


def concat(case):
    x = b"".join(texts(case.n))
    return listed([(c,) for c in x], [U8])


def whole(case, inclusive=None):
    if case["op" if "op" in case else "coefficients"] == "concat":
        return concat(case)
    op = case.operator()
    x, initial = case.lifted(op), case.initial(op)
    backwards = case["reverse"] == "yes"
    if backwards:
        x = x[::-1]
    if inclusive is None:
        return results(case, op, [op.finish(total_of(op, x, initial))])
    rows = scan(op, x, inclusive, initial)
    return results(case, op, rows[::-1] if backwards else rows)


def pieces(case, op, offsets):
    """The elements of each segment, lifted as if it stood alone."""
    x = case.elements()
    for begin, end in zip(offsets, offsets[1:]):
        yield [op.lift(e, i) for i, e in enumerate(x[begin:end])]


def segments(case, inclusive=None, offsets=None):
    op = case.operator()
    initial, rows = case.initial(op), []
    for x in pieces(case, op, offsets or segment_offsets(case.n, case["cut"])):
        if inclusive is None:
            rows.append(op.finish(total_of(op, x, initial)))
        else:
            rows += scan(op, x, inclusive, initial)
    return results(case, op, rows)


def run_keys(case):
    """Keys, their type and their bits."""
    if case["keys"] == "few":
        return values("f64", "few", case.n, 1)[: case.n], F64
    keys = []
    offsets = segment_offsets(case.n, case["keys"])
    for k, (begin, end) in enumerate(zip(offsets, offsets[1:])):
        keys += [k % 3] * (end - begin)
    return keys, TYPES["i32"]


def starts_of(keys):
    return [i for i in range(len(keys)) if i == 0 or not keys[i - 1] == keys[i]]


def runs_by_key(case, inclusive=None):
    keys, t = run_keys(case)
    starts = starts_of(keys)
    text = segments(case, inclusive, starts + [case.n]) if case.n else "-"
    return text if inclusive is not None else numbers([keys[i] for i in starts], t) + " " + text


def windowed(case):
    op, x = case.operator(), case.elements()
    initial, width, rows = case.initial(op), case.number("width"), []
    for i in range(len(x) - width + 1):
        alone = [op.lift(e, j) for j, e in enumerate(x[i : i + width])]
        rows.append(op.finish(total_of(op, alone, initial)))
    return results(case, op, rows)


def along_axis(case, inclusive=None):
    op, shape, axis = case.operator(), case.shape, case.number("axis")
    x, initial = case.elements(), case.initial(op)
    stride, length = math.prod(shape[axis + 1 :]), shape[axis]
    rows = [None] * (len(x) if inclusive is not None else len(x) // length)
    for outer in range(math.prod(shape[:axis])):
        for inner in range(stride):
            first = outer * length * stride + inner
            line = [op.lift(x[first + i * stride], i) for i in range(length)]
            if inclusive is None:
                rows[outer * stride + inner] = op.finish(total_of(op, line, initial))
                continue
            for i, row in enumerate(scan(op, line, inclusive, initial)):
                rows[first + i * stride] = row
    return results(case, op, rows)


def borders_of(case):
    bins = case.number("bins")
    kind, *ends = case["edges"].split(":")
    if kind == "even":
        low, high = map(float, ends)
        step = (high - low) / bins
        return [low + b * step for b in range(bins)] + [high]
    return [-50.0 + 0.375 * (b * (b + 1) // 2) for b in range(bins + 1)]


def bins_of(case):
    """The bin of each element; -1 below, -2 above, -3 NaN."""
    borders = borders_of(case)
    for x in case.elements():
        if x != x:
            yield -3
        elif x < borders[0]:
            yield -1
        elif x < borders[-1]:
            yield next(b for b in range(len(borders)) if x < borders[b + 1])
        else:
            yield len(borders) - 2 if case["closed"] == "right" and x == borders[-1] else -2


def outside(bins):
    return " " + numbers([bins.count(-1), bins.count(-2), bins.count(-3)])


def histogram(case):
    bins = list(bins_of(case))
    return numbers([bins.count(b) for b in range(case.number("bins"))]) + outside(bins)


def weighted_histogram(case):
    bins = list(bins_of(case))
    op = named(case["op"], TYPES[case["weights"]])
    weights = values(case["weights"], case["wkind"], case.n, 1)
    rows = []
    for b in range(case.number("bins")):
        chosen = [w for w, bin_of_w in zip(weights, bins) if bin_of_w == b]
        rows.append(op.finish(total_of(op, [op.lift(w, i) for i, w in enumerate(chosen)])))
    return listed(rows, op.parts) + outside(bins)


def count_indices(case):
    bins = case.number("bins")
    indices = [p % bins for p in case.patterns()]
    return numbers([indices.count(k) for k in range(bins)])


def passes(case, t, pattern):
    return t.value(pattern) > 0 if case["test"] == "positive" else pattern & 1 == 1


def select(case):
    t = case.number_type()
    return moved([p for p in case.patterns() if passes(case, t, p)], t)


def select_positions(case):
    t = case.number_type()
    return numbers([i for i, p in enumerate(case.patterns()) if passes(case, t, p)])


def partition(case):
    t, x = case.number_type(), case.patterns()
    yes = [passes(case, t, p) for p in x]
    return " ".join(moved([p for p, y in zip(x, yes) if y == which], t) for which in (True, False))


def runs(case):
    t, bits = case.number_type(), case.patterns()
    starts = starts_of(case.elements() if case["equal"] == "value" else bits)
    lengths = [end - begin for begin, end in zip(starts, starts[1:] + [case.n])]
    return " ".join([moved([bits[i] for i in starts], t), numbers(starts), numbers(lengths)])


def sorted_positions(case, order):
    """Positions in the total order; both orders are stable."""
    t, bits = case.number_type(), case.patterns()
    sign = 1 << t.bits - 1 if t.is_float else 0

    def key(i):
        if not t.is_float:
            return t.value(bits[i])
        return -1 - (bits[i] ^ sign) if bits[i] & sign else bits[i]

    return sorted(range(len(bits)), key=key, reverse=order == "down")


def sort(case):
    """The sorted elements, and their positions."""
    t, bits = case.number_type(), case.patterns()
    order = sorted_positions(case, case["order"])
    return moved([bits[i] for i in order], t) + " " + numbers(order)


def top(case):
    t, bits = case.number_type(), case.patterns()
    order = sorted_positions(case, case["order"])[: case.number("count")]
    return moved([bits[i] for i in order], t)


def quantile(case):
    x, q = case.elements(), float(case["q"])
    if not x:
        raise Refused("refused")
    if any(e != e for e in x):
        return numbers([NAN], F64)
    x = [x[i] for i in sorted_positions(case, "up")]
    place = q * float(len(x) - 1)
    rank = min(int(place), len(x) - 1)
    part = place - float(rank)
    lower, upper = float(x[rank]), float(x[min(rank + 1, len(x) - 1)])
    if lower == upper or part == 0:
        return numbers([lower], F64)
    difference = upper - lower
    if not difference < INF:
        result = lower * (1 - part) + upper * part
    elif part < 0.5:
        result = lower + difference * part
    else:
        result = upper - difference * (1 - part)
    return numbers([result], F64)


def cumulative_distribution(case):
    op = named("sum", case.number_type())
    sums = scan(op, case.lifted(op), True, case.initial(op))
    return listed(list(itertools.accumulate(sums, max)), op.parts)


def pad(case):
    rows, columns = case.shape
    t, padded = case.number_type(), case.number("padded")
    x = patterns(case["type"], case["kind"], case.n, 0)
    fill, made = [x[case.n]], []
    for r in range(rows):
        made += x[r * columns : (r + 1) * columns] + fill * (padded - columns)
    return moved(made, t)


def unpad(case):
    rows, padded = case.shape
    columns, x = case.number("columns"), case.patterns()
    return moved([p for r in range(rows) for p in x[r * padded :][:columns]], case.number_type())


FORMS = {"reduce": None, "inclusive_scan": True, "exclusive_scan": False}
VERBS = {
    verb: globals()[verb]
    for verb in (
        "windowed histogram weighted_histogram count_indices select select_positions partition runs"
        " sort top quantile cumulative_distribution pad unpad"
    ).split()
}
for _verb, _inclusive in FORMS.items():
    VERBS[_verb] = functools.partial(whole, inclusive=_inclusive)
    VERBS[_verb + "_segments"] = functools.partial(segments, inclusive=_inclusive)
    VERBS[_verb + "_runs"] = functools.partial(runs_by_key, inclusive=_inclusive)
    VERBS[_verb + "_lines"] = functools.partial(along_axis, inclusive=_inclusive)
