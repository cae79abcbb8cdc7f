/// Sums of short segments, once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/segment_sums.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/host/simd/loops.hpp>
#include <upsweep/host/simd/segment_blocks.inl>
#include <upsweep/host/simd/segment_items.inl>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32

template <class T>
struct lane_sums : lane_items<T> {
  using V = vector<T>;

  V sum;

  HWY_INLINE lane_sums(T const* x, std::uint32_t const* borders, std::int32_t const* lengths)
      : lane_items<T>(x, borders, lengths), sum(hn::Zero(tag<T>())) {}

  /// Where the segments have more than `than` elements.
  HWY_INLINE auto longer(std::size_t than) const {
    typename lane_items<T>::length_tag const di;
    auto const is = hn::Gt(this->lengths(), hn::Set(di, static_cast<std::int32_t>(than)));
    if constexpr (sizeof(T) == 4) {
      return hn::RebindMask(tag<T>(), is);
    } else {
      hn::RebindToSigned<tag<T>> const wide;
      return hn::RebindMask(tag<T>(),
                            hn::MaskFromVec(hn::PromoteTo(wide, hn::VecFromMask(di, is))));
    }
  }
  template <items of>
  HWY_INLINE void run(std::size_t j) {
    V v[item];
    for (std::size_t i = 0; i < item; ++i) v[i] = this->template load<of>(i, j);
    transpose_items(v);
    this->scan(v, j);
    if constexpr (of == items::whole)
      sum = v[item - 1];
    else if constexpr (of == items::equal)
      sum = v[static_cast<std::size_t>(this->length[0]) - j * item - 1];
    else
      for (std::size_t i = 0; i < item; ++i) sum = hn::IfThenElse(longer(j * item + i), v[i], sum);
  }
};

/// Stores the sums of `size` segments, if they have one length or two items at most.
template <class T>
HWY_INLINE bool sum_in_lanes(T const* x, std::uint32_t const* at, std::int32_t const* length,
                             std::size_t size, T* to) {
  tag<T> const d;
  lane_sums<T> sums(x, at, length);
  if (sums.all_equal() && !sums.any_longer(most)) {
    run_equal<0>(sums, static_cast<std::size_t>(sums.length[0]));
  } else {
    if (sums.any_longer(2 * item)) return false;
    run_mixed<0>(sums);
  }
  if (size == lanes<T>)
    hn::StoreU(sums.sum, d, to);
  else
    hn::BlendedStore(sums.sum, hn::FirstN(d, size), d, to);
  return true;
}

/// Sums of as many segments of any lengths as a vector has lanes, without a branch for each. A
/// segment is cut into whole vectors and a rest. Vectors of one number, of all segments, are summed
/// together, each in the lane of its segment. The elements of a rest are moved to where the blocks
/// of its digits always are, the largest first, and -0 is where a digit is 0.
template <class T>
struct mixed_sums {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using Word = hn::TFromD<hn::RebindToUnsigned<D>>;
  static constexpr std::size_t n = hn::MaxLanes(D()), most_vectors = 3,
                               longest = (most_vectors + 1) * n - 1;

  T const* x;
  std::uint32_t const* at;
  std::int32_t const* length;

  /// Where the segments have more than `than` elements.
  HWY_INLINE auto longer(std::size_t than) const {
    hn::RebindToSigned<D> const di;
    auto const sizes = hn::Load(hn::Rebind<std::int32_t, D>(), length);
    auto const limit = hn::Set(di, static_cast<hn::TFromD<hn::RebindToSigned<D>>>(than));
    if constexpr (sizeof(T) == 4)
      return hn::RebindMask(D(), hn::Gt(sizes, limit));
    else
      return hn::RebindMask(D(), hn::Gt(hn::PromoteTo(di, sizes), limit));
  }
  HWY_INLINE bool any_longer(std::size_t than) const { return !hn::AllFalse(D(), longer(than)); }

  HWY_INLINE bool all_of_one() const { return at[n] - at[0] == n && !any_longer(1); }
  /// Of segments of up to `longest` elements; what is in the lanes of others is not specified.
  HWY_INLINE V sums() const {
    D const d;
    V front = hn::Set(d, T(-0.0)), pair[n / 2];
    for (std::size_t j = 0; j < most_vectors && any_longer(j * n + n - 1); ++j) {
      add_pairs(pair, [&](std::size_t i) {
        bool const is_whole = length[i] >= static_cast<std::int32_t>(j * n + n);
        return first(x + at[i] + j * n, is_whole * n);  // g++ makes a branch of ?:
      });
      // The prefixes after one, two and three blocks of equal size are a serial sum.
      V const sum = hn::Add(front, block<0, n / 2>(pair));
      front = hn::IfThenElse(longer(j * n + n - 1), sum, front);
    }
    add_pairs(pair, [&](std::size_t i) {
      hn::RebindToUnsigned<D> const du;
      std::size_t const size = static_cast<std::size_t>(length[i]), left = size % n;
      return hn::TableLookupLanes(first(x + at[i] + (size - left), left),
                                  hn::IndicesFromVec(d, hn::Load(du, places.from[left])));
    });
    return hn::IfThenElse(longer(0), add_digits<0, n / 4>(front, pair), hn::Zero(d));
  }

 private:
  /// from[r][l]: which of r < n elements is in lane l; the last lane, -0, where none is.
  struct place_table {
    alignas(64) Word from[n][n] = {};
    constexpr place_table() {
      for (std::size_t r = 0; r < n; ++r) {
        std::size_t element = 0, lane = 0;
        for (std::size_t digit = n / 2; digit > 0; digit /= 2)
          for (std::size_t l = 0; l < digit; ++l)
            from[r][lane++] = static_cast<Word>((r & digit) != 0 ? element++ : n - 1);
        from[r][lane] = static_cast<Word>(n - 1);
      }
    }
  };
  static constexpr place_table places{};

  /// The first `size` elements of a vector at `from`, and -0 after them.
  HWY_INLINE static V first(T const* from, std::size_t size) {
    D const d;
    auto const is_first = hn::FirstN(d, size);
    return hn::IfThenElse(is_first, hn::MaskedLoad(is_first, d, from), hn::Set(d, T(-0.0)));
  }
  /// pair[p] becomes the sums of elements 2p and 2p + 1 of vector(i), in lane i.
  template <class Vector>
  HWY_INLINE static void add_pairs(V (&pair)[n / 2], Vector const& vector) {
    D const d;
    for (std::size_t i = 0; i < n / 2; ++i) {
      V const left = vector(2 * i), right = vector(2 * i + 1);
      pair[i] = hn::Add(hn::ConcatEven(d, right, left), hn::ConcatOdd(d, right, left));
    }
    split<1>(pair);
  }
  /// Parts lanes of even numbers from those of odd ones, until all lanes of a vector are of one
  /// pair.
  template <std::size_t parts>
  HWY_INLINE static void split(V (&pair)[n / 2]) {
    if constexpr (parts < n / 2) {
      D const d;
      V v[n / 2];
      [&]<std::size_t... j>(std::index_sequence<j...>) {
        ((v[2 * j - j % parts] =
              hn::ConcatEven(d, pair[2 * j - j % parts + parts], pair[2 * j - j % parts]),
          v[2 * j - j % parts + parts] =
              hn::ConcatOdd(d, pair[2 * j - j % parts + parts], pair[2 * j - j % parts])),
         ...);
        ((pair[2 * j] = v[2 * j], pair[2 * j + 1] = v[2 * j + 1]), ...);
      }(std::make_index_sequence<n / 4>());
      split<2 * parts>(pair);
    }
  }
  /// The block of `size` pairs from pair[begin] on.
  template <std::size_t begin, std::size_t size>
  HWY_INLINE static V block(V const (&pair)[n / 2]) {
    if constexpr (size == 1)
      return pair[begin];
    else
      return hn::Add(block<begin, size / 2>(pair), block<begin + size / 2, size / 2>(pair));
  }
  /// front + the blocks of digits, the first of `size` pairs, each half as large as the one before.
  template <std::size_t begin, std::size_t size>
  HWY_INLINE static V add_digits(V front, V const (&pair)[n / 2]) {
    V const sum = hn::Add(front, block<begin, size>(pair));
    if constexpr (size > 1)
      return add_digits<begin + size, size / 2>(sum, pair);
    else
      return hn::Add(sum, pair[begin + 1]);
  }
};

/// The sum of one segment.
template <class T>
struct alone_sum {
  T const* x;
  T sum = T{};
  segment_blocks<T> blocks;

  HWY_INLINE explicit alone_sum(T const* elements) : x(elements) {}

  template <bool is_last>
  HWY_INLINE void run(std::size_t j, std::size_t left) {
    constexpr std::size_t n = segment_blocks<T>::n;
    hn::ScalableTag<T> const d;
    T const* const from = x + j * n;
    if constexpr (is_last) {
      alignas(64) T prefixes[n];
      hn::Store(blocks.prefixes(j, load_last(from, left)), d, prefixes);
      sum = prefixes[left - 1];
    } else {
      blocks.pass(j, hn::LoadU(d, from));
    }
  }
};
template <class T>
HWY_NOINLINE std::size_t sum_alone(T const* x, std::uint32_t const* at, std::size_t count, T* to) {
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const size = at[i + 1] - at[i];
    if (size > most_alone) return i;
    alone_sum<T> sum(x + at[i]);
    if (size > 0) segment_blocks<T>::for_each(size, sum);
    to[i] = sum.sum;
  }
  return count;
}

/// Stores the sums of a group of segments in to[0], ...; returns how many are before one that
/// is too long.
template <class T>
HWY_NOINLINE std::size_t sum_mixed(mixed_sums<T> const& group, std::size_t size, T* to) {
  using D = typename mixed_sums<T>::D;
  // With vectors of 32 bytes one segment after another is as fast or faster.
  if constexpr (mixed_sums<T>::n * sizeof(T) >= 64) {
    constexpr std::size_t longest = mixed_sums<T>::longest;
    std::size_t const long_ones = hn::CountTrue(D(), group.longer(longest));
    if (long_ones <= mixed_sums<T>::n / 4 && !group.any_longer(most_alone)) {
      hn::BlendedStore(group.sums(), hn::FirstN(D(), size), D(), to);
      for (std::size_t i = 0; long_ones > 0 && i < size; ++i)
        if (group.length[i] > static_cast<std::int32_t>(longest))
          sum_alone(group.x, group.at + i, 1, to + i);
      return size;
    }
  }
  return sum_alone(group.x, group.at, size, to);
}

template <class T>
std::size_t sum_segments_of(T const* x, std::uint32_t const* borders, std::size_t count, T* to) {
  constexpr std::size_t n = mixed_sums<T>::n;
  return run_groups<n>(
      borders, count,
      [&](std::size_t k, std::uint32_t begin) {
        std::memcpy(to + k, x + begin, batch * sizeof(T));
      },
      [&](std::size_t k, std::uint32_t const* at, std::int32_t const* length, std::size_t size) {
        mixed_sums<T> const group{x, at, length};
        if (group.all_of_one()) {
          hn::ScalableTag<T> const d;
          hn::StoreU(hn::LoadU(d, x + at[0]), d, to + k);
          return size;
        }
        for (std::size_t i = 0; i < size; i += lanes<T>) {
          std::size_t const some = detail::at_most(lanes<T>, size - i);
          if (!sum_in_lanes(x, at + i, length + i, some, to + k + i))
            return sum_mixed(group, size, to + k);
        }
        return size;
      });
}

#else

template <class T>
std::size_t sum_segments_of(T const*, std::uint32_t const*, std::size_t, T*) {
  return 0;
}

#endif

auto const& kernels() {
  static constexpr auto all = std::make_tuple(sum_segments_of<float>, sum_segments_of<double>);
  return all;
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(kernels);

template <class T>
std::size_t sum_segments(T const* x, std::uint32_t const* at, std::size_t count, T* to) {
  return std::get<decltype(&sum_segments<T>)>(HWY_DYNAMIC_DISPATCH(kernels)())(x, at, count, to);
}
template std::size_t sum_segments(float const*, std::uint32_t const*, std::size_t, float*);
template std::size_t sum_segments(double const*, std::uint32_t const*, std::size_t, double*);
}  // namespace upsweep::host::simd
#endif
