/// Short segments in lanes: what sums and scans of several segments at once share. Each segment is
/// cut into items of four elements; those of one number are in the lanes of four vectors.

#if defined(UPSWEEP_SIMD_SEGMENT_ITEMS) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_SEGMENT_ITEMS
#undef UPSWEEP_SIMD_SEGMENT_ITEMS
#else
#define UPSWEEP_SIMD_SEGMENT_ITEMS
#endif

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/simd/lanes.inl>

#include <cstddef>
#include <cstdint>

#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32
HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

/// The lanes of a vector, which are the segments that are scanned at once.
template <class T>
inline constexpr std::size_t lanes = 32 / sizeof(T);
/// The elements of an item, into which segments are cut.
inline constexpr std::size_t item = 4;
inline constexpr std::size_t most = 128;
template <class T>
using tag = hn::FixedTag<T, lanes<T>>;
template <class T>
using vector = hn::Vec<tag<T>>;
template <class T>
using item_tag = hn::FixedTag<T, item>;

/// Sliding masks: those from entry `most - r` on are of r elements, which may be less than none.
template <class Word>
struct mask_table {
  Word entry[2 * most + item] = {};
  constexpr mask_table() {
    for (std::size_t i = 0; i < most; ++i) entry[i] = ~Word{0};
  }
};
template <class Word>
constexpr mask_table<Word> masks;

/// All bits set for the elements 0, 1, ... of an item that are among r ones.
template <class T>
HWY_INLINE hn::Vec<item_tag<T>> first_elements(std::ptrdiff_t r) {
  using Word = hn::TFromD<hn::RebindToUnsigned<item_tag<T>>>;
  return hn::BitCast(item_tag<T>(),
                     hn::LoadU(hn::FixedTag<Word, item>(),
                               masks<Word>.entry + static_cast<std::ptrdiff_t>(most) - r));
}

/// Four vectors of items become four of the items' elements 0, 1, 2, 3, and back. A vector of
/// floats holds items i and i + 4, so that its halves are transposed alike.
HWY_INLINE void transpose_items(vector<float> (&v)[item]) {
  transpose(tag<float>(), v);
}
HWY_INLINE void transpose_items(vector<double> (&v)[item]) {
  tag<double> const d;
  auto const ab = hn::InterleaveLower(d, v[0], v[1]), cd = hn::InterleaveLower(d, v[2], v[3]),
             ab_upper = hn::InterleaveUpper(d, v[0], v[1]),
             cd_upper = hn::InterleaveUpper(d, v[2], v[3]);
  v[0] = hn::ConcatLowerLower(d, cd, ab);
  v[1] = hn::ConcatLowerLower(d, cd_upper, ab_upper);
  v[2] = hn::ConcatUpperUpper(d, cd, ab);
  v[3] = hn::ConcatUpperUpper(d, cd_upper, ab_upper);
}

/// Which elements of a group's items exist: all, as many of each item, or any.
enum class items { whole, equal, mixed };

/// A group of segments.
template <class T>
struct lane_items {
  static constexpr std::size_t n = lanes<T>;
  using V = vector<T>;

  T const* x;
  std::uint32_t const* at;
  std::int32_t const* length;
  V block[6], prefix[most / item + 1];  // of whole items

  /// Leaves the arrays uninitialized, which would take longer than the work.
  HWY_INLINE lane_items(T const* elements, std::uint32_t const* borders,
                        std::int32_t const* lengths)
      : x(elements), at(borders), length(lengths) {}

  /// The elements that exist of item j of segment i.
  template <items of>
  HWY_INLINE auto load_item(std::size_t i, std::size_t j) const {
    item_tag<T> const d;
    T const* const from = x + at[i] + j * item;
    if constexpr (of == items::whole)
      return hn::LoadU(d, from);
    else
      return hn::MaskedLoad(hn::MaskFromVec(left(of == items::equal ? 0 : i, j)), d, from);
  }
  HWY_INLINE auto left(std::size_t i, std::size_t j) const {
    return first_elements<T>(length[i] - static_cast<std::int32_t>(j * item));
  }
  template <items of>
  HWY_INLINE V load(std::size_t i, std::size_t j) const {
    if constexpr (n == item)
      return load_item<of>(i, j);
    else
      return hn::Combine(tag<T>(), load_item<of>(i + item, j), load_item<of>(i, j));
  }
  /// Appends item j, of which `total` is the block, and returns the prefix that ends with it. If
  /// the compiler knows j it knows all branches.
  HWY_INLINE V append(std::size_t j, V total) {
    std::size_t const end = j + 1, rest = end & j;
    int k = 0;
    for (; (end >> k & 1) == 0; ++k) total = hn::Add(block[k], total);
    block[k] = total;
    return prefix[end] = rest == 0 ? total : hn::Add(prefix[rest], total);
  }
  /// v[i] becomes the prefix of the elements up to v[i], of item j.
  HWY_INLINE void scan(V (&v)[item], std::size_t j) {
    auto const after = [&](V total) { return j > 0 ? hn::Add(prefix[j], total) : total; };
    V const pair = hn::Add(v[0], v[1]), four = hn::Add(pair, hn::Add(v[2], v[3]));
    v[0] = after(v[0]);
    v[1] = after(pair);
    v[2] = hn::Add(v[1], v[2]);
    v[3] = append(j, four);
  }
  /// How long the segments are.
  using length_tag = hn::FixedTag<std::int32_t, n>;
  HWY_INLINE auto lengths() const { return hn::Load(length_tag(), length); }
  HWY_INLINE bool any_longer(std::size_t than) const {
    length_tag const di;
    return !hn::AllFalse(di, hn::Gt(lengths(), hn::Set(di, static_cast<std::int32_t>(than))));
  }
  HWY_INLINE bool all_equal() const {
    length_tag const di;
    return hn::AllTrue(di, hn::Eq(lengths(), hn::Set(di, length[0])));
  }
};

/// Calls work.template run<items>(j) for item j of a group's segments, one after another. The first
/// items have code of their own, so that one branch is mispredicted for a group.
template <std::size_t j, class Work>
HWY_INLINE void run_mixed(Work& work) {
  constexpr std::size_t unrolled = 8;
  if constexpr (j < unrolled) {
    work.template run<items::mixed>(j);
    if (work.any_longer((j + 1) * item)) run_mixed<j + 1>(work);
  } else {
    for (std::size_t i = j; work.any_longer(i * item); ++i) work.template run<items::mixed>(i);
  }
}
/// The same for segments of equal length, of which `left` elements begin with item j.
template <std::size_t j, class Work>
HWY_INLINE void run_equal(Work& work, std::size_t left) {
  constexpr std::size_t unrolled = 4;
  if constexpr (j < unrolled) {
    if (left >= item) {
      work.template run<items::whole>(j);
      run_equal<j + 1>(work, left - item);
    } else if (left > 0) {
      work.template run<items::equal>(j);
    }
  } else {
    std::size_t i = j;
    for (; left >= item; left -= item) work.template run<items::whole>(i++);
    if (left > 0) work.template run<items::equal>(i);
  }
}

/// The segments whose lengths are computed at once, because a load of what has just been stored in
/// larger pieces is slow.
inline constexpr std::size_t batch = 64;

/// Calls group(k, at, length, size) for groups of `size` segments from number k on, which returns
/// how many of them it takes, and ones(k, begin) for a batch of segments of one element, from
/// element `begin` on. Returns how many segments there are before one that is not taken; those
/// after the last one are empty.
template <std::size_t lanes, class Ones, class Group>
HWY_INLINE std::size_t run_groups(std::uint32_t const* at, std::size_t count, Ones const& ones,
                                  Group const& group) {
  alignas(64) std::int32_t length[batch];
  std::uint32_t last[batch + 1];
  for (std::size_t begin = 0; begin < count; begin += batch) {
    std::uint32_t const* borders = at + begin;
    if (count - begin < batch) {
      for (std::size_t i = 0; i <= batch; ++i) last[i] = at[detail::at_most(begin + i, count)];
      borders = last;
    }
    std::int32_t others = 0;
    for (std::size_t k = 0; k < batch; ++k) {
      length[k] = static_cast<std::int32_t>(borders[k + 1] - borders[k]);
      others |= length[k] ^ 1;
    }
    if (others == 0) {  // in no batch that ends with empty ones
      ones(begin, borders[0]);
      continue;
    }
    for (std::size_t k = 0; k < batch && begin + k < count; k += lanes) {
      std::size_t const size = detail::at_most(lanes, count - begin - k),
                        taken = group(begin + k, borders + k, length + k, size);
      if (taken < size) return begin + k + taken;
    }
  }
  return count;
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
