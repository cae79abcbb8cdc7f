/// recurrence:A:B:... and polynomial:X, in f64.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/recurrence.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace upsweep::cli {

namespace {

template <std::size_t order>
std::unique_ptr<folding> make(std::vector<double> const& a, operator_use const& use,
                              folding_settings const& settings) {
  if (a.size() != order) {
    if constexpr (order < 4) return make<order + 1>(a, use, settings);
    throw io::usage_error(
        fmt::format("--op {}:{}: at most four coefficients.", use.name, use.parameter));
  }
  double coefficients[order];
  for (std::size_t k = 0; k < order; ++k) coefficients[k] = a[k];
  using op = recurrence<order, double>;
  return std::make_unique<number_folding<op, plain_elements<double>, double>>(
      op(coefficients),
      folding_shape{io::dtype::f64, {{use.name + ":" + use.parameter, io::dtype::f64}}, use.name},
      std::nullopt, settings);
}

}  // namespace

std::unique_ptr<folding> make_recurrence(operator_use const& use,
                                         folding_settings const& settings) {
  refuse_initial(use.name, settings);
  if (settings.on_gpu != nullptr) refuse_on_gpu(use.name, "f64");
  std::vector<double> a;
  for (std::size_t begin = 0; begin <= use.parameter.size();) {
    std::size_t const end = std::min(use.parameter.find(':', begin), use.parameter.size());
    a.emplace_back();
    io::parse_option_number(use.parameter.substr(begin, end - begin), io::dtype::f64, &a.back(),
                            "--op " + use.name + ":" + use.parameter);
    if (!(a.back() - a.back() == 0))
      throw io::usage_error(
          fmt::format("--op {}:{}: coefficients must be finite.", use.name, use.parameter));
    begin = end + 1;
  }
  return make<1>(a, use, settings);
}

}  // namespace upsweep::cli
