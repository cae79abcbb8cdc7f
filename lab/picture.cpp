/// Lays out a trace: which warps' steps share a row, the origin of each value, the names of arrays.
#include <lab/picture.hpp>

#include <lab/kernel_table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
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

template <class T>
T read(sim::lane_event const& e) {
  T value{};
  std::memcpy(&value, e.value.data(), sizeof value);
  return value;
}

/// The value of `e` as text: as an element if it can be one, else as an integer. A flag or counter
/// read as a float would be tiny, and no kernel here has elements below 1e-30.
std::string text_of(sim::lane_event const& e, element_type type) {
  auto const bytes = static_cast<unsigned>(e.size);
  if (bytes == static_cast<unsigned>(elements[static_cast<std::size_t>(type)].bytes)) {
    bool const flag = (type == element_type::f32 && read<std::uint32_t>(e) < 0x00800000u) ||
                      (type == element_type::f64 && read<std::uint64_t>(e) < 0x0010000000000000u);
    if (!flag) return text_of(type, e.value.data());
  }
  switch (bytes) {
    case 1:
      return fmt::format("{}", read<std::uint8_t>(e));
    case 2:
      return fmt::format("{}", read<std::uint16_t>(e));
    case 4:
      return fmt::format("{}", read<std::int32_t>(e));
    case 8:
      return fmt::format("{}", read<std::int64_t>(e));
    default:
      return bytes == 0 ? std::string() : fmt::format("{} bytes", bytes);
  }
}

/// The value that a lane receives over the crossbar: an element followed by a valid bit.
std::string text_received(sim::lane_event const& e, element_type type) {
  auto const bytes = static_cast<std::size_t>(elements[static_cast<std::size_t>(type)].bytes);
  if (e.size != 2 * bytes || e.size > e.value.size()) return text_of(e, type);
  return e.value[bytes] == std::byte{0} ? std::string("none") : text_of(type, e.value.data());
}

/// Shortens the path that the compiler was given to "upsweep/textbook/skeleton.hpp".
std::string_view file_name(std::string const& path) {
  for (auto const& f : source_files())
    if (path.ends_with(f.name)) return f.name;
  return {};
}

class layouter {
 public:
  explicit layouter(element_type type) : type_(type) {}

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
    number_ = static_cast<unsigned>(p_.launches.size());
    start_ = static_cast<int>(p_.rows.size());
    cluster_ = std::max(1u, launch.shape.cluster);
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
    group_key const group{cluster, cluster ? made.block / cluster_ : made.block};
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
  /// repetition of its last two: a poll and a vote on it. Then the earlier ones stand for it.
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
      c.value = made.what == action::shuffle ? text_received(e, type_) : text_of(e, type_);
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

  int file(std::string const& path) {
    auto const name = file_name(path);
    if (name.empty()) return -1;
    auto const at = std::find(p_.files.begin(), p_.files.end(), name);
    if (at == p_.files.end()) {
      p_.files.push_back(name);
      return static_cast<int>(p_.files.size()) - 1;
    }
    return static_cast<int>(at - p_.files.begin());
  }

  element_type type_;
  picture p_;
  unsigned number_ = 0, cluster_ = 1;
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

picture lay_out(sim::trace const& t, element_type type) {
  return layouter(type).lay_out(t);
}

}  // namespace upsweep::lab
