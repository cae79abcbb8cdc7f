/// Operators on the bits of integers.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/bitwise.hpp>

#include <memory>
#include <type_traits>

namespace upsweep::cli {

namespace {

template <class Op>
std::unique_ptr<folding> make(operator_use const& use, io::dtype type,
                              folding_settings const& settings) {
  expect_integers(use, type);
  io::dtype const takes = settings.of_piece == piece::none ? type : compute_type(type);
  constexpr bool needs_values = std::is_same_v<Op, bit_and>;
  return with_kernel_type(takes, [&]<class T>() -> std::unique_ptr<folding> {
    if constexpr (std::is_integral_v<T>)
      return make_number_folding<T, T>(Op{}, use, type, settings, needs_values);
    else
      return nullptr;  // unreachable: expect_integers() throws for other types
  });
}

}  // namespace

template <>
std::unique_ptr<folding> make_operator<bit_and>(operator_use const& use, io::dtype type,
                                                folding_settings const& settings) {
  return make<bit_and>(use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<bit_or>(operator_use const& use, io::dtype type,
                                               folding_settings const& settings) {
  return make<bit_or>(use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<bit_xor>(operator_use const& use, io::dtype type,
                                                folding_settings const& settings) {
  return make<bit_xor>(use, type, settings);
}

}  // namespace upsweep::cli
