/// The greatest common divisor.
#pragma once

#include <upsweep/core/number_types.hpp>
#include <upsweep/ops/monoid.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::detail {

/// Tells the multiples of a divisor, which is not 0, by a multiplication (Granlund and Montgomery
/// 1994, section 9). A division takes five times as long, and compilers do not vectorize it.
template <class U>
class multiples_of {
 public:
  explicit UPSWEEP_BOTH constexpr multiples_of(U divisor)
      : zeros_(std::countr_zero(divisor)), limit_(static_cast<U>(U(-1) / divisor)) {
    U const odd = divisor >> zeros_;
    inverse_ = odd;  // of its lowest 3 bits
    for (int step = 0; step < 5; ++step) inverse_ *= 2 - odd * inverse_;
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr bool contain(U x) const {
    return std::rotr(x * inverse_, zeros_) <= limit_;
  }

 private:
  int zeros_;
  U limit_, inverse_ = 0;
};

/// How many elements from x on are multiples, if the divisor is neither 0 nor too large for them.
template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr std::size_t leading_multiples(std::uint64_t divisor,
                                                                   T const* x, std::size_t n) {
  using U = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
  if (divisor == 1) return n;
  if (divisor == 0 || static_cast<U>(divisor) != divisor) return 0;
  multiples_of<U> const multiples(static_cast<U>(divisor));
  auto const contain = [&multiples](T e) {
    auto const bits = static_cast<U>(e);
    return multiples.contain(e < T{} ? U{0} - bits : bits);
  };
  constexpr std::size_t block = 64;
  std::size_t i = 0;
  for (U others = 0; others == 0 && n - i >= block; i += others == 0 ? block : 0)
    for (std::size_t j = 0; j < block; ++j) others |= contain(x[i + j]) ? U{0} : U{1};
  while (i < n && contain(x[i])) ++i;
  return i;
}

}  // namespace upsweep::detail

namespace upsweep {

/// Greatest common divisor of integers, by Euclid's algorithm. The divisor so far soon divides most
/// elements; each then costs one multiplication in reductions and scans of memory. The identity is
/// 0 (every number divides 0). The accumulator is uint64, or uint128 for 128-bit elements, so the
/// magnitude of the smallest integer fits. Commutative and exact.
struct gcd {
  static constexpr catalog::description about{.takes = catalog::operand_kind::integers,
                                              .identity = "0",
                                              .accumulator = "unsigned 64 or 128 bits",
                                              .ordered = true,
                                              .meaning = "Greatest common divisor.",
                                              .example = "12 18 30",
                                              .result = "6"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = typename detail::unsigned_of<detail::widened_t<T>>::type;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return A{};
  }
  template <class T>
    requires detail::is_integer<T>
  [[nodiscard]] UPSWEEP_BOTH constexpr accumulator<T> lift(T x) const {
    using A = accumulator<T>;
    auto const magnitude = static_cast<A>(detail::widened_t<T>{x});
    return x < T{} ? static_cast<A>(A{} - magnitude) : magnitude;
  }
  template <class A>
    requires detail::is_integer<A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A earlier, A later) const {
    while (earlier != 0) {
      A const rest = later % earlier;
      later = earlier;
      earlier = rest;
    }
    return later;
  }
  /// The results of a scan after `divisor` to `out`, which may be x; then it is the last. Returns
  /// n.
  template <class T>
    requires(sizeof(T) <= 8)
  std::size_t scan_range(std::uint64_t& divisor, T const* x, std::uint64_t* out, std::size_t n,
                         bool inclusive) const {
    for (std::size_t i = 0; i < n;) {
      std::uint64_t const before = divisor;
      divisor = (*this)(before, lift(x[i]));
      out[i++] = inclusive ? divisor : before;
      for (std::size_t end = i + detail::leading_multiples(divisor, x + i, n - i); i < end; ++i)
        out[i] = divisor;
    }
    return n;
  }
  /// 1 divides everything.
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr bool is_final(A divisor) const {
    return divisor == 1;
  }
};

}  // namespace upsweep
