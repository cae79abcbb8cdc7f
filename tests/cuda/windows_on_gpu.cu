/// windowed, pad and unpad on a GPU: the bits of the CPU for every width, size, shape and
/// alignment, for operators whose operands' order matters, for windows wider than a tile, in place,
/// and in graphs.
#include "endless.cuh"
#include "on_gpu.cuh"

#include <upsweep/cuda.cuh>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/padding.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ranges>
#include <vector>

namespace upsweep::test {
namespace {

/// The windows of `x`, whose memory begins `offset` elements after an aligned address, are those
/// of the CPU; nothing else is written.
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
  for (std::size_t const width :
       {255u,  256u,  257u,  511u,  512u,  513u,  1000u, 1023u,   1024u,   1025u,   2047u,
        2048u, 2049u, 4095u, 4096u, 4097u, 8191u, 8192u, 20'010u, 20'011u, 20'012u, 30'000u}) {
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
  for (std::size_t k = 0; k < random_cases(300); ++k) {
    std::size_t const n = 1 + next() % limited(k % 10 == 0 ? 1'000'000 : 40'000),
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
  for (std::size_t const width : {1u, 3u, 127u, 128u, 129u, 255u, 256u, 257u, 1791u}) {
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
  if (most_elements() < static_cast<std::size_t>(n)) GTEST_SKIP() << "UPSWEEP_GPU_MOST";
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
    recorded_calls const graph(stream.get(),
                               [&] { upsweep::windowed(on, in.input(), width, out.span()); });
    graph.launch(stream.get(), replays(20));
    stream.wait();
    expect_same(out.values(), want);
  }
}
TEST(cuda_windows, refuse_wrong_sizes) {
  UPSWEEP_NEEDS_A_GPU();
  on_gpu<float> const in(elements<float>(100)), out(91);
  EXPECT_THROW(upsweep::windowed(gpu{}, in.input(), 0, out.span()), precondition_error);
  EXPECT_THROW(upsweep::windowed(gpu{}, in.input(), 11, out.span()), precondition_error);
}

/// Random bytes.
template <class T>
std::vector<T> random_bytes(std::size_t n, std::uint64_t salt) {
  random_bits next(test_seed() + n + salt);
  std::vector<T> x(n);
  for (T& element : x)
    for (std::size_t b = 0; b < sizeof(T); ++b)
      reinterpret_cast<unsigned char*>(&element)[b] = static_cast<unsigned char>(next());
  return x;
}
template <class T>
void expect_same_bytes(std::vector<T> const& got, std::vector<T> const& want, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(std::memcmp(&got[i], &want[i], sizeof(T)), 0) << "element " << i << " of " << count;
}
/// pad and then unpad a matrix whose memory begins `offset` elements after an aligned address.
template <class T>
void expect_rows(std::size_t rows, std::size_t columns, std::size_t padded,
                 std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << rows << " rows of " << columns << ", padded to " << padded
                                  << ", elements of " << sizeof(T) << " bytes, offset " << offset
                                  << ", " << seed_note());
  auto const x = random_bytes<T>(rows * padded, offset);
  T const fill = random_bytes<T>(1, 7)[0];
  auto want = x;
  upsweep::pad(cpu{}, want, rows, columns, padded, fill);
  on_gpu<T> const longer(x, offset), shorter(x, offset);
  upsweep::pad(gpu{}, longer.span(), rows, columns, padded, fill);
  expect_same_bytes(longer.values(), want, want.size());
  want = x;
  upsweep::unpad(cpu{}, want, rows, columns, padded);
  upsweep::unpad(gpu{}, shorter.span(), rows, columns, padded);
  expect_same_bytes(shorter.values(), want, rows * columns);
}

template <std::size_t bytes>
struct of_bytes {
  unsigned char byte[bytes];
};
TEST(cuda_rows, are_where_the_processor_has_them_in_every_shape) {
  UPSWEEP_NEEDS_A_GPU();
  struct shape {
    std::size_t columns, padded;
  };
  for (shape const s : {shape{1000, 1024},
                        {31, 32},
                        {10, 16},
                        {1, 2},
                        {1, 1000},
                        {999, 1000},
                        {4095, 4096},
                        {4097, 9000},
                        {0, 5},
                        {5, 5},
                        {100'000, 100'001}})
    for (std::size_t const elements : at_most_given({1, 10'000, 1'000'000}))
      for (std::size_t const offset : {0u, 1u}) {
        std::size_t const rows = elements / s.padded + 1;
        expect_rows<float>(rows, s.columns, s.padded, offset);
        expect_rows<std::uint8_t>(rows, s.columns, s.padded, offset);
        expect_rows<double>(rows, s.columns, s.padded, offset);
        if (elements <= 10'000) {
          expect_rows<of_bytes<2>>(rows, s.columns, s.padded, offset);
          expect_rows<of_bytes<12>>(rows, s.columns, s.padded, offset);
          expect_rows<of_bytes<37>>(rows, s.columns, s.padded, offset);
          expect_rows<of_bytes<128>>(rows, s.columns, s.padded, offset);
        }
      }
  expect_rows<float>(0, 3, 4);
}
TEST(cuda_rows, are_in_random_cases) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  for (std::size_t k = 0; k < random_cases(300); ++k) {
    std::size_t const padded = 1 + next() % (k % 5 == 0 ? 20'000 : 100),
                      columns = next() % (padded + 1),
                      rows = next() % (limited(k % 10 == 0 ? 3'000'000 : 100'000) / padded + 1);
    expect_rows<std::uint32_t>(rows, columns, padded, next() % 4);
    expect_rows<std::uint64_t>(rows, columns, padded, next() % 2);
  }
}
/// The one race of sliding is between blocks, so many runs are compared.
TEST(cuda_rows, are_the_same_a_thousand_times) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const padded = 1025, columns = 1024;
  for (std::size_t const elements : at_most_given({8'000'000})) {
    std::size_t const rows = elements / padded;
    auto const x = random_bytes<std::uint32_t>(rows * padded, 0);
    std::vector<std::uint32_t> longer = x, shorter = x;
    upsweep::pad(cpu{}, longer, rows, columns, padded, 9u);
    upsweep::unpad(cpu{}, shorter, rows, columns, padded);
    on_gpu<std::uint32_t> const source(x), a(x.size()), b(x.size());
    for (int k = 0; k < 1000; ++k) {
      for (auto const* to : {&a, &b})
        check_cuda(cudaMemcpyAsync(to->data(), source.data(), x.size() * sizeof(std::uint32_t),
                                   cudaMemcpyDeviceToDevice),
                   "copy test data");
      upsweep::pad(gpu{}, a.span(), rows, columns, padded, 9u);
      upsweep::unpad(gpu{}, b.span(), rows, columns, padded);
      if (k % 25 != 0) continue;
      expect_same_bytes(a.values(), longer, longer.size());
      expect_same_bytes(b.values(), shorter, rows * columns);
    }
  }
}
TEST(cuda_rows, of_more_than_2_to_32_bytes_move) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const columns = 3, padded = 5;
  for (std::size_t const elements : at_most_given({(std::size_t{1} << 32) + 1000})) {
    std::size_t const rows = elements / padded;
    on_gpu<std::uint8_t> const x(rows * padded);
    std::vector<std::uint8_t> row(rows * padded);
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    check_cuda(cudaMemcpy(x.data(), row.data(), row.size(), cudaMemcpyHostToDevice), "copy");
    upsweep::pad(gpu{}, x.span(), rows, columns, padded, std::uint8_t{1});
    upsweep::unpad(gpu{}, x.span(), rows, columns, padded);
    std::vector<std::uint8_t> got(rows * columns);
    check_cuda(cudaMemcpy(got.data(), x.data(), got.size(), cudaMemcpyDeviceToHost), "copy");
    EXPECT_TRUE(std::equal(got.begin(), got.end(), row.begin()));
  }
}
TEST(cuda_rows, move_in_a_graph_that_is_replayed) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const rows = 1000, columns = 100, padded = 128;
  own_stream const stream;
  cuda_workspace workspace(stream.get(), 1 << 20);
  auto const x = random_bytes<float>(rows * padded, 0);
  on_gpu<float> const matrix(x);
  gpu const on{.stream = stream.get(), .workspace = &workspace};
  recorded_calls const graph(stream.get(), [&] {
    upsweep::pad(on, matrix.span(), rows, columns, padded);
    upsweep::unpad(on, matrix.span(), rows, columns, padded);
  });
  graph.launch(stream.get(), replays(1000));
  stream.wait();
  expect_same_bytes(matrix.values(), x, rows * columns);
}
TEST(cuda_rows, refuse_wrong_sizes) {
  UPSWEEP_NEEDS_A_GPU();
  on_gpu<float> const x(elements<float>(100));
  EXPECT_THROW(upsweep::pad(gpu{}, x.span(), 10, 11, 10), precondition_error);
  EXPECT_THROW(upsweep::unpad(gpu{}, x.span(), 9, 5, 10), precondition_error);
}

}  // namespace
}  // namespace upsweep::test
