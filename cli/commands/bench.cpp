/// `upsweep bench`: measures Upsweep, the limits of this machine, a plain loop and other libraries
/// in one run.
#include <bench/baselines/competitors.hpp>
#include <bench/harness/plan.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include <cli/bench_session.hpp>
#include <cli/cuda/bench_command.hpp>
#include <cli/cuda/bench_gpu.hpp>
#include <cli/cuda/gpu.hpp>
#include <cli/registry.hpp>
#include <io/error.hpp>
#include <text/figures.hpp>

namespace upsweep::cli {

namespace {

struct bench_flags {
  std::string what = "both";
  std::vector<std::string> op, type, peers{"none"};
  std::string sizes, json, html, on = "cpu";
  int threads = 0;
  bool quick = false, in_place = false, force = false, explain = false;
  std::optional<double> time;
};

/// Both verbs, or the requested one.
std::vector<bench::verb> verbs_of(bench_flags const& o) {
  std::vector<bench::verb> verbs;
  if (o.what != "scan") verbs.push_back(bench::verb::reduce);
  if (o.what != "reduce") verbs.push_back(bench::verb::inclusive_scan);
  return verbs;
}

/// All combinations of verbs, operations and types.
std::vector<bench::work> works_of(bench_flags const& o) {
  std::vector<bench::work> all;
  for (auto const v : verbs_of(o))
    for (auto const& op : o.op.empty() ? std::vector<std::string>{"sum"} : o.op)
      for (auto const& type : o.type.empty() ? std::vector<std::string>{"f32"} : o.type)
        all.push_back({v, bench::operation_named(op), bench::element_named(type),
                       v != bench::verb::reduce && o.in_place});
  return all;
}

std::vector<std::size_t> sizes_of(bench_flags const& o, char const* otherwise) {
  return bench::sizes_from(!o.sizes.empty() ? o.sizes : o.quick ? "10..26:8" : otherwise);
}

/// Throws usage_error for an operation or a type that the benchmark has only on GPUs.
void expect_for_processor(bench::work const& w) {
  using enum bench::verb;
  bool const has_type = bench::is_for_processor({reduce, bench::operation::sum, w.type});
  bool const has_operation =
      bench::is_for_processor({reduce, w.op}) || bench::is_for_processor({inclusive_scan, w.op});
  if (!has_type || !has_operation)
    throw io::usage_error(
        fmt::format("bench: '{}' is not measured on the processor, only with --on cuda",
                    has_type ? name_of(w.op) : name_of(w.type)));
}

/// Throws usage_error if no requested combination is measured on the processor.
std::vector<bench::row> rows_on_processor(bench_flags const& o) {
  auto const sizes = sizes_of(o, "10..26:2");
  auto is_asked = [](std::vector<std::string> const& names, std::string const& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<bench::row> rows;
  if (o.what == "all") {
    rows = bench::whole_table(o.quick);
    std::erase_if(rows, [&](auto const& r) {
      return !is_asked(o.op, name_of(r.work.op)) || !is_asked(o.type, name_of(r.work.type));
    });
    if (!o.sizes.empty())
      for (auto& r : rows) r.sizes = sizes;
  } else {
    for (auto const& w : works_of(o)) {
      expect_for_processor(w);
      if (bench::is_for_processor(w)) rows.push_back({w, sizes});
    }
  }
  if (rows.empty())
    throw io::usage_error(
        "bench: this combination of verb, operation and type is not measured; on the processor "
        "there are sum, max and user of i32, i64, f32 and f64, and of f32 and f64 also scans of "
        "affine and reductions of exact_sum and squares");
  return rows;
}

/// Grouped by table, in ascending size. Throws usage_error if no requested combination has kernels.
std::vector<bench::configuration> cells_on_gpu(bench_flags const& o) {
  std::vector<bench::configuration> all;
  for (auto const& w : works_of(o))
    if (gpu::has_kernels(w))
      for (auto const n : sizes_of(o, "10..28:3")) all.push_back({w, n});
  if (all.empty())
    throw io::usage_error(
        "bench: there is no compiled kernel for this operation and type; the GPU has sum of every "
        "type, product, min and max of i32, i64, f32 and f64, and affine of f32 and f64");
  return all;
}

double seconds_for(bench_flags const& o) {
  if (o.time) return *o.time;
  if (o.what == "all") return o.quick ? 45 : 480;
  return o.quick ? 5 : 20;
}

bool has_peers(bench_flags const& o) {
  return o.peers != std::vector<std::string>{"none"};
}

/// Adds the limits, Upsweep and its peers to the team, and records peers that are not available.
void choose_competitors(bench_flags const& o, bench::team& t, bench::run& to) {
  auto is_named = [&](std::string const& name) {
    return std::find(o.peers.begin(), o.peers.end(), name) != o.peers.end();
  };
  if (has_peers(o) && is_named("none"))
    throw io::usage_error("bench: --peers none cannot be combined with other peers");
  auto found = bench::peers(has_peers(o) ? o.peers : std::vector<std::string>{"loop"}, to.threads);
  for (auto const& a : found.absent)  // `all` takes the available peers; a peer given by name must
    if (is_named(a.name))             // be available
      throw io::unavailable_error(
          fmt::format("bench: --peers {}: not available here: {}", a.name, a.reason));
  to.competitors = bench::limit_competitors(t);
  auto ours = bench::upsweep_competitors(to.threads);
  if (!has_peers(o)) ours.resize(1);
  for (auto* const part : {&ours, &found.competitors})
    to.competitors.insert(to.competitors.end(), part->begin(), part->end());
  to.absent = found.absent;
}

void set_columns(bench_session& session, bool wide) {
  if (!wide) {
    session.set_columns({milliseconds_of("loop ms", "loop"),
                         milliseconds_of("Upsweep ms", "upsweep"),
                         speed_up_over("speed-up", "loop"), gigabytes_of("GB/s", "upsweep"),
                         share_of_limit("of limit")});
    return;
  }
  std::vector<bench_column> columns{gigabytes_of("limit", "limit")};
  for (auto const& c : session.result.competitors)
    if (c.role != bench::role::limit) columns.push_back(gigabytes_of(c.name, c.name));
  columns.push_back(share_of_limit("of limit"));
  columns.push_back(speed_up_over("x best peer", ""));
  session.set_columns(std::move(columns), " (GB/s)");
}

int run_on_gpu(bench_flags const& o) {
  if (o.what == "all")
    throw io::usage_error(
        "bench: 'all' is the table of the processor; with --on cuda choose reduce, scan or both");
  if (o.in_place) throw io::usage_error("bench: --in-place is for the processor only");
  if (has_peers(o))
    throw io::usage_error(
        "bench: with --on cuda the processor is the only peer; upsweep_gpu_bench compares with CUB "
        "and Thrust");
  if (o.explain) {
    if (!gpu::look().is_built)
      (void)gpu::require("bench --on cuda --explain",
                         "without --on, the plans of the processor are printed");
    return explain_gpu_plans(cells_on_gpu(o), o.json, o.force);
  }
  (void)gpu::require("bench --on cuda", "without --on, the processor is measured");
  auto const cells = cells_on_gpu(o);
  bench_session session(o.json, o.html, o.force, o.threads);
  measure_on_gpu(session, cells, seconds_for(o));
  return session.finish();
}

int run_on_processor(bench_flags const& o) {
  auto const rows = rows_on_processor(o);
  if (o.explain) return explain_cpu_plans(rows, o.threads, o.json, o.force);
  bench_session session(o.json, o.html, o.force, o.threads);
  bench::run& result = session.result;
  bench::team team(result.threads);
  choose_competitors(o, team, result);
  set_columns(session, has_peers(o));
  bench::settings s;
  s.cache_bytes = bench::largest_cache(result.where);
  bench::measure_all(
      rows, result.competitors, team, s, seconds_for(o),
      bench::largest_footprint(result.where.available_memory),
      [&](std::size_t done, std::size_t total, bench::work const& w, std::size_t n) {
        session.announce(fmt::format("{} of {}: {}, n = {}", done + 1, total, bench::title_of(w),
                                     text::size_name(n)));
        return true;
      },
      [&](bench::cell const& c) { session.add(c); });
  return session.finish();
}

int run(bench_flags const& o) {
  if (o.explain && !o.html.empty())
    throw io::usage_error(
        "bench: --explain measures nothing and cannot write a figure; omit --html");
  return o.on == "cuda" ? run_on_gpu(o) : run_on_processor(o);
}

}  // namespace

void add_bench_command(registry& tool) {
  CLI::App* const command = add_command(tool, "bench");
  auto o = std::make_shared<bench_flags>();
  std::vector<std::string> peers = bench::peer_names();
  peers.insert(peers.begin(), {"none", "all"});
  one_of(
      tool,
      command->add_option("WHAT", o->what,
                          "reduce, scan, both (default), or all: the table of docs/performance.md"),
      {"both", "reduce", "scan", "all"});
  std::vector<std::string> const operations{"sum",    "product",   "min",  "max",
                                            "affine", "exact_sum", "user", "squares"};
  std::vector<std::string> const types{"i8",  "u8",  "i16",  "u16", "i32", "u32",
                                       "i64", "u64", "bf16", "f32", "f64"};
  one_of(tool,
         comma_list(command->add_option("--op", o->op,
                                        "Operations to measure; product and min only on a GPU")),
         operations);
  one_of(tool,
         comma_list(command->add_option("--type", o->type,
                                        "Element types; on the processor i32, i64, f32, f64")),
         types);
  one_of(tool,
         command->add_option("--on", o->on,
                             "Machine: cpu (default), or cuda, a GPU compared with the processor"),
         {"cpu", "cuda"})
      ->type_name("MACHINE");
  command->add_flag("--explain", o->explain, "Print the plan of each call without running it");
  command->add_option("-n,--n,--sizes", o->sizes,
                      "Sizes: exponents of two, as 10..26 or 10,16,20, or counts above 40");
  command
      ->add_option("--threads", o->threads,
                   "Threads of every competitor (default: all that this process may use)")
      ->check(CLI::Range(1, 1024));
  one_of(tool,
         comma_list(command->add_option("--peers", o->peers,
                                        "Other libraries to measure in the same run")),
         peers);
  command->add_flag("--in-place", o->in_place, "Scan in place");
  command->add_option("--json", o->json, "Write all rounds of the run, or the plans, to this file")
      ->type_name("FILE");
  command->add_option("--html", o->html, "Write the figure, a self-contained page, to this file")
      ->type_name("FILE");
  command->add_flag("--force", o->force, "Replace files that exist");
  command->add_flag("--quick", o->quick, "Fewer sizes and rounds");
  command->add_option("--time", o->time, "Approximate duration of the measurement in seconds")
      ->check(CLI::PositiveNumber);
  command->callback([o, &tool] {
    try {
      tool.status = run(*o);
    } catch (std::invalid_argument const& e) {
      throw io::usage_error(e.what());
    }
  });
}

}  // namespace upsweep::cli
