/// Where something happened in a kernel: a source location that the compiler recorded, or an
/// address of code, whose line is looked up only when a message or a report needs it.
#pragma once

#include <upsweep/sim/trace.hpp>

#include <atomic>
#include <cstdint>
#include <source_location>
#include <vector>

namespace upsweep::sim {

/// 48 bits, of which bit 47, which no address of a user's code has, tells the two kinds apart.
class position {
 public:
  constexpr position() = default;
  position(std::source_location at) : word_(__builtin_bit_cast(std::uintptr_t, at)) {}
  /// The call that returns to `address`.
  [[nodiscard]] static position of_call(std::uint64_t address) {
    return of_word(address | code_bit);
  }
  [[nodiscard]] static position of_word(std::uint64_t word) {
    position p;
    p.word_ = word;
    return p;
  }

  [[nodiscard]] std::uint64_t word() const { return word_; }
  [[nodiscard]] bool is_known() const { return word_ != 0; }
  friend bool operator==(position, position) = default;

 private:
  friend source_position readable(position at);
  friend std::vector<source_position> readable_calls(position at);
  static constexpr std::uint64_t code_bit = std::uint64_t{1} << 47;

  std::uint64_t word_ = 0;
};
static_assert(sizeof(std::source_location) == sizeof(std::uintptr_t),
              "std::source_location must consist of one pointer");

/// File and line; line 0 if unknown.
[[nodiscard]] source_position readable(position at);

/// Looks up the line of the call that returns to an address. Set by the loader of modules.
using line_finder = source_position (*)(std::uint64_t address);
extern constinit std::atomic<line_finder> line_of_call;

/// The line itself, and the lines of the calls that the compiler has inlined around it.
[[nodiscard]] std::vector<source_position> readable_calls(position at);
using calls_finder = std::vector<source_position> (*)(std::uint64_t address);
extern constinit std::atomic<calls_finder> lines_of_calls;

}  // namespace upsweep::sim
