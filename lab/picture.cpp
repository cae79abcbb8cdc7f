/// Lays out a trace: which warps' steps share a row, the origin of each value, the names of arrays.
#include <lab/picture.hpp>

#include <lab/kernel_table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

namespace upsweep::lab {

namespace {

action deed_of(sim::step_kind kind) {
  switch (kind) {
    case sim::step_kind::store:
      return action::store;
    case sim::step_kind::atomic:
      return action::atomic;
    case sim::step_kind::apply:
      return action::apply;
    case sim::step_kind::barrier:
      return action::barrier;
    case sim::step_kind::cluster_barrier:
      return action::cluster_barrier;
    case sim::step_kind::warp_sync:
      return action::warp_sync;
    case sim::step_kind::shuffle:
      return action::shuffle;
    case sim::step_kind::vote:
      return action::vote;
    case sim::step_kind::fence:
      return action::fence;
    case sim::step_kind::load:
      break;
  }
  return action::load;
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
  using warp_key = std::pair<unsigned, unsigned>;  // block, warp
  using place = std::tuple<int, unsigned, unsigned,
                           std::uint64_t>;  // buffer; launch and block of a shared array; index
  struct touched {
    int written_row = -1, written_column = -1, read_row = -1;
  };

  void add(sim::traced_launch const& launch) {
    number_ = static_cast<unsigned>(p_.launches.size());
    start_ = static_cast<int>(p_.rows.size());
    cluster_ = std::max(1u, launch.shape.cluster);
    p_.launches.push_back({launch.name, static_cast<unsigned>(launch.shape.blocks.count()),
                           static_cast<unsigned>(launch.shape.threads.count())});
    ready_.clear();
    last_.clear();
    latest_.clear();
    waiting_.clear();
    buffer_of_.clear();
    for (auto const& b : launch.buffers) buffer_of_.push_back(buffer(b));
    for (auto const& s : launch.steps) step(s, launch);
    while (!waiting_.empty()) release(waiting_.begin()->first);
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
    made.what = deed_of(s.kind);
    made.wavefronts = s.wavefronts;
    made.sectors = s.sectors;
    made.lanes = static_cast<unsigned>(s.lanes.size());
    if (s.site < launch.sites.size()) {
      made.line = launch.sites[s.site].line;
      made.file = file(launch.sites[s.site].file);
    }
    bool const barrier =
        s.kind == sim::step_kind::barrier || s.kind == sim::step_kind::cluster_barrier;
    unsigned const group = s.kind == sim::step_kind::cluster_barrier ? s.block / cluster_ : s.block;
    group_key const waits{s.kind == sim::step_kind::cluster_barrier, group};
    warp_key const warp{s.block, s.warp};
    if (auto const at = waits_at_.find(warp); at != waits_at_.end())
      release(at->second);  // it continues, so the others have arrived
    if (!is_line(made.what)) cells(s, made);
    if (barrier) {
      waiting_[waits].push_back(std::move(made));
      waits_at_[warp] = waits;
      return;
    }
    if (made.cells.empty() && !is_line(made.what)) return;
    if (repeats(warp, made)) return;
    int row = std::max(ready(warp), start_);
    for (auto const& c : made.cells) row = std::max(row, earliest(made, c));
    put(std::move(made), row);
  }

  /// A poll without a change repeats the previous step.
  bool repeats(warp_key const& warp, picture_step const& s) {
    auto const at = last_.find(warp);
    if (at == last_.end() || (s.what != action::load && s.what != action::atomic)) return false;
    auto const same_cell = [](picture_cell const& a, picture_cell const& b) {
      return a.lane == b.lane && a.buffer == b.buffer && a.index == b.index && a.value == b.value;
    };
    auto& row = p_.rows[static_cast<std::size_t>(at->second)];
    auto const before = std::find_if(row.begin(), row.end(), [&](auto const& x) {
      return x.block == s.block && x.warp == s.warp && x.launch == s.launch;
    });
    if (before == row.end() || before->what != s.what || before->line != s.line ||
        before->file != s.file ||
        !std::equal(before->cells.begin(), before->cells.end(), s.cells.begin(), s.cells.end(),
                    same_cell))
      return false;
    ++before->times;
    return true;
  }

  void cells(sim::step const& s, picture_step& made) {
    for (auto const& e : s.lanes) {
      picture_cell c;
      c.lane = e.lane;
      c.index = e.index;
      c.value = made.what == action::shuffle ? text_received(e, type_) : text_of(e, type_);
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
    return {c.buffer, shared ? number_ : 0, shared ? c.block : 0, c.index};
  }

  /// The first possible row of `c`: below the write that it reads, and below all reads of the value
  /// that it overwrites.
  int earliest(picture_step const& s, picture_cell const& c) {
    if (c.buffer < 0) return start_;
    auto const at = memory_.find(place_of(c));
    if (at == memory_.end()) return start_;
    return s.what == action::load ? at->second.written_row + 1
                                  : std::max(at->second.written_row, at->second.read_row) + 1;
  }

  void put(picture_step s, int row) {
    while (static_cast<int>(p_.rows.size()) <= row) p_.rows.emplace_back();
    warp_key const warp{s.block, s.warp};
    for (auto& c : s.cells) {
      int const column = p_.column_of(s, c.lane);
      if (c.buffer >= 0) {
        auto& m = memory_[place_of(c)];
        if (s.what != action::store && m.written_row >= start_) {
          c.from_row = m.written_row;
          c.from_column = m.written_column;
        }
        if (s.what != action::store) m.read_row = std::max(m.read_row, row);
        if (s.what != action::load) m.written_row = row, m.written_column = column;
      } else if (s.what == action::shuffle && c.from_column >= 0) {
        auto const held = latest_.find(c.from_column);
        c.from_row = held == latest_.end() ? -1 : held->second;
      }
    }
    for (auto const& c : s.cells) latest_[p_.column_of(s, c.lane)] = row;
    ready_[warp] = row + 1;
    last_[warp] = row;
    p_.rows[static_cast<std::size_t>(row)].push_back(std::move(s));
  }

  using group_key = std::pair<bool, unsigned>;  // whether it is a cluster; its number

  /// All warps that wait there continue: one line for all of them.
  void release(group_key group) {
    auto const at = waiting_.find(group);
    if (at == waiting_.end()) return;
    auto const all = std::move(at->second);
    waiting_.erase(at);
    int row = start_;
    for (auto const& s : all) row = std::max(row, ready({s.block, s.warp}));
    for (auto const& s : all) {
      waits_at_.erase({s.block, s.warp});
      put(s, row);
    }
  }

  int ready(warp_key const& warp) {
    auto const at = ready_.find(warp);
    return at == ready_.end() ? start_ : at->second;
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
  std::map<place, touched> memory_;
  std::map<warp_key, int> ready_, last_;
  std::map<int, int> latest_;  // column -> the row with its last value
  std::map<group_key, std::vector<picture_step>> waiting_;
  std::map<warp_key, group_key> waits_at_;
};

}  // namespace

char const* name_of(action what) {
  static constexpr char const* names[] = {
      "load",   "store", "apply",   "shuffle",         "vote",
      "atomic", "fence", "barrier", "cluster_barrier", "warp_sync"};
  return names[static_cast<std::size_t>(what)];
}

picture lay_out(sim::trace const& t, element_type type) {
  return layouter(type).lay_out(t);
}

}  // namespace upsweep::lab
