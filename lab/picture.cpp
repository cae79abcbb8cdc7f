/// Lays out a trace: which warps' steps share a row, the origin of each value, the names of arrays.
#include <lab/picture.hpp>

#include <io/small_file.hpp>
#include <lab/kernel_table.hpp>

#include <upsweep/sim/element_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>

namespace upsweep::lab {

namespace {

action deed_of(sim::step const& s) {
  using enum action;
  static constexpr action deeds[] = {load,      store,   atomic, apply, barrier, cluster_barrier,
                                     warp_sync, shuffle, vote,   fence};
  bool const reads =
      s.kind == sim::step_kind::atomic && std::ranges::none_of(s.lanes, &sim::lane_event::changes);
  return reads ? atomic_read : deeds[static_cast<std::size_t>(s.kind)];
}

/// Shortens the path that the compiler was given to "upsweep/textbook/skeleton.hpp".
std::string_view file_name(std::string const& path) {
  for (auto const& f : source_files())
    if (path.ends_with(f.name)) return f.name;
  return {};
}

class layouter {
 public:
  explicit layouter(std::optional<element_type> type) : type_(type) {}

  picture lay_out(sim::trace const& t) {
    for (auto const& launch : t.launches) add(launch);
    return std::move(p_);
  }

 private:
  using warp_key = std::pair<unsigned, unsigned>;          // block, warp
  using group_key = std::pair<bool, unsigned>;             // whether it is a cluster; its number
  using place = std::tuple<int, unsigned, std::uint64_t>;  // buffer; block of a shared array; index
  /// A step, or the steps of all warps that wait at a barrier together.
  struct node {
    std::vector<picture_step> steps;
    std::set<std::size_t> above;
    int row = -1;
  };
  struct access {
    std::uint64_t when;
    std::size_t node, cell;
    bool changes;
  };
  struct origin {
    std::size_t node, cell, from;
    int column;
  };

  void add(sim::traced_launch const& launch) {
    launch_ = &launch;
    number_ = static_cast<unsigned>(p_.launches.size());
    start_ = static_cast<int>(p_.rows.size());
    p_.launches.push_back({launch.name, static_cast<unsigned>(launch.shape.blocks.count()),
                           static_cast<unsigned>(launch.shape.threads.count())});
    nodes_.clear();
    past_.clear();
    latest_.clear();
    accesses_.clear();
    origins_.clear();
    waiting_.clear();
    waits_at_.clear();
    buffer_of_.clear();
    for (auto const& b : launch.buffers) buffer_of_.push_back(buffer(b));
    for (auto const& s : launch.steps) step(s, launch);
    order_accesses();
    assign_rows();
    fill_rows();
  }

  int buffer(sim::buffer_info const& b) {
    picture_buffer made{b.name, b.space == sim::memory_space::shared, std::max(1u, b.element_bytes),
                        b.count, 0};
    if (!type_ && b.element.bytes != 0) {
      made.count = b.count * made.bytes / b.element.bytes;
      made.bytes = b.element.bytes;
    }
    made.is_guess = b.element.fields.empty() && !type_;
    constexpr std::string_view prefix = "shared:";
    if (made.name.starts_with(prefix)) made.name.erase(0, prefix.size());
    for (std::size_t i = 0; i < p_.buffers.size(); ++i) {
      auto const& other = p_.buffers[i];
      if (other.name == made.name && other.shared == made.shared && other.bytes == made.bytes &&
          other.count == made.count)
        return static_cast<int>(i);
    }
    p_.buffers.push_back(std::move(made));
    return static_cast<int>(p_.buffers.size()) - 1;
  }

  void step(sim::step const& s, sim::traced_launch const& launch) {
    picture_step made;
    made.launch = number_;
    made.block = s.block;
    made.warp = s.warp;
    made.what = deed_of(s);
    made.wavefronts = s.wavefronts;
    made.sectors = s.sectors;
    made.lanes = static_cast<unsigned>(s.lanes.size());
    if (s.site < launch.sites.size()) {
      made.line = launch.sites[s.site].line;
      made.file = file(launch.sites[s.site].file);
    }
    warp_key const warp{s.block, s.warp};
    if (auto const at = waits_at_.find(warp); at != waits_at_.end())
      release(at->second);  // it continues, so the others have arrived
    if (made.what == action::barrier || made.what == action::cluster_barrier)
      return arrive(std::move(made), warp);
    std::size_t const here = nodes_.size();
    if (!is_line(made.what)) cells(s, made);
    if ((made.cells.empty() && !is_line(made.what)) || repeats(warp, s, made)) return;
    for (std::size_t i = 0; i < made.cells.size(); ++i) {
      auto const& c = made.cells[i];
      if (c.buffer >= 0)
        accesses_[place_of(c)].push_back({s.lanes[i].when, here, i, s.lanes[i].changes});
      else if (auto const held = latest_.find(c.from_column); held != latest_.end())
        origins_.push_back({here, i, held->second, c.from_column});
    }
    for (auto const& c : made.cells) latest_[p_.column_of(made, c.lane)] = here;
    follow(warp, nodes_.emplace_back(), here).push_back(std::move(made));
  }

  /// Puts `made`, number `here`, below the previous node of the warp; returns its steps.
  std::vector<picture_step>& follow(warp_key const& warp, node& made, std::size_t here) {
    auto& past = past_[warp];
    if (!past.empty()) made.above.insert(past.back());
    past.push_back(here);
    return made.steps;
  }

  void arrive(picture_step made, warp_key const& warp) {
    bool const cluster = made.what == action::cluster_barrier;
    group_key const group{
        cluster,
        cluster ? static_cast<unsigned>(launch_->shape.cluster_of(made.block)) : made.block};
    auto const [at, fresh] = waiting_.try_emplace(group, nodes_.size());
    if (fresh) nodes_.emplace_back();
    follow(warp, nodes_[at->second], at->second).push_back(std::move(made));
    waits_at_[warp] = group;
  }

  /// All warps that wait there continue: one line for all of them.
  void release(group_key group) {
    auto const at = waiting_.find(group);
    for (auto const& s : nodes_[at->second].steps) waits_at_.erase({s.block, s.warp});
    waiting_.erase(at);
  }

  static bool same(picture_step const& a, picture_step const& b) {
    return a.what == b.what && a.line == b.line && a.file == b.file &&
           std::ranges::equal(a.cells, b.cells, [](picture_cell const& x, picture_cell const& y) {
             return x.lane == y.lane && x.buffer == y.buffer && x.index == y.index &&
                    x.value == y.value;
           });
  }

  /// Whether `made` repeats the warp's previous step, a poll without a change, or completes a
  /// repetition of its last two: a poll and a vote on it. Then the earlier ones represent it.
  bool repeats(warp_key const& warp, sim::step const& s, picture_step const& made) {
    auto& past = past_[warp];
    auto const before = [&](std::size_t steps) -> picture_step& {
      return nodes_[past[past.size() - steps]].steps.front();
    };
    auto const reads = [](picture_step const& x) {
      return x.what == action::load || x.what == action::atomic_read;
    };
    if (!past.empty() && reads(made) && same(before(1), made)) {
      before(1).times += made.times;
      before(1).failures += made.failures;
      for (std::size_t i = 0; i < made.cells.size(); ++i)
        if (made.cells[i].buffer >= 0)
          accesses_[place_of(made.cells[i])].push_back(
              {s.lanes[i].when, past.back(), i, false});  // it saw the value until then
      return true;
    }
    if (made.what != action::vote || past.size() < 3 || !reads(before(1)) ||
        !same(before(1), before(3)) || !same(before(2), made))
      return false;
    std::size_t const repeated = past.back();
    past.pop_back();
    picture_step const again = std::move(nodes_[repeated].steps.front());
    nodes_[repeated].steps.clear();
    before(2).times += again.times;
    before(2).failures += again.failures;
    for (auto const& c : again.cells) {
      for (auto& a : accesses_[place_of(c)])
        if (a.node == repeated) a.node = past[past.size() - 2];
      latest_[p_.column_of(again, c.lane)] = past.back();
    }
    return true;
  }

  void cells(sim::step const& s, picture_step& made) {
    for (auto const& e : s.lanes) {
      picture_cell c;
      c.lane = e.lane;
      c.index = e.index;
      c.value = value_text(s, e, c.index);
      c.failed = e.failed;
      c.unwritten = e.unwritten && !e.changes;
      c.when = e.when;
      if (c.unwritten) c.value = "?";
      if (e.failed) made.failures += 1 + e.polls;
      made.times = std::max(made.times, 1 + e.polls);
      if (e.buffer >= 0) {
        c.buffer = buffer_of_[static_cast<std::size_t>(e.buffer)];
        c.block = e.source >= 0 ? static_cast<unsigned>(e.source) : s.block;
        if (std::find(made.buffers.begin(), made.buffers.end(), c.buffer) == made.buffers.end())
          made.buffers.push_back(c.buffer);
      } else if (made.what == action::shuffle && e.source >= 0) {
        c.from_column = p_.column_of(made, static_cast<unsigned>(e.source));
      }
      made.cells.push_back(std::move(c));
    }
  }

  /// The value as text; the index becomes that of the element, whatever the access's size.
  std::string value_text(sim::step const& s, sim::lane_event const& e, std::uint64_t& index) const {
    bool const is_shuffle = s.kind == sim::step_kind::shuffle;
    if (type_) return is_shuffle ? text_received(e, type_) : text_of(e, type_);
    sim::element_layout const none;
    auto const& sites = launch_->site_elements;
    auto const& type = e.buffer >= 0 ? launch_->buffers[static_cast<std::size_t>(e.buffer)].element
                       : is_shuffle && s.site < sites.size() ? sites[s.site]
                                                             : none;
    std::uint64_t const offset = e.buffer >= 0 ? index * e.size : 0;
    if (e.buffer >= 0 && type.bytes != 0) index = offset / type.bytes;
    std::string text;
    if (type.bytes != 0) text = sim::text_of(type, e.value.data(), e.size, offset % type.bytes);
    return !text.empty() ? text : text_of(e, type_);
  }

  [[nodiscard]] place place_of(picture_cell const& c) const {
    bool const shared = p_.buffers[static_cast<std::size_t>(c.buffer)].shared;
    return {c.buffer, shared ? c.block : 0, c.index};
  }

  /// A read is below the write that it sees, and a write below the reads of the value before.
  void order_accesses() {
    for (auto& [where, all] : accesses_) {
      std::ranges::stable_sort(all, {}, &access::when);
      access const* written = nullptr;
      std::vector<std::size_t> readers;
      for (auto const& a : all) {
        auto const below = [&](std::size_t other) {
          if (other != a.node) nodes_[a.node].above.insert(other);
        };
        if (written != nullptr) {
          below(written->node);
          auto const& s = nodes_[written->node].steps.front();
          if (nodes_[a.node].steps.front().what != action::store)
            origins_.push_back(
                {a.node, a.cell, written->node, p_.column_of(s, s.cells[written->cell].lane)});
        }
        if (a.changes) {
          for (auto const reader : readers) below(reader);
          readers.clear();
          written = &a;
        } else {
          readers.push_back(a.node);
        }
      }
    }
  }

  /// Threads that race may have read each other's values so that no order is right; then the order
  /// of the trace is kept.
  void assign_rows() {
    std::vector<std::vector<std::size_t>> below(nodes_.size());
    std::vector<std::size_t> missing(nodes_.size());
    std::set<std::size_t> ready, rest;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      missing[i] = nodes_[i].above.size();
      for (auto const above : nodes_[i].above) below[above].push_back(i);
      (missing[i] == 0 ? ready : rest).insert(i);
    }
    while (!ready.empty() || !rest.empty()) {
      auto& from = ready.empty() ? rest : ready;
      std::size_t const i = *from.begin();
      from.erase(from.begin());
      nodes_[i].row = start_;
      for (auto const above : nodes_[i].above)
        if (nodes_[above].row >= 0)
          nodes_[i].row =
              std::max(nodes_[i].row, nodes_[above].row + (nodes_[above].steps.empty() ? 0 : 1));
      for (auto const next : below[i])
        if (--missing[next] == 0 && rest.erase(next) == 1) ready.insert(next);
    }
  }

  void fill_rows() {
    for (auto const& o : origins_) {
      auto& c = nodes_[o.node].steps.front().cells[o.cell];
      if (nodes_[o.from].row >= nodes_[o.node].row) continue;
      c.from_row = nodes_[o.from].row;
      c.from_column = o.column;
    }
    for (auto& n : nodes_)
      for (auto& s : n.steps) {
        if (n.row >= static_cast<int>(p_.rows.size()))
          p_.rows.resize(static_cast<std::size_t>(n.row) + 1);
        p_.rows[static_cast<std::size_t>(n.row)].push_back(std::move(s));
      }
    for (auto row = static_cast<std::size_t>(start_); row < p_.rows.size(); ++row)
      std::ranges::stable_sort(p_.rows[row], {},
                               [](picture_step const& s) { return std::pair(s.block, s.warp); });
  }

  /// The number of a source file; -1 if its text is not available.
  int file(std::string const& path) {
    auto const [at, is_new] = file_of_.try_emplace(path, -1);
    if (!is_new) return at->second;
    std::string name(file_name(path)), text(text_of_file(name));
    if (name.empty()) {
      auto const all = io::small_file(path);
      if (!all) return -1;
      name = path.substr(path.rfind('/') + 1);
      text = *all;
    }
    at->second = static_cast<int>(p_.files.size());
    p_.files.push_back({std::move(name), std::move(text)});
    return at->second;
  }

  std::map<std::string, int> file_of_;
  std::optional<element_type> type_;
  sim::traced_launch const* launch_ = nullptr;
  picture p_;
  unsigned number_ = 0;
  int start_ = 0;  // the row in which this launch begins
  std::vector<int> buffer_of_;
  std::vector<node> nodes_;
  std::map<warp_key, std::vector<std::size_t>> past_;
  std::map<int, std::size_t> latest_;  // column -> the node with its last value
  std::map<place, std::vector<access>> accesses_;
  std::vector<origin> origins_;
  std::map<group_key, std::size_t> waiting_;
  std::map<warp_key, group_key> waits_at_;
};

}  // namespace

char const* name_of(action what) {
  static constexpr char const* names[] = {"load",    "store",           "apply",       "shuffle",
                                          "vote",    "atomic",          "atomic_read", "fence",
                                          "barrier", "cluster_barrier", "warp_sync"};
  return names[static_cast<std::size_t>(what)];
}

picture lay_out(sim::trace const& t, std::optional<element_type> type) {
  return layouter(type).lay_out(t);
}

}  // namespace upsweep::lab
