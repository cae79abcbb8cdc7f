"""Results belong to the library of the elements: arrays of the standard, and columns."""

import numpy as np
import pytest
import upsweep
from reference import same_bits, scattered

X = scattered(100, "float32")
KEYS = np.arange(100) % 7
FLAGS = X > 0

# Every kind of result: one number, an array of any shape, a tuple with names, and one without.
CALLS = {
    "sum": lambda of: upsweep.sum(of(X)),
    "sum along an axis": lambda of: upsweep.sum(of(X.reshape(20, 5)), axis=0),
    "argmax": lambda of: upsweep.argmax(of(X)),
    "any": lambda of: upsweep.any(of(X)),
    "exact_sum": lambda of: upsweep.exact_sum(of(X)),
    "minmax": lambda of: upsweep.minmax(of(X)),
    "reduce": lambda of: upsweep.reduce(of(KEYS), "bit_xor"),
    "reduce, own": lambda of: upsweep.reduce(of(X), lambda a, b: a if a > b else b),
    "add.reduce": lambda of: upsweep.add.reduce(of(X)),
    "var": lambda of: upsweep.var(of(X)),
    "cumulative_sum": lambda of: upsweep.cumulative_sum(of(X)),
    "scan, own": lambda of: upsweep.scan(of(X), lambda a, b: a if a > b else b),
    "maximum.accumulate": lambda of: upsweep.maximum.accumulate(of(X)),
    "add.reduceat": lambda of: upsweep.add.reduceat(of(X), [0, 10]),
    "linear_recurrence": lambda of: upsweep.linear_recurrence(0.5, of(X)),
    "segment_reduce": lambda of: upsweep.segment_reduce(of(X), of(np.array([0, 40, 100]))),
    "group_reduce": lambda of: upsweep.group_reduce(of(KEYS), of(X)),
    "group_reduce by names": lambda of: upsweep.group_reduce(list("ab" * 50), of(X)),
    "windowed": lambda of: upsweep.windowed(of(X), 3, "max"),
    "partition": lambda of: upsweep.partition(of(X), of(FLAGS)),
    "unique": lambda of: upsweep.unique(of(KEYS), return_counts=True),
    "sort_by_key": lambda of: upsweep.sort_by_key(of(KEYS), of(X)),
    "quantile": lambda of: upsweep.quantile(of(X), [0.25, 0.5]),
    "histogram": lambda of: upsweep.histogram(of(X), 10),
    "Stream.scan": lambda of: upsweep.Stream("sum", "float32").scan(of(X)),
    "convolve": lambda of: upsweep.convolve(of(X), of(X[:3])),
}


def expect_members(results, expected, expect_one):
    """Calls expect_one for each array or number of the results."""
    if isinstance(expected, tuple):
        assert type(results) is type(expected)
        for part, other in zip(results, expected, strict=True):
            expect_members(part, other, expect_one)
    else:
        expect_one(results, np.asarray(expected))


def library_named(name):
    library = pytest.importorskip(name)
    if name == "jax":
        library.config.update("jax_enable_x64", True)
        return library.numpy
    return library


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", ["array_api_strict", "jax", "torch"])
def test_arrays_give_arrays_of_their_library(name, call):
    library = library_named(name)
    kind = type(library.from_dlpack(X))

    def expect_one(result, expected):
        if expected.dtype.kind == "U":
            assert isinstance(result, np.ndarray)
        else:
            assert isinstance(result, kind)
            assert same_bits(np.from_dlpack(result), expected)

    expect_members(CALLS[call](library.from_dlpack), CALLS[call](np.asarray), expect_one)


@pytest.mark.parametrize("call", sorted(set(CALLS) - {"sum along an axis"}))
@pytest.mark.parametrize("name", ["pandas.Series", "polars.Series", "pyarrow.array"])
def test_columns_give_columns_where_a_result_has_one_dimension(name, call):
    package, maker = name.split(".")
    make = getattr(pytest.importorskip(package), maker)

    def expect_one(result, expected):
        if expected.ndim == 0:
            assert same_bits(result, expected)
        else:
            assert type(result).__module__.startswith(package)
            assert np.asarray(result).tolist() == expected.tolist()

    expect_members(CALLS[call](make), CALLS[call](np.asarray), expect_one)


def test_series_keep_their_names_and_running_results_their_index():
    pandas = pytest.importorskip("pandas")
    x = pandas.Series([3.0, 1.0, 2.0], index=["a", "b", "c"], name="height")
    for running in (upsweep.cummax(x), upsweep.ema(x, 0.5), upsweep.group_scan([1, 2, 1], x)):
        assert running.index.tolist() == ["a", "b", "c"] and running.name == "height"
    assert upsweep.windowed(x, 2).index.tolist() == ["b", "c"]  # where each window ends
    assert upsweep.sort(x).index.tolist() == [0, 1, 2]
    assert upsweep.cumulative_sum(x, include_initial=True).index.tolist() == [0, 1, 2, 3]
    polars = pytest.importorskip("polars")
    assert upsweep.cummax(polars.Series("height", [3.0, 1.0])).name == "height"


def test_chunks_give_chunks():
    pyarrow = pytest.importorskip("pyarrow")
    x = pyarrow.chunked_array([[1, 2], [3]])
    assert upsweep.cumulative_sum(x) == pyarrow.chunked_array([[1, 3, 6]])


def test_out_is_returned_as_it_was_given():
    library = pytest.importorskip("array_api_strict")
    out = np.empty(100, np.float32)
    assert upsweep.cumulative_sum(library.asarray(X), out=out) is out
    assert upsweep.add.accumulate(library.asarray(X), 0, None, out) is out


def test_tensors_that_numpy_cannot_take_are_refused_by_one_sentence():
    torch = pytest.importorskip("torch")
    x = torch.ones(2, 3)
    nested = torch.nested.nested_tensor([x[0], x[0, :2]])
    for y in x.to_sparse(), x.bfloat16(), x.requires_grad_(), nested, x.to("meta"):
        with pytest.raises(TypeError, match=r"^sum: an array of torch does not .* on the CPU; ups"):
            upsweep.sum(y)
        with pytest.raises(TypeError, match=r"^cumulative_sum: an array of torch does not conv"):
            upsweep.cumulative_sum(y, axis=0)


def test_integers_that_a_library_cannot_hold_are_an_error():
    class Narrow:
        """A library without 64-bit numbers, as JAX without jax_enable_x64."""

        __name__ = "narrow"

        def from_dlpack(self, a):
            return np.asarray(a).astype(np.int32)

    class Array:
        def __init__(self, a):
            self.__dlpack__, self.__dlpack_device__ = a.__dlpack__, a.__dlpack_device__

        def __array_namespace__(self):
            return Narrow()

    assert upsweep.sum(Array(np.array([1, 2], np.int32))) == 3
    with pytest.raises(OverflowError, match="integers of narrow, which has no int64"):
        upsweep.sum(Array(np.array([2**31 - 1, 1], np.int32)))
