/// Steps through the paths of a warp; the lanes that are furthest back go first.
#include <upsweep/sim/align.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace upsweep::sim {

namespace {

/// One lane's progress along its path.
struct walker {
  path const* along = nullptr;
  unsigned lane = 0;
  std::size_t word = 0;
  std::size_t event = 0;  // the next one
  unsigned at = 0;        // node
  log_word previous = 0;
  std::vector<unsigned> iteration;  // by loop
  std::vector<unsigned>
      iteration_before;  // the same before it reached `at`; kept when logs are aligned in parts

  [[nodiscard]] bool ended() const { return word == along->words.size(); }
};

class aligner {
 public:
  /// `state` may be null: the segment begins here. Lanes of `open` continue after their path.
  aligner(warp_paths const& paths, std::uint32_t open, std::uint32_t waiting,
          partial_segment* state)
      : graph_(edges_of(paths, state)), open_(open), waiting_(waiting) {
    for (unsigned i = 0; i < warp_lanes; ++i) {
      bool const is_empty = paths[i] == nullptr || paths[i]->words.empty();
      if (is_empty && (open >> i & 1) == 0) continue;
      walker& w = walkers_.emplace_back();
      w.along = is_empty ? &nothing : paths[i];
      w.lane = i;
      w.iteration.resize(graph_.loop_count());
      if (state != nullptr) {
        auto const& before = state->lanes[i];
        w.at = graph_.number_of(before.last);
        for (unsigned loop = 0; loop < graph_.loop_count(); ++loop) {
          auto const known = before.iteration.find(graph_.word(graph_.header(loop)));
          if (known != before.iteration.end()) w.iteration[loop] = known->second;
        }
      }
      if (!w.ended()) enter(w);
    }
  }

  std::vector<aligned_step> run() {
    std::vector<aligned_step> steps;
    while (pick()) {
      if (is_event(chosen_[0]->along->words[chosen_[0]->word])) steps.push_back(step());
      for (walker* w : chosen_) advance(*w);
    }
    return steps;
  }

  /// Saves the progress of each lane; a lane with words left is at the word before them.
  void save(partial_segment& state, std::array<std::size_t, warp_lanes>& done) const {
    done.fill(0);
    for (walker const& w : walkers_) {
      done[w.lane] = w.word;
      auto& kept = state.lanes[w.lane];
      if (w.word > 0) kept.last = w.previous;
      for (unsigned loop = 0; loop < graph_.loop_count(); ++loop)
        kept.iteration[graph_.word(graph_.header(loop))] =
            w.ended() ? w.iteration[loop] : w.iteration_before[loop];
    }
  }

 private:
  static inline path const nothing{};

  static std::vector<flow_graph::edge> edges_of(warp_paths const& paths, partial_segment* state) {
    std::vector<flow_graph::edge> edges;
    if (state != nullptr) edges = state->edges;
    std::vector<std::pair<path const*, log_word>> seen;
    for (unsigned i = 0; i < warp_lanes; ++i) {
      std::pair<path const*, log_word> const way{paths[i],
                                                 state == nullptr ? 0 : state->lanes[i].last};
      if (paths[i] == nullptr || std::ranges::find(seen, way) != seen.end()) continue;
      seen.push_back(way);
      flow_graph::add_edges(edges, way.second, paths[i]->words);
    }
    if (state != nullptr) {
      std::ranges::sort(edges);
      edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
      state->edges = edges;
    }
    return edges;
  }

  /// Moves the walker from node `w.at` to its next word.
  void enter(walker& w) {
    unsigned const from = w.at, to = graph_.number_of(w.along->words[w.word]);
    if (open_ != 0) w.iteration_before = w.iteration;
    auto const &old_loops = graph_[from].loops, &loops = graph_[to].loops;
    for (std::size_t d = 0; d < loops.size(); ++d) {
      bool const was_inside = from != 0 && d < old_loops.size() && old_loops[d] == loops[d];
      if (!was_inside)
        w.iteration[loops[d]] = 0;
      else if (graph_.header(loops[d]) == to)
        ++w.iteration[loops[d]];
    }
    w.at = to;
  }

  void advance(walker& w) {
    w.previous = w.along->words[w.word];
    if (is_event(w.along->words[w.word])) ++w.event;
    ++w.word;
    if (!w.ended() && w.along->words[w.word] >> kind_shift == lanes_follow) ++w.word;
    if (!w.ended()) enter(w);
  }

  /// Negative, zero or positive: `a` has run less far than `b`, as far, or farther.
  [[nodiscard]] int compare(walker const& a, walker const& b) const {
    auto const &x = graph_[a.at], &y = graph_[b.at];
    for (std::size_t d = 0;; ++d) {
      if (x.places[d] != y.places[d]) return x.places[d] < y.places[d] ? -1 : 1;
      if (d == x.loops.size()) return 0;  // the same node
      unsigned const loop = x.loops[d];
      if (a.iteration[loop] != b.iteration[loop])
        return a.iteration[loop] < b.iteration[loop] ? -1 : 1;
    }
  }

  /// The lanes of the warp operation at which `w` is; 0 if it is at none.
  [[nodiscard]] static std::uint32_t partners(walker const& w) {
    return w.event < w.along->events.size() && w.along->events[w.event].word == w.word
               ? w.along->events[w.event].participants
               : 0;
  }

  /// Picks lanes that are all at the same warp operation, if every lane of its mask is.
  bool pick_operation() {
    for (walker& w : walkers_) {
      std::uint32_t const wanted = w.ended() ? 0 : partners(w);
      if (wanted == 0) continue;
      chosen_.clear();
      std::uint32_t present = 0;
      for (walker& other : walkers_)
        if (!other.ended() && (wanted >> other.lane & 1) != 0 && partners(other) == wanted) {
          chosen_.push_back(&other);
          present |= 1u << other.lane;
        }
      if (present == wanted) return true;
    }
    return false;
  }

  /// Picks the lanes of the next step; false at the end.
  bool pick() {
    if (has_operations_ && pick_operation()) return true;
    walker const* first = nullptr;
    chosen_.clear();
    for (walker& w : walkers_) {
      if (w.ended()) continue;
      if (partners(w) != 0) {  // waits for its partners
        has_operations_ = true;
        continue;
      }
      int const order = first == nullptr ? -1 : compare(w, *first);
      if (order < 0) {
        chosen_.clear();
        first = &w;
      }
      if (order <= 0) chosen_.push_back(&w);
    }
    if (chosen_.empty()) return has_operations_ && pick_operation();
    // A lane whose log has ended may still reach anything ahead of its last word. A lane that
    // polls has not shown where it goes from there: perhaps to what the others do already.
    return std::ranges::none_of(walkers_, [&](walker const& w) {
      return (w.ended() && (open_ >> w.lane & 1) != 0 && compare(w, *first) < 0) ||
             ((waiting_ >> w.lane & 1) != 0 && !comes_before(first->at, w.at));
    });
  }

  /// Whether a path is known from one node to the other.
  [[nodiscard]] bool comes_before(unsigned from, unsigned to) {
    auto const [known, is_new] = before_.try_emplace({from, to});
    if (is_new) known->second = graph_.reaches(from, to);
    return known->second;
  }

  [[nodiscard]] aligned_step step() const {
    aligned_step s;
    s.event = &chosen_[0]->along->events[chosen_[0]->event];
    for (walker const* w : chosen_) {
      s.mask |= 1u << w->lane;
      s.record[w->lane] = w->along->events[w->event].record;
    }
    return s;
  }

  flow_graph graph_;
  std::uint32_t open_, waiting_;
  std::vector<walker> walkers_;
  std::vector<walker*> chosen_;
  std::map<std::pair<unsigned, unsigned>, bool> before_;
  bool has_operations_ = false;
};

constexpr std::size_t most_steps = std::size_t{1} << 17;  // 20 MB

}  // namespace

std::vector<aligned_step> align(warp_paths const& paths) {
  return aligner(paths, 0, 0, nullptr).run();
}

std::vector<aligned_step> align_part(warp_paths const& paths, std::uint32_t open,
                                     std::uint32_t waiting, partial_segment& state,
                                     std::array<std::size_t, warp_lanes>& done) {
  aligner a(paths, open, waiting, &state);
  auto steps = a.run();
  a.save(state, done);
  return steps;
}

std::size_t alignment_table::key_hash::operator()(warp_paths const& key) const {
  std::uint64_t h = 0;
  for (path const* p : key)
    h = (h ^ (p == nullptr ? 0 : p->number)) * 0xff51afd7ed558ccd, h ^= h >> 32;
  return h;
}

std::vector<aligned_step> const& alignment_table::find(warp_paths const& paths) {
  auto const found = known_.find(paths);
  if (found != known_.end()) return found->second;
  if (steps_ > most_steps) clear();
  auto const& steps = known_.emplace(paths, align(paths)).first->second;
  steps_ += steps.size();
  return steps;
}

void alignment_table::clear() {
  known_.clear();
  steps_ = 0;
}

}  // namespace upsweep::sim
