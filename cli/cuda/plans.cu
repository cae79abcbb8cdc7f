/// The plans of the CUDA backend for the current device or a default one. Launches nothing.
#include <cli/cuda/bench_gpu.hpp>
#include <cli/cuda/gpu.hpp>
#include <cli/cuda/planned_verbs.hpp>
#include <upsweep/cuda.cuh>

#include <cstddef>
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

std::vector<bench::verb_row> verb_rows() {
  auto rows = bench::verb_rows();
  std::erase_if(rows, [](bench::verb_row const& r) { return entry_for(r) == nullptr; });
  for (auto const& r : rows_of_gpu()) rows.push_back(r);
  return rows;
}

verb_plan plan_of(bench::verb_row const& row, std::size_t n) {
  cuda_plans made{assumed()};
  planned_input const input(row, n);
  entry_for(row)->run(upsweep::gpu{.plans_to = &made}, input.call());
  verb_plan found{row, n, made.workspace_bytes, made.scratch_bytes};
  for (auto const& p : made.launches) found.launches.push_back(row_of(p));
  return found;
}

}  // namespace upsweep::cli::gpu
