"""Arguments at odd addresses, in another byte order, read-only; initial values that the type of the
elements does not hold.
"""

import numpy as np
import pytest
import upsweep


def odd(a):
    """The array at an address that is no multiple of anything."""
    moved = np.ndarray(a.shape, a.dtype, np.zeros(a.nbytes + 1, np.uint8).data, 1)
    moved[...] = a
    return moved


def swapped(a):
    return a.astype(a.dtype.newbyteorder(">"))


def spread(a):
    wide = np.zeros((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
    wide[..., ::2] = a
    return wide[..., ::2]


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


X = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 0.0])
MATRIX = np.arange(12.0).reshape(3, 4)
KEYS, OFFSETS, INDICES = np.array([1, 2, 1, 3, 2, 1]), np.array([0, 2, 6]), np.array([0, 2, 4])
FLAGS, EDGES = np.array([True, False, True, True, False, False]), np.array([0.0, 2.0, 4.0, 6.0])
STATE = np.array([0.5])
CALLS = {
    "segment_reduce": (upsweep.segment_reduce, X, OFFSETS),
    "segment_reduce u64": (upsweep.segment_reduce, X, OFFSETS.astype("uint64")),
    "segment_reduce i32": (upsweep.segment_reduce, X, OFFSETS.astype("int32")),
    "segment_scan": (upsweep.segment_scan, X, OFFSETS),
    "group_reduce": (upsweep.group_reduce, KEYS, X),
    "group_reduce f64": (upsweep.group_reduce, KEYS / 2, X),
    "group_scan": (upsweep.group_scan, KEYS, X),
    "reduceat": (upsweep.add.reduceat, X, INDICES),
    "reduceat back": (upsweep.add.reduceat, X, INDICES[::-1].copy()),
    "reduceat rows": (lambda x, at: upsweep.add.reduceat(x, at, axis=1), MATRIX, INDICES[:2]),
    "windowed": (lambda x: upsweep.windowed(x, 2), X),
    "histogram": (upsweep.histogram, X, EDGES),
    "histogram f32": (upsweep.histogram, X, EDGES.astype("float32")),
    "weighted_histogram": (upsweep.weighted_histogram, X, X, EDGES),
    "bincount": (upsweep.bincount, KEYS, X),
    "select": (upsweep.select, X, FLAGS),
    "partition": (upsweep.partition, X, FLAGS),
    "where": (lambda x, flags: upsweep.sum(x, where=flags), X, FLAGS),
    "sort_by_key": (upsweep.sort_by_key, KEYS, X),
    "sort": (upsweep.sort, X),
    "rank": (upsweep.rank, X),
    "quantile": (upsweep.quantile, X, np.array([0.1, 0.5])),
    "lfilter": (upsweep.lfilter, np.array([0.5, 0.25]), np.array([1, -0.5]), X),
    "lfilter zi": (lambda x, zi: upsweep.lfilter([1, 2], [1, 0.5], x, zi=zi), X, STATE),
    "linear_recurrence": (upsweep.linear_recurrence, X, X),
    "covariance": (upsweep.covariance, X, X**2),
    "comoments": (lambda x, y: upsweep.Partial("comoments").push(x, y).result(), X, X**2),
    "var": (lambda x: upsweep.var(x, axis=0), MATRIX),
    "convolve": (upsweep.convolve, X, EDGES),
    "unique": (upsweep.unique, KEYS),
    "initial": (lambda x, first: upsweep.sum(x, initial=first), X, np.array(2.5)),
}


def parts(results):
    return (
        [np.asarray(part).tolist() for part in results]
        if isinstance(results, tuple)
        else (np.asarray(results).tolist())
    )


@pytest.mark.parametrize("change", [odd, swapped, spread, read_only, lambda a: odd(swapped(a))])
@pytest.mark.parametrize("name", CALLS)
def test_arguments_lie_anywhere(name, change):
    call, *arguments = CALLS[name]
    expected = parts(call(*arguments))
    for k, given in enumerate(arguments):
        if given.ndim == 0 and change is spread:
            continue
        changed = [*arguments[:k], change(given), *arguments[k + 1 :]]
        assert parts(call(*changed)) == expected


B = np.array([True, False, True])


@pytest.mark.parametrize("initial", [-3, -(2**63), 2**63 - 3, 0, np.int8(-1)])
def test_booleans_add_up_from_any_integer(initial):
    first = int(initial)
    for call in (upsweep.sum, upsweep.exact_sum, upsweep.add.reduce, upsweep.reduce):
        total = call(B, initial=initial)
        assert total == first + 2 and total.dtype == np.int64
    running = [first + 1, first + 1, first + 2]
    for call in (upsweep.cumulative_sum, upsweep.exact_cumulative_sum, upsweep.scan):
        assert call(B, initial=initial).tolist() == running
    assert upsweep.sum(B, initial=initial, where=[True, True, False]) == first + 1
    assert upsweep.sum([B, B], axis=0, initial=initial).tolist() == [first + 2, first, first + 2]
    assert upsweep.prod(B, initial=initial) == 0
    assert upsweep.prod(B | True, initial=initial) == first
    assert upsweep.segment_reduce(B, [0, 1, 3], initial=initial).tolist() == [first + 1] * 2
    assert upsweep.segment_scan(B, [0, 1, 3], initial=initial)[1] == first
    assert upsweep.group_reduce([1, 2, 1], B, initial=initial).values.tolist() == [first + 2, first]
    assert upsweep.group_scan([1, 2, 1], B, initial=initial)[1] == first
    assert upsweep.windowed(B, 2, initial=initial).tolist() == [first + 1] * 2
    assert upsweep.Stream("sum", "bool", initial=initial).push(B).result() == first + 2
    assert upsweep.Partial("sum", "bool").push(B).result(initial=initial) == first + 2


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "bool"])
@pytest.mark.parametrize("to", ["int8", "int16", "int32", "int64"])
def test_unsigned_elements_add_up_in_signed_integers(dtype, to):
    x = np.array([1, 0, 1], dtype)
    for call in (upsweep.sum, upsweep.add.reduce):
        result = call(x, dtype=to, initial=-3)
        assert result == -1 and result.dtype == to
    assert upsweep.cumulative_sum(x, dtype=to, initial=-3).tolist() == [-2, -2, -1]
    assert upsweep.prod(x, dtype=to, initial=-3) == 0
    for first in (-(2**63) - 1, 2**63):
        with pytest.raises(OverflowError, match="does not fit int64"):
            upsweep.sum(x, dtype=to, initial=first)


def test_signed_elements_add_up_in_unsigned_integers():
    x = np.array([1, 2], np.int8)
    assert upsweep.sum(x, dtype="uint64", initial=2**63) == 2**63 + 3
    with pytest.raises(OverflowError, match="initial=-1 does not fit uint64"):
        upsweep.sum(x, dtype="uint64", initial=-1)
    with pytest.raises(OverflowError, match="initial=-1 does not fit uint8"):
        upsweep.max(np.array([1], np.uint8), initial=-1)
    with pytest.raises(OverflowError, match="does not fit uint64"):
        upsweep.sum(np.array([1], np.uint8), initial=-1)


def test_flags_are_what_python_takes_as_true():
    x = np.array([3.0, 1.0, 2.0])
    for yes in (1, np.True_, "yes"):
        for call, expected in (
            (lambda: upsweep.sort(x, descending=yes), [3, 2, 1]),
            (lambda: upsweep.sort([3, 1, 2], descending=yes), [3, 2, 1]),
            (lambda: upsweep.argsort(x, descending=yes), [0, 2, 1]),
            (lambda: upsweep.rank(x, descending=yes), [1, 3, 2]),
            (lambda: upsweep.sort_by_key(x, x, descending=yes)[1], [3, 2, 1]),
            (lambda: upsweep.scan(x, exclusive=yes), [0, 3, 4]),
            (lambda: upsweep.scan(x, reverse=yes), [6, 3, 2]),
            (lambda: [upsweep.reduce(x, "argmax", reverse=yes)], [0]),
            (lambda: upsweep.segment_scan(x, [0, 3], exclusive=yes), [0, 3, 4]),
            (lambda: upsweep.group_scan([1, 1, 1], x, exclusive=yes), [0, 3, 4]),
            (lambda: upsweep.Stream("sum").scan(x, exclusive=yes), [0, 3, 4]),
            (lambda: upsweep.Partial("sum").scan(x, exclusive=yes), [0, 3, 4]),
            (lambda: upsweep.linear_recurrence(1.0, x, reverse=yes), [6, 3, 2]),
            (lambda: upsweep.linear_recurrence(1.0, x, tree="blocks", reverse=yes), [6, 3, 2]),
        ):
            assert list(call()) == expected


def test_windows_may_be_wider_than_any_array():
    for width in (2**63 - 1, 2**63, 2**64, 2**70):
        assert upsweep.windowed(np.zeros(3), width).size == 0
        assert upsweep.windowed(np.ones(3), width, min_periods=1).tolist() == [1, 2, 3]


def test_exact_sums_of_integers_may_be_floats():
    for call, last in ((upsweep.exact_sum, np.sum), (upsweep.exact_cumulative_sum, np.cumsum)):
        result, expected = call([1, 2, 3], dtype="float64"), last([1, 2, 3], dtype="float64")
        assert result.dtype == expected.dtype and np.array_equal(result, expected)
        assert call([1, 2, 3], dtype="int32").dtype == np.int32
        with pytest.raises(OverflowError):
            call([2**63 - 1, 1], dtype="int64")


def test_percentages_of_narrow_floats_are_divided_in_float64():
    for percent in (30, 70, 99):
        expected = np.percentile(np.arange(1001.0), percent)
        assert upsweep.percentile(np.arange(1001.0), np.float16(percent)) == expected


def test_ufuncs_reduce_what_numpy_cannot_convert():
    class OnGpu:  # as a tensor of PyTorch: with a type that has no kind
        dtype = object()

        def __array__(self):
            raise TypeError("can't convert a tensor on a GPU")

    from upsweep._entries import is_own

    assert not is_own(np.add, OnGpu())
    assert is_own(np.add, np.array(["a"])) and is_own(np.add, ["a", "b"])
    with pytest.raises(TypeError, match="sin is not a function of two operands"):
        upsweep.reduce([1.0, 2.0], np.sin)
