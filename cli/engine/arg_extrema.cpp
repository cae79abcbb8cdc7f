/// The rows of the extremes: argmin, argmax, argmin-last, argmax-last.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/arg_extrema.hpp>

namespace upsweep::cli {

namespace {

template <class T, class Op>
std::unique_ptr<folding> make_positions(Op op, operator_use const& use,
                                        folding_settings const& settings) {
  refuse_initial(use.name, settings);
  folding_shape shape{dynamic::dtype_of<T>, {{use.name, io::dtype::i64}}, use.name, true, false};
  return std::make_unique<row_folding<Op, plain_elements<T>>>(op, std::move(shape), std::nullopt,
                                                              settings);
}

/// From the end, rows arrive in reverse, so ties are resolved by the opposite operator.
template <class Op, class FromEnd>
std::unique_ptr<folding> make_either(operator_use const& use, io::dtype type,
                                     folding_settings const& settings) {
  // The conversion from f32 to f64 preserves the order.
  io::dtype const wide = io::is_float(type) ? io::dtype::f64 : compute_type(type);
  auto typed = [&]<class T>() -> std::unique_ptr<folding> {
    return settings.from_end ? make_positions<T>(FromEnd{}, use, settings)
                             : make_positions<T>(Op{}, use, settings);
  };
  if (wide == io::dtype::i64) return typed.template operator()<std::int64_t>();
  if (wide == io::dtype::u64) return typed.template operator()<std::uint64_t>();
  return typed.template operator()<double>();
}

}  // namespace

template <>
std::unique_ptr<folding> make_operator<argmin>(operator_use const& use, io::dtype type,
                                               folding_settings const& settings) {
  return make_either<argmin, argmin_last>(use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<argmax>(operator_use const& use, io::dtype type,
                                               folding_settings const& settings) {
  return make_either<argmax, argmax_last>(use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<argmin_last>(operator_use const& use, io::dtype type,
                                                    folding_settings const& settings) {
  return make_either<argmin_last, argmin>(use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<argmax_last>(operator_use const& use, io::dtype type,
                                                    folding_settings const& settings) {
  return make_either<argmax_last, argmax>(use, type, settings);
}

}  // namespace upsweep::cli
