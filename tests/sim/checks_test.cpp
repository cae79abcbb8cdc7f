/// A missing barrier or fence is found under every schedule; correct kernels produce no finding.
#include "sim/kernels.hpp"
#include "sim/mutants.hpp"

#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim_test {
namespace {

using sum_of_ints = sim::operation<int>;
sum_of_ints const sum{plus{}};
using sim::finding_kind;

constexpr int threads = 64;
constexpr unsigned blocks = 5;

struct outcome {
  std::vector<int> values;
  std::vector<sim::finding> findings;
};

template <class Plan>
outcome on_machine(sim::options const& how, std::size_t outputs, Plan const& plan) {
  sim::machine machine{how};
  auto const out = machine.allocate<int>(outputs, "out");
  try {
    plan(machine, out);
  } catch (sim::kernel_failure const& failure) {
    return {{}, machine.result().findings};
  }
  return {machine.to_host(out, outputs), machine.result().findings};
}

template <int without>
outcome scan_kogge_stone(sim::options const& how) {
  return on_machine(how, blocks * threads, [](sim::machine& m, int* out) {
    auto const in = m.allocate<int>(blocks * threads, "in");
    m.to_device(in, iota(blocks * threads));
    m.launch({.blocks = {blocks}, .threads = {threads}},
             kogge_stone_without<without, threads, sum_of_ints>, in, out, sum);
  });
}
template <int without>
outcome scan_brent_kung(sim::options const& how) {
  return on_machine(how, 2 * blocks * threads, [](sim::machine& m, int* out) {
    auto const in = m.allocate<int>(2 * blocks * threads, "in");
    m.to_device(in, iota(2 * blocks * threads));
    m.launch({.blocks = {blocks}, .threads = {threads}},
             brent_kung_without<without, threads, sum_of_ints>, in, out, sum);
  });
}
template <int without>
outcome reduce_with_warp_tail(sim::options const& how) {
  return on_machine(how, blocks, [](sim::machine& m, int* out) {
    auto const in = m.allocate<int>(blocks * threads, "in");
    m.to_device(in, iota(blocks * threads));
    m.launch({.blocks = {blocks}, .threads = {threads}},
             warp_tail_without<without, threads, sum_of_ints>, in, out, sum);
  });
}
template <int without>
outcome scan_chained(sim::options const& how) {
  return on_machine(how, blocks * threads, [](sim::machine& m, int* out) {
    auto const in = m.allocate<int>(blocks * threads, "in"),
               carries = m.allocate<int>(blocks, "carries");
    auto const flags = m.allocate<unsigned>(blocks, "flags"),
               next = m.allocate<unsigned>(1, "next");
    m.to_device(in, iota(blocks * threads));
    m.fill(flags, blocks, 0u);
    m.fill(next, 1, 0u);
    m.launch({.blocks = {blocks}, .threads = {threads}},
             chained_without<without, threads, sum_of_ints>, in, out, carries, flags, next, sum);
  });
}
template <int without>
outcome reduce_last_block(sim::options const& how) {
  return on_machine(how, 1, [](sim::machine& m, int* out) {
    auto const in = m.allocate<int>(blocks * threads, "in"),
               totals = m.allocate<int>(blocks, "totals");
    auto const done = m.allocate<unsigned>(1, "done");
    m.to_device(in, iota(blocks * threads));
    m.fill(done, 1, 0u);
    m.launch({.blocks = {blocks}, .threads = {threads}},
             last_block_without<without, threads, sum_of_ints>, in, totals, done, out, sum);
  });
}
/// One block passes `data` to the other by `flag`.
outcome from_block_to_block(sim::options const& how, unsigned threads_of_a_block,
                            void (*kernel)(int* data, unsigned* flag, int* out)) {
  return on_machine(how, 1, [&](sim::machine& m, int* out) {
    auto const data = m.allocate<int>(1, "data");
    auto const flag = m.allocate<unsigned>(1, "flag");
    m.fill(flag, 1, 0u);
    m.launch({.blocks = {2}, .threads = {threads_of_a_block}}, kernel, data, flag, out);
  });
}
template <int without>
outcome hand_over(sim::options const& how) {
  return from_block_to_block(how, 1, hand_over_without<without>);
}
template <int without>
outcome neighbors(sim::options const& how) {
  return on_machine(how, 64, [](sim::machine& m, int* out) {
    m.launch({.threads = {64}}, neighbors_without<without>, out);
  });
}
template <int without>
outcome clusters(sim::options const& how) {
  return on_machine(how, 8, [](sim::machine& m, int* out) {
    m.launch({.blocks = {8}, .threads = {32}, .cluster = 4}, cluster_without<without>, out);
  });
}
template <int without>
outcome half_warps(sim::options const& how) {
  return on_machine(how, 32, [](sim::machine& m, int* out) {
    m.launch({.threads = {32}}, half_warps_without<without>, out);
  });
}

template <int without>
outcome lower_half(sim::options const& how) {
  return on_machine(how, 32, [](sim::machine& m, int* out) {
    m.fill(out, 32, 0);
    m.launch({.threads = {32}}, lower_half_without<without>, out);
  });
}
template <int without>
outcome halo(sim::options const& how) {
  return on_machine(how, blocks * threads, [](sim::machine& m, int* out) {
    auto const x = m.allocate<int>(blocks * threads + 1, "x");
    m.to_device(x, iota(blocks * threads + 1));
    m.fill(out, blocks * threads, 0);
    m.launch({.blocks = {blocks}, .threads = {threads}}, halo_without<without, threads>, x, out);
  });
}
template <int without>
outcome read_by_all(sim::options const& how) {
  return on_machine(how, blocks, [](sim::machine& m, int* out) {
    auto const x = m.allocate<int>(1, "x");
    auto const done = m.allocate<unsigned>(1, "done");
    m.fill(x, 1, 5);
    m.fill(done, 1, 0u);
    m.launch({.blocks = {blocks}, .threads = {1}}, read_by_all_without<without>, x, done, out);
  });
}
template <int without>
outcome plain_flag(sim::options const& how) {
  return on_machine(how, 1, [](sim::machine& m, int* out) {
    auto const flag = m.allocate<unsigned>(1, "flag");
    m.fill(flag, 1, 0u);
    m.launch({.blocks = {2}, .threads = {1}}, plain_flag_without<without>, flag, out);
  });
}
template <int without>
outcome swap(sim::options const& how) {
  return from_block_to_block(how, 1, swap_without<without>);
}
template <int without>
outcome warp_to_warp(sim::options const& how) {
  return from_block_to_block(how, 32, warp_to_warp_without<without>);
}

using versions = std::vector<std::function<outcome(sim::options const&)>>;

/// For each kernel: the correct version, then those without the first, second ... barrier or fence.
std::vector<std::pair<std::string, versions>> const kernels{
    {"kogge_stone",
     {scan_kogge_stone<0>, scan_kogge_stone<1>, scan_kogge_stone<2>, scan_kogge_stone<3>}},
    {"brent_kung",
     {scan_brent_kung<0>, scan_brent_kung<1>, scan_brent_kung<2>, scan_brent_kung<3>}},
    {"warp_tail",
     {reduce_with_warp_tail<0>, reduce_with_warp_tail<1>, reduce_with_warp_tail<2>,
      reduce_with_warp_tail<3>}},
    {"chained",
     {scan_chained<0>, scan_chained<1>, scan_chained<2>, scan_chained<3>, scan_chained<4>,
      scan_chained<5>}},
    {"last_block",
     {reduce_last_block<0>, reduce_last_block<1>, reduce_last_block<2>, reduce_last_block<3>,
      reduce_last_block<4>}},
    {"hand_over", {hand_over<0>, hand_over<1>, hand_over<2>, hand_over<3>}},
    {"neighbors", {neighbors<0>, neighbors<1>, neighbors<2>}},
    {"cluster", {clusters<0>, clusters<1>, clusters<2>}},
    {"half_warps", {half_warps<0>, half_warps<1>, half_warps<2>}},
    {"lower_half", {lower_half<0>, lower_half<1>, lower_half<2>}},
    {"halo", {halo<0>, halo<1>, halo<2>, halo<3>}},
    {"read_by_all", {read_by_all<0>, read_by_all<1>}},
    {"plain_flag", {plain_flag<0>, plain_flag<1>}},
    {"swap", {swap<0>, swap<1>}},
    {"warp_to_warp", {warp_to_warp<0>, warp_to_warp<1>, warp_to_warp<2>}},
};

std::vector<sim::options> schedules() {
  std::vector<sim::options> list{{}, {.how = sim::schedule::round_robin}, {.resident_blocks = 1}};
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    list.push_back({.how = sim::schedule::adversarial, .seed = seed});
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    list.push_back({.how = sim::schedule::random, .seed = seed});
  return list;
}

std::string all(std::vector<sim::finding> const& findings) {
  std::string text;
  for (auto const& f : findings) text += std::string(name_of(f.kind)) + ": " + f.sentence + "\n";
  return text;
}

TEST(checks, correct_kernels_have_no_findings_under_every_schedule) {
  for (auto const& [name, runs] : kernels) {
    outcome const expected = runs[0]({});
    for (auto const& how : schedules()) {
      bool const waits_for_a_block =
          name == "hand_over" || name == "plain_flag" || name == "swap" || name == "warp_to_warp";
      if (waits_for_a_block && how.resident_blocks == 1)
        continue;  // a waiting block may start first
      outcome const r = runs[0](how);
      EXPECT_EQ(all(r.findings), "")
          << name << ", schedule " << static_cast<int>(how.how) << ", seed " << how.seed;
      EXPECT_EQ(r.values, expected.values)
          << name << ", schedule " << static_cast<int>(how.how) << ", seed " << how.seed;
    }
  }
}

/// Whether a barrier is redundant, because the thread that writes a value is the one that reads it.
bool is_redundant(std::string const&, std::size_t) {
  return false;
}

TEST(checks, every_missing_barrier_and_fence_is_found_under_every_schedule) {
  for (auto const& [name, runs] : kernels)
    for (std::size_t without = 1; without < runs.size(); ++without)
      for (auto const& how : schedules()) {
        if (is_redundant(name, without)) continue;
        outcome const r = runs[without](how);
        EXPECT_FALSE(r.findings.empty()) << name << " without " << without << ", schedule "
                                         << static_cast<int>(how.how) << ", seed " << how.seed;
      }
}

}  // namespace
}  // namespace upsweep::sim_test
