/// Races, uninitialized and undefined values: the epochs of the last accesses to each element, and
/// the happens-before relation between threads.
#pragma once

#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/order.hpp>
#include <upsweep/sim/races.hpp>
#include <upsweep/sim/state.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace upsweep::sim {

/// Values that shuffles leave undefined, and whether a lane goes on to compute with them.
///
/// The usual tail of a reduction reads lanes that take no part and ignores what it gets. The
/// emulator cannot see what the compiled code does with a value, but it sees what the lane passes
/// on and writes: a lane that got `got` beside its own `kept` has used it if that is a result of
/// the two, or anything else but `kept` although it has read no memory in between.
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

/// Finds the started copy that will fill this place. Set when the first copy starts.
extern constinit std::atomic<position (*)(std::byte const*)> copy_to;

/// Independent blocks run on several host threads, which then write the shadows of shared input
/// concurrently: hence the relaxed atomics.
[[nodiscard]] inline epoch peek(epoch& s) {
  return std::atomic_ref<epoch>(s).load(std::memory_order_relaxed);
}
inline void poke(epoch& s, epoch value) {
  std::atomic_ref<epoch>(s).store(value, std::memory_order_relaxed);
}

/// For each element it is exact whether two conflicting accesses are unordered: what was found
/// depends on the order of the accesses only as far as happens-before does. (Of more than 64
/// threads that access one element concurrently, some are forgotten.)
class checker {
 public:
  /// `alone`: no other host thread runs blocks of this launch.
  checker(findings& found, simt::launch_shape const& shape, std::uint64_t first_serial, bool alone);

  // Called before the access. The first two are on the path of every access.
  void read(shadow& s, memory& m, std::uint64_t offset, lane& l, position at);
  void write(shadow& s, memory& m, std::uint64_t offset, lane& l, position at);
  void atomic(memory& m, std::uint64_t offset, atomic_call const& call, lane& l, position at);

  /// The load that follows may see an older value, if this launch has written the element.
  void read_only(memory& m, std::uint64_t offset, lane const& l, position at);
  /// Called after an atomic.
  void published(memory& m, std::uint64_t offset, atomic_call const& call, lane& l, bool changed);
  void fence(lane& l, bool device_wide, std::memory_order order);
  void started(block& b);
  /// All threads of the block have returned; its shared memory is released.
  void ended(block& b);
  void barrier_completed(block& b);
  void cluster_completed(cluster& c);
  void warp_synchronized(warp& w, std::uint32_t lanes);
  [[nodiscard]] undefined_values& undefined() { return undefined_; }
  /// The launch has ended: the races that were held back are findings.
  void finish() {
    undefined_.settle();
    races_.report_all();
  }

  /// `l` has started a copy to these bytes: until it is complete they have no value.
  void copy_started(memory& m, std::uint64_t offset, unsigned bytes, lane& l);

  /// Whether nothing has been written to the element at `offset`, of memory with shadows.
  [[nodiscard]] static bool is_unwritten(memory const& m, std::uint64_t offset);

 private:
  [[nodiscard]] epoch now(lane const& l, position at) {
    return l.of->of->now | static_cast<epoch>(l.index) << 14 |
           static_cast<epoch>(races_.number_of(at)) << 2;
  }
  /// The cheap test: the access was made by the host, in an earlier launch, before the last barrier
  /// of this block, or by this thread.
  [[nodiscard]] bool is_trivially_ordered(lane const& l, epoch s) const {
    block const& b = *l.of->of;
    return s < launch_bound_ || (s >= b.base && s < b.bound) ||
           ((s ^ (b.base | static_cast<epoch>(l.index) << 14)) & thread_bits) == 0;
  }
  [[nodiscard]] bool is_ordered(lane& l, epoch s);
  /// An access of the set that does not happen before the current one of `l`; 0 if there is none.
  [[nodiscard]] epoch unordered(access_set const& of, lane& l, bool only_plain = false);
  [[nodiscard]] epoch unordered_read(memory& m, lane& l, shadow& s, bool by_atomic);
  [[nodiscard]] history* history_of(memory& m, shadow const& s) {
    return histories_.find(m, static_cast<std::uint64_t>(&s - m.shadows));
  }
  [[nodiscard]] history* made_history(memory& m, shadow const& s);
  void check_after(epoch w, shadow& s, memory& m, std::uint64_t offset, lane& l, position at,
                   access_verb verb);
  void read_by_several(shadow& s, memory& m, epoch mine);
  void check_write(shadow& s, memory& m, std::uint64_t offset, lane& l, position at);
  void atomic_load(shadow& s, memory& m, epoch mine);
  void atomic_update(shadow& s, memory& m, epoch mine);
  [[nodiscard]] bool read_at_end(block const& b, memory& m, std::uint64_t element);
  /// The plain read of the element by `l` is no race: its compare-and-swap has checked the value.
  void excuse_read(shadow& s, memory& m, std::uint64_t offset, lane const& l);
  void race(memory& m, std::uint64_t offset, lane& l, epoch before, bool before_writes,
            access_verb verb, position at, bool by_atomic = false);
  /// Updates by plain accesses, as far as the accesses so far tell.
  void find_updates(race_facts& r, memory& m, std::uint64_t offset, lane& l);
  /// The plain read of the element by `l` since its block's last barrier; 0 if there is none.
  [[nodiscard]] epoch own_read(memory& m, shadow& s, lane const& l);
  /// Volatile accesses within a block, and atomics of a block's scope beside those of other blocks,
  /// are ordered no better than plain ones.
  void weak_atomic_access(shadow& s, memory& m, std::uint64_t offset, atomic_call const& call,
                          lane& l, position at);
  [[nodiscard]] epoch weak_conflict(access_set const& of, bool atomics, bool is_flag,
                                    atomic_call const& call, lane& l);
  /// A volatile load of what another thread has stored before it set a flag that `l` has seen, with
  /// no fence between the two stores.
  void check_unfenced(memory& m, shadow& s, std::uint64_t offset, lane& l, position at);
  /// The flag by which `l` could have heard of the access to this element, which is another one.
  [[nodiscard]] static std::optional<heard_flag> flag_between(lane const& l, epoch s,
                                                              memory const& m,
                                                              std::uint64_t offset);
  [[nodiscard]] static bool holds_poison(memory const& m, std::uint64_t offset);
  void uninitialized(memory& m, std::uint64_t offset, lane& l, position at);
  static void add_parts(std::vector<known_part>& parts, lane const& l, release_point const& at);
  [[nodiscard]] snapshot take_snapshot(lane const& l, release_point const& at);
  [[nodiscard]] static release_point point_of(lane const& l);
  [[nodiscard]] snapshot released_by_fence(lane& l, bool device_wide);
  static void tick(block& b);
  /// A plain write has replaced the value that released.
  void forget_release(memory const& m, std::uint64_t offset) {
    if (!locations_.empty()) locations_.erase(m.identity + offset);
  }

  /// The last release at an address, by atomics.
  struct location {
    snapshot released = 0;
    // The same of releases that extend to one block only.
    std::vector<std::pair<std::uint64_t, snapshot>> in_block;
    std::uint64_t first_writer = 0, last_writer = 0;  // serial numbers of blocks
    epoch only_writer = 0;                            // 0 if there are several
    std::vector<unfenced_store> after;                // what its writers had stored without a fence
  };
  void acquire_from(memory& m, std::uint64_t offset, atomic_call const& call, lane& l, position at);
  void atomic_access(memory& m, std::uint64_t offset, atomic_call const& call, lane& l,
                     position at);
  void acquire(location const& from, atomic_call const& call, lane& l);
  void release(location& to, atomic_call const& call, lane& l);
  void add_release(location& to, snapshot released, bool device_wide, block const& by);
  void note_unfenced(location& to, std::uint64_t place, atomic_call const& call, lane& l);

  findings& found_;
  undefined_values undefined_;
  bool any_of_block_ = false;    // an atomic of a block's scope has been executed
  bool any_unfenced_ = false;    // a location has been written after an unfenced store
  bool is_lost_update_ = false;  // the plain write that is being checked completes one
  std::uint64_t first_serial_;
  bool alone_;
  epoch launch_bound_;
  happens_before order_;
  histories histories_;
  races races_;
  std::unordered_map<std::uint64_t, location> locations_;
};

inline void checker::read(shadow& s, memory& m, std::uint64_t offset, lane& l, position at) {
  epoch const w = peek(s.write), r = peek(s.read);
  block const& b = *l.of->of;
  // A barrier of this block orders the epochs [base, base + past) before the access.
  epoch const base = b.base, past = b.bound - base;
  if (w - base >= past && w - 1 >= launch_bound_ - 1)
    check_after(w, s, m, offset, l, at, access_verb::reads);
  epoch const mine = now(l, at);
  // The first read since the last point at which the element could have been written.
  if (r < launch_bound_ || (r - base < past && (r & 3) != many_blocks))
    poke(s.read, mine | one_thread);
  else if (((r ^ mine) & thread_bits) == 0)
    poke(s.read, mine | (r & 3));
  else
    read_by_several(s, m, mine);
}

inline void checker::write(shadow& s, memory& m, std::uint64_t offset, lane& l, position at) {
  epoch const w = peek(s.write), r = peek(s.read);
  block const& b = *l.of->of;
  bool const after_barrier = w >= b.base && w < b.bound &&
                             (r == 0 || (r >= b.base && r < b.bound && (r & 3) != many_blocks));
  bool const untouched = w < launch_bound_ && r < launch_bound_;
  if (!after_barrier && !untouched) check_write(s, m, offset, l, at);
  if (((r ^ (b.base | static_cast<epoch>(l.index) << 14)) & thread_bits) == 0 && r >= b.bound &&
      kind_of_epoch(r) == one_thread)
    races_.note_update(site_of(r), at);
  if (undefined_.any()) [[unlikely]]
    undefined_.write(l, at, m.data + offset, m.element_bytes, nullptr);
  poke(s.write, now(l, at) | plain_write);
  poke(s.read, 0);
}

}  // namespace upsweep::sim
