/// What the suites of the contract do not cover: every pair of alignments, a thousand runs of each
/// kernel, concurrent streams and graphs, more than 2^32 elements, wrong devices, wrong pointers.
#include "endless.cuh"
#include "one_after_another.cuh"

#include <upsweep/axis.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

/// Counts in *wrong the elements of x whose bits differ from those of y.
__global__ void count_differences(float const* x, float const* y, std::size_t n,
                                  unsigned long long* wrong) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    if (__float_as_uint(x[i]) != __float_as_uint(y[i])) atomicAdd(wrong, 1ull);
}

std::vector<float> scanned(std::vector<float> const& x) {
  std::vector<float> want(x.size());
  upsweep::inclusive_scan(x, want);
  return want;
}

/// One scan and one reduction whose arrays start `in_offset` and `out_offset` elements after an
/// aligned address.
template <class T>
void expect_unaligned(std::size_t n, std::size_t in_offset, std::size_t out_offset) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", offsets " << in_offset << " and "
                                  << out_offset);
  auto const x = random_elements<T>(n);
  std::vector<T> want(n);
  upsweep::exclusive_scan(x, want);
  on_gpu<T> const in(x, in_offset), out(n, out_offset);
  upsweep::exclusive_scan(gpu{}, in.input(), out.span());
  expect_same(out.values(), want);
  expect_same(in.values(), x);
  EXPECT_TRUE(same_bits(upsweep::reduce(gpu{}, in.input()), upsweep::reduce(x)));
}

TEST(cuda_edges, every_pair_of_alignments_has_the_same_bits) {
  UPSWEEP_NEEDS_A_GPU();
  // One size for each kernel: a wave, the ring, and what is left to tickets.
  for (std::size_t const n : at_most_given({5000, 1000003, (std::size_t{1} << 23) + 5})) {
    for (std::size_t in = 0; in < 4; ++in)
      for (std::size_t out = 0; out < (n < 2000000 ? 4u : 2u); ++out)
        expect_unaligned<float>(n, in, out);
    for (std::size_t const in : {0u, 1u, 7u, 15u})
      for (std::size_t const out : {0u, 3u}) expect_unaligned<std::int16_t>(n, in, out);
    for (std::size_t in = 0; in < 2; ++in)
      for (std::size_t out = 0; out < 2; ++out) expect_unaligned<double>(n, in, out);
  }
}

TEST(cuda_edges, long_lines_with_gaps_have_the_bits_of_their_own_call) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(300007, most_elements()), columns = 3;
  auto const x = random_elements<float>(n * columns);
  std::vector<float> want(n * columns), totals(columns);
  auto const view = [&](auto* data) {
    return strided_view<std::remove_pointer_t<decltype(data)>>(data, {n, columns});
  };
  upsweep::inclusive_scan(view(x.data()), view(want.data()), plus{}, {.axis = 0});
  upsweep::reduce(view(x.data()), strided_view<float>(totals.data(), {columns}), plus{},
                  {.axis = 0});
  on_gpu<float> const in(x), out(n * columns), got(columns);
  upsweep::inclusive_scan(gpu{}, view(in.data()), view(out.data()), plus{}, {.axis = 0});
  upsweep::reduce(gpu{}, view(in.data()), strided_view<float>(got.data(), {columns}), plus{},
                  {.axis = 0});
  expect_same(out.values(), want);
  expect_same(got.values(), totals);
}

TEST(cuda_edges, a_thousand_runs_of_each_kernel_have_the_same_bits) {
  UPSWEEP_NEEDS_A_GPU();
  int const runs = most_elements() == ~std::size_t{0} ? 1000 : 10;
  on_gpu<unsigned long long> const wrong(std::vector<unsigned long long>{0});
  for (std::size_t const n : at_most_given({1, 5000, 300007, (std::size_t{1} << 22) + 77})) {
    auto const x = random_elements<float>(n);
    auto const want = scanned(x);
    on_gpu<float> const in(x), right(want), out(n);
    for (bool const in_order : {true, false}) {
      for (int run = 0; run < runs; ++run) {
        check_cuda(cudaMemsetAsync(out.data(), 0xa5, n * sizeof(float)), "poison an output");
        upsweep::inclusive_scan(gpu{.blocks_start_in_order = in_order}, in.input(), out.span());
        count_differences<<<264, 256>>>(out.data(), right.data(), n, wrong.data());
        check_cuda(cudaGetLastError(), "compare");
      }
      EXPECT_EQ(wrong.values().front(), 0u) << "n = " << n << (in_order ? "" : ", by tickets");
    }
    for (int run = 0; run < runs / 10; ++run)
      ASSERT_TRUE(same_bits(upsweep::reduce(gpu{}, in.input()), want.back())) << run;
  }
}

TEST(cuda_edges, two_streams_filled_by_one_thread_do_not_disturb_each_other) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most((std::size_t{1} << 22) + 5, most_elements()),
                    m = detail::at_most(70001, most_elements());
  auto const x = random_elements<float>(n);
  auto const y = random_elements<double>(m);
  std::vector<double> want_y(m);
  upsweep::exclusive_scan(y, want_y);
  on_gpu<float> const in_x(x), out_x(n), total_x(1);
  on_gpu<double> const in_y(y), out_y(m), total_y(1);
  own_stream const one, two;
  for (int run = 0; run < 100; ++run) {
    upsweep::inclusive_scan(gpu{one.get()}, in_x.input(), out_x.span());
    upsweep::exclusive_scan(gpu{two.get()}, in_y.input(), out_y.span());
    reduce_into(gpu{one.get()}, in_x.input(), total_x.data());
    reduce_into(gpu{two.get()}, in_y.input(), total_y.data());
  }
  expect_same(out_x.values(), scanned(x));
  expect_same(out_y.values(), want_y);
  expect_same(total_x.values(), {upsweep::reduce(x)});
  expect_same(total_y.values(), {upsweep::reduce(y)});
}

TEST(cuda_edges, a_call_that_starts_early_sees_what_those_before_it_have_done) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const offset : {0u, 1u}) expect_one_after_another(plus{}, offset);
}

TEST(cuda_edges, a_replayed_graph_sees_new_elements) {
  UPSWEEP_NEEDS_A_GPU();
  own_stream const recorder, player;
  for (std::size_t const n : at_most_given({1000, 100003, (std::size_t{1} << 22) + 3})) {
    on_gpu<float> const in(n), out(n), total(1);
    cuda_workspace workspace(recorder.get(), std::size_t{1} << 20);
    gpu const on{recorder.get(), &workspace};
    recorder.wait();
    recorded_calls const graph(recorder.get(), [&] {
      upsweep::inclusive_scan(on, in.input(), out.span());
      upsweep::exclusive_scan(on, out.input(), out.span(), upsweep::max{},
                              {.initial = -1e30f});  // in place, after it
      reduce_into(on, in.input(), total.data());
    });
    for (std::uint64_t run = 0; run < 20; ++run) {
      auto const x = random_elements<float>(n, test_seed() + run);
      auto want = scanned(x);
      upsweep::exclusive_scan(want, want, upsweep::max{}, {.initial = -1e30f});
      check_cuda(cudaMemcpyAsync(in.data(), x.data(), n * sizeof(float), cudaMemcpyHostToDevice,
                                 player.get()),
                 "copy test data");
      graph.launch(player.get());
      player.wait();
      expect_same(out.values(), want);
      expect_same(total.values(), {upsweep::reduce(x)});
      if (HasFailure()) break;
    }
  }
}

/// ---- more than 2^32 elements, without memory for them where possible

constexpr std::uint64_t huge = (std::uint64_t{1} << 32) + 1234567;

TEST(cuda_edges, reduces_more_than_2_to_the_32_ones_in_the_tree) {
  UPSWEEP_NEEDS_A_GPU();
  if (most_elements() < huge) GTEST_SKIP() << "UPSWEEP_GPU_MOST";
  std::ranges::subrange const range(numbers(0), numbers(huge));
  EXPECT_TRUE(same_bits(upsweep::transform_reduce(gpu{}, range, one{}), prefix_of_ones(huge)));
  EXPECT_TRUE(same_bits(upsweep::transform_reduce(gpu{}, range, one{}, plus{}, {.reverse = true}),
                        prefix_of_ones(huge)));
}
TEST(cuda_edges, scans_more_than_2_to_the_32_numbers) {
  UPSWEEP_NEEDS_A_GPU();
  if (most_elements() < huge) GTEST_SKIP() << "UPSWEEP_GPU_MOST";
  on_gpu<unsigned long long> const wrong(std::vector<unsigned long long>{0, 0});
  std::ranges::subrange const range(numbers(0), numbers(huge));
  using sums = compared<std::uint64_t, triangle>;
  upsweep::inclusive_scan(gpu{}, range,
                          std::ranges::subrange(sums(0, wrong.data()), sums(huge, wrong.data())));
  EXPECT_EQ(wrong.values(), (std::vector<unsigned long long>{0, huge}))
      << "wrong ones, and all that were stored";
}
TEST(cuda_edges, scans_more_than_2_to_the_32_ones_in_the_tree) {
  UPSWEEP_NEEDS_A_GPU();
  if (most_elements() < huge) GTEST_SKIP() << "UPSWEEP_GPU_MOST";
  on_gpu<unsigned long long> const wrong(std::vector<unsigned long long>{0, 0});
  std::ranges::subrange const range(numbers(0), numbers(huge));
  using sums = compared<float, prefix_at>;
  upsweep::transform_inclusive_scan(
      gpu{}, range, std::ranges::subrange(sums(0, wrong.data()), sums(huge, wrong.data())), one{});
  EXPECT_EQ(wrong.values(), (std::vector<unsigned long long>{0, huge}))
      << "wrong ones, and all that were stored";
}

__global__ void count_bytes_that_do_not_count(unsigned char const* x, std::size_t n,
                                              unsigned long long* wrong) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    if (x[i] != static_cast<unsigned char>(i + 1)) atomicAdd(wrong, 1ull);
}
TEST(cuda_edges, scans_more_than_2_to_the_32_bytes_of_memory_in_place) {
  UPSWEEP_NEEDS_A_GPU();
  if (most_elements() < huge) GTEST_SKIP() << "UPSWEEP_GPU_MOST";
  std::size_t free = 0, all = 0;
  check_cuda(cudaMemGetInfo(&free, &all), "ask for free memory");
  if (free < huge + (std::size_t{1} << 30))
    GTEST_SKIP() << "the card has " << free << " bytes left";
  device_memory const memory(huge);
  auto* const x = reinterpret_cast<std::uint8_t*>(memory.data());
  check_cuda(cudaMemset(x, 1, huge), "make test data");
  on_gpu<unsigned long long> const wrong(std::vector<unsigned long long>{0});
  EXPECT_EQ(upsweep::reduce(gpu{}, std::span<std::uint8_t const>(x, huge)), huge);
  upsweep::inclusive_scan(gpu{}, std::span<std::uint8_t const>(x, huge),
                          std::span<std::uint8_t>(x, huge));
  count_bytes_that_do_not_count<<<1024, 256>>>(x, huge, wrong.data());
  check_cuda(cudaGetLastError(), "compare");
  EXPECT_EQ(wrong.values().front(), 0u);
}

/// ---- what goes wrong

TEST(cuda_edges, workspaces_of_streams_that_are_gone_can_be_released) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = 100003;
  auto const x = random_elements<float>(n);
  on_gpu<float> const in(x), out(n);
  cudaMemPool_t pool;
  check_cuda(cudaDeviceGetDefaultMemPool(&pool, 0), "find the memory pool");
  auto const used = [&] {
    std::uint64_t bytes = 0;
    check_cuda(cudaDeviceSynchronize(), "wait for the device");
    check_cuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes),
               "ask the memory pool");
    return bytes;
  };
  release_cuda_workspaces();
  auto const before = used();
  for (int i = 0; i < 10; ++i) {
    own_stream const stream;
    upsweep::inclusive_scan(gpu{stream.get()}, in.input(), out.span());
    stream.wait();
  }
  EXPECT_GT(used(), before);
  release_cuda_workspaces();
  EXPECT_EQ(used(), before);
  for (int i = 0; i < 10; ++i) {
    own_stream const stream;
    upsweep::inclusive_scan(gpu{stream.get()}, in.input(), out.span());
    release_cuda_workspaces(stream.get());
  }
  EXPECT_EQ(used(), before);
  expect_same(out.values(), scanned(x));
  upsweep::inclusive_scan(gpu{}, in.input(), out.span());
  expect_same(out.values(), scanned(x));
}

TEST(cuda_edges, a_stream_of_another_device_is_reported) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2)
    GTEST_SKIP() << "there are no two GPUs here";
  check_cuda(cudaSetDevice(1), "make device 1 current");
  auto other = std::make_unique<own_stream>();
  check_cuda(cudaSetDevice(0), "make device 0 current");
  auto const x = random_elements<float>(5000);
  on_gpu<float> const in(x), out(5000);
  try {
    upsweep::inclusive_scan(gpu{other->get()}, in.input(), out.span());
    FAIL() << "it worked";
  } catch (cuda_error const& e) {
    EXPECT_NE(std::string(e.what()).find("does the stream belong to the current device?"),
              std::string::npos)
        << e.what();
  }
  upsweep::inclusive_scan(gpu{}, in.input(), out.span());
  expect_same(out.values(), scanned(x));
  check_cuda(cudaSetDevice(1), "make device 1 current");
  {
    on_gpu<float> const in_there(x), out_there(5000);
    upsweep::inclusive_scan(gpu{other->get()}, in_there.input(), out_there.span());
    expect_same(out_there.values(), scanned(x));
  }
  other.reset();
  check_cuda(cudaSetDevice(0), "make device 0 current");
}

/// A program that passes an invalid address: 0 if every call reports it, and the CPU still
/// works.
int lives_with_a_wrong_pointer() {
  auto const x = random_elements<float>(5000);
  on_gpu<float> const in(x), out(5000);
  auto* const nobody = reinterpret_cast<float*>(std::uintptr_t{1} << 12);
  auto says = [](char const* what, auto const& call) {
    try {
      call();
    } catch (cuda_error const& e) {
      std::fprintf(stderr, "%s: %s\n", what, e.what());
      return std::string(e.what()).find("cuda: cannot ") == 0;
    }
    std::fprintf(stderr, "%s: no exception\n", what);
    return false;
  };
  bool right =
      says("reduce", [&] { (void)upsweep::reduce(gpu{}, std::span<float const>(nobody, 5000)); });
  right = says("then reduce", [&] { (void)upsweep::reduce(gpu{}, in.input()); }) && right;
  right = says("then inclusive_scan",
               [&] { upsweep::inclusive_scan(gpu{}, in.input(), out.span()); }) &&
          right;
  right = same_bits(upsweep::reduce(x), scanned(x).back()) && right;
  release_cuda_workspaces();
  return right ? 0 : 1;
}
TEST(cuda_edges, after_a_wrong_pointer_every_call_says_so_and_the_processor_works) {
  UPSWEEP_NEEDS_A_GPU();
  if (most_elements() != ~std::size_t{0})
    GTEST_SKIP() << "UPSWEEP_GPU_MOST: a sanitizer would report what is meant to happen";
  GTEST_FLAG_SET(death_test_style,
                 "threadsafe");  // in a process of its own, which starts from the beginning
  EXPECT_EXIT(std::_Exit(lives_with_a_wrong_pointer()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace upsweep::test
