/// Verification, calibration and the interleaved rounds.
#include <bench/harness/catalog.hpp>
#include <bench/harness/clock.hpp>
#include <bench/harness/measure.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

namespace upsweep::bench {
namespace {

/// libgomp's threads spin for 8 ms after a parallel region; the next competitor must not share its
/// cores with them.
constexpr std::chrono::milliseconds until_asleep(12);

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

/// Checks the results of calls on the processor.
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
    call const c{in, out, n, threads};
    return host_seconds([&] { run(c, repeats); });
  };
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
  double seconds = c.run(memory, repeats);
  while (seconds < s.batch_seconds / 4) {
    repeats *= 4;
    seconds = c.run(memory, repeats);
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
  for (int r = 0; r < rounds; ++r)
    for (std::size_t i = 0; i < timed.size(); ++i)
      take_turn(*timed[(i + static_cast<std::size_t>(r)) % timed.size()], memory, s.warms_up);
}

cell measure(work const& w, std::size_t n, std::vector<competitor> const& competitors,
             arena& memory, team& t, settings const& s) {
  cell result{w, n, n >= s.cold_from || footprint(w, n) > s.cache_bytes};
  slots places = memory.lay_out(w, n, result.cold, s.cache_bytes);
  for (std::size_t slot = 0; slot < places.count; ++slot) fill(t, w, places.in(slot), n);
  verifier first(w, n, places, t);
  std::vector<contestant> all;
  for (auto const& who : competitors) {
    timed_run run = who.find(w, n);
    if (!run) continue;
    contestant c{{who.name, who.role}, std::move(run), who.spins};
    c.times.threads = who.threads;
    first.call(c, who);
    if (c.times.correct() && c.once < s.batch_seconds) calibrate(c, places, s);
    all.push_back(std::move(c));
  }
  take_turns(all, places, s);
  for (auto& c : all) result.all.push_back(std::move(c.times));
  return result;
}

double gigabytes_per_second(work const& w, std::size_t n, double seconds) {
  return static_cast<double>(traffic(w, n)) / seconds * 1e-9;
}

}  // namespace upsweep::bench
