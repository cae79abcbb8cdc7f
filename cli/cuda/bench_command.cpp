/// Measures row by row, prints the table as it comes, and writes the report that the page of the
/// CPU benchmark draws.
#include <cli/cuda/bench_command.hpp>

#include <bench/harness/report.hpp>
#include <bench/page/figure.hpp>
#include <cli/cuda/bench_gpu.hpp>
#include <cli/cuda/bench_requests.hpp>
#include <cli/cuda/gpu.hpp>
#include <io/error.hpp>
#include <io/output_file.hpp>
#include <text/figures.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace upsweep::cli {

namespace {

using json = nlohmann::ordered_json;

struct cell {
  gpu::request what;
  gpu::timing times;
};

double middle(std::vector<double> const& seconds) {
  return bench::summary(seconds).median;
}

json seconds_of(std::string const& name, std::vector<double> const& seconds, std::size_t calls,
                bool correct) {
  return {{"name", name}, {"correct", correct}, {"repeats", calls}, {"seconds", seconds}};
}

/// The report of the CPU benchmark (bench/harness/report.hpp) with a GPU: its competitors are the
/// GPU, the processor and the copy.
std::string report(std::vector<cell> const& cells, gpu::device const& device, int threads) {
  bench::run frame;
  frame.date = bench::now_in_utc();
  frame.command = bench::command_line();
  frame.where = bench::this_machine();
  frame.what = bench::this_build();
  frame.threads = threads > 0 ? threads : frame.where.threads;
  auto object = json::parse(bench::as_json(frame));
  auto const presence = gpu::look();
  object["gpu"] = {{"name", device.name},
                   {"capability", device.capability},
                   {"multiprocessors", device.multiprocessors},
                   {"memory", device.memory},
                   {"l2_bytes", device.l2_bytes},
                   {"toolkit", presence.toolkit},
                   {"driver", presence.driver}};
  object["note"] = "GPU times are for data that are on the device already.";
  object["competitors"] = {
      {{"name", "upsweep"}, {"title", "Upsweep on the GPU"}, {"role", "upsweep"}},
      {{"name", "cpu"}, {"title", "Upsweep on the processor"}, {"role", "peer"}},
      {{"name", "copy"}, {"title", "copy on the device"}, {"role", "limit"}}};
  for (auto const& c : cells) {
    bool const right = c.times.difference.empty();
    json all{seconds_of("upsweep", c.times.gpu, c.times.gpu_calls, right),
             seconds_of("cpu", c.times.cpu, c.times.cpu_calls, true),
             seconds_of("copy", c.times.copy, c.times.copy_calls, true)};
    object["cells"].push_back({{"verb", c.what.scan ? "inclusive_scan" : "reduce"},
                               {"op", c.what.op},
                               {"type", c.what.type},
                               {"in_place", false},
                               {"n", c.what.n},
                               {"cold", true},
                               {"traffic", c.times.traffic},
                               {"all", all}});
  }
  return object.dump(1) + "\n";
}

void print_row(cell const& c, bool is_first) {
  if (is_first)
    fmt::print("\n{}\n{:>9}  {:>10}  {:>10}  {:>8}  {:>6}  {:>7}\n", c.what.title(), "n", "CPU ms",
               "GPU ms", "speed-up", "GB/s", "of copy");
  if (!c.times.difference.empty()) {
    fmt::print("{:>9}  {}\n", text::size_name(c.what.n), c.times.difference);
  } else {
    double const on_gpu = middle(c.times.gpu);
    fmt::print("{:>9}  {:>10}  {:>10}  {:>8}  {:>6}  {:>5.0f} %\n", text::size_name(c.what.n),
               text::milliseconds(middle(c.times.cpu)), text::milliseconds(on_gpu),
               fmt::format("{:.3g}", bench::ratio(c.times.cpu, c.times.gpu).median),
               text::gigabytes_text(static_cast<double>(c.times.traffic) * 1e-9 / on_gpu),
               100 * bench::ratio(c.times.copy, c.times.gpu).median);
  }
  std::fflush(stdout);
}

/// Whether the memory here and there is enough; a half of what is free, because others use it too.
bool fits(gpu::request const& r, std::size_t host) {
  auto const needed = gpu::needs(r);
  return needed.host <= host / 2 && needed.device <= gpu::free_memory() / 2;
}

void print_head(gpu::device const& device, bench::machine const& here, int threads) {
  auto const presence = gpu::look();
  fmt::print(
      "GPU: {}, compute capability {}.{}, CUDA {}, driver for CUDA {}\nCPU: {}, {} threads\n",
      device.name, device.capability / 10, device.capability % 10, presence.toolkit,
      presence.driver, here.cpu, threads > 0 ? threads : here.threads);
  fmt::print(
      "GPU times are for data that are on the device already; bringing them there is not in "
      "them.\n");
}

}  // namespace

int bench_on_gpu(gpu_bench_flags const& flags) {
  auto const device = gpu::require("bench --on cuda", "without --on the processor is measured");
  auto const requests = gpu_requests(flags);
  std::optional<io::output_file> json_file, html_file;
  if (!flags.json.empty()) json_file.emplace(flags.json, flags.force);
  if (!flags.html.empty()) html_file.emplace(flags.html, flags.force);
  bool const silent = (json_file && json_file->is_standard_output()) ||
                      (html_file && html_file->is_standard_output());
  auto const here = bench::this_machine();
  if (!silent) print_head(device, here, flags.threads);
  gpu::settings s;
  s.cpu_threads = flags.threads;
  s.cell_seconds = flags.seconds / static_cast<double>(requests.size());
  std::vector<cell> cells;
  int status = 0;
  bool const terminal = isatty(STDERR_FILENO) == 1;
  for (auto const& r : requests) {
    if (!fits(r, here.available_memory)) {
      fmt::print(stderr,
                 "upsweep: bench: {} of {} elements does not take part: it needs more than half of "
                 "the free memory\n",
                 r.title(), text::size_name(r.n));
      continue;
    }
    if (terminal) fmt::print(stderr, "\r\033[K{}, n = {}", r.title(), text::size_name(r.n));
    cell const c{r, gpu::measure(r, s)};
    if (terminal) fmt::print(stderr, "\r\033[K");
    if (!c.times.difference.empty()) status = 1;
    if (!silent) print_row(c, cells.empty() || cells.back().what.title() != r.title());
    cells.push_back(c);
  }
  std::string const text =
      json_file || html_file ? report(cells, device, flags.threads) : std::string();
  if (json_file) json_file->write(text), json_file->commit();
  if (html_file) html_file->write(bench::figure(text)), html_file->commit();
  return status;
}

}  // namespace upsweep::cli
