/// Chooses sizes and schedules.
#include <lab/grading/checks.hpp>

#include <algorithm>
#include <cstdint>
#include <random>

namespace upsweep::lab::grading {

namespace {

using sizes = std::vector<std::uint64_t>;

/// Sorted, each once, within the exercise's limits.
sizes permitted(exercise const& e, sizes all) {
  std::erase_if(
      all, [&](std::uint64_t n) { return n < e.smallest || (e.largest != 0 && n > e.largest); });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Every schedule of the emulator, with one tile and with many.
check schedules_check(exercise const& e, std::uint64_t seed) {
  check c{"other schedules", e.points_schedules, {}, nullptr};
  auto const many = 9 * e.tile + 7;
  auto const chosen = permitted(e, {e.tile, e.largest == 0 ? many : std::min(many, e.largest)});
  for (auto const& which : e.cases) {
    auto const add = [&](sim::schedule how, std::uint64_t s, unsigned resident) {
      c.processes.push_back({which, chosen, seed, how, s, resident, false});
    };
    add(sim::schedule::round_robin, 1, 4);
    for (std::uint64_t variant = 0; variant < 4; ++variant)
      add(sim::schedule::adversarial, variant, 3);
    for (std::uint64_t s = 0; s < 4; ++s)
      add(sim::schedule::random, seed * 4 + s, 2 + 4 * static_cast<unsigned>(s));
    add(sim::schedule::in_order, 0, 1);
  }
  return c;
}

}  // namespace

std::vector<std::uint64_t> hidden_sizes(exercise const& e, std::uint64_t seed) {
  auto const t = e.tile;
  sizes all{0, 1, 2, 31, 32, 33, t - 1, t, t + 1, 2 * t, 2 * t + 1, 7 * t + 3};
  std::mt19937_64 random(seed);
  std::uint64_t const most = e.largest == 0 ? 12 * t : e.largest;
  for (int i = 0; i < 3; ++i) all.push_back(e.smallest + 3 + random() % most);
  all.insert(all.end(), e.more_sizes.begin(), e.more_sizes.end());
  return permitted(e, all);
}

std::vector<check> checks_of(exercise const& e, std::uint64_t seed) {
  std::vector<check> all;
  for (auto const& which : e.cases)
    all.push_back({which + ", sizes of the task",
                   e.points_sizes,
                   {{.which = which, .sizes = e.sizes, .seed = seed, .count = true}},
                   nullptr});
  for (auto const& which : e.cases)
    all.push_back({which + ", hidden sizes",
                   e.points_hidden,
                   {{.which = which, .sizes = hidden_sizes(e, seed), .seed = seed}},
                   nullptr});
  all.push_back(schedules_check(e, seed));
  for (auto const& b : e.budgets)
    all.push_back(
        {b.title, b.points, {{.which = b.which, .sizes = {b.n}, .seed = seed, .count = true}}, &b});
  return all;
}

}  // namespace upsweep::lab::grading
