/// Products of 2x2 matrices, whose entries are four columns.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/matrix2x2.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// The values of four columns as matrices.
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

/// Stores the four entries of the product as four results.
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
  refuse_initial(use.name, settings);
  io::dtype const type = dynamic::dtype_of<T>;
  folding_shape shape{type, {{"a", type}, {"b", type}, {"c", type}, {"d", type}}, use.name};
  for (auto& field : shape.fields) field.name = use.name + "." + field.name;
  return std::make_unique<matrix_folding<T>>(matrix2x2_product{}, std::move(shape), std::nullopt,
                                             settings);
}

}  // namespace

template <>
std::unique_ptr<folding> make_operator<matrix2x2_product>(operator_use const& use, io::dtype type,
                                                          folding_settings const& settings) {
  return with_compute_type(compute_type(type),
                           [&]<class T>() { return matrices<T>(use, settings); });
}

}  // namespace upsweep::cli
