/// `upsweep bench`: measures Upsweep, the limits of this machine, a plain loop and other libraries
/// in one run.
#include <bench/contestants/competitors.hpp>
#include <bench/harness/measure.hpp>
#include <cli/bench/rows.hpp>
#include <cli/bench/session.hpp>
#include <cli/cuda/bench_gpu.hpp>
#include <cli/cuda/gpu.hpp>
#include <cli/registry.hpp>
#include <io/error.hpp>
#include <text/figures.hpp>
#include <upsweep/host/simd/dispatch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// Grouped by table, in ascending size. Throws usage_error if no requested combination has kernels.
std::vector<bench::configuration> cells_on_gpu(bench_choice const& o) {
  std::vector<bench::configuration> all;
  for (auto const& w : works_of(o))
    if (gpu::has_kernels(w))
      for (auto const n : o.sizes_or(o.quick ? "10..26:8" : "10..28:3")) all.push_back({w, n});
  if (all.empty())
    throw io::usage_error(
        "bench: there is no compiled kernel for this operation and type; the GPU has sum of every "
        "type, product, min and max of i32, i64, f32 and f64, and affine of f32 and f64");
  return all;
}

double seconds_for(bench_choice const& o, std::size_t cells) {
  if (o.time) return *o.time;
  if (o.what == "all") return o.quick ? 45 : 480;
  if (o.has_every()) return static_cast<double>(cells) * (o.quick ? 0.03 : 0.1);
  return o.quick ? 5 : 20;
}

bool has_peers(bench_choice const& o) {
  return o.peers != std::vector<std::string>{"none"};
}

/// The limits, Upsweep and its peers; without --peers only "upsweep" and the loop.
void choose_by_flags(bench_choice const& o, bench::team& t, bench::run& to) {
  if (has_peers(o) && std::ranges::find(o.peers, "none") != o.peers.end())
    throw io::usage_error("bench: --peers none cannot be combined with other peers");
  choose_competitors(bench::benchmark::operators,
                     has_peers(o) ? o.peers : std::vector<std::string>{"loop"}, t, to);
  if (!has_peers(o))
    std::erase_if(to.competitors, [](bench::competitor const& c) {
      return c.role == bench::role::upsweep && c.name != "upsweep";
    });
}

void set_columns(bench_session& session, bool wide, bool is_list) {
  session.set_list(is_list);
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

/// Plans need no GPU, but a tool that is built with CUDA.
void expect_plans_of_gpu() {
  if (!gpu::look().is_built)
    (void)gpu::require("bench --on cuda --explain",
                       "without --on, the plans of the CPU are printed");
}

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

/// Measures and prints these cells on the GPU and on the CPU, in about `seconds`. Throws
/// unavailable_error if CUDA fails.
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

int run_on_gpu(bench_choice const& o) {
  if (o.what == "all" || o.what == "threads")
    throw io::usage_error("bench: '{}' is for the CPU; with --on cuda choose reduce, scan or both",
                          o.what);
  if (o.in_place) throw io::usage_error("bench: --in-place is for the CPU only");
  if (has_peers(o))
    throw io::usage_error(
        "bench: with --on cuda the CPU is the only peer; upsweep_gpu_bench compares with CUB and "
        "Thrust");
  if (o.explain) {
    expect_plans_of_gpu();
    return explain_gpu_plans(cells_on_gpu(o), o.json, o.force);
  }
  (void)gpu::require("bench --on cuda", "without --on, the CPU is measured");
  auto const cells = cells_on_gpu(o);
  bench_session session(o.json, o.html, o.force, o.threads);
  measure_on_gpu(session, cells, seconds_for(o, cells.size()));
  return session.finish();
}

/// Shows what is being measured.
bench::observer announce_on(bench_session const& session) {
  return [&session](std::size_t done, std::size_t total, bench::work const& w, std::size_t n) {
    return session.announce(fmt::format("{} of {}: {}, n = {}", done + 1, total, bench::title_of(w),
                                        text::size_name(n)));
  };
}

/// The limits and Upsweep with 1, 2, 4, ... threads.
void measure_threads(bench_choice const& o, bench_session& session, bench::team& team,
                     bench::settings const& s) {
  auto const& where = session.result.where;
  bench::measure_all(
      bench::thread_table(o.quick), bench::competitors_by_threads(session.result.threads), team, s,
      o.time.value_or(o.quick ? 3 : 10), bench::largest_footprint(where.available_memory),
      announce_on(session), [&](bench::cell const& c) { session.add_by_threads(c); });
}

int run_on_processor(bench_choice const& o) {
  bool const threads_only = o.what == "threads";
  if (threads_only && (!o.op.empty() || !o.type.empty() || !o.sizes.empty() || o.in_place ||
                       o.explain || has_peers(o) || !o.html.empty()))
    throw io::usage_error("bench: 'threads' takes only --threads, --quick, --time and --json");
  auto const rows = threads_only ? std::vector<bench::row>{} : rows_on_processor(o);
  if (o.explain) return explain_cpu_plans(rows, o.threads, o.json, o.force);
  bench_session session(o.json, o.html, o.force, o.threads);
  bench::run& result = session.result;
  bench::team team(result.threads);
  choose_by_flags(o, team, result);
  set_columns(session, has_peers(o), o.has_every());
  bench::settings s;
  s.cache_bytes = bench::largest_cache(result.where);
  std::size_t cells = 0;
  for (auto const& r : rows) cells += r.sizes.size();
  bench::measure_all(rows, result.competitors, team, s, seconds_for(o, cells),
                     bench::largest_footprint(result.where.available_memory), announce_on(session),
                     [&](bench::cell const& c) { session.add(c); });
  bool const is_whole_table = o.what == "all" && o.op.empty() && o.type.empty() && o.sizes.empty();
  if (threads_only || is_whole_table) measure_threads(o, session, team, s);
  return session.finish();
}

int run_verbs(bench_choice const& o) {
  if (!o.op.empty() || o.in_place || !o.html.empty())
    throw io::usage_error(
        "bench: 'verbs' takes only --verb, --type, --sizes, --threads, --peers, --json, --force, "
        "--quick and --time, or --on cuda --explain");
  if (o.explain != (o.on == "cuda"))
    throw io::usage_error(
        "bench: 'verbs' measures the CPU, and prints the plans of a GPU with --on cuda --explain");
  if (!o.explain) return bench_verbs(o);
  expect_plans_of_gpu();
  return explain_gpu_verbs(o);
}

/// The verbs of `bench verbs`, and those that only a GPU has.
std::vector<std::string> verb_choices() {
  std::vector<std::string> names = bench::verb_names();
  for (auto const& row : gpu::verb_rows())
    if (std::ranges::find(names, row.verb) == names.end()) names.push_back(row.verb);
  return names;
}

/// Names of the catalog may be written with hyphens.
void underscored(registry& /*tool*/, CLI::Option& option) {
  option.transform([](std::string word) {
    std::ranges::replace(word, '-', '_');
    return word;
  });
}

/// What is measured beside Upsweep, and on how many threads.
void add_competitors(options const& add, bench_choice& o) {
  std::vector<std::string> peers{"none", "all"};
  for (auto const of : {bench::benchmark::operators, bench::benchmark::verbs})
    for (auto const& name : bench::peer_names(of))
      if (std::ranges::find(peers, name) == peers.end()) peers.push_back(name);
  add("--threads N", o.threads,
      "Threads of every competitor (default: all that this process may use)", in_range(1, 1024));
  add("--peers PEER,...", o.peers,
      "Other libraries to measure in the same run: none (default), all, or names", comma_list,
      one_of(peers));
  add("--simd TARGET", o.simd,
      "Kernels of this instruction set (default: the best that the CPU has); peers keep theirs",
      one_of(host::simd::targets()));
}

/// How long it takes, and where the results go.
void add_outputs(options const& add, bench_choice& o) {
  add("--json FILE", o.json, "Write all rounds of the run, or the plans, as JSON to this file");
  add("--html FILE", o.html, "Write the figure, a self-contained page, to this file");
  add("--force", o.force, "Replace files that exist");
  add("--quick", o.quick, "Fewer sizes and rounds");
  add("--time SECONDS", o.time,
      "Approximate duration of the measurement in seconds (default: 20, with --quick 5, of all 480 "
      "and 45)",
      finite_number());
}

}  // namespace

int run(bench_choice const& o) try {
  std::optional<host::simd::forced_target> target;
  if (!o.simd.empty()) {
    if (o.on == "cuda") throw io::usage_error("bench: --simd is for the CPU");
    target.emplace(o.simd);
  }
  if (o.what == "verbs") return run_verbs(o);
  if (!o.verb.empty())
    throw io::usage_error("bench: --verb is for `upsweep bench verbs`; others have --op");
  if (o.explain && !o.html.empty())
    throw io::usage_error(
        "bench: --explain measures nothing and cannot write a figure; omit --html");
  return o.on == "cuda" ? run_on_gpu(o) : run_on_processor(o);
} catch (std::invalid_argument const& e) {
  throw io::usage_error(e.what());
}

void add_bench_command(registry& tool) {
  auto const [add, o] = add_command<bench_choice>(tool, "bench");
  add("WHAT", o.what,
      "reduce, scan, both (default), threads: 1, 2, 4, ... threads, all: the table of "
      "docs/generated/performance.md, or verbs: select, sort, windowed, ...",
      one_of({"both", "reduce", "scan", "threads", "all", "verbs"}));
  add("--verb VERB,...", o.verb, "Verbs that `bench verbs` measures (default: all)", comma_list,
      underscored, one_of(verb_choices()));
  add("--op OPERATION,...", o.op, "Operations to measure (default: sum); every: all of the catalog",
      comma_list, underscored, one_of(operation_choices()));
  add("--type TYPE,...", o.type,
      "Element types (default: f32, or i32 for operators of integers); every: all that the "
      "operation takes",
      comma_list, one_of(type_choices()));
  add("--on MACHINE", o.on, "Machine: cpu (default), or cuda, a GPU compared with the CPU",
      one_of({"cpu", "cuda"}));
  add("--explain", o.explain, "Print the plan of each call without running it");
  add("-n,--n,--sizes SIZE,...", o.sizes,
      "Numbers of elements: exponents of two up to 40, as 10..26 or 10,16,20, or larger numbers, "
      "which are counts");
  add_competitors(add, o);
  add("--in-place", o.in_place, "Scan in place: the output is the input");
  add_outputs(add, o);
}

}  // namespace upsweep::cli
