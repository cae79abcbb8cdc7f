/// Recurrences: the exponential moving average, x[i] = a[i] * x[i-1] + b[i] with two columns a and
/// b, and products of 2x2 matrices.
#include <cli/engine/families.hpp>
#include <cli/engine/typed_folding.hpp>
#include <io/error.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/matrix2x2.hpp>

namespace upsweep::cli {

namespace {

/// y[i] = (1 - weight) * y[i-1] + weight * x[i], where y[0] = x[0] unless something came before.
template <class T>
struct exponential_average {
  static constexpr bool commutative = false;
  static constexpr bool exact = false;
  template <class>
  using accumulator = affine_map<T>;

  T weight;
  bool starts = true;  ///< false with --init, which then stands for y[-1]

  [[nodiscard]] affine_map<T> lift(T x, std::size_t index) const {
    return index == 0 && starts ? affine_map<T>{0, x} : affine_map<T>{T(1) - weight, weight * x};
  }
  [[nodiscard]] affine_map<T> operator()(affine_map<T> const& earlier,
                                         affine_map<T> const& later) const {
    return affine{}(earlier, later);
  }
};

/// The values of two columns, side by side.
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
  auto const x = initial_number<T>(settings, column_buffer::dtype_of<T>());
  return x ? std::optional(affine_map<T>{0, *x}) : std::nullopt;
}

template <class T>
std::unique_ptr<folding> average(operator_use const& use, folding_settings const& settings) {
  io::dtype const type = column_buffer::dtype_of<T>();
  T weight{};
  io::parse_option_number(use.parameter, type, &weight, "--op ema:WEIGHT");
  if (!(weight > 0 && weight <= 1))
    throw io::usage_error(fmt::format(
        "ema:{}: the weight of the newest value must be above 0 and at most 1; try ema:0.1.",
        use.parameter));
  return std::make_unique<number_folding<exponential_average<T>, plain_elements<T>, T>>(
      exponential_average<T>{weight, !settings.initial},
      folding_shape{type, {{"ema:" + use.parameter, type}}, "ema", true}, constant<T>(settings),
      settings);
}

template <class T>
std::unique_ptr<folding> recurrence(folding_settings const& settings) {
  io::dtype const type = column_buffer::dtype_of<T>();
  return std::make_unique<number_folding<affine, map_elements<T>, T>>(
      affine{}, folding_shape{type, {{"affine", type}}, "affine"}, constant<T>(settings), settings);
}

/// The values of four columns, side by side.
template <class T>
struct matrix_elements {
  using element = matrix2x2<T>;
  static std::span<element const> of(std::span<io::typed_column const> values,
                                     std::vector<element>& matrices) {
    auto const a = values[0].as<T>(), b = values[1].as<T>(), c = values[2].as<T>(),
               d = values[3].as<T>();
    matrices.resize(a.size());
    for (std::size_t i = 0; i < matrices.size(); ++i) matrices[i] = {a[i], b[i], c[i], d[i]};
    return matrices;
  }
};

/// Four results: the entries of the product.
template <class T>
class matrix_folding final : public streaming_folding<matrix2x2_product, matrix_elements<T>> {
 public:
  using streaming_folding<matrix2x2_product, matrix_elements<T>>::streaming_folding;

  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    products_.resize(values[0].size());
    this->scan_into(kind, values, std::span(products_));
    for (auto const& product : products_) put(product, results);
  }
  void result(std::span<column_buffer> results) override { put(this->reduced(), results); }

 private:
  static void put(matrix2x2<T> const& m, std::span<column_buffer> results) {
    T const entries[] = {m.a, m.b, m.c, m.d};
    for (std::size_t e = 0; e < 4; ++e) results[e].template extend<T>(1)[0] = entries[e];
  }
  std::vector<matrix2x2<T>> products_;
};

template <class T>
std::unique_ptr<folding> matrices(operator_use const& use, folding_settings const& settings) {
  refuse_initial(use, settings);
  io::dtype const type = column_buffer::dtype_of<T>();
  folding_shape shape{type, {{"a", type}, {"b", type}, {"c", type}, {"d", type}}, use.name};
  for (auto& field : shape.fields) field.name = use.name + "." + field.name;
  return std::make_unique<matrix_folding<T>>(matrix2x2_product{}, std::move(shape), std::nullopt,
                                             settings);
}

}  // namespace

std::unique_ptr<folding> make_recurrence(operator_use const& use, io::dtype type,
                                         folding_settings const& settings) {
  if (use.name == "ema")
    return compute_type(type) == io::dtype::f32 ? average<float>(use, settings)
                                                : average<double>(use, settings);
  if (use.name == "matrix2x2")
    return with_compute_type(compute_type(type),
                             [&]<class T>() { return matrices<T>(use, settings); });
  if (use.name == "affine")
    return with_compute_type(compute_type(type),
                             [&]<class T>() { return recurrence<T>(settings); });
  return nullptr;
}

}  // namespace upsweep::cli
