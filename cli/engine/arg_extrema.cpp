/// The rows of the extremes: argmin, argmax, argmin-last, argmax-last.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/arg_extrema.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace upsweep::cli {

namespace {

/// Compiled once for all four, since kernels ask for the rule once a block.
using any_arg_extremum = detail::arg_extremum<detail::given_rule>;

std::unique_ptr<folding> make(detail::extremum_rule rule, operator_use const& use, io::dtype type,
                              folding_settings const& settings) {
  refuse_initial(use.name, settings);
  // From the end, rows arrive in reverse, so ties are resolved the other way.
  if (settings.from_end) rule.last = !rule.last;
  auto typed = [&]<class T>() -> std::unique_ptr<folding> {
    folding_shape shape{dynamic::dtype_of<T>, {{use.name, io::dtype::i64}}, use.name, true, false};
    return std::make_unique<row_folding<any_arg_extremum, plain_elements<T>>>(
        any_arg_extremum{{rule}}, std::move(shape), std::nullopt, settings);
  };
  // The conversion from f32 to f64 preserves the order.
  io::dtype const wide = io::is_float(type) ? io::dtype::f64 : compute_type(type);
  if (wide == io::dtype::i64) return typed.template operator()<std::int64_t>();
  if (wide == io::dtype::u64) return typed.template operator()<std::uint64_t>();
  return typed.template operator()<double>();
}

}  // namespace

template <>
std::unique_ptr<folding> make_operator<argmin>(operator_use const& use, io::dtype type,
                                               folding_settings const& settings) {
  return make(argmin::rule(), use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<argmax>(operator_use const& use, io::dtype type,
                                               folding_settings const& settings) {
  return make(argmax::rule(), use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<argmin_last>(operator_use const& use, io::dtype type,
                                                    folding_settings const& settings) {
  return make(argmin_last::rule(), use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<argmax_last>(operator_use const& use, io::dtype type,
                                                    folding_settings const& settings) {
  return make(argmax_last::rule(), use, type, settings);
}

}  // namespace upsweep::cli
