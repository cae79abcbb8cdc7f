/// Products of 2x2 matrices, by name: four columns of elements, and four of results.
#include <upsweep/by_name/streams/stream_of.hpp>
#include <upsweep/ops/matrix2x2.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace upsweep::dynamic {
namespace {

template <class T>
struct four_numbers {
  using stored = matrix2x2<T>;
  void put(std::span<stored const> results, any_stream::results out) const {
    for (std::size_t i = 0; i < results.size(); ++i) {
      T const entries[] = {results[i].a, results[i].b, results[i].c, results[i].d};
      for (std::size_t e = 0; e < 4; ++e) static_cast<T*>(out[e])[i] = entries[e];
    }
  }
};

template <class T>
stream_pointer make(stream_options const& how) {
  return std::make_unique<stream_of<matrix2x2_product, matrix2x2<T>, four_numbers<T>>>(
      matrix2x2_product{}, std::nullopt, how);
}

template <class... T>
constexpr auto rows_of(types<T...>) {
  return std::array{stream_row{catalog::id::matrix2x2, dtype_of<T>, 4, dtype_of<T>, dtype_of<T>,
                               is_exact<matrix2x2_product, matrix2x2<T>>, true,
                               sizeof(accumulator_t<matrix2x2_product, matrix2x2<T>>), make<T>}...};
}
constexpr auto streams = rows_of(compute_types{});

}  // namespace

stream_rows streams_of_matrix2x2() {
  return streams;
}

}  // namespace upsweep::dynamic
