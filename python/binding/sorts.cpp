/// Sorts and order statistics, for Python, in the library's total order.
#include <python/binding/module.hpp>

#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upsweep::python {
namespace {

void sort(std::string_view type, input const& x, bool descending, output const& out,
          settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = lines_of(x, size_of(t)), to = lines_of(out, size_of(t));
  expect_same_size(in.count, to.count);
  expect_same_size(in.size, to.size);
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, cpu const& here) {
      dynamic::sort(here, t, in[line], in.size, descending, to[line]);
    });
  });
}

void argsort(std::string_view type, input const& x, bool descending, output const& out,
             settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = lines_of(x, size_of(t)), to = lines_of(out, sizeof(std::uint64_t));
  expect_same_size(in.count, to.count);
  expect_same_size(in.size, to.size);
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, cpu const& here) {
      dynamic::argsort(here, t, in[line], in.size, descending,
                       reinterpret_cast<std::uint64_t*>(to[line]));
    });
  });
}

/// Stores in out[i] the rank of x[i] by place(first, last, k, number), where elements first to last
/// of the order, from 1 on, are equal, element k of it is x[i], and `number` counts different
/// elements.
template <class Word, class Rank, class Place>
void rank_elements(Word const* x, std::uint64_t const* order, std::size_t n, Place const& place,
                   Rank* out) {
  std::size_t number = 0, last = 0;
  for (std::size_t first = 0; first < n; first = last) {
    Word const mine = x[order[first]];
    for (last = first + 1; last < n && x[order[last]] == mine;) ++last;
    ++number;
    for (std::size_t k = first; k < last; ++k)
      out[order[k]] = static_cast<Rank>(place(first + 1, last, k + 1, number));
  }
}

template <class Word>
void rank_line(std::byte const* x, std::uint64_t const* order, std::size_t n,
               std::string_view method, std::byte* out) {
  auto const run = [&]<class Rank>(Rank* to, auto const& place) {
    rank_elements(reinterpret_cast<Word const*>(x), order, n, place, to);
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

/// Line i of `out` = the ranks of line i of `x`, whose elements are equal if their bits are, by the
/// positions of its elements in order: float64 for "average", int64 for "min", "max", "dense" and
/// "ordinal".
void rank(std::string_view type, input const& x, input const& order, std::string_view method,
          output const& out, settings const& on) {
  std::size_t const size = size_of(type_named(type));
  lines const in = lines_of(x, size), by = lines_of(order, sizeof(std::uint64_t)),
              to = lines_of(out, 8);
  expect_same_size(in.count, to.count);
  expect_same_size(in.size, to.size);
  expect_same_size(in.size, by.size);
  auto* const of_size = size == 1   ? rank_line<std::uint8_t>
                        : size == 2 ? rank_line<std::uint16_t>
                        : size == 4 ? rank_line<std::uint32_t>
                                    : rank_line<std::uint64_t>;
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, cpu const&) {
      of_size(in[line], reinterpret_cast<std::uint64_t const*>(by[line]), in.size, method,
              to[line]);
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
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, cpu const& here) {
      dynamic::quantiles(here, t, in[line], in.size, wanted, to.size,
                         reinterpret_cast<double*>(to[line]));
    });
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
