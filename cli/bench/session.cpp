/// Prints the table of results row by row, and writes the JSON report and the HTML figure.
#include <cli/bench/session.hpp>

#include <bench/page/figure.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <cli/output/progress.hpp>
#include <io/error.hpp>
#include <io/interruption.hpp>
#include <text/figures.hpp>

namespace upsweep::cli {

namespace {

/// The speed-up of Upsweep over `other`, or nothing if one of them was not timed.
std::optional<double> speed_up(bench::cell const& c, bench::series const* other) {
  auto const* const ours = c.find("upsweep");
  if (!ours || !other) return {};
  return bench::ratio(other->seconds, ours->seconds).median;
}

/// A row of GB/s for each number of threads; the competitors are the same for each.
void print_by_threads(bench::cell const& c) {
  fmt::print("\n{}, n = {}, by threads (GB/s)\n{:>9}", bench::title_of(c.work),
             text::size_name(c.n), "threads");
  int threads = c.all.front().threads;
  for (auto const& s : c.all)
    if (s.threads == threads) fmt::print("  {:>8}", s.name);
  threads = 0;
  for (auto const& s : c.all) {
    if (s.threads != threads) fmt::print("\n{:>9}", s.threads);
    threads = s.threads;
    double const speed =
        s.correct() ? bench::gigabytes_per_second(c.work, c.n, bench::summary(s.seconds).median)
                    : 0;
    fmt::print("  {:>8}", s.correct() ? text::gigabytes_text(speed) : "-");
  }
  fmt::print("\n");
  std::fflush(stdout);
}

/// Reports wrong results; `status` becomes 1 if one is Upsweep's.
void warn(std::string const& title, std::size_t n, std::vector<bench::series> const& all,
          int& status) {
  for (auto const& s : all) {
    if (s.correct()) continue;
    fmt::print(stderr,
               "upsweep: bench: {} gave a wrong result for {} at n = {} and was not timed there: "
               "{}\n",
               s.name, title, n, s.difference);
    if (s.role == bench::role::upsweep) status = 1;
  }
}

}  // namespace

bench_column milliseconds_of(std::string title, std::string const& name) {
  return {std::move(title), [name](bench::cell const& c) -> std::string {
            auto const* const s = c.find(name);
            return s ? text::milliseconds(bench::summary(s->seconds).median) : "-";
          }};
}
bench_column gigabytes_of(std::string title, std::string const& name) {
  return {std::move(title), [name](bench::cell const& c) -> std::string {
            auto const* const s = name == "limit" ? c.limit() : c.find(name);
            if (!s) return "-";
            double const seconds = bench::summary(s->seconds).median;
            return text::gigabytes_text(bench::gigabytes_per_second(c.work, c.n, seconds));
          }};
}
bench_column speed_up_over(std::string title, std::string const& name) {
  return {std::move(title), [name](bench::cell const& c) -> std::string {
            auto const times = speed_up(c, name.empty() ? c.best_peer() : c.find(name));
            if (!times) return "-";
            return *times < 0.1 ? fmt::format("{:.2g}", *times) : fmt::format("{:.2f}", *times);
          }};
}
bench_column share_of_limit(std::string title) {
  return {std::move(title), [](bench::cell const& c) -> std::string {
            auto const share = speed_up(c, c.limit());
            return share ? fmt::format("{:.0f} %", 100 * *share) : "-";
          }};
}

void choose_competitors(bench::benchmark of, std::vector<std::string> const& peers, bench::team& t,
                        bench::run& to) {
  auto found = bench::peers(of, peers, to.threads);
  for (auto const& a : found.absent)
    if (std::ranges::find(peers, a.name) != peers.end())
      throw io::unavailable_error("bench: --peers {}: not available here: {}", a.name, a.reason);
  to.absent = found.absent;
  to.competitors = bench::limit_competitors(t);
  auto ours = bench::upsweep_competitors(to.threads);
  for (auto* const part : {&ours, &found.competitors})
    to.competitors.insert(to.competitors.end(), part->begin(), part->end());
  if (of == bench::benchmark::verbs)
    std::erase_if(to.competitors, [](bench::competitor const& c) { return !c.find_verb; });
}

bench_session::bench_session(std::string const& json, std::string const& html, bool force,
                             int threads)
    : result(bench::new_run(threads)) {
  if (!json.empty() || !html.empty()) io::defer_interruption();
  if (!json.empty()) json_.emplace(json, force);
  if (!html.empty()) html_.emplace(html, force);
}

bool bench_session::shows_table() const {
  return !(json_ && json_->is_standard_output()) && !(html_ && html_->is_standard_output());
}

void bench_session::set_columns(std::vector<bench_column> columns, std::string unit) {
  columns_ = std::move(columns);
  unit_ = std::move(unit);
}

bool bench_session::announce(std::string const& text) const {
  show_status(text);
  return io::deferred_interruption() == 0;
}

void bench_session::add(bench::cell const& c) {
  (void)announce("");
  if (shows_table()) {
    if (result.cells.empty() || (!is_list_ && result.cells.back().work != c.work))
      print_head(c.work);
    print_row(c);
  }
  result.cells.push_back(c);
}

void bench_session::add_by_threads(bench::cell const& c) {
  (void)announce("");
  if (shows_table()) print_by_threads(c);
  result.by_threads.push_back(c);
}

int bench_session::finish() {
  std::string const report = json_ || html_ ? bench::as_json(result) : std::string();
  if (json_) json_->write(report), json_->commit();
  if (html_) html_->write(bench::figure(report)), html_->commit();
  int status = 0;
  for (auto const& a : result.absent)
    fmt::print(stderr, "upsweep: bench: {} is left out: {}\n", a.name, a.reason);
  for (auto const& s : result.skipped)
    fmt::print(stderr, "upsweep: bench: {} of {} elements is left out: {}\n",
               bench::title_of(s.what.work), text::size_name(s.what.n), s.reason);
  for (auto const& c : result.verbs) warn(c.title, c.n, c.all, status);
  auto cells = result.cells;
  cells.insert(cells.end(), result.by_threads.begin(), result.by_threads.end());
  for (auto const& c : cells) warn(bench::title_of(c.work), c.n, c.all, status);
  if (io::deferred_interruption() != 0)
    fmt::print(stderr,
               "upsweep: bench: interrupted; the {} cells that had been measured are kept\n",
               cells.size() + result.verbs.size());
  io::end_if_interrupted();
  return status;
}

std::size_t bench_session::width(bench_column const& c) const {
  return std::max<std::size_t>(c.title.ends_with(" ms") ? 10 : 5, c.title.size());
}

void bench_session::print_head(bench::work const& w) {
  if (is_list_)
    fmt::print("{:<34}{:>9}", unit_.empty() ? "work" : "work" + unit_, "n");
  else
    fmt::print("{}{}{}\n{:>9}", result.cells.empty() ? "" : "\n", bench::title_of(w), unit_, "n");
  for (auto const& c : columns_) fmt::print("  {:>{}}", c.title, width(c));
  fmt::print("\n");
}

void bench_session::print_row(bench::cell const& cell) const {
  if (is_list_) fmt::print("{:<34}", bench::title_of(cell.work));
  fmt::print("{:>9}", text::size_name(cell.n));
  for (auto const& c : columns_) fmt::print("  {:>{}}", c.text(cell), width(c));
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace upsweep::cli
