/// sort, sort_by_key and argsort on a GPU: the bits and the positions of the CPU at every
/// edge and alignment, in random cases, with lengths that stay on the device, in graphs, and for
/// more than 2^32 elements.
#include "sorts_on_gpu.cuh"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

TEST(cuda_sort, has_the_processors_bits_of_4_byte_numbers_at_every_edge) {
  UPSWEEP_NEEDS_A_GPU();
  expect_at_edges<std::int32_t>();
  expect_at_edges<std::uint32_t>();
  expect_at_edges<float>();
}
TEST(cuda_sort, has_the_processors_bits_of_8_byte_numbers_at_every_edge) {
  UPSWEEP_NEEDS_A_GPU();
  expect_at_edges<std::int64_t>();
  expect_at_edges<std::uint64_t>();
  expect_at_edges<double>();
}

template <class T>
void expect_random_case(random_bits& next, std::uint64_t k) {
  std::size_t const n = next() % (k % 10 == 0  ? 300'000
                                  : k % 2 == 0 ? 20'000
                                               : 5'000),
                    offset = next() % 4;
  auto const x = keys_of_kind<T>(n, every_kind[next() % every_kind.size()], k);
  if (n > most_elements()) return;
  if (next() % 2 == 0)
    expect_as_processor(x, offset, ascending{});
  else
    expect_as_processor(x, offset, descending{});
}
TEST(cuda_sort, has_them_in_random_cases) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  for (std::uint64_t k = 0; k < random_cases(120); ++k) {
    expect_random_case<float>(next, k);
    expect_random_case<double>(next, k);
    expect_random_case<std::int32_t>(next, k);
    expect_random_case<std::uint64_t>(next, k);
  }
}

/// `order` that is neither 4 nor 8 bytes wide, and input by an iterator.
TEST(cuda_sort, reads_iterators_and_stores_narrow_positions) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({5, 30'000})) {
    std::ranges::subrange const rising(numbers(0), numbers(static_cast<std::int64_t>(n)));
    on_gpu<std::uint16_t> const order(n);
    upsweep::argsort(gpu{}, rising, order.span(), descending{});
    auto want = positions<std::uint16_t>(n);
    std::ranges::reverse(want);
    expect_bits("argsort", order.values(), want);
  }
}

/// What is after the length keeps its position.
template <class T, class Less>
void expect_up_to(std::size_t n, std::uint64_t length, Less less) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", length " << length);
  auto const x = keys_of_kind<T>(n, key_kind::zeros, length);
  std::size_t const count = length < n ? length : n;
  std::vector<T> want(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<std::uint32_t> order(count);
  upsweep::argsort(upsweep::cpu{}, want, order, less);
  upsweep::sort(upsweep::cpu{}, want, less);
  want.insert(want.end(), x.begin() + static_cast<std::ptrdiff_t>(count), x.end());
  on_gpu<std::uint64_t> const given(std::vector<std::uint64_t>{length});
  gpu const on{.length_from = given.data()};
  on_gpu<T> const keys(x), pair_keys(x), in(x);
  on_gpu<std::uint32_t> const values(positions<std::uint32_t>(n)), places(n);
  upsweep::sort(on, keys.span(), less);
  upsweep::argsort(on, in.input(), places.span(), less);
  upsweep::sort_by_key(on, pair_keys.span(), values.span(), less);
  expect_bits("sort", keys.values(), want);
  expect_bits("sort_by_key", pair_keys.values(), want);
  expect_bits("the input of argsort", in.values(), x);
  auto found = places.values();
  found.resize(count);
  expect_bits("argsort", found, order);
  for (std::size_t i = count; i < n; ++i) order.push_back(static_cast<std::uint32_t>(i));
  expect_bits("values", values.values(), order);
}
TEST(cuda_sort, sorts_as_many_as_the_device_says) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({2, 512, 1500, 4096, 5000, 300'000}))
    for (std::uint64_t const length : {std::size_t{0}, std::size_t{1}, n / 3, n - 1, n, n + 9}) {
      expect_up_to<float>(n, length, ascending{});
      expect_up_to<double>(n, length, descending{});
      expect_up_to<std::int32_t>(n, length, descending{});
    }
}

/// Runs the calls on another stream, recorded in a graph, on new elements each time.
TEST(cuda_sort, sorts_in_a_graph_that_is_replayed) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({300, 4000, 300'000})) {
    own_stream const stream;
    gpu const on{.stream = stream.get()};
    auto const x = keys_of_kind<float>(n, key_kind::zeros, 0);
    on_gpu<float> const work(x), other(x);
    on_gpu<std::uint32_t> const order(n), values(n);
    recorded_calls const graph(stream.get(), [&] {
      upsweep::argsort(on, work.input(), order.span());
      upsweep::sort_by_key(on, other.span(), values.span(), descending{});
      upsweep::sort(on, work.span());
    });
    for (std::uint64_t k = 0; k < 5; ++k) {
      auto const y = keys_of_kind<float>(n, key_kind::zeros, k);
      auto const all = positions<std::uint32_t>(n);
      for (float* const to : {work.data(), other.data()})
        check_cuda(cudaMemcpy(to, y.data(), n * sizeof(float), cudaMemcpyHostToDevice), "copy");
      check_cuda(cudaMemcpy(values.data(), all.data(), n * 4, cudaMemcpyHostToDevice), "copy");
      check_cuda(cudaDeviceSynchronize(), "wait for the copies");
      graph.launch(stream.get());
      stream.wait();
      auto rises = y, falls = y;
      std::vector<std::uint32_t> rising(n), falling(n);
      upsweep::argsort(upsweep::cpu{}, y, rising);
      upsweep::argsort(upsweep::cpu{}, y, falling, descending{});
      upsweep::sort(upsweep::cpu{}, rises);
      upsweep::sort(upsweep::cpu{}, falls, descending{});
      expect_bits("sort", work.values(), rises);
      expect_bits("argsort", order.values(), rising);
      expect_bits("sort_by_key", other.values(), falls);
      expect_bits("values", values.values(), falling);
    }
  }
}

TEST(cuda_sort, refuses_values_of_another_size_and_overlaps) {
  UPSWEEP_NEEDS_A_GPU();
  on_gpu<float> const x(std::vector<float>(10));
  on_gpu<std::uint32_t> const values(9);
  EXPECT_THROW(upsweep::sort_by_key(gpu{}, x.span(), values.span()), precondition_error);
  EXPECT_THROW(upsweep::sort_by_key(gpu{}, x.span(), x.span()), precondition_error);
  EXPECT_THROW(upsweep::argsort(gpu{}, x.input(), values.span()), precondition_error);
}

constexpr std::uint64_t residues = 65521;
__global__ void store_residues(std::uint16_t* x, std::size_t n) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    x[i] = static_cast<std::uint16_t>(i * 7919 % residues);
}
/// Counts the elements that are not the i-th smallest of those, where each is there equally often.
__global__ void count_wrong(std::uint16_t const* x, std::size_t n, unsigned long long* wrong) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x, each = n / residues;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    if (x[i] != i / each) atomicAdd(wrong, 1ull);
}
TEST(cuda_sort, sorts_more_than_2_to_32_elements) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = ((std::size_t{1} << 32) / residues + 2) * residues;
  if (at_most_given({n}).empty()) GTEST_SKIP() << "fewer elements are wanted";
  device_memory const memory(2 * n), wrong(8);
  auto* const x = reinterpret_cast<std::uint16_t*>(memory.data());
  auto* const count = reinterpret_cast<unsigned long long*>(wrong.data());
  check_cuda(cudaMemset(count, 0, 8), "clear");
  store_residues<<<1024, 256>>>(x, n);
  upsweep::sort(gpu{}, std::span(x, n));
  count_wrong<<<1024, 256>>>(x, n, count);
  unsigned long long found = 1;
  check_cuda(cudaMemcpy(&found, count, 8, cudaMemcpyDeviceToHost), "copy");
  EXPECT_EQ(found, 0u);
}

}  // namespace
}  // namespace upsweep::test
