/// The verbs that are called by name with an operator. by_name/verbs/ has all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upsweep::dynamic {

enum class verb : std::uint8_t { reduce, inclusive_scan, exclusive_scan };

inline constexpr verb all_verbs[] = {verb::reduce, verb::inclusive_scan, verb::exclusive_scan};

[[nodiscard]] constexpr bool is_scan(verb v) noexcept {
  return v != verb::reduce;
}
[[nodiscard]] constexpr std::string_view name_of(verb v) noexcept {
  constexpr std::string_view names[] = {"reduce", "inclusive_scan", "exclusive_scan"};
  return names[static_cast<int>(v)];
}
/// How many results a call of n elements has.
[[nodiscard]] constexpr std::size_t results_of(verb v, std::size_t n) noexcept {
  return is_scan(v) ? n : 1;
}

}  // namespace upsweep::dynamic
