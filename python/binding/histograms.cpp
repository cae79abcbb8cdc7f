/// Histograms, for Python. The numbers that lie in no bin are returned: below, above, NaN.
#include <python/binding/module.hpp>

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <string_view>
#include <tuple>

namespace upsweep::python {
namespace {

using outside = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

outside tuple_of(dynamic::counts_outside const& c) {
  return {c.below, c.above, c.nan};
}

outside histogram_even(std::string_view type, input const& x, double low, double high,
                       output const& counts, settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(x, size_of(t));
  auto* const to = elements_of<std::uint64_t>(counts);
  return computing(in.size, [&] {
    return tuple_of(dynamic::histogram_even(on.executor(), t, in.first, in.size, low, high, true,
                                            to, counts.size()));
  });
}

/// Borders of 8 bytes each.
dynamic::level_array level_array_of(std::string_view type, input const& levels) {
  return {type_named(type), elements_of<double>(levels)};
}

outside histogram_levels(std::string_view type, input const& x, std::string_view borders_type,
                         input const& levels, output const& counts, settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(x, size_of(t));
  dynamic::level_array const borders = level_array_of(borders_type, levels);
  expect_same_size(levels.size(), counts.size() + 1);
  auto* const to = elements_of<std::uint64_t>(counts);
  return computing(in.size, [&] {
    return tuple_of(dynamic::histogram_levels(on.executor(), t, in.first, in.size, borders, true,
                                              to, counts.size()));
  });
}

dynamic::weighted_array weighted(dynamic::dtype t, lines const& in, dynamic::call_entry const& e,
                                 input const& weights) {
  lines const with = line_of(weights, bytes_in(e));
  expect_same_size(in.size, with.size);
  return {t, in.first, e, with.first, in.size};
}

outside weighted_even(std::string_view type, input const& x, dynamic::call_entry const& e,
                      input const& weights, double low, double high, output const& results,
                      settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(x, size_of(t)), to = line_of(results, bytes_out(e));
  auto const all = weighted(t, in, e, weights);
  return computing(in.size, [&] {
    return tuple_of(
        dynamic::weighted_histogram_even(on.executor(), all, low, high, true, to.first, to.size));
  });
}

outside weighted_levels(std::string_view type, input const& x, dynamic::call_entry const& e,
                        input const& weights, std::string_view borders_type, input const& levels,
                        output const& results, settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(x, size_of(t)), to = line_of(results, bytes_out(e));
  dynamic::level_array const borders = level_array_of(borders_type, levels);
  expect_same_size(levels.size(), to.size + 1);
  auto const all = weighted(t, in, e, weights);
  return computing(in.size, [&] {
    return tuple_of(
        dynamic::weighted_histogram_levels(on.executor(), all, borders, true, to.first, to.size));
  });
}

void count_indices(std::string_view type, input const& x, output const& counts,
                   settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(x, size_of(t));
  auto* const to = elements_of<std::uint64_t>(counts);
  computing(in.size, [&] {
    dynamic::count_indices(on.executor(), t, in.first, in.size, to, counts.size());
  });
}

void reduce_indices(std::string_view type, input const& x, dynamic::call_entry const& e,
                    input const& weights, output const& results, settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(x, size_of(t)), to = line_of(results, bytes_out(e));
  auto const all = weighted(t, in, e, weights);
  computing(in.size, [&] { dynamic::reduce_indices(on.executor(), all, to.first, to.size); });
}

std::tuple<std::int64_t, std::uint64_t> range_of_indices(std::string_view type, input const& x,
                                                         settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(x, size_of(t));
  auto const range = computing(
      in.size, [&] { return dynamic::range_of_indices(on.executor(), t, in.first, in.size); });
  return {range.negative, range.largest};
}

}  // namespace

void add_histograms(nb::module_& m) {
  m.def("histogram_even", histogram_even);
  m.def("histogram_levels", histogram_levels);
  m.def("weighted_even", weighted_even);
  m.def("weighted_levels", weighted_levels);
  m.def("count_indices", count_indices);
  m.def("reduce_indices", reduce_indices);
  m.def("range_of_indices", range_of_indices);
}

}  // namespace upsweep::python
