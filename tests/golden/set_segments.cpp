/// Cases of the golden set: segments and runs, windows, and lines along an axis.
#include "set_whole.hpp"

#include <cstdint>

namespace upsweep::golden_set {

result_text segments_case(cpu const& on, call_case const& c) {
  using i32 = std::int32_t;
  using i64 = std::int64_t;
  using u8 = std::uint8_t;
  using map = affine_map<double>;
  using reductions =
      table<over<types<plus>, types<i32, u8, float16, bfloat16, float, double>>,
            over<types<min, max>, types<i32, u8, float, double>>,
            over<types<multiplies>, dynamic::floats>, over<types<affine>, types<map>>,
            over<types<exact_sum, log_sum_exp, moments, minmax, logical_or>, types<float, double>>>;
  using scans =
      table<over<types<plus>, types<i64, float, double>>, over<types<min>, types<i32, double>>,
            over<types<affine>, types<map>>, over<types<argmax, checked_plus<>>, types<i32>>>;
  using run_reductions =
      table<over<types<plus>, types<float, double, i32>>, over<types<affine>, types<map>>,
            over<types<max, multiplies, exact_sum>, types<double>>>;
  using run_scans =
      table<over<types<plus>, types<float, double, i32>>, over<types<affine>, types<map>>>;
  if (auto text = run_segments<form::reductions, reductions>(on, c)) return text;
  if (auto text = run_segments<form::scans, scans>(on, c)) return text;
  if (auto text = run_runs<form::reductions, run_reductions>(on, c)) return text;
  return run_runs<form::scans, run_scans>(on, c);
}

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
