/// sum and product.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <memory>

namespace upsweep::cli {

namespace {

/// A reduction reads narrow values without conversion, at the speed of memory. A scan's results are
/// as wide as its sums.
template <class Op>
std::unique_ptr<folding> make(operator_use const& use, io::dtype type,
                              folding_settings const& settings) {
  io::dtype const wide = compute_type(type);
  io::dtype const takes = settings.scans ? wide : taken_type<Op>(settings, type);
  return dispatch(takes, [&]<class T>() -> std::unique_ptr<folding> {
    return make_number_folding<T, accumulator_t<Op, T>>(Op{}, use, wide, settings);
  });
}

}  // namespace

template <>
std::unique_ptr<folding> make_operator<plus>(operator_use const& use, io::dtype type,
                                             folding_settings const& settings) {
  return make<plus>(use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<multiplies>(operator_use const& use, io::dtype type,
                                                   folding_settings const& settings) {
  return make<multiplies>(use, type, settings);
}

}  // namespace upsweep::cli
