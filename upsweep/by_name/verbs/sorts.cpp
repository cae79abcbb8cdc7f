/// Sorts by name. Every type is sorted as unsigned integers of the same order, so that one sort is
/// compiled for each size, and keys with values as pairs of integers of the larger of their sizes.
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/core/indexed_range.hpp>
#include <upsweep/host/convert.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/sort.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <span>
#include <type_traits>

namespace upsweep::dynamic {
namespace {

/// From the bits of an element to the integer by whose order, ascending, it is sorted.
template <class U>
detail::key_map<U> order_of(dtype t, bool descending) {
  return detail::key_map<U>::of_numbers(is_float(t), is_signed(t), descending);
}

/// The keys of elements in memory, which stay as they are.
template <class U>
struct keys_of_elements {
  using value = U;
  U const* first = nullptr;
  detail::key_map<U> order{};

  U operator()(std::ptrdiff_t i) const { return order(first[i]); }
};
template <class U>
auto keys_of(void const* in, std::size_t n, detail::key_map<U> const& order) {
  return detail::indexed_range<keys_of_elements<U>>({static_cast<U const*>(in), order}, n);
}

/// to[i] = order(from[i]) on several threads; on this one if there is no memory to distribute the
/// work, so that it never fails half-way.
template <class U>
void map(cpu const& on, U const* from, U* to, std::size_t n, detail::key_map<U> const& order) {
  auto const part = [&](std::size_t begin, std::size_t end) {
    if constexpr (sizeof(U) == 1)
      for (std::size_t i = begin; i < end; ++i) to[i] = order(from[i]);
    else
      cpu::kernels::map_keys(from + begin, end - begin, to + begin, order);
  };
  try {
    detail::in_subranges(on, n, part);
  } catch (std::bad_alloc const&) {  // before the first part
    part(0, n);
  }
}

/// Calls f with elements replaced by their keys. The elements are back afterwards, in the order in
/// which `f` left them, also if it throws.
template <class U, class F>
void as_keys(cpu const& on, U const* in, U* out, std::size_t n, detail::key_map<U> const& order,
             F const& f) {
  auto const back = [&] {
    if (!order.is_identity()) map(on, out, out, n, order.inverse());
  };
  if (in != out || !order.is_identity()) map(on, in, out, n, order);
  try {
    f();
  } catch (...) {
    back();
    throw;
  }
  back();
}

/// A key and what moves along with it, in the memory that a pair takes anyway.
template <class A, class B>
using word_of_pair = std::conditional_t<(sizeof(A) > sizeof(B)), A, B>;
template <class W>
using pair = detail::keyed<W, W>;
/// See detail::sort_keyed. The functions are called once a block, so they need not be known to it.
template <class W>
struct pairs {
  std::size_t key_bytes;
  std::function<void(std::size_t begin, std::size_t size, pair<W>* to)> load;
  std::function<void(std::size_t begin, std::size_t size, pair<W> const* from)> store;
};
template <class W>
void sort_pairs(cpu const& on, std::size_t n, pairs<W> const& all) {
  if (n > 0) detail::sort_keyed<pair<W>>(on, n, all.load, all.store, all.key_bytes);
}

template <class K, class V, class W>
void load(K const* keys, V const* values, std::size_t n, detail::key_map<K> order, pair<W>* to) {
  host::by_64(n, [=](std::size_t i) {
    return [=, k = keys + i, v = values + i, to = to + i](int j) { to[j] = {order(k[j]), v[j]}; };
  });
}
template <class K, class V, class W>
void store(pair<W> const* from, std::size_t n, detail::key_map<K> inverse, K* keys, V* values) {
  host::by_64(n, [=](std::size_t i) {
    return [=, from = from + i, k = keys + i, v = values + i](int j) {
      k[j] = inverse(static_cast<K>(from[j].key));
      v[j] = static_cast<V>(from[j].value);
    };
  });
}

template <class Position, class U>
void store_sorted_positions(cpu const& on, U const* x, std::size_t n,
                            detail::key_map<U> const& order, std::uint64_t* out) {
  if (detail::are_in_order(on, x, n, [=](U a, U b) { return order(a) < order(b); }))
    return detail::in_subranges(on, n, [=](std::size_t begin, std::size_t end) {
      std::iota(out + begin, out + end, begin);
    });
  using W = word_of_pair<U, Position>;
  sort_pairs<W>(
      on, n,
      {sizeof(U),
       [=](std::size_t begin, std::size_t size, pair<W>* to) {
         host::by_64(size, [=](std::size_t i) {
           auto const first = static_cast<Position>(begin + i);
           return [=, x = x + begin + i, to = to + i](int j) {
             to[j] = {order(x[j]), static_cast<Position>(first + static_cast<unsigned>(j))};
           };
         });
       },
       [=](std::size_t begin, std::size_t size, pair<W> const* from) {
         host::by_64(size, [=](std::size_t i) {
           return [from = from + i, out = out + begin + i](int j) { out[j] = from[j].value; };
         });
       }});
}

/// Between two numbers, which are given by their bits.
double between(dtype t, std::uint64_t lower, std::uint64_t upper, double part) {
  return dispatch(
      numbers{}, t,
      [=]<class T>() {
        using U = detail::bits_of_size<sizeof(T)>;
        detail::rank_neighbours<T> const two{std::bit_cast<T>(static_cast<U>(lower)),
                                             std::bit_cast<T>(static_cast<U>(upper))};
        return detail::interpolated(two, part);
      },
      [] { return std::numeric_limits<double>::quiet_NaN(); });
}

template <class U>
bool has_nan(cpu const& on, dtype t, void const* in, std::size_t n) {
  U const infinity = dispatch(
      floats{}, t,
      []<class T> {
        if constexpr (sizeof(T) == sizeof(U))
          return std::bit_cast<U>(static_cast<T>(std::numeric_limits<float>::infinity()));
        else
          return U{};
      },
      [] { return U{}; });
  auto const is_nan = [=](U bits) {
    return static_cast<int>((bits & (static_cast<U>(-1) >> 1)) > infinity);
  };
  return upsweep::transform_reduce(on, elements_at<U>(in, n), is_nan) != 0;
}

/// The elements of rank k and k + 1 (or the last).
struct two_ranks {
  std::uint64_t lower, upper;
};

}  // namespace

void sort(cpu const& on, dtype t, void const* in, std::size_t n, bool descending, void* out) {
  expect_apart("sort", in, n * size_of(t), out, n * size_of(t), true);
  with_word_of(size_of(t), [&]<class U>() {
    auto const sorted = elements_at<U>(out, n);
    as_keys(on, static_cast<U const*>(in), sorted.data(), n, order_of<U>(t, descending),
            [&] { upsweep::sort(on, sorted); });
  });
}

void sort_by_key(cpu const& on, dtype key, void* keys, dtype value, void* values, std::size_t n,
                 bool descending) {
  expect_apart("sort_by_key", keys, n * size_of(key), values, n * size_of(value));
  with_word_of(size_of(key), [&]<class K>() {
    with_word_of(size_of(value), [&]<class V>() {
      using W = word_of_pair<K, V>;
      auto const order = order_of<K>(key, descending), inverse = order.inverse();
      auto* const k = static_cast<K*>(keys);
      auto* const v = static_cast<V*>(values);
      sort_pairs<W>(on, n,
                    {sizeof(K),
                     [=](std::size_t begin, std::size_t size, pair<W>* to) {
                       load(k + begin, v + begin, size, order, to);
                     },
                     [=](std::size_t begin, std::size_t size, pair<W> const* from) {
                       store(from, size, inverse, k + begin, v + begin);
                     }});
    });
  });
}

void argsort(cpu const& on, dtype t, void const* in, std::size_t n, bool descending,
             std::uint64_t* out) {
  expect_apart("argsort", in, n * size_of(t), out, n * sizeof *out);
  with_word_of(size_of(t), [&]<class U>() {
    auto const* const x = static_cast<U const*>(in);
    auto const order = order_of<U>(t, descending);
    if (n <= std::numeric_limits<std::uint32_t>::max())
      store_sorted_positions<std::uint32_t>(on, x, n, order, out);
    else
      store_sorted_positions<std::uint64_t>(on, x, n, order, out);
  });
}

void top(cpu const& on, dtype t, void const* in, std::size_t n, bool descending, void* out,
         std::size_t count) {
  expect_apart("top", in, n * size_of(t), out, count * size_of(t));
  with_word_of(size_of(t), [&]<class U>() {
    auto const order = order_of<U>(t, descending);
    auto const found = elements_at<U>(out, count);
    upsweep::top(on, keys_of(in, n, order), found, ascending{});
    for (U& x : found) x = order.inverse()(x);
  });
}

void quantiles(cpu const& on, dtype t, void const* in, std::size_t n, double const* q,
               std::size_t count, double* out) {
  detail::float_environment const ieee;
  for (std::size_t k = 0; k < count; ++k) detail::expect_quantile(n, q[k]);
  if (count == 0) return;
  with_word_of(size_of(t), [&]<class U>() {
    if (is_float(t) && has_nan<U>(on, t, in, n)) {
      std::fill_n(out, count, std::numeric_limits<double>::quiet_NaN());
      return;
    }
    auto const order = order_of<U>(t, false);
    auto const keys = keys_of(in, n, order);
    constexpr std::size_t worth_sorting = 4;  // an element is read once for each selection
    auto const sorted = count < worth_sorting ? nullptr : detail::memory_for<U>(n);
    if (sorted) {
      map(on, static_cast<U const*>(in), sorted.get(), n, order);
      upsweep::sort(on, std::span(sorted.get(), n));
    }
    for (std::size_t k = 0; k < count; ++k) {
      detail::place_between_ranks const at(q[k], n);
      auto const two =
          sorted ? two_ranks{sorted[at.rank], sorted[at.rank + (at.rank + 1 < n)]} : [&] {
            auto const found = detail::neighbours_of_rank(on, keys.begin(), n, at.rank);
            return two_ranks{found.lower, found.upper};
          }();
      auto const lower = order.inverse()(static_cast<U>(two.lower)),
                 upper = order.inverse()(static_cast<U>(two.upper));
      out[k] = between(t, lower, upper, at.part);
    }
  });
}

}  // namespace upsweep::dynamic
