/// Conversions between the element types of files and the types in which operators compute.
#include <cli/engine/buffers.hpp>
#include <cli/engine/dispatch.hpp>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace upsweep::cli {

namespace {

/// Conversion between integers saturates. Values that an operator selects always fit, and the
/// identities of min and max become those of the narrower type.
template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, bool>)
    return value != From{};
  else if constexpr (std::is_integral_v<To> && std::is_integral_v<From> &&
                     !std::is_same_v<From, bool>)
    return std::in_range<To>(value)  ? static_cast<To>(value)
           : std::cmp_less(value, 0) ? std::numeric_limits<To>::min()
                                     : std::numeric_limits<To>::max();
  else if constexpr (detail::is_narrow_float<From> || detail::is_narrow_float<To>)
    return static_cast<To>(static_cast<float>(value));
  else
    return static_cast<To>(value);
}

/// The compute types: every conversion is to or from one of them.
template <class T>
inline constexpr bool is_compute_type =
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t> ||
    std::is_same_v<T, float> || std::is_same_v<T, double>;

}  // namespace

void append_widening(column_buffer& column, io::typed_column values) {
  if (values.type != column.type() && !io::is_float(column.type())) {
    column_buffer wide(values.type);
    wide.append(column.view());
    column = std::move(wide);
  }
  column.append(values);
}

io::dtype compute_type(io::dtype type) noexcept {
  if (type == io::dtype::f64) return io::dtype::f64;
  if (io::is_float(type)) return io::dtype::f32;
  return io::is_signed(type) ? io::dtype::i64 : io::dtype::u64;
}

void column_buffer::append(io::typed_column values) {
  if (values.type == type_) {
    bytes_.insert(bytes_.end(), values.bytes.begin(), values.bytes.end());
    return;
  }
  append_strided(values, 0, 1, values.size());
}

void column_buffer::append(io::typed_column values, std::span<std::size_t const> positions) {
  with_bits(size_of(type_), [&]<class Bits>() {
    auto const* const from = reinterpret_cast<Bits const*>(values.bytes.data());
    auto* to = extend<Bits>(positions.size()).data();
    for (std::size_t const row : positions) *to++ = from[row];
  });
}

void column_buffer::append_strided(io::typed_column values, std::size_t first,
                                   std::ptrdiff_t stride, std::size_t n) {
  dispatch(type_, [&]<class To>() {
    auto const to = extend<To>(n);
    dispatch(values.type, [&]<class From>() {
      if constexpr (std::is_same_v<To, From> || is_compute_type<To> || is_compute_type<From>) {
        From const* from = values.as<From>().data() + first;
        if (stride == 1)
          for (std::size_t i = 0; i < n; ++i) to[i] = convert<To>(from[i]);
        else
          for (std::size_t i = 0; i < n; ++i)
            to[i] = convert<To>(from[static_cast<std::ptrdiff_t>(i) * stride]);
      } else {
        throw std::logic_error("column_buffer: unsupported conversion");
      }
    });
  });
}

}  // namespace upsweep::cli
