/// Sums of short segments, once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/segment_sums.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/simd/segment_sums.hpp>

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32

namespace hn = hwy::HWY_NAMESPACE;

/// The lanes of a vector: the segments that are summed at once, and the elements of an item, into
/// which each segment is cut.
template <class T>
inline constexpr std::size_t lanes = 32 / sizeof(T);
template <class T>
using tag = hn::FixedTag<T, lanes<T>>;
template <class T>
using vector = hn::Vec<tag<T>>;

/// For an item with r of 8 floats, which lane of the vector holds which of them. Its pieces, the
/// aligned blocks of r's digits, have lanes of their own: a block of four 0, 2, 1, 3; one of two
/// 4, 6; one element 5. A whole item has its second four in 4, 6, 5, 7. The others hold -0, which
/// changes no sum.
struct item_table {
  alignas(32) std::uint32_t member[9][8] = {};
  alignas(32) std::uint32_t absent[9][8] = {};
  constexpr item_table() {
    constexpr std::uint32_t lane_of[8] = {0, 2, 1, 3, 4, 6, 5, 7};
    for (std::uint32_t r = 0; r <= 8; ++r) {
      for (auto& lane : absent[r]) lane = ~std::uint32_t{0};
      auto const put = [&](std::uint32_t lane, std::uint32_t element) {
        member[r][lane] = element;
        absent[r][lane] = 0;
      };
      std::uint32_t next = 0;
      if (r >= 4)
        for (; next < 4; ++next) put(lane_of[next], next);
      if (r == 8)
        for (; next < 8; ++next) put(lane_of[next], next);
      if (r < 8 && (r & 2) != 0) {
        put(4, next++);
        put(6, next++);
      }
      if (r < 8 && (r & 1) != 0) put(5, next++);
    }
  }
};
constexpr item_table items_of_floats;

/// The same for 4 doubles, which stay in their lanes.
struct double_table {
  alignas(32) std::uint64_t absent[5][4] = {};
  constexpr double_table() {
    for (std::uint64_t r = 0; r <= 4; ++r)
      for (std::uint64_t lane = r; lane < 4; ++lane) absent[r][lane] = ~std::uint64_t{0};
  }
};
constexpr double_table items_of_doubles;

/// Items of several segments, a lane each: their totals if they are whole, and their pieces.
struct float_items {
  using V = vector<float>;
  V whole, piece[3];

  HWY_INLINE static V load(float const* x, std::int32_t r) {
    tag<float> const d;
    hn::FixedTag<std::uint32_t, 8> const du;
    auto const indices = hn::IndicesFromVec(d, hn::Load(du, items_of_floats.member[r]));
    auto const absent = hn::BitCast(d, hn::Load(du, items_of_floats.absent[r]));
    return hn::IfThenElse(hn::MaskFromVec(absent), hn::Set(d, -0.0f),
                          hn::TableLookupLanes(hn::LoadU(d, x), indices));
  }
  /// The sums of neighbours in two vectors.
  static V pairs(V a, V b) {
    tag<float> const d;
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  }
  /// x + at[s] + begin is the item of segment s, with r[s] elements.
  HWY_INLINE float_items(float const* x, std::uint32_t const* at, std::size_t begin,
                         std::int32_t const* r) {
    tag<float> const d;
    hn::FixedTag<double, 4> const d2;
    auto const four = [&](std::size_t s, V& lower, V& upper) {
      auto const at_item = [&](std::size_t i) { return load(x + at[i] + begin, r[i]); };
      auto const ab = hn::BitCast(d2, pairs(at_item(s), at_item(s + 1)));
      auto const cd = hn::BitCast(d2, pairs(at_item(s + 2), at_item(s + 3)));
      lower = hn::BitCast(d, hn::InterleaveLower(d2, ab, cd));
      upper = hn::BitCast(d, hn::InterleaveUpper(d2, ab, cd));
    };
    V lower_a, upper_a, lower_b, upper_b;
    four(0, lower_a, upper_a);
    four(4, lower_b, upper_b);
    V const fours_a = hn::Add(lower_a, upper_a), fours_b = hn::Add(lower_b, upper_b);
    piece[0] = hn::ConcatLowerLower(d, fours_b, fours_a);
    piece[1] = hn::ConcatUpperUpper(d, lower_b, lower_a);
    piece[2] = hn::ConcatUpperUpper(d, upper_b, upper_a);
    whole = hn::Add(piece[0], hn::ConcatUpperUpper(d, fours_b, fours_a));
  }
};
struct double_items {
  using V = vector<double>;
  V whole, piece[2];

  HWY_INLINE static V load(double const* x, std::int32_t r) {
    tag<double> const d;
    auto const absent =
        hn::BitCast(d, hn::Load(hn::FixedTag<std::uint64_t, 4>(), items_of_doubles.absent[r]));
    return hn::IfThenElse(hn::MaskFromVec(absent), hn::Set(d, -0.0), hn::LoadU(d, x));
  }
  static V pairs(V a, V b) {
    tag<double> const d;
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  }
  HWY_INLINE double_items(double const* x, std::uint32_t const* at, std::size_t begin,
                          std::int32_t const* r) {
    tag<double> const d;
    auto const at_item = [&](std::size_t i) { return load(x + at[i] + begin, r[i]); };
    V const ab = pairs(at_item(0), at_item(1)), cd = pairs(at_item(2), at_item(3));
    piece[0] = hn::ConcatLowerLower(d, cd, ab);
    piece[1] = hn::ConcatUpperUpper(d, cd, ab);
    whole = hn::Add(piece[0], piece[1]);
  }
};

template <class T>
using items_t = std::conditional_t<sizeof(T) == 4, float_items, double_items>;

/// The lengths of as many segments as there are lanes of T.
template <class T>
using length_tag = hn::FixedTag<std::int32_t, lanes<T>>;
template <class T>
using length_vector = hn::Vec<length_tag<T>>;

/// Where the lengths are `least` or more.
inline auto reach(float, length_vector<float> lengths, std::int32_t least) {
  length_tag<float> const di;
  return hn::RebindMask(tag<float>(), hn::Gt(lengths, hn::Set(di, least - 1)));
}
inline auto reach(double, length_vector<double> lengths, std::int32_t least) {
  hn::FixedTag<std::int64_t, 4> const di;
  return hn::RebindMask(tag<double>(),
                        hn::Gt(hn::PromoteTo(di, lengths), hn::Set(di, std::int64_t{least} - 1)));
}

/// Adds items [begin, end) of the segments to `sum`; block and prefix are those of whole items.
template <class T>
struct lane_sums {
  static constexpr std::size_t n = lanes<T>, most_items = 128 / n;
  using V = vector<T>;

  T const* x;
  std::uint32_t const* at;
  length_vector<T> lengths;
  V sum = hn::Set(tag<T>(), T(-0.0));
  V block[8], prefix[most_items + 1];

  /// Leaves the arrays uninitialised, which would take longer than the sums.
  HWY_INLINE lane_sums(T const* elements, std::uint32_t const* borders, length_vector<T> size)
      : x(elements), at(borders), lengths(size) {}
  HWY_INLINE void add(std::size_t j) {
    length_tag<T> const di;
    alignas(32) std::int32_t r[n];
    auto const begin = static_cast<std::int32_t>(j * n), size = static_cast<std::int32_t>(n);
    hn::Store(
        hn::Min(hn::Max(hn::Sub(lengths, hn::Set(di, begin)), hn::Zero(di)), hn::Set(di, size)), di,
        r);
    items_t<T> const item(x, at, j * n, r);
    for (auto const& piece : item.piece) sum = hn::Add(sum, piece);
    // The prefix of j + 1 whole items.
    V total = item.whole;
    std::size_t const end = j + 1, rest = end & j;
    int k = 0;
    for (; (end >> k & 1) == 0; ++k) total = hn::Add(block[k], total);
    block[k] = total;
    prefix[end] = rest == 0 ? total : hn::Add(prefix[rest], total);
    sum = hn::IfThenElse(reach(T(), lengths, begin + size), prefix[end], sum);
  }
  HWY_INLINE void store(T* to) const {
    hn::StoreU(hn::IfThenElseZero(reach(T(), lengths, 1), sum), tag<T>(), to);
  }
};

template <class T>
std::size_t sum_segments_of(T const* x, std::uint32_t const* at, std::size_t count,
                            std::size_t readable, T* to) {
  constexpr std::size_t n = lanes<T>, most = 128;
  length_tag<T> const di;
  std::size_t k = 0;
  for (; k + n <= count && at[k + n - 1] + most <= readable; k += n) {
    auto const* const borders = reinterpret_cast<std::int32_t const*>(at + k);
    auto const lengths = hn::Sub(hn::LoadU(di, borders + 1), hn::LoadU(di, borders));
    auto const at_most = [&](std::size_t length) {
      return hn::AllFalse(di, hn::Gt(lengths, hn::Set(di, static_cast<std::int32_t>(length))));
    };
    lane_sums<T> sums(x, at + k, lengths);
    if (at_most(n)) {
      if (hn::AllTrue(di, hn::Eq(lengths, hn::Set(di, 1)))) {
        hn::StoreU(hn::LoadU(tag<T>(), x + at[k]), tag<T>(), to + k);
        continue;
      }
      sums.add(0);
    } else if (at_most(2 * n)) {
      sums.add(0);
      sums.add(1);
    } else {
      if (!at_most(most)) break;
      for (std::size_t j = 0; j < most / n && !at_most(j * n); ++j) sums.add(j);
    }
    sums.store(to + k);
  }
  return k;
}

#else

template <class T>
std::size_t sum_segments_of(T const*, std::uint32_t const*, std::size_t, std::size_t, T*) {
  return 0;
}

#endif

std::size_t sum_segments_of_floats(float const* x, std::uint32_t const* at, std::size_t count,
                                   std::size_t readable, float* to) {
  return sum_segments_of(x, at, count, readable, to);
}
std::size_t sum_segments_of_doubles(double const* x, std::uint32_t const* at, std::size_t count,
                                    std::size_t readable, double* to) {
  return sum_segments_of(x, at, count, readable, to);
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(sum_segments_of_floats);
HWY_EXPORT(sum_segments_of_doubles);

std::size_t sum_segments(float const* x, std::uint32_t const* at, std::size_t count,
                         std::size_t readable, float* to) {
  return HWY_DYNAMIC_DISPATCH(sum_segments_of_floats)(x, at, count, readable, to);
}
std::size_t sum_segments(double const* x, std::uint32_t const* at, std::size_t count,
                         std::size_t readable, double* to) {
  return HWY_DYNAMIC_DISPATCH(sum_segments_of_doubles)(x, at, count, readable, to);
}
}  // namespace upsweep::host::simd
#endif
