/// Recurrences: the exponential moving average, and x[i] = a[i] * x[i-1] + b[i] with two columns a
/// and b.
#include <cli/engine/typed_folding.hpp>
#include <io/error.hpp>
#include <upsweep/ops/affine.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace upsweep::cli {

namespace {

/// y[i] = (1 - weight) * y[i-1] + weight * x[i], with y[0] = x[0] unless there is an initial value.
template <class T>
struct exponential_average {
  static constexpr bool commutative = false;
  static constexpr bool exact = false;
  template <class>
  using accumulator = affine_map<T>;

  T weight;
  bool starts = true;  ///< false with --init, which is y[-1]

  [[nodiscard]] affine_map<T> lift(T x, std::size_t index) const {
    return index == 0 && starts ? affine_map<T>{0, x} : affine_map<T>{T(1) - weight, weight * x};
  }
  [[nodiscard]] affine_map<T> operator()(affine_map<T> const& earlier,
                                         affine_map<T> const& later) const {
    return affine{}(earlier, later);
  }
};

/// The values of two columns as pairs.
template <class T>
struct map_elements {
  using element = affine_map<T>;
  static std::span<element const> of(std::span<io::typed_column const> values,
                                     std::vector<element>& maps) {
    auto const a = values[0].as<T>(), b = values[1].as<T>();
    maps.resize(a.size());
    for (std::size_t i = 0; i < maps.size(); ++i) maps[i] = {a[i], b[i]};
    return maps;
  }
};

template <class T>
std::optional<affine_map<T>> constant(folding_settings const& settings) {
  auto const x = initial_number<T>(settings, dynamic::dtype_of<T>);
  return x ? std::optional(affine_map<T>{0, *x}) : std::nullopt;
}

template <class T>
std::unique_ptr<folding> average(operator_use const& use, folding_settings const& settings) {
  io::dtype const type = dynamic::dtype_of<T>;
  T weight{};
  io::parse_option_number(use.parameter, type, &weight, "--op ema:WEIGHT");
  if (!(weight > 0 && weight <= 1))
    throw io::usage_error(fmt::format(
        "--op ema:{}: the weight of the newest value must be above 0 and at most 1; try ema:0.1.",
        use.parameter));
  return std::make_unique<number_folding<exponential_average<T>, plain_elements<T>, T>>(
      exponential_average<T>{weight, !settings.initial},
      folding_shape{type, {{"ema:" + use.parameter, type}}, "ema", true}, constant<T>(settings),
      settings);
}

template <class T>
std::unique_ptr<folding> recurrence(folding_settings const& settings) {
  io::dtype const type = dynamic::dtype_of<T>;
  return std::make_unique<number_folding<affine, map_elements<T>, T>>(
      affine{}, folding_shape{type, {{"affine", type}}, "affine"}, constant<T>(settings), settings);
}

}  // namespace

std::unique_ptr<folding> make_exponential_average(operator_use const& use, io::dtype type,
                                                  folding_settings const& settings) {
  return compute_type(type) == io::dtype::f32 ? average<float>(use, settings)
                                              : average<double>(use, settings);
}
template <>
std::unique_ptr<folding> make_operator<affine>(operator_use const&, io::dtype type,
                                               folding_settings const& settings) {
  return with_compute_type(compute_type(type), [&]<class T>() { return recurrence<T>(settings); });
}

}  // namespace upsweep::cli
