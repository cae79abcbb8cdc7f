/// One loop for each pair of types. Each value is widened to the largest type of its kind, where
/// its range is checked.
#include <io/convert.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace upsweep::io {
namespace {

template <class T>
using wide =
    std::conditional_t<is_small_float<T> || std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class T, class Wide>
bool narrow(Wide value, T& out) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    out = value != Wide{0};
    return value == Wide{0} || value == Wide{1};
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<Wide>) {
    out = static_cast<T>(value);
    return std::in_range<T>(value);
  } else if constexpr (std::is_integral_v<T>) {
    auto const beyond =
        std::ldexp(1.0, std::numeric_limits<T>::digits);  // the smallest integer that does not fit
    if (!(value >= static_cast<double>(std::numeric_limits<T>::min()) && value < beyond))
      return false;
    out = static_cast<T>(value);
    return static_cast<double>(out) == value;
  } else if constexpr (is_small_float<T>) {
    auto const number = static_cast<double>(value);
    out = T(number);
    return !std::isinf(static_cast<double>(out)) || std::isinf(number);
  } else {
    out = static_cast<T>(value);
    if constexpr (std::is_integral_v<Wide>) {
      return true;
    } else {
      return !std::isinf(out) || std::isinf(value);
    }
  }
}

}  // namespace

std::size_t convert(dtype from, void const* in, dtype to, void* out, std::size_t count) noexcept {
  if (from == to) {
    std::memcpy(out, in, count * size_of(from));
    return count;
  }
  return dispatch_storage(from, [&]<class From>() {
    return dispatch_storage(to, [&]<class To>() {
      auto const* source = static_cast<char const*>(in);
      auto* target = static_cast<char*>(out);
      for (std::size_t i = 0; i < count; ++i) {
        From element;
        std::memcpy(&element, source + i * sizeof(From), sizeof element);
        To result{};
        if (!narrow<To>(static_cast<wide<From>>(element), result)) return i;
        std::memcpy(target + i * sizeof(To), &result, sizeof result);
      }
      return count;
    });
  });
}

void copy_elements(void* out, std::size_t out_stride, void const* in, std::size_t in_stride,
                   std::size_t size, std::size_t count) noexcept {
  if (out_stride == size && in_stride == size) {
    std::memcpy(out, in, size * count);
    return;
  }
  auto const copy = [&](auto bytes) {
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(static_cast<char*>(out) + i * out_stride,
                  static_cast<char const*>(in) + i * in_stride, bytes);
  };
  if (size == 4)
    copy(std::integral_constant<std::size_t, 4>{});
  else if (size == 8)
    copy(std::integral_constant<std::size_t, 8>{});
  else
    copy(size);
}

void swap_bytes(void* values, std::size_t size, std::size_t count) noexcept {
  auto const reverse = [&]<class T>(T) {
    auto* bytes = static_cast<char*>(values);
    for (std::size_t i = 0; i < count; ++i, bytes += sizeof(T)) {
      T element;
      std::memcpy(&element, bytes, sizeof element);
      if constexpr (sizeof(T) == 2) element = __builtin_bswap16(element);
      if constexpr (sizeof(T) == 4) element = __builtin_bswap32(element);
      if constexpr (sizeof(T) == 8) element = __builtin_bswap64(element);
      std::memcpy(bytes, &element, sizeof element);
    }
  };
  if (size == 2) reverse(std::uint16_t{});
  if (size == 4) reverse(std::uint32_t{});
  if (size == 8) reverse(std::uint64_t{});
}

std::size_t find_bad_boolean(std::span<std::byte const> bytes) noexcept {
  auto const bad =
      std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  return static_cast<std::size_t>(bad - bytes.begin());
}

}  // namespace upsweep::io
