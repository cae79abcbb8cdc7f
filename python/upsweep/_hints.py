"""The names of functions of other libraries in this package."""

# The name or call in this package, and the names in other libraries.
_HERE = {
    "cumulative_sum": "cumsum nancumsum inclusive_scan prefix_sum",
    "scan(x, exclusive=True)": "exclusive_scan",
    "scan": "accumulate associative_scan",
    "sum(x * weights) / upsweep.sum(weights)": "average",
    "histogram": "digitize searchsorted histogram_bin_edges",
    "lfilter": "sosfilt filtfilt",
    "cumulative_prod": "cumprod nancumprod",
    "cummax": "cumulative_max maximum_accumulate",
    "cummin": "cumulative_min minimum_accumulate",
    "max": "amax",
    "min": "amin",
    "prod": "product",
    "minmax": "ptp aminmax",
    "var": "variance",
    "std": "stddev",
    "any": "sometrue",
    "all": "alltrue",
    "ema": "ewm ewma",
    "windowed": "rolling rolling_sum rolling_mean move_sum move_mean sliding_window_view",
    "group_reduce": "groupby group_by",
    "segment_reduce": "reduceat segment_sum reduce_by_key",
    "segment_scan": "scan_by_key",
    "rank": "rankdata",
    "top": "topk nlargest nsmallest",
    "covariance": "cov",
    "correlation": "corrcoef corr pearsonr",
    "linear_regression": "linregress polyfit",
    "geometric_mean": "gmean",
    "harmonic_mean": "hmean",
    "kurtosis": "kurt",
    "logsumexp": "logaddexp",
    "exact_sum": "fsum",
    "count_nonzero": "countnonzero",
    "unique(x, return_counts=True)": "value_counts unique_counts",
    "ffill": "fillna",
    "select(x, flags)": "compress",
    "select(x, numpy.isfinite(x))": "dropna drop_nulls",
    "quantile": "quantiles nanquantiles",
}
_WITHOUT_NAN = "sum prod min max mean var std median quantile percentile argmin argmax".split()


def hint(name):
    """The end of a message that names the function to call instead of another library's."""
    for here, names in _HERE.items():
        if name in names.split():
            return f"; use upsweep.{here}"
    rest = name.removeprefix("nan")
    if rest == name or rest not in _WITHOUT_NAN:
        return ""
    if rest in ("argmin", "argmax"):
        fill = "inf" if rest == "argmin" else "-inf"
        return f"; use upsweep.{rest}(numpy.where(numpy.isnan(x), {fill}, x))"
    if rest in ("median", "quantile", "percentile"):
        return f"; use upsweep.{rest}(x, skipna=True)"
    return f"; use upsweep.{rest}(x, skipna=True), or where=~numpy.isnan(x)"
