/// `upsweep doctor`: the machine, the part of it that this process may use, and the measured speed
/// of its memory.
#include <bench/contestants/competitors.hpp>
#include <bench/harness/machine.hpp>
#include <bench/harness/report.hpp>
#include <bench/rows/tables.hpp>
#include <cli/cuda/gpu.hpp>
#include <cli/registry.hpp>
#include <upsweep/core/version.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::cli {

namespace {

struct bandwidth {
  std::string what;   // "read", "copy"
  std::string where;  // "L1", "memory"
  std::size_t bytes = 0;
  double one_thread = 0;
  double all_threads = 0;  // GB/s; 0 for the caches, which are measured on one thread
};

std::string amount(std::size_t bytes) {
  if (bytes >= std::size_t{1} << 30)
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30));
  if (bytes >= std::size_t{1} << 20) return fmt::format("{} MiB", bytes >> 20);
  return fmt::format("{} KiB", bytes >> 10);
}

/// The fastest limit on one thread and on all threads, for `bytes` of input.
bandwidth measured(std::string const& where, bench::verb v, std::size_t bytes, bench::team& t,
                   bench::settings s) {
  bench::work const w{v, bench::operation::sum, bench::element::f64};
  bench::arena memory(2 * bench::footprint(w, bytes / 8) + (1u << 20));
  bandwidth result{v == bench::verb::reduce ? "read" : "copy", where, bytes};
  s.cell_seconds = 0.15;
  s.cold_from = where == "memory" ? 0 : bytes + 1;
  auto const cell = bench::measure(w, bytes / 8, bench::limit_competitors(t), memory, t, s);
  for (auto const& series : cell.all) {
    double const speed =
        bench::gigabytes_per_second(w, cell.n, bench::summary(series.seconds).median);
    double& best = series.name.ends_with("-all") ? result.all_threads : result.one_thread;
    best = std::max(best, speed);
  }
  return result;
}

std::vector<bandwidth> bandwidths(bench::machine const& m) {
  bench::team team(m.threads), alone(1);
  bench::settings s;
  s.cache_bytes = bench::largest_cache(m);
  std::vector<bandwidth> all;
  for (auto const& c : m.caches)
    if (c.bytes / 2 >= 8192)
      all.push_back(
          measured(fmt::format("L{}", c.level), bench::verb::reduce, c.bytes / 2, alone, s));
  // Larger than every cache, but at most an eighth of the free memory.
  std::size_t const wanted = std::max<std::size_t>(std::size_t{256} << 20, 4 * s.cache_bytes);
  std::size_t const bytes =
      m.available_memory == 0 ? wanted : std::min(wanted, m.available_memory / 8);
  all.push_back(measured("memory", bench::verb::reduce, bytes, team, s));
  all.push_back(measured("memory", bench::verb::inclusive_scan, bytes, team, s));
  return all;
}

/// "9.0" for 90.
std::string capability_text(gpu::device const& d) {
  return fmt::format("{}.{}", d.capability / 10, d.capability % 10);
}

/// The state of CUDA: the tool's build, then one line per device or the reason why there is none.
std::vector<std::string> cuda_lines(gpu::presence const& p) {
  if (!p.is_built) return {"the tool is built without CUDA"};
  std::vector<std::string> all{fmt::format("{}, kernels for compute capability {}; driver: {}",
                                           p.toolkit, p.architectures,
                                           p.driver.empty() ? "none" : "for CUDA " + p.driver)};
  for (auto const& d : p.devices)
    all.push_back(fmt::format("device {}: {}, compute capability {}, {} multiprocessors, {}, L2 {}",
                              d.number, d.name, capability_text(d), d.multiprocessors,
                              amount(d.memory), amount(d.l2_bytes)));
  if (!p.trouble.empty()) all.push_back("no device: " + p.trouble);
  return all;
}

nlohmann::ordered_json object_of(gpu::presence const& p) {
  nlohmann::ordered_json object{{"built", p.is_built}};
  if (p.is_built) {
    object["toolkit"] = p.toolkit;
    object["architectures"] = p.architectures;
    object["driver"] =
        p.driver.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(p.driver);
  }
  object["devices"] = nlohmann::ordered_json::array();
  for (auto const& d : p.devices)
    object["devices"].push_back({{"number", d.number},
                                 {"name", d.name},
                                 {"capability", capability_text(d)},
                                 {"multiprocessors", d.multiprocessors},
                                 {"memory", d.memory},
                                 {"l2_bytes", d.l2_bytes}});
  if (!p.trouble.empty()) object["trouble"] = p.trouble;
  return object;
}

void print_text(bench::machine const& m, bench::build const& b,
                std::vector<bandwidth> const& speeds) {
  auto line = [](char const* name, std::string const& value) {
    if (!value.empty()) fmt::print("{:<12} {}\n", name, value);
  };
  std::string caches;
  for (auto const& c : m.caches)
    caches += fmt::format("{}L{} {}{}", caches.empty() ? "" : ", ", c.level, amount(c.bytes),
                          c.shared_by > 1 ? fmt::format(" for {} CPUs", c.shared_by) : "");
  line("upsweep", fmt::format("{} ({}), combine tree {}", b.version, b.revision, tree_version));
  line("compiler", fmt::format("{}, {}, {}", b.compiler, b.type, b.flags));
  line("system", m.distribution.empty() ? m.system : m.distribution + ", " + m.system);
  line("processor",
       fmt::format("{} ({}){}", m.cpu, m.family, m.is_virtual ? ", in a virtual machine" : ""));
  line("CPUs", fmt::format("{} online, {} by affinity, {}", m.online, m.affinity,
                           m.quota > 0 ? fmt::format("{:.4g} by cgroup quota", m.quota)
                                       : "no cgroup quota"));
  line("threads", fmt::format("{} in a call of the default executor", m.threads));
  line("SIMD", m.simd);
  line("caches", caches);
  line("memory", fmt::format("{}, {} available, huge pages: {}", amount(m.memory),
                             amount(m.available_memory), m.huge_pages));
  for (char const* name = "CUDA"; auto const& text : cuda_lines(gpu::look())) {
    line(name, text);
    name = "";
  }
  fmt::print("\n{:<18}{:>14}{:>14}   GB/s, fastest of several loops\n", "bandwidth", "1 thread",
             fmt::format("{} thread{}", m.threads, m.threads == 1 ? "" : "s"));
  for (auto const& s : speeds)
    fmt::print("{:<18}{:>14.1f}{:>14}   {}\n", s.what + " " + s.where, s.one_thread,
               s.all_threads > 0 ? fmt::format("{:.1f}", s.all_threads) : "", amount(s.bytes));
}

void print_json(bench::machine const& m, bench::build const& b,
                std::vector<bandwidth> const& speeds) {
  using json = nlohmann::ordered_json;
  json list = json::array();
  for (auto const& s : speeds)
    list.push_back({{"what", s.what},
                    {"where", s.where},
                    {"bytes", s.bytes},
                    {"one_thread", s.one_thread},
                    {"all_threads", s.all_threads}});
  json const all{{"machine", json::parse(bench::as_json(m))},
                 {"build", json::parse(bench::as_json(b))},
                 {"tree_version", tree_version},
                 {"cuda", object_of(gpu::look())},
                 {"gigabytes_per_second", list}};
  fmt::print("{}\n", all.dump(2));
}

struct doctor_flags {
  bool json = false;
};

void run(doctor_flags const& flags) {
  auto const machine = bench::this_machine();
  auto const build = bench::this_build();
  auto const speeds = bandwidths(machine);
  flags.json ? print_json(machine, build, speeds) : print_text(machine, build, speeds);
}

}  // namespace

void add_doctor_command(registry& tool) {
  auto const [add, flags] = add_command<doctor_flags>(tool, "doctor");
  add("--json", flags.json, "Print one JSON object");
}

}  // namespace upsweep::cli
