/// Streams of chunks on a GPU: the bits of one call, the carry on the device, and calls that do not
/// wait.
#include "on_gpu.cuh"

#include <upsweep/cuda.cuh>
#include <upsweep/scan_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

TEST(cuda_streams, have_the_bits_of_one_call) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(100003, most_elements());
  auto const x = elements<float>(n);
  on_gpu<float> const in(x), out(n);
  std::vector<float> want(n);
  upsweep::inclusive_scan(x, want);
  scan_stream<float, plus, gpu> stream;
  std::size_t const chunks[] = {1, 2, 3, 1024, 5, 40000, 31, n};
  for (std::size_t done = 0, c = 0; done < n; ++c) {
    std::size_t const size = detail::at_most(chunks[c % 8], n - done);
    stream.inclusive(in.input().subspan(done, size), out.span().subspan(done, size));
    done += size;
  }
  expect_same(out.values(), want);
}

/// Scans and reduces `x` as a stream of chunks, in place, and compares with one call of the
/// CPU.
template <class T, class Op>
void expect_streamed(std::vector<T> const& x, Op const& op,
                     std::vector<std::size_t> const& chunks) {
  using A = accumulator_t<Op, T>;
  for (bool const inclusive : {true, false}) {
    on_gpu<T> const in(x);
    std::vector<T> want(x.size());
    scan_stream<T, Op> on_cpu(op);
    scan_stream<T, Op, gpu> stream(op);
    reduce_stream<T, Op, gpu> totals(op);
    for (std::size_t done = 0, c = 0; done < x.size(); ++c) {
      std::size_t const size = detail::at_most(chunks[c % chunks.size()], x.size() - done);
      auto const part = in.span().subspan(done, size);
      totals.push(part);
      if (inclusive)
        stream.inclusive(part, part);
      else
        stream.exclusive(part, part);
      done += size;
    }
    auto const all = std::span<T const>(x);
    if (inclusive)
      on_cpu.inclusive(all, std::span(want));
    else
      on_cpu.exclusive(all, std::span(want));
    A const total = stream.result(), other = totals.result(), expected = on_cpu.result();
    EXPECT_TRUE(same_bits(total, expected));
    EXPECT_TRUE(same_bits(other, expected));
    expect_same(in.values(), want);
  }
}
TEST(cuda_streams, of_long_chunks_leave_their_totals_on_the_device) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(9000001, most_elements()),
                    large = detail::at_most(1 << 20, most_elements());
  std::vector<std::size_t> const chunks{large, large, 2 * large, 1, 77777, 4 * large - 1};
  expect_streamed(elements<float>(n), plus{}, chunks);
  expect_streamed(elements<std::int8_t>(n), plus{}, chunks);
  expect_streamed(elements<affine_map<double>>(n / 4), affine{}, {large, large / 2, 3, large});
}
TEST(cuda_streams, start_and_end_anywhere) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(2100001, most_elements());
  std::vector<std::size_t> const chunks{1, 4095, 4097, 3, 100003, 65536, 2, 1000000, 31, 8191};
  expect_streamed(elements<float>(n), plus{}, chunks);
  expect_streamed(elements<double>(n), plus{}, chunks);
  expect_streamed(elements<std::int16_t>(n), max{}, chunks);
  expect_streamed(elements<affine_map<float>>(n), affine{}, chunks);
  expect_streamed(elements<affine_map<double>>(n / 8), affine{}, chunks);
}
TEST(cuda_streams, of_chunks_do_not_wait_for_the_device) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(std::size_t{1} << 26, most_elements());
  on_gpu<float> const in(n), out(n);
  scan_stream<float, plus, gpu> stream;
  stream.inclusive(in.input().first(64),
                   out.span().first(64));  // workspaces grow, kernels are loaded
  stream.inclusive(in.input().subspan(64), out.span().subspan(64));
  check_cuda(cudaDeviceSynchronize(), "finish the first chunks");
  for (int i = 0; i < 16; ++i) stream.inclusive(in.input(), out.span());
  if (n == std::size_t{1} << 26) EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  check_cuda(cudaDeviceSynchronize(), "finish the chunks");
}
TEST(cuda_streams, are_copied_with_their_carry) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(5000, most_elements());
  auto const x = elements<std::complex<double>>(n);
  on_gpu<std::complex<double>> const in(x), out(n);
  scan_stream<std::complex<double>> on_cpu;
  scan_stream<std::complex<double>, plus, gpu> stream;
  std::vector<std::complex<double>> want(n);
  on_cpu.inclusive(std::span<std::complex<double> const>(x).first(777), std::span(want).first(777));
  stream.inclusive(in.input().first(777), out.span().first(777));
  auto copy = stream;
  on_cpu.exclusive(std::span<std::complex<double> const>(x).subspan(777),
                   std::span(want).subspan(777));
  copy.exclusive(in.input().subspan(777), out.span().subspan(777));
  expect_same(out.values(), want);
  EXPECT_EQ(stream.size(), 777u);
  EXPECT_TRUE(same_bits(stream.result(), want[776]));
  EXPECT_TRUE(same_bits(copy.result(), on_cpu.result()));
}
TEST(cuda_streams, of_exact_sums_stay_exact) {
  UPSWEEP_NEEDS_A_GPU();
  std::vector<double> const x{1e300, 1, -1e300, 1e-300, 3, -1e-300};
  on_gpu<double> const in(x);
  reduce_stream<double, exact_sum, gpu> stream;
  stream.push(in.input().first(2));
  stream.push(in.input().subspan(2));
  EXPECT_EQ(stream.result(), 4.0);
}
TEST(cuda_streams, of_exact_sums_of_floats_are_those_of_the_cpu) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(3000001, most_elements()), half = n / 2;
  auto const x = elements<float>(n);
  auto const all = std::span<float const>(x);
  std::vector<float> want(n);
  scan_stream<float, exact_sum> on_cpu;
  on_cpu.inclusive(all, std::span(want));
  on_gpu<float> const in(x), out(n);
  scan_stream<float, exact_sum, gpu> stream;
  reduce_stream<float, exact_sum, gpu> total;
  for (std::size_t const begin : {std::size_t{0}, half}) {
    std::size_t const size = begin == 0 ? half : n - half;
    stream.inclusive(in.input().subspan(begin, size), out.span().subspan(begin, size));
    total.push(in.input().subspan(begin, size));
  }
  expect_same(out.values(), want);
  EXPECT_EQ(stream.result(), on_cpu.result());
  EXPECT_EQ(total.result(), on_cpu.result());
}

}  // namespace
}  // namespace upsweep::test
