/// The correctly rounded sum.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/exact_sum.hpp>

#include <memory>
#include <type_traits>

namespace upsweep::cli {

template <>
std::unique_ptr<folding> make_operator<exact_sum>(operator_use const& use, io::dtype type,
                                                  folding_settings const& settings) {
  return with_compute_type(compute_type(type), [&]<class T>() -> std::unique_ptr<folding> {
    using Out = std::conditional_t<std::is_same_v<T, float>, float, double>;
    return make_number_folding<T, Out>(exact_sum{}, use, dynamic::dtype_of<Out>, settings);
  });
}

}  // namespace upsweep::cli
