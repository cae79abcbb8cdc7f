/// The plans of the CUDA backend for the current device or a default one. Launches nothing.
#include <cli/cuda/bench_gpu.hpp>
#include <cli/cuda/gpu.hpp>
#include <upsweep/cuda.cuh>

#include <string>

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

plan_row row_of(bench::configuration const& r, cuda_plan const& p) {
  return {
      r,         p.name(),  p.tile, p.blocks, p.shared_bytes, p.workspace_bytes, p.traffic_bytes,
      p.threads, p.launches};
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
      rows.push_back(row_of(r, r.work.verb == bench::verb::reduce
                                   ? plan_reduce<T, Op>(r.n, device)
                                   : plan_scan<T, T, Op>(r.n, device)));
    });
  return rows;
}

}  // namespace upsweep::cli::gpu
