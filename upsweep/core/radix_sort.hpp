/// A stable sort by integer keys, on one thread: for each digit, from the last to the first, how
/// many elements have each of its values, the exclusive scan of these counts, and every element to
/// its position. The digits are those of a key's distance from the lowest one, without the last
/// bits that all keys share. Where the leading digits tell most keys apart, only these have passes.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace upsweep::detail {

/// Brings the cache line after `place` here, to be written soon: the CPU does not see that
/// elements which are scattered to many positions form as many streams.
inline void fetch_next_line(void const* place) {
  __builtin_prefetch(reinterpret_cast<void const*>(reinterpret_cast<std::uintptr_t>(place) + 64),
                     1);
}

/// Copies an element; a key and its value of 8 bytes together at once, which compilers do not.
template <class T>
void copy_element(T const* from, T* to) {
  if constexpr (sizeof(T) == 8 && std::is_trivially_copyable_v<T>) {
    std::uint64_t whole;
    std::memcpy(&whole, from, sizeof whole);
    std::memcpy(static_cast<void*>(to), &whole, sizeof whole);
  } else {
    *to = *from;
  }
}

template <class KeyOf>
struct less_by_key {
  KeyOf key_of;

  template <class T>
  bool operator()(T const& a, T const& b) const {
    return key_of(a) < key_of(b);
  }
};
template <class KeyOf>
less_by_key(KeyOf) -> less_by_key<KeyOf>;

/// The digits of keys: `width` bits of key - lowest. The width is a constant because processors
/// take longer to shift by a variable.
template <int width, class Key>
struct digits {
  static constexpr std::size_t values = std::size_t{1} << width;
  Key lowest;

  /// The digit at `shift` and those above it.
  [[nodiscard]] std::size_t from_bit(int shift, Key key) const {
    return static_cast<std::size_t>(static_cast<Key>(key - lowest) >> shift);
  }
  /// Moves from[0 .. n) to the positions of their digits at `shift` and, unless these are the last
  /// ones, counts the next ones.
  template <bool beyond_cache, bool last, class T, class KeyOf>
  void move(T const* from, std::size_t n, T* to, int shift, std::size_t* places,
            std::size_t* counts, KeyOf const& key_of) const {
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t const rest = from_bit(shift, key_of(from[i]));
      T* const place = to + places[rest % values]++;
      if constexpr (beyond_cache) fetch_next_line(place);
      copy_element(from + i, place);
      if constexpr (!last) ++counts[(rest >> width) % values];
    }
  }
  /// Sorts x[0 .. n) by `passes` digits from `shift` on; `other` is memory for n elements. Returns
  /// where the sorted elements are.
  template <class T, class KeyOf>
  [[nodiscard]] T* sort(T* x, T* other, std::size_t n, int shift, int passes,
                        KeyOf const& key_of) const {
    constexpr std::size_t cache = std::size_t{1} << 21;
    std::size_t counts[2][values] = {};
    for (std::size_t i = 0; i < n; ++i) ++counts[0][from_bit(shift, key_of(x[i])) % values];
    for (int pass = 0; pass < passes; ++pass, shift += width) {
      auto &places = counts[pass % 2], &next_counts = counts[1 - pass % 2];
      std::size_t next = 0;
      for (std::size_t& place : places) next += std::exchange(place, next);
      std::fill_n(next_counts, values, 0);
      auto const move_all = [&]<bool beyond_cache>(std::bool_constant<beyond_cache>) {
        if (pass + 1 < passes)
          move<beyond_cache, false>(x, n, other, shift, places, next_counts, key_of);
        else
          move<beyond_cache, true>(x, n, other, shift, places, next_counts, key_of);
      };
      if (n * sizeof(T) < cache)
        move_all(std::false_type());
      else
        move_all(std::true_type());
      std::swap(x, other);
    }
    return x;
  }
};

template <class T, class KeyOf>
[[nodiscard]] T* radix_sort(T* x, T* other, std::size_t n, KeyOf const& key_of);

/// Whether a sample of leading(x[i]) has no two that are equal.
template <class T, class Leading>
bool all_differ(T const* x, std::size_t n, Leading const& leading) {
  constexpr std::size_t size = 16;
  decltype(leading(*x)) sample[size];
  for (std::size_t i = 0; i < size; ++i) sample[i] = leading(x[i * (n / size)]);
  std::sort(sample, sample + size);
  return std::adjacent_find(sample, sample + size) == sample + size;
}

/// Sorts x[0 .. n), whose leading(x[i]) ascend, by key_of(x[i]): each run of equal leading bits in
/// which keys descend.
template <class T, class KeyOf, class Leading>
void sort_runs(T* x, T* other, std::size_t n, KeyOf const& key_of, Leading const& leading) {
  constexpr std::size_t worth_passes = 32;
  for (std::size_t i = 1; i < n; ++i) {
    if (!(key_of(x[i]) < key_of(x[i - 1]))) continue;
    auto const mine = leading(x[i]);
    std::size_t begin = i - 1;
    while (begin > 0 && leading(x[begin - 1]) == mine) --begin;
    while (i + 1 < n && leading(x[i + 1]) == mine) ++i;
    std::size_t const size = i + 1 - begin;
    T* const run = x + begin;
    if (size < worth_passes) {
      for (std::size_t j = 1; j < size; ++j) {
        T const element = run[j];
        std::size_t k = j;
        for (; k > 0 && key_of(element) < key_of(run[k - 1]); --k) run[k] = run[k - 1];
        run[k] = element;
      }
    } else {
      T const* const sorted = radix_sort(run, other + begin, size, key_of);
      if (sorted != run) std::copy_n(sorted, size, run);
    }
  }
}

/// How many elements at the front of x[0 .. n), n > 0, are in order. Blocks, after the first few
/// elements, have loops that do not end early, which take less time.
template <class T, class KeyOf>
std::size_t ascending_front(T const* x, std::size_t n, KeyOf const& key_of) {
  constexpr std::size_t few = 16, block = 64;
  auto const descends_at = [&](std::size_t i) { return key_of(x[i]) < key_of(x[i - 1]); };
  std::size_t front = 1;
  for (; front < n && front < few; ++front)
    if (descends_at(front)) return front;
  for (; n - front >= block; front += block) {
    unsigned descents = 0;
    for (std::size_t j = 0; j < block; ++j) descents += descends_at(front + j);
    if (descents > 0) break;
  }
  while (front < n && !descends_at(front)) ++front;
  return front;
}

/// The same, after elements in the opposite order are reversed, but for those of equal keys.
template <class T, class KeyOf>
std::size_t ordered_front(T* x, std::size_t n, KeyOf const& key_of) {
  T* const end = x + n;
  std::size_t const ordered = ascending_front(x, n, key_of);
  less_by_key<KeyOf> const less{key_of};
  auto const descends = [&](T const& a, T const& b) { return less(b, a); };
  if (ordered == n || !std::is_sorted(x, end, descends)) return ordered;
  std::reverse(x, end);
  for (T* run = x; run != end;) {
    T* next = run + 1;
    while (next != end && !less(*run, *next)) ++next;
    std::reverse(std::exchange(run, next), next);
  }
  return n;
}

/// Sorts x[0 .. n), of which the first `ordered` are in order, into `other`: a merge takes less
/// time than passes over all.
template <class T, class KeyOf>
T* sort_rest(T* x, T* other, std::size_t n, std::size_t ordered, KeyOf const& key_of) {
  T *const rest = x + ordered, *const end = x + n;
  T const* const sorted = radix_sort(rest, other + ordered, n - ordered, key_of);
  if (sorted != rest) std::copy_n(sorted, n - ordered, rest);
  std::merge(x, rest, rest, end, other, less_by_key{key_of});
  return other;
}

/// Sorts x[0 .. n), elements that are bytes in memory, by key_of(x[i]), an unsigned integer;
/// `other` is memory for n elements. Returns `x` or `other`, where the sorted elements are.
template <class T, class KeyOf>
[[nodiscard]] T* radix_sort(T* x, T* other, std::size_t n, KeyOf const& key_of) {
  using Key = decltype(key_of(*x));
  constexpr std::size_t worth_counting = 128;
  constexpr int more_bits = 12;  // than n has: the exponents of floats tell few of them apart
  if (n < worth_counting) {
    std::stable_sort(x, x + n, less_by_key{key_of});
    return x;
  }
  std::size_t const ordered = ordered_front(x, n, key_of), rest = n - ordered;
  if (rest == 0) return x;
  if (rest <= n / 8) return sort_rest(x, other, n, ordered, key_of);
  Key const first = key_of(x[0]);
  Key lowest = first, highest = first, differing = 0;
  for (std::size_t i = 1; i < n; ++i) {
    Key const key = key_of(x[i]);
    lowest = std::min(lowest, key);
    highest = std::max(highest, key);
    differing |= static_cast<Key>(key ^ first);
  }
  int const shared = std::countr_zero(differing),
            bits = static_cast<int>(std::bit_width(static_cast<Key>(highest - lowest))) - shared,
            most = (bits + 8) / 9,  // passes
      enough = (static_cast<int>(std::bit_width(n)) + more_bits + 7) / 8;
  auto const leading = [&](T const& element) {
    return static_cast<Key>(static_cast<Key>(key_of(element) - lowest) >>
                            (shared + bits - 8 * enough));
  };
  bool const by_leading = enough + 1 < most && all_differ(x, n, leading);
  if (!by_leading)
    return bits <= 8 * most ? digits<8, Key>{lowest}.sort(x, other, n, shared, most, key_of)
                            : digits<9, Key>{lowest}.sort(x, other, n, shared, most, key_of);
  T* const sorted =
      digits<8, Key>{lowest}.sort(x, other, n, shared + bits - 8 * enough, enough, key_of);
  sort_runs(sorted, sorted == x ? other : x, n, key_of, leading);
  return sorted;
}
/// Calls f(sorted), where the sorted elements are. Takes memory for n elements; if there is none,
/// it takes more time.
template <class T, class KeyOf, class F>
void with_radix_sorted(T* x, std::size_t n, KeyOf const& key_of, F const& f) {
  std::unique_ptr<T[]> const memory(new (std::nothrow) T[n]);
  if (memory) return f(radix_sort(x, memory.get(), n, key_of));
  std::stable_sort(x, x + n, less_by_key{key_of});
  f(x);
}
/// The same in place.
template <class T, class KeyOf>
void radix_sort(T* x, std::size_t n, KeyOf const& key_of) {
  with_radix_sorted(x, n, key_of, [&](T const* sorted) {
    if (sorted != x) std::copy_n(sorted, n, x);
  });
}

}  // namespace upsweep::detail
