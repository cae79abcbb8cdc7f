/// Rows, competitors and lines of `upsweep bench verbs`.
#include <bench/harness/measure.hpp>
#include <bench/harness/team.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <cli/bench/rows.hpp>
#include <cli/bench/session.hpp>
#include <io/error.hpp>
#include <text/figures.hpp>

namespace upsweep::cli {

namespace {

bool is_among(std::vector<std::string> const& chosen, std::string const& name) {
  return chosen.empty() || std::ranges::find(chosen, name) != chosen.end() ||
         std::ranges::find(chosen, "every") != chosen.end();
}

/// Nanoseconds an element.
std::string nanoseconds(bench::verb_cell const& c, bench::series const* s) {
  if (!s) return "-";
  double const value = bench::summary(s->seconds).median * 1e9 / static_cast<double>(c.n);
  return value < 0.095 ? fmt::format("{:.3f}", value)
                       : fmt::format("{:.{}f}", value, value < 9.95 ? 2 : 1);
}

/// Upsweep's speed relative to another.
std::string times(bench::verb_cell const& c, bench::series const* other) {
  auto const* const ours = bench::find_series(c.all, "upsweep");
  if (!ours || !other) return "-";
  return fmt::format("{:.2f}", bench::ratio(other->seconds, ours->seconds).median);
}

constexpr int title_width = 46, number_width = 10;

void print_head(std::vector<bench::competitor> const& all) {
  fmt::print("{:<{}}{:>9}", "ns an element", title_width, "n");
  for (auto const& who : all)
    if (who.role != bench::role::limit) fmt::print("  {:>{}}", who.name, number_width);
  fmt::print("  {:>11}  {:>9}\n", "x best peer", "of memcpy");
}

void print_row(bench::verb_cell const& c, std::vector<bench::competitor> const& all) {
  fmt::print("{:<{}}{:>9}", c.title, title_width, text::size_name(c.n));
  for (auto const& who : all)
    if (who.role != bench::role::limit)
      fmt::print("  {:>{}}", nanoseconds(c, bench::find_series(c.all, who.name)), number_width);
  fmt::print("  {:>11}  {:>9}\n", times(c, bench::fastest(c.all, bench::role::peer)),
             times(c, bench::fastest(c.all, bench::role::limit)));
  std::fflush(stdout);
}

}  // namespace

std::vector<bench::verb_row> chosen_rows(std::vector<bench::verb_row> rows, bench_choice const& o,
                                         std::vector<std::size_t> const& sizes) {
  std::erase_if(rows, [&](bench::verb_row const& r) {
    return !is_among(o.verb, r.verb) || !is_among(o.type, r.type) ||
           std::ranges::none_of(sizes, [&](std::size_t n) { return r.takes(n); });
  });
  if (rows.empty())
    throw io::usage_error(
        "bench verbs: no row has these verbs, types and sizes; without --verb, --type and --sizes "
        "all are measured");
  return rows;
}

int bench_verbs(bench_choice const& o) {
  auto const sizes = o.sizes_or(o.quick ? "16,20" : "16,20,24");
  auto const rows = chosen_rows(bench::verb_rows(), o, sizes);
  bool const has_peers = o.peers != std::vector<std::string>{"none"};
  bench_session session(o.json, {}, o.force, o.threads);
  bench::run& result = session.result;
  bench::team team(result.threads);
  choose_competitors(bench::benchmark::verbs,
                     has_peers ? o.peers : std::vector<std::string>{"loop", "std-serial"}, team,
                     result);
  auto const& all = result.competitors;
  bench::settings s;
  s.cache_bytes = bench::largest_cache(result.where);
  double const seconds = o.time.value_or(0.3 * static_cast<double>(rows.size() * sizes.size()));
  if (session.shows_table()) print_head(all);
  bench::measure_verbs(
      rows, sizes, all, result.threads, s, seconds,
      [&](std::size_t done, std::size_t total, bench::verb_row const& row, std::size_t n) {
        return session.announce(
            fmt::format("{} of {}: {}, n = {}", done + 1, total, row.title(), text::size_name(n)));
      },
      [&](bench::verb_cell const& c) {
        (void)session.announce("");
        if (session.shows_table()) print_row(c, all);
        result.verbs.push_back(c);
      });
  return session.finish();
}

}  // namespace upsweep::cli
