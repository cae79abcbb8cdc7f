"""Random expressions over random tables, each with its value by Python's own arithmetic.

A value is an int, a float, a bool, a str, or None where it is missing. `expression(source, kind)`
gives the text of an expression and a function of a row; kinds are i (integer), d (decimal), b
(Boolean) and t (text). The function raises Refused where the tool ends with status 3.
"""

import math

from times_model import TIME_PARTS, UNITS, of_time, random_time, truncated

HEADER = ["i", "j", "d", "b", "s", "t", "any name"]
WORDS = ["", "Kiel", "bonn", "Ülm", " x ", 'a"b', "it's", "a,b", "naïve-Straße", "\\", "x" * 20]


class Refused(Exception):
    pass


def random_row(source):
    gap = lambda value: "" if source.random() < 0.15 else value  # noqa: E731
    wide = source.choice([3, 100, 2**31, 2**62])
    decimal = source.choice([source.uniform(-5, 5), source.randint(-40, 40) / 8, 1e300, 0.0])
    return [
        gap(str(source.randint(-wide, wide))),
        gap(str(source.randint(-4, 4))),
        gap(repr(decimal)),
        gap(source.choice(["true", "false"])),
        source.choice(WORDS),
        gap(random_time(source)),
        source.choice(["7", "8.5", "-1"]),
    ]


def table(source, rows=12):
    """The text of a CSV, and its rows as values. The first has no gap, which gives the types."""
    first = ["5", "2", "0.25", "true", "Kiel", "2024-02-29T12:30:15+02:00", "7.5"]
    written = [first] + [random_row(source) for _ in range(rows - 1)]
    lines = [",".join(HEADER)]
    for *before, text, time, last in written:
        doubled = text.replace('"', '""')
        lines.append(",".join([*before, f'"{doubled}"', time, last]))
    number = lambda of, text: None if text == "" else of(text)  # noqa: E731
    values = []
    for n, (i, j, d, b, s, t, a) in enumerate(written):
        truth = number(lambda text: text == "true", b)
        row = [number(int, i), number(int, j), number(float, d), truth, s, t, float(a)]
        values.append(dict(zip(HEADER, row, strict=True), row=n + 1, text_of_i=i))
    return "".join(line + "\n" for line in lines), values


def strict(function):
    """Missing if an argument is."""
    return lambda *values: None if None in values else function(*values)


def exact(value):
    if not -(2**63) <= value < 2**63:
        raise Refused
    return value


def remainder(x, y):
    if y == 0:
        raise Refused
    return abs(x) % abs(y) * (1 if x >= 0 else -1)


def quotient(x, y):
    x, y = float(x), float(y)
    if y != 0:
        return x / y
    sign = math.copysign(1, x) * math.copysign(1, y)
    return math.nan if x == 0 or x != x else sign * math.inf


def decimal_remainder(x, y):
    x, y = float(x), float(y)
    return math.nan if y == 0 or math.isinf(x) or y != y or x != x else math.fmod(x, y)


def whole(how):
    def of(x):
        return x if math.isinf(x) or x != x else math.copysign(how(x), x)

    return of


def half_away(x):
    near = math.trunc(x)
    return float(near) if abs(x - near) < 0.5 else near + math.copysign(1, x)


def rounded_to(x, digits):
    x, scale = float(x), 10.0 ** abs(digits)
    scaled = x / scale if digits < 0 else x * scale
    if math.isinf(scaled) or scaled != scaled:
        return x
    near = whole(half_away)(scaled)
    return near * scale if digits < 0 else near / scale


def extreme(least):
    def of(*values):
        if any(v != v for v in values):
            return math.nan
        order = lambda v: (v, math.copysign(1, v))  # noqa: E731
        return min(values, key=order) if least else max(values, key=order)

    return of


ASCII_LOWER = {c: c + 32 for c in range(65, 91)}
ASCII_UPPER = {c + 32: c for c in range(65, 91)}


def substring(text, start, length=None):
    numbered = enumerate(text, 1)
    return "".join(c for n, c in numbered if n >= start and (length is None or n < start + length))


COMPARISONS = {
    "==": lambda x, y: x == y,
    "=": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
}


def quoted(source, text):
    mark = source.choice("\"'")
    return mark + text.replace("\\", "\\\\").replace(mark, "\\" + mark) + mark


class Maker:
    """Makes expressions of a kind, at most so deep."""

    def __init__(self, source):
        self.source = source

    def make(self, kind, depth):
        options = getattr(self, "of_" + kind)
        leaves, others = options(depth)
        choices = leaves if depth == 0 or self.source.random() < 0.2 else others
        return self.source.choice(choices)()

    def call(self, name, kinds, function, depth, gaps=False):
        parts = [self.make(kind, depth - 1) for kind in kinds]
        texts, functions = zip(*parts, strict=True)
        of = function if gaps else strict(function)
        return f"{name}({', '.join(texts)})", lambda row: of(*[f(row) for f in functions])

    def infix(self, sign, kinds, function, depth):
        (a, f), (b, g) = [self.make(kind, depth - 1) for kind in kinds]
        of = strict(function)
        return f"({a} {sign} {b})", lambda row: of(f(row), g(row))

    def choice(self, kind, depth):
        (c, f), (a, g), (b, h) = [self.make(k, depth - 1) for k in ("b", kind, kind)]

        def of(row):
            truth = f(row)
            return None if truth is None else g(row) if truth else h(row)

        return f"if({c}, {a}, {b})", of

    def coalesce(self, kind, depth):
        parts = [self.make(kind, depth - 1) for _ in range(self.source.randint(2, 3))]

        def of(row):
            for _, f in parts:
                value = f(row)
                if value is not None and value != "":
                    return value
            return None

        return f"coalesce({', '.join(text for text, _ in parts)})", of

    def column(self, name):
        written = f"`{name}`" if " " in name or self.source.random() < 0.1 else name
        return lambda: (written, lambda row: row[name])

    def literal(self, text, value):
        return lambda: (text, lambda row: value)

    def time(self):
        """A column of times: other strings are no times."""
        if self.source.random() < 0.8:
            return "t", lambda row: row["t"]
        text = random_time(self.source)
        return quoted(self.source, text), lambda row: text

    def time_call(self, name, of):
        text, f = self.time()
        return f"{name}({text})", lambda row: of_time(of)(f(row))

    def of_i(self, depth):
        source, n = self.source, self.source.randint(0, 9)
        power = source.randint(0, 4)
        leaves = [self.literal(str(n), n), self.column("i"), self.column("j"), self.column("j")]
        name, part = source.choice(list(TIME_PARTS.items()))
        (x, f) = self.make("i", depth - 1) if depth else ("j", lambda row: row["j"])
        sign = source.choice(["+", "-", "*"])
        exactly = {
            "+": lambda a, b: exact(a + b),
            "-": lambda a, b: exact(a - b),
            "*": lambda a, b: exact(a * b),
        }
        return leaves, [
            lambda: self.infix(sign, "ii", exactly[sign], depth),
            lambda: self.infix("%", "ii", remainder, depth),
            lambda: (f"-({x})", lambda row: strict(lambda v: exact(-v))(f(row))),
            lambda: (f"({x}) ** {power}", lambda row: strict(lambda v: exact(v**power))(f(row))),
            lambda: self.call("abs", "i", lambda v: exact(abs(v)), depth),
            lambda: self.call("min", "ii", min, depth),
            lambda: self.call("max", "iii", max, depth),
            lambda: self.call("length", "t", len, depth),
            lambda: self.call(source.choice(["floor", "ceil", "round"]), "i", lambda v: v, depth),
            lambda: self.time_call(name, part),
            lambda: self.choice("i", depth),
            lambda: self.coalesce("i", depth),
            lambda: ("row", lambda row: row["row"]),
        ]

    def of_d(self, depth):
        source, value = self.source, self.source.randint(0, 64) / 16
        kinds = source.choice(["dd", "di", "id"])
        sign = source.choice(["+", "-", "*"])
        digits = source.randint(-3, 6)
        compute = {
            "+": lambda a, b: float(a) + float(b),
            "-": lambda a, b: float(a) - float(b),
            "*": lambda a, b: float(a) * float(b),
        }
        roundings = [("floor", math.floor), ("ceil", math.ceil), ("round", half_away)]
        name, how = source.choice(roundings)
        least = source.random() < 0.5
        roots = lambda v: math.sqrt(v) if v >= 0 else math.nan  # noqa: E731
        leaves = [self.literal(repr(value), value), self.column("d"), self.column("any name")]
        part, f = self.make("d", depth - 1) if depth else ("d", lambda row: row["d"])
        return leaves, [
            lambda: self.infix(sign, kinds, compute[sign], depth),
            lambda: self.infix("/", source.choice(["ii", "dd", "id"]), quotient, depth),
            lambda: self.infix("%", kinds, decimal_remainder, depth),
            lambda: (f"-({part})", lambda row: strict(lambda v: -v)(f(row))),
            lambda: self.call("abs", "d", abs, depth),
            lambda: self.call("sqrt", source.choice("di"), roots, depth),
            lambda: self.call(name, "d", whole(how), depth),
            lambda: (
                f"round({part}, {digits})",
                lambda row: strict(lambda v: rounded_to(v, digits))(f(row)),
            ),
            lambda: self.call("min" if least else "max", "dd", extreme(least), depth),
            lambda: self.time_call("seconds", lambda base, zone, seconds, text: float(seconds)),
            lambda: self.choice("d", depth),
            lambda: self.coalesce("d", depth),
        ]

    def joined(self, sign, decides, depth):
        (a, f), (b, g) = self.make("b", depth - 1), self.make("b", depth - 1)

        def of(row):
            x = f(row)
            if x is decides:
                return decides
            y = g(row)
            return decides if y is decides else None if None in (x, y) else not decides

        return f"({a} {sign} {b})", of

    def member(self, kind, depth):
        parts = [self.make(kind, depth - 1) for _ in range(3)]

        def of(row):
            x, *others = [f(row) for _, f in parts]
            if x is not None and x in others:
                return True
            return None if x is None or None in others else False

        (a, b, c), _ = zip(*parts, strict=True)
        return f"({a} in ({b}, {c}))", of

    def of_b(self, depth):
        source = self.source
        sign, compare = source.choice(list(COMPARISONS.items()))
        as_floats = lambda x, y: compare(float(x), float(y))  # noqa: E731
        leaves = [self.literal("true", True), self.column("b"), self.column("b")]
        part, f = self.make("b", depth - 1) if depth else ("b", lambda row: row["b"])
        negation = source.choice(["!", "not "])
        return leaves, [
            lambda: self.infix(sign, "ii", compare, depth),
            lambda: self.infix(sign, source.choice(["dd", "di"]), as_floats, depth),
            lambda: self.infix(sign, "tt", lambda x, y: compare(x.encode(), y.encode()), depth),
            lambda: self.joined(source.choice(["&&", "and"]), False, depth),
            lambda: self.joined(source.choice(["||", "or"]), True, depth),
            lambda: (
                f"({negation}({part}))",
                lambda row: strict(lambda v: not v)(f(row)),
            ),
            lambda: self.member("i", depth),
            lambda: self.call("contains", "tt", lambda a, b: b in a, depth),
            lambda: self.call("starts_with", "tt", str.startswith, depth),
            lambda: self.call("ends_with", "tt", str.endswith, depth),
            lambda: self.choice("b", depth),
        ]

    def of_t(self, depth):
        source, word = self.source, self.source.choice(WORDS)
        unit = source.choice(UNITS)
        time, f = self.time()
        start, length = source.randint(-3, 8), source.randint(-1, 5)
        text, g = self.make("t", depth - 1) if depth else ("s", lambda row: row["s"])
        replaced = lambda a, b, c: a.replace(b, c) if b else a  # noqa: E731
        leaves = [self.literal(quoted(source, word), word), self.column("s"), self.column("s")]
        return leaves, [
            lambda: self.call("lower", "t", lambda v: v.translate(ASCII_LOWER), depth),
            lambda: self.call("upper", "t", lambda v: v.translate(ASCII_UPPER), depth),
            lambda: self.call("trim", "t", lambda v: v.strip(" \t\r\n"), depth),
            lambda: (
                f"substring({text}, {start})",
                lambda row: strict(lambda v: substring(v, start))(g(row)),
            ),
            lambda: (
                f"substring({text}, {start}, {length})",
                lambda row: strict(lambda v: substring(v, start, length))(g(row)),
            ),
            lambda: self.call("replace", "ttt", replaced, depth),
            lambda: self.call("concat", "tt", lambda a, b: a + b, depth),
            lambda: (f"trunc({time}, '{unit}')", lambda row: truncated(unit)(f(row))),
            lambda: ("text(i)", lambda row: row["text_of_i"]),
            lambda: self.choice("t", depth),
            lambda: self.coalesce("t", depth),
        ]


def expression(source, kind=None, depth=None):
    """A text, its kind, and the function."""
    kind = kind or source.choice("idbt")
    text, function = Maker(source).make(kind, source.randint(0, 4) if depth is None else depth)
    return text, kind, function


def agrees(kind, field, value):
    """Whether a field of the output is the value."""
    if value is None:
        return field == ""
    if kind == "t":
        return field == value
    if kind == "b":
        return field == ("true" if value else "false")
    if kind == "i":
        return field == str(value)
    got = float(field)
    return (got != got and value != value) or (
        got == value and math.copysign(1, got) == math.copysign(1, value)
    )
