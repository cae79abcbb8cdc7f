"""Public reports about windows, groups with gaps and filters, with the values that are right."""

import math
import statistics

import numpy as np
import pytest
import upsweep

NAN = float("nan")


def test_a_large_number_leaves_the_window():
    """pandas-dev/pandas#28244, #42064, #54518: it stays in the sums that rolling().std() keeps."""
    x = [9.54e08, 6.225e-01, NAN, 0, 1.14, 0]
    results = upsweep.windowed(x, 5, "std", min_periods=3, ddof=1)
    assert np.isnan(results[:3]).all()
    assert results[5] == pytest.approx(statistics.stdev([0.6225, 0, 1.14, 0]), rel=1e-14)
    assert not upsweep.windowed([1000.0] + [0.0] * 999, 10, "std")[1:].any()
    x = [1.2e03, 1.3e17, 1.5e17, 1.995e03, 1.990e03]
    assert upsweep.windowed(x, 2, "std", ddof=1)[-1] == pytest.approx(math.sqrt(12.5), rel=1e-15)


def test_the_mean_of_a_window_is_that_of_its_elements():
    """pandas-dev/pandas#61071: -0.01637 for -0.000745; pola-rs/polars#21358: 0.807 for 0.598."""
    x = [-1 / 3, 0, 1e15, -4.874588e14, 6.103516e-05, 0, 1.1, 0, 0, -8.581237e14, 0, 1e15]
    x += [0, 0, 0, 0, 0, -5.96e-03, 0, 0]
    assert upsweep.windowed(x, 8, "mean")[-1] == -5.96e-03 / 8
    rng = np.random.default_rng(1)
    y = np.concatenate([rng.random(5000) * 1e9, rng.random(5000)]) ** 3
    last = math.fsum(y[-100:].tolist()) / 100
    assert upsweep.windowed(y, 100, "mean")[-1] == pytest.approx(last, rel=1e-15)


def test_windows_do_not_know_what_was_before():
    """pandas-dev/pandas#48950, #60053: the same window has another deviation in another series."""
    tail = [0.1, 0.2, 0.3, 0.4]
    results = [upsweep.windowed([first, *tail], 3, "std")[1:] for first in (0.0, 1e5, -1e300)]
    assert results[0].tolist() == results[1].tolist() == results[2].tolist()


def test_a_wide_range_of_magnitudes_keeps_its_digits():
    """pandas-dev/pandas#53289: rolling().std() of a decaying sine."""
    t = np.linspace(0, 9 * np.pi, 700)
    y = np.sin(t) * np.exp(-t)
    y = (y - y.min()) / (y - y.min()).max()
    results = upsweep.windowed(y, 50, "std")
    for i in (0, 100, 400, 650):
        assert results[i] == pytest.approx(statistics.pstdev(y[i : i + 50].tolist()), rel=1e-12)


def test_groups_of_nothing_but_nan():
    """xarray-contrib/flox#494 and pydata/xarray#7808: the median of a neighbor, a sum of NaN."""
    x = np.arange(100.0)
    x[0:35] = x[50:80] = np.nan
    medians = upsweep.group_reduce(np.arange(100) // 10, x, "median", skipna=True).values
    np.testing.assert_array_equal(medians, [NAN, NAN, NAN, 37, 44.5, NAN, NAN, NAN, 84.5, 94.5])
    groups = upsweep.group_reduce([1, 2, 3, 1, 2, 3], [NAN, 1, 1, NAN, 1, 1], "sum", skipna=True)
    assert groups.values.tolist() == [0, 2, 2]


def test_states_of_filters_are_divided_by_the_first_coefficient():
    """scipy/scipy#22470: a state for a[0] other than 1 continues as that of the divided filter."""
    b, a, x = [2.0, 1.0, 3.0], [4.0, 2.0, -1.0], np.arange(8.0)
    _, state = upsweep.lfilter(b, a, x[:5], zi=[0, 0])
    _, divided = upsweep.lfilter(np.divide(b, 4), np.divide(a, 4), x[:5], zi=[0, 0])
    assert state.tolist() == divided.tolist()
    whole, rest = upsweep.lfilter(b, a, x), upsweep.lfilter(b, a, x[5:], zi=state)[0]
    np.testing.assert_allclose(rest, whole[5:], rtol=1e-15)
