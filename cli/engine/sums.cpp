/// sum and product.
#include <upsweep/ops/arithmetic.hpp>

#include "families.hpp"
#include "typed_folding.hpp"

namespace upsweep::cli {

std::unique_ptr<folding> make_sum(operator_use const& use, dtype type, folding_settings const& settings) {
  dtype const wide = compute_type(type);
  return with_compute_type(wide, [&]<class T>() -> std::unique_ptr<folding> {
    if (use.name == "sum") return make_number_folding<T, T>(plus{}, use, wide, settings);
    if (use.name == "product") return make_number_folding<T, T>(multiplies{}, use, wide, settings);
    return nullptr;
  });
}

}  // namespace upsweep::cli
