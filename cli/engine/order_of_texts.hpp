/// The order of strings, among which numbers are in that of their values.
#pragma once

#include <string_view>

#include <upsweep/core/number_types.hpp>

namespace upsweep::cli {

/// A number in its order: a NaN is the extreme in both directions, integers are exact.
struct place_of_number {
  double value = 0;
  int128 whole = 0;  // of numbers that f64 takes for equal

  [[nodiscard]] bool precedes(place_of_number const& other) const;
};

/// `number` is in the standard form.
[[nodiscard]] place_of_number place_of(std::string_view number);

/// Whether `a` comes before `b`: numbers by value and, among equals ("07", "7"), as they are
/// written; then strings, byte by byte.
[[nodiscard]] bool comes_before(std::string_view a, std::string_view b);

}  // namespace upsweep::cli
