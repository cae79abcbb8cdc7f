/// Cases of the golden set: windows, and lines along an axis.
#include "set_parts.hpp"
#include "set_whole.hpp"

#include <cstdint>

namespace upsweep::golden_set {

result_text windows_case(cpu const& on, call_case const& c) {
  using i32 = std::int32_t;
  using windows = table<over<types<plus>, types<i32, float, double>>,
                        over<types<min, max>, types<std::uint8_t, float, double>>,
                        over<types<multiplies, exact_sum, log_sum_exp>, types<double>>,
                        over<types<affine>, types<affine_map<double>>>,
                        over<types<argmin, logical_or>, types<i32>>>;
  using reductions = table<over<types<plus, max>, types<i32, float, double>>,
                           over<types<exact_sum, argmin, moments>, types<float>>>;
  using scans = table<over<types<plus, max>, types<i32, float, double>>>;
  if (auto text = run_windows<windows>(on, c)) return text;
  if (auto text = run_lines<form::reductions, reductions>(on, c)) return text;
  return run_lines<form::scans, scans>(on, c);
}

}  // namespace upsweep::golden_set
