/// The rows of planned verbs, and their calls.
#include <cli/cuda/planned_verbs.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace upsweep::cli::gpu {

namespace {

/// The address of an array; no two overlap, as none has 2^44 bytes.
template <class T>
T* array(std::uintptr_t number) {
  return reinterpret_cast<T*>(number << 44);
}

/// What numbers of a row are below.
double range_of(bench::verb_row const& row) {
  return row.type == "u8" ? 0x1p8 : row.type == "u32" ? 0x1p32 : 1;
}

std::size_t parts_of(bench::verb_row const& row, std::size_t n) {
  using enum bench::verb_data;
  auto const number = static_cast<std::size_t>(row.number);
  if (row.data == empty) return n;
  if (row.data == segments || row.data == power_law) return std::max<std::size_t>(1, n / number);
  return number;
}

}  // namespace

planned_verb const* entry_for(bench::verb_row const& row) {
  std::string const key = row.key();
  for (auto const all : {planned_elements(), planned_parts()})
    for (auto const& entry : all)
      if (entry.key == key) return &entry;
  return nullptr;
}

std::vector<bench::verb_row> rows_of_gpu() {
  using enum bench::verb_data;
  return {{"summed_area_table", "", "f32", "rows of 1000", windows, 1000},
          {"summed_area_table", "", "f32", "rows of 16384", windows, 16384},
          {"scan_rows", "sum", "f32", "rows of 1000", windows, 1000},
          {"scan_columns", "sum", "f32", "rows of 1000", windows, 1000}};
}

planned_input::planned_input(bench::verb_row const& row, std::size_t n) {
  std::size_t const parts = parts_of(row, n);
  if (row.op == "given")
    for (std::size_t b = 0; b <= parts; ++b)
      levels_.push_back(std::pow(static_cast<double>(b) / static_cast<double>(parts), 2));
  call_ = {.n = row.data == bench::verb_data::empty ? 0 : n,
           .in = array<void const>(1),
           .keys = array<std::uint32_t const>(2),
           .offsets = array<std::size_t const>(3),
           .levels = levels_.data(),
           .parts = parts,
           .level = range_of(row),
           .out = array<void>(4),
           .more = array<void>(5)};
}

}  // namespace upsweep::cli::gpu
