/// The operators of windows.
#pragma once

#include <cli/engine/folding.hpp>
#include <io/error.hpp>
#include <upsweep/by_name/verbs/statistics.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/moments.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace upsweep::cli {

/// What the operator makes of a window of values of type T.
template <class Op, class T>
using window_total = std::conditional_t<std::is_same_v<Op, moments>, moments_of, T>;
/// What `finish` makes of that, and of the values of the window.
template <class Op, class T, class Finish>
using window_result = decltype(std::declval<Finish const&>()(
    std::declval<cpu const&>(), std::declval<window_total<Op, T> const&>(),
    std::declval<std::span<T const>>()));

/// Calls f.operator()<Op, U>(finish) with the operator `name` over values of type T, which takes
/// them as U. Throws usage_error if windows have no such operator.
template <class T, class F>
auto with_window_operator(std::string const& name, operator_use const& use, F const& f) {
  auto const same = [](cpu const&, T const& x, std::span<T const>) { return x; };
  if (name == "sum") return f.template operator()<plus, T>(same);
  if (name == "product") return f.template operator()<multiplies, T>(same);
  if (name == "min") return f.template operator()<min, T>(same);
  if (name == "max") return f.template operator()<max, T>(same);
  if (name == "count")
    return f.template operator()<max, T>([](cpu const&, T const&, std::span<T const> window) {
      return static_cast<std::uint64_t>(window.size());
    });
  using values = std::span<double const>;
  if (name == "mean")
    return f.template operator()<moments, double>(
        [](cpu const&, moments_of const& m, values) { return m.mean; });
  bool const root = name.ends_with("std"), of_sample = name.starts_with("sample-");
  if (std::string const plain = of_sample ? name.substr(7) : name; plain == "var" || plain == "std")
    return f.template operator()<moments, double>(
        [wanted = dynamic::spread{of_sample ? 1.0 : 0.0, root}](cpu const& on, moments_of const& m,
                                                                values window) {
          return dynamic::spread_of(on, window, m, wanted);
        });
  throw io::usage_error(fmt::format(
      "--op {}:{}: windows have sum, product, min, max, count, mean, var, std, sample-var and "
      "sample-std.",
      use.name, use.parameter));
}

}  // namespace upsweep::cli
