/// Cases of the golden set: recurrences, and cumulative distributions.
#include "set_whole.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::golden_set {

namespace {

template <class T>
T coefficient(std::string const& text) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::strtoll(text.c_str(), nullptr, 10));
  else
    return static_cast<T>(std::strtod(text.c_str(), nullptr));
}

template <std::size_t order, class T>
std::string recurrence_text(cpu const& on, call_case const& c,
                            std::vector<std::string> const& given) {
  T a[order];
  for (std::size_t k = 0; k < order; ++k) a[k] = coefficient<T>(given[k]);
  recurrence<order, T> const op(a);
  if (is_whole(c)) return whole<T>(on, c, op);
  if constexpr (order == 2 && std::is_same_v<T, double>) {
    if (c.verb == "windowed") return in_windows<T>(on, c, op);
    if (c.verb == "reduce_segments") return in_segments<form::reductions, T>(on, c, op);
    return in_segments<form::scans, T>(on, c, op);
  }
  return "";
}

template <class T, std::size_t... below>
std::string of_order(cpu const& on, call_case const& c, std::index_sequence<below...>) {
  auto const given = call_case::split(c.get("coefficients"), ':');
  std::string text;
  ((given.size() == below + 1 ? void(text = recurrence_text<below + 1, T>(on, c, given)) : void()),
   ...);
  return text;
}

}  // namespace

result_text recurrence_case(cpu const& on, call_case const& c) {
  if (c.verb == "cumulative_distribution")
    return dispatch_type(types<std::uint32_t, float, double>{}, c, [&]<class T>() {
      inputs<plus, T> const in(plus{}, c);
      room<accumulator_t<plus, T>> const out(in.x.size());
      upsweep::cumulative_distribution(on, in.x, out.all(), in.how);
      return listed(out.all());
    });
  if (c.get("coefficients").empty()) return {};
  auto const any_order = [&]<class T>() {
    return of_order<T>(on, c, std::make_index_sequence<8>{});
  };
  auto const low_order = [&]<class T>() {
    return of_order<T>(on, c, std::make_index_sequence<3>{});
  };
  if (auto text = dispatch_type(types<float, double>{}, c, any_order)) return text;
  return dispatch_type(types<std::int64_t, std::uint64_t>{}, c, low_order);
}

}  // namespace upsweep::golden_set
