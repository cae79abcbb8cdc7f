/// exact-sum and log-sum-exp.
#include <cli/engine/families.hpp>
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/log_sum_exp.hpp>

namespace upsweep::cli {

std::unique_ptr<folding> make_precise(operator_use const& use, io::dtype type,
                                      folding_settings const& settings) {
  if (use.name == "exact-sum")
    return with_compute_type(compute_type(type), [&]<class T>() -> std::unique_ptr<folding> {
      using Out = std::conditional_t<std::is_same_v<T, float>, float, double>;
      return make_number_folding<T, Out>(exact_sum{}, use, column_buffer::dtype_of<Out>(),
                                         settings);
    });
  if (use.name == "log-sum-exp") {
    if (compute_type(type) == io::dtype::f32)
      return make_number_folding<float, float>(log_sum_exp{}, use, io::dtype::f32, settings);
    return make_number_folding<double, double>(log_sum_exp{}, use, io::dtype::f64, settings);
  }
  return nullptr;
}

}  // namespace upsweep::cli
