/// `upsweep_gpu_bench`: Upsweep on this GPU beside CUB, Thrust, the driver's copy and loops that
/// only read.
///
/// Exit status: 0 measured, and all results right · 1 a wrong result, or CUDA failed · 2 usage · 4
/// the report cannot be written · 5 there is no GPU.
#include <bench/gpu/bench.hpp>
#include <bench/harness/clock.hpp>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

namespace upsweep::gpu_bench {
namespace {

int report(run const& r, std::string const& path, bool broken) {
  for (auto const& s : r.skipped)
    std::printf("not measured: %s n = %zu: %s\n", s.what.name().c_str(), s.what.n,
                s.sentence.c_str());
  std::printf("%s, driver %s, CUDA %s, %s: %zu rows, %zu wrong, %zu not measured, %.0f s\n",
              r.where.gpu.c_str(), r.where.driver.c_str(), r.where.cuda.c_str(),
              cub_title().c_str(), r.rows.size(), r.wrong.size(), r.skipped.size(), r.seconds);
  if (!path.empty()) {
    try {
      write_file(path, as_json(r));
    } catch (std::exception const& e) {
      std::fprintf(stderr, "upsweep_gpu_bench: %s\n", e.what());
      return 4;
    }
  }
  return broken || !r.wrong.empty() ? 1 : 0;
}

int measure(run_options const& o, std::string const& command) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "upsweep_gpu_bench: there is no GPU that CUDA can use on this machine\n");
    return 5;
  }
  std::vector<subject> subjects;
  add_floats(subjects);
  add_integers(subjects);
  add_narrow(subjects);
  add_structures(subjects);
  run found;
  found.date = bench::now_in_utc();
  found.command = command;
  bool broken = false;
  try {
    found.where = this_machine();
    run_all(subjects, o, found);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "upsweep_gpu_bench: %s\n", e.what());
    broken = true;
  }
  return report(found, o.json, broken);
}

}  // namespace
}  // namespace upsweep::gpu_bench

int main(int argc, char** argv) {
  upsweep::gpu_bench::run_options o;
  CLI::App app{
      "Times Upsweep on this GPU beside CUB, Thrust, the driver's copy and loops that only read."};
  app.add_flag("--quick", o.what.quick, "four sizes and three rounds");
  app.add_option("--json", o.json, "write the report here")->type_name("FILE");
  app.add_option("--only", o.what.only, "what contains NAME: 'reduce', 'f32', 'inclusive_scan u8'")
      ->type_name("NAME");
  app.add_option("--max-log2", o.what.most_log2, "the largest size is 2^K")
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
  if (o.what.quick) o.how.rounds = 3;
  std::string command = "upsweep_gpu_bench";
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  return upsweep::gpu_bench::measure(o, command);
}
