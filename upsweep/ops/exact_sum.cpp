/// The vector paths of exact_sum: windows for data with an ordinary range of exponents, integer
/// bins for any data.
///
/// Windows. A sum S that starts at 1.5 * 2^e and stays within a quarter of 2^e of it has a last bit
/// u that never changes, so
///     t = S + x;  q = t - S;  r = x - q;  S = t
/// moves the part q of x above u into S and leaves r, |r| <= u / 2, all exactly (Demmel and Nguyen,
/// "Fast reproducible floating-point summation", 2013). Three windows below the largest number of a
/// chunk take all of its bits if these lie within some 130 binary digits. This is certain if every
/// last remainder is zero; otherwise the chunk goes to the bins.
///
/// Bins. Each sign and each group of 16 exponents has one bin of two integers, the sums of the
/// lower and upper halves of the shifted significands. No floating-point operation is involved, so
/// this path also serves callers who have turned off subnormals or rounding to nearest.
#include <upsweep/ops/exact_sum.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/ops/exact_sum.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, as Highway requires.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <upsweep/ops/exact_sum_vectors.inl>

HWY_BEFORE_NAMESPACE();
namespace upsweep::detail::exact::HWY_NAMESPACE {

using ints = hn::ScalableTag<std::uint32_t>;

/// 16 KiB of doubles, half of an L1 cache, since a chunk is read twice.
inline constexpr size_t chunk = 2048;
/// Elements whose shifted significands are computed by vectors before they are added one by one.
inline constexpr size_t batch = 64;
/// Copies of every bin, so that a value need not wait for its neighbor's store to the same bin.
/// With one copy an element takes 3 ns.
inline constexpr size_t copies = 8;
/// With fewer elements, clearing and reading the bins costs more than adding one by one.
inline constexpr size_t bins_from = 768;
/// The longest run of chunks for which the bins are used before windows are tried again.
inline constexpr size_t longest_run = 64 * chunk;

/// Records the signs of zeros: a sum of -0 alone is -0.
template <class T>
void note_zeros(superaccumulator<T>& sum, T const* x, size_t n) {
  for (size_t i = 0; i < n; ++i) sum.absorb(x[i]);
}

/// Moves the part of `r` above the last bit of `window` into `window`.
HWY_INLINE void extract(hn::Vec<doubles>& window, hn::Vec<doubles>& r) {
  auto const moved = hn::Add(window, r);
  r = hn::Sub(r, hn::Sub(moved, window));
  window = moved;
}

/// Adds what two window sums have accumulated since their start, which is the difference of their
/// bits in units of the last place.
template <class T>
void add_window(superaccumulator<T>& sum, hn::Vec<doubles> even, hn::Vec<doubles> odd,
                int exponent) {
  hn::RebindToSigned<doubles> const d;
  auto const start = hn::BitCast(d, hn::Set(doubles(), window_start(exponent)));
  auto const gathered =
      hn::Add(hn::Sub(hn::BitCast(d, even), start), hn::Sub(hn::BitCast(d, odd), start));
  std::int64_t const total = hn::GetLane(hn::SumOfLanes(d, gathered));
  if (total == 0) return;
  add_units(sum, static_cast<std::uint64_t>(total < 0 ? -total : total), exponent, total < 0);
}

/// Adds x[0, n) and returns true, or returns false and leaves `sum` as it was. n is a multiple of
/// four vectors; `next` is the start of the next chunk, which is prefetched.
template <class T>
bool add_by_windows(superaccumulator<T>& sum, T const* x, size_t n, T const* next) {
  constexpr bool three = sizeof(T) == 8;  // the 24 bits of a float rarely need the third
  doubles const d;
  longs const du;
  size_t const lanes = hn::Lanes(d);
  double const top = largest(x, n);
  if (top == 0) {
    note_zeros(sum, x, n);
    return true;
  }
  // Each of the 2 * lanes sums receives n / (2 * lanes) numbers <= 2^bound, at most a quarter of
  // 2^exponent in all.
  int const bound = exponent_above(top);
  int const room = static_cast<int>(std::bit_width(n / (2 * lanes) - 1)) + 2;
  int const high = bound + room;
  if (high > 2046) return false;  // a sum of doubles would overflow, or there is an infinity
  // A window leaves remainders of at most half its last bit. That bit of a window with exponent 1
  // is the smallest subnormal, so it leaves nothing.
  int const middle = std::max(high - 53 + room, 1);
  int const low = std::max(middle - 53 + room, 1);
  auto high_even = hn::Set(d, window_start(high)), high_odd = high_even;
  auto middle_even = hn::Set(d, window_start(middle)), middle_odd = middle_even;
  auto low_even = hn::Set(d, window_start(low)), low_odd = low_even;
  auto remainders = hn::Zero(du);
  for (size_t i = 0; i < n; i += 2 * lanes) {
    hwy::Prefetch(next + i);
    hwy::Prefetch(next + i + lanes);
    auto even = load_doubles(x + i), odd = load_doubles(x + i + lanes);
    extract(high_even, even);
    extract(high_odd, odd);
    extract(middle_even, even);
    extract(middle_odd, odd);
    if constexpr (three) {
      extract(low_even, even);
      extract(low_odd, odd);
    }
    remainders = hn::Or(remainders, hn::Or(hn::BitCast(du, even), hn::BitCast(du, odd)));
  }
  if (!hn::AllTrue(du, hn::Eq(hn::ShiftLeft<1>(remainders), hn::Zero(du)))) return false;
  sum.note(superaccumulator<T>::other);
  add_window(sum, high_even, high_odd, high);
  add_window(sum, middle_even, middle_odd, middle);
  if constexpr (three) add_window(sum, low_even, low_odd, low);
  return true;
}

/// The bins of one run. The first byte of a number, its sign and seven bits of its exponent, is the
/// bin's index; the exponent's other bits are the shift. A bin can sum 2^21 elements without
/// overflow.
template <class T>
class bins {
 public:
  bins() { std::memset(bin_, 0, sizeof bin_); }

  /// Adds x[0, batch). A batch with a NaN or an infinity goes straight to `sum`.
  void add(superaccumulator<T>& sum, T const* x) {
    bool only_negative_zeros = false;
    if (!prepare(x, only_negative_zeros)) [[unlikely]] {
      for (size_t i = 0; i < batch; ++i) sum.absorb(x[i]);
      return;
    }
    sum.note(only_negative_zeros ? superaccumulator<T>::negative_zero : superaccumulator<T>::other);
    hn::CappedTag<std::uint64_t, 2> const pair;
    for (size_t i = 0; i < batch; i += copies) {
      for (size_t copy = 0; copy < copies; ++copy) {
        std::uint64_t* const to = bin_[index(x[i + copy])][copy];
        if constexpr (parts == 1) {
          to[0] += share_[i + copy];
        } else {
          for (size_t part = 0; part < 2; part += hn::Lanes(pair))
            hn::Store(
                hn::Add(hn::Load(pair, to + part), hn::Load(pair, share_ + 2 * (i + copy) + part)),
                pair, to + part);
        }
      }
    }
  }

  void add_to(superaccumulator<T>& sum) const {
    for (int i = 0; i < 256; ++i) {
      for (size_t part = 0; part < parts; ++part) {
        std::uint64_t total = 0;
        for (size_t copy = 0; copy < copies; ++copy) total += bin_[i][copy][part];
        if (total == 0) continue;
        // A number with exponent field e is its significand * 2^(e - 1) units. Totals of the first
        // bin are even.
        int const position = exponents * (i & 127) - 1 + (part == 0 ? 0 : half);
        if (position < 0)
          sum.add(total >> 1, 0, i > 127);
        else
          sum.add(total, position, i > 127);
      }
    }
  }

 private:
  static constexpr int exponents = sizeof(T) == 8 ? 16 : 2;  // in one bin
  static constexpr size_t parts = sizeof(T) == 8 ? 2 : 1;
  static constexpr int half = 27;  // bits in the lower half of a double's significand
  using share = std::conditional_t<parts == 2, std::uint64_t, std::uint32_t>;

  static size_t index(double x) { return std::bit_cast<std::uint64_t>(x) >> 56; }
  static size_t index(float x) { return std::bit_cast<std::uint32_t>(x) >> 24; }

  /// The shifted significands of x[0, batch); false when there is a NaN or an infinity among them.
  template <class D, int fraction_bits>
  HWY_INLINE static auto significands(D d, hn::Vec<D> bits, hn::Vec<D>& shift,
                                      hn::Vec<D>& special) {
    using U = hn::TFromD<D>;
    auto const field = hn::Set(d, U{sizeof(U) == 8 ? 0x7ff : 0xff});
    auto const exponent = hn::And(hn::ShiftRight<fraction_bits>(bits), field);
    // Subnormals have no leading bit and are scaled as numbers with exponent 1.
    auto const subnormal = hn::Eq(exponent, hn::Zero(d));
    auto const leading = hn::IfThenZeroElse(subnormal, hn::Set(d, U{1} << fraction_bits));
    shift = hn::Sub(hn::And(exponent, hn::Set(d, static_cast<U>(exponents - 1))),
                    hn::VecFromMask(d, subnormal));
    special = hn::Or(special, hn::VecFromMask(d, hn::Eq(exponent, field)));
    return hn::Or(hn::And(bits, hn::Set(d, (U{1} << fraction_bits) - 1)), leading);
  }

  template <class D>
  HWY_INLINE static bool conclude(D d, hn::Vec<D> special, hn::Vec<D> other,
                                  bool& only_negative_zeros) {
    only_negative_zeros = hn::AllTrue(d, hn::Eq(other, hn::Zero(d)));
    return hn::AllTrue(d, hn::Eq(special, hn::Zero(d)));
  }

  bool prepare(double const* x, bool& only_negative_zeros) {
    longs const d;
    auto special = hn::Zero(d), other = hn::Zero(d), shift = hn::Zero(d);
    for (size_t i = 0; i < batch; i += hn::Lanes(d)) {
      hwy::Prefetch(x + i + 16 * batch);
      auto const bits = hn::BitCast(d, hn::LoadU(doubles(), x + i));
      auto const significand = significands<longs, 52>(d, bits, shift, special);
      other = hn::Or(other, hn::Xor(bits, hn::Set(d, std::uint64_t{1} << 63)));
      auto const lower =
          hn::Shl(hn::And(significand, hn::Set(d, (std::uint64_t{1} << half) - 1)), shift);
      hn::StoreInterleaved2(lower, hn::Shl(hn::ShiftRight<half>(significand), shift), d,
                            share_ + 2 * i);
    }
    return conclude(d, special, other, only_negative_zeros);
  }
  bool prepare(float const* x, bool& only_negative_zeros) {
    ints const d;
    auto special = hn::Zero(d), other = hn::Zero(d), shift = hn::Zero(d);
    for (size_t i = 0; i < batch; i += hn::Lanes(d)) {
      auto const bits = hn::BitCast(d, hn::LoadU(hn::ScalableTag<float>(), x + i));
      auto const significand = significands<ints, 23>(d, bits, shift, special);
      other = hn::Or(other, hn::Xor(bits, hn::Set(d, std::uint32_t{1} << 31)));
      hn::Store(hn::Shl(significand, shift), d, share_ + i);
    }
    return conclude(d, special, other, only_negative_zeros);
  }

  HWY_ALIGN std::uint64_t bin_[256][copies][parts];
  HWY_ALIGN share share_[batch * parts];
};

/// Adds x[0, n), whatever its exponents. n is at most `longest_run`.
template <class T>
HWY_NOINLINE void add_by_bins(superaccumulator<T>& sum, T const* x, size_t n) {
  size_t i = 0;
  if (n >= bins_from) {
    bins<T> run;
    for (; n - i >= batch; i += batch) run.add(sum, x + i);
    run.add_to(sum);
  }
  for (; i < n; ++i) sum.absorb(x[i]);
}

template <class T>
void add_all(superaccumulator<T>& sum, T const* x, size_t n) {
  size_t const step = 4 * hn::Lanes(doubles());
  bool const windows = default_arithmetic();
  // Doubles with every chunk that the windows cannot take, so that wide data rarely pay for both.
  size_t run = chunk;
  size_t i = 0;
  while (n - i >= step && !sum.is_nan()) {
    size_t const m = std::min(chunk, n - i) / step * step;
    T const* const next = n - i >= m + chunk ? x + i + m : x + i;
    if (windows && add_by_windows(sum, x + i, m, next)) {
      i += m;
      run = chunk;
    } else {
      size_t const wide = std::min(run, n - i);
      add_by_bins(sum, x + i, wide);
      i += wide;
      run = std::min(2 * run, longest_run);
    }
  }
  for (; i < n; ++i) sum.absorb(x[i]);
}

/// Whether Highway makes floats of these as IEEE 754 says: of binary16 by the instructions of AVX2
/// and NEON only. Elsewhere infinities and NaN become large numbers.
template <class T>
constexpr bool promotes_exactly = !std::is_same_v<T, hwy::float16_t> || HWY_ARCH_ARM_A64 ||
                                  (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2);

/// 16-bit floats become floats, which is exact, a chunk at a time.
template <class T, class From>
void add_widened(superaccumulator<float>& sum, From const* x, size_t n) {
  HWY_ALIGN float wide[chunk];
  hn::ScalableTag<float> const d;
  hn::Rebind<T, decltype(d)> const narrow;
  for (size_t start = 0; start < n; start += chunk) {
    size_t const m = std::min(chunk, n - start);
    T const* const from = reinterpret_cast<T const*>(x + start);  // both are the same 16 bits
    size_t i = 0;
    if constexpr (promotes_exactly<T>)
      for (; m - i >= hn::Lanes(d); i += hn::Lanes(d))
        hn::Store(hn::PromoteTo(d, hn::LoadU(narrow, from + i)), d, wide + i);
    for (; i < m; ++i) wide[i] = static_cast<float>(x[start + i]);
    add_all(sum, wide, m);
  }
}

void add_doubles(superaccumulator<double>& a, double const* x, size_t n) {
  add_all(a, x, n);
}
void add_floats(superaccumulator<float>& a, float const* x, size_t n) {
  add_all(a, x, n);
}
void add_bfloats(superaccumulator<float>& a, bfloat16 const* x, size_t n) {
  add_widened<hwy::bfloat16_t>(a, x, n);
}
void add_halves(superaccumulator<float>& a, float16 const* x, size_t n) {
  add_widened<hwy::float16_t>(a, x, n);
}

}  // namespace upsweep::detail::exact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::detail::exact {

HWY_EXPORT(add_doubles);
HWY_EXPORT(add_floats);
HWY_EXPORT(add_bfloats);

void accumulate(superaccumulator<double>& a, double const* x, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(add_doubles)(a, x, n);
}
void accumulate(superaccumulator<float>& a, float const* x, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(add_floats)(a, x, n);
}
void accumulate(superaccumulator<float>& a, bfloat16 const* x, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(add_bfloats)(a, x, n);
}
HWY_EXPORT(add_halves);
void accumulate(superaccumulator<float>& a, float16 const* x, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(add_halves)(a, x, n);
}

}  // namespace upsweep::detail::exact
#endif
