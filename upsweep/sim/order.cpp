/// The graph of snapshots, searched backwards.
#include <upsweep/sim/order.hpp>

#include <algorithm>
#include <utility>

namespace upsweep::sim {

namespace {

constexpr std::uint32_t children_before_table = 4, searches_before_table = 16;
constexpr std::size_t long_search = 32;

/// By block, the whole block first, and the latest tick of each `who` first.
bool is_before(known_part const& a, known_part const& b) {
  auto const rank = [](known_part const& p) { return p.who == known_part::whole ? 0u : p.who + 1; };
  if (a.serial != b.serial) return a.serial < b.serial;
  return rank(a) != rank(b) ? rank(a) < rank(b) : a.tick > b.tick;
}

}  // namespace

snapshot happens_before::make(std::vector<known_part> parts, snapshot a, snapshot b, snapshot c) {
  node& n = nodes_.emplace_back();
  n.parts = std::move(parts);
  n.from[0] = a;
  n.from[1] = b == a ? 0 : b;
  n.from[2] = c == a || c == b ? 0 : c;
  for (snapshot const from : n.from)
    if (from != 0) ++nodes_[from].children;
  return static_cast<snapshot>(nodes_.size() - 1);
}

snapshot happens_before::join(snapshot a, snapshot b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  for (auto const& [large, small] : {std::pair{a, b}, std::pair{b, a}})
    for (snapshot const s : nodes_[large].from)
      if (s == small) return large;
  return make({}, a, b, 0);
}

snapshot happens_before::join(std::vector<snapshot> all, std::uint64_t serial) {
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  if (!all.empty() && all.front() == 0) all.erase(all.begin());
  if (all.size() <= 2) return all.empty() ? 0 : join(all.front(), all.back());
  table known = collect(all);
  std::erase_if(known, [&](known_part const& p) { return p.serial == serial; });
  if (known.empty()) return 0;
  snapshot const made = make({}, 0, 0, 0);
  nodes_[made].known = std::move(known);
  return made;
}

/// Searches `s` and its ancestors breadth-first, up to those that have a table.
bool happens_before::knows(snapshot s, epoch access) {
  if (s == 0) return false;
  if (!nodes_[s].known.empty()) return has(nodes_[s].known, access);
  std::uint32_t const visit = ++visit_;
  reached_.assign(1, s);
  nodes_[s].visited = visit;
  bool found = false;
  std::size_t i = 0;
  for (; i < reached_.size() && !found; ++i) {
    node& n = nodes_[reached_[i]];
    if (n.known.empty() && n.children >= children_before_table) n.known = collect({reached_[i]});
    if (!n.known.empty()) {
      found = has(n.known, access);
    } else {
      found = std::ranges::any_of(n.parts, [&](known_part const& p) { return p.covers(access); });
      reach(reached_[i], visit);
    }
  }
  if (i > long_search && ++nodes_[s].long_searches > searches_before_table)
    nodes_[s].known = collect({s});
  return found;
}

/// Appends the parents of `s` that this search has not visited.
void happens_before::reach(snapshot s, std::uint32_t visit) {
  for (snapshot const from : nodes_[s].from)
    if (from != 0 && nodes_[from].visited != visit) {
      nodes_[from].visited = visit;
      reached_.push_back(from);
    }
}

bool happens_before::has(table const& known, epoch access) {
  std::uint32_t const thread = thread_of(access);
  for (std::uint32_t const who : {known_part::whole, known_part::warps + thread / 32, thread}) {
    known_part const wanted{serial_of(access), who, ~std::uint32_t{0}};
    auto const at = std::ranges::lower_bound(known, wanted, is_before);
    if (at != known.end() && at->serial == wanted.serial && at->who == who && at->covers(access))
      return true;
  }
  return false;
}

/// All that `from` know. What a barrier of a block orders makes its threads' parts superfluous.
happens_before::table happens_before::collect(std::vector<snapshot> const& from) {
  std::vector<snapshot> searching = std::exchange(reached_, from);
  std::uint32_t const visit = ++visit_;
  for (snapshot const s : from) nodes_[s].visited = visit;
  table all;
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    node const& n = nodes_[reached_[i]];
    table const& more = n.known.empty() ? n.parts : n.known;
    all.insert(all.end(), more.begin(), more.end());
    if (n.known.empty()) reach(reached_[i], visit);
  }
  reached_ = std::move(searching);
  std::ranges::sort(all, is_before);
  table known;
  std::uint32_t whole = 0;  // of this block: it comes first
  for (known_part const& p : all) {
    bool const is_new_block = known.empty() || known.back().serial != p.serial;
    if (is_new_block) whole = p.who == known_part::whole ? p.tick : 0;
    bool const is_known = !is_new_block && (known.back().who == p.who || p.tick <= whole);
    if (!is_known) known.push_back(p);
  }
  return known;
}

}  // namespace upsweep::sim
