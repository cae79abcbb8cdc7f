/// A run of upsweep_gpu_bench: fills, checks and measures each configuration.
#pragma once

#include <bench/gpu/kinds.hpp>
#include <bench/harness/measure.hpp>
#include <bench/harness/report.hpp>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace upsweep::bench {

struct gpu_selection {
  bool quick = false;
  std::string only;    ///< words that the title must contain; empty: everything
  int most_log2 = 30;  ///< the largest size
};

/// A kind of elements with a verb and a size.
struct planned_cell {
  element_kind const* kind = nullptr;
  configuration what;
};

/// The sizes in groups of decreasing importance: those that the goals name, those between, odd
/// ones. `quick` has only the first group.
[[nodiscard]] inline std::vector<std::vector<std::size_t>> size_rounds(gpu_selection const& s) {
  auto const power = [](int k) { return std::size_t{1} << k; };
  std::vector<std::vector<std::size_t>> rounds{
      {power(10), power(16), power(18), power(20), power(22), power(24), power(26), power(28)},
      {power(14), power(21), power(23), power(25), power(30)},
      {power(10) + 1, power(20) - 3, power(24) + 1, power(28) - 3},
      {power(8), power(12), power(17), power(19), power(27)},
  };
  if (s.quick) rounds = {{power(10), power(18), power(22), power(26)}};
  for (auto& sizes : rounds)
    std::erase_if(sizes, [&](std::size_t n) { return n > power(s.most_log2); });
  return rounds;
}

/// True if the title of `w` contains every word of `only`.
[[nodiscard]] inline bool is_selected(work const& w, std::string const& only) {
  std::string const title = title_of(w);
  std::istringstream words(only);
  for (std::string word; words >> word;)
    if (title.find(word) == std::string::npos) return false;
  return true;
}

[[nodiscard]] inline std::vector<planned_cell> plan_cells(std::vector<element_kind> const& kinds,
                                                          gpu_selection const& s) {
  std::vector<planned_cell> all;
  for (auto const& sizes : size_rounds(s))
    for (auto const& kind : kinds)
      for (verb const v : {verb::inclusive_scan, verb::exclusive_scan, verb::reduce})
        for (std::size_t const n : sizes)
          if (is_selected(kind.with(v), s.only)) all.push_back({&kind, {kind.with(v), n}});
  return all;
}

struct gpu_bench_options {
  gpu_selection what;
  settings how;
  double seconds = 1e9;  ///< start no configuration after this time
  std::string json;      ///< report file, rewritten every few seconds; empty for none
};

/// Names, titles and roles of Upsweep, its peers and the limits, without their functions.
[[nodiscard]] std::vector<competitor> gpu_competitors();

/// Measures on the GPU that `to` describes and prints a line per cell. Throws if the rest cannot be
/// measured; `to` then has the results so far.
void run_all(std::vector<element_kind> const& kinds, gpu_bench_options const& o, run& to);

/// Writes the file atomically. Throws std::runtime_error.
void write_file(std::string const& path, std::string const& text);

}  // namespace upsweep::bench
