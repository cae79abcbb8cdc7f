"""Columns of pandas, polars and Arrow: the bits of the whole, and nulls that are said."""

import numpy as np
import pytest
import upsweep
from reference import FLOATS, INTEGERS, same_bits, scattered, tree_sums

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


def columns(x):
    cut = len(x) // 3
    yield "array", pa.array(x)
    yield "slice", pa.array(np.concatenate([x[:5], x, x[:5]]))[5 : 5 + len(x)]
    yield "chunks", pa.chunked_array([x[:cut], x[cut:], x[:0]])
    yield "polars", pl.Series(x)
    yield "polars chunks", pl.concat([pl.Series(x[:cut]), pl.Series(x[cut:])], rechunk=False)
    if x.dtype == np.float16:
        return  # pandas has no such columns
    yield "pandas", pd.Series(x)
    yield "pandas of arrow", pd.Series(pa.array(x), dtype=pd.ArrowDtype(pa.array(x).type))
    yield "pandas index", pd.Index(x)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + ["bool"])
def test_columns_have_the_bits_of_their_numbers(dtype):
    x = scattered(1000, "int8") > 0 if dtype == "bool" else scattered(1000, dtype)
    for kind, column in columns(x):
        assert same_bits(upsweep.sum(column), upsweep.sum(x)), kind
        assert same_bits(upsweep.cumulative_sum(column), upsweep.cumulative_sum(x)), kind
        assert same_bits(upsweep.sort(column), upsweep.sort(x)), kind


def test_nulls_are_refused_or_skipped_by_name():
    numbers = [1.5, None, 2.5, None]
    for column in (
        pa.array(numbers),
        pa.chunked_array([numbers[:1], numbers[1:]]),
        pa.array([0.0, *numbers])[1:],
        pl.Series(numbers),
        pd.Series(numbers, dtype="Float64"),
    ):
        with pytest.raises(ValueError, match="sum: 2 of 4 elements are null; fill or drop"):
            upsweep.sum(column)
        assert upsweep.from_arrow(column, skip_nulls=True).tolist() == [1.5, 2.5]
    flags = pa.array([True, None, False, True])
    assert upsweep.from_arrow(flags, skip_nulls=True).tolist() == [True, False, True]


def test_tables_of_pandas_are_arrays_and_nan_stays_nan():
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [4.0, 5.0, np.nan]})
    assert upsweep.sum(frame["a"]) == 6
    assert upsweep.max(frame[["a"]], axis=0).tolist() == [3]
    assert np.isnan(upsweep.sum(frame["b"]))


def test_groups_of_columns():
    keys, x = pl.Series(["b", "a", "b"]), pl.Series([1.0, 2.0, 3.0])
    found, totals = upsweep.group_reduce(keys, x)
    assert found.to_list() == ["a", "b"] and totals.to_list() == [2, 4]


def text_columns(words):
    """Columns of a list of strings, in the memory of each library."""
    parts, half = pa.array(words), len(words) // 2
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        yield str(kind), parts.cast(kind)
        yield f"{kind}, slice", pa.array(["?", *words, "?"]).cast(kind)[1:-1]
    yield "dictionary", parts.dictionary_encode()
    halves = [pa.array(part).dictionary_encode() for part in (words[:half], words[half:])]
    yield "dictionaries", pa.chunked_array([halves[0], halves[1][:0], halves[1]])
    for kind in ("str", "category", pd.ArrowDtype(pa.string()), object):
        yield f"pandas {kind}", pd.Series(words, dtype=kind)
    for kind in (pl.String, pl.Categorical):
        yield f"polars {kind}", pl.Series(words, dtype=kind)


def test_texts_are_keys_and_elements():
    words = ["b", "", "longer than a view of Arrow holds", "ä", "b", "b", ""] * 9
    plain, x = np.array(words), np.arange(len(words))
    expected, counts = np.unique(plain, return_counts=True)
    for kind, column in text_columns(words):
        found, totals = upsweep.group_reduce(column, x, "max")
        assert np.asarray(found).tolist() == expected.tolist(), kind
        last = [int(np.flatnonzero(plain == key)[-1]) for key in expected]
        assert np.asarray(totals).tolist() == last, kind
        scans = np.asarray(upsweep.group_scan(column, x))
        assert scans.tolist() == upsweep.group_scan(plain, x).tolist(), kind
        found, times = upsweep.unique(column, return_counts=True)
        assert np.asarray(found).tolist() == expected.tolist(), kind
        assert np.asarray(times).tolist() == counts.tolist(), kind
        lengths = np.asarray(upsweep.runs(column).lengths)
        assert lengths.tolist()[:6] == [1, 1, 1, 1, 2, 1], kind
    for keys in (pd.Series([3, 1, 3], dtype="category"), pl.Series([3, 1, 3]).cast(pl.Date)):
        assert list(upsweep.group_reduce(keys, [1, 2, 4]).values) == [2, 5]
    with pytest.raises(ValueError, match="group_reduce: 1 of 2 elements are null"):
        upsweep.group_reduce(pa.array(["a", None]), [1, 2])


def test_other_columns_are_refused():
    with pytest.raises(TypeError, match="format 'u', which is not numeric"):
        upsweep.sum(pa.array(["a"]))
    with pytest.raises(TypeError, match="not numbers"):
        upsweep.sum(pa.array([1, 2]).dictionary_encode())
    with pytest.raises(TypeError, match="does not support elements of type"):
        upsweep.sum(pl.Series([1]).cast(pl.Date))
    with pytest.raises(TypeError, match="list is not an Arrow column"):
        upsweep.from_arrow([1, 2])


def test_columns_of_a_million_in_many_chunks():
    x = scattered(10**5, "float32")
    chunked = pa.chunked_array(np.array_split(x, 1000))
    assert same_bits(upsweep.sum(chunked), tree_sums(x)[-1])


def test_texts_may_end_with_a_zero():
    column = pa.array(["a\0", "a", "a\0"])
    assert upsweep.unique(column).to_pylist() == ["a", "a\0"]
    assert list(upsweep.group_reduce(column, np.array([1, 2, 4])).values.to_pylist()) == [2, 5]


def test_nulls_beside_the_elements_are_refused():
    for nulls in (pl.Series([True, None]), pd.Series([1, None], dtype="Int64")):
        with pytest.raises(ValueError, match="select: 1 of 2 elements are null"):
            upsweep.select([1, 2], nulls)
    with pytest.raises(ValueError, match="sum: 1 of 2 elements are null"):
        upsweep.sum([1, 2], where=pl.Series([True, None]))
    with pytest.raises(ValueError, match="segment_reduce: 1 of 2 elements are null"):
        upsweep.segment_reduce([1, 2], pl.Series([0, None]))


def test_nulls_of_a_dictionary_are_nulls():
    values = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1]), pa.array(["a", None]))
    for column in (values, values.cast(pa.dictionary(pa.int8(), pa.string())), values[1:]):
        nulls = column.to_pylist().count(None)
        with pytest.raises(ValueError, match=f"unique: {nulls} of {len(column)} elements are null"):
            upsweep.unique(column)
    with pytest.raises(ValueError, match="unique: 1 of 2 elements are null"):
        upsweep.unique(pd.Series([1, None], dtype="category"))


def test_numbers_that_stand_for_something_else_are_no_numbers():
    months = pd.Series(pd.period_range("2026-01", periods=2, freq="M"))
    with pytest.raises(TypeError, match="max: the column has elements of type pandas.period"):
        upsweep.max(months)
    assert upsweep.group_reduce(months, [1, 2]).keys.tolist() == months.tolist()
    with pytest.raises(TypeError, match="sum: the column is categorical"):
        upsweep.sum(pd.Series([3, 1], dtype="category"))


def test_columns_of_several_columns_are_refused_as_keys():
    for table in (pl.DataFrame({"a": [1, 2], "b": [3, 4]}), pl.Series([{"a": 1, "b": 2}])):
        with pytest.raises(TypeError, match="unique: keys is a .* of several columns"):
            upsweep.unique(table)


def test_sparse_columns_have_all_their_elements():
    column = pd.Series(pd.arrays.SparseArray([0.0, 0.0, 2.0, 0.0]))
    assert upsweep.sum(column) == 2
    assert upsweep.cumulative_sum(column).tolist() == [0, 0, 2, 2]
    assert upsweep.unique(column, return_counts=True)[1].tolist() == [3, 1]


@pytest.mark.parametrize("library", [pd, pl])
def test_columns_of_groups_have_the_names_of_their_own(library):
    keys, x = library.Series(["b", "a", "b"]), library.Series([1, 2, 4])
    keys, x = (c.rename(name) for c, name in ((keys, "shop"), (x, "sales")))
    groups = upsweep.group_reduce(keys, x)
    assert (groups.keys.name, groups.values.name) == ("shop", "sales")
    assert upsweep.group_scan(keys, x).name == "sales"
    sorted_by_sales = upsweep.sort_by_key(x, (x * 1.5).rename("price"))
    assert [column.name for column in sorted_by_sales] == ["sales", "price"]
    assert isinstance(upsweep.group_reduce(keys, np.ones(3)).values, library.Series)
    assert isinstance(upsweep.group_reduce(["b", "a", "b"], x).keys, library.Series)


def test_tables_of_pandas_may_have_no_nulls():
    pandas = pytest.importorskip("pandas")
    column = pandas.array([1, None], "Int64")
    table = pandas.DataFrame({"a": column})
    for given in (table, pandas.concat([table] * 2, axis=1)):
        with pytest.raises(ValueError, match="sum: 1 of 2 elements are null"):
            upsweep.sum(given)
    assert upsweep.sum(pandas.DataFrame({"a": column}).fillna(4)) == 5


def test_filters_return_states_without_an_index():
    pandas, signal = pytest.importorskip("pandas"), pytest.importorskip("scipy.signal")
    x = pandas.Series([1.0, 2.0, 4.0], ["a", "b", "c"], name="x")
    taps, state = pandas.Series([1.0, 0.5], name="taps"), pandas.Series([0.25], name="state")
    expected, after = signal.lfilter(taps, [1.0, -0.5], x, zi=state)
    y, states = upsweep.lfilter(taps, [1.0, -0.5], x, zi=state)
    pandas.testing.assert_series_equal(y, pandas.Series(expected, x.index, name="x"))
    assert type(states) is np.ndarray and states.tolist() == after.tolist()
    y, states = upsweep.lfilter(taps, [1.0, -0.5], x.to_numpy(), zi=state)
    assert type(y) is type(states) is np.ndarray and y.tolist() == expected.tolist()


def test_capsules_of_arrow_are_read_once():
    pyarrow = pytest.importorskip("pyarrow")
    column = pyarrow.chunked_array([[1, 2, 3]])
    for name, given in (("stream", column), ("array", column.chunk(0))):
        method = f"__arrow_c_{name}__"
        capsules = getattr(given, method)()
        again = type("Again", (), {method: lambda self, schema=None: capsules})()  # noqa: B023
        assert upsweep.sum(again) == 6
        with pytest.raises(ValueError, match="the Arrow capsule was read before"):
            upsweep.sum(again)
