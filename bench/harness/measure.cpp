/// Verification, calibration and the interleaved rounds.
#include <bench/harness/measure.hpp>

#include <bench/harness/clock.hpp>
#include <bench/harness/random.hpp>
#include <bench/harness/verb_memory.hpp>
#include <bench/rows/catalog.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace upsweep::bench {
namespace {

double quantile(std::vector<double> const& ordered, double q) {
  double const at = q * static_cast<double>(ordered.size() - 1);
  auto const below = static_cast<std::size_t>(at);
  auto const above = std::min(below + 1, ordered.size() - 1);
  return std::lerp(ordered[below], ordered[above], at - static_cast<double>(below));
}

}  // namespace

sample summary(std::vector<double> values) {
  if (values.empty())
    throw std::invalid_argument("summary: there are no values; time at least one round");
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
}

sample ratio(std::vector<double> const& numerator, std::vector<double> const& denominator) {
  if (numerator.size() != denominator.size())
    throw std::invalid_argument(
        "ratio: " + std::to_string(numerator.size()) + " rounds of one competitor and " +
        std::to_string(denominator.size()) + " of the other; time both in the same rounds");
  std::vector<double> ratios(numerator.size());
  for (std::size_t r = 0; r < ratios.size(); ++r) ratios[r] = numerator[r] / denominator[r];
  return summary(std::move(ratios));
}

namespace {

/// libgomp's threads spin for 8 ms after a parallel region; the next competitor must not share its
/// cores with them.
constexpr std::chrono::milliseconds until_asleep(12);

/// Seconds of a first call, which may start threads, from which calls are not repeated in a batch.
constexpr double long_call = 0.1;

void let_threads_sleep(contestant const& c) {
  if (c.spins) std::this_thread::sleep_for(until_asleep);
}

/// Runs an untimed batch before the timed one. Every competitor then starts with its threads awake
/// and its own data in the caches, as in a program that calls it often; otherwise it would pay for
/// writing back the dirty lines of the previous one. Cold calls stay cold, because the next call
/// uses other memory.
void take_turn(contestant& c, slots& memory, bool warms_up) {
  std::size_t const repeats = c.times.repeats;
  if (warms_up) (void)c.run(memory, repeats);
  c.times.seconds.push_back(c.run(memory, repeats) / static_cast<double>(repeats));
  let_threads_sleep(c);
}

int affordable_rounds(std::vector<contestant*> const& all, settings const& s) {
  double seconds = 1e-9;  // time of a round
  for (auto const* c : all)
    seconds += c->once * static_cast<double>((s.warms_up ? 2 : 1) * c->times.repeats) +
               (c->spins ? std::chrono::duration<double>(until_asleep).count() : 0);
  return std::clamp(static_cast<int>(std::min(s.cell_seconds / seconds, 1e6)), s.least_rounds,
                    s.most_rounds);
}

/// Calls each(i, s) for all cells until it returns false, with the time that cell i may take.
template <class Each>
void share_time(std::size_t cells, double seconds, settings s, Each const& each) {
  auto const start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < cells; ++i) {
    double const left =
        seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    // Small cells need less than their share.
    s.cell_seconds = std::max(0.0, left) / static_cast<double>(cells - i) * 3;
    if (!each(i, s)) return;
  }
}

std::vector<series> times_of(std::vector<contestant>&& all) {
  std::vector<series> times;
  for (auto& c : all) times.push_back(std::move(c.times));
  return times;
}

/// The time of `repeats` calls. Calls in place are timed one by one, because their elements are put
/// back in between.
double time_of_verbs(void (*run)(call&), verb_memory& memory, bool in_place, int threads,
                     std::size_t repeats) {
  auto const once = [&] {
    call c = memory.next(threads);
    if (in_place) return host_seconds([&] { run(c); });
    repeat(c, 1, [&] { run(c); });
    return 0.0;
  };
  double seconds = 0;
  double const all = host_seconds([&] {
    for (std::size_t r = 0; r < repeats; ++r) seconds += once();
  });
  return in_place ? seconds : all;
}

/// Checks the results of calls on the CPU.
class verifier {
 public:
  verifier(work const& w, std::size_t n, slots const& memory, team& t)
      : work_(w), n_(n), memory_(memory.one()), team_(t) {
    reference(w, memory_.in(0), memory_.out(0), n);
    expected_ = checksum_of_result(team_, w, memory_.out(0), n);
    auto const* const last = last_result();
    expected_last_.assign(last, last + result_bytes(w));
  }

  /// Makes the first call; limits have no result.
  void call(contestant& c, competitor const& who) {
    bool const is_limit = who.role == role::limit;
    if (work_.in_place)
      fill(team_, work_, memory_.in(0), n_);
    else if (!is_limit)
      poison(team_, memory_.out(0), dynamic::results_of(work_.verb, n_) * result_bytes(work_));
    c.once = c.run(memory_, 1);
    if (!is_limit && !is_right(who))
      c.times.difference = "it differs from the result of a serial loop";
    let_threads_sleep(c);
  }

 private:
  [[nodiscard]] std::byte const* last_result() const {
    return memory_.out(0) + (dynamic::results_of(work_.verb, n_) - 1) * result_bytes(work_);
  }

  [[nodiscard]] bool is_right(competitor const& who) const {
    if (who.reorders && work_.by_name && !find_row(work_)->exact)
      return bytes_of(work_.type) == result_bytes(work_) ? is_near<float>() : is_near<double>();
    return expected_ == (who.own_checksum ? who.own_checksum()
                                          : checksum_of_result(team_, work_, memory_.out(0), n_));
  }

  /// Whether the last result is the expected one, apart from rounding.
  template <class T>
  [[nodiscard]] bool is_near() const {
    for (std::size_t at = 0; at < expected_last_.size(); at += sizeof(T)) {
      T expected{}, found{};
      std::memcpy(&expected, expected_last_.data() + at, sizeof expected);
      std::memcpy(&found, last_result() + at, sizeof found);
      if (!(std::fabs(found - expected) <= T(1e-3) * std::fabs(expected) + T(1e-3))) return false;
    }
    return true;
  }

  work work_;
  std::size_t n_;
  slots memory_;
  team& team_;
  std::uint64_t expected_ = 0;
  std::vector<std::byte> expected_last_;
};

}  // namespace

char const* name_of(role r) {
  switch (r) {
    case role::upsweep:
      return "upsweep";
    case role::peer:
      return "peer";
    case role::limit:
      return "limit";
  }
  return "";
}

timed_run timed(std::function<void(call const&, std::size_t)> run, std::size_t n, int threads) {
  if (!run) return {};
  return [=](slots& memory, std::size_t repeats) {
    auto const [in, out] = memory.take();
    call const c{.n = n, .in = in, .out = out, .threads = threads};
    return host_seconds([&] { run(c, repeats); });
  };
}

find_verb_function timed_verbs(verb_entries entries, int threads) {
  return [=](verb_row const& row, std::size_t n, verb_memory& memory) -> verb_attempt {
    auto const* const entry = entry_for(entries, row, n);
    if (!entry) return {};
    return {[=, &memory, run = entry->run, in_place = row.is_in_place()](std::size_t repeats) {
              return time_of_verbs(run, memory, in_place, threads, repeats);
            },
            [=, &memory, run = entry->run] {
              call c = memory.clean(threads);
              run(c);
              return c;
            }};
  };
}

verb_entry const* entry_for(verb_entries all, verb_row const& row, std::size_t n) {
  std::string const key = row.key();
  for (auto const& entry : all)
    if (key == entry.key &&
        static_cast<double>(n) * row.number <= static_cast<double>(entry.most_work))
      return &entry;
  return nullptr;
}

series const* find_series(std::vector<series> const& all, std::string const& name) {
  for (auto const& s : all)
    if (s.name == name && !s.seconds.empty()) return &s;
  return nullptr;
}

series const* fastest(std::vector<series> const& all, role wanted) {
  series const* best = nullptr;
  for (auto const& s : all)
    if (s.role == wanted && !s.seconds.empty() &&
        (!best || summary(s.seconds).median < summary(best->seconds).median))
      best = &s;
  return best;
}

series const* cell::find(std::string const& name) const {
  return find_series(all, name);
}
series const* cell::limit() const {
  return fastest(all, role::limit);
}
series const* cell::best_peer() const {
  return fastest(all, role::peer);
}

void calibrate(contestant& c, slots& memory, settings const& s) {
  std::size_t repeats = 1;
  // The first of two calls may wake threads and read what other cores hold.
  auto const time = [&] {
    double const first = c.run(memory, repeats);
    return std::min(first, c.run(memory, repeats));
  };
  double seconds = time();
  while (seconds < s.batch_seconds / 4) {
    repeats *= 4;
    seconds = time();
  }
  let_threads_sleep(c);
  c.once = seconds / static_cast<double>(repeats);
  c.times.repeats = std::clamp(static_cast<std::size_t>(std::lround(s.batch_seconds / c.once)),
                               s.least_repeats, s.most_repeats);
}

void take_turns(std::vector<contestant>& all, slots& memory, settings const& s) {
  std::vector<contestant*> timed;
  for (auto& c : all)
    if (c.times.correct()) timed.push_back(&c);
  int const rounds = affordable_rounds(timed, s);
  std::uint64_t draws = 0;
  for (int r = 0; r < rounds; ++r) {
    for (std::size_t left = timed.size(); left > 1; --left)
      std::swap(timed[left - 1], timed[random_word(draws++) % left]);
    for (auto* const c : timed) take_turn(*c, memory, s.warms_up);
  }
}

cell measure(work const& w, std::size_t n, std::vector<competitor> const& competitors,
             arena& memory, team& t, settings const& s) {
  cell result{w, n, n >= s.cold_from || footprint(w, n) > s.cache_bytes};
  slots places = memory.lay_out(w, n, result.cold, s.cache_bytes);
  for (std::size_t slot = 0; slot < places.count; ++slot) fill(t, w, places.in(slot), n);
  verifier first(w, n, places, t);
  std::vector<contestant> all;
  for (auto const& who : competitors) {
    timed_run run = who.find ? who.find(w, n) : timed_run{};
    if (!run) continue;
    contestant c{{who.name, who.role}, std::move(run), who.spins};
    c.times.threads = who.threads;
    first.call(c, who);
    if (c.times.correct() && c.once < long_call) calibrate(c, places, s);
    all.push_back(std::move(c));
  }
  take_turns(all, places, s);
  result.all = times_of(std::move(all));
  return result;
}

verb_cell measure_verb(verb_row const& row, std::size_t n,
                       std::vector<competitor> const& competitors, int threads, settings const& s) {
  verb_cell result{row.verb, row.op, row.type, row.what, row.title(), n, n >= s.cold_from};
  verb_memory memory(row, n, result.cold, s.cache_bytes, threads);
  result.traffic = memory.traffic();
  slots unused;  // calls take their memory from `memory`
  std::vector<contestant> all;
  for (auto const& who : competitors) {
    verb_attempt attempt = who.find_verb ? who.find_verb(row, n, memory) : verb_attempt{};
    if (!attempt.time) continue;
    contestant c{{who.name, who.role}, {}, who.spins};
    if (attempt.result)
      c.once = host_seconds([&] { c.times.difference = memory.difference(attempt.result()); });
    c.run = [time = std::move(attempt.time)](slots&, std::size_t repeats) { return time(repeats); };
    if (c.times.correct() && c.once < long_call) calibrate(c, unused, s);
    all.push_back(std::move(c));
  }
  take_turns(all, unused, s);
  result.all = times_of(std::move(all));
  return result;
}

std::size_t largest_footprint(std::size_t available_memory) {
  std::size_t const two_gib = std::size_t{2} << 30;
  return available_memory == 0 ? two_gib : std::min(two_gib, available_memory / 3);
}

void measure_all(std::vector<row> const& rows, std::vector<competitor> const& competitors, team& t,
                 settings s, double seconds, std::size_t largest, observer const& before,
                 collector const& after) {
  std::vector<configuration> cells;
  std::size_t most = 0;
  for (auto const& r : rows)
    for (auto const n : r.sizes) {
      if (footprint(r.work, n) > largest) continue;
      cells.push_back({r.work, n});
      most = std::max(most, footprint(r.work, n));
    }
  // Somewhat more than four times the largest cache, for cold cells, and two copies of a large cell
  // if memory allows.
  arena memory(std::max({most + (1u << 20), 5 * s.cache_bytes,
                         std::min<std::size_t>(2 * most, std::size_t{1} << 29)}));

  share_time(cells.size(), seconds, s, [&](std::size_t i, settings const& now) {
    auto const& [what, n] = cells[i];
    if (before && !before(i, cells.size(), what, n)) return false;
    after(measure(what, n, competitors, memory, t, now));
    return true;
  });
}

void measure_verbs(
    std::vector<verb_row> const& rows, std::vector<std::size_t> const& sizes,
    std::vector<competitor> const& competitors, int threads, settings s, double seconds,
    std::function<bool(std::size_t, std::size_t, verb_row const&, std::size_t)> const& before,
    std::function<void(verb_cell const&)> const& after) {
  std::vector<std::pair<verb_row const*, std::size_t>> cells;
  for (auto const n : sizes)
    for (auto const& row : rows)
      if (row.takes(n)) cells.emplace_back(&row, n);
  share_time(cells.size(), seconds, s, [&](std::size_t i, settings now) {
    auto const& [row, n] = cells[i];
    if (!before(i, cells.size(), *row, n)) return false;
    now.warms_up = n < now.cold_from;
    after(measure_verb(*row, n, competitors, threads, now));
    return true;
  });
}

double gigabytes_per_second(work const& w, std::size_t n, double seconds) {
  return static_cast<double>(traffic(w, n)) / seconds * 1e-9;
}

}  // namespace upsweep::bench
