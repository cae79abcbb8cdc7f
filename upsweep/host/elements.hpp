/// How loops over blocks read the elements of a source and store results.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/host/registers.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// from(j) is source(i + j), at the cost of an indexed load if the source has from().
template <class Source>
[[nodiscard]] auto elements_from(Source const& in, std::size_t i) {
  if constexpr (requires { in.from(i); })
    return in.from(i);
  else
    return [&in, i](int j) { return in(i + static_cast<std::size_t>(j)); };
}
/// The same of a sink: from(j, a) is sink(i + j, a).
template <class Sink>
[[nodiscard]] auto results_from(Sink const& out, std::size_t i) {
  if constexpr (requires { out.from(i); })
    return out.from(i);
  else
    return [&out, i](int j, auto const& a) { out(i + static_cast<std::size_t>(j), a); };
}

/// True for a source or sink of contiguous memory whose elements are of the accumulators' type.
template <class S, class A>
inline constexpr bool is_memory_of = [] {
  if constexpr (requires { requires S::plain; })
    return std::is_same_v<typename S::element, A>;
  else
    return false;
}();

/// Before a loop over `count` elements, prefetches as many that come some distance later.
template <int count, class Source>
class prefetcher {
 public:
  explicit prefetcher(Source const& in, bool pays = gains_from_prefetching())
      : in_(in), pays_(pays) {}
  /// Before the loop over the elements from position i on.
  [[gnu::always_inline]] void operator()(std::size_t i) const {
    if constexpr (requires { in_.template prefetch<count>(i); })
      if (pays_)
        in_.template prefetch<count>(i + prefetched_bytes / sizeof(typename Source::element));
  }

 private:
  Source const& in_;
  bool const pays_;
};

/// The total of the 2^K elements x(first), x(first + 1), ..., completely unrolled.
template <int K, int first = 0, class Elements, class Op>
[[gnu::always_inline]] inline auto small_block(Elements const& x, Op const& op) {
  if constexpr (K == 0) {
    return x(first);
  } else {
    // Before the later half, so that the first exception in input order is the one that propagates.
    auto earlier = small_block<K - 1, first>(x, op);
    auto later = small_block<K - 1, first + (1 << (K - 1))>(x, op);
    return static_cast<decltype(earlier)>(op(std::as_const(earlier), std::as_const(later)));
  }
}

}  // namespace upsweep::host
