/// What operators keep of the values that they have scanned, as bytes: one set of operators then
/// serves any number of groups.
#pragma once

#include <io/error.hpp>
#include <upsweep/ops/bytes.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace upsweep::cli {

using saved_state = std::vector<std::byte>;

/// The versions of their bytes in files of partials. A file has the lowest version that its states
/// need: the second has exact sums in the library's canonical bytes, the third drawdowns of
/// integers as integers, the fourth statistics of values whose powers are out of range, the fifth
/// keys of JSON as its values.
namespace saved_format {
inline constexpr std::uint16_t first = 1, of_exact_sums = 2, of_followed_integers = 3,
                               of_wide_statistics = 4, of_json_keys = 5, newest = of_json_keys;
}

/// Integers are little endian, as parts of files are; other values as they lie in memory.
template <class T>
  requires std::is_trivially_copyable_v<T>
void put_all(saved_state& to, std::span<T const> values) {
  if constexpr (std::is_integral_v<T> && std::endian::native != std::endian::little) {
    for (T const x : values)
      std::ranges::copy(detail::bytes::little_endian(x), std::back_inserter(to));
  } else {
    auto const bytes = std::as_bytes(values);
    to.insert(to.end(), bytes.begin(), bytes.end());
  }
}
template <class T>
void put(saved_state& to, T const& value) {
  put_all(to, std::span<T const>(&value, 1));
}

/// Their number, then they.
template <class T>
void put_counted(saved_state& to, std::span<T const> values) {
  put(to, values.size());
  put_all(to, values);
}
inline void put_text(saved_state& to, std::string_view text) {
  put_counted(to, std::span<char const>(text));
}
/// A state of an operator in the library's bytes: the same on every machine.
template <class T>
void put_value(saved_state& to, T const& value) {
  detail::bytes::writer out;
  out.value(value);
  auto const bytes = out.take();
  put_all(to, std::span(bytes));
}

/// FNV-1a, as at the end of the library's partials.
[[nodiscard]] inline std::uint64_t checksum(std::span<std::byte const> bytes) {
  return detail::bytes::writer::checksum(bytes);
}

/// Takes values in the order in which they were put.
class saved_reader {
 public:
  explicit saved_reader(std::span<std::byte const> from) : rest_(from) {}

  template <class T>
  [[nodiscard]] T take() {
    std::array<std::byte, sizeof(T)> bytes{};
    take(std::span<std::byte>(bytes));
    if constexpr (std::is_integral_v<T>)
      return detail::bytes::from_little_endian<T>(bytes);
    else
      return std::bit_cast<T>(bytes);
  }
  void take(std::span<std::byte> bytes) {
    std::ranges::copy(take_bytes(bytes.size()), bytes.begin());
  }
  [[nodiscard]] std::span<std::byte const> take_bytes(std::size_t n) {
    if (n > rest_.size()) throw io::data_error("The saved state of an operator is cut off.");
    auto const bytes = rest_.first(n);
    rest_ = rest_.subspan(n);
    return bytes;
  }
  /// The number of values of this size that follow.
  [[nodiscard]] std::size_t take_count(std::size_t size = 1) {
    auto const n = take<std::size_t>();
    if (n > rest_.size() / size) throw io::data_error("The saved state of an operator is cut off.");
    return n;
  }
  template <class T>
  void take_counted(std::vector<T>& values) {
    values.resize(take_count(sizeof(T)));
    take(std::as_writable_bytes(std::span(values)));
  }
  [[nodiscard]] std::string take_text() {
    auto const bytes = take_bytes(take_count());
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
  }
  /// Of a state whose bytes are as many for all values.
  template <class T>
  [[nodiscard]] T take_value() {
    T value{};
    detail::bytes::writer same_size;
    same_size.value(value);
    detail::bytes::reader in(take_bytes(same_size.take().size()));
    in.value(value);
    return value;
  }
  void skip(std::size_t bytes) { static_cast<void>(take_bytes(bytes)); }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  /// The number of bytes that follow.
  [[nodiscard]] std::size_t rest() const noexcept { return rest_.size(); }

 private:
  std::span<std::byte const> rest_;
};

}  // namespace upsweep::cli
