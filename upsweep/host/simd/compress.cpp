/// Compression, and comparisons of neighbors, by vector instructions, once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/compress.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Marks become bits a block ahead of their use, because a load of what has just been stored in
/// smaller pieces waits.
constexpr std::size_t block = 512;

/// Bit i % 8 of bits[i / 8]: whether marks[i] is `wanted`, for the first multiple of 8 of n marks.
void store_bits(std::uint8_t const* marks, std::uint8_t wanted, std::size_t n, std::uint8_t* bits) {
  hn::ScalableTag<std::uint8_t> const d;
  std::size_t i = 0;
  if constexpr (hn::MaxLanes(d) >= 8) {
    auto const all = hn::Set(d, wanted);
    for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
      hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, marks + i), all), bits + i / 8);
  }
  for (; i + 8 <= n; i += 8) {
    unsigned eight = 0;
    for (unsigned j = 0; j < 8; ++j) eight |= (marks[i + j] == wanted ? 1u : 0u) << j;
    bits[i / 8] = static_cast<std::uint8_t>(eight);
  }
}

/// The last elements, one at a time.
template <class T>
std::size_t compress_rest(T const* x, std::uint8_t const* marks, std::uint8_t wanted, std::size_t n,
                          T* to) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    to[count] = x[i];
    count += marks[i] == wanted;
  }
  return count;
}

/// For each set of `lanes` elements of `units` units, the indices of its members' units, in order.
/// A static table: Highway's Compress has a local one, which g++ 12 copies to the stack at each
/// use.
template <class Unit, std::size_t lanes, std::size_t units>
struct member_table {
  alignas(32) Unit members[1 << lanes][lanes * units] = {};
  constexpr member_table() {
    for (std::size_t set = 0; set < 1 << lanes; ++set)
      for (std::size_t i = 0, to = 0; i < lanes; ++i)
        for (std::size_t u = 0; u < units && (set >> i & 1) != 0; ++u)
          members[set][to++] = static_cast<Unit>(i * units + u);
  }
};
template <class Unit, std::size_t lanes, std::size_t units>
constexpr member_table<Unit, lanes, units> sets;

/// The elements of a vector of 32 bytes as words, of shorter ones as bytes: what the CPU
/// permutes.
template <class T>
inline constexpr bool by_words = sizeof(T) >= 4 && HWY_MAX_BYTES >= 32;
template <class T>
inline constexpr std::size_t vector_lanes =
    sizeof(T) == 1 ? 8 : (by_words<T> ? 32 : 16) / sizeof(T);

/// Stores the elements of the vector at `x` that are members of `set` at `to`, and as many more as
/// the vector has others.
template <class T>
void store_members(T const* x, unsigned set, T* to) {
  using Unit = std::conditional_t<by_words<T>, std::uint32_t, std::uint8_t>;
  constexpr std::size_t lanes = vector_lanes<T>, units = sizeof(T) / sizeof(Unit);
  hn::CappedTag<Unit, lanes * units> const d;
  auto const v = hn::LoadU(d, reinterpret_cast<Unit const*>(x));
  auto const indices = hn::LoadU(d, sets<Unit, lanes, units>.members[set]);
  auto* const place = reinterpret_cast<Unit*>(to);
  if constexpr (by_words<T>)
    hn::StoreU(hn::TableLookupLanes(v, hn::IndicesFromVec(d, indices)), d, place);
  else
    hn::StoreU(hn::TableLookupBytes(v, indices), d, place);
}

/// Stores the members of a set of eight elements, and returns how many they are.
template <class T>
HWY_INLINE std::size_t store_eight(T const* x, unsigned set, T* to) {
  std::size_t count = 0;
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < 8; ++i) {
    to[count] = x[i];
    count += set >> i & 1;
  }
#else
  constexpr std::size_t lanes = vector_lanes<T>;
  for (std::size_t lane = 0; lane < 8; lane += lanes, set >>= lanes) {
    unsigned const members = set & ((1u << lanes) - 1);
    store_members(x + lane, members, to + count);
    count += static_cast<std::size_t>(std::popcount(members));
  }
#endif
  return count;
}
/// The same for the positions first, first + 1, ....
HWY_INLINE std::size_t store_eight_positions(std::uint32_t first, unsigned set, std::uint32_t* to) {
  hn::CappedTag<std::uint32_t, 8> const d;
  auto const base = hn::Set(d, first);
  for (std::size_t lane = 0; lane < 8; lane += hn::Lanes(d))
    hn::StoreU(hn::Add(base, hn::LoadU(d, sets<std::uint32_t, 8, 1>.members[set] + lane)), d,
               to + lane);
  return static_cast<std::size_t>(std::popcount(set));
}

/// Calls eight(i, set) for the sets of eight of n elements that are not empty, or are near such;
/// bits at n and beyond are 0, and the last word may have no more bytes than it needs.
template <class Eight>
HWY_INLINE void for_each_eight(std::uint8_t const* bits, std::size_t n, Eight const& eight) {
  constexpr std::size_t word = 64;
  std::size_t i = 0;
  for (; i + word <= n; i += word) {
    std::uint64_t sets_of_eight;
    std::memcpy(&sets_of_eight, bits + i / 8, sizeof sets_of_eight);
    if (sets_of_eight == 0) continue;
    for (std::size_t j = 0; j < word; j += 8) eight(i + j, bits[(i + j) / 8]);
  }
  for (; i < n; i += 8) eight(i, bits[i / 8]);
}

/// Elements of 1, 2, 4 and 8 bytes: those of eight marks are one vector or several.
template <class T>
std::size_t compress_by_bits(T const* x, std::uint8_t const* bits, std::size_t n, T* to) {
  std::size_t count = 0;
  std::size_t const whole = n / 8 * 8;
  for_each_eight(bits, whole, [&](std::size_t i, unsigned set) {
    count += store_eight(x + i, set, to + count);
  });
  for (std::size_t i = whole; i < n; ++i) {
    to[count] = x[i];
    count += bits[i / 8] >> i % 8 & 1;
  }
  return count;
}
template <class T>
std::size_t compress_lanes(T const* x, std::uint8_t const* marks, std::uint8_t wanted,
                           std::size_t n, T* to) {
  std::size_t count = 0, i = 0;
#if HWY_TARGET != HWY_SCALAR
  std::uint8_t bits[block / 8];
  while (i + 8 <= n) {
    std::size_t const size = detail::at_most(block, n - i) / 8 * 8;
    store_bits(marks + i, wanted, size, bits);
    count += compress_by_bits(x + i, bits, size, to + count);
    i += size;
  }
#endif
  return count + compress_rest(x + i, marks + i, wanted, n - i, to + count);
}

/// f of an integer of 1, 2, 4 or 8 bytes.
template <class F>
std::size_t with_integer_of(std::size_t bytes, F const& f) {
  switch (bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

struct sixteen_bytes {
  std::uint64_t half[2];
};

std::size_t compress_here(void const* x, std::size_t bytes, std::uint8_t const* marks,
                          std::uint8_t wanted, std::size_t n, void* to) {
  auto const lanes = [&]<class T>(T) {
    return compress_lanes(static_cast<T const*>(x), marks, wanted, n, static_cast<T*>(to));
  };
  if (bytes == sizeof(sixteen_bytes))
    return compress_rest(static_cast<sixteen_bytes const*>(x), marks, wanted, n,
                         static_cast<sixteen_bytes*>(to));
  return with_integer_of(bytes, lanes);
}

std::size_t count_here(std::uint8_t const* marks, std::uint8_t wanted, std::size_t n) {
  std::uint8_t bits[block / 8];
  std::size_t count = 0, i = 0;
  while (i + 8 <= n) {
    std::size_t const size = detail::at_most(block, n - i) / 8 * 8;
    store_bits(marks + i, wanted, size, bits);
    for (std::size_t k = 0; k < size / 8; ++k)
      count += static_cast<std::size_t>(std::popcount(bits[k]));
    i += size;
  }
  for (; i < n; ++i) count += marks[i] == wanted;
  return count;
}

std::size_t compress_bits_here(void const* x, std::size_t bytes, std::uint8_t const* bits,
                               std::size_t n, void* to) {
  auto const lanes = [&]<class T>(T) {
    return compress_by_bits(static_cast<T const*>(x), bits, n, static_cast<T*>(to));
  };
  return with_integer_of(bytes, lanes);
}

std::size_t positions_here(std::uint8_t const* bits, std::size_t n, std::uint32_t first,
                           std::uint32_t* to) {
  std::size_t count = 0;
  for_each_eight(bits, n, [&](std::size_t i, unsigned set) {
    count += store_eight_positions(first + static_cast<std::uint32_t>(i), set, to + count);
  });
  return count;
}

/// The bits of up to eight elements.
template <class T>
std::uint8_t heads_of_few(T const* x, std::size_t n, bool follows) {
  unsigned heads = n > 0 && (!follows || x[0] != x[-1]) ? 1 : 0;
  for (std::size_t i = 1; i < n; ++i) heads |= (x[i] != x[i - 1] ? 1u : 0u) << i;
  return static_cast<std::uint8_t>(heads);
}

/// The bits of as many elements as a vector has, at least eight.
template <class T>
HWY_INLINE void store_heads(T const* x, std::uint8_t* bits) {
  hn::ScalableTag<T> const d;
  // Not Ne, which says of two NaNs that they do not differ.
  auto const heads = [&](T const* at) {
    return hn::Not(hn::Eq(hn::LoadU(d, at), hn::LoadU(d, at - 1)));
  };
  constexpr std::size_t lanes = hn::MaxLanes(d);
  if constexpr (lanes >= 8) {
    hn::StoreMaskBits(d, heads(x), bits);
  } else {
    std::uint8_t part[8], eight = 0;
    for (std::size_t i = 0; i < 8; i += lanes) {
      hn::StoreMaskBits(d, heads(x + i), part);
      eight = static_cast<std::uint8_t>(eight | part[0] << i);
    }
    *bits = eight;
  }
}

template <class T>
void find_heads_of(T const* x, std::size_t n, bool follows, std::uint8_t* bits) {
  if (n == 0) return;
  std::size_t i = n < 8 ? n : 8;
  *bits = heads_of_few(x, i, follows);
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>()), step = lanes < 8 ? 8 : lanes;
  for (; i + step <= n; i += step) store_heads(x + i, bits + i / 8);
#endif
  for (; i < n; i += 8) bits[i / 8] = heads_of_few(x + i, n - i < 8 ? n - i : 8, true);
}

auto const& heads_kernels() {
  static constexpr auto all = std::make_tuple(
      find_heads_of<std::uint8_t>, find_heads_of<std::uint16_t>, find_heads_of<std::uint32_t>,
      find_heads_of<std::uint64_t>, find_heads_of<float>, find_heads_of<double>);
  return all;
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(compress_here);
HWY_EXPORT(count_here);
HWY_EXPORT(compress_bits_here);
HWY_EXPORT(positions_here);
HWY_EXPORT(heads_kernels);

std::size_t compress(void const* x, std::size_t bytes, std::uint8_t const* marks,
                     std::uint8_t wanted, std::size_t n, void* to) {
  return HWY_DYNAMIC_DISPATCH(compress_here)(x, bytes, marks, wanted, n, to);
}
std::size_t count_marks(std::uint8_t const* marks, std::uint8_t wanted, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(count_here)(marks, wanted, n);
}
std::size_t compress_bits(void const* x, std::size_t bytes, std::uint8_t const* bits, std::size_t n,
                          void* to) {
  return HWY_DYNAMIC_DISPATCH(compress_bits_here)(x, bytes, bits, n, to);
}
std::size_t positions_of_bits(std::uint8_t const* bits, std::size_t n, std::uint32_t first,
                              std::uint32_t* to) {
  return HWY_DYNAMIC_DISPATCH(positions_here)(bits, n, first, to);
}

template <class T>
void find_heads(T const* x, std::size_t n, bool follows, std::uint8_t* bits) {
  std::get<decltype(&find_heads<T>)>(HWY_DYNAMIC_DISPATCH(heads_kernels)())(x, n, follows, bits);
}
template void find_heads(std::uint8_t const*, std::size_t, bool, std::uint8_t*);
template void find_heads(std::uint16_t const*, std::size_t, bool, std::uint8_t*);
template void find_heads(std::uint32_t const*, std::size_t, bool, std::uint8_t*);
template void find_heads(std::uint64_t const*, std::size_t, bool, std::uint8_t*);
template void find_heads(float const*, std::size_t, bool, std::uint8_t*);
template void find_heads(double const*, std::size_t, bool, std::uint8_t*);
}  // namespace upsweep::host::simd
#endif
