/// top and quantile on a GPU: the bits of the CPU, for any order, in graphs and by iterators.
#include "sorts_on_gpu.cuh"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <vector>

namespace upsweep::test {
namespace {

template <class T, class Less>
void expect_top(std::vector<T> const& x, std::size_t room, Less less) {
  SCOPED_TRACE(testing::Message() << "n = " << x.size() << ", room for " << room);
  std::vector<T> want(room);
  std::size_t const count = upsweep::top(upsweep::cpu{}, x, want, less);
  on_gpu<T> const in(x), out(room);
  EXPECT_EQ(upsweep::top(gpu{}, in.input(), out.span(), less), count);
  auto got = out.values();
  got.resize(count);
  want.resize(count);
  expect_bits("top", got, want);
  expect_bits("the input", in.values(), x);
}
template <class T>
void expect_tops() {
  for (std::size_t const n : at_most_given({0, 1, 100, 5000, 131'071, 131'072, 700'001}))
    for (key_kind const kind : every_kind) {
      auto const x = keys_of_kind<T>(n, kind, 0);
      for (std::size_t const room :
           {std::size_t{0}, std::size_t{1}, std::size_t{100}, n / 8, n, n + 5})
        expect_top(x, room, descending{});
      expect_top(x, std::size_t{1000}, ascending{});
    }
}
TEST(cuda_top, has_the_first_numbers_of_the_processor) {
  UPSWEEP_NEEDS_A_GPU();
  expect_tops<float>();
  expect_tops<std::int64_t>();
  expect_tops<std::uint8_t>();
}
TEST(cuda_top, converts_the_first_numbers_and_reads_iterators) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1000, 1'000'000})) {
    auto const end = static_cast<std::int64_t>(n);
    std::ranges::subrange const rising(numbers(0), numbers(end));
    on_gpu<double> const out(10);
    EXPECT_EQ(upsweep::top(gpu{}, rising, out.span()), 10u);
    std::vector<double> want;
    for (std::int64_t i = 1; i <= 10; ++i) want.push_back(static_cast<double>(end - i));
    expect_bits("top", out.values(), want);
  }
}
TEST(cuda_top, has_the_first_numbers_in_a_graph) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({200'000})) {
    own_stream const stream;
    cuda_workspace workspace(stream.get(), 1 << 20);
    auto const x = keys_of_kind<float>(n, key_kind::random, 0);
    on_gpu<float> const in(x), out(100);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t runnable = nullptr;
    check_cuda(cudaDeviceSynchronize(), "wait for the device");
    check_cuda(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "capture");
    gpu const on{.stream = stream.get(), .workspace = &workspace};
    EXPECT_EQ(upsweep::top(on, in.input(), out.span()), 100u);
    check_cuda(cudaStreamEndCapture(stream.get(), &graph), "end the capture");
    check_cuda(cudaGraphInstantiate(&runnable, graph, 0), "instantiate the graph");
    for (int k = 0; k < 100; ++k) check_cuda(cudaGraphLaunch(runnable, stream.get()), "launch");
    stream.wait();
    std::vector<float> want(100);
    (void)upsweep::top(upsweep::cpu{}, x, want);
    expect_bits("top", out.values(), want);
    check_cuda(cudaGraphExecDestroy(runnable), "destroy the graph");
    check_cuda(cudaGraphDestroy(graph), "destroy the graph");
  }
}

template <class T>
void expect_quantiles() {
  for (std::size_t const n : at_most_given({1, 2, 1000, 300'001})) {
    auto x = keys_of_kind<T>(n, key_kind::few, 0);
    random_bits next(n);
    for (T& v : x) v = static_cast<T>(next() % 1000);
    on_gpu<T> const in(x);
    for (double const q : {0.0, 0.25, 0.5, 0.77, 1.0})
      EXPECT_EQ(upsweep::quantile(gpu{}, in.input(), q), upsweep::quantile(upsweep::cpu{}, x, q))
          << "n = " << n << ", q = " << q;
  }
}
TEST(cuda_top, has_the_quantiles_of_the_processor) {
  UPSWEEP_NEEDS_A_GPU();
  expect_quantiles<float>();
  expect_quantiles<std::int64_t>();
  std::vector<float> x(1000);
  x[77] = std::numeric_limits<float>::quiet_NaN();
  on_gpu<float> const in(x);
  double const found = upsweep::quantile(gpu{}, in.input(), 0.5);
  EXPECT_TRUE(found != found);
}

}  // namespace
}  // namespace upsweep::test
