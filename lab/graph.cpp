/// Derives the combining tree from a run over sets: a combined value is the union of two sets that
/// the lane held.
#include <lab/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace upsweep::lab {

namespace {

using set_bits = std::uint64_t;

/// A set that a lane holds, and its node; -1 for the empty set.
struct holding {
  set_bits elements;
  int node;
};

/// Whether two pictures differ only in their values.
bool same_steps(picture const& a, picture const& b) {
  return std::equal(
      a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), [](auto const& x, auto const& y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                          [](picture_step const& s, picture_step const& t) {
                            return s.what == t.what && s.launch == t.launch && s.block == t.block &&
                                   s.warp == t.warp && s.cells.size() == t.cells.size();
                          });
      });
}

class reader {
 public:
  reader(picture& shown, picture const& sets, std::uint64_t n, bool scan)
      : shown_(shown), sets_(sets), n_(n), scan_(scan) {}

  void read() {
    for (std::size_t r = 0; r < sets_.rows.size(); ++r)
      for (std::size_t s = 0; s < sets_.rows[r].size(); ++s)
        step(r, sets_.rows[r][s], shown_.rows[r][s]);
    keep_what_counts();
    arrange();
  }

 private:
  using lane_key = std::tuple<unsigned, int>;  // launch, column
  using place = std::tuple<std::string, int, unsigned,
                           std::uint64_t>;  // buffer; block and launch of a shared array; index

  /// The value as a set, if it is one: counters and flags are small numbers, and sets have no low
  /// bits.
  [[nodiscard]] static std::optional<set_bits> set_of(std::string const& value) {
    set_bits bits = 0;
    auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), bits);
    if (error != std::errc() || end != value.data() + value.size() || bits % (1u << free_bits) != 0)
      return std::nullopt;
    return bits >> free_bits;
  }

  [[nodiscard]] place place_of(picture_step const& s, picture_cell const& c) const {
    auto const& buffer = sets_.buffers[static_cast<std::size_t>(c.buffer)];
    return {buffer.name, buffer.shared ? static_cast<int>(c.block) : -1,
            buffer.shared ? s.launch : 0, c.index};
  }

  /// The node of a single element, created on first use.
  int leaf(set_bits elements, std::size_t row, std::string const& value) {
    int const element = std::countr_zero(elements);
    auto const [at, fresh] = leaves_.try_emplace(element, static_cast<int>(nodes_.size()));
    if (fresh) add({elements, -1, -1, static_cast<int>(row), value});
    return at->second;
  }

  struct found {
    set_bits elements;
    int left, right, row;
    std::string value;
  };
  void add(found node) { nodes_.push_back(std::move(node)); }

  /// The latest node in `lane` that equals this set. A leaf or the empty set need not be held.
  int held(lane_key const& lane, set_bits elements, std::size_t row, std::string const& value) {
    if (elements == 0) return -1;
    auto const& all = lanes_[lane];
    for (auto h = all.rbegin(); h != all.rend(); ++h)
      if (h->elements == elements) return h->node;
    return std::has_single_bit(elements) ? leaf(elements, row, value) : -1;
  }

  void step(std::size_t row, picture_step const& s, picture_step const& shown) {
    for (std::size_t i = 0; i < s.cells.size(); ++i) {
      auto const& c = s.cells[i];
      auto const elements = set_of(c.value);
      if (!elements) continue;
      std::string const& value = shown.cells[i].value;
      lane_key const lane{s.launch, sets_.column_of(s, c.lane)};
      auto& holdings = lanes_[lane];
      if (s.what == action::load || s.what == action::atomic_read) {
        auto const at = memory_.find(place_of(s, c));
        int const node = at != memory_.end() ? at->second
                         : *elements == 0    ? -1
                                             : held(lane, *elements, row, value);
        holdings.push_back({*elements, node});
      } else if (s.what == action::store) {
        memory_[place_of(s, c)] = held(lane, *elements, row, value);
      } else if (s.what == action::shuffle) {
        holdings.push_back(
            {*elements,
             c.from_column < 0 ? -1 : held({s.launch, c.from_column}, *elements, row, value)});
      } else if (s.what == action::apply) {
        holdings.push_back({*elements, combined(holdings, *elements, row, value)});
      } else if (s.what == action::atomic && c.buffer >= 0) {
        merge(place_of(s, c), holdings, *elements, row, value);
      }
    }
  }

  /// The node for the union of the two most recently held sets that give it. A union with a subset
  /// adds no node.
  int combined(std::vector<holding> const& holdings, set_bits elements, std::size_t row,
               std::string const& value) {
    if (elements == 0) return -1;
    std::size_t const count = holdings.size(), reach = std::min<std::size_t>(count, 24);
    for (std::size_t far = 1; far <= reach; ++far) {
      auto const& older = holdings[count - far];
      if (older.elements == elements) return older.node;
      for (std::size_t near = 1; near < far; ++near)
        if (auto const& newer = holdings[count - near];
            (older.elements | newer.elements) == elements)
          return join(older.node, newer.node, elements, row, value);
    }
    return -1;
  }

  /// An atomic operation combines the value in memory with one that the lane holds.
  void merge(place const& where, std::vector<holding> const& holdings, set_bits elements,
             std::size_t row, std::string const& value) {
    auto const before = memory_.find(where);
    int const old = before == memory_.end() ? -1 : before->second;
    set_bits const there = old < 0 ? 0 : nodes_[static_cast<std::size_t>(old)].elements;
    if (there == elements) return;
    for (auto h = holdings.rbegin(); h != holdings.rend(); ++h)
      if (h->node >= 0 && (h->elements | there) == elements) {
        memory_[where] = old < 0 ? h->node : join(old, h->node, elements, row, value);
        return;
      }
  }

  int join(int a, int b, set_bits elements, std::size_t row, std::string const& value) {
    if (a < 0 || b < 0) return std::max(a, b);
    auto const first = [&](int node) {
      return std::countr_zero(nodes_[static_cast<std::size_t>(node)].elements);
    };
    int const left = first(a) <= first(b) ? a : b, right = left == a ? b : a;
    auto const [at, fresh] = joined_.try_emplace({left, right}, static_cast<int>(nodes_.size()));
    if (fresh) add({elements, left, right, static_cast<int>(row), value});
    return at->second;
  }

  /// Marks the nodes in the output, and their operands recursively.
  void keep_what_counts() {
    kept_.assign(nodes_.size(), false);
    result_.assign(nodes_.size(), false);
    bool const written = std::any_of(memory_.begin(), memory_.end(),
                                     [](auto const& m) { return std::get<0>(m.first) == "out"; });
    std::string const output = written ? "out" : "partials";  // which the host reduces
    for (auto const& [where, node] : memory_)
      if (std::get<0>(where) == output && node >= 0 &&
          (!written || std::get<3>(where) < (scan_ ? n_ : 1))) {
        kept_[static_cast<std::size_t>(node)] = true;
        result_[static_cast<std::size_t>(node)] = true;
      }
    for (std::size_t i = nodes_.size(); i-- > 0;)  // operands precede their results
      if (kept_[i] && nodes_[i].left >= 0)
        kept_[static_cast<std::size_t>(nodes_[i].left)] =
            kept_[static_cast<std::size_t>(nodes_[i].right)] = true;
  }

  /// "3", "0–3", "0,4", "8 of 0–30".
  [[nodiscard]] static std::string covers(set_bits elements) {
    int const first = std::countr_zero(elements), last = 63 - std::countl_zero(elements),
              count = std::popcount(elements);
    if (count == 1) return fmt::format("{}", first);
    if (count == last - first + 1) return fmt::format("{}–{}", first, last);
    if (count == 2) return fmt::format("{},{}", first, last);
    return fmt::format("{} of {}–{}", count, first, last);
  }

  /// Assigns every kept node a unique column and level.
  void arrange() {
    std::vector<int> number(nodes_.size(), -1);
    std::set<std::pair<int, int>> taken;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!kept_[i]) continue;
      auto const& f = nodes_[i];
      picture_node n;
      n.column = scan_ ? 63 - std::countl_zero(f.elements) : std::countr_zero(f.elements);
      n.row = f.row;
      n.value = f.value;
      n.covers = covers(f.elements);
      n.result = result_[i];
      if (f.left >= 0) {
        n.left = number[static_cast<std::size_t>(f.left)];
        n.right = number[static_cast<std::size_t>(f.right)];
        n.level = 1 + std::max(shown_.nodes[static_cast<std::size_t>(n.left)].level,
                               shown_.nodes[static_cast<std::size_t>(n.right)].level);
      }
      while (!taken.insert({n.column, n.level}).second) ++n.level;
      number[i] = static_cast<int>(shown_.nodes.size());
      shown_.nodes.push_back(n);
    }
    if (scan_) place_results(number);
  }

  /// In an exclusive scan results are not in the column of their last element.
  void place_results(std::vector<int> const& number) {
    std::vector<int> results(n_, -1);
    bool moved = false;
    for (auto const& [where, node] : memory_)
      if (std::get<0>(where) == "out" && std::get<3>(where) < n_ && node >= 0) {
        auto const i = std::get<3>(where);
        results[i] = number[static_cast<std::size_t>(node)];
        moved |= shown_.nodes[static_cast<std::size_t>(results[i])].column != static_cast<int>(i);
      }
    if (moved) shown_.results = std::move(results);
  }

  picture& shown_;
  picture const& sets_;
  std::uint64_t n_;
  bool scan_;
  std::vector<found> nodes_;
  std::vector<bool> kept_, result_;
  std::map<int, int> leaves_;
  std::map<std::pair<int, int>, int> joined_;
  std::map<place, int> memory_;
  std::map<lane_key, std::vector<holding>> lanes_;
};

}  // namespace

void add_tree(picture& p, picture const& sets, std::uint64_t n, bool scan) {
  if (same_steps(p, sets)) reader(p, sets, n, scan).read();
}

}  // namespace upsweep::lab
