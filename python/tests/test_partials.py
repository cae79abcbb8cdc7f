"""Partials: the bits of one call, however the array is cut and the pieces are joined."""

import collections
import ctypes
import functools
import operator
import pathlib
import pickle

import numpy as np
import pytest
import upsweep
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import FLOATS, INTEGERS, same_bits, scattered

OPERATORS = {"sum": "sum", "product": "prod", "min": "min", "max": "max"}


def parts(x, cuts, op="sum"):
    ends = sorted(cut % (len(x) + 1) for cut in cuts)
    return [
        upsweep.Partial(op, x.dtype, begin=a).push(x[a:b])
        for a, b in zip([0, *ends], [*ends, len(x)], strict=True)
    ]


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("dtype", [d for d in INTEGERS + FLOATS if np.dtype(d).itemsize >= 4])
def test_results_are_those_of_one_call(op, dtype):
    x = scattered(5000, dtype)
    if op == "product" and np.dtype(dtype).kind == "f":
        x = np.sign(x) * (1 + np.abs(x) % 1 / 64).astype(dtype)
    want = getattr(upsweep, OPERATORS[op])(x)
    for cuts in ([], [1, 2, 3], [4096], [10, 10, 4999], range(0, 5000, 77)):
        joined = functools.reduce(operator.add, parts(x, cuts, op))
        assert np.asarray(joined.result()).astype(want.dtype) == want
        assert (joined.begin, joined.end, len(joined)) == (0, 5000, 5000)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3000), st.lists(st.integers(0, 3000)), st.randoms())
def test_any_grouping_order_and_pickle_gives_the_same_bits(n, cuts, random):
    x = scattered(n, "float32", seed=n)
    pieces = [pickle.loads(pickle.dumps(p)) for p in parts(x, cuts)]
    shuffled = random.sample(pieces, len(pieces))
    assert same_bits(upsweep.Partial.join(shuffled).result(), upsweep.sum(x))
    while len(pieces) > 1:
        i = random.randrange(len(pieces) - 1)
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
    assert same_bits(pieces[0].result(), upsweep.sum(x))
    assert same_bits(pieces[0].result(initial=2.5), upsweep.sum(x, initial=2.5))


@pytest.mark.parametrize("op", OPERATORS)
def test_a_piece_is_scanned_after_what_comes_before(op):
    x = scattered(3000, "float64")
    x = np.sign(x) * (1 + np.abs(x) % 1 / 64)
    for exclusive in (False, True):
        want = upsweep.scan(x, op, exclusive=exclusive)
        for cut in (0, 1, 1024, 2999):
            front, rest = parts(x, [cut], op)
            assert same_bits(front.scan(x[cut:], exclusive=exclusive), want[cut:])
            assert front.end == 3000 and same_bits(front.result(), upsweep.reduce(x, op))
    with pytest.raises(ValueError, match=r"\[0, 2\) are missing"):
        upsweep.Partial(begin=2).scan([1.0])


POSITIONS = {"argmin": np.argmin, "argmax": np.argmax}


@pytest.mark.parametrize("op", POSITIONS)
@pytest.mark.parametrize("dtype", ["int16", "int64", "uint64", "float32", "float64"])
def test_positions_count_from_the_beginning_of_the_whole(op, dtype):
    x = (np.random.default_rng(3).integers(3, 97, 2000)).astype(dtype)
    for cuts in ([], [1, 2, 3], [1024], range(0, 2000, 77)):
        pieces = [upsweep.Partial.from_bytes(bytes(p)) for p in parts(x, cuts, op)]
        got = upsweep.Partial.join(reversed(pieces)).result()
        assert got == POSITIONS[op](x) and type(got) is np.intp
    if x.dtype.kind == "f":
        x[[70, 700]] = np.nan
        assert upsweep.Partial.join(parts(x, [69, 71], op)).result() == 70
    later = upsweep.Partial(op, dtype, begin=2**40).push(x[:5])
    assert len(upsweep.Partial.from_bytes(bytes(later))) == 5
    with pytest.raises(ValueError, match=f"no {op}"):
        upsweep.Partial(op).result()
    with pytest.raises(ValueError, match="no initial value"):
        later.result(1)
    with pytest.raises(ValueError, match="no scans of"):
        later.scan(x)


def statistics_of(x, y):
    """The fields of the results of each operator by the functions of the package."""
    return {
        "moments": (
            upsweep.mean(x), upsweep.var(x), upsweep.std(x),
            upsweep.var(x, correction=1), upsweep.std(x, correction=1),
        ),
        "central_moments": (
            upsweep.mean(x), upsweep.var(x), upsweep.skew(x), upsweep.kurtosis(x),
            upsweep.skew(x, bias=False), upsweep.kurtosis(x, bias=False),
        ),
        "comoments": (
            upsweep.mean(x), upsweep.mean(y), upsweep.covariance(x, y),
            upsweep.covariance(x, y, correction=1), upsweep.correlation(x, y),
            *upsweep.linear_regression(x, y),
        ),
    }  # fmt: skip


@pytest.mark.parametrize("dtype", ["int16", "uint64", "float32", "float64"])
def test_statistics_have_the_bits_of_one_call(dtype):
    random = np.random.default_rng(5)
    x = (random.normal(100, 20, 3000)).astype(dtype)
    y = x * 2 + random.integers(0, 9, 3000).astype(dtype)
    for op, want in statistics_of(x.astype("float64"), y.astype("float64")).items():
        for cuts in ([], [1, 2, 3], [2048], [5, 5, 2999], range(0, 3000, 111)):
            pieces = [
                upsweep.Partial(op, dtype, begin=a).push(
                    *(z[a:b] for z in (x, y)[: 1 + (op == "comoments")])
                )
                for a, b in zip([0, *cuts], [*cuts, 3000], strict=True)
            ]
            joined = functools.reduce(operator.add, pickle.loads(pickle.dumps(pieces)))
            got = joined.result()
            assert got.size == 3000
            assert same_bits(np.array(got[1:]), np.array(want)), (op, cuts)
    got = upsweep.Partial("comoments", dtype).push(x, y).result()
    close = np.cov(x.astype("float64"), y.astype("float64"))[0, 1]
    assert got.sample_covariance == pytest.approx(close, rel=1e-12)
    assert got.slope == pytest.approx(np.polyfit(x.astype("float64"), y, 1)[0], rel=1e-9)


def test_statistics_of_few_elements():
    none = upsweep.Partial("moments").result()
    assert none.size == 0 and np.isnan(none[1:]).all()
    one = upsweep.Partial("central_moments").push([2.0]).result()
    assert (one.size, one.mean, one.var) == (1, 2.0, 0.0) and np.isnan(one[3:]).all()
    two = upsweep.Partial("comoments").push([1, 2], [3, 5]).result()
    assert two == pytest.approx((2, 1.5, 4.0, 0.5, 1.0, 1.0, 2.0, 1.0), rel=1e-15)
    with pytest.raises(TypeError, match="x and y are for comoments only"):
        upsweep.Partial("comoments").push([1, 2])
    with pytest.raises(TypeError, match="x and y are for comoments only"):
        upsweep.Partial("moments").push([1, 2], [3, 4])
    with pytest.raises(ValueError, match="x has 2 elements, but y has 1"):
        upsweep.Partial("comoments").push([1, 2], [3])
    with pytest.raises(ValueError, match="no initial value"):
        upsweep.Partial("moments").result(3)
    with pytest.raises(ValueError, match="of moments over float32"):
        upsweep.Partial("central_moments", "float32").append(upsweep.Partial("moments", "float32"))


GOLDEN = pathlib.Path(__file__).parents[2] / "tests" / "golden" / "partials.txt"


def test_bytes_of_exact_sums_are_those_of_the_specification():
    """tests/golden/partials.py made them without the library."""
    rows = [line.split() for line in GOLDEN.read_text(encoding="ascii").splitlines()]
    rows = [row for row in rows if row[0] == "exact-sum" and row[1] in ("f32", "f64")]
    assert len(rows) > 40
    for _, name, begin, elements, expected in rows:
        size = int(name[1:]) // 8
        words = [int(word, 16).to_bytes(size, "little") for word in elements.split(",")]
        x = np.frombuffer(b"".join(words), f"<f{size}")
        begin = int(begin)
        for cut in range(len(x) + 1):
            whole = upsweep.Partial("exact_sum", x.dtype, begin=begin).push(x[:cut])
            rest = upsweep.Partial("exact_sum", x.dtype, begin=begin + cut).push(x[cut:])
            assert bytes(whole + rest).hex() == expected


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_bytes_of_exact_sums_do_not_depend_on_threads_and_chunks(zero):
    x = scattered(100_000, "float64")
    x[::7] = zero
    made = set()
    for threads in (1, 2, 7):
        for chunk in (1001, 65_536, 100_000):
            piece = upsweep.Partial("exact_sum", begin=5, threads=threads)
            for at in range(0, len(x), chunk):
                piece.push(x[at : at + chunk])
            made.add(bytes(piece))
    assert len(made) == 1


def test_bytes_of_an_operator_that_python_has_not_are_refused_by_its_name():
    drawdown = next(r for r in GOLDEN.read_text().splitlines() if r.startswith("drawdown"))
    with pytest.raises(ValueError, match="no partials of drawdown"):
        upsweep.Partial.from_bytes(bytes.fromhex(drawdown.split()[-1]))


def test_bytes_are_those_of_the_library():
    x = np.arange(21) / 10
    data = bytes(upsweep.Partial("sum", begin=5).push(x[5:]))
    assert data.startswith(b"upsweep partial\n") and len(data) < 150
    assert same_bits(
        (upsweep.Partial("sum").push(x[:5]) + upsweep.Partial.from_bytes(data)).result(),
        upsweep.sum(x),
    )


def test_what_does_not_fit_is_refused():
    p, q = upsweep.Partial("sum").push([1.0, 2.0]), upsweep.Partial("sum", begin=3).push([4.0])
    with pytest.raises(ValueError, match="one ends at 2, the later begins at 3"):
        p + q
    with pytest.raises(ValueError, match=r"\[0, 3\) are missing"):
        q.result()
    with pytest.raises(ValueError, match="of max over float64"):
        p.append(upsweep.Partial("max", begin=2))
    with pytest.raises(TypeError, match="elements have the type float64"):
        upsweep.Partial("sum", "int64").push([0.5])
    with pytest.raises(ValueError, match="no partials of gcd"):
        upsweep.Partial("gcd", "int64")
    with pytest.raises(ValueError, match="these bytes are not a partial"):
        upsweep.Partial.from_bytes(b"nothing")
    with pytest.raises(ValueError, match="damaged or cut off"):
        upsweep.Partial.from_bytes(bytes(p)[:-1] + b"!")
    with pytest.raises(ValueError, match="no max"):
        upsweep.Partial("max").result()
    with pytest.raises(ValueError, match="begin is -1"):
        upsweep.Partial(begin=-1)
    assert upsweep.Partial("sum").result() == 0.0


def joined_texts(a, b):
    return a + b


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_operators_of_your_own_keep_order_and_brackets(n):
    brackets = upsweep.monoid(lambda a, b: f"({a}{b})")
    x = [chr(97 + i) for i in range(n)]
    prefixes = upsweep.scan(x, brackets)
    for cuts in [(a, b) for b in range(n + 1) for a in range(b + 1)]:
        pieces = [
            upsweep.Partial(brackets, begin=a).push(x[a:b])
            for a, b in zip([0, *cuts], [*cuts, n], strict=True)
        ]
        first, second, third = pieces
        assert (first + second + third).result() == prefixes[-1]
        assert (first + (second + third)).result("-") == f"(-{prefixes[-1]})"
        assert upsweep.Partial.join(reversed(pieces)).result() == prefixes[-1]
        assert first.scan(x[cuts[0] :]) == prefixes[cuts[0] :] and first.end == n


def test_functions_of_c_and_pickles_as_operators():
    add = upsweep.monoid(ctypes.CFUNCTYPE(*[ctypes.c_double] * 3)(operator.add))
    x = scattered(5000, "float64")
    pieces = [
        upsweep.Partial(add, begin=a).push(x[a:b]) for a, b in ((0, 7), (7, 4096), (4096, 5000))
    ]
    assert same_bits(functools.reduce(operator.add, pieces).result(), upsweep.sum(x))
    text = pickle.loads(pickle.dumps(upsweep.Partial(joined_texts).push("abc")))
    assert text.append(upsweep.Partial(joined_texts, begin=3).push("de")).result() == "abcde"
    assert text.scan("fg", exclusive=True) == ["abcde", "abcdef"] and text.result() == "abcdefg"
    assert repr(text) == "<upsweep.Partial of joined_texts, [0, 7)>"
    with pytest.raises(ValueError, match="begins at element 9 and the earlier one ends at 7"):
        text.append(upsweep.Partial(joined_texts, begin=9))
    with pytest.raises(ValueError, match="has no identity"):
        upsweep.Partial(joined_texts).result()
    with pytest.raises(ValueError, match=r"\[0, 2\) are missing"):
        upsweep.Partial(joined_texts, begin=2).push("a").result()
    with pytest.raises(TypeError, match="user-defined operator has no bytes"):
        bytes(text)
    with pytest.raises(TypeError, match="cannot be appended"):
        text.append(upsweep.Partial())


@pytest.mark.parametrize("op", ["sum", max])
def test_pythons_sum_adds_partials(op):
    parts = [upsweep.Partial(op, begin=k).push([float(k)]) for k in range(5)]
    assert sum(parts).result() == upsweep.Partial.join(parts).result()
    with pytest.raises(TypeError):
        1 + parts[0]


def test_positions_are_integers():
    for begin, error in ((1.5, TypeError), (-1, ValueError), (2**64, ValueError)):
        for op in ("sum", max):
            with pytest.raises(error, match="^Partial: begin"):
                upsweep.Partial(op, begin=begin)


def test_partials_of_other_operators_are_refused():
    largest = upsweep.Partial(max).push([1, 5])
    for first, later in (
        (largest, upsweep.Partial(min, begin=2).push([0, 9])),
        (upsweep.Partial("sum"), upsweep.Partial(max)),
        (upsweep.Partial(max), upsweep.Partial("sum")),
    ):
        with pytest.raises((ValueError, TypeError), match="cannot be appended to"):
            first + later
    assert (largest + upsweep.Partial(max, begin=2).push([0, 9])).result() == 9


@pytest.mark.parametrize("op", ["sum", max])
def test_a_sum_of_one_partial_is_another(op):
    first = upsweep.Partial(op).push([1.0, 2.0])
    total = sum([first])
    total.push([40.0])
    assert len(first) == 2 and len(total) == 3


def test_user_defined_partials_take_any_elements():
    for x in (collections.deque([1, 2]), {1, 2}, {1: "a", 2: "b"}, {"a": 1, "b": 2}.values()):
        assert upsweep.Partial(max).push(x).result() == 2
