/// Groups by key, and means, variances and medians of segments and windows, for Python.
#include <python/binding/module.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace upsweep::python {
namespace {

/// Stores the different keys and the borders of their groups at the begin of `found` and `borders`,
/// and which key has each position in `order`; returns how many keys differ.
std::size_t group(std::string_view type, input const& keys, output const& found,
                  output const& borders, output const& order, settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(keys, size_of(t)), to = line_of(found, size_of(t));
  auto* const border = elements_of<std::uint64_t>(borders);
  auto* const places = elements_of<std::uint64_t>(order);
  expect_same_size(in.size, to.size);
  expect_same_size(in.size + 1, borders.size());
  expect_same_size(in.size, order.size());
  return computing(in.size, [&] {
    auto const made = dynamic::group(on.executor(), t, in.first, in.size, places);
    std::memcpy(to.first, made.keys.get(), made.count * size_of(t));
    std::memcpy(border, made.borders.get(), (made.count + 1) * sizeof *border);
    return made.count;
  });
}

void scan_groups(dynamic::call_entry const& e, std::string_view key, input const& keys,
                 input const& x, output const& out, settings const& on, bool exclusive,
                 std::optional<input> const& initial) {
  dynamic::dtype const t = type_named(key);
  lines const k = line_of(keys, size_of(t)), in = line_of(x, bytes_in(e)),
              to = line_of(out, bytes_out(e));
  expect_same_size(k.size, in.size);
  expect_same_size(to.size, in.size);
  auto const how = request_of(e, on, false, initial);
  auto const v = exclusive ? dynamic::verb::exclusive_scan : dynamic::verb::inclusive_scan;
  computing(in.size,
            [&] { dynamic::scan_groups(v, e, {t, k.first, in.first, in.size}, how, to.first); });
}

/// The means of the segments of one line, and their variances, or the square roots of these.
void segment_moments(input const& x, input const& borders, output const& means,
                     std::optional<output> const& spreads, double correction, bool root,
                     settings const& on) {
  lines const in = line_of(x, sizeof(double));
  auto const* const border = elements_of<std::uint64_t>(borders);
  detail::expects(borders.size() > 0, "_core: segments have a border");
  std::size_t const count = borders.size() - 1;
  dynamic::moment_arrays out{.means = elements_of<double>(means), .wanted = {correction, root}};
  expect_same_size(count, means.size());
  if (spreads) {
    expect_same_size(count, spreads->size());
    out.spreads = elements_of<double>(*spreads);
  }
  computing(in.size, [&] {
    dynamic::segment_moments(on.executor(), reinterpret_cast<double const*>(in.first), in.size,
                             border, count, out);
  });
}

/// out[k] = the quantile q of segment k, which is not empty.
void segment_quantiles(std::string_view type, input const& x, input const& borders, double q,
                       output const& out, settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(x, size_of(t));
  auto const* const border = elements_of<std::uint64_t>(borders);
  auto* const to = elements_of<double>(out);
  expect_same_size(borders.size(), out.size() + 1);
  std::size_t const count = out.size();
  computing(in.size, [&] {
    on.executor().for_each_line(count, count > 0 ? in.size / count : 0,
                                [&](std::size_t k, cpu const& here) {
                                  dynamic::quantiles(here, t, in.first + border[k] * size_of(t),
                                                     border[k + 1] - border[k], &q, 1, to + k);
                                });
  });
}

/// Calls f(windows, line, executor) for each line of doubles.
template <class F>
void each_window_line(input const& x, std::size_t width, bool from_first, bool without_missing,
                      settings const& on, F const& f) {
  lines const in = lines_of(x, sizeof(double));
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, cpu const& here) {
      f(dynamic::windows{reinterpret_cast<double const*>(in[line]), in.size, width, from_first,
                         without_missing},
        line, here);
    });
  });
}

void windowed_moments(input const& x, std::size_t width, bool from_first, bool without_missing,
                      output const& means, output const& spreads, output const& counts,
                      double correction, bool root, settings const& on) {
  lines const mean = lines_of(means, sizeof(double)), spread = lines_of(spreads, sizeof(double)),
              count = lines_of(counts, sizeof(std::uint64_t));
  each_window_line(x, width, from_first, without_missing, on,
                   [&](dynamic::windows const& all, std::size_t line, cpu const& here) {
                     dynamic::windowed_moments(here, all,
                                               {reinterpret_cast<double*>(mean[line]),
                                                reinterpret_cast<double*>(spread[line]),
                                                reinterpret_cast<std::uint64_t*>(count[line]),
                                                {correction, root}});
                   });
}

/// Of doubles, or of integers of 64 bits, which all have that size.
void windowed_medians(std::string_view type, input const& x, std::size_t width, bool from_first,
                      bool without_missing, output const& out, settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const to = lines_of(out, sizeof(double));
  each_window_line(
      x, width, from_first, without_missing, on,
      [&](dynamic::windows const& all, std::size_t line, cpu const& here) {
        auto* const results = reinterpret_cast<double*>(to[line]);
        auto const* const in = reinterpret_cast<std::byte const*>(all.in);
        if (t == dynamic::dtype::i64)
          dynamic::windowed_medians(here, reinterpret_cast<std::int64_t const*>(in), all, results);
        else if (t == dynamic::dtype::u64)
          dynamic::windowed_medians(here, reinterpret_cast<std::uint64_t const*>(in), all, results);
        else
          dynamic::windowed_medians(here, all, results);
      });
}

}  // namespace

void add_groupings(nb::module_& m) {
  m.def("group", group);
  m.def("scan_groups", scan_groups, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg(), nb::arg().none());
  m.def("segment_moments", segment_moments, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg(), nb::arg(), nb::arg());
  m.def("segment_quantiles", segment_quantiles);
  m.def("windowed_moments", windowed_moments);
  m.def("windowed_medians", windowed_medians);
}

}  // namespace upsweep::python
