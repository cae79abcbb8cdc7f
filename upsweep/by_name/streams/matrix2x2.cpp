/// Products of 2x2 matrices, by name: four columns of elements, and four of results.
#include <upsweep/by_name/streams/stream_of.hpp>
#include <upsweep/ops/matrix2x2.hpp>

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

template <class M>
stream_pointer make(stream_options const& how) {
  return std::make_unique<stream_of<matrix2x2_product, M, four_numbers<number_of<M>>>>(
      matrix2x2_product{}, std::nullopt, how);
}
constexpr auto streams = table_of_streams(matrix2x2_operators{}, []<class Op, class M>() {
  constexpr dtype number = dtype_of<number_of<M>>;
  return stream_row{catalog::id::matrix2x2,       number, 4, number, number, is_exact<Op, M>, true,
                    sizeof(accumulator_t<Op, M>), make<M>};
});

}  // namespace

template <>
std::span<stream_row const> streams_of<matrix2x2_operators>::rows() {
  return streams;
}

}  // namespace upsweep::dynamic
