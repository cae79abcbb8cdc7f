/// Verification, calibration and the interleaved rounds.
#include <bench/harness/measure.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

namespace upsweep::bench {
namespace {

using seconds_clock = std::chrono::steady_clock;

double since(seconds_clock::time_point start) {
  return std::chrono::duration<double>(seconds_clock::now() - start).count();
}

struct contestant {
  competitor const* who;
  timed_run run;
  double once = 0;  // seconds of a call, as known so far
};

/// libgomp's threads spin for 8 ms after a parallel region; the next competitor should not share
/// its cores with them.
constexpr std::chrono::milliseconds until_asleep(12);

void let_threads_sleep(competitor const& who) {
  if (who.spins) std::this_thread::sleep_for(until_asleep);
}

class measurement {
 public:
  measurement(work const& w, std::size_t n, arena& memory, team& t, settings const& s)
      : work_(w), n_(n), memory_(memory), team_(t), settings_(s) {
    result_.work = w;
    result_.n = n;
    result_.cold = n >= s.cold_from || footprint(w, n) > s.cache_bytes;
    memory_.lay_out(w, n, result_.cold, s.cache_bytes);
    for (std::size_t slot = 0; slot < memory_.slots(); ++slot) fill(team_, w, memory_.in(slot), n);
    reference(w, memory_.in(0), memory_.out(0), n);
    expected_ = checksum_of_result(team_, w, memory_.out(0), n);
  }

  void admit(competitor const& who) {
    contestant c{&who, who.find(work_, n_)};
    if (!c.run) return;
    series s{who.name, who.role};
    c.once = verified_call(c, s);
    if (s.correct && c.once < settings_.batch_seconds) s.repeats = calibrated(c);
    if (s.correct) contestants_.push_back(std::move(c));
    result_.all.push_back(std::move(s));
  }

  cell run_rounds() {
    double round_seconds = 1e-9;
    for (auto const& c : contestants_) {
      std::size_t const repeats = series_of(c).repeats;
      round_seconds += c.once * static_cast<double>(2 * repeats) +
                       (c.who->spins ? std::chrono::duration<double>(until_asleep).count() : 0);
    }
    int const affordable = static_cast<int>(std::min(settings_.cell_seconds / round_seconds, 1e6));
    int const rounds = std::clamp(affordable, settings_.least_rounds, settings_.most_rounds);
    for (int r = 0; r < rounds; ++r)
      for (std::size_t i = 0; i < contestants_.size(); ++i)
        take_turn(contestants_[(i + static_cast<std::size_t>(r)) % contestants_.size()]);
    return std::move(result_);
  }

 private:
  [[nodiscard]] call next_call() {
    std::size_t const slot = turn_++ % memory_.slots();
    return {memory_.in(slot), memory_.out(slot), n_, settings_.threads};
  }

  series& series_of(contestant const& c) {
    return *std::find_if(result_.all.begin(), result_.all.end(),
                         [&](auto const& s) { return s.name == c.who->name; });
  }

  /// Seconds of one call whose result is compared with the reference; limits have no result.
  double verified_call(contestant const& c, series& s) {
    if (work_.in_place)
      fill(team_, work_, memory_.in(0), n_);
    else if (c.who->role != role::limit)
      poison(team_, memory_.out(0),
             work_.verb == verb::reduce ? result_bytes(work_) : n_ * element_bytes(work_));
    double const seconds = c.run({memory_.in(0), memory_.out(0), n_, settings_.threads}, 1);
    if (c.who->role != role::limit)
      s.correct =
          expected_ == (c.who->own_checksum ? c.who->own_checksum()
                                            : checksum_of_result(team_, work_, memory_.out(0), n_));
    let_threads_sleep(*c.who);
    return seconds;
  }

  /// Calls in a batch that takes about batch_seconds. `once` becomes what a call takes when it is
  /// warm.
  std::size_t calibrated(contestant& c) {
    std::size_t repeats = 1;
    double seconds = c.run(next_call(), repeats);
    while (seconds < settings_.batch_seconds / 4) {
      repeats *= 4;
      seconds = c.run(next_call(), repeats);
    }
    let_threads_sleep(*c.who);
    c.once = seconds / static_cast<double>(repeats);
    return std::max<std::size_t>(
        1, static_cast<std::size_t>(std::lround(settings_.batch_seconds / c.once)));
  }

  /// An untimed batch before the timed one: every competitor starts with its threads awake and with
  /// caches that hold what it left there itself, as in a program that calls it often. (The lines
  /// that another one's stores have left dirty would be written back on this one's time.) Cold
  /// calls stay cold, because the next call uses other memory.
  void take_turn(contestant const& c) {
    series& s = series_of(c);
    (void)c.run(next_call(), s.repeats);
    s.seconds.push_back(c.run(next_call(), s.repeats) / static_cast<double>(s.repeats));
    let_threads_sleep(*c.who);
  }

  work work_;
  std::size_t n_;
  arena& memory_;
  team& team_;
  settings const& settings_;
  cell result_;
  std::vector<contestant> contestants_;
  std::uint64_t expected_ = 0;
  std::size_t turn_ = 0;
};

series const* fastest(std::vector<series> const& all, role wanted) {
  series const* best = nullptr;
  for (auto const& s : all)
    if (s.role == wanted && !s.seconds.empty() &&
        (!best || summary(s.seconds).median < summary(best->seconds).median))
      best = &s;
  return best;
}

}  // namespace

series const* cell::find(std::string const& name) const {
  for (auto const& s : all)
    if (s.name == name && !s.seconds.empty()) return &s;
  return nullptr;
}
series const* cell::limit() const {
  return fastest(all, role::limit);
}
series const* cell::best_peer() const {
  return fastest(all, role::peer);
}

cell measure(work const& w, std::size_t n, std::vector<competitor> const& competitors,
             arena& memory, team& t, settings const& s) {
  measurement here(w, n, memory, t, s);
  for (auto const& c : competitors) here.admit(c);
  return here.run_rounds();
}

timed_run timed(run_function run) {
  if (!run) return {};
  return [run](call const& c, std::size_t repeats) {
    auto const start = seconds_clock::now();
    run(c, repeats);
    return since(start);
  };
}

double gigabytes_per_second(work const& w, std::size_t n, double seconds) {
  return static_cast<double>(traffic(w, n)) / seconds * 1e-9;
}

}  // namespace upsweep::bench
