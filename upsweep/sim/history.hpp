/// The accesses to one element by several threads, of which one epoch cannot tell the order.
#pragma once

#include <upsweep/sim/order.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace upsweep::sim {

struct memory;

/// The bits of an epoch that name its block and thread.
inline constexpr epoch thread_bits = 0xffffffull << 40 | 0x3ffull << 14;

/// A value instead of an epoch in a shadow: several blocks have accessed the element, or atomics
/// have read it, and its history knows which. No block has this serial number.
inline constexpr epoch see_history = epoch{0xffffff} << 40 | 3;

/// Of each thread its last access. Complete up to `room` threads; of more, two blocks and the
/// latest threads are kept.
class access_set {
 public:
  void add(epoch s, std::size_t room);
  /// Removes the access by the thread of `s` with the same low bits, unless it was before `since`.
  void remove(epoch s, epoch since);
  [[nodiscard]] epoch take_last();
  void clear() {
    of_.clear();
    next_ = 0;
  }
  [[nodiscard]] bool empty() const { return of_.empty(); }
  [[nodiscard]] auto begin() const { return of_.begin(); }
  [[nodiscard]] auto end() const { return of_.end(); }

 private:
  std::vector<epoch> of_;
  std::size_t next_ = 0;  // the position of the next one, when it is full
};

/// What a shadow cannot hold of its element.
struct history {
  std::uint64_t begin = 0, bytes = 0;  ///< the element: memory::identity plus its offset
  access_set reads;                    ///< plain, and by atomic loads: their kind is by_atomic
  access_set atomics;                  ///< atomic writes since the plain one
  epoch plain_write = 0;               ///< the last before the atomic ones
};

/// The low bits of an epoch in history::reads.
enum history_kind : unsigned { by_plain_read = 0, by_atomic_load = 2 };

/// The histories of the elements that need one, in one launch.
class histories {
 public:
  histories() : all_(1) {}

  /// Null if the element has none.
  [[nodiscard]] history* find(memory& m, std::uint64_t element);
  /// An empty one if it has none.
  [[nodiscard]] history& of(memory& m, std::uint64_t element);
  /// The threads that a set may hold: two warps, or less where a great many elements have one.
  [[nodiscard]] std::size_t room() const { return all_.size() - free_.size() < many ? 64 : 8; }
  /// The elements of `m` are no longer accessed.
  void forget(memory const& m);

 private:
  static constexpr std::size_t many = std::size_t{1} << 17;
  history& add(memory& m, std::uint64_t element);

  std::deque<history> all_;
  std::vector<std::uint32_t> free_;
};

}  // namespace upsweep::sim
