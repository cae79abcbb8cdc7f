/// What exact global sums cost beside plain ones and beside three other reproducible methods, in
/// one run whose measurements alternate. Ranks are threads of this process, which exchange arrays
/// in memory, so no MPI is needed. Prints JSON: medians in microseconds, and medians of the ratios
/// to the plain sum of the same round.
///
///   cmake --build build --target upsweep_ranks_speed && build/bin/upsweep_ranks_speed [SECONDS]
#include <upsweep/c_api/ranks.h>
#include <bench/rank_team.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <ratio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace upsweep::bench {
namespace {

volatile double sink;

// ---- The methods: each returns the sum of x[0, n) of all ranks.

using array = std::vector<double>;

/// As a model's compiler makes it: one addition after another.
double plain_local(array const& x) {
  double sum = 0;
  for (double const v : x) sum += v;
  return sum;
}
/// With 32 partial sums, which a compiler makes with -ffast-math.
double fast_local(array const& x) {
  std::array<double, 32> part{};
  std::size_t i = 0;
  for (; i + 32 <= x.size(); i += 32)
    for (std::size_t k = 0; k < 32; ++k) part[k] += x[i + k];
  for (; i < x.size(); ++i) part[0] += x[i];
  double sum = 0;
  for (double const p : part) sum += p;
  return sum;
}
double added(rank& me, double sum) {
  double total = 0;
  me.all->all_reduce(me.number, &sum, &total, 1, std::plus<>{});
  return total;
}
double plain(rank& me, array const& x) {
  return added(me, plain_local(x));
}
double fast(rank& me, array const& x) {
  return added(me, fast_local(x));
}

double ours(rank& me, array const& x) {
  upsweep_ranks const ranks = ranks_of(me);
  upsweep_field field{};
  field.values = upsweep_array_of(UPSWEEP_F64, x.data(), x.size());
  double sum = 0;
  if (upsweep_global_sum(&ranks, &field, nullptr, &sum) != UPSWEEP_OK) std::exit(1);
  return sum;
}

constexpr int limbs = 70;  ///< of 32 bits, from 2^-1074 on

double value_of(std::array<std::int64_t, limbs> limb) {
  for (int i = 0; i + 1 < limbs; ++i) {
    limb[i + 1] += limb[i] >> 32;
    limb[i] &= 0xffffffff;
  }
  double sum = 0;
  for (int i = limbs; i-- > 0;) sum += std::ldexp(static_cast<double>(limb[i]), 32 * i - 1074);
  return sum;
}
/// bitrep: each number is added to a long fixed-point number.
double long_accumulator(rank& me, array const& x) {
  std::array<std::int64_t, limbs> mine{}, all{};
  std::uint32_t since_carry = 0;
  for (double const v : x) {
    auto const bits = std::bit_cast<std::uint64_t>(v);
    auto const exponent = static_cast<int>(bits >> 52 & 2047);
    std::uint64_t const significand =
        (bits & (~std::uint64_t{0} >> 12)) | (exponent > 0 ? std::uint64_t{1} << 52 : 0);
    int const position = std::max(exponent - 1, 0);
    auto const shifted = static_cast<unsigned __int128>(significand) << position % 32;
    std::int64_t const sign = bits >> 63 != 0 ? -1 : 1;
    auto* const to = &mine[static_cast<std::size_t>(position / 32)];
    for (int k = 0; k < 3; ++k)
      to[k] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> 32 * k));
    if (++since_carry < 1U << 30) continue;
    since_carry = 0;
    for (std::size_t i = 0; i + 1 < limbs; ++i) {
      mine[i + 1] += mine[i] >> 32;
      mine[i] &= 0xffffffff;
    }
  }
  me.all->all_reduce(me.number, mine.data(), all.data(), limbs, std::plus<>{});
  return value_of(all);
}

/// The largest magnitude of all ranks, as the exponent above it.
int exponent_above_all(rank& me, array const& x) {
  std::array<double, 16> part{};
  std::size_t i = 0;
  for (; i + 16 <= x.size(); i += 16)
    for (std::size_t k = 0; k < 16; ++k) part[k] = std::max(part[k], std::fabs(x[i + k]));
  for (; i < x.size(); ++i) part[0] = std::max(part[0], std::fabs(x[i]));
  double const mine = *std::max_element(part.begin(), part.end());
  double all = 0;
  me.all->all_reduce(me.number, &mine, &all, 1, [](double a, double b) { return std::max(a, b); });
  return std::ilogb(all) + 1;
}
/// ReproBLAS: three windows below the largest magnitude, of whose parts each sum is exact.
double binned(rank& me, array const& x) {
  constexpr int windows = 3, width = 30;
  constexpr std::size_t lanes = 16;
  int const top = exponent_above_all(me, x);
  double start[windows], sum[windows][lanes];
  for (int w = 0; w < windows; ++w) {
    start[w] = std::ldexp(1.5, top + 52 - width * (w + 1));
    std::fill_n(sum[w], lanes, start[w]);
  }
  for (std::size_t i = 0; i + lanes <= x.size(); i += lanes) {
    double rest[lanes];
    for (std::size_t k = 0; k < lanes; ++k) rest[k] = x[i + k];
    for (int w = 0; w < windows; ++w)
      for (std::size_t k = 0; k < lanes; ++k) {
        double const moved = sum[w][k] + rest[k];
        rest[k] -= moved - sum[w][k];
        sum[w][k] = moved;
      }
  }
  double mine[windows] = {}, all[windows] = {};
  for (int w = 0; w < windows; ++w)
    for (std::size_t k = 0; k < lanes; ++k) mine[w] += sum[w][k] - start[w];
  me.all->all_reduce(me.number, mine, all, windows, std::plus<>{});
  return all[0] + (all[1] + all[2]);
}
/// shr_reprosum: vectors of integers below the largest magnitude, of which two levels are kept.
double integer_vectors(rank& me, array const& x) {
  constexpr int levels = 3, bits = 31;
  int const top = exponent_above_all(me, x);
  double const first = std::ldexp(1.0, bits - top), next = std::ldexp(1.0, bits);
  std::int64_t mine[levels] = {}, all[levels] = {};
  for (double const v : x) {
    double rest = v * first;
    for (auto& level : mine) {
      auto const whole = static_cast<std::int64_t>(rest);
      level += whole;
      rest = (rest - static_cast<double>(whole)) * next;
    }
  }
  me.all->all_reduce(me.number, mine, all, levels, std::plus<>{});
  double sum = 0;
  for (int k = levels; k-- > 0;)
    sum += std::ldexp(static_cast<double>(all[k]), top - bits * (k + 1));
  return sum;
}

using method = double (*)(rank&, array const&);
std::pair<char const*, method> const methods[] = {{"plain", plain},
                                                  {"plain_vectorized", fast},
                                                  {"upsweep", ours},
                                                  {"binned", binned},
                                                  {"long_accumulator", long_accumulator},
                                                  {"integer_vectors", integer_vectors}};

// ---- Measurements.

/// Times f(method, repetition) of all methods in turn, on each rank, for so long.
std::string rounds(int size, std::size_t n, double limit) {
  rank_team all(size);
  std::map<std::string, std::vector<double>> times;
  std::atomic<bool> go_on = true;
  int const calls = n >= 100'000 ? 4 : n >= 1'000 ? 100 : 1'000;
  auto const work = [&](int number) {
    rank me{&all, number};
    array x(n);
    for (std::size_t i = 0; i < n; ++i)
      x[i] = std::sin(static_cast<double>(i * 7 + static_cast<std::size_t>(number))) * 1e3;
    auto const begin = std::chrono::steady_clock::now();
    while (go_on) {
      for (auto const& [name, run] : methods) {
        all.meet();
        auto const start = std::chrono::steady_clock::now();
        for (int k = 0; k < calls; ++k) sink = run(me, x);
        all.meet();
        if (number == 0) times[name].push_back(us_since(start) / calls);
      }
      if (number == 0 && us_since(begin) > limit * 1e6) go_on = false;
      all.meet();
    }
  };
  on_ranks(size, work);
  std::string text = "{\"ranks\": " + std::to_string(size) + ", \"n\": " + std::to_string(n) +
                     ", \"rounds\": " + std::to_string(times["plain"].size());
  for (auto const& [name, run] : methods) {
    std::vector<double> ratios;
    for (std::size_t k = 0; k < times[name].size(); ++k)
      ratios.push_back(times[name][k] / times["plain"][k]);
    char part[160];
    std::snprintf(part, sizeof part, ",\n    \"%s\": {\"us\": %.2f, \"to_plain\": %.3f}", name,
                  median(times[name]), median(ratios));
    text += part;
  }
  return text + "}";
}

/// One field beside 100 fields in a call, of n elements each.
std::string many_fields(int size, std::size_t n, double limit) {
  rank_team all(size);
  std::vector<double> one, many;
  std::atomic<bool> go_on = true;
  auto const work = [&](int number) {
    rank me{&all, number};
    upsweep_ranks const ranks = ranks_of(me);
    array x(100 * n, 0.1);
    std::vector<upsweep_field> fields(100);
    array sums(100);
    for (std::size_t k = 0; k < 100; ++k) {
      fields[k] = {};
      fields[k].values = upsweep_array_of(UPSWEEP_F64, x.data() + k * n, n);
    }
    auto const begin = std::chrono::steady_clock::now();
    while (go_on) {
      for (std::size_t const count : {std::size_t{1}, std::size_t{100}}) {
        all.meet();
        auto const start = std::chrono::steady_clock::now();
        for (int k = 0; k < 100; ++k)
          if (upsweep_global_sums(&ranks, fields.data(), count, UPSWEEP_F64, nullptr,
                                  sums.data()) != UPSWEEP_OK)
            std::exit(1);
        all.meet();
        if (number == 0) (count == 1 ? one : many).push_back(us_since(start) / 100);
      }
      if (number == 0 && us_since(begin) > limit * 1e6) go_on = false;
      all.meet();
    }
  };
  on_ranks(size, work);
  char text[200];
  std::snprintf(text, sizeof text,
                "{\"ranks\": %d, \"n\": %zu, \"one_field_us\": %.2f, \"fields_100_us\": %.2f, "
                "\"ratio\": %.2f}",
                size, n, median(one), median(many), median(many) / median(one));
  return text;
}

}  // namespace
}  // namespace upsweep::bench

int main(int count, char** arguments) {
  double const limit = (count > 1 ? std::atof(arguments[1]) : 120) / 24;
  int const most = static_cast<int>(std::thread::hardware_concurrency());
  std::printf("{\"processors\": %d,\n \"sums\": [", most);
  char const* comma = "";
  for (int const size : {1, 2, 16, 32, 64}) {
    if (size > most && size > 1) continue;
    for (std::size_t const n : {std::size_t{10}, std::size_t{1'000}, std::size_t{1'000'000}}) {
      std::printf("%s\n  %s", comma, upsweep::bench::rounds(size, n, limit).c_str());
      comma = ",";
    }
  }
  std::printf("],\n \"fields\": [");
  comma = "";
  for (int const size : {1, 16})
    for (std::size_t const n : {std::size_t{1}, std::size_t{10}, std::size_t{1'000}}) {
      if (size > most) continue;
      std::printf("%s\n  %s", comma, upsweep::bench::many_fields(size, n, limit).c_str());
      comma = ",";
    }
  std::printf("]}\n");
}
