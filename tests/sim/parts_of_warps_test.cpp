/// Warp operations of some lanes: what they give and what they count, whoever else is there.
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

namespace upsweep::sim_test {
namespace {

constexpr unsigned operations = 14;

/// The lanes whose numbers agree with that of t in bit `bit`, of the first `lanes`.
__host__ __device__ constexpr unsigned part_of(unsigned t, unsigned bit, unsigned lanes) {
  unsigned mask = 0;
  for (unsigned i = 0; i < lanes; ++i)
    if ((i >> bit & 1) == (t >> bit & 1)) mask |= 1u << i;
  return mask;
}
__host__ __device__ constexpr unsigned value_of(unsigned t) {
  return (t * 2654435761u >> 9) % 11;
}

/// out[32 k + lane] is the result of operation k among the lane's part of its warp.
__global__ void asks_its_part(unsigned* out, unsigned bit, unsigned lanes) {
  unsigned const t = threadIdx.x;
  unsigned const mask = part_of(t, bit, lanes), x = value_of(t);
  int const signed_x = static_cast<int>(x) - 5;
  int same = 7;
  out[t] = __shfl_sync(mask, x, __ffs(static_cast<int>(mask)) - 1);
  out[32 + t] = __ballot_sync(mask, x % 3 == 0);
  out[64 + t] = static_cast<unsigned>(__all_sync(mask, x < 10));
  out[96 + t] = static_cast<unsigned>(__any_sync(mask, x > 9));
  out[128 + t] = __match_any_sync(mask, x % 4);
  out[160 + t] = __match_all_sync(mask, x < 11, &same);
  out[192 + t] = static_cast<unsigned>(same);
  out[224 + t] = __reduce_add_sync(mask, x);
  out[256 + t] = __reduce_min_sync(mask, x);
  out[288 + t] = __reduce_max_sync(mask, x);
  out[320 + t] = __reduce_and_sync(mask, x | 2u);
  out[352 + t] = __reduce_or_sync(mask, x & 9u);
  out[384 + t] = __reduce_xor_sync(mask, x);
  out[416 + t] = static_cast<unsigned>(__reduce_min_sync(mask, signed_x));
}

/// What lane t must get: from the definitions, over the lanes that take part.
std::vector<unsigned> expected(unsigned t, std::vector<unsigned> const& part) {
  unsigned ballot = 0, all = 1, any = 0, match = 0, sum = 0, least = ~0u, most = 0, both = ~0u,
           either = 0, odd = 0;
  for (unsigned const i : part) {
    unsigned const x = value_of(i);
    ballot |= static_cast<unsigned>(x % 3 == 0) << i;
    all &= static_cast<unsigned>(x < 10);
    any |= static_cast<unsigned>(x > 9);
    match |= static_cast<unsigned>(x % 4 == value_of(t) % 4) << i;
    sum += x;
    least = std::min(least, x);
    most = std::max(most, x);
    both &= x | 2;
    either |= x & 9;
    odd ^= x;
  }
  unsigned here = 0;
  for (unsigned const i : part) here |= 1u << i;
  return {value_of(part[0]), ballot, all, any, match, here, 1, sum, least, most, both, either, odd,
          least - 5};
}

TEST(parts_of_warps, get_what_their_lanes_have) {
  for (auto const how : {sim::schedule::in_order, sim::schedule::round_robin, sim::schedule::random,
                         sim::schedule::adversarial})
    for (unsigned const bit : {0u, 2u, 4u})
      for (unsigned const last : {32u, 24u}) {
        sim::machine m({.how = how, .seed = 3});
        auto* const out = m.allocate<unsigned>(32 * operations, "out");
        m.fill(out, 32 * operations, 77u);
        m.launch({.threads = {last}}, asks_its_part, out, bit, last);
        auto const y = m.to_host(out, 32 * operations);
        for (unsigned t = 0; t < last; ++t) {
          std::vector<unsigned> part;
          for (unsigned i = 0; i < last; ++i)
            if ((i >> bit & 1) == (t >> bit & 1)) part.push_back(i);
          auto const wanted = expected(t, part);
          for (unsigned k = 0; k < operations; ++k)
            EXPECT_EQ(y[32 * k + t], wanted[k]) << "lane " << t << ", operation " << k << ", bit "
                                                << bit << ", schedule " << static_cast<int>(how);
        }
        for (auto const& f : m.result().findings) ADD_FAILURE() << f.sentence;
        auto const counts = m.result().total();
        EXPECT_EQ(counts.shuffles, 2u);
        EXPECT_EQ(counts.votes, 2u * 12);
      }
}

/// Every quarter of a warp calls the same shuffle, with a mask of its own.
__global__ void shuffles_in_quarters(unsigned* out, unsigned rounds) {
  unsigned const t = threadIdx.x;
  unsigned x = t;
  for (unsigned i = 0; i < rounds + t / 8; ++i) x += __shfl_xor_sync(0xffu << (t & 24), x, 1);
  out[t] = x;
}
TEST(parts_of_warps, count_an_operation_for_each_mask) {
  for (auto const how :
       {sim::schedule::in_order, sim::schedule::round_robin, sim::schedule::random})
    for (unsigned const rounds : {1u, 5u}) {
      sim::machine m({.trace = true, .how = how, .seed = 1});
      auto* const out = m.allocate<unsigned>(32, "out");
      m.launch({.threads = {32}}, shuffles_in_quarters, out, rounds);
      EXPECT_EQ(m.result().total().shuffles, 4 * rounds + 6);
      for (auto const& s : m.result().trace.launches[0].steps)
        if (s.kind == sim::step_kind::shuffle) {
          EXPECT_EQ(std::popcount(s.mask), 8);
          EXPECT_EQ(std::countr_zero(s.mask) % 8, 0);
        }
      auto const y = m.to_host(out, 32);
      for (unsigned t = 0; t < 32; ++t) {
        unsigned const pair = (t & ~1u) * 2 + 1, n = rounds + t / 8;
        EXPECT_EQ(y[t], pair << (n - 1)) << t;
      }
    }
}

}  // namespace
}  // namespace upsweep::sim_test
