/// What sort and its relatives are made of: the total orders of numbers, and stable sorts on all
/// threads by merges or, of many elements, by division into buckets.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/generic/sort/buckets.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace upsweep::detail {

/// Numbers of at most 8 bytes: their order is that of an unsigned integer of their size.
template <class T>
concept number_key = (std::is_integral_v<T> || is_float<T>) && sizeof(T) <= 8;

/// From the bits of a number to the integer of its order.
template <number_key T>
[[nodiscard]] UPSWEEP_BOTH constexpr auto ordered_map() {
  constexpr auto map = key_map<bits_of_size<sizeof(T)>>::of_numbers(is_float<T>, has_sign<T>);
  return map;
}
template <number_key T>
[[nodiscard]] UPSWEEP_BOTH constexpr auto ordered_bits(T x) {
  return ordered_map<T>()(__builtin_bit_cast(bits_of_size<sizeof(T)>, x));
}
template <number_key T>
[[nodiscard]] UPSWEEP_BOTH constexpr T from_ordered_bits(bits_of_size<sizeof(T)> bits) {
  return __builtin_bit_cast(T, ordered_map<T>().inverse()(bits));
}

/// The bytes of a number that have a meaning, from the highest: a long double may have padding.
template <class T>
[[nodiscard]] auto bytes_from_the_highest(T const& x) {
  constexpr std::size_t size = std::numeric_limits<T>::digits == 64 ? 10 : sizeof(T);
  std::array<unsigned char, size> bytes;
  std::memcpy(bytes.data(), &x, size);
  if constexpr (std::endian::native == std::endian::little)
    std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

/// `<` in the total order of IEEE 754, as std::strong_order, which not every library has for long
/// double. Constant expressions do not see the payloads of NaN.
template <std::floating_point T>
[[nodiscard]] constexpr bool is_before_in_total_order(T a, T b) {
  bool const a_is_nan = is_nan_value(a), b_is_nan = is_nan_value(b);
  if (!a_is_nan && !b_is_nan && (a != 0 || b != 0)) return a < b;
  bool const a_is_negative = __builtin_signbit(a), b_is_negative = __builtin_signbit(b);
  if (a_is_negative != b_is_negative) return a_is_negative;
  if (a_is_nan != b_is_nan) return b_is_nan != b_is_negative;
  if (std::is_constant_evaluated()) return false;
  auto const low = bytes_from_the_highest(a_is_negative ? b : a);
  return low < bytes_from_the_highest(a_is_negative ? a : b);
}

/// Types that have `<`, or their own comparison.
template <class T>
concept is_ordered =
    number_key<T> || requires(T const& a, T const& b) { static_cast<bool>(a < b); };

}  // namespace upsweep::detail

namespace upsweep {

struct ascending;   // sort.hpp
struct descending;  // sort.hpp

namespace detail {

template <class Less>
inline constexpr bool is_natural_order =
    std::is_same_v<Less, ascending> || std::is_same_v<Less, descending>;

/// From the bits of a number to the integer by whose order, ascending, `Less` sorts. A function, as
/// device code has no variables of namespaces.
template <class Less, class T>
[[nodiscard]] UPSWEEP_BOTH constexpr auto sort_map() {
  constexpr auto map = key_map<bits_of_size<sizeof(T)>>::of_numbers(
      is_float<T>, has_sign<T>, std::is_same_v<Less, descending>);
  return map;
}
template <class Less, class T>
[[nodiscard]] UPSWEEP_BOTH constexpr auto sort_key(T x) {
  return sort_map<Less, T>()(__builtin_bit_cast(bits_of_size<sizeof(T)>, x));
}
template <class Less, class T>
[[nodiscard]] UPSWEEP_BOTH constexpr T from_sort_key(bits_of_size<sizeof(T)> key) {
  return __builtin_bit_cast(T, sort_map<Less, T>().inverse()(key));
}

/// Calls f(begin, end) for subranges of [0, n), on several threads.
template <class E, class F>
void in_subranges(E const& on, std::size_t n, F const& f) {
  std::size_t const threads = threads_for(on, n),
                    part = at_most(n / (4 * threads) + 1, std::size_t{1} << 15);
  for_each_part(on, (n + part - 1) / part, part,
                [&](std::size_t k) { f(k * part, at_most(n, (k + 1) * part)); });
}

/// Whether the keys of the n elements ascend, n > 0.
template <class E, class T, class KeyOf>
[[nodiscard]] bool are_in_order(E const& on, T const* x, std::size_t n, KeyOf const& key_of) {
  auto const ascend = [&](std::size_t begin, std::size_t end) {
    return ascending_front(x + begin, end - begin, key_of) == end - begin;
  };
  if (!ascend(0, at_most(n, std::size_t{1} << 14))) return false;
  std::atomic<bool> found{true};
  in_subranges(on, n, [&](std::size_t begin, std::size_t end) {
    if (found && !ascend(begin == 0 ? 0 : begin - 1, end)) found = false;
  });
  return found;
}

/// In how many parts n numbers, or pairs of one, are sorted before they are merged. Sorting a part
/// takes a time that hardly depends on its size, and each doubling of parts one more round of
/// merges. So there is one part for each thread, and each has 4096 elements to sort.
template <class E>
[[nodiscard]] std::size_t parts_of_numbers(E const& on, std::size_t n) {
  return std::bit_floor(at_most(threads_for(on, 2 * n), most_in_rounds));
}
/// The same for elements that are merged from the first step on, so that more parts cost nothing:
/// two or more for each thread, in case that one starts late.
template <class E>
[[nodiscard]] std::size_t parts_by_order(E const& on, std::size_t n) {
  auto const threads = at_most(threads_for(on, 8 * n), most_in_rounds);
  return threads == 1 ? 1 : std::bit_ceil(2 * threads);
}

/// Whether elements are divided into buckets by an order before they are sorted: from 2^22 on, by
/// four threads or more. Below, merges take less processor time with up to 16 threads; above, they
/// read and write memory more often.
template <class E>
[[nodiscard]] bool worth_buckets(E const& on, std::size_t n) {
  return threads_for(on, n / 128) >= 4;
}
/// The same for keys of `key_bytes` with values: from 8 MiB on, by four threads from 2 MiB, and on
/// one thread if a radix sort passes eight times over more than the caches have.
template <class E>
[[nodiscard]] bool worth_buckets_of_pairs(E const& on, std::size_t bytes, std::size_t key_bytes) {
  return threads_for(on, bytes / 64) >= 4 || threads_for(on, bytes / 512) >= 2 ||
         (key_bytes == 8 && bytes >= std::size_t{1} << 25);
}

/// Sorts the n elements of `source`, of type T, by their integer keys, if they make even buckets or
/// division by an order is worth it; otherwise returns false. finish(first, begin, size, is_sorted)
/// sorts the `size` elements at `first`, unless they are sorted, and stores them from `begin` on.
template <class T, class E, class Source, class KeyOf, class Finish>
[[nodiscard]] bool sort_by_keys(E const& on, Source const& source, std::size_t n,
                                KeyOf const& key_of, Finish const& finish) {
  auto const sort_by = [&](auto& buckets) {
    auto const memory = memory_for<T>(n);
    T* const out = memory.get();
    sort_by_buckets(on, source, out, n, buckets,
                    [&](std::size_t begin, std::size_t size, bool is_sorted) {
                      finish(out + begin, begin, size, is_sorted);
                    });
    return true;
  };
  key_buckets<T, KeyOf> by_prefix(source, n, key_of);
  if (by_prefix.are_even()) return sort_by(by_prefix);
  if (!worth_buckets(on, n)) return false;
  auto const by_key = [&](T const& a, T const& b) { return key_of(a) < key_of(b); };
  splitter_buckets<T, decltype(by_key)> buckets(source, n, by_key);
  return sort_by(buckets);
}

/// A key with what moves along with it.
template <class Key, class Value>
struct keyed {
  Key key;
  Value value;
};

/// Keys with values of words for code that is compiled once for each of them: load() and store() of
/// sort_keyed, which are called once a block, by their addresses.
template <class W>
class keyed_blocks {
 public:
  using pair = keyed<W, W>;

  std::size_t key_bytes;  ///< of which a key has all bits

  template <class Load, class Store>
  keyed_blocks(std::size_t bytes, Load const& load, Store const& store)
      : key_bytes(bytes),
        load_(&load),
        store_(&store),
        call_load_([](void const* by, std::size_t begin, std::size_t size, pair* to) {
          (*static_cast<Load const*>(by))(begin, size, to);
        }),
        call_store_([](void const* by, std::size_t begin, std::size_t size, pair const* from) {
          (*static_cast<Store const*>(by))(begin, size, from);
        }) {}

  void load(std::size_t begin, std::size_t size, pair* to) const {
    call_load_(load_, begin, size, to);
  }
  void store(std::size_t begin, std::size_t size, pair const* from) const {
    call_store_(store_, begin, size, from);
  }

 private:
  void const *load_, *store_;
  void (*call_load_)(void const* by, std::size_t begin, std::size_t size, pair* to);
  void (*call_store_)(void const* by, std::size_t begin, std::size_t size, pair const* from);
};
/// The word that holds either of two values, which a pair of them takes anyway.
template <class A, class B>
using word_of_pair = bits_of_size<(sizeof(A) > sizeof(B)) ? sizeof(A) : sizeof(B)>;

/// Sorts n keyed values by their integer keys, of which `key_bytes` bytes may differ, stably.
/// load(begin, size, to) writes a part of them, and store(begin, size, from) takes a part of the
/// result; all parts are loaded before one is stored.
template <class Pair, class E, class Load, class Store>
void sort_keyed(E const& on, std::size_t n, Load const& load, Store const& store,
                std::size_t key_bytes = sizeof(Pair::key)) {
  auto const source = [&](std::size_t begin, std::size_t size, Pair* to) {
    load(begin, size, to);
    return to;
  };
  auto const key_of = [](Pair const& p) { return p.key; };
  std::size_t const parts = parts_of_numbers(on, n);
  auto const finish = [&](Pair* first, std::size_t begin, std::size_t size, bool is_sorted) {
    if (is_sorted) return store(begin, size, first);
    // By way of memory of a bucket's size, which stays in the cache.
    with_radix_sorted(first, size, key_of, [&](Pair const* sorted) { store(begin, size, sorted); });
  };
  if (worth_buckets_of_pairs(on, n * sizeof(Pair), key_bytes) &&
      sort_by_keys<Pair>(on, source, n, key_of, finish))
    return;
  // One allocation, because the C library gives memory back to the system, page by page, if a call
  // frees several large blocks.
  auto const memory = memory_for<Pair>(2 * n);
  Pair *const x = memory.get(), *const other = x + n;
  if (parts == 1) {
    load(0, n, x);
    return store(0, n, radix_sort(x, other, n, key_of));
  }
  sort_parts(
      on, x, other, n, parts, [](Pair const& a, Pair const& b) { return a.key < b.key; },
      [&](std::size_t begin, std::size_t size, Pair* to, Pair* spare, auto const&) {
        load(begin, size, to);
        Pair const* const sorted = radix_sort(to, spare, size, key_of);
        if (sorted != to) std::copy_n(sorted, size, to);
      },
      [&](Pair const* first, std::size_t size) {
        store(static_cast<std::size_t>(first - x), size, first);
      });
}

/// The n elements at `x`, which are bytes in memory, in the order of `less`.
template <class E, class T, class Less>
[[nodiscard]] scratch<T> sorted_by(E const& on, T const* x, std::size_t n, Less const& less) {
  std::size_t const parts = parts_by_order(on, n);
  bool const by_merging = parts > 1 && !worth_buckets(on, n);
  auto out = memory_for<T>(by_merging ? 2 * n : n);  // for merges in one allocation, as above
  if (parts == 1) {
    std::copy_n(x, n, out.get());
    sort_in_place(out.get(), n, less);
  } else if (by_merging) {
    sort_parts(
        on, out.get(), out.get() + n, n, parts, less,
        [&](std::size_t begin, std::size_t size, T* to, T* spare, auto const&) {
          std::copy_n(x + begin, size, to);
          sort_by_merging(to, spare, size, false, less);
        },
        [](T*, std::size_t) {});
  } else {
    auto const source = [&](std::size_t begin, std::size_t, T*) { return x + begin; };
    splitter_buckets<T, Less> buckets(source, n, less);
    sort_by_buckets(on, source, out.get(), n, buckets,
                    [&](std::size_t begin, std::size_t size, bool is_sorted) {
                      if (!is_sorted) sort_in_place(out.get() + begin, size, less);
                    });
  }
  return out;
}

/// The positions 0, 1, ... n - 1, sorted by less(p, q).
template <class Position, class E, class Less>
[[nodiscard]] scratch<Position> sorted_positions(E const& on, std::size_t n, Less const& less) {
  auto const all = memory_for<Position>(n);
  in_subranges(on, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) all[i] = static_cast<Position>(i);
  });
  return sorted_by(on, all.get(), n, less);
}

}  // namespace detail

}  // namespace upsweep
