/// Verification and timing of the rows.
#include <bench/harness/clock.hpp>
#include <bench/verbs/measure_verb.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace upsweep::bench {
namespace {

constexpr double long_call = 0.1;  ///< seconds from which a call is not repeated in a batch

}  // namespace

verb_cell measure_verb(verb_row const& row, std::size_t n, std::vector<verb_participant> const& all,
                       int threads, settings const& s) {
  verb_cell result{row.verb, row.op, row.type, row.what, row.title(), n, n >= s.cold_from};
  verb_memory memory(row, n, result.cold, s.cache_bytes, threads);
  result.traffic = memory.traffic();
  slots unused;  // calls take their memory from `memory`
  std::vector<contestant> contestants;
  for (auto const& who : all) {
    verb_attempt attempt = who.find(row, n, memory);
    if (!attempt.time) continue;
    contestant c{{who.name, who.role}, {}, who.spins};
    if (attempt.result)
      c.once = host_seconds([&] { c.times.difference = memory.difference(attempt.result()); });
    c.run = [time = std::move(attempt.time)](slots&, std::size_t repeats) { return time(repeats); };
    if (c.times.correct() && c.once < long_call) calibrate(c, unused, s);
    contestants.push_back(std::move(c));
  }
  take_turns(contestants, unused, s);
  for (auto& c : contestants) result.all.push_back(std::move(c.times));
  return result;
}

void measure_verbs(std::vector<verb_row> const& rows, std::vector<std::size_t> const& sizes,
                   std::vector<verb_participant> const& all, int threads, settings s,
                   double seconds, verb_observer const& before,
                   std::function<void(verb_cell const&)> const& after) {
  std::vector<std::pair<verb_row const*, std::size_t>> cells;
  for (auto const n : sizes)
    for (auto const& row : rows)
      if (row.takes(n)) cells.emplace_back(&row, n);
  auto const start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    auto const& [row, n] = cells[i];
    before(i, cells.size(), *row, n);
    double const left =
        seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    // Small cells need less than their share.
    s.cell_seconds = std::max(0.0, left) / static_cast<double>(cells.size() - i) * 3;
    s.warms_up = n < s.cold_from;
    after(measure_verb(*row, n, all, threads, s));
  }
}

}  // namespace upsweep::bench
