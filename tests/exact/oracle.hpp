/// Correctly rounded sums by MPFR, with enough bits that no addition rounds.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <type_traits>

namespace upsweep::test {

/// The exact sum of floats or doubles, and its nearest float or double.
class oracle_sum {
 public:
  oracle_sum() {
    mpfr_init2(sum_, 2300);  // 2098 bits hold any double, and 2^64 of them carry into 64 more
    mpfr_set_zero(sum_, 1);
  }
  oracle_sum(oracle_sum const&) = delete;
  oracle_sum& operator=(oracle_sum const&) = delete;
  ~oracle_sum() { mpfr_clear(sum_); }

  /// NaN and infinities follow IEEE addition. MPFR's own zeros do not, so the sign of a zero sum is
  /// kept here: -0 when all are.
  void add(double x) {
    all_negative_zeros_ = all_negative_zeros_ && x == 0 && std::signbit(x);
    empty_ = false;
    mpfr_add_d(sum_, sum_, x, MPFR_RNDN);
  }

  template <class T>
  [[nodiscard]] T rounded() const {
    if (mpfr_zero_p(sum_)) return !empty_ && all_negative_zeros_ ? -T{0} : T{0};
    if constexpr (std::is_same_v<T, float>)
      return mpfr_get_flt(sum_, MPFR_RNDN);
    else
      return mpfr_get_d(sum_, MPFR_RNDN);
  }

 private:
  mpfr_t sum_;
  bool all_negative_zeros_ = true;
  bool empty_ = true;
};

template <class T, class Range>
T oracle(Range const& x) {
  oracle_sum sum;
  for (auto const& element : x) sum.add(static_cast<double>(element));
  return sum.rounded<T>();
}

}  // namespace upsweep::test
