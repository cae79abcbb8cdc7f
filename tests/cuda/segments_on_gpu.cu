/// Reductions and scans of segments on a GPU: the bits of the CPU at every edge, in random
/// cases, with empty and huge segments, in a replayed graph.
#include "endless.cuh"
#include "segments_on_gpu.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

using offsets_of = std::vector<std::size_t>;

/// Segments of lengths size(0), size(1), ... of n elements.
template <class Size>
offsets_of cut(std::size_t n, Size const& size) {
  offsets_of offsets{0};
  for (std::size_t k = 0; offsets.back() < n; ++k)
    offsets.push_back(std::min(n, offsets.back() + static_cast<std::size_t>(size(k))));
  return offsets;
}
/// Lengths that differ by factors of up to 10^6, and one of four empty.
offsets_of power_law(std::size_t n, std::uint64_t salt) {
  random_bits next(test_seed() + n + salt);
  return cut(n, [&](std::size_t) {
    double const u = static_cast<double>(next() % 1000 + 1) / 1000;
    return next() % 4 == 0 ? 0.0 : std::pow(u, -2.0);
  });
}

/// Compares the results of all verbs, bit for bit, with those of the CPU.
template <class R, class Offset = std::uint32_t, class T, class Op>
void expect_segments(std::vector<T> const& x, offsets_of const& offsets, Op const& op,
                     options<accumulator_t<Op, T>> const& o = {}, std::size_t misaligned = 0) {
  SCOPED_TRACE(testing::Message() << x.size() << " elements, " << offsets.size() - 1
                                  << " segments, " << seed_note());
  std::vector<R> totals(offsets.size() - 1), inclusive(x.size()), exclusive(x.size());
  upsweep::reduce_segments(x, offsets, totals, op, o);
  upsweep::inclusive_scan_segments(x, offsets, inclusive, op, o);
  upsweep::exclusive_scan_segments(x, offsets, exclusive, op, o);
  on_gpu<T> const in(x, misaligned);
  on_gpu<Offset> const at(std::vector<Offset>(offsets.begin(), offsets.end()));
  on_gpu<R> const a(totals.size()), b(x.size()), c(x.size());
  upsweep::reduce_segments(gpu{}, in.input(), at.input(), a.span(), op, o);
  upsweep::inclusive_scan_segments(gpu{}, in.input(), at.input(), b.span(), op, o);
  upsweep::exclusive_scan_segments(gpu{}, in.input(), at.input(), c.span(), op, o);
  expect_same("reduce_segments", a, totals);
  expect_same("inclusive_scan_segments", b, inclusive);
  expect_same("exclusive_scan_segments", c, exclusive);
  if constexpr (std::is_same_v<T, R>) {
    upsweep::inclusive_scan_segments(gpu{}, in.input(), at.input(), in.span(), op, o);
    expect_same("in place", in, inclusive);
  }
}
void expect_floats(offsets_of const& offsets, std::size_t misaligned = 0) {
  expect_segments<float>(elements_for<float>(offsets.back(), 0), offsets, plus{}, {}, misaligned);
}
/// The same also with a million empty segments after the others, for which tiles are large.
void expect_floats_in_all_tiles(offsets_of offsets, std::size_t misaligned = 0) {
  expect_floats(offsets, misaligned);
  if (most_elements() < 1'000'000 || offsets.back() > 1'000'000) return;
  offsets.insert(offsets.end(), 1 << 20, offsets.back());
  expect_floats(offsets, misaligned);
}

TEST(cuda_segments, have_the_bits_of_the_processor_at_every_edge) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1, 31, 33, 255, 256, 257, 1023, 1024, 1025, 1281, 4095,
                                            4096, 4097, 5119, 8193, 100'003, 1'000'003})) {
    expect_floats_in_all_tiles({0, n});
    for (std::size_t const size :
         {1u, 2u, 10u, 31u, 32u, 33u, 1000u, 1023u, 1024u, 1025u, 4095u, 4097u, 70'000u})
      expect_floats_in_all_tiles(cut(n, [&](std::size_t) { return size; }));
    for (std::uint64_t salt = 0; salt < 3; ++salt)
      expect_floats_in_all_tiles(power_law(n, salt), salt);
  }
}
TEST(cuda_segments, begin_and_end_around_borders) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const border :
       at_most_given({32, 256, 1022, 1024, 4094, 4095, 4096, 5120, 8190, 8192}))
    for (std::size_t begin = border - 2; begin <= border + 2; ++begin)
      for (std::size_t const size : {1u, 7u, 8u, 9u, 31u, 32u, 33u, 255u, 256u, 257u, 1023u, 1024u,
                                     1025u, 3072u, 4097u, 9000u})
        expect_floats_in_all_tiles({0, begin, begin, begin + size, begin + size + 100});
}
TEST(cuda_segments, of_hundreds_of_elements_may_lie_beside_long_ones) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({20'000, 3'000'000}))
    for (std::size_t const average : {100u, 1000u, 2000u}) {
      random_bits next(test_seed() + average);
      auto const offsets = cut(n, [&](std::size_t k) {
        return k % 300 == 7 ? n / 4 : k % 9 == 0 ? 4000 + next() % 300 : next() % average;
      });
      expect_floats(offsets, average % 3);
      expect_segments<map>(elements_for<map>(n, 9), offsets, affine{});
    }
}
TEST(cuda_segments, begin_at_every_place_of_an_item) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const size : at_most_given({1024 * 9 - 1, 1024 * 9, 1024 * 9 + 1}))
    for (std::size_t begin = 0; begin < 40; ++begin)
      expect_floats_in_all_tiles({0, begin, begin + size, begin + size + 7, begin + 3 * size});
}
TEST(cuda_segments, may_be_empty_by_the_million) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({3000})) {
    offsets_of offsets(1'000'000, 0);
    for (std::size_t k = 1; k <= 3; ++k) offsets.insert(offsets.end(), 100'000, k * n / 3);
    expect_floats(offsets);
    expect_segments<float>(elements_for<float>(n, 1), offsets, plus{}, {.initial = 3.0f});
  }
}
TEST(cuda_segments, take_elements_operators_and_offsets_of_every_kind) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({5000, 300'007}))
    for (auto const& offsets : {power_law(n, 7), offsets_of{0, 0, 10, n - 20, n - 20, n}}) {
      expect_segments<double, std::int64_t>(elements_for<double>(n, 1), offsets, plus{},
                                            {.initial = 0x1p60});
      expect_segments<std::int64_t, std::uint64_t>(elements_for<int>(n, 2), offsets, plus{});
      // Results of 32 bits are combined in 32 bits.
      expect_segments<int>(elements_for<int>(n, 5), offsets, plus{});
      expect_segments<std::uint16_t>(elements_for<int>(n, 6), offsets, plus{}, {.initial = -9});
      expect_segments<float>(elements_for<std::uint8_t>(n, 3), offsets, plus{});
      expect_segments<signed char, int>(elements_for<signed char>(n, 4), offsets, max{},
                                        {.initial = static_cast<signed char>(-5)}, 1);
      expect_segments<map>(elements_for<map>(n, 5), offsets, affine{});
      expect_segments<map>(elements_for<map>(n, 6), offsets, affine{}, {.initial = map{0.5, 2}});
    }
}
TEST(cuda_segments, have_the_bits_of_the_processor_in_random_cases) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  for (std::size_t k = 0; k < random_cases(300); ++k) {
    std::size_t const n = next() % limited(k % 10 == 0 ? 3'000'000 : 50'000),
                      most = 1 + next() % 20'000, misaligned = next() % 4;
    auto const offsets = k % 2 == 0
                             ? power_law(n, k)
                             : cut(n, [&](std::size_t) { return next() % (1 + next() % most); });
    expect_floats(offsets, misaligned);
    expect_segments<map>(elements_for<map>(n / 8, k),
                         cut(n / 8, [&](std::size_t) { return next() % most; }), affine{});
  }
}
/// Unspecified results, but calls end, for some of these after seconds, and write nothing else.
TEST(cuda_segments, with_wrong_offsets_end) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({24'000})) {
    on_gpu<float> const in(elements_for<float>(n, 1)), sums(n), totals(3);
    for (std::vector<std::uint32_t> const& wrong :
         {std::vector<std::uint32_t>{80, 14'400, 32'000, 32'000},
          {0, 11'200, 4800, 24'000},
          {0, 4'000'000'000, 16'000, 16'000},
          {0, 160, 160, 320}}) {
      on_gpu<std::uint32_t> const at(wrong);
      upsweep::reduce_segments(gpu{}, in.input(), at.input(), totals.span(), plus{});
      upsweep::inclusive_scan_segments(gpu{}, in.input(), at.input(), sums.span(), plus{});
      (void)totals.values();
      (void)sums.values();
    }
  }
}
struct larger {
  __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};
TEST(cuda_segments, with_an_empty_one_and_no_identity_store_nothing_there) {
  UPSWEEP_NEEDS_A_GPU();
  on_gpu<int> const in(std::vector<int>{3, 9, 4}), out(3);
  on_gpu<int> const at(std::vector<int>{0, 2, 2, 3});
  upsweep::reduce_segments(gpu{}, in.input(), at.input(), out.span(), larger{});
  EXPECT_TRUE(out.values() == (std::vector<int>{9, static_cast<int>(0xa5a5a5a5), 4}));
}
TEST(cuda_segments, of_iterators_reach_beyond_2_to_32) {
  UPSWEEP_NEEDS_A_GPU();
  std::int64_t const n = (std::int64_t{1} << 33) + 77, half = std::int64_t{1} << 32;
  if (most_elements() < static_cast<std::size_t>(n)) GTEST_SKIP() << "UPSWEEP_GPU_MOST";
  std::ranges::subrange const all(numbers(0), numbers(n));
  on_gpu<std::int64_t> const at(std::vector<std::int64_t>{0, 5, half + 3, n}), out(3);
  upsweep::reduce_segments(gpu{}, all, at.input(), out.span());
  auto const sum_to = [](std::int64_t m) {  // modulo 2^64
    auto const u = static_cast<std::uint64_t>(m);
    return u % 2 == 0 ? u / 2 * (u - 1) : (u - 1) / 2 * u;
  };
  auto const got = out.values();
  EXPECT_EQ(static_cast<std::uint64_t>(got[0]), sum_to(5));
  EXPECT_EQ(static_cast<std::uint64_t>(got[1]), sum_to(half + 3) - sum_to(5));
  EXPECT_EQ(static_cast<std::uint64_t>(got[2]), sum_to(n) - sum_to(half + 3));
}
TEST(cuda_segments, are_scanned_beyond_2_to_32) {
  UPSWEEP_NEEDS_A_GPU();
  std::int64_t const n = (std::int64_t{1} << 32) + 77, last = n - 12;
  if (most_elements() < static_cast<std::size_t>(n)) GTEST_SKIP() << "UPSWEEP_GPU_MOST";
  std::ranges::subrange const all(numbers(0), numbers(n));
  on_gpu<std::int64_t> const at(std::vector<std::int64_t>{0, 5, last, n});
  on_gpu<std::uint64_t> const out(static_cast<std::size_t>(n));
  upsweep::inclusive_scan_segments(gpu{}, all, at.input(), out.span());
  auto const sum_to = [](std::uint64_t m) {  // of 0 ... m - 1, modulo 2^64
    return m % 2 == 0 ? m / 2 * (m - 1) : (m - 1) / 2 * m;
  };
  check_cuda(cudaDeviceSynchronize(), "wait for the device");
  for (std::int64_t const i :
       {std::int64_t{4}, std::int64_t{5}, std::int64_t{123'456}, last / 2, last - 1, last, n - 1}) {
    std::uint64_t got = 0;
    check_cuda(cudaMemcpy(&got, out.data() + i, sizeof got, cudaMemcpyDeviceToHost), "copy");
    auto const begin = static_cast<std::uint64_t>(i < 5 ? 0 : i < last ? 5 : last);
    EXPECT_EQ(got, sum_to(static_cast<std::uint64_t>(i) + 1) - sum_to(begin)) << i;
  }
}
TEST(cuda_segments, are_reduced_by_a_graph_that_is_replayed_among_other_calls) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({300'000})) {
    own_stream const stream;
    cuda_workspace workspace(stream.get(), 1 << 22);
    gpu const on{.stream = stream.get(), .workspace = &workspace};
    auto const x = elements_for<float>(n, 0);
    auto const offsets = power_law(n, 3);
    std::vector<float> want(offsets.size() - 1), scanned(n);
    upsweep::reduce_segments(x, offsets, want);
    upsweep::inclusive_scan(x, scanned);
    on_gpu<float> const in(x), out(want.size()), sums(n);
    on_gpu<std::uint64_t> const at(std::vector<std::uint64_t>(offsets.begin(), offsets.end()));
    recorded_calls const graph(stream.get(), [&] {
      upsweep::reduce_segments(on, in.input(), at.input(), out.span());
      upsweep::inclusive_scan(on, in.input(), sums.span());
    });
    graph.launch(stream.get(), replays(1000));
    stream.wait();
    EXPECT_TRUE(out.values() == want && sums.values() == scanned);
  }
}
TEST(cuda_segments, refuse_an_output_of_another_size) {
  UPSWEEP_NEEDS_A_GPU();
  on_gpu<float> const in(std::vector<float>{1, 2, 3}), out(3);
  on_gpu<int> const at(std::vector<int>{0, 2, 3}), none(0);
  EXPECT_THROW(upsweep::reduce_segments(gpu{}, in.input(), at.input(), out.span()),
               precondition_error);
  EXPECT_THROW(upsweep::reduce_segments(gpu{}, in.input(), none.input(), out.span()),
               precondition_error);
}

}  // namespace
}  // namespace upsweep::test
