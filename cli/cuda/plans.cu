/// The plans of the CUDA backend for the current device or a default one. Launches nothing.
#include <cli/cuda/bench_gpu.hpp>
#include <cli/cuda/gpu.hpp>
#include <upsweep/cuda.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::cli::gpu {

namespace {

/// The first device, or the library's default, whose properties are those of an H100 or H200.
cuda_device assumed() {
  if (look().devices.empty()) return {};
  try {
    return cuda_device::current();
  } catch (cuda_error const&) {
    return {};
  }
}

/// The address of an array; no two overlap, as none has 2^44 bytes.
template <class T>
T* array(std::uintptr_t number) {
  return reinterpret_cast<T*>(number << 44);
}

/// What numbers of a row are below.
double range_of(bench::verb_row const& row) {
  return row.type == "u8" ? 0x1p8 : row.type == "u32" ? 0x1p32 : 1;
}

/// Parts have the average number of elements.
std::size_t parts_of(bench::verb_row const& row, std::size_t n) {
  using enum bench::verb_data;
  auto const number = static_cast<std::size_t>(row.number);
  if (row.data == empty) return n;
  if (row.data == segments || row.data == power_law) return std::max<std::size_t>(1, n / number);
  return number;
}

/// The entry of a row; null if there is none.
bench::verb_entry const* entry_for(bench::verb_row const& row) {
  std::string const key = row.key();
  for (auto const all : planned_verbs())
    for (auto const& entry : all)
      if (entry.key == key) return &entry;
  return nullptr;
}

launch_row row_of(cuda_plan const& p) {
  return {p.name(),          p.tile,          p.blocks,  p.shared_bytes,
          p.workspace_bytes, p.traffic_bytes, p.threads, p.launches};
}

}  // namespace

planned_device device_for_plans() {
  auto const devices = look().devices;
  auto const d = assumed();
  bool const there = !devices.empty();
  std::string const name =
      there ? devices[static_cast<std::size_t>(d.number)].name : "a default device";
  return {name, there, d.capability, d.multiprocessors, d.shared_bytes};
}

std::vector<plan_row> plans(std::vector<bench::configuration> const& all) {
  std::vector<plan_row> rows;
  auto const device = assumed();
  for (auto const& r : all)
    dynamic::for_each_pair<dynamic::target::gpu>([&]<class Op, class T>() {
      auto const op = bench::operation_of(catalog::id_of<Op>);
      auto const type = bench::element_of(dynamic::dtype_of<dynamic::number_of<T>>);
      if (r.work.op != op || r.work.type != type) return;
      rows.push_back({row_of(r.work.verb == bench::verb::reduce ? plan_reduce<T, Op>(r.n, device)
                                                                : plan_scan<T, T, Op>(r.n, device)),
                      r});
    });
  return rows;
}

/// Those of the CPU that a GPU has, and its own.
std::vector<bench::verb_row> verb_rows() {
  auto rows = bench::verb_rows();
  std::erase_if(rows, [](bench::verb_row const& r) { return entry_for(r) == nullptr; });
  using enum bench::verb_data;
  rows.insert(rows.end(), {{"summed_area_table", "", "f32", "rows of 1000", windows, 1000},
                           {"summed_area_table", "", "f32", "rows of 16384", windows, 16384},
                           {"scan_rows", "sum", "f32", "rows of 1000", windows, 1000},
                           {"scan_columns", "sum", "f32", "rows of 1000", windows, 1000}});
  return rows;
}

verb_plan plan_of(bench::verb_row const& row, std::size_t n) {
  cuda_plans made{assumed()};
  std::size_t const parts = parts_of(row, n);
  std::vector<double> levels;
  for (std::size_t b = 0; b <= parts && row.op == "given"; ++b)
    levels.push_back(std::pow(static_cast<double>(b) / static_cast<double>(parts), 2));
  bench::call call{.n = row.data == bench::verb_data::empty ? 0 : n,
                   .in = array<void const>(1),
                   .keys = array<std::uint32_t const>(2),
                   .offsets = array<std::size_t const>(3),
                   .levels = levels.data(),
                   .parts = parts,
                   .level = range_of(row),
                   .out = array<void>(4),
                   .more = array<void>(5),
                   .plans = &made};
  entry_for(row)->run(call);
  verb_plan found{row, n, made.workspace_bytes, made.scratch_bytes};
  for (auto const& p : made.launches) found.launches.push_back(row_of(p));
  return found;
}

}  // namespace upsweep::cli::gpu
