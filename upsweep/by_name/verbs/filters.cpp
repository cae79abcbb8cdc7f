/// Digital filters by name: sums of products and a scan, or where that would be less accurate a
/// loop over several lines side by side.
#include <upsweep/by_name/verbs/filters.hpp>
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/recurrences.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/scan.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::dynamic {
namespace {

constexpr std::size_t side_by_side = 4;  // lines, since one alone waits for each result

/// A loop multiplies rounding errors by the energy of the feedback's response to an impulse, a scan
/// by more, since it also rounds powers of the companion matrix. Up to this energy none of 350
/// designs of order 2 to 4 has 6 times the error of a loop, and none of order 1 has 10 times.
constexpr double largest_energy = 16, largest_of_order_1 = 500;

using detail::product;

/// The line of `lines` with that number.
struct one_line {
  double const* x;
  double* y;
  std::size_t size;
  double const* before;

  one_line(filtered_lines const& all, std::size_t memory, std::size_t line)
      : x(all.x + static_cast<std::ptrdiff_t>(line) * all.stride_x),
        y(all.y + static_cast<std::ptrdiff_t>(line) * all.stride_y),
        size(all.size),
        before(all.before ? all.before + line * memory : nullptr) {}
};

/// Stores all but the feedback.
void run_ahead(digital_filter const& f, one_line const& line) {
  constexpr std::size_t block = 512;  // numbers that stay in L1
  double const* const x = line.x;
  double* const y = line.y;
  for (std::size_t begin = 0; begin < line.size; begin += block) {
    std::size_t const end = std::min(line.size, begin + block);
    for (std::size_t i = begin; i < end; ++i) y[i] = product(f.ahead[0], x[i]);
    for (std::size_t k = 1; k < f.ahead.size() && k < end; ++k) {
      double const factor = f.ahead[k];
      if (factor == 0) continue;
      for (std::size_t i = std::max(begin, k); i < end; ++i) y[i] += product(factor, x[i - k]);
    }
  }
  if (line.before)
    for (std::size_t i = 0; i < std::min(line.size, f.memory()); ++i) y[i] += line.before[i];
}

/// A number that is known when this is compiled.
template <std::size_t n>
struct constant {
  constexpr operator std::size_t() const { return n; }  // NOLINT: where a number is expected
};

std::vector<double> padded(std::span<double const> coefficients, std::size_t size) {
  std::vector<double> all(coefficients.begin(), coefficients.end());
  all.resize(size);
  return all;
}

/// Calls f(state), in registers if its size is a constant.
template <std::size_t lanes, class Memory, class F>
void with_state(std::vector<double>& state, Memory, F const& f) {
  if constexpr (std::is_same_v<Memory, std::size_t>) {
    f(state);
  } else {
    std::array<double, Memory{} * lanes> few;
    std::copy(state.begin(), state.end(), few.begin());
    f(few);
  }
}

/// The transposed direct form II, in the order of operations of scipy.signal.lfilter, so with its
/// bits. Lines from `first` on are filtered side by side. `Memory` is the size of the state.
template <std::size_t lanes, class Memory>
void loop(digital_filter const& f, Memory memory, filtered_lines const& all, std::size_t first) {
  std::vector<double> kept(memory * lanes);
  std::vector<double> const b = padded(f.ahead, memory + 1), a = padded(f.back, memory);
  double const* x[lanes];
  double* y[lanes];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    one_line const line(all, memory, first + lane);
    x[lane] = line.x, y[lane] = line.y;
    for (std::size_t k = 0; line.before && k < memory; ++k) kept[k * lanes + lane] = line.before[k];
  }
  with_state<lanes>(kept, memory, [&](auto& state) {
    for (std::size_t i = 0; i < all.size; ++i) {
      double in[lanes], out[lanes];
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        in[lane] = x[lane][i];
        out[lane] = y[lane][i] = state[lane] + product(b[0], in[lane]);
      }
      for (std::size_t k = 1; k < memory; ++k)
        for (std::size_t lane = 0; lane < lanes; ++lane)
          state[(k - 1) * lanes + lane] =
              state[k * lanes + lane] + product(b[k], in[lane]) + product(a[k - 1], out[lane]);
      for (std::size_t lane = 0; lane < lanes; ++lane)
        state[(memory - 1) * lanes + lane] =
            product(b[memory], in[lane]) + product(a[memory - 1], out[lane]);
    }
  });
}

/// Few numbers of state, which are a constant, stay in registers.
template <std::size_t lanes>
void loop_by_memory(digital_filter const& f, filtered_lines const& all, std::size_t first) {
  switch (f.memory()) {
    case 2:
      return loop<lanes>(f, constant<2>{}, all, first);
    case 3:
      return loop<lanes>(f, constant<3>{}, all, first);
    case 4:
      return loop<lanes>(f, constant<4>{}, all, first);
    default:
      return loop<lanes>(f, f.memory(), all, first);
  }
}

/// Whether a scan is as accurate as a loop.
bool may_scan(std::span<double const> back) {
  constexpr std::size_t longest = std::size_t{1} << 14;
  constexpr double nothing = 1e-9;
  if (back.size() == 1) {
    double const squared = product(back[0], back[0]);  // 1 / (1 - squared) is the energy
    return squared == 1 || squared <= 1 - 1 / largest_of_order_1;
  }
  if (back.size() > largest_recurrence) return false;
  double latest[largest_recurrence] = {1};
  double energy = 1;
  for (std::size_t i = 1; i < longest && energy <= largest_energy; ++i) {
    double response = 0, rest = 0;
    for (std::size_t k = back.size(); k-- > 0;) response += back[k] * latest[k];
    for (std::size_t k = back.size() - 1; k > 0; --k) latest[k] = latest[k - 1];
    latest[0] = response;
    for (double const past : latest) rest = std::max(rest, std::abs(past));
    if (rest < nothing) break;
    energy += response * response;
  }
  return energy <= largest_energy;  // not where it is NaN
}

template <std::size_t order>
void scan(cpu const& on, digital_filter const& f, std::span<double const> back,
          filtered_lines const& all) {
  double a[order];
  std::copy_n(back.begin(), order, a);
  upsweep::recurrence<order, double> const op(a);
  on.for_each_line(all.count, all.size, [&](std::size_t number, auto const& here) {
    one_line const line(all, f.memory(), number);
    run_ahead(f, line);
    auto const results = elements_at<double>(line.y, line.size);
    inclusive_scan(here, results, results, op);
  });
}

/// Stores the states after all lines.
void store_states(digital_filter const& f, filtered_lines const& all) {
  std::size_t const memory = f.memory(), n = all.size;
  for (std::size_t number = 0; number < all.count; ++number) {
    one_line const line(all, memory, number);
    for (std::size_t k = 0; k < memory; ++k) {
      double state = line.before && k + n < memory ? line.before[k + n] : 0.0;
      for (std::size_t j = std::min(memory, n + k); j > k; --j) {
        std::size_t const i = n + k - j;
        if (j <= f.back.size()) state += product(f.back[j - 1], line.y[i]);
        if (j < f.ahead.size()) state += product(f.ahead[j], line.x[i]);
      }
      all.after[number * memory + k] = state;
    }
  }
}

}  // namespace

void filter(cpu const& on, digital_filter const& f, filtered_lines const& lines) {
  detail::float_environment const ieee;
  auto back = f.back;
  while (!back.empty() && back.back() == 0) back = back.first(back.size() - 1);
  if (back.empty()) {
    on.for_each_line(lines.count, lines.size, [&](std::size_t line, auto const&) {
      detail::float_environment const here;
      run_ahead(f, one_line(lines, f.memory(), line));
    });
  } else if (may_scan(back)) {
    static constexpr decltype(&scan<1>) scans[largest_recurrence] = {scan<1>, scan<2>, scan<3>,
                                                                     scan<4>};
    scans[back.size() - 1](on, f, back, lines);
  } else {
    std::size_t const bundles = (lines.count + side_by_side - 1) / side_by_side;
    on.for_each_line(bundles, lines.size * side_by_side, [&](std::size_t bundle, auto const&) {
      detail::float_environment const here;
      std::size_t const first = bundle * side_by_side;
      if (first + side_by_side <= lines.count) return loop_by_memory<side_by_side>(f, lines, first);
      for (std::size_t line = first; line < lines.count; ++line) loop_by_memory<1>(f, lines, line);
    });
  }
  if (lines.after) store_states(f, lines);
}

}  // namespace upsweep::dynamic
