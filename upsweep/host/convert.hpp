/// Loops over the elements of blocks in L1, which compilers vectorize at -O2, and conversions.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/call/call.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/number_types.hpp>
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
  UPSWEEP_INLINED void operator()(std::size_t i) const {
    if constexpr (requires { in_.template prefetch<count>(i); })
      if (pays_)
        in_.template prefetch<count>(i + prefetched_bytes / sizeof(typename Source::element));
  }

 private:
  Source const& in_;
  bool const pays_;
};

/// The total of the 2^K elements x(first), x(first + 1), ..., completely unrolled. `first` is an
/// argument: as one of the template, each element would be a function to compile.
template <int K, class Elements, class Op>
UPSWEEP_INLINED inline auto small_block(Elements const& x, Op const& op, int first = 0) {
  if constexpr (K == 0) {
    return x(first);
  } else {
    // Before the later half, so that the first exception in input order is the one that propagates.
    auto earlier = small_block<K - 1>(x, op, first);
    auto later = small_block<K - 1>(x, op, first + (1 << (K - 1)));
    return static_cast<decltype(earlier)>(op(std::as_const(earlier), std::as_const(later)));
  }
}

/// Calls step(i, j) with i + j each of [0, n): i counts blocks of 64, whose steps are independent
/// of each other. A loop of this constant length is what g++ vectorizes at -O2 too.
template <class Step>
UPSWEEP_INLINED inline void by_64(std::size_t n, Step const& at) {
  constexpr int block = 64;
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
    auto const step = at(i);
    UPSWEEP_INDEPENDENT_STEPS
    for (int j = 0; j < block; ++j) step(j);
  }
  if (i == n) return;
  auto const step = at(i);
  for (int j = 0; j < static_cast<int>(n - i); ++j) step(j);
}

/// by_64 in registers of 32 bytes where the CPU has AVX2: for loops that convert, which take
/// several instructions without it.
template <class Step>
void by_64_avx2(std::size_t n, Step const& at) {
  in_widest_registers<registers::avx2>([n, &at]() UPSWEEP_INLINED { by_64(n, at); });
}

/// to[j] = from[j] for n numbers.
template <class To, class From>
void convert(To* to, From const* from, std::size_t n) {
  by_64_avx2(n, [=](std::size_t i) UPSWEEP_INLINED {
    return [from = from + i, to = to + i](int j)
               UPSWEEP_INLINED { to[j] = static_cast<To>(from[j]); };
  });
}
/// The same by vector instructions, which g++ does not find.
#ifdef UPSWEEP_HAS_FLOAT16
UPSWEEP_API void convert(float* to, float16 const* from, std::size_t n);
#endif

}  // namespace upsweep::host
