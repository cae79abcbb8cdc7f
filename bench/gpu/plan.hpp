/// Which configurations are measured, and in which order: what matters most comes first, so that a
/// run which ends early has it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <bench/gpu/line_up.hpp>

namespace upsweep::gpu_bench {

struct configuration {
  subject const* what = nullptr;
  gpu_bench::work work = work::reduce;
  std::size_t n = 0;

  /// "reduce f32".
  [[nodiscard]] std::string name() const { return std::string(name_of(work)) + ' ' + what->type; }
};

struct selection {
  bool quick = false;
  std::string only;    ///< part of a name; empty: everything
  int most_log2 = 30;  ///< the largest size
};

/// The sizes in rounds of falling importance: those that the goals name, those between, odd ones.
/// `quick` has the first alone.
[[nodiscard]] inline std::vector<std::vector<std::size_t>> size_rounds(selection const& s) {
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

[[nodiscard]] inline std::vector<configuration> configurations(std::vector<subject> const& subjects,
                                                               selection const& s) {
  std::vector<configuration> all;
  for (auto const& sizes : size_rounds(s))
    for (auto const& what : subjects)
      for (work const w : works)
        for (std::size_t const n : sizes) {
          if (w != work::reduce && !what.scans) continue;
          configuration const c{&what, w, n};
          if (c.name().find(s.only) != std::string::npos) all.push_back(c);
        }
  return all;
}

}  // namespace upsweep::gpu_bench
