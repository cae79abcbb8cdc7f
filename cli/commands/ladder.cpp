/// `upsweep ladder`: the library on the CPU and all textbook kernels, on the same input.
#include <cli/cuda/gpu.hpp>
#include <cli/lab/lab_flags.hpp>
#include <cli/output/progress.hpp>
#include <io/error.hpp>
#include <lab/library.hpp>
#include <lab/reports.hpp>
#include <lab/run.hpp>
#include <text/figures.hpp>
#include <text/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct ladder_flags {
  std::string what = "both";
  run_flags run;
  std::uint64_t emulate = 65536;
};

struct rung {
  lab::request asked;
  lab::outcome out;
  sim::counters total;
};

struct gpu_rung {
  lab::request asked;
  lab::gpu_outcome out;
};

std::vector<std::string> stems_of(textbook::kind what) {
  std::vector<std::string> stems;
  for (auto const& row : textbook::algorithms)
    if (row.what == what) stems.emplace_back(row.stem);
  return stems;
}

/// A count per element, with two decimals: "1.99".
std::string per_element(double count, std::uint64_t n) {
  return fmt::format("{:.2f}", count / static_cast<double>(std::max<std::uint64_t>(n, 1)));
}

void print_head(lab::library_times const& t, char const* what) {
  fmt::print("{} by the library, {} elements:\n", what, t.n);
  fmt::print("  one thread   {:>9}  {:>6.1f} GB/s  {}\n", text::duration(t.serial_seconds),
             t.gigabytes / t.serial_seconds, t.value);
  fmt::print("  {:<2} threads   {:>9}  {:>6.1f} GB/s  {}\n", t.threads,
             text::duration(t.parallel_seconds), t.gigabytes / t.parallel_seconds,
             t.agree() ? "the same bits" : "DIFFERS: " + t.difference);
}

/// "agrees: 45"; the last value of an exclusive scan is the total of all elements but the last.
std::string agreement(lab::request const& asked, std::string const& value) {
  return fmt::format("agrees: {}{}", value, asked.exclusive ? " (without the last element)" : "");
}

/// Bytes of memory: sectors of 32 bytes for warps, elements for the tasklets, which have no warps.
double bytes_moved(rung const& r) {
  if (!lab::has_warps(r.asked.stem))
    return static_cast<double>(r.total.elements_loaded + r.total.global_stores) *
           lab::elements[static_cast<std::size_t>(r.asked.type)].bytes;
  return 32.0 * static_cast<double>(r.total.sectors_loaded + r.total.sectors_stored);
}

void print_table(std::vector<rung> const& rungs) {
  text::text_table table({"kernel", "result", "applications/n", "span", "warp instructions/n",
                          "elements moved/n", "bytes moved/n", "seconds emulated"});
  for (auto const& r : rungs)
    table.add({r.asked.stem,
               r.out.clean()    ? agreement(r.asked, r.out.value)
               : r.out.agrees() ? "finding"
                                : "DIFFERS",
               per_element(static_cast<double>(r.total.applications), r.asked.n),
               fmt::format("{}", r.total.span),
               per_element(static_cast<double>(r.total.steps), r.asked.n),
               per_element(static_cast<double>(r.total.elements_loaded + r.total.global_stores),
                           r.asked.n),
               per_element(bytes_moved(r), r.asked.n), fmt::format("{:.2f}", r.out.seconds)});
  fmt::print("{}", table.text());
}

/// "agrees: 45", or a description of the first difference.
std::string verdict_of(gpu_rung const& r) {
  if (!r.out.left_out.empty()) return r.out.left_out;
  auto const& out = r.out.result;
  if (out.first)
    return fmt::format("DIFFERS: result {} should be {} but is {}", out.first->index,
                       out.first->expected, out.first->got);
  return out.agrees() ? agreement(r.asked, out.value) : "DIFFERS: " + out.failure;
}

void print_table(std::vector<gpu_rung> const& rungs, lab::library_times const& t) {
  text::text_table table({"kernel", "GPU time", "bytes/n", "GB/s", "x one thread", "x all threads",
                          "launches", "result"});
  for (auto const& r : rungs) {
    bool const ran = r.out.left_out.empty();
    auto const times = [&](double seconds) {
      return ran ? fmt::format("{:.3g}", seconds / r.out.seconds) : "-";
    };
    table.add({r.asked.stem, ran ? text::duration(r.out.seconds) : "-",
               ran ? per_element(r.out.gigabytes_per_second * r.out.seconds * 1e9, r.asked.n) : "-",
               ran ? text::gigabytes_text(r.out.gigabytes_per_second) : "-",
               times(t.serial_seconds), times(t.parallel_seconds),
               ran ? fmt::format("{}", r.out.launches) : "-", verdict_of(r)});
  }
  fmt::print("{}", table.text());
}

nlohmann::ordered_json json_of(gpu_rung const& r) {
  nlohmann::ordered_json object{{"stem", r.asked.stem}, {"n", r.asked.n}, {"on", "cuda"}};
  if (!r.out.left_out.empty()) {
    object["left_out"] = r.out.left_out;
    return object;
  }
  object["agrees"] = r.out.result.agrees();
  if (!r.out.result.agrees()) object["difference"] = lab::verdict(r.asked, r.out.result);
  object["value"] = r.out.result.value;
  object["seconds"] = r.out.seconds;
  object["gigabytes_per_second"] = r.out.gigabytes_per_second;
  object["launches"] = r.out.launches;
  return object;
}

nlohmann::ordered_json json_of(rung const& r) {
  return {{"stem", r.asked.stem},
          {"n", r.asked.n},
          {"on", "sim"},
          {"agrees", r.out.agrees()},
          {"findings", r.out.report.findings.size()},
          {"value", r.out.value},
          {"bytes_moved", bytes_moved(r)},
          {"seconds", r.out.seconds},
          {"total", lab::json_of(r.total)}};
}

template <class Rung>
nlohmann::ordered_json json_of(lab::library_times const& t, std::vector<Rung> const& rungs,
                               char const* what) {
  nlohmann::ordered_json object{{"what", what},
                                {"n", t.n},
                                {"bytes", t.bytes},
                                {"value", t.value},
                                {"agree", t.agree()},
                                {"serial_seconds", t.serial_seconds},
                                {"parallel_seconds", t.parallel_seconds},
                                {"threads", t.threads},
                                {"kernels", nlohmann::ordered_json::array()}};
  if (!t.agree()) object["difference"] = t.difference;
  for (auto const& r : rungs) object["kernels"].push_back(json_of(r));
  return object;
}

/// The options of the command, the library's times and the machine for the kernels.
struct climb {
  ladder_flags const& flags;
  lab::element_type type;
  lab::operation_name op;
  std::optional<gpu::device> gpu;  ///< none: the kernels run on the emulator
  int status = 0;

  [[nodiscard]] std::uint64_t kernel_n() const {
    return gpu ? flags.run.n : std::min(flags.run.n, flags.emulate);
  }
};

/// Requests for all algorithms of one kind. Prints a warning for each algorithm that cannot run
/// them.
std::vector<lab::request> requests_of(climb const& c, textbook::kind what) {
  std::vector<lab::request> all;
  auto asked = c.flags.run;
  asked.n = c.kernel_n();
  asked.on = c.gpu ? "cuda" : "sim";
  for (auto const& stem : stems_of(what)) {
    auto const& row = lab::catalog_row(stem);
    if ((!row.keeps_order && !lab::commutes(c.op)) || (c.gpu && row.emulator_only)) continue;
    try {
      all.push_back(asked.of(stem));
    } catch (io::usage_error const& e) {
      fmt::print(stderr, "upsweep: ladder: {} is left out: {}\n", stem, e.what());
    }
  }
  return all;
}

std::vector<rung> emulated(climb& c, textbook::kind what) {
  std::vector<rung> rungs;
  for (auto wanted : requests_of(c, what)) {
    show_status(wanted.stem);
    wanted.machine.check = false;
    rung r{wanted, lab::run(wanted), {}};
    r.total = r.out.report.total();
    show_status("");
    if (!r.out.clean()) {
      c.status = 1;
      fmt::print(stderr, "upsweep: {}; repeat with: {}\n", lab::verdict(r.asked, r.out),
                 lab::command_line(r.asked));
    }
    rungs.push_back(std::move(r));
  }
  return rungs;
}

std::vector<gpu_rung> on_gpu(climb& c, textbook::kind what) {
  std::vector<gpu_rung> rungs;
  for (auto const& wanted : requests_of(c, what)) {
    show_status(wanted.stem);
    gpu_rung r{wanted, lab::run_on_gpu(wanted, true)};
    show_status("");
    if (r.out.left_out.empty() && !r.out.result.agrees()) {
      c.status = 1;
      fmt::print(stderr, "upsweep: {}; repeat with: {}\n", lab::verdict(r.asked, r.out.result),
                 lab::command_line(r.asked));
    }
    rungs.push_back(std::move(r));
  }
  return rungs;
}

/// Reductions or scans: the library's times, then the kernels.
void climb_one(climb& c, textbook::kind what, nlohmann::ordered_json& json) {
  bool const scan = what == textbook::kind::scan, as_json = c.flags.run.json;
  char const* const name = scan ? "scan" : "reduction";
  show_status(fmt::format("{} of {} elements by the library", name, c.flags.run.n));
  lab::request asked;
  asked.type = c.type;
  asked.op = c.op;
  asked.n = c.flags.run.n;
  asked.ones = c.flags.run.ones;
  asked.machine.seed = c.flags.run.seed;
  auto const times = lab::time_library(asked, scan);
  show_status("");
  if (!times.agree()) c.status = 1;
  if (!as_json) {
    fmt::print("\n");
    print_head(times, name);
    if (asked.n = c.kernel_n(); asked.n != times.n)  // the kernels' elements
      print_head(lab::time_library(asked, scan), name);
    std::fflush(stdout);
  }
  auto const print_title = [&](std::string const& where) {
    fmt::print("\n{} by the textbook's kernels on {}, {} elements, {} threads per block:\n", name,
               where, c.kernel_n(), c.flags.run.block);
  };
  if (c.gpu) {
    auto const rungs = on_gpu(c, what);
    if (as_json) {
      json.push_back(json_of(times, rungs, name));
      json.back()["device"] = c.gpu->name;
    } else {
      print_title(c.gpu->name);
      print_table(rungs, times);
    }
    return;
  }
  auto const rungs = emulated(c, what);
  if (as_json) return json.push_back(json_of(times, rungs, name));
  print_title("the emulator");
  print_table(rungs);
}

/// The GPU for the kernels: required by --on cuda; without --on, used if there is one and kernels
/// are compiled for this type and operator. `reason` says why there is none.
std::optional<gpu::device> find_gpu(ladder_flags const& flags, lab::element_type type,
                                    std::string& reason) {
  if (flags.run.on == "cuda")
    return gpu::require("ladder --on cuda", "--on sim runs the kernels on the emulator");
  if (flags.run.on == "sim") return std::nullopt;
  auto const presence = gpu::look();
  if (presence.devices.empty()) {
    reason = presence.is_built ? "no GPU: " + presence.trouble : "built without CUDA";
    return std::nullopt;
  }
  lab::request example;
  example.stem = "kogge_stone";
  example.on = lab::machine_name::cuda;
  example.type = type;
  example.op = lab::parse_operation(flags.run.op);
  example.threads = flags.run.threads();
  reason = lab::gpu_objection(example);
  if (!reason.empty()) return std::nullopt;
  return gpu::require("ladder", "");
}

int run(ladder_flags const& flags) {
  auto const type = !flags.run.type.empty()    ? lab::parse_element(flags.run.type)
                    : flags.run.op == "affine" ? lab::element_type::affine
                                               : lab::element_type::i32;
  auto const op = lab::parse_operation(flags.run.op);
  if (!lab::combine(op, type))
    throw io::usage_error("ladder: {} does not combine elements of type {}", name_of(op),
                          name_of(type));
  std::string reason;
  climb c{flags, type, op, find_gpu(flags, type, reason)};
  if (!flags.run.json) {
    fmt::print("machine: {} threads of this CPU; ",
               std::max(1u, std::thread::hardware_concurrency()));
    if (c.gpu)
      fmt::print("{}, compute capability {}.{}\n", c.gpu->name, c.gpu->capability / 10,
                 c.gpu->capability % 10);
    else
      fmt::print("kernels run on the emulator{}\n", reason.empty() ? "" : " (" + reason + ")");
    fmt::print("data: {} elements of {}, {}{}\n", flags.run.n, name_of(type),
               byte_count(static_cast<double>(flags.run.n) *
                          lab::elements[static_cast<std::size_t>(type)].bytes),
               flags.run.ones ? ", all 1" : "");
  }
  auto json = nlohmann::ordered_json::array();
  for (auto const what : {textbook::kind::reduce, textbook::kind::scan})
    if (flags.what != (what == textbook::kind::scan ? "reduce" : "scan")) climb_one(c, what, json);
  if (flags.run.json) fmt::print("{}\n", json.dump());
  return c.status;
}

}  // namespace

void add_ladder_command(registry& tool) {
  auto const [add, flags] = add_command<ladder_flags>(tool, "ladder");
  flags.run.n = 10'000'000;
  flags.run.on = "auto";  // a GPU if there is one
  add("WHAT", flags.what, "reduce, scan or both (default)", one_of({"both", "reduce", "scan"}));
  add_run_options(add, flags.run);
  add("--emulate N", flags.emulate, "Largest number of elements on the emulator (default: 65536)",
      at_least_one);
  add("--json", flags.run.json, "Write JSON");
}

}  // namespace upsweep::cli
