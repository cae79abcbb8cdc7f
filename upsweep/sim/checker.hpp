/// Races and uninitialised reads: the epochs of the last accesses to each element, and the
/// happens-before relation between threads.
#pragma once

#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/order.hpp>
#include <upsweep/sim/state.hpp>

#include <algorithm>
#include <array>
#include <atomic>

namespace upsweep::sim {

/// Independent blocks run on several host threads, which then write the shadows of shared input
/// concurrently: hence the relaxed atomics.
[[nodiscard]] inline epoch peek(epoch& s) {
  return std::atomic_ref<epoch>(s).load(std::memory_order_relaxed);
}
inline void poke(epoch& s, epoch value) {
  std::atomic_ref<epoch>(s).store(value, std::memory_order_relaxed);
}

class checker {
 public:
  checker(findings& found, simt::launch_shape const& shape, std::uint64_t first_serial);

  // Called before the access. The first two are on the path of every access.
  void read(shadow& s, memory& m, std::uint64_t offset, lane& l, position at);
  void write(shadow& s, memory& m, std::uint64_t offset, lane& l, position at);
  void atomic(memory& m, std::uint64_t offset, atomic_call const& call, lane& l, position at);

  /// Called after an atomic.
  void published(memory& m, std::uint64_t offset, atomic_call const& call, lane& l, bool changed);
  void fence(lane& l, bool device_wide, std::memory_order order);
  void started(block& b);
  /// All threads of the block have returned; its shared memory is released.
  void ended(block& b);
  void barrier_completed(block& b);
  void cluster_completed(cluster& c);
  void warp_synchronised(warp& w, std::uint32_t lanes);

 private:
  [[nodiscard]] unsigned number_of(position at) {
    std::uint64_t const key = at.word();
    recent_site const& r = recent_sites_[key / 8 % 256];
    return r.key == key ? r.number : find_number(at);
  }
  [[nodiscard]] unsigned find_number(position at);
  [[nodiscard]] epoch now(lane const& l, position at) {
    return l.of->of->now | static_cast<epoch>(l.index) << 14 |
           static_cast<epoch>(number_of(at)) << 2;
  }
  /// The cheap test: the access was made by the host, in an earlier launch, before the last barrier
  /// of this block, or by this thread.
  [[nodiscard]] bool is_trivially_ordered(lane const& l, epoch s) const {
    block const& b = *l.of->of;
    return s < launch_bound_ || (s >= b.base && s < b.bound) ||
           ((s ^ (b.base | static_cast<epoch>(l.index) << 14)) & thread_bits) == 0;
  }
  [[nodiscard]] bool is_ordered(lane& l, epoch s);
  /// A read of the element that does not happen before the current access of `l`; 0 if there is
  /// none.
  [[nodiscard]] epoch unordered_read(memory& m, lane& l, shadow& s);
  void check_write(shadow& s, memory& m, std::uint64_t offset, lane& l, char const* verb,
                   bool is_atomic, position at);
  void race(memory& m, std::uint64_t offset, lane& l, epoch before, bool before_writes,
            char const* verb, position at);
  void uninitialised(memory& m, std::uint64_t offset, lane& l, position at);
  [[nodiscard]] snapshot take_snapshot(lane const& l, unsigned thread_tick, bool device_wide);
  [[nodiscard]] bool has_observed(lane const& l, epoch s) const;
  static void tick(block& b);

  static constexpr epoch thread_bits = 0xffffffull << 40 | 0x3ffull << 14;

  /// The last release at an address, by atomics.
  struct location {
    snapshot released = 0;
    epoch writer = 0;
  };
  /// If there are several readers: one of those before the reader in the shadow.
  [[nodiscard]] static epoch& earlier_read(memory& m, shadow const& s) {
    return m.earlier_reads[&s - m.shadows];
  }
  /// Whether the last access of `l` was a read of this element: a write to it is then an update.
  [[nodiscard]] static bool has_just_read(lane const& l, memory const& m, std::uint64_t offset) {
    return (l.last_access != 0 ? l.last_access : l.access_before) == m.tag + offset + 1;
  }
  [[nodiscard]] bool are_updates(memory const& m, std::uint64_t offset, lane const& l, epoch before,
                                 bool before_writes, bool is_read, position at);
  struct recent_site {
    std::uint64_t key = 0;
    unsigned number = 0;
  };
  findings& found_;
  simt::launch_shape const& shape_;
  std::uint64_t first_serial_;
  epoch launch_bound_;
  happens_before order_;
  std::unordered_map<std::uint64_t, location> locations_;
  std::vector<position> sites_;
  std::unordered_map<std::uint64_t, unsigned> site_numbers_;
  std::array<recent_site, 256> recent_sites_{};
  // The site of the read of an update, indexed by the site of its write.
  std::array<std::uint16_t, 4096> reads_of_updates_{};
};

inline void checker::read(shadow& s, memory& m, std::uint64_t offset, lane& l, position at) {
  epoch const w = peek(s.write), r = peek(s.read);
  block const& b = *l.of->of;
  // A barrier of this block orders the epochs [base, base + past) before the access.
  epoch const base = b.base, past = b.bound - base;
  if (w - base >= past && w - 1 >= launch_bound_ - 1) {
    if (w == 0)
      uninitialised(m, offset, l, at);
    else if (!is_trivially_ordered(l, w) && !is_ordered(l, w))
      race(m, offset, l, w, true, "reads", at);
  }
  epoch const mine = now(l, at);
  // The first read since the last point at which the element could have been written.
  if (r < launch_bound_ || (r - base < past && (r & 3) != many_blocks)) {
    poke(s.read, mine | one_thread);
  } else if (r >> 40 == mine >> 40) {
    epoch const other = (r ^ mine) >> 14 & 0x3ff;  // the bits in which the threads differ
    unsigned const kind = other == 0 ? one_thread : other < 32 ? one_warp : one_block;
    // What happens after this read happens after the earlier ones too.
    if (l.known != 0 && unordered_read(m, l, s) == 0) {
      poke(s.read, mine | one_thread);
    } else {
      if (kind != one_thread && (r & 3) != many_blocks) poke(earlier_read(m, s), r);
      poke(s.read, mine | std::max<epoch>(r & 3, kind));
    }
  } else if (epoch const unordered = unordered_read(m, l, s); unordered == 0) {
    poke(s.read, mine | one_thread);
  } else {
    poke(earlier_read(m, s), unordered);
    poke(s.read, mine | many_blocks);
  }
}

inline void checker::write(shadow& s, memory& m, std::uint64_t offset, lane& l, position at) {
  epoch const w = peek(s.write), r = peek(s.read);
  block const& b = *l.of->of;
  bool const after_barrier = w >= b.base && w < b.bound &&
                             (r == 0 || (r >= b.base && r < b.bound && (r & 3) != many_blocks));
  bool const untouched = w < launch_bound_ && r < launch_bound_;
  if (!after_barrier && !untouched) check_write(s, m, offset, l, "writes", false, at);
  if (has_just_read(l, m, offset))
    reads_of_updates_[number_of(at)] = static_cast<std::uint16_t>(number_of(l.last_at));
  poke(s.write, now(l, at) | plain_write);
  poke(s.read, 0);
}

}  // namespace upsweep::sim
