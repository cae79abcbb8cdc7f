/// The logarithm of a sum of exponentials.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/log_sum_exp.hpp>

#include <memory>

namespace upsweep::cli {

template <>
std::unique_ptr<folding> make_operator<log_sum_exp>(operator_use const& use, io::dtype type,
                                                    folding_settings const& settings) {
  if (compute_type(type) == io::dtype::f32)
    return make_number_folding<float, float>(log_sum_exp{}, use, io::dtype::f32, settings);
  return make_number_folding<double, double>(log_sum_exp{}, use, io::dtype::f64, settings);
}

}  // namespace upsweep::cli
