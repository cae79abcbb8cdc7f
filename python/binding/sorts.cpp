/// Sorts and order statistics, for Python, in the library's total order.
#include <python/binding/module.hpp>

#include <upsweep/core/scratch.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>

namespace upsweep::python {
namespace {

/// Lines of arrays whose rows are one after another.
dynamic::line_shape shape_of(lines const& x, std::size_t bytes) {
  detail::expects(
      x.count <= 1 || x.size == 0 || x.stride == static_cast<std::ptrdiff_t>(x.size * bytes),
      "_core: the lines of an array are not contiguous");
  return {x.count, x.size};
}

void sort(std::string_view type, input const& x, bool descending, output const& out,
          settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = lines_of(x, size_of(t)), to = lines_of(out, size_of(t));
  expect_same_shape(in, to);
  auto const shape = shape_of(in, size_of(t));
  computing(in.count * in.size,
            [&] { dynamic::sort_lines(on.executor(), t, in.first, shape, descending, to.first); });
}

void argsort(std::string_view type, input const& x, bool descending, output const& out,
             settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = lines_of(x, size_of(t)), to = lines_of(out, sizeof(std::uint64_t));
  expect_same_shape(in, to);
  auto const shape = shape_of(in, size_of(t));
  computing(in.count * in.size, [&] {
    dynamic::argsort_lines(on.executor(), t, in.first, shape, descending,
                           reinterpret_cast<std::uint64_t*>(to.first));
  });
}

/// Stores in out[order[k]] the rank of x[k] by place(first, last, k, number), where elements first
/// to last of those at `x`, from 1 on, are equal, and `number` counts different elements.
template <class Word, class Position, class Rank, class Place>
void rank_elements(Word const* x, Position const* order, std::size_t n, Place const& place,
                   Rank* out) {
  std::size_t number = 0, last = 0;
  for (std::size_t first = 0; first < n; first = last) {
    for (last = first + 1; last < n && x[last] == x[first];) ++last;
    ++number;
    for (std::size_t k = first; k < last; ++k)
      out[order[k]] = static_cast<Rank>(place(first + 1, last, k + 1, number));
  }
}

template <class Word, class Position>
void rank_sorted(Word const* x, Position const* order, std::size_t n, std::string_view method,
                 std::byte* out) {
  auto const run = [&]<class Rank>(Rank* to, auto const& place) {
    rank_elements(x, order, n, place, to);
  };
  using size = std::size_t;
  if (method == "average")
    return run(reinterpret_cast<double*>(out), [](size first, size last, size, size) {
      return static_cast<double>(first + last) / 2;
    });
  auto* const to = reinterpret_cast<std::int64_t*>(out);
  if (method == "min") return run(to, [](size first, size, size, size) { return first; });
  if (method == "max") return run(to, [](size, size last, size, size) { return last; });
  if (method == "dense") return run(to, [](size, size, size, size number) { return number; });
  run(to, [](size, size, size k, size) { return k; });
}

/// Bits of the infinity of a type, or 0 if it has none.
std::uint64_t infinity_of(dynamic::dtype t) {
  using enum dynamic::dtype;
  return t == f64    ? 0x7ff0'0000'0000'0000u
         : t == f32  ? 0x7f80'0000u
         : t == f16  ? 0x7c00u
         : t == bf16 ? 0x7f80u
                     : 0u;
}

/// The elements as they are ranked: -0 is +0, and every NaN the largest.
template <class Word>
void load_ranked(Word const* x, std::size_t n, dynamic::dtype t, Word* to) {
  if (!is_float(t)) {
    std::copy_n(x, n, to);
    return;
  }
  constexpr auto largest = static_cast<Word>(static_cast<Word>(-1) >> 1);
  auto const infinity = static_cast<Word>(infinity_of(t));
  for (std::size_t i = 0; i < n; ++i) {
    auto const size = static_cast<Word>(x[i] & largest);
    to[i] = size > infinity ? largest : size == 0 ? Word{} : x[i];
  }
}

template <class Word, class Position>
void rank_line(cpu const& on, dynamic::dtype t, std::byte const* x, std::size_t n, bool descending,
               std::string_view method, std::byte* out) {
  auto const keys = upsweep::detail::memory_for<Word>(n);
  auto const order = upsweep::detail::memory_for<Position>(n);
  load_ranked(reinterpret_cast<Word const*>(x), n, t, keys.get());
  std::iota(order.get(), order.get() + n, Position{});
  dynamic::sort_by_key(on, t, keys.get(), dynamic::dtype_of<Position>, order.get(), n, descending);
  rank_sorted(keys.get(), order.get(), n, method, out);
}

/// Line i of `out` = the ranks of line i of `x`: float64 for "average", int64 for "min", "max",
/// "dense" and "ordinal".
void rank(std::string_view type, input const& x, bool descending, std::string_view method,
          output const& out, settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = lines_of(x, size_of(t)), to = lines_of(out, 8);
  expect_same_shape(in, to);
  bool const many = in.size > std::numeric_limits<std::uint32_t>::max();
  auto const of_words = [&]<class Word>(Word) {
    return many ? rank_line<Word, std::uint64_t> : rank_line<Word, std::uint32_t>;
  };
  auto* const rank_one = size_of(t) == 1   ? of_words(std::uint8_t{})
                         : size_of(t) == 2 ? of_words(std::uint16_t{})
                         : size_of(t) == 4 ? of_words(std::uint32_t{})
                                           : of_words(std::uint64_t{});
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, cpu const& here) {
      rank_one(here, t, in[line], in.size, descending, method, to[line]);
    });
  });
}

void sort_by_key(std::string_view key, output const& keys, std::string_view value,
                 output const& values, bool descending, settings const& on) {
  dynamic::dtype const k = type_named(key), v = type_named(value);
  lines const by = line_of(keys, size_of(k)), along = line_of(values, size_of(v));
  expect_same_size(by.size, along.size);
  computing(by.size, [&] {
    dynamic::sort_by_key(on.executor(), k, by.first, v, along.first, by.size, descending);
  });
}

void top(std::string_view type, input const& x, bool descending, output const& out,
         settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(x, size_of(t)), to = line_of(out, size_of(t));
  computing(in.size, [&] {
    dynamic::top(on.executor(), t, in.first, in.size, descending, to.first, to.size);
  });
}

/// Line i of `out` = the quantiles of line i of `x`.
void quantiles(std::string_view type, input const& x, input const& q, output const& out,
               settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = lines_of(x, size_of(t)), to = lines_of(out, sizeof(double));
  auto const* const wanted = elements_of<double>(q);
  expect_same_size(in.count, to.count);
  expect_same_size(q.size(), to.size);
  auto const shape = shape_of(in, size_of(t));
  computing(in.count * in.size, [&] {
    dynamic::quantiles_of_lines(on.executor(), t, in.first, shape, wanted, to.size,
                                reinterpret_cast<double*>(to.first));
  });
}

}  // namespace

void add_sorts(nb::module_& m) {
  m.def("sort", sort);
  m.def("argsort", argsort);
  m.def("rank", rank);
  m.def("sort_by_key", sort_by_key);
  m.def("top", top);
  m.def("quantiles", quantiles);
}

}  // namespace upsweep::python
