/// What sort and its relatives are made of: the total orders of numbers, and stable sorts on all
/// threads by merges or, of many elements, by division into buckets.
#pragma once

#include <upsweep/core/radix_sort.hpp>
#include <upsweep/merging.hpp>
#include <upsweep/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace upsweep {

namespace detail {

/// Numbers of at most 8 bytes: their order is that of an unsigned integer of their size.
template <class T>
concept number_key = (std::is_integral_v<T> || is_float<T>) && sizeof(T) <= 8;

/// The integer whose order is that of `x`: integers by value, floating-point numbers by
/// std::strong_order, from NaN with a sign over -0 and +0 to NaN without.
template <number_key T>
[[nodiscard]] constexpr auto ordered_bits(T x) {
  using U = bits_of_size<sizeof(T)>;
  constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  auto const bits = std::bit_cast<U>(x);
  if constexpr (is_float<T>)
    return static_cast<U>((bits & sign) != 0 ? ~bits : bits | sign);
  else
    return static_cast<U>(has_sign<T> ? bits ^ sign : bits);
}
template <number_key T>
[[nodiscard]] constexpr T from_ordered_bits(bits_of_size<sizeof(T)> bits) {
  using U = bits_of_size<sizeof(T)>;
  constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  if constexpr (is_float<T>)
    return std::bit_cast<T>(static_cast<U>((bits & sign) != 0 ? bits ^ sign : ~bits));
  else
    return std::bit_cast<T>(static_cast<U>(has_sign<T> ? bits ^ sign : bits));
}

/// Types that have `<`, or an order of their own.
template <class T>
concept is_ordered =
    number_key<T> || requires(T const& a, T const& b) { static_cast<bool>(a < b); };

}  // namespace detail

/// The default order of sort: `<`, but for floating-point numbers the total order of IEEE 754
/// (std::strong_order): NaN with a sign, -infinity, ..., -0, +0, ..., +infinity, NaN.
struct ascending {
  template <detail::is_ordered T>
  constexpr bool operator()(T const& a, T const& b) const {
    if constexpr (detail::number_key<T>)
      return detail::ordered_bits(a) < detail::ordered_bits(b);
    else if constexpr (std::is_floating_point_v<T>)
      return std::is_lt(std::strong_order(a, b));
    else
      return static_cast<bool>(a < b);
  }
};
/// The opposite order. Equal elements stay in input order, as in every stable sort.
struct descending {
  template <detail::is_ordered T>
  constexpr bool operator()(T const& a, T const& b) const {
    return ascending{}(b, a);
  }
};

namespace detail {

template <class Less>
inline constexpr bool is_natural_order =
    std::is_same_v<Less, ascending> || std::is_same_v<Less, descending>;

/// The integer of a number by whose order, ascending, `Less` sorts.
template <class Less, class T>
[[nodiscard]] constexpr auto sort_key(T x) {
  using U = bits_of_size<sizeof(T)>;
  if constexpr (std::is_same_v<Less, descending>)
    return static_cast<U>(~ordered_bits(x));
  else
    return ordered_bits(x);
}
template <class Less, class T>
[[nodiscard]] constexpr T from_sort_key(bits_of_size<sizeof(T)> key) {
  using U = bits_of_size<sizeof(T)>;
  if constexpr (std::is_same_v<Less, descending>) key = static_cast<U>(~key);
  return from_ordered_bits<T>(key);
}

/// Optional members of an executor, which sort needs: sort_keys(first, n) sorts unsigned integers
/// of 16, 32 or 64 bits on the calling thread, width(n) is the number of threads that a call over n
/// elements uses, and in_rounds(rounds, parts, f) calls f(round, part, on) for each part of each
/// round, when those of the round before that are in its aligned group of 2^round parts have ended.
template <class E>
concept sorts_keys =
    requires(E const& on, std::uint16_t* k16, std::uint32_t* k32, std::uint64_t* k64) {
      on.sort_keys(k16, std::size_t{});
      on.sort_keys(k32, std::size_t{});
      on.sort_keys(k64, std::size_t{});
      { on.width(std::size_t{}) } -> std::same_as<int>;
    };

/// Calls f(begin, end) for parts of [0, n), on several threads.
template <class E, class F>
void for_each_part(E const& on, std::size_t n, F const& f) {
  std::size_t const threads = static_cast<std::size_t>(on.width(n)),
                    part = at_most(n / (4 * threads) + 1, std::size_t{1} << 15);
  on.for_each_line((n + part - 1) / part, part,
                   [&](std::size_t k, auto const&) { f(k * part, at_most(n, (k + 1) * part)); });
}

/// A number that looks random, by the finaliser of SplitMix64.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Which of 511 buckets an element belongs to, told by 255 sorted splitters: those equal to
/// splitter b to bucket 2 b + 1, so that many equal elements are not sorted again, and those
/// between b - 1 and b to bucket 2 b.
template <class T, class Less>
class splitters {
 public:
  static constexpr std::size_t count = 255, buckets = 2 * count + 1;

  splitters(T const* x, std::size_t n, Less const& less) : less_(less) {
    std::size_t const oversampling = n < std::size_t{1} << 22 ? 4 : 16;
    std::vector<T> sample(count * oversampling);
    for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = x[mixed(i) % n];
    sort_in_place(sample.data(), sample.size(), less);
    for (std::size_t b = 0; b < count; ++b)
      borders_[b] = sample[b * oversampling + oversampling / 2];
  }

  /// Stores the buckets of x[0 .. n). Eight searches at a time, because each step of one waits for
  /// the one before it.
  void find(T const* x, std::size_t n, std::uint16_t* to) const {
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) find_each<8>(x + i, to + i);
    for (; i < n; ++i) find_each<1>(x + i, to + i);
  }

 private:
  template <std::size_t elements>
  void find_each(T const* x, std::uint16_t* to) const {
    std::size_t below[elements] = {};
    for (std::size_t half = (count + 1) / 2; half > 0; half /= 2) UPSWEEP_UNROLLED
    for (std::size_t j = 0; j < elements; ++j)
      below[j] += half * static_cast<std::size_t>(less_(borders_[below[j] + half - 1], x[j]));
    UPSWEEP_UNROLLED
    for (std::size_t j = 0; j < elements; ++j) {
      bool const is_border = below[j] < count && !less_(x[j], borders_[below[j]]);
      to[j] = static_cast<std::uint16_t>(2 * below[j] + (is_border ? 1 : 0));
    }
  }

  Less const& less_;
  T borders_[count];
};

/// Stores the n elements at `x` in `out`, sorted and in input order where they are equal.
/// `finish(first, n, on)` does the same in place with a bucket. The elements are bytes in memory;
/// an exception of `less` or `finish` leaves `x` as it was.
template <class E, class T, class Less, class Finish>
void sort_by_buckets(E const& on, T const* x, T* out, std::size_t n, Less const& less,
                     Finish const& finish) {
  using S = splitters<T, Less>;
  S const bucket(x, n, less);
  // for_each_line uses all threads if it has two lines for each.
  std::size_t const shares =
      std::max(at_most(n >> 14, 256) + 1, 2 * static_cast<std::size_t>(on.width(n)));
  auto const begin = [&](std::size_t share) {
    return n / shares * share + at_most(share, n % shares);
  };
  auto const buckets = memory_for<std::uint16_t>(n);
  // How many elements of a bucket a share has, then where its first one goes.
  std::vector<std::size_t> places(S::buckets * shares);
  on.for_each_line(shares, n / shares, [&](std::size_t share, auto const&) {
    std::size_t counts[S::buckets] = {};
    std::size_t const first = begin(share), end = begin(share + 1);
    bucket.find(x + first, end - first, buckets.get() + first);
    for (std::size_t i = first; i < end; ++i) ++counts[buckets[i]];
    for (std::size_t b = 0; b < S::buckets; ++b) places[b * shares + share] = counts[b];
  });
  std::size_t next = 0;
  for (std::size_t& place : places) next += std::exchange(place, next);
  std::vector<std::size_t> starts;
  for (std::size_t b = 0; b < S::buckets; ++b) starts.push_back(places[b * shares]);
  starts.push_back(n);
  on.for_each_line(shares, n / shares, [&](std::size_t share, auto const&) {
    std::size_t to[S::buckets];
    for (std::size_t b = 0; b < S::buckets; ++b) to[b] = places[b * shares + share];
    for (std::size_t i = begin(share); i < begin(share + 1); ++i) out[to[buckets[i]]++] = x[i];
  });
  on.for_each_line(S::buckets, n / S::buckets * 8, [&](std::size_t b, auto const& here) {
    std::size_t const size = starts[b + 1] - starts[b];
    if (b % 2 == 0 && size > 1) finish(out + starts[b], size, here);
  });
}

/// In how many parts n numbers, or pairs of one, are sorted before they are merged. Sorting a part
/// takes a time that hardly depends on its size, and each doubling of parts one more round of
/// merges. So there is one part for each thread, and each has 4096 elements to sort.
template <class E>
[[nodiscard]] std::size_t parts_of_numbers(E const& on, std::size_t n) {
  return std::bit_floor(static_cast<std::size_t>(on.width(2 * n)));
}
/// The same for elements that are merged from the first step on, so that more parts cost nothing:
/// two or more for each thread, in case that one starts late.
template <class E>
[[nodiscard]] std::size_t parts_by_order(E const& on, std::size_t n) {
  auto const threads = static_cast<std::size_t>(on.width(8 * n));
  return threads == 1 ? 1 : std::bit_ceil(2 * threads);
}

/// Whether elements are divided into buckets before they are sorted: from 2^22 on, by four threads
/// or more. Below, merges take less processor time with up to 16 threads; above, they read and
/// write memory more often.
template <class E>
[[nodiscard]] bool worth_buckets(E const& on, std::size_t n) {
  return on.width(n / 128) >= 4;
}

/// Sorts numbers in contiguous memory.
template <class Less, class E, class T>
void sort_numbers(E const& on, T* x, std::size_t n) {
  using U = bits_of_size<sizeof(T)>;
  if constexpr (sizeof(T) == 1) {
    std::size_t counts[256] = {};
    for (std::size_t i = 0; i < n; ++i) ++counts[sort_key<Less>(x[i])];
    T* to = x;
    for (std::size_t key = 0; key < 256; ++key)
      to = std::fill_n(to, counts[key], from_sort_key<Less, T>(static_cast<U>(key)));
  } else {
    // The keys take the place of the numbers. sort_keys is compiled elsewhere, so the compiler
    // cannot take its integers for memory that holds no numbers of type T.
    constexpr bool is_key = std::is_same_v<Less, ascending> && !is_float<T> && !has_sign<T>;
    auto const store_keys = [](T const* from, std::size_t size, T* to) {
      for (std::size_t i = 0; i < size && !(is_key && from == to); ++i)
        to[i] = std::bit_cast<T>(sort_key<Less>(from[i]));
    };
    auto const store_numbers = [](T* first, std::size_t size) {
      for (std::size_t i = 0; i < size && !is_key; ++i)
        first[i] = from_sort_key<Less, T>(std::bit_cast<U>(first[i]));
    };
    auto const sort_here = [&](T* first, std::size_t size, auto const& here) {
      store_keys(first, size, first);
      here.sort_keys(reinterpret_cast<U*>(first), size);
      store_numbers(first, size);
    };
    std::size_t const parts = parts_of_numbers(on, n);
    if (parts == 1) return sort_here(x, n, on);
    auto const sorted = memory_for<T>(n);
    if (!worth_buckets(on, n)) {
      auto const by_key = [](T a, T b) { return std::bit_cast<U>(a) < std::bit_cast<U>(b); };
      auto const sort_part = [&](std::size_t begin, std::size_t size, T* to, T*, auto const& here) {
        store_keys(x + begin, size, to);
        here.sort_keys(reinterpret_cast<U*>(to), size);
      };
      return sort_parts(on, x, sorted.get(), n, parts, by_key, sort_part, store_numbers);
    }
    sort_by_buckets(on, x, sorted.get(), n, Less{}, sort_here);
    for_each_part(on, n, [&](std::size_t begin, std::size_t end) {
      std::copy(sorted.get() + begin, sorted.get() + end, x + begin);
    });
  }
}

/// A key with what moves along with it.
template <class Key, class Value>
struct keyed {
  Key key;
  Value value;
};

/// Sorts n keyed values by their integer keys, stably: load(begin, end, to) stores those of [begin,
/// end) at `to`, and store(begin, end, from) takes the sorted ones. One allocation, because the C
/// library gives memory back to the system, page by page, if a call frees several large blocks.
template <class Pair, class E, class Load, class Store>
void sort_keyed(E const& on, std::size_t n, Load const& load, Store const& store) {
  auto const memory = memory_for<Pair>(2 * n);
  Pair *const x = memory.get(), *const other = x + n;
  auto const key_of = [](Pair const& p) { return p.key; };
  auto const by_key = [](Pair const& a, Pair const& b) { return a.key < b.key; };
  std::size_t const parts = parts_of_numbers(on, n);
  // Beyond the caches, a radix sort takes longer than the division into buckets that fit them.
  bool const is_large = n / parts * sizeof(Pair) >= std::size_t{1} << 24;
  if (is_large || worth_buckets(on, n)) {
    for_each_part(on, n, [&](std::size_t begin, std::size_t end) { load(begin, end, x + begin); });
    sort_by_buckets(on, x, other, n, by_key, [&](Pair* first, std::size_t size, auto const&) {
      radix_sort(first, x + (first - other), size, key_of);
    });
    for_each_part(on, n,
                  [&](std::size_t begin, std::size_t end) { store(begin, end, other + begin); });
  } else if (parts == 1) {
    load(0, n, x);
    radix_sort(x, other, n, key_of);
    store(0, n, x);
  } else {
    sort_parts(
        on, x, other, n, parts, by_key,
        [&](std::size_t begin, std::size_t size, Pair* to, Pair* spare, auto const&) {
          load(begin, begin + size, to);
          radix_sort(to, spare, size, key_of);
        },
        [&](Pair const* first, std::size_t size) {
          auto const begin = static_cast<std::size_t>(first - x);
          store(begin, begin + size, first);
        });
  }
}

/// The n elements at `x`, which are bytes in memory, in the order of `less`.
template <class E, class T, class Less>
[[nodiscard]] std::unique_ptr<T[]> sorted_by(E const& on, T const* x, std::size_t n,
                                             Less const& less) {
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
    sort_by_buckets(on, x, out.get(), n, less, [&](T* first, std::size_t size, auto const&) {
      sort_in_place(first, size, less);
    });
  }
  return out;
}

/// The positions 0, 1, ... n - 1, sorted by less(p, q).
template <class Position, class E, class Less>
[[nodiscard]] std::unique_ptr<Position[]> sorted_positions(E const& on, std::size_t n,
                                                           Less const& less) {
  auto const all = memory_for<Position>(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<Position>(i);
  return sorted_by(on, all.get(), n, less);
}

}  // namespace detail

}  // namespace upsweep
