/// `upsweep_gpu_bench`: measures Upsweep, CUB, Thrust, the driver's copy and read loops on this
/// GPU.
///
/// Exit status: 0 all results are correct · 1 a wrong result, or CUDA failed · 2 usage · 4 the
/// report cannot be written · 5 there is no GPU.
#include <bench/gpu/bench.hpp>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace upsweep::bench {
namespace {

int report(run const& r, std::string const& path, bool broken) {
  for (auto const& s : r.skipped)
    std::printf("not measured: %s n = %zu: %s\n", title_of(s.what.work).c_str(), s.what.n,
                s.reason.c_str());
  std::size_t wrong = 0;
  for (auto const& c : r.cells)
    for (auto const& s : c.all) wrong += !s.correct();
  if (r.gpu)
    std::printf("%s, driver %s, CUDA %s, %s: %zu cells, %zu wrong, %zu not measured\n",
                r.gpu->name.c_str(), r.gpu->driver.c_str(), r.gpu->toolkit.c_str(),
                cub_title().c_str(), r.cells.size(), wrong, r.skipped.size());
  if (!path.empty()) {
    try {
      write_file(path, as_json(r));
    } catch (std::exception const& e) {
      std::fprintf(stderr, "upsweep_gpu_bench: %s\n", e.what());
      return 4;
    }
  }
  return broken || wrong > 0 ? 1 : 0;
}

int run_here(gpu_bench_options const& o) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "upsweep_gpu_bench: CUDA finds no GPU on this machine\n");
    return 5;
  }
  std::vector<element_kind> kinds;
  add_floats(kinds);
  add_integers(kinds);
  add_structures(kinds);
  run found = new_run(0);
  found.competitors = gpu_competitors();
  bool broken = false;
  try {
    int device = 0;
    check_cuda(cudaGetDevice(&device), "find a GPU");
    found.gpu = describe_gpu(device);
    run_all(kinds, o, found);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "upsweep_gpu_bench: %s\n", e.what());
    broken = true;
  }
  return report(found, o.json, broken);
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  upsweep::bench::gpu_bench_options o;
  o.how.batch_seconds = 300e-6;
  o.how.least_repeats = 2;
  o.how.most_repeats = 100;
  o.how.least_rounds = o.how.most_rounds = 7;
  o.how.warms_up = false;
  CLI::App app{"Measures Upsweep, CUB, Thrust, the driver's copy and read loops on this GPU."};
  app.add_flag("--quick", o.what.quick, "measure four sizes in three rounds");
  app.add_option("--json", o.json, "write the report to this file")->type_name("FILE");
  app.add_option("--only", o.what.only,
                 "measure only tables with these words: 'reduce', 'f32', 'inclusive_scan u8'")
      ->type_name("NAME");
  app.add_option("--max-log2", o.what.most_log2, "measure up to 2^K elements")
      ->type_name("K")
      ->check(CLI::Range(8, 30))
      ->capture_default_str();
  app.add_option("--seconds", o.seconds, "start no configuration after S seconds")
      ->type_name("S")
      ->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (o.what.quick) o.how.least_rounds = o.how.most_rounds = 3;
  return upsweep::bench::run_here(o);
}
