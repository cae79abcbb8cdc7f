/// Statistics whose state is several numbers: operators of the library without entries. And values
/// for elements that are missing.
#include <python/binding/module.hpp>

#include <upsweep/core/line_between.hpp>
#include <upsweep/ops/central_moments.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/ops/wide_range.hpp>
#include <upsweep/reduce.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace upsweep::python {
namespace {

bool is_finite(double x) {
  return x - x == 0;
}
bool is_finite(xy<double> const& e) {
  return is_finite(e.x) && is_finite(e.y);
}

/// Whether a sum of powers has neither overflowed nor lost digits.
bool is_in_range(double sum) {
  return sum >= 0x1p-900 && sum <= 0x1p900;
}

/// Row i of `out` = results_of(the reduction of line i of `x`), or where that is not `regular`
/// although all elements are finite, wide_results_of(the reduction by wide_range).
template <class Element, class Op, class Regular, class F, class Wide>
void summarize(input const& x, output const& out, settings const& on, Op op, Regular const& regular,
               F const& results_of, Wide const& wide_results_of) {
  lines const in = lines_of(x, sizeof(Element)), to = lines_of(out, sizeof(double));
  expect_same_size(in.count, to.count);
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, cpu const& here) {
      std::span<Element const> const elements(reinterpret_cast<Element const*>(in[line]), in.size);
      auto const total = upsweep::reduce(here, elements, op);
      auto results = results_of(total);
      if (!regular(total) &&
          std::ranges::all_of(elements, [](Element const& e) { return is_finite(e); }))
        results = wide_results_of(upsweep::reduce(here, elements, wide_range<Op>{}));
      expect_same_size(results.size(), to.size);
      std::ranges::copy(results, reinterpret_cast<double*>(to[line]));
    });
  });
}

/// Skewness and kurtosis, of the population and of a sample.
void find_shapes(input const& x, output const& out, settings const& on) {
  auto const shapes = [](result_t<central_moments, double> const& m) {
    return std::array{m.skewness(), m.kurtosis(), m.sample_skewness(), m.sample_kurtosis()};
  };
  summarize<double>(
      x, out, on, central_moments{},
      [](result_t<central_moments, double> const& m) { return is_in_range(m.m4); }, shapes,
      [&](auto const& all) { return shapes(all.of); });
}

/// Covariance, correlation, slope and intercept.
void find_comoments(input const& pairs, output const& out, double correction, settings const& on) {
  summarize<xy<double>>(
      pairs, out, on, comoments{},
      [](result_t<comoments, xy<double>> const& m) {
        return is_in_range(m.xx) && is_in_range(m.yy);
      },
      [=](result_t<comoments, xy<double>> const& m) {
        return std::array{m.covariance(correction), m.correlation(), m.slope(), m.intercept()};
      },
      [&](auto const& all) {
        return std::array{covariance_of(all, correction), all.of.correlation(), slope_of(all),
                          intercept_of(all)};
      });
}

void find_mean(std::string_view kind, input const& x, output const& out, settings const& on) {
  auto const with = [&]<class Op>(Op mean, auto const& regular) {
    auto const alone = [](double result) { return std::array{result}; };
    summarize<double>(x, out, on, mean, regular, alone,
                      [](auto const& all) { return std::array{mean_of(all)}; });
  };
  if (kind == "harmonic")
    return with(harmonic_mean{}, [](double m) { return is_in_range(m < 0 ? -m : m); });
  if (kind == "square") return with(rms{}, [](double m) { return is_in_range(m * m); });
  detail::expects(kind == "geometric", "_core: not a kind of mean");
  lines const in = lines_of(x, sizeof(double));
  auto* const to = reinterpret_cast<double*>(lines_of(out, sizeof(double)).first);
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, cpu const& here) {
      std::span const elements(reinterpret_cast<double const*>(in[line]), in.size);
      to[line] = upsweep::reduce(here, elements, geometric_mean{});
    });
  });
}

/// NaN of floats, NaT of the integers of dates.
template <class T>
bool is_missing(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x != x;
  else
    return x == std::numeric_limits<T>::min();
}

/// Stores x[i] for i = 0, step, ... , or the latest known element where it is missing, which
/// before the first is `known`. A mask chooses, since nobody predicts a branch.
template <int step, class T>
void fill_part(T const* x, std::size_t n, T known, T* y) {
  using bits = upsweep::detail::bits_of_size<sizeof(T)>;
  auto latest = std::bit_cast<bits>(known);
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(n); ++i) {
    T const mine = x[i * step];
    bits const missing = bits{0} - static_cast<bits>(is_missing(mine));
    latest = (latest & missing) | (std::bit_cast<bits>(mine) & ~missing);
    y[i * step] = std::bit_cast<T>(latest);
  }
}

/// The same in parts, each of which begins with the latest known element before it.
template <int step, class T>
void fill_line(cpu const& on, T const* x, std::size_t n, T* y) {
  constexpr std::size_t part = std::size_t{1} << 16;
  std::size_t const parts = (n + part - 1) / part;
  auto const at = [&](std::size_t i) { return static_cast<std::ptrdiff_t>(i) * step; };
  std::vector<T> known(parts + 1, x[0]);  // before each part; a first missing one stays so
  on.for_each_part(parts, part, [&](std::size_t p) {
    std::size_t i = std::min(n, (p + 1) * part);
    while (i > p * part + 1 && is_missing(x[at(i - 1)])) --i;
    known[p + 1] = x[at(i - 1)];
  });
  for (std::size_t p = 0; p < parts; ++p)
    if (is_missing(known[p + 1])) known[p + 1] = known[p];
  on.for_each_part(parts, part, [&](std::size_t p) {
    fill_part<step>(x + at(p * part), std::min(part, n - p * part), known[p], y + at(p * part));
  });
}

/// Line i of `out` = line i of `x`, with the latest known element in place of each missing one.
void fill(std::string_view type, input const& x, output const& out, settings const& on,
          bool reverse) {
  dynamic::dtype const t = type_named(type);
  lines const in = lines_of(x, size_of(t)), to = lines_of(out, size_of(t));
  expect_same_shape(in, to);
  if (in.size == 0) return;
  computing(in.count * in.size, [&] {
    dynamic::dispatch(
        dynamic::types<std::int64_t, float, double>{}, t,
        [&]<class T>() {
          on.executor().for_each_line(in.count, in.size, [&](std::size_t line, cpu const& here) {
            auto const* const from = reinterpret_cast<T const*>(in[line]);
            auto* const filled = reinterpret_cast<T*>(to[line]);
            if (reverse)
              fill_line<-1>(here, from + in.size - 1, in.size, filled + in.size - 1);
            else
              fill_line<1>(here, from, in.size, filled);
          });
        },
        [] { detail::fail("_core: elements of this type are never missing"); });
  });
}

/// Stores values on the line between the known elements before and after each gap.
void interpolate_line(double* y, std::size_t n) {
  std::size_t known = n;  // the latest, n for none
  for (std::size_t i = 0; i < n; ++i) {
    if (y[i] != y[i]) continue;
    for (std::size_t k = known + 1; k < i; ++k)
      y[k] = detail::on_line(y[known], y[i],
                             static_cast<double>(k - known) / static_cast<double>(i - known));
    known = i;
  }
}

void interpolate(output const& x, settings const& on) {
  lines const all = lines_of(x, sizeof(double));
  computing(all.count * all.size, [&] {
    on.executor().for_each_line(all.count, all.size, [&](std::size_t line, cpu const&) {
      interpolate_line(reinterpret_cast<double*>(all[line]), all.size);
    });
  });
}

}  // namespace

void add_statistics(nb::module_& m) {
  m.def("shapes", find_shapes);
  m.def("comoments", find_comoments);
  m.def("mean_of", find_mean);
  m.def("fill", fill);
  m.def("interpolate", interpolate);
}

}  // namespace upsweep::python
