/// The control-flow graph that paths have taken, and its nest of loops.
#pragma once

#include <upsweep/sim/paths.hpp>

#include <utility>

namespace upsweep::sim {

/// Nodes are the distinct words of the paths; node 0 stands before the first word of each.
class flow_graph {
 public:
  /// Where a node stands: for each loop around it, from the outside in, the loop and the node's or
  /// inner loop's place in its order.
  struct node {
    std::vector<unsigned> loops;   ///< around it, the outermost first
    std::vector<unsigned> places;  ///< one more than loops: in the whole, then in each loop
  };

  using edge = std::pair<log_word, log_word>;  ///< from word 0: into the graph

  explicit flow_graph(std::vector<edge> edges);
  /// The edges along these words, after the word `before`.
  static void add_edges(std::vector<edge>& edges, log_word before,
                        std::vector<log_word> const& words);

  [[nodiscard]] unsigned number_of(log_word w) const;
  [[nodiscard]] node const& operator[](unsigned n) const { return nodes_[n]; }
  /// The node at which an iteration of the loop begins.
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
