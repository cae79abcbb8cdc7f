/// What operators keep of the values that they have scanned, as bytes: one set of operators then
/// serves any number of groups.
#pragma once

#include <io/error.hpp>
#include <upsweep/core/number_bytes.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::cli {

using saved_state = std::vector<std::byte>;

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

/// FNV-1a, as at the end of the library's partials.
[[nodiscard]] std::uint64_t checksum(std::span<std::byte const> bytes);

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
  void skip(std::size_t bytes) { static_cast<void>(take_bytes(bytes)); }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  /// The number of bytes that follow.
  [[nodiscard]] std::size_t rest() const noexcept { return rest_.size(); }

 private:
  std::span<std::byte const> rest_;
};

}  // namespace upsweep::cli
