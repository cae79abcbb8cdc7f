"""User-defined operators: the order and the bits of the tree, with numba and without."""

import ctypes
import fractions
import operator
import warnings

import numpy as np
import pytest
import upsweep
from reference import SIZES, prefixes, same_bits, scattered, tree_sums


def compose(f, g):
    """x -> a x + b, the earlier map applied first: does not commute."""
    return (g[0] * f[0], g[0] * f[1] + g[1])


def plus(a, b):
    return a + b


def strange(a, b):
    return a + b + a * b


@pytest.mark.parametrize("n", [1, 2, 3, 31, 32, 33, 500])
def test_operands_stay_in_order(n):
    words = [chr(97 + i % 26) for i in range(n)]
    assert upsweep.reduce(words, plus) == "".join(words)
    assert upsweep.scan(words, plus) == ["".join(words[: i + 1]) for i in range(n)]
    maps = [(fractions.Fraction(i % 5 + 1, 3), fractions.Fraction(i)) for i in range(n)]
    total = maps[0]
    for m in maps[1:]:
        total = compose(total, m)
    assert upsweep.reduce(maps, compose) == total


def test_floats_have_the_bits_of_the_tree():
    for n in SIZES[1:]:
        x = scattered(n, "float32")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert same_bits(upsweep.scan(x, plus), tree_sums(x)), n
            assert same_bits(upsweep.reduce(x, plus), upsweep.sum(x)), n
    x = scattered(700, "float16").astype(float) / 64
    assert upsweep.scan(x, strange).tolist() == prefixes(x.tolist(), strange)
    assert upsweep.scan(x.tolist(), strange) == prefixes(x.tolist(), strange)


def test_numba_has_the_bits_of_python():
    pytest.importorskip("numba")
    x = scattered(40_000, "float16").astype(float) / 64
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = upsweep.scan(x, upsweep.monoid(strange, 0.0))
    assert same_bits(compiled, np.array(prefixes(x.tolist(), strange)))
    assert upsweep.scan(scattered(2**16, "float32"), plus).dtype == np.float32


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_functions_of_c_are_called_by_address(dtype):
    of = np.ctypeslib.as_ctypes_type(dtype)
    called = []  # with the numbers of ctypes, which are none of NumPy's

    @ctypes.CFUNCTYPE(of, of, of)
    def function(a, b):
        called.append(type(a))
        return a + b

    for n in (1, 2, 3, 500, 5000):
        x = scattered(n, dtype) if dtype[0] == "f" else np.arange(n, dtype=dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            total, prefixes = upsweep.reduce(x, function), upsweep.scan(x, function)
        assert total.dtype == prefixes.dtype == x.dtype
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert same_bits(prefixes, upsweep.scan(x, plus)), n
        assert same_bits(total, prefixes[-1]), n
    assert set(called) == {int if dtype[0] == "i" else float}


def test_functions_of_numba_have_the_bits_of_python():
    numba = pytest.importorskip("numba")
    function = upsweep.monoid(numba.cfunc("float64(float64, float64)")(strange), 0.0)
    x = scattered(5000, "float16").astype(float) / 64
    assert same_bits(upsweep.scan(x, function), np.array(prefixes(x.tolist(), strange)))
    assert upsweep.reduce(x[:0], function) == 0.0
    # Elements of other types are given to the function as Python gives them.
    assert upsweep.reduce(np.arange(1, 4), function) == upsweep.reduce([1.0, 2.0, 3.0], strange)


def test_what_numba_cannot_compile_is_applied_with_a_warning():
    def through_text(a, b):
        return float(str(a)) + eval(str(b))

    x = np.ones(2**14)
    with pytest.warns(UserWarning, match="Python applies through_text to 16384 elements"):
        assert upsweep.reduce(x, through_text) == 2**14


def test_identities_and_initial_values():
    joined = upsweep.monoid(plus, "")
    assert upsweep.reduce([], joined) == "" and upsweep.scan([], joined) == []
    assert upsweep.reduce(["b"], joined, initial="a") == "ab"
    assert upsweep.scan(["b", "c"], joined, exclusive=True) == ["", "b"]
    assert upsweep.scan(["b", "c"], plus, exclusive=True, initial="a") == ["a", "ab"]
    assert upsweep.scan(np.array([1, 2, 3]), plus, exclusive=True, initial=0).tolist() == [0, 1, 3]
    for call in (
        lambda: upsweep.reduce([], plus),
        lambda: upsweep.scan([1], plus, exclusive=True),
    ):
        with pytest.raises(ValueError, match="plus has no identity"):
            call()


def test_exceptions_of_the_function_reach_the_caller():
    def fails(a, b):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        upsweep.reduce([1, 2], fails)
    with pytest.raises(TypeError, match="not a function"):
        upsweep.monoid(3)
    with pytest.raises(ValueError, match="user-defined operators do not support axis"):
        upsweep.reduce(np.ones((2, 2)), plus, axis=1)
    with pytest.raises(ValueError, match="2 dimensions"):
        upsweep.reduce(np.ones((2, 2)), plus)


def test_only_reduce_scan_streams_and_partials_take_functions():
    def sum(a, b):
        return a - b

    for call in (
        lambda: upsweep.segment_reduce([1, 2], [0, 2], upsweep.monoid(sum, 0)),
        lambda: upsweep.group_reduce([1, 1], [1, 2], sum),
        lambda: upsweep.windowed([1, 2], 2, sum),
        lambda: upsweep.weighted_histogram([1], [1], op=sum),
    ):
        with pytest.raises(TypeError, match="reduce, scan, Stream and Partial accept"):
            call()
    assert upsweep.reduce([5, 3], sum) == 2


def test_functions_that_are_not_associative_are_refused():
    for op in (np.subtract, np.divide, np.power, np.less, operator.sub, operator.truediv):
        for call, *args in (
            (upsweep.reduce, [3.0, 1.0, 4.0], op),
            (upsweep.scan, [3.0, 1.0, 4.0], op),
            (upsweep.Stream, op),
        ):
            with pytest.raises(TypeError, match="is not associative"):
                call(*args)
    assert "not associative" in upsweep.check_monoid(np.subtract, [1.0, 2.5])
    assert upsweep.reduce([3.0, 4.0], np.hypot) == 5
    assert upsweep.reduce([True, False, True], np.not_equal) == 0


def test_counter_examples_are_found():
    assert upsweep.check_monoid(plus, [1, -7, 10**30]) is None
    assert upsweep.check_monoid(plus, scattered(30)) is None
    assert upsweep.check_monoid(max, scattered(30)) is None
    assert upsweep.check_monoid(compose, [(1.5, 2.0), (0.1, -3.0), (2.0, 0.3)]) is None
    found = upsweep.check_monoid(lambda a, b: a - b, [1.0, 2.5])
    assert found.endswith("the function is not associative")
    mean = upsweep.check_monoid(lambda a, b: (a + b) / 2, scattered(100))
    assert "not associative" in mean
    assert "0 is not an identity" in upsweep.check_monoid(upsweep.monoid(max, 0), [-1])
    assert upsweep.check_monoid(upsweep.monoid(max, -9), [-1, 3]) is None
    assert "not associative" in upsweep.check_monoid(max, [1.0, float("nan"), 2.0])
    assert upsweep.check_monoid(np.maximum, [1.0, float("nan"), 2.0, float("inf")]) is None
    assert upsweep.check_monoid(plus, [1e308, -1e308, 1.0]) is None
    with pytest.raises(TypeError, match="check_monoid: 'sum' is not a function"):
        upsweep.check_monoid("sum", [1, 2])
    by_hand = upsweep.check_monoid(lambda a, b: (b[0], a[1] - b[1]), [(1, 2), (3, 4)])
    assert "not associative" in by_hand


def test_results_may_be_of_another_type_than_the_elements():
    def mean(a, b):
        return (a + b) / 2

    x = np.array([1, 2, 3])
    assert same_bits(upsweep.scan(x, mean), np.array(upsweep.scan([1, 2, 3], mean)))
    assert upsweep.scan(x, plus, initial=0.5).tolist() == [1.5, 3.5, 6.5]
    least = upsweep.monoid(min, float("inf"))
    assert upsweep.scan(x, least, exclusive=True).tolist() == [np.inf, 1, 1]
    many = np.arange(2**14)
    with pytest.warns(UserWarning, match="the type of the elements, int64"):
        assert upsweep.reduce(many, mean) == upsweep.reduce(many.tolist(), mean)


def test_numba_computes_in_no_wider_type_than_python():
    def scaled(a, b):
        return a + b + 0.1 * a * b  # of float32 for NumPy, of float64 for numba

    x = (np.random.default_rng(1).random(2**14) / 2**14).astype(np.float32)
    with pytest.warns(UserWarning, match="the type of the elements, float32"):
        assert same_bits(upsweep.scan(x, scaled)[:-1], upsweep.scan(x[:-1], scaled))


LIMIT = 1


def rings(a, b):
    return a * b + a - b


def larger(a, b):
    return a if a > b else b


def positive_sum(a, b):
    return a if a + b > 0 else b


def quotient(a, b):
    return a / b


def counted_flags(a, b):
    return a + ((a > 0) + (b > 0))


def sum_of_exponentials(a, b):
    return np.log(np.exp(a) + np.exp(b))


def distance(a, b):
    return (a * a + b * b) ** 0.5


def root(a, b):
    return np.sqrt(a * a + b * b)


def above_limit(a, b):
    return b if a < LIMIT - 0.9 else a


def shifted(a, b):
    return a << (b & 127)


def no_zero(a, b):
    return a * b if not (a + b) else b


@pytest.mark.parametrize(
    "function, compiled_for",
    [
        (rings, "f4 i4"),
        (larger, "f4 i4"),
        (lambda a, b: max(a, abs(b)), "f4 i4"),
        (positive_sum, ""),
        (quotient, "f4"),
        (counted_flags, ""),
        (sum_of_exponentials, ""),
        (distance, ""),
        (root, "f4"),
        (above_limit, ""),
        (shifted, ""),
        (no_zero, "f4"),
        (lambda a, b: np.int64(a) + np.int64(b), ""),
    ],
)
def test_functions_are_compiled_if_the_bits_are_those_of_python(function, compiled_for):
    pytest.importorskip("numba")
    operator = upsweep.monoid(function)
    random = np.random.default_rng(2)
    for dtype in ("f4", "i4"):
        if dtype == "f4":
            x = random.standard_normal(2**14).astype(dtype)
            x[::97] = 0
        else:
            x = random.integers(-(2**31), 2**31, 2**14).astype(dtype)
            x[::2] %= 100
        with warnings.catch_warnings(record=True) as said, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            try:
                expected = np.array(upsweep.scan(list(x), function))  # by Python
            except TypeError:  # & of floats
                continue
            found = upsweep.scan(x, operator)
        by_python = any("Python applies" in str(w.message) for w in said)
        assert np.array_equal(found.astype(expected.dtype), expected, equal_nan=True), dtype
        assert by_python == (dtype not in compiled_for.split()), dtype


def test_results_of_a_wider_type_keep_it():
    x = np.array([2**30] * 4, np.int32)
    found = upsweep.scan(x, lambda a, b: np.int64(a) + np.int64(b))
    assert found.dtype == np.int64 and found.tolist() == [2**30, 2**31, 3 * 2**30, 2**32]
    y = np.array([1, 2**-30], np.float32)
    assert upsweep.reduce(y, lambda a, b: np.float64(a) + np.float64(b)) == 1 + 2**-30


@pytest.mark.parametrize("kind", ["njit", "cfunc", "max", "ufunc", "float16"])
def test_large_arrays_take_the_functions_that_small_ones_take(kind):
    numba = pytest.importorskip("numba")
    function = {
        "njit": numba.njit(lambda a, b: a + b),
        "cfunc": numba.cfunc("float64(float64, float64)")(lambda a, b: a + b),
        "max": max,
        "ufunc": np.maximum,
        "float16": lambda a, b: max(a, b),
    }[kind]
    x = np.arange(2**14, dtype=np.float16 if kind == "float16" else np.int64) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert upsweep.reduce(x, function) == upsweep.reduce(x.tolist(), function)


def test_functions_are_compiled_once():
    event = pytest.importorskip("numba.core.event")

    def added(a, b):
        return a + b

    compiled = []
    for call in (upsweep.scan, upsweep.scan, upsweep.reduce):
        with event.install_recorder("numba:compile") as recorder:
            call(np.ones(2**14), added)
        compiled.append(len(recorder.buffer) > 0)
    assert compiled == [True, False, False]


def test_functions_see_variables_change():
    step = 1

    def stepped(a, b):
        return a + b + step

    x = np.ones(2**14, np.int64)
    assert upsweep.reduce(x, stepped) == 2**15 - 1
    step = 2
    assert upsweep.reduce(x, stepped) == 3 * 2**14 - 2


def test_functions_may_have_no_hash():
    class Plus:
        __hash__ = None

        def __call__(self, a, b):
            return a + b

    assert upsweep.reduce([1, 2], Plus()) == 3


def test_what_has_no_elements_is_refused():
    for x, sentence in (
        (None, "None has no elements"),
        (np.ma.masked_equal([1, 2], 2), "masked array"),
    ):
        with pytest.raises(TypeError, match=f"^reduce: .*{sentence}"):
            upsweep.reduce(x, plus)


def test_rounding_of_arrays_is_no_counterexample():
    arrays = [np.array([0.1, 0.2]), np.array([0.3, 0.7]), np.array([1e3, 0.9])]
    matrices = [np.random.default_rng(i).standard_normal((2, 2)) for i in range(6)]
    numbers = [0.1 + 0.7j, 0.3 - 0.2j, 1e3 + 0.9j]
    for op, samples in (
        (np.add, arrays),
        (np.matmul, matrices),
        (operator.mul, numbers),
        (operator.mul, [np.complex64(z) for z in numbers]),
        (lambda a, b: (a[0] @ b[0], a[1] + b[1]), list(zip(matrices, numbers))),
    ):
        assert upsweep.check_monoid(op, samples) is None
    for op, samples in (
        (lambda a, b: a - b, arrays),
        (lambda a, b: (a + b) / 2, numbers),
        (lambda a, b: a @ b.T, matrices),
    ):
        assert "not associative" in upsweep.check_monoid(op, samples)
