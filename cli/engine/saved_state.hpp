/// What operators keep of the values that they have scanned, as bytes: one set of operators then
/// serves any number of groups.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::cli {

using saved_state = std::vector<std::byte>;

template <class T>
  requires std::is_trivially_copyable_v<T>
void put_all(saved_state& to, std::span<T const> values) {
  auto const bytes = std::as_bytes(values);
  to.insert(to.end(), bytes.begin(), bytes.end());
}
template <class T>
void put(saved_state& to, T const& value) {
  put_all(to, std::span<T const>(&value, 1));
}

/// Takes values in the order in which they were put.
class saved_reader {
 public:
  explicit saved_reader(saved_state const& from) : rest_(from) {}

  template <class T>
  [[nodiscard]] T take() {
    std::array<std::byte, sizeof(T)> bytes;
    take(std::span<std::byte>(bytes));
    return std::bit_cast<T>(bytes);
  }
  void take(std::span<std::byte> bytes) {
    std::ranges::copy(rest_.first(bytes.size()), bytes.begin());
    skip(bytes.size());
  }
  void skip(std::size_t bytes) { rest_ = rest_.subspan(bytes); }

 private:
  std::span<std::byte const> rest_;
};

}  // namespace upsweep::cli
