/// Arrays with strides, as the calls of ranks read them: in chunks that fit the first cache.
#pragma once

#include <upsweep/c_api/ranks.h>
#include <upsweep/core/compiler.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::c_api {

/// The elements of an array, counted in its order. Dimensions that are contiguous with the next one
/// are joined.
class array_reader {
 public:
  static constexpr std::size_t chunk = 2048;

  array_reader() = default;  ///< of one element, which has no address
  /// Of a checked array. One of 0 dimensions, a single mask or weight, applies to `all` elements.
  explicit array_reader(upsweep_array const& array, std::int64_t all = 1);

  [[nodiscard]] UPSWEEP_BOTH std::int64_t size() const { return size_; }
  [[nodiscard]] UPSWEEP_BOTH upsweep_type type() const { return type_; }
  /// The address of element `i`, and how many are in its row from there on.
  [[nodiscard]] UPSWEEP_BOTH char const* at(std::int64_t i, std::int64_t& left) const {
    if (rows_ <= 1) {
      left = extent_[0] - i;
      return base_ + i * stride_[0];
    }
    left = extent_[0] - i % extent_[0];
    char const* address = base_;
    for (int k = 0; k < rows_; ++k) {
      address += (k + 1 < rows_ ? i % extent_[k] : i) * stride_[k];
      i /= extent_[k];
    }
    return address;
  }
  /// Whether the elements of a row have no gaps, and whether those of the array have none.
  [[nodiscard]] bool rows_are_contiguous() const;
  [[nodiscard]] bool is_contiguous() const { return rows_ <= 1 && rows_are_contiguous(); }

  /// Stores n elements from number `first` on, of floats, of integers, and whether they are not 0.
  void read(std::int64_t first, std::size_t n, double* to) const;
  void read(std::int64_t first, std::size_t n, std::int64_t* to) const;
  void read_mask(std::int64_t first, std::size_t n, std::uint8_t* to) const;

 private:
  template <class T, class To, class F>
  void read_as(std::int64_t first, std::size_t n, To* to, F const& convert) const;

  char const* base_ = nullptr;
  upsweep_type type_ = UPSWEEP_F64;
  std::int64_t size_ = 1;
  int rows_ = 0;
  std::int64_t extent_[UPSWEEP_MOST_DIMS] = {1};  // the fastest first
  std::int64_t stride_[UPSWEEP_MOST_DIMS] = {0};
};

[[nodiscard]] inline bool is_there(upsweep_array const& array) {
  return static_cast<int>(array.type) != 0;
}
[[nodiscard]] inline bool is_real(upsweep_type type) {
  return type == UPSWEEP_F64 || type == UPSWEEP_F32;
}

/// Refuses arrays that are none. `name` is that of the array in messages.
void require_values(char const* function, char const* name, upsweep_array const& array);
void require_mask(char const* function, upsweep_array const& array);
/// Thrown if an array differs in shape from the values, which the ranks then are told.
struct other_shape {};
void require_shape(upsweep_array const& array, upsweep_array const& values);
/// All checks of a field. Weights are refused unless `takes_weights`.
void require_field(char const* function, upsweep_field const* field, bool takes_weights);

}  // namespace upsweep::c_api
