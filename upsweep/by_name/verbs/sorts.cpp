/// Sorts by name. Every type is sorted as unsigned integers of the same order, so that one sort is
/// compiled for each size, and keys with values as pairs of integers of the larger of their sizes.
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/core/view.hpp>
#include <upsweep/host/convert.hpp>
#include <upsweep/host/sort_lines.hpp>
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
      host::map_keys(from + begin, end - begin, to + begin, order);
  };
  try {
    detail::in_subranges(on, n, part);
  } catch (std::bad_alloc const&) {  // before the first part
    part(0, n);
  }
}

using detail::word_of_pair;
template <class W>
using pair = detail::keyed<W, W>;

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
  if (n > 0 && detail::are_in_order(on, x, n, order))
    return detail::in_subranges(on, n, [=](std::size_t begin, std::size_t end) {
      std::iota(out + begin, out + end, begin);
    });
  using W = word_of_pair<U, Position>;
  on.sort_pairs(
      detail::keyed_blocks<W>(
          sizeof(U),
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
          }),
      n);
}

/// Between two numbers, which are given by their bits.
double between(dtype t, std::uint64_t lower, std::uint64_t upper, double part) {
  return dispatch(
      numbers{}, t,
      [=]<class T>() {
        using U = detail::bits_of_size<sizeof(T)>;
        detail::rank_neighbors<T> const two{std::bit_cast<T>(static_cast<U>(lower)),
                                            std::bit_cast<T>(static_cast<U>(upper))};
        return detail::interpolated(two, part);
      },
      [] { return std::numeric_limits<double>::quiet_NaN(); });
}

/// Tells from its bits whether an element is NaN.
template <class U>
struct nan_bits {
  U infinity;

  explicit nan_bits(dtype t)
      : infinity(dispatch(
            floats{}, t,
            []<class T> {
              if constexpr (sizeof(T) == sizeof(U))
                return std::bit_cast<U>(static_cast<T>(std::numeric_limits<float>::infinity()));
              else
                return U{};
            },
            [] { return static_cast<U>(-1); })) {}

  int operator()(U bits) const { return (bits & (static_cast<U>(-1) >> 1)) > infinity; }
};

/// The elements of rank k and k + 1 (or the last).
struct two_ranks {
  std::uint64_t lower, upper;
};

/// Whether lines are sorted together, which takes as long for few as for those of a block.
template <class U>
bool sorts_together(line_shape const& s) {
  return s.size <= host::sorting_network::longest_line && s.count >= host::line_block<U>::lines / 2;
}
/// Calls f(first line, lines, block) for blocks of lines, after sort(block, network).
template <class U, class Sort, class F>
void for_each_sorted_block(cpu const& on, U const* x, line_shape const& s,
                           detail::key_map<U> const& order, Sort const& sort, F const& f) {
  using block = host::line_block<U>;
  host::sorting_network const network(s.size);
  on.for_each_part((s.count + block::lines - 1) / block::lines, block::lines * s.size,
                   [&](std::size_t part) {
                     std::size_t const line = part * block::lines;
                     std::size_t const count = std::min(block::lines, s.count - line);
                     block mine;
                     mine.load(x + line * s.size, s.size, count, order);
                     sort(mine, network);
                     f(line, count, mine);
                   });
}
template <class U, class F>
void for_each_sorted_block(cpu const& on, U const* x, line_shape const& s,
                           detail::key_map<U> const& order, F const& f) {
  for_each_sorted_block(
      on, x, s, order, [](auto& block, auto const& network) { block.sort(network); }, f);
}

/// The quantile at a place of a line, whose elements of two ranks have these keys.
template <class U>
double quantile_of(dtype t, two_ranks const& keys, detail::key_map<U> const& inverse, double part) {
  return between(t, inverse(static_cast<U>(keys.lower)), inverse(static_cast<U>(keys.upper)), part);
}

}  // namespace

void sort(cpu const& on, dtype t, void const* in, std::size_t n, bool descending, void* out) {
  expect_apart("sort", in, n * size_of(t), out, n * size_of(t), true);
  with_word_of(size_of(t), [&]<class U>() {
    on.sort_numbers(static_cast<U const*>(in), n, static_cast<U*>(out), order_of<U>(t, descending));
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
      on.sort_pairs(detail::keyed_blocks<W>(
                        sizeof(K),
                        [=](std::size_t begin, std::size_t size, pair<W>* to) {
                          load(k + begin, v + begin, size, order, to);
                        },
                        [=](std::size_t begin, std::size_t size, pair<W> const* from) {
                          store(from, size, inverse, k + begin, v + begin);
                        }),
                    n);
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
  expect_apart("quantiles", in, n * size_of(t), out, count * sizeof *out);
  expect_apart("quantiles", q, count * sizeof *q, out, count * sizeof *out);
  if (count == 0) return;
  with_word_of(size_of(t), [&]<class U>() {
    auto const in_bits = elements_at<U>(in, n);
    if (is_float(t) && upsweep::transform_reduce(on, in_bits, nan_bits<U>(t)) != 0) {
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
            auto const found = detail::neighbors_of_rank(on, keys.begin(), n, at.rank);
            return two_ranks{found.lower, found.upper};
          }();
      out[k] = quantile_of(t, two, order.inverse(), at.part);
    }
  });
}

void sort_lines(cpu const& on, dtype t, void const* in, line_shape s, bool descending, void* out) {
  std::size_t const bytes = s.size * size_of(t);
  expect_apart("sort", in, s.count * bytes, out, s.count * bytes, true);
  with_word_of(size_of(t), [&]<class U>() {
    if (!sorts_together<U>(s))
      return on.for_each_line(s.count, s.size, [&](std::size_t line, cpu const& here) {
        sort(here, t, element_in(in, bytes, line), s.size, descending,
             element_in(out, bytes, line));
      });
    auto const order = order_of<U>(t, descending);
    for_each_sorted_block(on, static_cast<U const*>(in), s, order,
                          [&](std::size_t line, std::size_t count, auto const& block) {
                            block.store(static_cast<U*>(out) + line * s.size, s.size, count,
                                        order.inverse());
                          });
  });
}

void argsort_lines(cpu const& on, dtype t, void const* in, line_shape s, bool descending,
                   std::uint64_t* out) {
  std::size_t const bytes = s.size * size_of(t);
  expect_apart("argsort", in, s.count * bytes, out, s.count * s.size * sizeof *out);
  with_word_of(size_of(t), [&]<class U>() {
    if (!sorts_together<U>(s))
      return on.for_each_line(s.count, s.size, [&](std::size_t line, cpu const& here) {
        argsort(here, t, element_in(in, bytes, line), s.size, descending, out + line * s.size);
      });
    for_each_sorted_block(
        on, static_cast<U const*>(in), s, order_of<U>(t, descending),
        [](auto& block, auto const& network) { block.sort_with_positions(network); },
        [&](std::size_t line, std::size_t count, auto const& block) {
          for (std::size_t l = 0; l < count; ++l)
            for (std::size_t i = 0; i < s.size; ++i)
              out[(line + l) * s.size + i] = block.positions[i * block.lines + l];
        });
  });
}

void quantiles_of_lines(cpu const& on, dtype t, void const* in, line_shape s, double const* q,
                        std::size_t count, double* out) {
  if (s.count == 0 || count == 0) return;
  std::size_t const bytes = s.size * size_of(t);
  with_word_of(size_of(t), [&]<class U>() {
    if (!sorts_together<U>(s))
      return on.for_each_line(s.count, s.size, [&](std::size_t line, cpu const& here) {
        quantiles(here, t, element_in(in, bytes, line), s.size, q, count, out + line * count);
      });
    detail::float_environment const ieee;
    for (std::size_t k = 0; k < count; ++k) detail::expect_quantile(s.size, q[k]);
    auto const order = order_of<U>(t, false), inverse = order.inverse();
    nan_bits<U> const is_nan(t);
    for_each_sorted_block(
        on, static_cast<U const*>(in), s, order,
        [&](std::size_t line, std::size_t lines, auto const& block) {
          for (std::size_t l = 0; l < lines; ++l) {
            auto const key = [&](std::size_t i) { return block.keys[i * block.lines + l]; };
            // They are the first if they have a sign, otherwise the last.
            bool const has_nan = is_nan(inverse(key(0))) || is_nan(inverse(key(s.size - 1)));
            for (std::size_t k = 0; k < count; ++k) {
              detail::place_between_ranks const at(q[k], s.size);
              two_ranks const two{key(at.rank), key(at.rank + (at.rank + 1 < s.size))};
              out[(line + l) * count + k] = has_nan ? std::numeric_limits<double>::quiet_NaN()
                                                    : quantile_of(t, two, inverse, at.part);
            }
          }
        });
  });
}

}  // namespace upsweep::dynamic
