/// The happens-before relation that releases and acquires establish.
///
/// A release takes a snapshot of what its thread knows. Snapshots refer to their parents, so that a
/// chain of a thousand blocks costs a thousand small nodes and not a thousand vector clocks of a
/// thousand entries. A snapshot that many others refer to, such as the last arrival at a barrier,
/// gets a table of all that it knows; searches end there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace upsweep::sim {

/// An epoch in the sense of FastTrack: which thread accessed an element, when, and at which site.
/// From the high end: block serial 24 bits, tick 16, thread 10, site 12, kind 2. Within a block it
/// increases with logical time. 0: never accessed.
using epoch = std::uint64_t;

[[nodiscard]] constexpr std::uint64_t serial_of(epoch s) {
  return s >> 40;
}
[[nodiscard]] constexpr unsigned tick_of(epoch s) {
  return static_cast<unsigned>(s >> 24 & 0xffff);
}
[[nodiscard]] constexpr unsigned thread_of(epoch s) {
  return static_cast<unsigned>(s >> 14 & 0x3ff);
}
[[nodiscard]] constexpr unsigned site_of(epoch s) {
  return static_cast<unsigned>(s >> 2 & 0xfff);
}
[[nodiscard]] constexpr unsigned kind_of_epoch(epoch s) {
  return static_cast<unsigned>(s & 3);
}
[[nodiscard]] constexpr epoch epoch_at(std::uint64_t serial, unsigned tick) {
  return serial << 40 | static_cast<epoch>(tick) << 24;
}

/// The low bits of epochs. A write is the last one; of plain writes only that one matters, and of
/// atomic ones the element's history (races.hpp) has the others. The same holds for reads by
/// several threads.
enum write_kind : unsigned { plain_write = 1, atomic_write = 2 };
enum read_kind : unsigned { one_thread = 0, one_block = 2, many_blocks = 3 };

inline constexpr epoch host_write = plain_write;

/// The accesses by `who` in block `serial` before `tick`. A barrier orders whole blocks, __syncwarp
/// orders warps, a release orders single threads.
struct known_part {
  static constexpr std::uint32_t whole = 0xffff, warps = 0x8000;

  std::uint64_t serial;
  std::uint32_t who;  ///< a thread, warps + a warp, or whole
  std::uint32_t tick;

  [[nodiscard]] bool covers(epoch s) const {
    if (serial_of(s) != serial || tick_of(s) >= tick) return false;
    return who == whole || (who >= warps ? thread_of(s) / 32 == who - warps : thread_of(s) == who);
  }
};

/// The index of a snapshot; 0 is the empty one.
using snapshot = std::uint32_t;

class happens_before {
 public:
  happens_before() : nodes_(1) {}

  /// A snapshot of `parts` and of everything in `a`, `b` and `c`.
  [[nodiscard]] snapshot make(std::vector<known_part> parts, snapshot a, snapshot b, snapshot c);
  /// The union of two snapshots; creates none if one contains the other directly.
  [[nodiscard]] snapshot join(snapshot a, snapshot b);
  /// The union of many, for a barrier of block `serial`: it orders the block's own accesses, which
  /// may be left out.
  [[nodiscard]] snapshot join(std::vector<snapshot> all, std::uint64_t serial);
  [[nodiscard]] bool knows(snapshot s, epoch access);

 private:
  /// All that a snapshot knows, sorted: the latest tick of every `who` of every block.
  using table = std::vector<known_part>;
  struct node {
    std::vector<known_part> parts;
    snapshot from[3] = {};
    std::uint32_t children = 0;  // snapshots that refer to this one
    std::uint32_t visited = 0;
    std::uint32_t long_searches = 0;  // that began here
    table known;                      // empty until it is needed
  };
  void reach(snapshot s, std::uint32_t visit);
  [[nodiscard]] table collect(std::vector<snapshot> const& from);
  [[nodiscard]] static bool has(table const& known, epoch access);

  std::deque<node> nodes_;
  std::uint32_t visit_ = 0;
  std::vector<snapshot> reached_;
};

}  // namespace upsweep::sim
