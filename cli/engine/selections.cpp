/// Operators that return one of their values: min, max, their NaN-ignoring forms, first, last.
#include <cli/engine/families.hpp>
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/first_last.hpp>
#include <upsweep/ops/min_max.hpp>

namespace upsweep::cli {

std::unique_ptr<folding> make_selection(operator_use const& use, io::dtype type,
                                        folding_settings const& settings) {
  io::dtype const gives = io::is_float(type) ? compute_type(type) : type;
  if (use.name == "first" || use.name == "last")
    return with_compute_type(compute_type(type), [&]<class T>() -> std::unique_ptr<folding> {
      if (use.name == "first")
        return make_number_folding<T, T>(first{}, use, gives, settings, true);
      return make_number_folding<T, T>(last{}, use, gives, settings, true);
    });
  return with_kernel_type(type, [&]<class T>() -> std::unique_ptr<folding> {
    bool const any = !io::is_float(type);  // integers have no NaN to ignore
    if (use.name == "min" || (any && use.name == "min-number"))
      return make_number_folding<T, T>(min{}, use, gives, settings, true);
    if (use.name == "max" || (any && use.name == "max-number"))
      return make_number_folding<T, T>(max{}, use, gives, settings, true);
    if constexpr (std::is_floating_point_v<T>) {
      if (use.name == "min-number")
        return make_number_folding<T, T>(min_number{}, use, gives, settings, true);
      if (use.name == "max-number")
        return make_number_folding<T, T>(max_number{}, use, gives, settings, true);
    }
    return nullptr;
  });
}

}  // namespace upsweep::cli
