/// Logical operators on whether values are non-zero: all, any, parity.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/logical.hpp>

#include <memory>

namespace upsweep::cli {

template <>
std::unique_ptr<folding> make_operator<logical_and>(operator_use const& use, io::dtype,
                                                    folding_settings const& settings) {
  return make_number_folding<bool, bool>(logical_and{}, use, io::dtype::boolean, settings);
}
template <>
std::unique_ptr<folding> make_operator<logical_or>(operator_use const& use, io::dtype,
                                                   folding_settings const& settings) {
  return make_number_folding<bool, bool>(logical_or{}, use, io::dtype::boolean, settings);
}
template <>
std::unique_ptr<folding> make_operator<logical_xor>(operator_use const& use, io::dtype,
                                                    folding_settings const& settings) {
  return make_number_folding<bool, bool>(logical_xor{}, use, io::dtype::boolean, settings);
}

}  // namespace upsweep::cli
