/// The smallest and the largest value, with and without NaN.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/min_max.hpp>

#include <memory>
#include <type_traits>

namespace upsweep::cli {

namespace {

/// Integers have no NaN, so they use `OfIntegers`.
template <class Op, class OfIntegers>
std::unique_ptr<folding> make(operator_use const& use, io::dtype type,
                              folding_settings const& settings) {
  io::dtype const gives = io::is_float(type) ? compute_type(type) : type;
  io::dtype const takes = taken_type<OfIntegers>(settings, type);
  return with_kernel_type(takes, [&]<class T>() -> std::unique_ptr<folding> {
    using Used = std::conditional_t<std::is_integral_v<T>, OfIntegers, Op>;
    return make_number_folding<T, T>(Used{}, use, gives, settings, true);
  });
}

}  // namespace

template <>
std::unique_ptr<folding> make_operator<min>(operator_use const& use, io::dtype type,
                                            folding_settings const& settings) {
  return make<min, min>(use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<max>(operator_use const& use, io::dtype type,
                                            folding_settings const& settings) {
  return make<max, max>(use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<min_number>(operator_use const& use, io::dtype type,
                                                   folding_settings const& settings) {
  return make<min_number, min>(use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<max_number>(operator_use const& use, io::dtype type,
                                                   folding_settings const& settings) {
  return make<max_number, max>(use, type, settings);
}

}  // namespace upsweep::cli
