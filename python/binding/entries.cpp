/// Operators over elements of a type, for Python: the entries of the calls by name.
#include <python/binding/module.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep::python {
namespace {

using dynamic::call_entry;
using dynamic::verb;

call_entry const* find_entry(std::string_view op, std::string_view type) {
  auto const* const known = catalog::find(op);
  auto const t = dynamic::find_dtype(type);
  return known && t ? dynamic::find(known->id, *t) : nullptr;
}

/// out[i] = the reduction of line i of `x`.
void reduce(call_entry const& e, input const& x, output const& out, settings const& on,
            bool reverse, bool pairwise, std::optional<input> const& initial) {
  axis_lines const in = axis_lines_of(x, bytes_in(e));
  lines const to = line_of(out, bytes_out(e));
  expect_same_size(in.count(), to.size);
  dynamic::request how = request_of(e, on, reverse, initial);
  if (pairwise) how.tree = tree::pairwise;
  computing(x.size(), [&] { dynamic::reduce_lines(e, in, how, to.first); });
}

/// Line i of `out` = the scan of line i of `x`.
void scan(call_entry const& e, input const& x, output const& out, settings const& on,
          bool exclusive, bool reverse, std::optional<input> const& initial) {
  axis_lines const in = axis_lines_of(x, bytes_in(e)), to = axis_lines_of(out, bytes_out(e));
  expect_same_shape(in, to);
  dynamic::request const how = request_of(e, on, reverse, initial);
  verb const v = exclusive ? verb::exclusive_scan : verb::inclusive_scan;
  computing(x.size(), [&] { dynamic::scan_lines(v, e, in, how, to); });
}

/// Line i of `out` = the reductions of the windows of line i.
void windowed(call_entry const& e, input const& x, std::size_t width, output const& out,
              settings const& on, std::optional<input> const& initial) {
  lines const in = lines_of(x, bytes_in(e)), to = lines_of(out, bytes_out(e));
  expect_same_size(in.count, to.count);
  detail::expects(width > 0, "windowed: width is 0; a window has at least 1 element");
  expect_same_size(in.size < width ? 0 : in.size - width + 1, to.size);
  dynamic::request const how = request_of(e, on, false, initial);
  computing(in.count * in.size, [&] {
    how.on.for_each_line(in.count, in.size, [&](std::size_t line, auto const& here) {
      dynamic::request mine = how;
      mine.on = here;
      dynamic::windowed(e, in[line], in.size, width, mine, to[line]);
    });
  });
}

dynamic::segments segments_of(call_entry const& e, input const& x, input const& borders) {
  lines const in = line_of(x, bytes_in(e)), at = line_of(borders, sizeof(std::uint64_t));
  detail::expects(at.size > 0, "segments: there are no borders; the first is 0, the last the size");
  return {in.first, in.size, elements_of<std::uint64_t>(borders), at.size - 1};
}

void reduce_segments(call_entry const& e, input const& x, input const& borders, output const& out,
                     settings const& on, std::optional<input> const& initial) {
  auto const s = segments_of(e, x, borders);
  lines const to = line_of(out, bytes_out(e));
  expect_same_size(to.size, s.count);
  auto const how = request_of(e, on, false, initial);
  computing(s.n + s.count, [&] { dynamic::run_segments(verb::reduce, e, s, how, to.first); });
}

void scan_segments(call_entry const& e, input const& x, input const& borders, output const& out,
                   settings const& on, bool exclusive, std::optional<input> const& initial) {
  auto const s = segments_of(e, x, borders);
  lines const to = line_of(out, bytes_out(e));
  expect_same_size(to.size, s.n);
  auto const how = request_of(e, on, false, initial);
  verb const v = exclusive ? verb::exclusive_scan : verb::inclusive_scan;
  computing(s.n + s.count, [&] { dynamic::run_segments(v, e, s, how, to.first); });
}

}  // namespace

void add_entries(nb::module_& m) {
  nb::class_<settings>(m, "Settings", "The threads of a call, and whether it may regroup floats.")
      .def(nb::init<int, bool>())
      .def_rw("threads", &settings::threads);
  nb::class_<call_entry>(m, "Entry", "An operator over elements of one type.")
      .def_prop_ro("result", [](call_entry const& e) { return name_of(e.result); })
      .def_prop_ro("wraps",
                   [](call_entry const& e) {
                     return e.op == catalog::id::sum || e.op == catalog::id::product;
                   })
      .def_prop_ro("takes_initial", [](call_entry const& e) { return e.takes_initial; })
      .def("reduce", reduce, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg().none())
      .def("scan", scan, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("windowed", windowed, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("reduce_segments", reduce_segments, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg().none())
      .def("scan_segments", scan_segments, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg().none());
  nb::list operators;  // the entries of one lie side by side
  catalog::id last = catalog::id::affine;
  for (auto const family : dynamic::all_entries())
    for (call_entry const& e : family)
      if (e.op != catalog::id::affine && e.op != std::exchange(last, e.op))
        operators.append(underscored(catalog::name_of(e.op)));
  m.attr("operators") = nb::tuple(operators);
  m.def("entry", find_entry, nb::rv_policy::reference,
        "The entry of an operator and a type, by name, or None if it is not compiled.");
}

}  // namespace upsweep::python
