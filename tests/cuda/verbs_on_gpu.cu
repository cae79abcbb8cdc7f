/// The verbs on a GPU: the bits of the CPU at every size, for precompiled types and operators
/// and for user-defined ones.
#include "on_gpu.cuh"

#include <upsweep/axis.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/upsweep.hpp>

#include <thrust/iterator/counting_iterator.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

namespace upsweep::test {
namespace {

/// Sixteen bytes, not commutative and user-defined: 2x2 matrices of 32-bit integers.
struct matrix {
  std::uint32_t a, b, c, d;
  friend bool operator==(matrix const&, matrix const&) = default;
  static matrix random(random_bits& next) {
    auto const x = next(), y = next();
    return {static_cast<std::uint32_t>(x) | 1u, static_cast<std::uint32_t>(x >> 32),
            static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(y >> 32) | 1u};
  }
};
struct multiply_matrices {
  static constexpr bool exact = true;
  __host__ __device__ matrix identity() const { return {1, 0, 0, 1}; }
  __host__ __device__ matrix operator()(matrix const& x, matrix const& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
            x.c * y.b + x.d * y.d};
  }
};
/// Twelve bytes without an identity: concatenation, represented by its two ends and a sum.
struct joined {
  std::int32_t first, last, sum;
  friend bool operator==(joined const&, joined const&) = default;
  static joined random(random_bits& next) {
    auto const x = static_cast<std::int32_t>(next());
    return {x, x, x >> 8};
  }
};
struct join {
  __host__ __device__ joined operator()(joined const& x, joined const& y) const {
    return {x.first, y.last,
            static_cast<std::int32_t>(static_cast<std::uint32_t>(x.sum) * 31u +
                                      static_cast<std::uint32_t>(y.sum))};
  }
};
struct square {
  __host__ __device__ double operator()(float v) const { return double{v} * double{v}; }
};
template <class T, class U = T, class Op>
void expect_verbs(std::size_t n, Op const& op, std::size_t offset = 0) {
  using A = accumulator_t<Op, T>;
  SCOPED_TRACE(testing::Message() << "n = " << n << ", " << seed_note());
  auto const x = elements<T>(n);
  on_gpu<T> const in(x, offset);
  on_gpu<U> const out(n, offset);
  std::vector<U> want(n);
  upsweep::inclusive_scan(x, want, op);
  upsweep::inclusive_scan(gpu{}, in.input(), out.span(), op);
  expect_same(out.values(), want);
  if constexpr (monoid_over<Op, A>) {
    upsweep::exclusive_scan(x, want, op);
    upsweep::exclusive_scan(gpu{}, in.input(), out.span(), op);
    expect_same(out.values(), want);
  }
  if (n == 0) return;
  EXPECT_TRUE(same_bits(upsweep::reduce(gpu{}, in.input(), op), upsweep::reduce(x, op)))
      << "reduce";
}

template <class T, class Op>
void expect_everywhere(Op const& op) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : edge_sizes()) expect_verbs<T>(n, op);
}

TEST(cuda, sums_of_float_have_the_bits_of_the_processor) {
  expect_everywhere<float>(plus{});
}
TEST(cuda, sums_of_double_have_the_bits_of_the_processor) {
  expect_everywhere<double>(plus{});
}
TEST(cuda, sums_of_integers_agree) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : edge_sizes()) {
    expect_verbs<std::int8_t>(n, plus{});
    expect_verbs<std::uint8_t>(n, plus{});
    expect_verbs<std::int16_t>(n, plus{});
    expect_verbs<std::int32_t>(n, plus{});
    expect_verbs<std::int64_t>(n, plus{});
    expect_verbs<std::uint8_t, std::int64_t>(n, plus{});
  }
}
TEST(cuda, sums_of_bfloat16_combine_in_float) {
  expect_everywhere<bfloat16>(plus{});
}
TEST(cuda, sums_of_complex_numbers_have_the_bits_of_the_processor) {
  expect_everywhere<std::complex<float>>(plus{});
  expect_everywhere<std::complex<double>>(plus{});
}
TEST(cuda, extrema_have_the_bits_of_the_processor) {
  expect_everywhere<float>(upsweep::max{});
  expect_everywhere<double>(upsweep::min{});
}
TEST(cuda, products_have_the_bits_of_the_processor) {
  expect_everywhere<float>(multiplies{});
}
TEST(cuda, recurrences_keep_their_order) {
  expect_everywhere<affine_map<float>>(affine{});
  expect_everywhere<affine_map<double>>(affine{});
}
TEST(cuda, operators_of_users_keep_their_order) {
  expect_everywhere<matrix>(multiply_matrices{});
  expect_everywhere<joined>(join{});
}

TEST(cuda, takes_memory_that_is_not_aligned) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1, 1000, 4097, 100003, 3000001})) {
    expect_verbs<float>(n, plus{}, 1);
    expect_verbs<std::uint8_t>(n, plus{}, 3);
    expect_verbs<double>(n, plus{}, 1);
  }
}
TEST(cuda, scans_in_place_from_the_end_and_with_an_initial_value) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1, 33, 4096, 100003, 3000001})) {
    auto const x = elements<float>(n);
    std::vector<float> want(n);
    on_gpu<float> const data(x);
    upsweep::inclusive_scan(x, want, plus{}, {.initial = 0.1f});
    upsweep::inclusive_scan(gpu{}, data.input(), data.span(), plus{}, {.initial = 0.1f});
    expect_same(data.values(), want);
    on_gpu<float> const in(x);
    upsweep::exclusive_scan(x, want, plus{}, {.initial = 0.1f, .reverse = true});
    upsweep::exclusive_scan(gpu{}, in.input(), data.span(), plus{},
                            {.initial = 0.1f, .reverse = true});
    expect_same(data.values(), want);
    EXPECT_TRUE(
        same_bits(upsweep::reduce(gpu{}, in.input(), plus{}, {.initial = 0.1f, .reverse = true}),
                  upsweep::reduce(x, plus{}, {.initial = 0.1f, .reverse = true})));
  }
}
TEST(cuda, applies_a_function_to_the_elements) {
  UPSWEEP_NEEDS_A_GPU();
  square const f{};
  for (std::size_t const n : at_most_given({1, 5000, 3000001})) {
    auto const x = elements<float>(n);
    on_gpu<float> const in(x);
    on_gpu<double> const out(n);
    std::vector<double> want(n);
    upsweep::transform_inclusive_scan(x, want, f);
    upsweep::transform_inclusive_scan(gpu{}, in.input(), out.span(), f);
    expect_same(out.values(), want);
    EXPECT_TRUE(same_bits(upsweep::transform_reduce(gpu{}, in.input(), f),
                          upsweep::transform_reduce(x, f)));
  }
}
struct product {
  __host__ __device__ float operator()(float a, float b) const { return a * b; }
};
TEST(cuda, applies_a_function_to_two_inputs) {
  UPSWEEP_NEEDS_A_GPU();
  product const f{};
  for (std::size_t const n : at_most_given({1, 5000, 3000001})) {
    auto const x = elements<float>(n);
    std::vector<float> const y(x.rbegin(), x.rend());
    on_gpu<float> const first(x), second(y), out(n), result(1);
    std::vector<float> want(n);
    upsweep::transform_inclusive_scan(x, y, want, f, plus{}, {.initial = 0.1f, .reverse = true});
    upsweep::transform_inclusive_scan(gpu{}, first.input(), second.input(), out.span(), f, plus{},
                                      {.initial = 0.1f, .reverse = true});
    expect_same(out.values(), want);
    float const total = upsweep::transform_reduce(x, y, f);
    EXPECT_TRUE(
        same_bits(upsweep::transform_reduce(gpu{}, first.input(), second.input(), f), total));
    upsweep::transform_reduce_into(gpu{}, first.input(), second.input(), result.data(), f);
    expect_same(result.values(), {total});
    upsweep::transform_exclusive_scan(x, y, want, f);
    upsweep::transform_exclusive_scan(gpu{}, first.input(), second.input(), second.span(), f);
    expect_same(second.values(), want);  // in place
  }
}
TEST(cuda, stores_a_result_on_the_device) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({0, 1, 5000, 3000001})) {
    auto const x = elements<double>(n);
    on_gpu<double> const in(x), out(1);
    upsweep::reduce_into(gpu{}, in.input(), out.data(), plus{}, {.initial = 0.1});
    expect_same(out.values(), {upsweep::reduce(x, plus{}, {.initial = 0.1})});
  }
}
TEST(cuda, works_along_every_axis) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const rows = 37, columns = 1031;
  auto const x = elements<float>(rows * columns);
  on_gpu<float> const in(x), out(rows * columns);
  for (int const axis : {0, 1}) {
    std::vector<float> want(rows * columns);
    upsweep::inclusive_scan(strided_view<float const>(x.data(), {rows, columns}),
                            strided_view<float>(want.data(), {rows, columns}), plus{},
                            {.axis = axis});
    upsweep::inclusive_scan(gpu{}, strided_view<float const>(in.data(), {rows, columns}),
                            strided_view<float>(out.data(), {rows, columns}), plus{},
                            {.axis = axis});
    expect_same(out.values(), want);
    std::size_t const kept = axis == 0 ? columns : rows;
    std::vector<float> totals(kept);
    on_gpu<float> const got(kept);
    upsweep::reduce(strided_view<float const>(x.data(), {rows, columns}),
                    strided_view<float>(totals.data(), {kept}), plus{}, {.axis = axis});
    upsweep::reduce(gpu{}, strided_view<float const>(in.data(), {rows, columns}),
                    strided_view<float>(got.data(), {kept}), plus{}, {.axis = axis});
    expect_same(got.values(), totals);
  }
}
TEST(cuda, takes_iterators_and_more_than_2_to_the_32_elements) {
  UPSWEEP_NEEDS_A_GPU();
  if (most_elements() < std::size_t{1} << 33) GTEST_SKIP() << "UPSWEEP_GPU_MOST";
  std::uint64_t const n = (std::uint64_t{1} << 33) + 12345;
  thrust::counting_iterator<std::uint64_t> const numbers(0);
  std::ranges::subrange const range(numbers, numbers + static_cast<std::int64_t>(n));
  EXPECT_EQ(upsweep::reduce(gpu{}, range), n / 2 * (n - 1) + (n % 2) * ((n - 1) / 2));
}

TEST(cuda, works_without_an_order_of_blocks) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1, 5000, 100003, 1 << 20})) {
    auto const x = elements<float>(n);
    on_gpu<float> const in(x), out(n);
    std::vector<float> want(n);
    upsweep::inclusive_scan(x, want);
    upsweep::inclusive_scan(gpu{.blocks_start_in_order = false}, in.input(), out.span());
    expect_same(out.values(), want);
  }
}
TEST(cuda, plans_say_what_a_call_will_do) {
  cuda_device const h200;  // as it is by default
  EXPECT_EQ(plan_scan<float>(1000, h200).algorithm, cuda_algorithm::scan_wave);
  EXPECT_EQ(plan_scan<float>(std::size_t{1} << 28, h200).algorithm, cuda_algorithm::scan_ring);
  EXPECT_EQ(plan_scan<float>(0, h200).launches, 0u);
  cuda_plan const large = plan_scan<float>(std::size_t{1} << 28, h200);
  EXPECT_EQ(large.traffic_bytes, std::size_t{1} << 31);
  EXPECT_EQ(large.launches, 1u);
  EXPECT_EQ(large.threads, 576u);
  EXPECT_LE(large.shared_bytes, h200.shared_bytes);
  cuda_device small = h200;  // the workspace does not depend on the device
  small.multiprocessors = 16;
  small.shared_bytes = 65536;
  for (std::size_t n = 1; n < std::size_t{1} << 30; n = 2 * n + 1) {
    EXPECT_EQ(plan_scan<float>(n, small).workspace_bytes, plan_scan<float>(n, h200).workspace_bytes)
        << n;
    EXPECT_EQ(plan_reduce<double>(n, small).workspace_bytes,
              plan_reduce<double>(n, h200).workspace_bytes)
        << n;
  }
}

TEST(cuda, gives_the_same_bits_a_thousand_times) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most((std::size_t{1} << 20) + 77, most_elements());
  int const runs = most_elements() < n + 1 ? 10 : 1000;
  auto const x = elements<float>(n);
  on_gpu<float> const in(x), out(n);
  std::vector<float> want(n);
  upsweep::inclusive_scan(x, want);
  for (int run = 0; run < runs; ++run) upsweep::inclusive_scan(gpu{}, in.input(), out.span());
  expect_same(out.values(), want);
  for (int run = 0; run < runs; ++run)
    ASSERT_TRUE(same_bits(upsweep::reduce(gpu{}, in.input()), want.back())) << "run " << run;
}
TEST(cuda, two_streams_and_two_threads_do_not_disturb_each_other) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most((std::size_t{1} << 22) + 5, most_elements());
  auto const x = elements<float>(n);
  std::vector<float> want(n);
  upsweep::inclusive_scan(x, want);
  auto work = [&] {
    cudaStream_t stream;
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
    on_gpu<float> const in(x), out(n);
    for (int run = 0; run < 20; ++run) {
      upsweep::inclusive_scan(gpu{stream}, in.input(), out.span());
      EXPECT_TRUE(same_bits(upsweep::reduce(gpu{stream}, in.input()), want.back()));
    }
    expect_same(out.values(), want);
    check_cuda(cudaStreamDestroy(stream), "destroy a stream");
  };
  std::thread one(work), two(work);
  one.join();
  two.join();
}
TEST(cuda, can_be_captured_in_a_graph_with_and_without_a_workspace) {
  UPSWEEP_NEEDS_A_GPU();
  cudaStream_t stream;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
  std::size_t const n = detail::at_most(3000001, most_elements());
  auto const x = elements<float>(n);
  on_gpu<float> const in(x), out(n), total(1);
  std::vector<float> want(n);
  upsweep::inclusive_scan(x, want);
  cuda_workspace workspace(stream, std::size_t{1} << 20);
  for (cuda_workspace* given : {&workspace, static_cast<cuda_workspace*>(nullptr)}) {
    gpu const on{stream, given};
    recorded_calls const graph(stream, [&] {
      upsweep::inclusive_scan(on, in.input(), out.span());
      upsweep::reduce_into(on, in.input(), total.data());
    });
    graph.launch(stream, 5);
    expect_same(out.values(), want);
    expect_same(total.values(), {want.back()});
  }
  check_cuda(cudaStreamSynchronize(stream), "wait");
}
TEST(cuda, reports_a_workspace_that_is_too_small_and_continues) {
  UPSWEEP_NEEDS_A_GPU();
  on_gpu<float> const in(elements<float>(100000)), out(100000);
  on_gpu<double> const memory(4);
  cuda_workspace small(nullptr, memory.data(), 32);
  try {
    upsweep::inclusive_scan(gpu{nullptr, &small}, in.input(), out.span());
    FAIL() << "32 bytes were enough";
  } catch (precondition_error const& e) {
    EXPECT_NE(std::string(e.what()).find("but the workspace has 32"), std::string::npos)
        << e.what();
  }
  try {
    cuda_workspace const impossible(nullptr, std::size_t{1} << 50);
    FAIL() << "a petabyte was there";
  } catch (cuda_error const& e) {
    EXPECT_NE(std::string(e.what()).find("allocate a workspace"), std::string::npos) << e.what();
  }
  expect_verbs<float>(5000, plus{});
}

TEST(cuda, without_a_gpu_it_says_so_in_a_sentence) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) GTEST_SKIP() << "there is a GPU";
  std::vector<float> x(10, 1.0f);
  try {
    (void)upsweep::reduce(gpu{}, x);
    FAIL() << "it found something to run on";
  } catch (cuda_error const& e) {
    EXPECT_NE(std::string(e.what()).find("no NVIDIA GPU"), std::string::npos) << e.what();
  }
  EXPECT_EQ(upsweep::reduce(x), 10.0f);
}

}  // namespace
}  // namespace upsweep::test
