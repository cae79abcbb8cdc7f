/// Several quantiles of the same numbers in one call.
#pragma once

#include <upsweep/order_statistics.hpp>

#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <vector>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

/// Several quantiles in one call: out[k] = quantile(x, q[k]), with the same bits and errors. For
/// four or more quantiles on a CPU executor, the numbers are copied and sorted once. Throws
/// precondition_error, before anything is stored, if `q` and `out` differ in size.
template <elements X, executor E = detail::default_executor_t<X>, elements Q,
          detail::output_like Out>
void quantiles(E const& on, X const& x, Q const& q, Out&& out) {
  detail::expect_kept<Out>();
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  using R = std::ranges::range_value_t<Out>;
  static_assert(number_key<T>, "upsweep: quantiles takes numbers of at most 8 bytes");
  if constexpr (number_key<T> && is_output<Out>() && keeps_fractions<double, R>()) {
    constexpr std::size_t worth_sorting = 4;  // an element is read once for each selection
    std::size_t const n = std::ranges::size(x), count = std::ranges::size(q);
    if (count != std::ranges::size(out)) fail_sizes("quantiles", count, std::ranges::size(out));
    for (std::size_t k = 0; k < count; ++k)
      expect_quantile(n, static_cast<double>(element_at(first_of(q), k)));
    auto const to = output_iterator(out);
    auto const store = [&](std::size_t k, double value) {
      element_at(to, k) = static_cast<R>(value);
    };
    std::vector<T> sorted;
    if constexpr (!has_own_memory<E>)
      if (count >= worth_sorting) {
        if constexpr (is_float<T>)
          if (upsweep::transform_reduce(on, x, is_nan{}) != 0) {
            for (std::size_t k = 0; k < count; ++k) store(k, not_a_number<double>);
            return;
          }
        sorted.assign(std::ranges::begin(x), std::ranges::end(x));
        upsweep::sort(on, sorted);
      }
    for (std::size_t k = 0; k < count; ++k) {
      auto const at_q = static_cast<double>(element_at(first_of(q), k));
      if (sorted.empty()) {
        store(k, upsweep::quantile(on, x, at_q));
        continue;
      }
      place_between_ranks const at(at_q, n);
      auto const two = std::span<T const>(sorted).subspan(at.rank, at_most(n - at.rank, 2));
      store(k, upsweep::quantile(on, two, at.part));
    }
  }
}
template <elements X, elements Q, detail::output_like Out>
void quantiles(X const& x, Q const& q, Out&& out) {
  detail::expect_kept<Out>();
  upsweep::quantiles(detail::default_executor_t<X>{}, x, q, out);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> quantiles(Args const&...) = delete;

}  // namespace upsweep
UPSWEEP_IEEE_END
