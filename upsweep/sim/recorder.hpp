/// The logs of the lanes, and what becomes of them when a warp synchronises: steps, counts, trace.
#pragma once

#include <upsweep/sim/align.hpp>
#include <upsweep/sim/options.hpp>
#include <upsweep/sim/report.hpp>

#include <deque>

namespace upsweep::sim {

/// The first 16 bytes of what an event read, wrote or made; kept beside the records when tracing.
struct event_value {
  std::byte bytes[16];
};

/// Set in the place of a record whose atomic found what it had found before.
inline constexpr std::uint64_t is_poll = std::uint64_t{1} << 47;
inline constexpr std::uint64_t offset_mask = is_poll - 1;
/// Set in the number of a shared array, which its place carries in the high 16 bits.
inline constexpr unsigned shared_flag = 0x8000;

/// What a launch has been counted to, site by site and buffer by buffer.
struct launch_counts {
  std::deque<counters> sites;                   ///< by number of the site
  std::vector<element_counts> buffers, arrays;  ///< by number, by slot
};

class recorder {
 public:
  recorder(options const& how, path_table& paths, alignment_table& alignments);
  ~recorder();
  recorder(recorder const&) = delete;
  recorder& operator=(recorder const&) = delete;

  /// Whether lanes keep logs, and whether values are kept with them.
  [[nodiscard]] bool on() const { return on_; }
  [[nodiscard]] bool tracing() const { return tracing_; }

  /// Gives a lane its empty log of the current segment.
  void open(lane& l);
  /// Makes room in the log of a suspended lane; false, unless `even_more`, when it is as long as it
  /// should get.
  [[nodiscard]] bool grow(lane& l, bool even_more = false);
  /// Aligns what can be aligned before the lanes of `open` go on, and keeps the rest in their logs.
  void drain(warp& w, std::uint32_t open);
  /// The warp's segment has ended: all its lanes have returned, or those of `mask` have come to a
  /// synchronisation.
  void close(warp& w);
  void close(warp& w, step_kind kind, std::uint32_t mask, position at);
  /// The lanes of `mask` have shuffled or voted while others of the warp were elsewhere.
  void partial_operation(warp& w, step_kind kind, std::uint32_t mask);
  void count_barrier(block& b, step_kind kind, position at);

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
  void synchronise(warp& w, step_kind kind, std::uint32_t mask, position at);
  void trace_lanes(warp& w, shape const& s, std::uint32_t mask, std::uint32_t const* records,
                   step& traced);
  void trace_shuffle(warp& w, std::uint32_t mask, step& traced);
  [[nodiscard]] counters& of_site(site const& s);
  [[nodiscard]] std::byte* take_slab();

  bool on_, tracing_;
  path_table& paths_;
  alignment_table& alignments_;
  launch_counts counted_;
  std::vector<step> steps_;
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  std::vector<std::byte*> idle_slabs_;
};

/// Where the value of the record at `data` goes.
[[nodiscard]] event_value* value_slot(lane const& l, emulated::access_record const* data);

}  // namespace upsweep::sim
