/// Runs one algorithm of the textbook on the GPU: right at every size, and how fast. Included by generated files, one a stem.
#pragma once

#include <upsweep/cuda/machine.cuh>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/textbook/catalog.hpp>
#include <upsweep/textbook/skeleton.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace upsweep::on_gpu {

/// One algorithm at one size: the first difference as a sentence (nothing when all results are right), or its best time.
struct row {
  std::string stem, type;
  std::size_t n = 0;
  int launches = 0;
  std::string difference;
  float milliseconds = 0;
};

using map_element = affine_map<std::uint32_t>;
using rows = std::vector<row>;

/// Small integers, so that sums of floats are exact in any order; maps of any numbers, exact modulo 2^32.
template <class T>
std::vector<T> elements(std::size_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  for (T& v : x) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    auto const bits = static_cast<std::uint32_t>(seed >> 33);
    if constexpr (std::is_same_v<T, map_element>)
      v = {bits | 1, bits * 2654435761u};
    else
      v = static_cast<T>(static_cast<int>(bits % 7) - 3);
  }
  return x;
}

template <class T, class Op>
std::vector<T> expected(std::vector<T> const& x, bool scan, bool exclusive, Op const& op) {
  std::vector<T> out;
  T running = identity_of<T>(op);
  for (T const& v : x) {
    if (scan && exclusive) out.push_back(running);
    running = op(running, v);
    if (scan && !exclusive) out.push_back(running);
  }
  if (!scan) out.push_back(running);
  return out;
}

template <class Plan, class T, class Op>
row verify(char const* stem, char const* type, std::size_t n, bool scan, bool exclusive, Op op) {
  row r{stem, type, n};
  auto const x = elements<T>(n, n + 1);
  auto const wanted = expected(x, scan, exclusive, op);
  cuda_machine machine;
  constexpr std::size_t fence = 64;  // elements behind the output that nobody may touch
  auto const in = machine.allocate<T>(n, "in");
  auto const out = machine.allocate<T>(wanted.size() + fence, "out");
  machine.to_device(in, x);
  auto const before = machine.to_host(out + wanted.size(), fence);
  Plan::run(machine, simt::global<T const>(in), out, n, op);
  auto const got = machine.to_host(out, wanted.size());
  auto const after = machine.to_host(out + wanted.size(), fence);
  r.launches = machine.launches();
  for (std::size_t i = 0; i < wanted.size() && r.difference.empty(); ++i)
    if (std::memcmp(&wanted[i], &got[i], sizeof(T)) != 0) r.difference = "result " + std::to_string(i) + " is wrong";
  if (std::memcmp(before.data(), after.data(), fence * sizeof(T)) != 0) r.difference += " the kernel wrote behind the output";
  return r;
}

/// The best of five runs at n, or no row when 2^16 elements say that it would take longer than two seconds.
template <class Plan, class Op>
void measure(char const* stem, std::size_t n, bool scan, Op op, rows& to) {
  constexpr bool floats = textbook::plan_supports<Plan, float, Op>;
  using T = std::conditional_t<floats, float, std::int32_t>;
  cuda_machine machine;
  auto const in = machine.allocate<T>(n, "in");
  auto const out = machine.allocate<T>(scan ? n : 1, "out");
  machine.to_device(in, elements<T>(n, 1));
  auto const once = [&](std::size_t count) {
    return machine.time([&] { Plan::run(machine, simt::global<T const>(in), out, count, op); });
  };
  std::size_t const probe = std::min<std::size_t>(n, 1 << 16);
  (void)once(probe);
  if (once(probe) * static_cast<float>(n) / static_cast<float>(probe) > 2000) return;
  row r{stem, floats ? "f32" : "i32", n};
  r.milliseconds = once(n);
  for (int i = 0; i < 4; ++i) r.milliseconds = std::min(r.milliseconds, once(n));
  to.push_back(r);
}

template <class Plan, class T, class Op>
void verify_sizes(char const* stem, char const* type, bool scan, bool exclusive, Op op, rows& to) {
  if constexpr (textbook::plan_supports<Plan, T, Op>)
    for (std::size_t const n : {0u, 1u, 2u, 31u, 32u, 33u, 255u, 256u, 257u, 511u, 513u, 1024u, 1025u, 4097u, 65537u, 1000003u})
      to.push_back(verify<Plan, T>(stem, type, n, scan, exclusive, op));
}

/// Everything about one form of one algorithm.
template <class Plan>
void run_form(textbook::entry const& row, bool exclusive, bool timed, rows& to) {
  char const* const stem = row.stem.data();
  bool const scan = row.what == textbook::kind::scan;
  verify_sizes<Plan, std::int32_t>(stem, "i32", scan, exclusive, plus{}, to);
  verify_sizes<Plan, float>(stem, "f32", scan, exclusive, plus{}, to);
  if (row.keeps_order) verify_sizes<Plan, map_element>(stem, "affine", scan, exclusive, affine{}, to);
  if (!timed) return;
  for (std::size_t const n : {std::size_t{1} << 24, std::size_t{1} << 28}) measure<Plan>(stem, n, scan, plus{}, to);
}

}  // namespace upsweep::on_gpu
