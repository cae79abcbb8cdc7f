/// Where the extremes stand: argmin, argmax, argmin-last, argmax-last.
#include <cli/engine/families.hpp>
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/arg_extrema.hpp>

namespace upsweep::cli {

namespace {

template <class T, class Op>
std::unique_ptr<folding> make(Op op, operator_use const& use, folding_settings const& settings) {
  refuse_initial(use, settings);
  folding_shape shape{
      column_buffer::dtype_of<T>(), {{use.name, io::dtype::i64}}, use.name, true, false};
  return std::make_unique<row_folding<Op, plain_elements<T>>>(op, std::move(shape), std::nullopt,
                                                              settings);
}

}  // namespace

std::unique_ptr<folding> make_position(operator_use const& use, io::dtype type,
                                       folding_settings const& settings) {
  // f32 values keep their order in f64.
  io::dtype const wide = io::is_float(type) ? io::dtype::f64 : compute_type(type);
  bool const last = use.name.ends_with("-last") !=
                    settings.from_end;  // the last row in the file comes first from the end
  auto typed = [&]<class T>() -> std::unique_ptr<folding> {
    if (use.name.starts_with("argmin"))
      return last ? make<T>(argmin_last{}, use, settings) : make<T>(argmin{}, use, settings);
    if (use.name.starts_with("argmax"))
      return last ? make<T>(argmax_last{}, use, settings) : make<T>(argmax{}, use, settings);
    return nullptr;
  };
  if (wide == io::dtype::i64) return typed.operator()<std::int64_t>();
  if (wide == io::dtype::u64) return typed.operator()<std::uint64_t>();
  return typed.operator()<double>();
}

}  // namespace upsweep::cli
