/// The first and the last value.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/first_last.hpp>

#include <memory>

namespace upsweep::cli {

namespace {

template <class Op>
std::unique_ptr<folding> make(operator_use const& use, io::dtype type,
                              folding_settings const& settings) {
  io::dtype const gives = io::is_float(type) ? compute_type(type) : type;
  return with_compute_type(compute_type(type), [&]<class T>() -> std::unique_ptr<folding> {
    return make_number_folding<T, T>(Op{}, use, gives, settings, true);
  });
}

}  // namespace

template <>
std::unique_ptr<folding> make_operator<first>(operator_use const& use, io::dtype type,
                                              folding_settings const& settings) {
  return make<first>(use, type, settings);
}
template <>
std::unique_ptr<folding> make_operator<last>(operator_use const& use, io::dtype type,
                                             folding_settings const& settings) {
  return make<last>(use, type, settings);
}

}  // namespace upsweep::cli
