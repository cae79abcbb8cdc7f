/// cumulative_distribution: prefix sums of weights that never decrease, for binary search.
#pragma once

#include <upsweep/scan.hpp>

#include <concepts>
#include <cstddef>
#include <span>

namespace upsweep {

/// Prefix sums of weights that never decrease: out[i] = the largest of prefix(1), ..., prefix(i +
/// 1), each with `.initial` added on its left. This is the running maximum of an inclusive scan,
/// computed in the same pass over memory, with the same bits on any number of threads. The output
/// is sorted, as std::upper_bound requires; an inclusive scan of floats may decrease by a rounding
/// error. The error is no larger than that of inclusive_scan.
///
/// `weights` and `out` have n elements each, n >= 0, and may be the same memory. Throws
/// precondition_error if the sizes differ, if the ranges overlap in another way, for a weight (or
/// `.initial`) that is negative or NaN, with its index, and for `.reverse`. The contents of `out`
/// are then unspecified. Runs on the CPU executors.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out>
void cumulative_distribution(E const& on, In const& weights, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  using namespace detail;
  if constexpr (scan_fits<In, Out, as_is, plus>()) {
    using A = accumulator_over<plus, In const>;
    static_assert(std::totally_ordered<A>, "upsweep: weights must be numbers that can be compared");
    float_environment const ieee;
    check_output("cumulative_distribution", weights, out);
    expects(
        !o.reverse,
        "cumulative_distribution: .reverse is not supported; give reversed views of the weights "
        "and the output");
    expects(!o.initial || *o.initial >= A{},
            "cumulative_distribution: .initial is negative or NaN; it must be 0 or more");
    expect_prefix_tree(o);
    std::size_t const n = std::ranges::size(weights);
    if (n == 0) return;
    plus const op;
    as_is const f;
    call const c{source_of<false>(weights, n, f, op), n, op, o.mode,
                 o.initial ? std::addressof(*o.initial) : nullptr};
    auto const results = sink_of<false>(out, n, op);
    constexpr bool fits = has_distribution<E, decltype(c), decltype(results)>;
    static_assert(fits, "upsweep: cumulative_distribution runs on the executors of the CPU");
    if constexpr (fits) on.cumulative_distribution(c, results);
  }
}

template <elements In, detail::output_like Out>
void cumulative_distribution(In const& weights, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  upsweep::cumulative_distribution(detail::default_executor_t<In>{}, weights, out, o);
}

template <class... Args>
detail::random_access_ranges_in_and_out_must_come_first_or_after_an_executor<Args...>
cumulative_distribution(Args const&...) = delete;

}  // namespace upsweep
