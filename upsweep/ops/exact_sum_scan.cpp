/// Scans by exact_sum: every prefix as the exact sum of two or three doubles, which is then rounded
/// once.
///
/// Each element of a chunk is split into parts: its bits above the last bit u of a window, the
/// bits of the remainder above the last bit of the next window, and so on,
///     q = (x + 1.5 * 2^e) - 1.5 * 2^e;  r = x - q
/// (see exact_sum.cpp). The windows are so wide that no sum of parts is longer than a double, so
/// ordinary additions give the exact prefixes of each part. If the last remainders are zero, a
/// prefix is the sum of its two or three parts. Their sum is rounded correctly by way of rounding
/// to odd (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms
/// using rounding to odd", 2008). Chunks that do not fit the windows are added one by one.
#include <upsweep/ops/exact_sum.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/ops/exact_sum_scan.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, as Highway requires.
#include <hwy/highway.h>

#include <upsweep/ops/exact_sum_vectors.inl>

HWY_BEFORE_NAMESPACE();
namespace upsweep::detail::exact::HWY_NAMESPACE {

/// The prefix before a chunk comes first, as numbers that add up to it. Five floats or three
/// doubles have more bits than the windows.
inline constexpr size_t lead = 8, most_pieces = 5;
/// The arrays of a chunk take 32 KiB for doubles and 20 for floats.
inline constexpr size_t room = 1024, scanned_chunk = room - lead;

/// Moves the part of `r` above the last bit of the window into the result.
HWY_INLINE hn::Vec<doubles> split(hn::Vec<doubles> window, hn::Vec<doubles>& r) {
  auto const part = hn::Sub(hn::Add(r, window), window);
  r = hn::Sub(r, part);
  return part;
}

/// a + b = sum + error.
HWY_INLINE hn::Vec<doubles> two_sum(hn::Vec<doubles> a, hn::Vec<doubles> b,
                                    hn::Vec<doubles>& error) {
  auto const sum = hn::Add(a, b), moved = hn::Sub(sum, a);
  error = hn::Add(hn::Sub(a, hn::Sub(sum, moved)), hn::Sub(b, moved));
  return sum;
}

/// a + b if that is a double, otherwise the neighbor of a + b whose last bit is 1.
HWY_INLINE hn::Vec<doubles> add_to_odd(hn::Vec<doubles> a, hn::Vec<doubles> b) {
  doubles const d;
  longs const du;
  hn::RebindToSigned<doubles> const di;
  hn::Vec<doubles> error;
  auto const sum = two_sum(a, b, error);
  auto const inexact = hn::BitCast(di, hn::VecFromMask(d, hn::Ne(error, hn::Zero(d))));
  // -1 if the sum was rounded away from zero.
  auto const back = hn::And(inexact, hn::BroadcastSignBit(hn::BitCast(di, hn::Xor(sum, error))));
  auto const truncated = hn::Add(hn::BitCast(di, sum), back);
  return hn::BitCast(
      d, hn::Or(hn::BitCast(du, truncated), hn::ShiftRight<63>(hn::BitCast(du, inexact))));
}

/// The prefixes of one chunk.
template <class T>
class window_scan {
 public:
  /// Takes x[0, n), n <= scanned_chunk, after `before`; false when they do not fit the windows.
  bool split_all(superaccumulator<T> before, T const* x, size_t n) {
    size_t pieces = 0;
    std::fill_n(value_, lead, T{});
    for (T piece; (piece = before.rounded()) != 0; before.absorb(-piece)) {
      if (pieces == most_pieces) return false;
      value_[pieces++] = piece;
    }
    size_t const step = 4 * hn::Lanes(doubles());
    size_ = (lead + n + step - 1) / step * step;
    std::memcpy(value_ + lead, x, n * sizeof(T));
    std::fill(value_ + lead + n, value_ + size_, T{});
    // At most `room` numbers below 2^(high + 1) / room: their sums have at most the 53 bits from
    // 2^high down to the last bit of the window, 2^(high - 52). Remainders are at most half of it.
    constexpr int room_log2 = std::bit_width(room - 1);
    int const high = exponent_above(largest(value_, size_)) + room_log2 - 1;
    if (high > 1021 + std::numeric_limits<T>::max_exponent) return false;
    int const middle = std::max(high - 54 + room_log2, 1);
    return split_at(high, middle, std::max(middle - 54 + room_log2, 1));
  }

  void add_up() {
    if (three_) return add_parts<windows>();
    add_parts<2>();
  }

  /// out[i] is the prefix before x[i] or, if `inclusive`, after it.
  void store(T* out, size_t n, bool inclusive) {
    for (size_t i = 0; i < size_; i += hn::Lanes(doubles())) round_at(i);
    std::memcpy(out, value_ + lead - (inclusive ? 0 : 1), n * sizeof(T));
  }

  [[nodiscard]] superaccumulator<T> total() const {
    superaccumulator<T> sum;
    sum.note(superaccumulator<T>::other);
    for (size_t w = 0; w < (three_ ? windows : 2); ++w) {
      auto const bits = std::bit_cast<std::uint64_t>(part_[w][size_ - 1]);
      if (bits << 1 == 0) continue;
      int const exponent = static_cast<int>(bits >> 52 & 0x7ff);
      std::uint64_t const fraction = bits & ((std::uint64_t{1} << 52) - 1);
      add_units(sum, exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52,
                std::max(exponent, 1), bits >> 63 != 0);
    }
    return sum;
  }

 private:
  static constexpr size_t windows = sizeof(T) == 8 ? 3 : 2;

  bool split_at(int high, int middle, int low) {
    doubles const d;
    longs const du;
    auto const first = hn::Set(d, window_start(high)), second = hn::Set(d, window_start(middle)),
               third = hn::Set(d, window_start(low));
    auto after_two = hn::Zero(du), after_three = hn::Zero(du);
    for (size_t i = 0; i < size_; i += hn::Lanes(d)) {
      auto r = load_doubles(value_ + i);
      hn::Store(split(first, r), d, part_[0] + i);
      hn::Store(split(second, r), d, part_[1] + i);
      after_two = hn::Or(after_two, hn::BitCast(du, r));
      if constexpr (windows == 3) {
        hn::Store(split(third, r), d, part_[2] + i);
        after_three = hn::Or(after_three, hn::BitCast(du, r));
      }
    }
    three_ = !hn::AllTrue(du, hn::Eq(hn::ShiftLeft<1>(after_two), hn::Zero(du)));
    return !three_ ||
           (windows == 3 && hn::AllTrue(du, hn::Eq(hn::ShiftLeft<1>(after_three), hn::Zero(du))));
  }

  template <size_t used>
  void add_parts() {
    double sum[used] = {};
    for (size_t i = 0; i < size_; ++i)
      for (size_t w = 0; w < used; ++w) part_[w][i] = sum[w] += part_[w][i];
  }

  HWY_INLINE void round_at(size_t i) {
    doubles const d;
    auto const high = hn::Load(d, part_[0] + i), middle = hn::Load(d, part_[1] + i);
    if constexpr (windows == 2) {
      hn::Rebind<float, doubles> const df;
      hn::Store(hn::DemoteTo(df, add_to_odd(high, middle)), df, value_ + i);
    } else if (!three_) {
      hn::Store(hn::Add(high, middle), d, value_ + i);
    } else {
      hn::Vec<doubles> low, lower;
      auto const upper = two_sum(middle, hn::Load(d, part_[2] + i), lower);
      auto const sum = two_sum(high, upper, low);
      hn::Store(hn::Add(sum, add_to_odd(low, lower)), d, value_ + i);
    }
  }

  size_t size_;
  bool three_;
  HWY_ALIGN T value_[room];
  HWY_ALIGN double part_[windows][room];
};

template <class T>
bool scan_by_windows(superaccumulator<T>& a, T const* x, T* out, size_t n, bool inclusive) {
  window_scan<T> chunk;
  if (!chunk.split_all(a, x, n)) return false;
  chunk.add_up();
  chunk.store(out, n, inclusive);
  a = chunk.total();
  return true;
}

template <class T>
size_t scan_all(superaccumulator<T>& a, T const* x, T* out, size_t n, bool inclusive) {
  size_t i = 0;
  while (i < n && default_arithmetic()) {
    size_t const m = std::min(scanned_chunk, n - i);
    if (!scan_by_windows(a, x + i, out + i, m, inclusive)) break;
    i += m;
  }
  return i;
}

size_t scan_doubles(superaccumulator<double>& a, double const* x, double* out, size_t n,
                    bool inclusive) {
  return scan_all(a, x, out, n, inclusive);
}
size_t scan_floats(superaccumulator<float>& a, float const* x, float* out, size_t n,
                   bool inclusive) {
  return scan_all(a, x, out, n, inclusive);
}

}  // namespace upsweep::detail::exact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::detail::exact {

HWY_EXPORT(scan_doubles);
HWY_EXPORT(scan_floats);

std::size_t scan(superaccumulator<double>& a, double const* x, double* out, std::size_t n,
                 bool inclusive) {
  return HWY_DYNAMIC_DISPATCH(scan_doubles)(a, x, out, n, inclusive);
}
std::size_t scan(superaccumulator<float>& a, float const* x, float* out, std::size_t n,
                 bool inclusive) {
  return HWY_DYNAMIC_DISPATCH(scan_floats)(a, x, out, n, inclusive);
}

}  // namespace upsweep::detail::exact
#endif
