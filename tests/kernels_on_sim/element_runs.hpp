/// Runs of consecutive elements, [begin, end), as the elements of the CUDA backend's kernels: a
/// kernel that joins them correctly, without a race, combines any elements correctly, whatever the
/// associative operator is. Chong, Donaldson, Ketema, "A sound and complete abstraction for
/// reasoning about parallel prefix sums", POPL 2014.
#pragma once

#include <support/random.hpp>

#include <cstdint>

namespace upsweep::test {

/// 16 bytes, as large as an element may be that is loaded in one access.
struct element_run {
  static constexpr std::uint32_t of_elements = 0x600d600d, neutral = 0x1de0717e, apart = 0xbad1bad1;
  std::uint32_t begin, end;
  std::uint32_t mark;   ///< one of these; anything else is no value of a call
  std::uint32_t other;  ///< of `apart`: where the operand on the right begins, which does not meet

  /// The next element: those of one array follow each other.
  static element_run random(random_bits&) {
    static std::uint32_t next = 0;
    std::uint32_t const at = next++;
    return {at, at + 1, of_elements, 0};
  }
  /// An error is equal to nothing, so no comparison of two errors succeeds.
  [[nodiscard]] bool same_bits(element_run const& b) const { return mark != apart && *this == b; }
  friend bool operator==(element_run const&, element_run const&) = default;
};

struct join_element_runs {
  static constexpr bool exact = false;
  [[nodiscard]] constexpr element_run identity() const { return {0, 0, element_run::neutral, 0}; }
  constexpr element_run operator()(element_run const& earlier, element_run const& later) const {
    if (earlier.mark == element_run::neutral) return later;
    if (later.mark == element_run::neutral) return earlier;
    if (earlier.mark == element_run::apart) return earlier;
    if (later.mark == element_run::apart) return later;
    bool const meet = earlier.mark == element_run::of_elements && later.mark == earlier.mark &&
                      earlier.end == later.begin;
    if (!meet) return {earlier.begin, earlier.end, element_run::apart, later.begin};
    return {earlier.begin, later.end, element_run::of_elements, 0};
  }
};

}  // namespace upsweep::test
