/// `upsweep bench`: times Upsweep against the limits of this machine, a plain loop and other
/// libraries, all in one run.
#include <bench/baselines/competitors.hpp>
#include <bench/harness/plan.hpp>
#include <bench/harness/report.hpp>
#include <bench/page/figure.hpp>
#include <cli/cuda/bench_command.hpp>
#include <cli/registry.hpp>
#include <io/error.hpp>
#include <io/output_file.hpp>
#include <text/figures.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>

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

/// The rows on standard output, as they come.
class printer {
 public:
  printer(bool wide, std::vector<bench::competitor> const& competitors) : wide_(wide) {
    if (!wide) {
      columns_ = {"loop ms", "Upsweep ms", "speed-up", "GB/s", "of limit"};
      return;
    }
    columns_ = {"limit"};
    for (auto const& c : competitors)
      if (c.role != bench::role::limit) columns_.push_back(c.name), names_.push_back(c.name);
    columns_.insert(columns_.end(), {"of limit", "x best peer"});
  }

  void print(bench::cell const& c) {
    if (!(c.work == current_) || first_) start_table(c.work);
    auto const cells = wide_ ? wide_row(c) : narrow_row(c);
    fmt::print("{:>9}", text::size_name(c.n));
    for (std::size_t i = 0; i < cells.size(); ++i) fmt::print("  {:>{}}", cells[i], width(i));
    fmt::print("\n");
    std::fflush(stdout);
  }

 private:
  [[nodiscard]] std::size_t width(std::size_t column) const {
    return std::max<std::size_t>(columns_[column].ends_with(" ms") ? 10 : 5,
                                 columns_[column].size());
  }

  void start_table(bench::work const& w) {
    fmt::print("{}{}{}\n{:>9}", first_ ? "" : "\n", bench::title_of(w), wide_ ? " (GB/s)" : "",
               "n");
    for (std::size_t i = 0; i < columns_.size(); ++i) fmt::print("  {:>{}}", columns_[i], width(i));
    fmt::print("\n");
    current_ = w;
    first_ = false;
  }

  /// How many times as fast as `other` Upsweep is, or a dash.
  static std::string times(bench::cell const& c, bench::series const* other) {
    auto const* const ours = c.find("upsweep");
    return ours && other ? fmt::format("{:.2f}", bench::ratio(other->seconds, ours->seconds).median)
                         : "-";
  }
  static std::string share(bench::cell const& c) {
    auto const *const ours = c.find("upsweep"), *const limit = c.limit();
    return ours && limit
               ? fmt::format("{:.0f} %", 100 * bench::ratio(limit->seconds, ours->seconds).median)
               : "-";
  }
  static std::string gigabytes(bench::cell const& c, bench::series const* s) {
    return s ? text::gigabytes_text(
                   bench::gigabytes_per_second(c.work, c.n, bench::summary(s->seconds).median))
             : "-";
  }
  static std::string time(bench::series const* s) {
    return s ? text::milliseconds(bench::summary(s->seconds).median) : "-";
  }

  static std::vector<std::string> narrow_row(bench::cell const& c) {
    auto const *const loop = c.find("loop"), *const ours = c.find("upsweep");
    return {time(loop), time(ours), times(c, loop), gigabytes(c, ours), share(c)};
  }
  [[nodiscard]] std::vector<std::string> wide_row(bench::cell const& c) const {
    std::vector<std::string> cells{gigabytes(c, c.limit())};
    for (auto const& name : names_) cells.push_back(gigabytes(c, c.find(name)));
    cells.push_back(share(c));
    cells.push_back(times(c, c.best_peer()));
    return cells;
  }

  bool wide_, first_ = true;
  std::vector<std::string> columns_, names_;
  bench::work current_;
};

std::vector<bench::row> selected_rows(bench_flags const& o) {
  auto const sizes = bench::sizes_from(!o.sizes.empty() ? o.sizes
                                       : o.quick        ? "10..26:8"
                                                        : "10..26:2");
  auto chosen = [](std::vector<std::string> const& names, char const* name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  if (o.what == "all") {
    auto rows = bench::whole_table(o.quick);
    std::erase_if(rows, [&](auto const& r) {
      return !chosen(o.op, name_of(r.work.op)) || !chosen(o.type, name_of(r.work.type));
    });
    if (!o.sizes.empty())
      for (auto& r : rows) r.sizes = sizes;
    return rows;
  }
  std::vector<bench::row> rows;
  for (auto const v : {bench::verb::reduce, bench::verb::inclusive_scan})
    for (auto const& op : o.op.empty() ? std::vector<std::string>{"sum"} : o.op)
      for (auto const& type : o.type.empty() ? std::vector<std::string>{"f32"} : o.type) {
        bool const is_scan = v != bench::verb::reduce;
        if (o.what == (is_scan ? "reduce" : "scan")) continue;
        bench::work const w{v, bench::operation_named(op), bench::element_named(type),
                            is_scan && o.in_place};
        // Affine maps are scanned and exact sums reduced; both need floating-point elements.
        if (is_scan ? w.op == bench::operation::exact_sum : w.op == bench::operation::affine)
          continue;
        if (w.op >= bench::operation::affine && w.type <= bench::element::i64) continue;
        rows.push_back({w, sizes});
      }
  return rows;
}

double seconds_for(bench_flags const& o) {
  if (o.time) return *o.time;
  if (o.what == "all") return o.quick ? 45 : 480;
  return o.quick ? 5 : 20;
}

bench::line_up competitors_for(bench_flags const& o, int threads, bench::team& t) {
  bool const wide = o.peers != std::vector<std::string>{"none"};
  if (wide && std::find(o.peers.begin(), o.peers.end(), "none") != o.peers.end())
    throw io::usage_error(
        "bench: --peers none excludes other peers; leave it out or ask for none alone");
  auto all = bench::peers(wide ? o.peers : std::vector<std::string>{"loop"}, threads);
  for (auto const& a :
       all.absent)  // of all peers, those that are there; but one that was named must be
    if (std::find(o.peers.begin(), o.peers.end(), a.name) != o.peers.end())
      throw io::unavailable_error(
          fmt::format("bench: --peers {}: not available here: {}", a.name, a.reason));
  auto limits = bench::limit_competitors(t);
  auto ours = bench::upsweep_competitors();
  if (!wide) ours.resize(1);
  all.competitors.insert(all.competitors.begin(), ours.begin(), ours.end());
  all.competitors.insert(all.competitors.begin(), limits.begin(), limits.end());
  return all;
}

/// A file that was asked for. It is opened before anything is measured, so that a name that cannot
/// be written costs no minutes.
class kept_file {
 public:
  kept_file(std::string const& path, bool force) {
    if (!path.empty()) file_.emplace(path, force);
  }
  void keep(std::string const& text) {
    file_->write(text);
    file_->commit();
  }
  [[nodiscard]] bool wanted() const { return file_.has_value(); }
  [[nodiscard]] bool is_standard_output() const { return wanted() && file_->is_standard_output(); }

 private:
  std::optional<io::output_file> file_;
};

/// Sentences about what the table does not show. 1 when a result of Upsweep was wrong.
int close(bench::run const& r) {
  int status = 0;
  for (auto const& a : r.absent)
    fmt::print(stderr, "upsweep: bench: {} does not take part: {}\n", a.name, a.reason);
  for (auto const& c : r.cells)
    for (auto const& s : c.all) {
      if (s.correct) continue;
      fmt::print(
          stderr,
          "upsweep: bench: {} gave a wrong result for {} at n = {} and was not timed there\n",
          s.name, bench::title_of(c.work), c.n);
      if (s.role == bench::role::upsweep) status = 1;
    }
  return status;
}

int run_for_gpu(bench_flags const& o) {
  if (o.what == "all")
    throw io::usage_error(
        "bench: all is the table of the processor; with --on cuda choose reduce, scan or both");
  if (o.in_place) throw io::usage_error("bench: --in-place is measured on the processor only");
  if (o.peers != std::vector<std::string>{"none"})
    throw io::usage_error(
        "bench: with --on cuda the processor is the only peer; upsweep_gpu_bench compares with CUB "
        "and Thrust");
  gpu_bench_flags flags;
  flags.what = o.what;
  flags.op = o.op;
  flags.type = o.type;
  flags.sizes = bench::sizes_from(!o.sizes.empty() ? o.sizes : o.quick ? "10..26:8" : "10..28:3");
  flags.json = o.json;
  flags.html = o.html;
  flags.force = o.force;
  flags.threads = o.threads;
  flags.seconds = seconds_for(o);
  return o.explain ? explain_gpu_plans(flags) : bench_on_gpu(flags);
}

int run(bench_flags const& o) {
  if (o.explain && !o.html.empty())
    throw io::usage_error(
        "bench: --explain measures nothing, so it has no figure; leave --html out");
  if (o.on == "cuda") return run_for_gpu(o);
  bench::run result;
  result.date = bench::now_in_utc();
  result.command = bench::command_line();
  result.where = bench::this_machine();
  result.what = bench::this_build();
  result.threads = o.threads > 0 ? o.threads : result.where.threads;

  auto const rows = selected_rows(o);
  if (rows.empty())
    throw io::usage_error(
        "bench: no row has this verb, operation and type together; affine and exact_sum need f32 "
        "or f64");
  if (o.explain) return explain_cpu_plans(rows, o.threads, o.json, o.force);
  kept_file json(o.json, o.force), html(o.html, o.force);
  bool const silent = json.is_standard_output() || html.is_standard_output();
  bench::team team(result.threads);
  auto taking_part = competitors_for(o, result.threads, team);
  result.competitors = taking_part.competitors;
  result.absent = taking_part.absent;

  printer table(o.peers != std::vector<std::string>{"none"}, result.competitors);
  bool const terminal = isatty(STDERR_FILENO) == 1;
  bench::settings s;
  s.threads = result.threads;
  s.cache_bytes = bench::largest_cache(result.where);
  bench::measure_all(
      rows, result.competitors, team, s, seconds_for(o),
      bench::largest_footprint(result.where.available_memory),
      [&](std::size_t done, std::size_t total, bench::work const& w, std::size_t n) {
        if (terminal)
          fmt::print(stderr, "\r\033[K{} of {}: {}, n = {}", done + 1, total, bench::title_of(w),
                     text::size_name(n));
        return true;
      },
      [&](bench::cell const& c) {
        if (terminal) fmt::print(stderr, "\r\033[K");
        if (!silent) table.print(c);
        result.cells.push_back(c);
      });

  std::string const report =
      json.wanted() || html.wanted() ? bench::as_json(result) : std::string();
  if (json.wanted()) json.keep(report);
  if (html.wanted()) html.keep(bench::figure(report));
  return close(result);
}

}  // namespace

void add_bench_command(registry& tool) {
  CLI::App* const command = add_command(tool, "bench");
  auto o = std::make_shared<bench_flags>();
  std::vector<std::string> peers = bench::peer_names();
  peers.insert(peers.begin(), {"none", "all"});
  one_of(tool,
         command->add_option("WHAT", o->what,
                             "reduce, scan, both, or all: the table of docs/performance.md"),
         {"both", "reduce", "scan", "all"});
  auto operations = gpu_operations(), types = gpu_types();
  operations.push_back("exact_sum");
  one_of(tool,
         comma_list(command->add_option(
             "--op", o->op, "Operations to time; on the processor not product and min")),
         operations);
  one_of(tool,
         comma_list(command->add_option("--type", o->type,
                                        "Element types; on the processor i32, i64, f32, f64")),
         types);
  one_of(tool,
         command->add_option("--on", o->on,
                             "Where: cpu (default), or cuda, a GPU with the processor beside it"),
         {"cpu", "cuda"})
      ->type_name("MACHINE");
  command->add_flag("--explain", o->explain, "Print how each call would run, and run none");
  command->add_option("-n,--n,--sizes", o->sizes,
                      "Sizes as exponents of two, 10..26 or 10,16,20, or as counts above 40");
  command
      ->add_option("--threads", o->threads,
                   "Threads of every competitor (default: what this process may use)")
      ->check(CLI::Range(1, 1024));
  one_of(tool,
         comma_list(command->add_option("--peers", o->peers, "Other libraries in the same run")),
         peers);
  command->add_flag("--in-place", o->in_place, "Scan in place");
  command
      ->add_option("--json", o->json,
                   "Write the whole run, every round of it, or the plans, to this file")
      ->type_name("FILE");
  command
      ->add_option("--html", o->html,
                   "Write the figure, one page that needs no network, to this file")
      ->type_name("FILE");
  command->add_flag("--force", o->force, "Replace files that exist");
  command->add_flag("--quick", o->quick, "Fewer sizes and rounds");
  command->add_option("--time", o->time, "Seconds that the measurement should take about")
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
