/// The values of a picture as text, and the accesses of findings, found by thread and line.
#include <lab/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::lab {

namespace {

template <class T>
T read(sim::lane_event const& e) {
  T value{};
  std::memcpy(&value, e.value.data(), sizeof value);
  return value;
}

}  // namespace

std::string text_of(sim::lane_event const& e, std::optional<element_type> known) {
  element_type const type = known.value_or(element_type::i32);
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

std::string text_received(sim::lane_event const& e, std::optional<element_type> known) {
  if (!known) return text_of(e, known);
  element_type const type = *known;
  auto const bytes = static_cast<std::size_t>(elements[static_cast<std::size_t>(type)].bytes);
  if (e.size != 2 * bytes || e.size > e.value.size()) return text_of(e, type);
  return e.value[bytes] == std::byte{0} ? std::string("none") : text_of(type, e.value.data());
}

namespace {

struct marked_cell {
  picture_place at;
  picture_cell* cell;
  bool writes;
};

/// The accesses of a thread on a line.
std::vector<marked_cell> accesses_of(picture& p, std::optional<sim::thread_number> const& thread,
                                     sim::source_position const& at) {
  std::vector<marked_cell> all;
  std::string const name = at.file.substr(at.file.rfind('/') + 1);
  if (!thread) return all;
  for (std::size_t row = 0; row < p.rows.size(); ++row)
    for (auto& s : p.rows[row])
      for (auto& c : s.cells)
        if (s.line == at.line && s.file >= 0 &&
            p.files[static_cast<std::size_t>(s.file)].name == name && s.block == thread->block &&
            s.warp * 32 + c.lane == thread->thread && c.buffer >= 0)
          all.push_back(
              {{static_cast<int>(row), p.column_of(s, c.lane)}, &c, s.what != action::load});
  return all;
}

bool is_shared(picture const& p, picture_cell const& c) {
  return p.buffers[static_cast<std::size_t>(c.buffer)].shared;
}

}  // namespace

int mark_findings(picture& p, std::vector<sim::finding> const& findings, std::size_t launch) {
  int first_row = -1;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    auto const& f = findings[i];
    if (f.launch != launch) continue;
    auto first = accesses_of(p, f.first_thread, f.first),
         second = accesses_of(p, f.second_thread, f.second);
    marked_cell const *a = nullptr, *b = nullptr;
    for (auto const& x : first)
      for (auto const& y : second) {
        bool const same = x.cell->buffer == y.cell->buffer && x.cell->index == y.cell->index &&
                          (x.cell->block == y.cell->block || !is_shared(p, *x.cell)) &&
                          (x.writes || y.writes);
        if (same &&
            (a == nullptr || std::abs(x.at.row - y.at.row) < std::abs(a->at.row - b->at.row)))
          a = &x, b = &y;
      }
    if (a == nullptr && f.second.line == 0 && !first.empty()) {
      // An uninitialized read; another access on its line may come later.
      auto const read = std::ranges::find_if(first, [&](marked_cell const& x) {
        return x.cell->unwritten && f.kind == sim::finding_kind::uninitialized_read;
      });
      a = read != first.end() ? &*read : &first.back();
    }
    for (auto const* marked : {a, b}) {
      if (marked == nullptr) continue;
      marked->cell->finding = static_cast<int>(i);
      first_row = first_row < 0 ? marked->at.row : std::min(first_row, marked->at.row);
    }
    if (b != nullptr) p.pairs.push_back({name_of(f.kind), f.sentence, a->at, b->at});
  }
  return first_row;
}

}  // namespace upsweep::lab
