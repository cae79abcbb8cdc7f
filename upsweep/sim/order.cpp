/// The graph of snapshots, searched backwards.
#include <upsweep/sim/order.hpp>

#include <algorithm>

namespace upsweep::sim {

namespace {
constexpr std::uint32_t questions_before_index = 16;
}  // namespace

snapshot happens_before::make(std::vector<known_part> parts, snapshot a, snapshot b, snapshot c,
                              std::uint64_t only_for) {
  node& n = nodes_.emplace_back();
  n.parts = std::move(parts);
  n.from[0] = a;
  n.from[1] = b == a ? 0 : b;
  n.from[2] = c == a || c == b ? 0 : c;
  n.only_for = only_for;
  return static_cast<snapshot>(nodes_.size() - 1);
}

snapshot happens_before::join(snapshot a, snapshot b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  for (auto const& [large, small] : {std::pair{a, b}, std::pair{b, a}})
    for (snapshot const s : nodes_[large].from)
      if (s == small) return large;
  return make({}, a, b, 0, 0);
}

/// Searches s and its ancestors breadth-first. A snapshot that is queried often gets an index.
bool happens_before::knows(snapshot s, epoch access) {
  if (s == 0) return false;
  node& asked = nodes_[s];
  if (!asked.index.empty() || ++asked.questions > questions_before_index) {
    if (asked.index.empty()) build_index(s);
    auto const [begin, end] = asked.index.equal_range(serial_of(access));
    return std::any_of(begin, end, [&](auto const& entry) { return entry.second.covers(access); });
  }
  ++visit_;
  reached_.assign(1, s);
  nodes_[s].visited = visit_;
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    node const& n = nodes_[reached_[i]];
    if (std::ranges::any_of(n.parts, [&](known_part const& p) { return p.covers(access); }))
      return true;
    reach(reached_[i]);
  }
  return false;
}

/// Appends the parents of `s` that this search has not visited.
void happens_before::reach(snapshot s) {
  for (snapshot const from : nodes_[s].from)
    if (from != 0 && nodes_[from].visited != visit_) {
      nodes_[from].visited = visit_;
      reached_.push_back(from);
    }
}

void happens_before::build_index(snapshot s) {
  ++visit_;
  reached_.assign(1, s);
  nodes_[s].visited = visit_;
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    for (known_part const& p : nodes_[reached_[i]].parts) nodes_[s].index.emplace(p.serial, p);
    reach(reached_[i]);
  }
}

}  // namespace upsweep::sim
