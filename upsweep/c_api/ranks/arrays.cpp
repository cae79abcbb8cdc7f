/// Arrays with strides: their checks, and how chunks of them are read.
#include <upsweep/c_api/failures.hpp>
#include <upsweep/c_api/ranks/arrays.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace upsweep::c_api {

array_reader::array_reader(upsweep_array const& array, std::int64_t all)
    : base_(static_cast<char const*>(array.data)), type_(array.type) {
  if (array.dims == 0) {
    rows_ = 1;
    extent_[0] = size_ = all;
    return;
  }
  for (int k = array.dims - 1; k >= 0; --k) {
    std::int64_t const extent = array.shape[k], stride = array.strides[k];
    size_ *= extent;
    if (extent == 1) continue;
    if (rows_ > 0 && stride == stride_[rows_ - 1] * extent_[rows_ - 1]) {
      extent_[rows_ - 1] *= extent;
      continue;
    }
    extent_[rows_] = extent;
    stride_[rows_++] = stride;
  }
}

bool array_reader::rows_are_contiguous() const {
  return size_ == 1 || stride_[0] == static_cast<std::int64_t>(upsweep_type_size(type_));
}

template <class T, class To, class F>
void array_reader::read_as(std::int64_t first, std::size_t n, To* to, F const& convert) const {
  for (std::size_t done = 0; done < n;) {
    std::int64_t left = 0;
    char const* const from = at(first + static_cast<std::int64_t>(done), left);
    std::size_t const m = std::min(n - done, static_cast<std::size_t>(left));
    if (stride_[0] == sizeof(T)) {
      auto const* const row = reinterpret_cast<T const*>(from);
      for (std::size_t i = 0; i < m; ++i) to[done + i] = convert(row[i]);
    } else {
      for (std::size_t i = 0; i < m; ++i)
        to[done + i] =
            convert(*reinterpret_cast<T const*>(from + static_cast<std::int64_t>(i) * stride_[0]));
    }
    done += m;
  }
}

void array_reader::read(std::int64_t first, std::size_t n, double* to) const {
  auto const convert = [](auto x) { return static_cast<double>(x); };
  if (type_ == UPSWEEP_F64) return read_as<double>(first, n, to, convert);
  read_as<float>(first, n, to, convert);
}
void array_reader::read(std::int64_t first, std::size_t n, std::int64_t* to) const {
  auto const convert = [](auto x) { return static_cast<std::int64_t>(x); };
  if (type_ == UPSWEEP_I64) return read_as<std::int64_t>(first, n, to, convert);
  read_as<std::int32_t>(first, n, to, convert);
}
void array_reader::read_mask(std::int64_t first, std::size_t n, std::uint8_t* to) const {
  auto const convert = [](auto x) { return static_cast<std::uint8_t>(x != 0); };
  switch (upsweep_type_size(type_)) {
    case 1:
      return read_as<std::uint8_t>(first, n, to, convert);
    case 2:
      return read_as<std::uint16_t>(first, n, to, convert);
    case 4:
      return read_as<std::uint32_t>(first, n, to, convert);
    default:
      return read_as<std::uint64_t>(first, n, to, convert);
  }
}

namespace {

/// The checks of any array of a known type.
void require_layout(char const* function, char const* name, upsweep_array const& a) {
  auto const fail = [&](std::string const& what) {
    refuse(function, "`" + std::string(name) + what);
  };
  if (a.dims < 0 || a.dims > UPSWEEP_MOST_DIMS)
    fail("` has " + std::to_string(a.dims) + " dimensions; an array may have 0 to " +
         std::to_string(UPSWEEP_MOST_DIMS));
  std::int64_t size = 1;
  for (int k = 0; k < a.dims; ++k) {
    if (a.shape[k] < 0) fail("` has the shape " + std::to_string(a.shape[k]));
    if (a.shape[k] > 0 && size > INT64_MAX / 8 / a.shape[k])
      fail("` has more elements than memory can hold");
    size *= a.shape[k];
  }
  if (size == 0) return;
  std::size_t const align = upsweep_type_size(a.type);
  if (!a.data) fail(".data` is NULL, but there are " + std::to_string(size) + " elements");
  bool skewed = misaligned(a.data, align);
  for (int k = 0; k < a.dims; ++k)
    skewed |= a.shape[k] > 1 && a.strides[k] % static_cast<std::int64_t>(align) != 0;
  if (skewed) fail("` is not aligned to its type, " + name_of(a.type));
}

}  // namespace

void require_values(char const* function, char const* name, upsweep_array const& array) {
  if (array.type != UPSWEEP_F64 && array.type != UPSWEEP_F32 && array.type != UPSWEEP_I64 &&
      array.type != UPSWEEP_I32)
    refuse(function, "`" + std::string(name) + ".type` is " +
                         std::to_string(static_cast<int>(array.type)) +
                         "; give UPSWEEP_F64, UPSWEEP_F32, UPSWEEP_I64 or UPSWEEP_I32");
  require_layout(function, name, array);
}

void require_mask(char const* function, upsweep_array const& array) {
  if (array.type < UPSWEEP_I8 || array.type > UPSWEEP_U64)
    refuse(function, "`mask.type` is " + std::to_string(static_cast<int>(array.type)) +
                         "; give a type of integers, such as UPSWEEP_U8");
  require_layout(function, "mask", array);
}

void require_shape(upsweep_array const& array, upsweep_array const& values) {
  if (array.dims == 0) return;
  if (array.dims != values.dims || !std::equal(array.shape, array.shape + array.dims, values.shape))
    throw other_shape{};
}

void require_field(char const* function, upsweep_field const* field, bool takes_weights) {
  require_pointer(function, "field", field);
  require_values(function, "values", field->values);
  if (is_there(field->mask)) {
    require_mask(function, field->mask);
    require_shape(field->mask, field->values);
  }
  if (!is_there(field->weights)) return;
  if (!takes_weights)
    refuse(function, "`field->weights` has a type, but there are no weights here");
  require_values(function, "weights", field->weights);
  if (field->weights.type != field->values.type)
    refuse(function, "weights are " + name_of(field->weights.type) + ", and values " +
                         name_of(field->values.type) + "; give both one type");
  require_shape(field->weights, field->values);
}

}  // namespace upsweep::c_api
