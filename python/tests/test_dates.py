"""Dates and spans of time in every verb that has an order or a sum of them."""

import numpy as np
import pytest
import upsweep
from reference import same_bits

DATES = np.array("2020-01-01", "M8[s]") + np.random.default_rng(1).integers(-(10**9), 10**9, 600)
SPANS = DATES - DATES[0]
OFFSETS = np.arange(0, 601, 50)


@pytest.mark.parametrize("x", [DATES, SPANS, DATES.astype(">M8[s]")], ids=["dates", "spans", "be"])
def test_orders_are_those_of_numpy(x):
    plain = x.astype(x.dtype.newbyteorder("="))
    rows, columns = plain.reshape(12, 50), plain.reshape(50, 12)
    for op, theirs in (("min", np.min), ("max", np.max), ("argmax", np.argmax)):
        expected = theirs(rows, axis=1)
        assert same_bits(upsweep.segment_reduce(x, OFFSETS, op), expected), op
        keys = np.tile(np.arange(12), 50)
        assert same_bits(upsweep.group_reduce(keys, x, op).values, theirs(columns, axis=0)), op
        views = np.lib.stride_tricks.sliding_window_view(plain, 7)
        assert same_bits(upsweep.windowed(x, 7, op), theirs(views, axis=1)), op
    scans = np.maximum.accumulate(rows, axis=1).ravel()
    assert same_bits(upsweep.segment_scan(x, OFFSETS, "max"), scans)
    assert same_bits(upsweep.group_scan(np.repeat(np.arange(12), 50), x, "max"), scans)
    assert same_bits(
        upsweep.maximum.reduceat(x, OFFSETS[:-1]), np.maximum.reduceat(plain, OFFSETS[:-1])
    )
    assert same_bits(upsweep.fmin.reduce(x), np.fmin.reduce(plain))
    assert same_bits(upsweep.top(x, 5), np.sort(plain)[::-1][:5])
    assert same_bits(upsweep.sort_by_key(x, np.arange(600))[1], np.argsort(plain, kind="stable"))
    assert upsweep.unique(x).tolist() == np.unique(plain).tolist()


def test_elements_are_moved_with_nat():
    x = np.append(DATES, np.datetime64("NaT"))
    flags = np.arange(601) % 3 == 0
    assert same_bits(upsweep.select(x, flags), x[flags])
    yes, no = upsweep.partition(x, flags)
    assert same_bits(yes, x[flags]) and same_bits(no, x[~flags])
    keys, values = upsweep.sort_by_key(-np.arange(601), x)
    assert keys[0] == -600 and same_bits(values, x[::-1].copy())


def test_spans_add_up_and_dates_do_not():
    rows = SPANS.reshape(12, 50)
    assert same_bits(upsweep.segment_reduce(SPANS, OFFSETS), np.sum(rows, axis=1))
    assert same_bits(upsweep.segment_scan(SPANS, OFFSETS), np.cumsum(rows, axis=1).ravel())
    views = np.lib.stride_tricks.sliding_window_view(SPANS, 7)
    assert same_bits(upsweep.windowed(SPANS, 7), np.sum(views, axis=1))
    assert (
        upsweep.cumulative_sum(SPANS, include_initial=True)[:2].tolist() == SPANS[[0, 0]].tolist()
    )
    assert upsweep.segment_reduce(SPANS[:1], [0, 0, 1]).tolist() == [SPANS[0], SPANS[0]]
    assert upsweep.sum(SPANS, initial=np.timedelta64(2, "m")) == np.sum(SPANS) + 120
    for call in (
        lambda: upsweep.segment_reduce(DATES, OFFSETS),
        lambda: upsweep.group_reduce(np.ones(600), DATES),
        lambda: upsweep.windowed(DATES, 3),
        lambda: upsweep.segment_reduce(SPANS, OFFSETS, "product"),
        lambda: upsweep.quantile(DATES, 0.5),
        lambda: upsweep.interpolate(DATES),
        lambda: upsweep.histogram(DATES),
        lambda: upsweep.Stream("max", DATES.dtype),
    ):
        with pytest.raises(TypeError, match=r"(datetime|timedelta)64\[s\]; min, max"):
            call()


def test_extrema_have_initial_values_that_are_dates():
    late = np.datetime64("2200-01-01")
    assert upsweep.max(DATES, initial=late) == late
    assert upsweep.scan(DATES, "min", exclusive=True, initial=late)[0] == late
    assert upsweep.segment_reduce(DATES[:1], [0, 0, 1], "min", initial=late)[0] == late
    out = np.empty(2, "M8[s]")
    assert upsweep.min(DATES.reshape(2, 300), axis=1, out=out) is out
    for initial in (0, np.timedelta64(1, "s"), np.datetime64("NaT"), 1.5):
        with pytest.raises(TypeError, match=r"^max: initial=.* is not of datetime64\[s\]"):
            upsweep.max(DATES, initial=initial)
    for call in (
        lambda: upsweep.scan(DATES, "min", exclusive=True),
        lambda: upsweep.segment_reduce(DATES, [0, 0, 600], "min"),
        lambda: upsweep.segment_scan(DATES, [0, 600], "min", exclusive=True),
        lambda: upsweep.group_scan(np.ones(600), DATES, upsweep.minimum, exclusive=True),
    ):
        with pytest.raises(
            ValueError, match=r"without elements has no min of datetime64\[s\]; give in"
        ):
            call()


def test_columns_of_times_stay_columns_of_times():
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    x = np.array(["2020-03-01", "1999-01-01", "2021-05-05"], "M8[D]")
    flags = [True, False, True]
    for unit in ("D", "s", "ms", "us", "ns"):
        times = x.astype(f"M8[{unit}]")
        for part in (times, times - times[0]) if unit != "D" else (times,):
            columns = [pa.array(part), pa.chunked_array([part[:1], part[1:]])]
            columns += [pl.Series(part)] if unit != "s" else []
            columns += [pd.Series(part)] if unit != "D" else []
            for column in columns:
                assert upsweep.max(column) == part[2], column
                latest = upsweep.cummax(column)
                assert type(latest) is type(column) or isinstance(column, pa.Array)
                assert np.array_equal(np.asarray(latest), part[[0, 0, 2]]), column
                assert np.array_equal(np.asarray(upsweep.select(column, flags)), part[[0, 2]])
                assert np.array_equal(np.asarray(upsweep.unique(column)), np.sort(part))
    assert upsweep.cummax(pl.Series(x)).dtype == pl.Date
    assert upsweep.sort(pa.array(x, pa.date64())).type == pa.timestamp("ms")
    with pytest.raises(ValueError, match="max: 1 of 2 elements are null"):
        upsweep.max(pl.Series([x[0].item(), None]))
    assert upsweep.from_arrow(pl.Series([x[0].item(), None]), skip_nulls=True).tolist() == [
        x[0].item()
    ]
    zoned = pd.Series(x).dt.tz_localize("Europe/Berlin")
    for column in (zoned, pa.array(zoned)):
        with pytest.raises(TypeError, match="times with the time zone Europe/Berlin; remove it"):
            upsweep.max(column)
    assert upsweep.group_reduce(zoned, [1, 2, 4]).values.tolist() == [2, 1, 4]
    with pytest.raises(TypeError, match="times of day"):
        upsweep.max(pl.Series([1]).cast(pl.Time))


def test_times_that_another_unit_does_not_hold_are_refused():
    days, seconds = np.array([200_000], "m8[D]"), np.array([5], "m8[s]")
    years = np.array(["2020"], "M8[Y]")
    for call in (
        lambda: upsweep.sum(np.array([5], "m8[ns]"), initial=np.timedelta64(200_000, "D")),
        lambda: upsweep.sum(days, out=np.empty((), "m8[ns]")),
        lambda: upsweep.cumulative_sum(days, out=np.empty(1, "m8[ns]")),
        lambda: upsweep.min(seconds, initial=np.timedelta64(3, "ms")),
        lambda: upsweep.max(years, initial=np.datetime64("2020-06")),
        lambda: upsweep.max(np.array(["2020-06"], "M8[M]"), out=np.empty((), "M8[Y]")),
    ):
        with pytest.raises(OverflowError, match="does not hold a value of"):
            call()
    assert upsweep.sum(seconds, initial=np.timedelta64(3000, "ms")) == np.timedelta64(8, "s")
    out = upsweep.sum(seconds, out=np.empty((), "m8[ms]"))
    assert out == np.timedelta64(5000, "ms")


def test_positions_do_not_ignore_nan():
    nan = float("nan")
    for op in ("argmin", "argmax"):
        for call in (
            lambda: upsweep.segment_reduce([nan, 1.0, 7.0], [0, 3], op, skipna=True),
            lambda: upsweep.group_reduce([1, 1, 1], [nan, 1.0, 7.0], op, skipna=True),
            lambda: upsweep.windowed([nan, 1.0, 7.0], 3, op, skipna=True),
        ):
            with pytest.raises(TypeError, match=f"{op} cannot ignore NaN; fill NaN first"):
                call()
    assert upsweep.segment_reduce([3, 1, 7], [0, 3], "argmax", skipna=True).tolist() == [2]


def values_of(x):
    """Dates as floats, NaT as NaN."""
    return np.where(np.isnat(x), np.nan, x.view(np.int64))


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[ns]"])
@pytest.mark.parametrize("op", ["min", "max", "sum"])
def test_nat_is_skipped_like_nan_in_pandas(dtype, op):
    if op == "sum" and dtype[0] == "M":
        return
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(1)
    for n in range(1, 12):
        x = random.integers(-50, 50, n).astype(dtype)
        x[random.random(n) < 0.5] = "NaT"
        floats, keys = pandas.Series(values_of(x)), np.sort(random.integers(0, 3, n))
        expected = getattr(floats.groupby(keys), op)()
        found = upsweep.group_reduce(keys, x, op, skipna=True)
        np.testing.assert_array_equal(values_of(found.values), expected)
        borders = np.append(np.unique(keys, return_index=True)[1], n)
        segments = upsweep.segment_reduce(x, borders, op, skipna=True)
        np.testing.assert_array_equal(values_of(segments), expected)
        for width in (1, 2, 3):
            for least in range(op == "sum", width + 1):
                windows = upsweep.windowed(x, width, op, min_periods=least)
                expected_windows = getattr(floats.rolling(width, min_periods=least), op)()
                np.testing.assert_array_equal(values_of(windows), expected_windows)
    nothing = upsweep.segment_reduce(x, [0, 0, n], op, skipna=True)[0]
    assert nothing == 0 if op == "sum" else np.isnat(nothing)
    if op != "sum":
        missing = np.array([["NaT", "NaT"], ["NaT", 5]], dtype)
        found = getattr(upsweep, op)(missing, axis=1, skipna=True)
        np.testing.assert_array_equal(values_of(found), [np.nan, 5])
        assert np.isnat(getattr(upsweep, op)(missing[0], skipna=True))
        assert getattr(upsweep, op)(missing[0], skipna=True, initial=missing[1, 1]) == missing[1, 1]
    with pytest.raises(ValueError, match="x has NaT"):
        upsweep.windowed(np.array(["NaT"], dtype), 1, op)


def test_each_nat_is_a_run():
    for x in (np.array([1, "NaT", "NaT", 2, 2], "m8[s]"), np.array([1, np.nan, np.nan, 2j, 2j])):
        begins = np.flatnonzero(np.append(True, x[1:] != x[:-1]))
        found = upsweep.runs(x)
        np.testing.assert_array_equal(found.values, x[begins])
        assert found.lengths.tolist() == [1, 1, 1, 2]
