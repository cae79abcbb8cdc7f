/// Logarithms of sums of exponentials of lines side by side, once for each SIMD target. The totals
/// of aligned blocks of rows are kept like the digits of a binary counter.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/log_sums.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>

#include <upsweep/host/simd/anchored_recurrence.hpp>
#include <upsweep/host/simd/lane_tiles.hpp>
#include <upsweep/host/simd/loops.hpp>
#include <upsweep/host/simd/split_reduce.inl>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

/// The same of one lane, by the operator.
template <class T>
T log_sum_of(std::size_t rows, lane_matrix const& x, std::size_t lane) {
  std::vector<T> elements(rows);
  for (std::size_t r = 0; r < rows; ++r) std::memcpy(&elements[r], x.at(r, lane), sizeof(T));
  return log_sum_exp{}.finish(split_reduce<log_sum_exp, T>::run(elements.data(), rows));
}

#if UPSWEEP_SIMD_VECTORS
template <class T>
class sums_of_lanes {
  using D = hn::ScalableTag<T>;
  using V = pair_vector<D>;
  using Lanes = lane_log_sum_exp;
  static constexpr std::size_t many = Lanes::registers_at_once<T>,
                               together = many * hn::MaxLanes(D());

  struct totals {
    HWY_ALIGN T largest[most_lanes];
    HWY_ALIGN T sum[most_lanes];
  };

 public:
  explicit sums_of_lanes(std::size_t lanes) : lanes_(lanes) {
    static_assert(most_lanes % together == 0);
  }

  /// Appends row `r`, whose elements are `stride` bytes apart.
  void append(std::size_t r, std::byte const* row, std::ptrdiff_t stride) {
    for (std::size_t l = 0; l < lanes_; ++l, row += stride)
      std::memcpy(&block_.largest[l], row, sizeof(T));
    for_groups([&](std::size_t l) HWY_ATTR {
      V v[many];
      load(block_, l, v);
      for (std::size_t i = 0; i < many; ++i) v[i] = {Lanes::load(D(), v[i].a), hn::Set(D(), 1)};
      store(v, l, block_);
    });
    std::size_t k = 0;
    for (; (r >> k & 1) != 0; ++k) combine(digit_[k], block_, block_);
    if (k == digit_.size()) digit_.emplace_back();
    digit_[k] = block_;
  }
  /// Stores the results of `rows` rows. Calls irregular(lane) where a result needs the operator.
  template <class Irregular>
  void finish(std::size_t rows, T* out, Irregular const& irregular) {
    auto k = static_cast<std::size_t>(std::bit_width(rows)) - 1;
    totals& all = digit_[k];
    while (k-- > 0)
      if ((rows >> k & 1) != 0) combine(all, digit_[k], all);
    for_groups([&](std::size_t l) HWY_ATTR {
      V v[many];
      load(all, l, v);
      Lanes::finish(D(), v);
      store(v, l, block_);
    });
    for (std::size_t l = 0; l < lanes_; ++l)
      out[l] = Lanes::is_regular(detail::scaled_exponentials<T>(all.largest[l], all.sum[l]))
                   ? block_.largest[l]
                   : irregular(l);
  }

 private:
  template <class F>
  HWY_INLINE void for_groups(F const& f) const {
    for (std::size_t l = 0; l < lanes_; l += together) f(l);
  }
  HWY_INLINE static void load(totals const& from, std::size_t l, V (&v)[many]) {
    for (std::size_t i = 0; i < many; ++i, l += hn::MaxLanes(D()))
      v[i] = {hn::Load(D(), from.largest + l), hn::Load(D(), from.sum + l)};
  }
  HWY_INLINE static void store(V const (&v)[many], std::size_t l, totals& to) {
    for (std::size_t i = 0; i < many; ++i, l += hn::MaxLanes(D())) {
      hn::Store(v[i].a, D(), to.largest + l);
      hn::Store(v[i].b, D(), to.sum + l);
    }
  }
  /// to = earlier ⊕ later.
  void combine(totals const& earlier, totals const& later, totals& to) const {
    for_groups([&](std::size_t l) HWY_ATTR {
      V left[many], right[many], total[many];
      load(earlier, l, left);
      load(later, l, right);
      hn::Vec<D> const none[many] = {};
      Lanes::append(D(), left, none, right, none, total);
      store(total, l, to);
    });
  }

  std::size_t lanes_;
  totals block_{};
  std::vector<totals> digit_;
};
#endif

template <class T>
void log_sums_of(std::size_t rows, std::size_t lanes, lane_matrix const& x, T* out) {
#if UPSWEEP_SIMD_VECTORS
  clean_registers const on_return;
  tokens_of_lanes in(x, lanes, rows, sizeof(T));
  sums_of_lanes<T> sums(lanes);
  for (std::size_t r = 0; r < rows; ++r) sums.append(r, in.read(r), in.stride());
  sums.finish(rows, out, [&](std::size_t l) { return log_sum_of<T>(rows, x, l); });
#else
  for (std::size_t l = 0; l < lanes; ++l) out[l] = log_sum_of<T>(rows, x, l);
#endif
}

void log_sums_of_floats(std::size_t rows, std::size_t lanes, lane_matrix const& x, float* out) {
  log_sums_of(rows, lanes, x, out);
}
void log_sums_of_doubles(std::size_t rows, std::size_t lanes, lane_matrix const& x, double* out) {
  log_sums_of(rows, lanes, x, out);
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {

HWY_EXPORT(log_sums_of_floats);
HWY_EXPORT(log_sums_of_doubles);

void log_sums(std::size_t rows, std::size_t lanes, lane_matrix const& x, float* out) {
  HWY_DYNAMIC_DISPATCH(log_sums_of_floats)(rows, lanes, x, out);
}
void log_sums(std::size_t rows, std::size_t lanes, lane_matrix const& x, double* out) {
  HWY_DYNAMIC_DISPATCH(log_sums_of_doubles)(rows, lanes, x, out);
}

}  // namespace upsweep::host::simd
#endif
