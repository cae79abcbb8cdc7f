/// sort, sort_by_key and argsort: stable, on all threads.
#pragma once

#include <upsweep/call/heavy_verbs.hpp>
#include <upsweep/generic/sort/sorting.hpp>
#include <upsweep/select.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep {

/// The default order of sort: `<` for integers, and for floating-point numbers the total order of
/// IEEE 754 (std::strong_order): negative NaN, -infinity, ..., -0, +0, ..., +infinity, positive
/// NaN.
struct ascending {
  template <detail::is_ordered T>
  UPSWEEP_BOTH constexpr bool operator()(T const& a, T const& b) const {
    if constexpr (detail::number_key<T>)
      return detail::ordered_bits(a) < detail::ordered_bits(b);
    else if constexpr (std::is_floating_point_v<T>)
      return detail::is_before_in_total_order(a, b);
    else
      return static_cast<bool>(a < b);
  }
};
/// The opposite order. Equal elements keep their input order, as in every stable sort.
struct descending {
  template <detail::is_ordered T>
  UPSWEEP_BOTH constexpr bool operator()(T const& a, T const& b) const {
    return ascending{}(b, a);
  }
};

namespace detail {

template <class E, class In, class Less>
constexpr bool sort_fits() {
  using T = std::ranges::range_value_t<In>;
  constexpr bool sorts = !has_own_memory<E> || has_sort<E, ascending>;
  static_assert(
      sorts,
      "upsweep: sort, sort_by_key and argsort run on the executors of the CPU and on upsweep::gpu");
  constexpr bool orders = std::is_invocable_r_v<bool, Less const&, T const&, T const&>;
  static_assert(
      orders,
      "upsweep: the order must be callable, also when it is const, with two elements, and "
      "return whether the first comes before the second; the default, "
      "upsweep::ascending, needs elements with <");
  return sorts && orders;
}
template <class R>
constexpr bool changes_elements() {
  constexpr bool fits =
      std::is_assignable_v<std::ranges::range_reference_t<R>, std::ranges::range_value_t<R>>;
  static_assert(fits, "upsweep: sort works in place, so the range must not be const");
  return fits;
}

/// Elements in memory that are copied without more, and are small enough to be moved about. (A
/// std::pair of numbers is not trivially copyable.)
template <class R>
inline constexpr bool moves_as_bytes = [] {
  using T = std::ranges::range_value_t<R>;
  return std::ranges::contiguous_range<R> && std::is_trivially_copy_constructible_v<T> &&
         std::is_trivially_destructible_v<T> && std::is_nothrow_copy_assignable_v<T> &&
         std::is_nothrow_default_constructible_v<T> && sizeof(T) <= 64;
}();

/// What is sorted in place on another device.
template <class R>
constexpr bool lies_in_memory() {
  constexpr bool fits = std::ranges::contiguous_range<R>;
  static_assert(fits,
                "upsweep::gpu: sort and sort_by_key need contiguous memory, such as a std::span");
  return fits;
}

/// An order that is called like a function, of a pointer to a member function.
template <class Less>
[[nodiscard]] auto called(Less less) {
  return [less](auto const& a, auto const& b) {
    return static_cast<bool>(invoke_function(less, a, b));
  };
}

template <class T, class Less>
inline constexpr bool sorts_by_bits = is_natural_order<Less> && number_key<T>;
template <class E, class T, class Less>
inline constexpr bool sorts_numbers =
    sorts_by_bits<T, Less> && has_number_sort<E, key_map<std::uint64_t>>;
/// Whether the executor sorts keys of this type with values that are copied like words.
template <class E, class K, class V, class Less>
inline constexpr bool sorts_words =
    sorts_by_bits<K, Less> && has_pair_sort<E, keyed_blocks<std::uint64_t>> &&
    std::is_trivially_copyable_v<V> &&
    (sizeof(V) == 1 || sizeof(V) == 2 || sizeof(V) == 4 || sizeof(V) == 8);

/// Sorts the n numbers at `x`. The library's code takes them for integers of their size.
template <class Less, class E, class T>
void sort_numbers(E const& on, T* x, std::size_t n) {
  using U = bits_of_size<sizeof(T)>;
  on.sort_numbers(reinterpret_cast<U const*>(x), n, reinterpret_cast<U*>(x), sort_map<Less, T>());
}

/// The bits of a value in a word that is as large or larger, or the value itself.
template <class W, class V>
W to_word(V const& x) {
  if constexpr (std::is_same_v<W, V>)
    return x;
  else
    return static_cast<W>(__builtin_bit_cast(bits_of_size<sizeof(V)>, x));
}
template <class V, class W>
V from_word(W const& x) {
  if constexpr (std::is_same_v<W, V>)
    return x;
  else
    return __builtin_bit_cast(V, static_cast<bits_of_size<sizeof(V)>>(x));
}

/// Sorts n keys with their values, which are copied as bytes.
template <class Less, class E, class K, class V>
void sort_plain_pairs(E const& on, K* keys, V* values, std::size_t n) {
  constexpr bool are_words = sorts_words<E, K, V, Less>;
  using W = word_of_pair<K, std::conditional_t<are_words, V, K>>;
  using pair = std::conditional_t<are_words, keyed<W, W>, keyed<bits_of_size<sizeof(K)>, V>>;
  using value_type = decltype(pair::value);
  auto const load = [=](std::size_t begin, std::size_t size, pair* to) {
    for (std::size_t i = begin; i < begin + size; ++i)
      *to++ = {sort_key<Less>(keys[i]), to_word<value_type>(values[i])};
  };
  auto const store = [=](std::size_t begin, std::size_t size, pair const* from) {
    for (std::size_t i = 0; i < size; ++i) {
      keys[begin + i] = from_sort_key<Less, K>(static_cast<bits_of_size<sizeof(K)>>(from[i].key));
      values[begin + i] = from_word<V>(from[i].value);
    }
  };
  if constexpr (are_words)
    on.sort_pairs(keyed_blocks<W>(sizeof(K), load, store), n);
  else
    sort_keyed<pair>(on, n, load, store);
}

/// x[i] = old x[order[i]].
template <class R, class Position>
void permute(R& x, Position const* order, std::size_t n) {
  using T = std::ranges::range_value_t<R>;
  auto const first = std::ranges::begin(x);
  std::vector<T> sorted;
  sorted.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    sorted.push_back(static_cast<T&&>(static_cast<T>(std::ranges::iter_move(
        first + static_cast<std::iter_difference_t<decltype(first)>>(order[i])))));
  for (std::size_t i = 0; i < n; ++i)
    first[static_cast<std::iter_difference_t<decltype(first)>>(i)] = static_cast<T&&>(sorted[i]);
}

/// Calls f with the positions of the elements in sorted order, as a pointer to integers of 32 bits
/// if those are enough.
template <class E, class In, class Less, class F>
void with_sorted_positions(E const& on, In const& in, std::size_t n, Less const& less, F const& f) {
  using T = std::ranges::range_value_t<In>;
  auto const first = first_of(in);
  constexpr bool are_words = sorts_words<E, T, std::uint64_t, Less>;
  auto const sorted = [&]<class Position>(Position) {
    if constexpr (are_words) {
      using W = word_of_pair<T, Position>;
      auto const order = memory_for<Position>(n);
      on.sort_pairs(keyed_blocks<W>(
                        sizeof(T),
                        [&](std::size_t begin, std::size_t size, keyed<W, W>* to) {
                          for (std::size_t i = begin; i < begin + size; ++i)
                            *to++ = {sort_key<Less>(static_cast<T>(element_at(first, i))),
                                     static_cast<Position>(i)};
                        },
                        [&](std::size_t begin, std::size_t size, keyed<W, W> const* from) {
                          for (std::size_t i = 0; i < size; ++i)
                            order[begin + i] = static_cast<Position>(from[i].value);
                        }),
                    n);
      f(order.get());
    } else {
      auto const order = sorted_positions<Position>(on, n, [&](Position p, Position q) {
        return static_cast<bool>(invoke_function(less, element_at(first, p), element_at(first, q)));
      });
      f(order.get());
    }
  };
  if (n <= std::numeric_limits<std::uint32_t>::max())
    sorted(std::uint32_t{});
  else
    sorted(std::uint64_t{});
}

}  // namespace detail

/// Sorts `x` in place by `less`, a strict weak order. The sort is stable: equal elements keep their
/// order. The default order of numbers, `ascending`, is total, so the result is unique.
///
/// Memory: a buffer of n elements and n integers; for another order, of 2 n elements. If `less`
/// throws, the exception propagates (if several threads meet one, which one is unspecified), and
/// `x` is unchanged. Runs on the CPU executors and, for contiguous memory, on upsweep::gpu in
/// stream order.
template <elements X, executor E = detail::default_executor_t<X>,
          detail::not_output Less = ascending>
void sort(E const& on, X&& x, Less const& less = {}) {
  detail::expect_kept<X>();
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  if constexpr (std::is_member_pointer_v<Less>) {
    upsweep::sort(on, x, called(less));
  } else if constexpr (sort_fits<E, X, Less>() && changes_elements<X>()) {
    float_environment const ieee;
    std::size_t const n = std::ranges::size(x);
    if (n < 2) return;
    auto const first = std::ranges::begin(x);
    if constexpr (has_sort<E, ascending>) {
      if constexpr (lies_in_memory<X>()) on.sort(std::to_address(first), n, less);
    } else if constexpr (sorts_numbers<E, T, Less> && std::ranges::contiguous_range<X>) {
      sort_numbers<Less>(on, std::to_address(first), n);
    } else if constexpr (sorts_numbers<E, T, Less>) {
      auto const numbers = memory_for<T>(n);
      std::copy_n(first, static_cast<std::iter_difference_t<decltype(first)>>(n), numbers.get());
      sort_numbers<Less>(on, numbers.get(), n);
      std::copy_n(numbers.get(), n, first);
    } else if constexpr (moves_as_bytes<X>) {
      T* const to = std::to_address(first);
      auto const sorted = sorted_by(on, to, n, less);
      in_subranges(on, n, [&](std::size_t begin, std::size_t end) {
        std::copy(sorted.get() + begin, sorted.get() + end, to + begin);
      });
    } else {
      with_sorted_positions(on, x, n, less, [&](auto const* order) { permute(x, order, n); });
    }
  }
}
template <elements X, detail::not_output Less = ascending>
void sort(X&& x, Less const& less = {}) {
  detail::expect_kept<X>();
  upsweep::sort(detail::default_executor_t<X>{}, x, less);
}

/// Sorts `keys` by `less` as sort does, and moves values[i] along with keys[i]. Throws
/// precondition_error if the ranges differ in size or overlap.
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements Values,
          detail::not_output Less = ascending>
void sort_by_key(E const& on, Keys&& keys, Values&& values, Less const& less = {}) {
  detail::expect_kept<Keys, Values>();
  using namespace detail;
  using K = std::ranges::range_value_t<Keys>;
  using V = std::ranges::range_value_t<Values>;
  if constexpr (sort_fits<E, Keys, Less>() && changes_elements<Keys>() &&
                changes_elements<Values>()) {
    float_environment const ieee;
    std::size_t const n = std::ranges::size(keys);
    if (n != std::ranges::size(values)) fail_inputs("sort_by_key", n, std::ranges::size(values));
    expect_apart<false>("sort_by_key", keys, values);
    if (n < 2) return;
    constexpr bool is_plain = sorts_by_bits<K, Less> && std::ranges::contiguous_range<Keys> &&
                              moves_as_bytes<Values> && sizeof(V) <= 16;
    if constexpr (has_sort<E, ascending>) {
      if constexpr (lies_in_memory<Keys>() && lies_in_memory<Values>())
        on.sort_by_key(std::to_address(std::ranges::begin(keys)),
                       std::to_address(std::ranges::begin(values)), n, less);
    } else if constexpr (is_plain) {
      sort_plain_pairs<Less>(on, std::to_address(std::ranges::begin(keys)),
                             std::to_address(std::ranges::begin(values)), n);
    } else {
      with_sorted_positions(on, keys, n, less, [&](auto const* order) {
        permute(keys, order, n);
        permute(values, order, n);
      });
    }
  }
}
template <elements Keys, elements Values, detail::not_output Less = ascending>
void sort_by_key(Keys&& keys, Values&& values, Less const& less = {}) {
  detail::expect_kept<Keys, Values>();
  upsweep::sort_by_key(detail::default_executor_t<Keys>{}, keys, values, less);
}

/// Stores in `order`, a range of n integers, the positions of the n elements of `x` in the order in
/// which sort would put them; `x` is unchanged. Throws precondition_error if the sizes differ, if
/// the ranges overlap, and if positions do not fit the integers.
template <elements X, executor E = detail::default_executor_t<X>, detail::output_like Order,
          detail::not_output Less = ascending>
void argsort(E const& on, X const& x, Order&& order, Less const& less = {}) {
  detail::expect_kept<Order>();
  using namespace detail;
  if constexpr (sort_fits<E, X, Less>() && stores_integers<Order>()) {
    using T = std::ranges::range_value_t<Order>;
    float_environment const ieee;
    std::size_t const n = std::ranges::size(x);
    if (n != std::ranges::size(order)) fail_sizes("argsort", n, std::ranges::size(order));
    expect_apart<false>("argsort", x, order);
    auto const to = positions_to("argsort", n, order);
    if (n == 0) return;
    if constexpr (has_sort<E, ascending>)
      on.argsort(first_of(x), n, to.out, less);
    else
      with_sorted_positions(on, x, n, less, [&](auto const* sorted) {
        in_subranges(on, n, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i)
            to.out[static_cast<std::iter_difference_t<decltype(to.out)>>(i)] =
                static_cast<T>(sorted[i]);
        });
      });
  }
}
template <elements X, detail::output_like Order, detail::not_output Less = ascending>
void argsort(X const& x, Order&& order, Less const& less = {}) {
  detail::expect_kept<Order>();
  upsweep::argsort(detail::default_executor_t<X>{}, x, order, less);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
  requires detail::header_is_included<Args...>
detail::ranges_come_first_see_verbs_md<Args...> sort(Args const&...) = delete;
template <class... Args>
  requires detail::header_is_included<Args...>
detail::ranges_come_first_see_verbs_md<Args...> sort_by_key(Args const&...) = delete;
template <class... Args>
  requires detail::header_is_included<Args...>
detail::ranges_come_first_see_verbs_md<Args...> argsort(Args const&...) = delete;

}  // namespace upsweep
