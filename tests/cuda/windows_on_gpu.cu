/// windowed on a GPU: the bits of the processor for every width, size and alignment, for operators
/// whose operands' order matters, for windows wider than a tile, and in graphs.
#include "endless.cuh"
#include "on_gpu.cuh"

#include <upsweep/cuda.cuh>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdint>
#include <optional>

namespace upsweep::test {
namespace {

/// The windows of `x`, whose memory begins `offset` elements behind an aligned address, are those
/// of the processor; nothing else is written.
template <class R, class T, class Op>
void expect_windows(std::vector<T> const& x, std::size_t width, Op const& op,
                    std::optional<accumulator_t<Op, T>> const& initial = {},
                    std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << "n = " << x.size() << ", width " << width << ", offset "
                                  << offset << ", " << seed_note());
  std::vector<R> want(x.size() < width ? 0 : x.size() - width + 1);
  upsweep::windowed(cpu{}, x, width, want, op, {.initial = initial});
  on_gpu<T> const in(x, offset);
  on_gpu<R> const out(want.size(), offset);
  upsweep::windowed(gpu{}, in.input(), width, out.span(), op, {.initial = initial});
  expect_same(out.values(), want);
}

TEST(cuda_windows, have_the_bits_of_the_processor_at_every_width) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t width = 1; width <= 130; ++width)
    expect_windows<float>(elements<float>(20'011), width, plus{});
  for (std::size_t const width : {255u, 256u, 257u, 1000u, 2047u, 2048u, 2049u, 4095u, 4096u, 4097u,
                                  8191u, 8192u, 20'010u, 20'011u, 20'012u, 30'000u}) {
    expect_windows<float>(elements<float>(20'011), width, plus{});
    expect_windows<double>(elements<double>(20'011), width, plus{});
  }
}
TEST(cuda_windows, have_them_at_every_size_and_alignment) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : edge_sizes())
    for (std::size_t const width : {3u, 100u})
      expect_windows<float>(elements<float>(n), width, plus{}, {}, n % 4);
}
TEST(cuda_windows, have_them_in_random_cases) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  for (int k = 0; k < 300; ++k) {
    std::size_t const n = 1 + next() % (k % 10 == 0 ? 1'000'000 : 40'000),
                      width = 1 + next() % (k % 3 == 0 ? n : 64), offset = next() % 4;
    std::optional<float> initial;
    if (k % 2 == 0) initial = 0.1f;
    expect_windows<float>(elements<float>(n), width, plus{}, initial, offset);
  }
}
TEST(cuda_windows, combine_elements_of_every_kind_in_order) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1, 31, 5000, 100'003}))
    for (std::size_t const width : {1u, 2u, 7u, 31u, 250u, 1500u, 4999u}) {
      expect_windows<std::int64_t>(elements<std::uint8_t>(n), width, plus{});
      expect_windows<std::uint8_t>(elements<std::uint8_t>(n), width, plus{});
      expect_windows<std::int16_t>(elements<std::int16_t>(n), width, max{});
      expect_windows<std::int64_t>(elements<std::int64_t>(n), width, bit_xor{});
      expect_windows<double>(elements<double>(n), width, min{});
      expect_windows<affine_map<float>>(elements<affine_map<float>>(n), width, affine{});
      expect_windows<affine_map<double>>(elements<affine_map<double>>(n), width, affine{});
    }
}
TEST(cuda_windows, extrema_order_zeros_and_nan) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  float const values[] = {0.0f, -0.0f, 1.0f, -1.0f, __builtin_nanf(""), __builtin_inff()};
  std::vector<float> x;
  for (int i = 0; i < 30'000; ++i) x.push_back(values[next() % (next() % 8 == 0 ? 6 : 4)]);
  for (std::size_t const width : {2u, 5u, 100u}) {
    expect_windows<float>(x, width, max{});
    expect_windows<float>(x, width, min{});
    expect_windows<float>(x, width, max_number{});
    expect_windows<float>(x, width, min_number{});
  }
}

/// 64 bytes, which do not commute.
struct sixteen {
  std::uint32_t w[16];
};
struct join_sixteen {
  constexpr sixteen operator()(sixteen const& l, sixteen const& r) const {
    sixteen x = l;
    for (int i = 1; i < 15; ++i) x.w[i] += r.w[i];
    x.w[15] = r.w[15];
    return x;
  }
};
TEST(cuda_windows, take_accumulators_of_64_bytes) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  std::vector<sixteen> x(3000);
  for (auto& element : x)
    for (auto& w : element.w) w = static_cast<std::uint32_t>(next());
  for (std::size_t const width : {1u, 3u, 255u, 256u, 257u, 1791u}) {
    std::vector<sixteen> want(x.size() - width + 1);
    upsweep::windowed(cpu{}, x, width, want, join_sixteen{});
    on_gpu<sixteen> const in(x), out(want.size());
    upsweep::windowed(gpu{}, in.input(), width, out.span(), join_sixteen{});
    auto const got = out.values();
    EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(sixteen)), 0) << width;
  }
}
struct nine_later {
  __host__ __device__ std::uint64_t operator()(std::uint64_t i) const { return i + 9; }
};
TEST(cuda_windows, reach_beyond_2_to_32_elements) {
  UPSWEEP_NEEDS_A_GPU();
  std::int64_t const n = (std::int64_t{1} << 32) + 77;
  using output = compared<std::uint64_t, nine_later>;
  on_gpu<unsigned long long> const wrong(std::vector<unsigned long long>{0, 0});
  std::ranges::subrange const in(numbers(0), numbers(n));
  std::ranges::subrange out(output(0, wrong.data()), output(n - 9, wrong.data()));
  upsweep::windowed(gpu{}, in, 10, out, max{});
  EXPECT_TRUE(wrong.values() ==
              (std::vector<unsigned long long>{0, static_cast<unsigned long long>(n - 9)}));
}
TEST(cuda_windows, are_the_same_when_a_graph_is_replayed) {
  UPSWEEP_NEEDS_A_GPU();
  auto const x = elements<float>(200'000);
  for (std::size_t const width : {100u, 10'000u}) {
    own_stream const stream;
    std::vector<float> want(x.size() - width + 1);
    upsweep::windowed(cpu{}, x, width, want);
    on_gpu<float> const in(x), out(want.size());
    gpu const on{.stream = stream.get()};
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t runnable = nullptr;
    check_cuda(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "capture");
    upsweep::windowed(on, in.input(), width, out.span());
    check_cuda(cudaStreamEndCapture(stream.get(), &graph), "end the capture");
    check_cuda(cudaGraphInstantiate(&runnable, graph, 0), "instantiate the graph");
    for (int k = 0; k < 20; ++k) check_cuda(cudaGraphLaunch(runnable, stream.get()), "launch");
    stream.wait();
    check_cuda(cudaGraphExecDestroy(runnable), "destroy the graph");
    check_cuda(cudaGraphDestroy(graph), "destroy the graph");
    expect_same(out.values(), want);
  }
}
TEST(cuda_windows, refuse_wrong_sizes) {
  UPSWEEP_NEEDS_A_GPU();
  on_gpu<float> const in(elements<float>(100)), out(91);
  EXPECT_THROW(upsweep::windowed(gpu{}, in.input(), 0, out.span()), precondition_error);
  EXPECT_THROW(upsweep::windowed(gpu{}, in.input(), 11, out.span()), precondition_error);
}

}  // namespace
}  // namespace upsweep::test
