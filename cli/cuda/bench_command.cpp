/// `upsweep bench --on cuda`: measures the GPU and the CPU, cell by cell.
#include <cli/cuda/bench_command.hpp>

#include <fmt/format.h>

#include <cli/cuda/bench_gpu.hpp>
#include <cli/cuda/gpu.hpp>
#include <text/figures.hpp>

#include <cstddef>

namespace upsweep::cli {

namespace {

bench::gpu_description describe(gpu::device const& d, gpu::presence const& p) {
  return {d.number, d.name,     d.capability, d.multiprocessors,
          d.memory, d.l2_bytes, p.toolkit,    p.driver};
}

/// True if the cell needs at most half of the free memory, which other processes use too.
bool fits(bench::configuration const& c, std::size_t host_memory) {
  std::size_t const needed = 2 * bench::footprint(c.work, c.n);
  return needed <= host_memory && needed <= gpu::free_memory();
}

void print_head(bench::run const& r) {
  fmt::print(
      "GPU: {}, compute capability {}.{}, CUDA {}, driver for CUDA {}\nCPU: {}, {} threads\n",
      r.gpu->name, r.gpu->capability / 10, r.gpu->capability % 10, r.gpu->toolkit, r.gpu->driver,
      r.where.cpu, r.threads);
  fmt::print("GPU times are for data already on the device; they do not include the transfer.\n\n");
}

}  // namespace

void measure_on_gpu(bench_session& session, std::vector<bench::configuration> const& all,
                    double seconds) {
  bench::run& r = session.result;
  r.gpu =
      describe(gpu::require("bench --on cuda", "without --on, the CPU is measured"), gpu::look());
  r.competitors = {{"upsweep", "Upsweep on the GPU", bench::role::upsweep},
                   {"cpu", "Upsweep on the CPU", bench::role::peer},
                   {"copy", "copy on the device", bench::role::limit}};
  session.set_columns({milliseconds_of("CPU ms", "cpu"), milliseconds_of("GPU ms", "upsweep"),
                       speed_up_over("speed-up", "cpu"), gigabytes_of("GB/s", "upsweep"),
                       share_of_limit("of copy")});
  if (session.shows_table()) print_head(r);
  bench::settings s;
  s.batch_seconds = 300e-6;
  s.cell_seconds = seconds / static_cast<double>(all.size());
  s.most_rounds = 11;
  for (auto const& c : all) {
    if (!fits(c, r.where.available_memory)) {
      r.skipped.push_back({c, "it needs more than half of the free memory"});
      continue;
    }
    auto const title = fmt::format("{}, n = {}", bench::title_of(c.work), text::size_name(c.n));
    if (!session.announce(title)) return;
    session.add(gpu::measure(c, r.threads, s));
  }
}

}  // namespace upsweep::cli
