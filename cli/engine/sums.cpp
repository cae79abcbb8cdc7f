/// sum and product.
#include <cli/engine/dispatch.hpp>
#include <cli/engine/families.hpp>
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/arithmetic.hpp>

namespace upsweep::cli {

std::unique_ptr<folding> make_sum(operator_use const& use, io::dtype type,
                                  folding_settings const& settings) {
  if (use.name != "sum" && use.name != "product") return nullptr;
  io::dtype const wide = compute_type(type);
  // A total reads narrow values as they are, at the speed of memory; prefixes are as wide as the
  // sums.
  return dispatch(settings.scans ? wide : type, [&]<class T>() -> std::unique_ptr<folding> {
    using Sum = accumulator_t<plus, T>;
    if (use.name == "sum") return make_number_folding<T, Sum>(plus{}, use, wide, settings);
    return make_number_folding<T, Sum>(multiplies{}, use, wide, settings);
  });
}

}  // namespace upsweep::cli
