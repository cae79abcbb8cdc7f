/// What a thread knows of others: happens-before, as releases and acquisitions make it.
///
/// A release takes a snapshot of what its thread knows; snapshots refer to the snapshots they grew
/// out of, so that a chain of a thousand blocks costs a thousand small nodes and not a thousand
/// vectors of a thousand clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace upsweep::sim {

/// An epoch of the race detector: when, where and by whom a word was accessed last. Block serial 24
/// bits, tick 16, thread 10, site 12, kind 2, from the high end down. As a number it grows with the
/// block's time. 0: never.
using stamp = std::uint64_t;

[[nodiscard]] constexpr std::uint64_t serial_of(stamp s) {
  return s >> 40;
}
[[nodiscard]] constexpr unsigned tick_of(stamp s) {
  return static_cast<unsigned>(s >> 24 & 0xffff);
}
[[nodiscard]] constexpr unsigned thread_of(stamp s) {
  return static_cast<unsigned>(s >> 14 & 0x3ff);
}
[[nodiscard]] constexpr unsigned site_of(stamp s) {
  return static_cast<unsigned>(s >> 2 & 0xfff);
}
[[nodiscard]] constexpr unsigned kind_of_stamp(stamp s) {
  return static_cast<unsigned>(s & 3);
}
[[nodiscard]] constexpr stamp stamp_at(std::uint64_t serial, unsigned tick) {
  return serial << 40 | static_cast<stamp>(tick) << 24;
}

/// The low bits of stamps. Of reads by several lanes, warps or blocks the last one is kept and that
/// they were several, and one of those before it: of another block, if several blocks read. That
/// says exactly whether a later write is ordered, but for reads of three blocks or more that
/// nothing but flags orders: then those two decide.
enum write_kind : unsigned { plain_write = 1, atomic_write = 2 };
enum read_kind : unsigned { one_thread = 0, one_warp = 1, one_block = 2, many_blocks = 3 };

inline constexpr stamp host_write = plain_write;

/// "Of block `serial`, what `who` did before `tick`." Whole blocks by a barrier, warps by
/// __syncwarp, threads by themselves.
struct known_part {
  static constexpr std::uint32_t whole = 0xffff, warps = 0x8000;

  std::uint64_t serial;
  std::uint32_t who;  ///< a thread, warps + a warp, or whole
  std::uint32_t tick;

  [[nodiscard]] bool covers(stamp s) const {
    if (serial_of(s) != serial || tick_of(s) >= tick) return false;
    return who == whole || (who >= warps ? thread_of(s) / 32 == who - warps : thread_of(s) == who);
  }
};

/// The number of a snapshot; 0 knows nothing.
using snapshot = std::uint32_t;

class order_book {
 public:
  order_book() : nodes_(1) {}

  /// A snapshot that knows `parts` and all that `a`, `b` and `c` know. `only_for`: the serial of
  /// the one block that may learn it; 0: all.
  [[nodiscard]] snapshot make(std::vector<known_part> parts, snapshot a, snapshot b, snapshot c,
                              std::uint64_t only_for);
  /// A snapshot that knows what both know; makes none where one of them will do.
  [[nodiscard]] snapshot join(snapshot a, snapshot b);
  [[nodiscard]] bool knows(snapshot s, stamp access);
  [[nodiscard]] bool is_for(snapshot s, std::uint64_t serial) const {
    return nodes_[s].only_for == 0 || nodes_[s].only_for == serial;
  }

 private:
  struct node {
    std::vector<known_part> parts;
    snapshot from[3] = {};
    std::uint64_t only_for = 0;
    std::uint32_t visited = 0;
    std::uint32_t questions = 0;
    std::unordered_multimap<std::uint64_t, known_part>
        index;  // of all it knows, by serial; made when it is asked often
  };
  void reach(snapshot s);
  void build_index(snapshot s);

  std::deque<node> nodes_;
  std::uint32_t visit_ = 0;
  std::vector<snapshot> reached_;
};

}  // namespace upsweep::sim
