/// The logs of the lanes, which become steps, counts and trace when a warp synchronizes.
#pragma once

#include <upsweep/sim/align.hpp>
#include <upsweep/sim/options.hpp>
#include <upsweep/sim/report.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace upsweep::sim {

/// What a trace adds to the record of an event.
struct event_value {
  std::byte bytes[16];      ///< the first bytes of the value that it read, wrote or computed
  std::uint64_t when = 0;   ///< counts the accesses of the launch in the order of their execution
  std::uint32_t polls = 0;  ///< of an atomic that polled: how often it did so again
  bool changes = false;     ///< an atomic that wrote
  bool failed = false;      ///< a compare-and-swap that found another value than it expected
  bool unwritten = false;   ///< a read of what has never been written
};

/// Set in the address of a record whose atomic polled.
inline constexpr std::uint64_t is_poll = std::uint64_t{1} << 47;
inline constexpr std::uint64_t offset_mask = is_poll - 1;
/// Set in the number of a shared array, which an address holds in its high 16 bits.
inline constexpr unsigned shared_flag = 0x8000;

/// The counts of a launch per site and per buffer.
struct launch_counts {
  std::deque<counters> sites;                   ///< indexed by site number
  std::vector<element_counts> buffers, arrays;  ///< indexed by number and by slot
};

class recorder {
 public:
  recorder(options const& how, path_table& paths, alignment_table& alignments);
  ~recorder();
  recorder(recorder const&) = delete;
  recorder& operator=(recorder const&) = delete;

  /// Whether lanes keep logs; whether values are recorded with them.
  [[nodiscard]] bool on() const { return on_; }
  [[nodiscard]] bool tracing() const { return tracing_; }

  /// Gives a lane an empty log for the current segment.
  void open(lane& l);
  /// Makes room in the log of a suspended lane. Returns false when it has reached its maximum,
  /// unless `even_more`.
  [[nodiscard]] bool grow(lane& l, bool even_more = false);
  /// Aligns what can be aligned before the lanes of `open` continue, of which those of `waiting`
  /// may go on anywhere; the rest stays in the logs.
  void drain(warp& w, std::uint32_t open, std::uint32_t waiting);
  /// The end of a turn of the running lane, whose log ends where the next turn begins.
  static void mark_observed(lane& l);
  /// The running lane has repeated in this turn what it did before: removes the repetition from its
  /// log, as whole rounds of a loop.
  static void forget_repetition(lane const& l);
  /// The warp's segment has ended: all its lanes have returned or reached a synchronization.
  void close(warp& w);
  void close(warp& w, step_kind kind, std::uint32_t mask, position at);
  /// The lanes of `mask` have shuffled or voted while other lanes of the warp were elsewhere.
  void partial_operation(warp& w, step_kind kind, std::uint32_t mask);
  void count_barrier(block& b, step_kind kind, position at);
  /// The last record of the running lane is a volatile load that polled.
  void note_poll_of_load() { loads_poll_ = true; }

  [[nodiscard]] launch_counts& counted() { return counted_; }
  [[nodiscard]] std::vector<step>& steps() { return steps_; }
  [[nodiscard]] path_table& paths() { return paths_; }

 private:
  struct shape {
    step_kind kind;
    site* where;
    unsigned size, piece;
  };
  void settle(warp& w);
  [[nodiscard]] warp_paths paths_of(warp& w);
  void take_steps(warp& w, warp_paths const& paths);
  void uniform_steps(warp& w, std::uint32_t lanes, path const& p);
  void take(warp& w, shape const& s, std::uint32_t mask, std::uint32_t const* records);
  void take_access(warp& w, shape const& s, std::uint32_t mask, std::uint32_t const* records,
                   counters& at_site, step* traced);
  void take_atomic(warp& w, shape const& s, std::uint32_t mask, std::uint32_t const* records,
                   counters& at_site);
  void synchronize(warp& w, step_kind kind, std::uint32_t mask, position at);
  void trace_lanes(warp& w, shape const& s, std::uint32_t mask, std::uint32_t const* records,
                   step& traced);
  void trace_shuffle(warp& w, std::uint32_t mask, step& traced);
  [[nodiscard]] std::uint32_t without_polls(warp& w, std::uint32_t mask,
                                            std::uint32_t const* records, counters& at_site);
  [[nodiscard]] counters& of_site(site const& s);
  [[nodiscard]] std::byte* take_slab();

  bool on_, tracing_;
  bool loads_poll_ = false;  // some have
  path_table& paths_;
  alignment_table& alignments_;
  launch_counts counted_;
  std::vector<step> steps_;
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  std::vector<std::byte*> idle_slabs_;
};

/// The slot for the value of the record at `data`.
[[nodiscard]] event_value* value_slot(lane const& l, access_record const* data);

}  // namespace upsweep::sim
