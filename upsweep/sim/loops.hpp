/// The control-flow graph of the paths taken, and its loop nest.
#pragma once

#include <upsweep/sim/paths.hpp>

#include <utility>
#include <vector>

namespace upsweep::sim {

/// Nodes are the distinct words of the paths; node 0 is the common predecessor of their first
/// words.
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

}  // namespace upsweep::sim
