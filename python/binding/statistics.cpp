/// Statistics whose state is several numbers: operators of the library without entries. And values
/// for elements that are missing.
#include <python/binding/module.hpp>

#include <upsweep/ops/central_moments.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string_view>

namespace upsweep::python {
namespace {

/// Row i of `out` = results_of(the reduction of line i of `x`).
template <class Element, class Op, class F>
void summarize(input const& x, output const& out, settings const& on, Op op, F const& results_of) {
  lines const in = lines_of(x, sizeof(Element)), to = lines_of(out, sizeof(double));
  expect_same_size(in.count, to.count);
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, cpu const& here) {
      std::span<Element const> const elements(reinterpret_cast<Element const*>(in[line]), in.size);
      std::array const results = results_of(upsweep::reduce(here, elements, op));
      expect_same_size(results.size(), to.size);
      std::ranges::copy(results, reinterpret_cast<double*>(to[line]));
    });
  });
}

/// Skewness and kurtosis, of the population and of a sample.
void find_shapes(input const& x, output const& out, settings const& on) {
  summarize<double>(x, out, on, central_moments{}, [](central_moments_of const& m) {
    return std::array{m.skewness(), m.kurtosis(), m.sample_skewness(), m.sample_kurtosis()};
  });
}

/// The sum of products of distances from the means; correlation, slope and intercept.
void find_comoments(input const& pairs, output const& out, settings const& on) {
  summarize<xy<double>>(pairs, out, on, comoments{}, [](comoments_of const& m) {
    return std::array{m.xy, m.correlation(), m.slope(), m.intercept()};
  });
}

void find_mean(std::string_view kind, input const& x, output const& out, settings const& on) {
  auto const with = [&](auto mean) {
    summarize<double>(x, out, on, mean, [](double result) { return std::array{result}; });
  };
  if (kind == "geometric") return with(geometric_mean{});
  if (kind == "harmonic") return with(harmonic_mean{});
  detail::expects(kind == "square", "_core: not a kind of mean");
  with(rms{});
}

/// The latest element that is not missing: NaN of floats, NaT of the integers of dates.
struct latest_known {
  static constexpr bool commutative = false;
  static constexpr bool exact = true;

  template <class T>
  [[nodiscard]] T operator()(T earlier, T later) const {
    return is_missing(later) ? earlier : later;
  }

 private:
  template <class T>
  static bool is_missing(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return x != x;
    else
      return x == std::numeric_limits<T>::min();
  }
};

/// Line i of `out` = line i of `x`, with the latest known element in place of each missing one.
void fill(std::string_view type, input const& x, output const& out, settings const& on,
          bool reverse) {
  dynamic::dtype const t = type_named(type);
  lines const in = lines_of(x, size_of(t)), to = lines_of(out, size_of(t));
  expect_same_size(in.count, to.count);
  expect_same_size(in.size, to.size);
  computing(in.count * in.size, [&] {
    dynamic::dispatch(
        dynamic::types<std::int64_t, float, double>{}, t,
        [&]<class T>() {
          on.executor().for_each_line(in.count, in.size, [&](std::size_t line, cpu const& here) {
            std::span<T const> const from(reinterpret_cast<T const*>(in[line]), in.size);
            std::span<T> const filled(reinterpret_cast<T*>(to[line]), in.size);
            inclusive_scan(here, from, filled, latest_known{}, {.reverse = reverse});
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
      y[k] = y[known] +
             (y[i] - y[known]) * (static_cast<double>(k - known) / static_cast<double>(i - known));
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
