/// The table of paths, each stored once.
#include <upsweep/sim/align.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::sim {

namespace {

/// Paths of data-dependent kernels may never recur, so the table is cleared when it reaches this
/// size.
constexpr std::size_t most_path_words = std::size_t{1} << 22;

std::uint64_t hash_of(std::span<log_word const> words) {
  std::uint64_t a = 0x9e3779b97f4a7c15, b = words.size();
  std::size_t i = 0;
  for (; i + 1 < words.size(); i += 2) {  // two independent chains of multiplications
    a = (a ^ words[i]) * 0xff51afd7ed558ccd;
    b = (b ^ words[i + 1]) * 0xc4ceb9fe1a85ec53;
    a ^= a >> 29;
  }
  if (i < words.size()) a = (a ^ words[i]) * 0xff51afd7ed558ccd;
  a ^= b ^ b >> 31;
  a *= 0x94d049bb133111eb;
  return a ^ a >> 32;
}

bool equal(path const& p, std::span<log_word const> words) {
  return std::ranges::equal(p.words, words);
}

/// The widest power of two, up to 16 bytes, that divides the size and that the alignment allows.
std::uint16_t piece_of(std::uint64_t packed) {
  auto const size = static_cast<unsigned>(packed >> 48 & 0xfff),
             alignment = static_cast<unsigned>(packed >> 60) + 1;
  unsigned const divides = size & (0 - size);
  return static_cast<std::uint16_t>(std::max(1u, std::min({divides, alignment, 16u})));
}

}  // namespace

path const& path_table::find(std::span<log_word const> words, access_record const* data) {
  std::uint64_t const hash = hash_of(words);
  path const*& recent = recent_[hash % std::size(recent_)];
  if (recent != nullptr && equal(*recent, words)) return *recent;
  auto const found = by_hash_.find(hash);
  if (found != by_hash_.end())
    for (auto const& p : found->second)
      if (equal(*p, words)) return *(recent = p.get());
  return *(recent = &add(words, data, hash));
}

path const& path_table::add(std::span<log_word const> words, access_record const* data,
                            std::uint64_t hash) {
  auto p = std::make_unique<path>();
  p->number = ++count_;
  p->words.assign(words.begin(), words.end());
  std::uint32_t record = 0;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    log_word const w = words[i];
    if (!is_event(w) || w >> kind_shift == lanes_follow) continue;
    std::uint64_t const what = data[record].what;
    std::uint32_t lanes = 0;
    if (i + 1 < words.size() && words[i + 1] >> kind_shift == lanes_follow)
      lanes = static_cast<std::uint32_t>(words[i + 1]);
    p->events.push_back({kind_of(w), record, i, &site_of(position_of(what)),
                         static_cast<std::uint16_t>(what >> 48 & 0xfff), piece_of(what), lanes});
    ++record;
  }
  words_ += words.size();
  auto& list = by_hash_[hash];
  list.push_back(std::move(p));
  return *list.back();
}

bool path_table::full() const {
  return words_ > most_path_words;
}

void path_table::forget_paths() {
  by_hash_.clear();
  std::ranges::fill(recent_, nullptr);
  words_ = 0;
}

site& path_table::site_of(position at) {
  site*& s = by_position_[at.word()];
  if (s == nullptr) {
    sites_.push_back(std::make_unique<site>(site{at, static_cast<unsigned>(sites_.size())}));
    s = sites_.back().get();
  }
  return *s;
}

// Finds loops as strongly connected components, from the outermost inwards, and orders the rest
// topologically.
//
// Natural loops from dominators would give the same result for reducible graphs. Components also
// handle a segment that starts in the middle of a loop, and loops with a second entry, which
// compilers create when they duplicate blocks.

namespace {

/// Tarjan's strongly connected components of the nodes for which `inside` holds, without edges into
/// `cut`. They are found in reverse topological order.
class components {
 public:
  components(std::vector<std::vector<unsigned>> const& after, std::vector<char> const& inside,
             unsigned cut)
      : after_(after),
        inside_(inside),
        cut_(cut),
        index_(after.size(), 0),
        low_(after.size(), 0),
        on_stack_(after.size(), 0) {}

  void visit(unsigned root) {
    if (index_[root] != 0) return;
    open(root);
    while (!work_.empty()) {
      auto& [v, next] = work_.back();
      if (next < after_[v].size()) {
        unsigned const u = after_[v][next++];
        if (inside_[u] == 0 || u == cut_) continue;
        if (index_[u] == 0)
          open(u);
        else if (on_stack_[u] != 0)
          low_[v] = std::min(low_[v], index_[u]);
      } else {
        close();
      }
    }
  }
  std::vector<std::vector<unsigned>> found;

 private:
  void open(unsigned v) {
    index_[v] = low_[v] = ++count_;
    stack_.push_back(v);
    on_stack_[v] = 1;
    work_.emplace_back(v, 0);
  }
  void close() {
    unsigned const v = work_.back().first;
    work_.pop_back();
    if (!work_.empty()) low_[work_.back().first] = std::min(low_[work_.back().first], low_[v]);
    if (low_[v] != index_[v]) return;
    auto& component = found.emplace_back();
    do {
      component.push_back(stack_.back());
      on_stack_[stack_.back()] = 0;
      stack_.pop_back();
    } while (component.back() != v);
  }

  std::vector<std::vector<unsigned>> const& after_;
  std::vector<char> const& inside_;
  unsigned cut_;
  std::vector<unsigned> index_, low_, stack_;
  std::vector<char> on_stack_;
  std::vector<std::pair<unsigned, std::size_t>> work_;
  unsigned count_ = 0;
};

}  // namespace

void flow_graph::add_edges(std::vector<edge>& edges, log_word before,
                           std::vector<log_word> const& words) {
  for (log_word const w : words) {
    if (w >> kind_shift == lanes_follow) continue;
    edges.emplace_back(before, w);
    before = w;
  }
}

flow_graph::flow_graph(std::vector<edge> edges) {
  std::ranges::sort(edges);  // so that the result does not depend on the order of the lanes
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (auto const& [from, to] : edges)
    for (log_word const w : {from, to})
      if (w != 0) words_.push_back(w);
  std::ranges::sort(words_);
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  auto const count = static_cast<unsigned>(words_.size()) + 1;
  after_.resize(count);
  before_.resize(count);
  nodes_.resize(count);
  for (auto const& [from, to] : edges) {
    after_[number_of(from)].push_back(number_of(to));
    before_[number_of(to)].push_back(number_of(from));
  }
  std::vector<unsigned> all(count);
  for (unsigned i = 0; i < count; ++i) all[i] = i;
  order(all, {0}, count);
}

unsigned flow_graph::number_of(log_word w) const {
  return w == 0 ? 0
                : static_cast<unsigned>(std::ranges::lower_bound(words_, w) - words_.begin()) + 1;
}

bool flow_graph::reaches(unsigned from, unsigned to) const {
  std::vector<char> seen(nodes_.size(), 0);
  std::vector<unsigned> left{from};
  while (!left.empty()) {
    unsigned const v = left.back();
    left.pop_back();
    if (v == to) return true;
    for (unsigned const u : after_[v])
      if (std::exchange(seen[u], 1) == 0) left.push_back(u);
  }
  return false;
}

/// Assigns positions to the nodes of `region`, then recursively inside each of its loops.
void flow_graph::order(std::vector<unsigned> const& region, std::vector<unsigned> const& entries,
                       unsigned removed_header) {
  std::vector<char> inside(nodes_.size(), 0);
  for (unsigned const v : region) inside[v] = 1;
  components parts(after_, inside, removed_header);
  for (unsigned const v : entries) parts.visit(v);
  auto const last = static_cast<unsigned>(parts.found.size());
  for (unsigned i = 0; i < last; ++i) {
    auto const& part = parts.found[i];
    for (unsigned const v : part) nodes_[v].places.push_back(last - 1 - i);
    bool const is_loop =
        part.size() > 1 || (std::ranges::find(after_[part[0]], part[0]) != after_[part[0]].end() &&
                            part[0] != removed_header);
    if (!is_loop) continue;
    std::vector<unsigned> doors;  // nodes with an edge from outside
    for (unsigned const v : part)
      if (std::ranges::any_of(before_[v],
                              [&](unsigned u) { return std::ranges::find(part, u) == part.end(); }))
        doors.push_back(v);
    if (doors.empty()) doors.push_back(part.back());
    unsigned const header = std::ranges::min(doors);
    auto const loop = static_cast<unsigned>(headers_.size());
    headers_.push_back(header);
    for (unsigned const v : part) nodes_[v].loops.push_back(loop);
    std::ranges::sort(doors);
    order(part, doors, header);
  }
}

}  // namespace upsweep::sim
