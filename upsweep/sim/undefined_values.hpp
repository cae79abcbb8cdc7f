/// Values that shuffles leave undefined, and whether a lane goes on to compute with them.
///
/// The usual tail of a reduction reads lanes that take no part and ignores what it gets. The
/// emulator cannot see what the compiled code does with a value, but it sees what the lane passes
/// on and writes: a lane that got `got` beside its own `kept` has used it if that is a result of
/// the two, or anything else but `kept` although it has read no memory in between.
#pragma once

#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/state.hpp>

#include <cstddef>
#include <optional>

namespace upsweep::sim {

class undefined_values {
 public:
  explicit undefined_values(findings& found) : found_(found) {}

  /// Whether a lane of the launch has got one.
  [[nodiscard]] bool any() const { return any_; }
  /// The shuffle in which `l` takes part reads lane `from`, which does not: its result is set.
  void give(lane& l, unsigned from);
  /// Before the value that `l` takes to a warp operation is passed on.
  static void examine(lane& l);
  /// `to` reads lane `from` of its warp, which may have used an undefined value.
  void pass_on(lane const& from, lane& to);
  /// `l` is about to write `bytes` bytes at `place`, for `value` an atomic's operand, else null.
  void write(lane& l, position at, std::byte const* place, std::size_t bytes,
             std::byte const* value);
  /// The last write has been made.
  void settle();

 private:
  struct pending_write {
    lane* by;
    last_access_of_lane last;
    position at;
    std::byte const* value;
    std::size_t bytes;
  };
  void add(lane& l, undefined_value const& v);

  findings& found_;
  bool any_ = false;
  std::optional<pending_write> pending_;
};

}  // namespace upsweep::sim
