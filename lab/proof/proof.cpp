/// Sizes, schedules and sentences of proofs.
#include <lab/proof/proof.hpp>

#include <upsweep/simt/check/upsweep_intervals.h>
#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::lab {

std::vector<named_schedule> schedules_of_proofs(unsigned seeds) {
  std::vector<named_schedule> all;
  auto const add = [&](std::string name, sim::schedule how, std::uint64_t seed, unsigned resident) {
    all.push_back(
        {std::move(name), {.count = false, .how = how, .seed = seed, .resident_blocks = resident}});
  };
  add("in order", sim::schedule::in_order, 0, 16);
  add("one block at a time", sim::schedule::in_order, 0, 1);
  add("round robin", sim::schedule::round_robin, 0, 4);
  add("last block first", sim::schedule::adversarial, 0, 4);
  add("early blocks starved", sim::schedule::adversarial, 2, 4);
  add("last warps first", sim::schedule::adversarial, 3, 4);
  for (unsigned seed = 0; seed < seeds; ++seed)
    add(fmt::format("random {}", seed), sim::schedule::random, seed, 2 + 3 * seed % 16);
  return all;
}

std::vector<std::uint64_t> sizes_of_proofs(std::uint64_t every, proof_effort const& much) {
  auto all = much.sizes;
  for (auto const n : all)
    if (n > intervals::most)
      throw io::usage_error(
          fmt::format("prove: --sizes: {} elements are too many; intervals have "
                      "ends of up to {}",
                      n, intervals::most));
  if (all.empty()) {
    all = {997, 2731, 4093, largest_proved - 1, largest_proved};
    if (much.all_sizes) every = largest_proved;
    for (std::uint64_t n = 0; n <= every; ++n) all.push_back(n);
    for (std::uint64_t n = 256; n < largest_proved; n *= 2)
      all.insert(all.end(), {n - 1, n, n + 1});
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

std::string text_of(std::vector<std::uint64_t> const& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t last = i;
    while (last + 1 < all.size() && all[last + 1] == all[last] + 1) ++last;
    text += fmt::format("{}{}", i == 0 ? "" : ", ", all[i]);
    if (last > i) text += fmt::format("{}{}", last > i + 1 ? " to " : ", ", all[last]);
    i = last + 1;
  }
  return text;
}

std::string sentence_of(proof const& p) {
  if (p.covers == operators_covered::none) return "not proved: " + p.why;
  if (p.is_refuted()) return fmt::format("WRONG for n = {}: {}", p.n, p.failure);
  bool const any = p.covers == operators_covered::associative;
  return fmt::format(
      "right for every {} operator at these sizes, on every schedule tried, free of races{}",
      any ? "associative" : "associative and commutative",
      p.why.empty() ? std::string() : "; not for others: " + p.why);
}

}  // namespace upsweep::lab
