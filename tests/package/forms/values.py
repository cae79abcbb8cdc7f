"""Writes a program that compares what the forms of the verbs store and return with a model in
Python of a few lines: values.py FILE.
"""

import sys
from itertools import accumulate
from pathlib import Path

from forms_test import OPTION, TABLE, arguments, call, standard, tails

X, X2, OFFSETS, KEYS = [1, 2, 3, 4, 5, 6], [1, 0, 2, 0, 3, 0], [0, 2, 2, 6], [7, 7, 8, 8, 8, 7]
FLAGS, ROWS = [1, 0, 0, 1, 1, 0], [[1, 2, 3], [4, 5, 6]]
LOWEST = -(2**31)  # the identity of max over int


class Way:
    """The operator and the options of one call."""

    def __init__(self, tail):
        self.maximum = "op" in tail
        self.descending = "less" in tail
        self.closed = OPTION["closed_right"] in tail
        self.initial = 10 if OPTION["initial"] in tail else LOWEST if self.maximum else 0
        self.reverse = OPTION["reverse"] in tail
        self.axis = 0 if OPTION["axis"] in tail else 1
        self.fill = 9 if "fill" in tail else 0

    def combine(self, a, b):
        return max(a, b) if self.maximum else a + b

    def total(self, x):
        return self.prefixes(x)[-1]

    def prefixes(self, x):
        return list(accumulate(x, self.combine, initial=self.initial))

    def inclusive(self, x):
        x = x[::-1] if self.reverse else x
        y = self.prefixes(x)[1:]
        return y[::-1] if self.reverse else y

    def exclusive(self, x):
        x = x[::-1] if self.reverse else x
        y = self.prefixes(x)[:-1]
        return y[::-1] if self.reverse else y


def segments(x=X):
    return [x[a:b] for a, b in zip(OFFSETS, OFFSETS[1:])]


def runs(x):
    """The elements of `x` at each run of equal keys."""
    borders = [i for i in range(6) if i == 0 or KEYS[i] != KEYS[i - 1]] + [6]
    return [x[a:b] for a, b in zip(borders, borders[1:])]


def flat(parts):
    return [v for part in parts for v in part]


def along(way, scan):
    """Scans of the lines of the matrix along the axis, in row-major order."""
    if way.axis == 1:
        return flat(scan(row) for row in ROWS)
    columns = [scan(list(c)) for c in zip(*ROWS)]
    return flat(zip(*columns))


def in_bins(way, b):
    return [
        i for i, v in enumerate(X) if 2 * b <= v < 2 * b + 2 or (way.closed and b == 2 and v == 6)
    ]


# What each row of verbs.toml returns (None for nothing to compare) and stores in its outputs.
MODEL = {
    "reduce": lambda w: (w.total(X), []),
    "transform_reduce": lambda w: (w.total([2 * v for v in X]), []),
    "transform_reduce_of_two": lambda w: (w.total([a * b for a, b in zip(X, X2)]), []),
    "inclusive_scan": lambda w: (None, [w.inclusive(X)]),
    "exclusive_scan": lambda w: (None, [w.exclusive(X)]),
    "transform_inclusive_scan": lambda w: (None, [w.inclusive([2 * v for v in X])]),
    "transform_exclusive_scan": lambda w: (None, [w.exclusive([2 * v for v in X])]),
    "transform_inclusive_scan_of_two": lambda w: (
        None,
        [w.inclusive([a * b for a, b in zip(X, X2)])],
    ),
    "transform_exclusive_scan_of_two": lambda w: (
        None,
        [w.exclusive([a * b for a, b in zip(X, X2)])],
    ),
    "inclusive_scan_along_an_axis": lambda w: (None, [along(w, w.inclusive)]),
    "exclusive_scan_along_an_axis": lambda w: (None, [along(w, w.exclusive)]),
    "reduce_segments": lambda w: (None, [[w.total(s) for s in segments()]]),
    "inclusive_scan_segments": lambda w: (None, [flat(w.inclusive(s) for s in segments())]),
    "exclusive_scan_segments": lambda w: (None, [flat(w.exclusive(s) for s in segments())]),
    "reduce_runs": lambda w: (3, [[7, 8, 7], [w.total(r) for r in runs(X)]]),
    "inclusive_scan_runs": lambda w: (None, [flat(w.inclusive(r) for r in runs(X))]),
    "exclusive_scan_runs": lambda w: (None, [flat(w.exclusive(r) for r in runs(X))]),
    "windowed": lambda w: (None, [[w.total(X[i : i + 4]) for i in range(3)]]),
    "cumulative_distribution": lambda w: (None, [w.inclusive(X)]),
    "select": lambda w: (3, [[1, 3, 5]]),
    "select_by_flags": lambda w: (3, [[1, 4, 5]]),
    "select_positions": lambda w: (3, [[0, 2, 4]]),
    "select_positions_by_flags": lambda w: (3, [[0, 3, 4]]),
    "partition": lambda w: (None, [[1, 3, 5], [2, 4, 6]]),
    "partition_in_three": lambda w: (None, [[1, 3, 5], [6], [2, 4]]),
    "unique": lambda w: (3, [[7, 8, 7]]),
    "run_starts": lambda w: (3, [[0, 2, 5]]),
    "runs": lambda w: (3, [[7, 8, 7], [2, 3, 1]]),
    "histogram": lambda w: (None, [[len(in_bins(w, b)) for b in range(3)]]),
    "weighted_histogram": lambda w: (
        None,
        [[w.total([X2[i] for i in in_bins(w, b)]) for b in range(3)]],
    ),
    "count_indices": lambda w: (None, [[0, 1, 1, 1, 1, 1, 1]]),
    "argsort": lambda w: (None, [[5, 4, 3, 2, 1, 0] if w.descending else [0, 1, 2, 3, 4, 5]]),
    "top": lambda w: (3, [[6, 5, 4]]),
}


def checks():
    for name, model in MODEL.items():
        row = TABLE["verbs"][name]
        middle = arguments(row, lambda n: standard(row, n), lambda n: standard(row, n))
        for executor in ("", "upsweep::serial{}", "{.threads = 2}"):
            for tail in tails(row):
                returned, stored = model(Way(tail))
                code = call(row, name, [executor, *middle, *tail])
                body = f"expect({code}, {returned});" if returned is not None else f"{code};"
                for output, values in zip(row.get("outputs", []), stored):
                    place = "s.y.array" if row.get("kinds") == [] else f"s.{output}.vector"
                    body += f" expect({place}, {{{', '.join(map(str, values))}}});"
                yield code, body


PROGRAM = """#include <forms/fixture.hpp>

#include <initializer_list>

using namespace forms;

namespace {

char const* call = "";
int faults = 0;

void expect(long value, long wanted) {
  if (value == wanted) return;
  std::printf("%s\\n  returns %ld instead of %ld\\n", call, value, wanted);
  ++faults;
}
template <class R>
void expect(R const& stored, std::initializer_list<long> wanted) {
  std::size_t i = 0;
  for (long const w : wanted) {
    auto const value = static_cast<long>(stored[i]);
    if (value != w) {
      std::printf("%s\\n  stores %ld at %zu instead of %ld\\n", call, value, i, w);
      ++faults;
    }
    ++i;
  }
}
"""


def main():
    text, bodies = PROGRAM, list(checks())
    for k, (code, body) in enumerate(bodies):
        text += f'void call_{k}(fixture& s) {{\n  call = "{code}";\n  {body}\n}}\n'
    text += "\n}  // namespace\n\nint main() {\n"
    for k in range(len(bodies)):
        text += f"  {{\n    fixture s;\n    call_{k}(s);\n  }}\n"
    Path(sys.argv[1]).write_text(text + "  return faults == 0 ? 0 : 1;\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
