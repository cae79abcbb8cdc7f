/// Which lanes of a warp step together: the paths of its lanes, aligned loop by loop.
///
/// The lanes of a warp run common code together and divergent code one part after the other; they
/// reconverge after every branch and every loop. The control-flow graph of a segment is built from
/// the paths of that segment alone, and its loop nest from the graph. The lanes that are furthest
/// back in (loop, iteration, topological position) go first. A segment's steps are therefore a
/// function of its own logs: no earlier launch and no schedule changes them.
#pragma once

#include <upsweep/sim/state.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace upsweep::sim {

/// A word of a lane's log: the address that called the hook, of a basic block or an event; the high
/// byte holds the kind.
using log_word = std::uint64_t;
inline constexpr unsigned kind_shift = 56;
inline constexpr std::uint64_t address_mask = (std::uint64_t{1} << 48) - 1;
/// The kind of a word that holds the lane mask of the warp operation before it.
inline constexpr unsigned lanes_follow = 0xff;

[[nodiscard]] constexpr log_word event_word(step_kind kind, std::uint64_t pc) {
  return static_cast<std::uint64_t>(static_cast<unsigned>(kind) + 1) << kind_shift |
         (pc & address_mask);
}
[[nodiscard]] constexpr bool is_event(log_word w) {
  return w >> kind_shift != 0;
}
[[nodiscard]] constexpr step_kind kind_of(log_word w) {
  return static_cast<step_kind>((w >> kind_shift) - 1);
}

/// A source position with an event. Counts are kept per site and reported per line.
struct site {
  position at{};
  unsigned number = 0;
};

struct path_event {
  step_kind kind;
  std::uint32_t record;  ///< index in the lane's data log
  std::uint32_t word;    ///< index in the lane's control log
  site* where;
  std::uint16_t size;          ///< bytes of the element
  std::uint16_t piece;         ///< bytes that one instruction moves
  std::uint32_t participants;  ///< mask of a warp operation
};

struct path {
  unsigned number = 0;
  std::vector<log_word> words;
  std::vector<path_event> events;
};

class path_table {
 public:
  /// The path with these words; `data` holds one record per event.
  [[nodiscard]] path const& find(std::span<log_word const> words, access_record const* data);
  /// Whether the table should be cleared, which invalidates all paths.
  [[nodiscard]] bool full() const;
  void forget_paths();
  /// The site of a position.
  [[nodiscard]] site& site_of(position at);
  [[nodiscard]] std::vector<std::unique_ptr<site>> const& sites() const { return sites_; }

 private:
  path const& add(std::span<log_word const> words, access_record const* data, std::uint64_t hash);

  std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<path>>> by_hash_;
  path const* recent_[64] = {};  // indexed by the low bits of the hash
  unsigned count_ = 0;
  std::size_t words_ = 0;
  std::unordered_map<std::uint64_t, site*> by_position_;
  std::vector<std::unique_ptr<site>> sites_;
};

/// Packs a record's position with the size and the low four bits of the alignment into one word.
[[nodiscard]] inline std::uint64_t pack(position at, layout type) {
  return at.word() | static_cast<std::uint64_t>(type & 0xfffu) << 48 |
         static_cast<std::uint64_t>(type >> 16) << 60;
}
[[nodiscard]] inline position position_of(std::uint64_t packed) {
  return position::of_word(packed & address_mask);
}

/// The control-flow graph of the paths taken, and its loop nest. Nodes are the distinct words of
/// the paths; node 0 is the common predecessor of their first words.
class flow_graph {
 public:
  /// A node's location: for each enclosing loop, outermost first, the loop and the topological
  /// position of the node or of the next inner loop in it.
  struct node {
    std::vector<unsigned> loops;   ///< the enclosing loops, outermost first
    std::vector<unsigned> places;  ///< one more than loops: in the graph, then in each loop
  };

  using edge = std::pair<log_word, log_word>;  ///< from word 0: into the graph

  explicit flow_graph(std::vector<edge> edges);
  /// Appends the edges along these words, of which `before` is the predecessor.
  static void add_edges(std::vector<edge>& edges, log_word before,
                        std::vector<log_word> const& words);

  [[nodiscard]] unsigned number_of(log_word w) const;
  [[nodiscard]] node const& operator[](unsigned n) const { return nodes_[n]; }
  /// Whether a path leads from one node to the other, or they are the same.
  [[nodiscard]] bool reaches(unsigned from, unsigned to) const;
  /// The loop's header: the node at which an iteration begins.
  [[nodiscard]] unsigned header(unsigned loop) const { return headers_[loop]; }
  [[nodiscard]] log_word word(unsigned n) const { return n == 0 ? 0 : words_[n - 1]; }
  [[nodiscard]] unsigned loop_count() const { return static_cast<unsigned>(headers_.size()); }

 private:
  void order(std::vector<unsigned> const& region, std::vector<unsigned> const& entries,
             unsigned removed_header);

  std::vector<log_word> words_;               // of nodes 1, 2, ..., ascending
  std::vector<std::vector<unsigned>> after_;  // edges
  std::vector<std::vector<unsigned>> before_;
  std::vector<node> nodes_;
  std::vector<unsigned> headers_;
};

inline constexpr unsigned warp_lanes = 32;
/// Indexed by lane; null where a lane has done nothing.
using warp_paths = std::array<path const*, warp_lanes>;

/// What the lanes of `mask` do together.
struct aligned_step {
  path_event const* event = nullptr;  ///< of its first lane
  std::uint32_t mask = 0;
  std::array<std::uint32_t, warp_lanes> record{};  ///< index of its record, for the lanes of `mask`
};

/// The steps of a warp whose paths differ.
[[nodiscard]] std::vector<aligned_step> align(warp_paths const& paths);

/// The state of a segment that is aligned in parts because its logs would become too long.
struct partial_segment {
  struct lane_state {
    log_word last = 0;  ///< the last word that it has completed; 0 at the start
    std::unordered_map<log_word, unsigned>
        iteration;  ///< of each loop, keyed by the word of its header
  };
  std::array<lane_state, warp_lanes> lanes;
  std::vector<std::pair<log_word, log_word>> edges;  ///< of the graph so far
};

/// Aligns as far as is possible while the lanes of `open` have yet to continue, of which those of
/// `waiting` poll. `done` receives the number of words of each lane that have been consumed.
[[nodiscard]] std::vector<aligned_step> align_part(warp_paths const& paths, std::uint32_t open,
                                                   std::uint32_t waiting, partial_segment& state,
                                                   std::array<std::size_t, warp_lanes>& done);

/// Caches alignments: divergence repeats from block to block.
class alignment_table {
 public:
  [[nodiscard]] std::vector<aligned_step> const& find(warp_paths const& paths);
  void clear();

 private:
  struct key_hash {
    [[nodiscard]] std::size_t operator()(warp_paths const& key) const;
  };
  std::unordered_map<warp_paths, std::vector<aligned_step>, key_hash> known_;
  std::size_t steps_ = 0;
};

}  // namespace upsweep::sim
