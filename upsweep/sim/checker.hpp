/// Races and uninitialised reads: what is remembered of the last accesses to each element, and who
/// is known to have been ordered.
#pragma once

#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/order.hpp>
#include <upsweep/sim/state.hpp>

#include <algorithm>
#include <array>
#include <atomic>

namespace upsweep::sim {

/// Blocks run in parallel when they are independent; shadows of what several of them read are then
/// written by several threads.
[[nodiscard]] inline stamp peek(stamp& s) {
  return std::atomic_ref<stamp>(s).load(std::memory_order_relaxed);
}
inline void poke(stamp& s, stamp value) {
  std::atomic_ref<stamp>(s).store(value, std::memory_order_relaxed);
}

class checker {
 public:
  checker(findings& found, simt::launch_shape const& shape, std::uint64_t first_serial);

  // Before the access happens. The first two are on the path of every access.
  void read(shadow& s, memory& m, std::uint64_t offset, lane& l, position at);
  void write(shadow& s, memory& m, std::uint64_t offset, lane& l, position at);
  void atomic(memory& m, std::uint64_t offset, emulated::atomic_call const& call, lane& l,
              position at);

  /// After an atomic has happened.
  void published(memory& m, std::uint64_t offset, emulated::atomic_call const& call, lane& l,
                 bool changed);
  void fence(lane& l, bool device_wide, std::memory_order order);
  void started(block& b);
  /// All its threads have returned, and with them its shared memory goes.
  void ended(block& b);
  void barrier_completed(block& b);
  void cluster_completed(cluster& c);
  void warp_synchronised(warp& w, std::uint32_t lanes);

 private:
  [[nodiscard]] unsigned number_of(position at) {
    std::uint64_t const key = __builtin_bit_cast(std::uint64_t, at);
    recent_site const& r = recent_sites_[key / 8 % 256];
    return r.key == key ? r.number : find_number(at);
  }
  [[nodiscard]] unsigned find_number(position at);
  [[nodiscard]] stamp now(lane const& l, position at) {
    return l.of->of->now | static_cast<stamp>(l.index) << 14 |
           static_cast<stamp>(number_of(at)) << 2;
  }
  /// Whether nobody has to think: by the host, in an earlier launch, before the last barrier of
  /// this block, or by this thread.
  [[nodiscard]] bool is_plainly_ordered(lane const& l, stamp s) const {
    block const& b = *l.of->of;
    return s < launch_bound_ || (s >= b.base && s < b.bound) ||
           ((s ^ (b.base | static_cast<stamp>(l.index) << 14)) & thread_bits) == 0;
  }
  [[nodiscard]] bool is_ordered(lane& l, stamp s);
  /// A read of the element that is not ordered before what `l` does now; 0: all are.
  [[nodiscard]] stamp unordered_read(memory& m, lane& l, shadow& s);
  void check_write(shadow& s, memory& m, std::uint64_t offset, lane& l, char const* verb,
                   bool is_atomic, position at);
  void race(memory& m, std::uint64_t offset, lane& l, stamp before, bool before_writes,
            char const* verb, position at);
  void uninitialised(memory& m, std::uint64_t offset, lane& l, position at);
  [[nodiscard]] snapshot take_snapshot(lane const& l, unsigned thread_tick, bool device_wide);
  [[nodiscard]] bool has_heard(lane const& l, stamp s) const;
  static void tick(block& b);

  static constexpr stamp thread_bits = 0xffffffull << 40 | 0x3ffull << 14;

  /// What atomics have left at an address.
  struct location {
    snapshot released = 0;
    stamp writer = 0;
  };
  /// Of several readers, one before the reader that the shadow keeps.
  [[nodiscard]] static stamp& earlier_read(memory& m, shadow const& s) {
    return m.earlier_reads[&s - m.shadows];
  }
  /// Whether the last thing that `l` did was to read this element: then a write of it is an update.
  [[nodiscard]] static bool has_just_read(lane const& l, memory const& m, std::uint64_t offset) {
    return (l.last_access != 0 ? l.last_access : l.access_before) == m.tag + offset + 1;
  }
  [[nodiscard]] bool are_updates(memory const& m, std::uint64_t offset, lane const& l, stamp before,
                                 bool before_writes, bool is_read, position at);
  struct recent_site {
    std::uint64_t key = 0;
    unsigned number = 0;
  };
  findings& found_;
  simt::launch_shape const& shape_;
  std::uint64_t first_serial_;
  stamp launch_bound_;
  order_book book_;
  std::unordered_map<std::uint64_t, location> locations_;
  std::vector<position> sites_;
  std::unordered_map<std::uint64_t, unsigned> site_numbers_;
  std::array<recent_site, 256> recent_sites_{};
  std::array<std::uint16_t, 4096> reads_of_updates_{};  // by the number of the place that writes:
                                                        // where the same thread had just read
};

inline void checker::read(shadow& s, memory& m, std::uint64_t offset, lane& l, position at) {
  stamp const w = peek(s.write), r = peek(s.read);
  block const& b = *l.of->of;
  stamp const base = b.base,
              past = b.bound -
                     base;  // [base, base + past) is what a barrier has put behind this block
  if (w - base >= past && w - 1 >= launch_bound_ - 1) {
    if (w == 0)
      uninitialised(m, offset, l, at);
    else if (!is_plainly_ordered(l, w) && !is_ordered(l, w))
      race(m, offset, l, w, true, "reads", at);
  }
  stamp const mine = now(l, at);
  if (r < launch_bound_ ||
      (r - base < past &&
       (r & 3) != many_blocks)) {  // the first read since it could have been written
    poke(s.read, mine | one_thread);
  } else if (r >> 40 == mine >> 40) {
    stamp const other = (r ^ mine) >> 14 & 0x3ff;  // which bits of the thread differ
    unsigned const kind = other == 0 ? one_thread : other < 32 ? one_warp : one_block;
    if (l.known != 0 &&
        unordered_read(m, l, s) == 0) {  // whoever comes after this read comes after those too
      poke(s.read, mine | one_thread);
    } else {
      if (kind != one_thread && (r & 3) != many_blocks) poke(earlier_read(m, s), r);
      poke(s.read, mine | std::max<stamp>(r & 3, kind));
    }
  } else if (stamp const unordered = unordered_read(m, l, s); unordered == 0) {
    poke(s.read, mine | one_thread);
  } else {
    poke(earlier_read(m, s), unordered);
    poke(s.read, mine | many_blocks);
  }
}

inline void checker::write(shadow& s, memory& m, std::uint64_t offset, lane& l, position at) {
  stamp const w = peek(s.write), r = peek(s.read);
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
