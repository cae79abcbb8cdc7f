/// Sorts and order statistics, for Python, in the library's total order.
#include <python/binding/module.hpp>

#include <nanobind/stl/string_view.h>

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
  m.def("sort_by_key", sort_by_key);
  m.def("top", top);
  m.def("quantiles", quantiles);
}

}  // namespace upsweep::python
