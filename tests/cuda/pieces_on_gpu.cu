/// Partials of pieces on a GPU, at any position, and scans of sums and maxima over pieces.
#include "pieces_on_gpu.cuh"

#include <upsweep/ops/recurrence.hpp>
#include <upsweep/ranks.hpp>
#include <upsweep/ranks/loopback.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace upsweep::test {
namespace {

TEST(cuda_pieces, have_the_totals_of_the_processor_for_every_cut) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = 70;
  auto const x = elements<float>(n);
  on_gpu<float> const in(x);
  for (std::size_t first = 0; first <= n; ++first)
    for (std::size_t last = first; last <= n; ++last)
      expect_partial(std::span<float const>(x).subspan(first, last - first),
                     in.input().subspan(first, last - first), first, plus{});
}
TEST(cuda_pieces, begin_and_end_beside_every_border_of_units) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(9000, most_elements());
  auto const x = elements<float>(n);
  on_gpu<float> const in(x);
  for (std::size_t const border : {std::size_t{1024}, std::size_t{4096}, std::size_t{1} << 40})
    for (std::size_t before : {0u, 1u, 2u, 5u, 1023u})
      for (std::size_t size : {1u, 3u, 6u, 1022u, 1023u, 1024u, 1025u, 2048u, 4099u, 8191u})
        if (size <= n)
          expect_partial(std::span<float const>(x).first(size), in.input().first(size),
                         border - before, plus{});
}
TEST(cuda_pieces, of_many_elements_have_the_totals_of_the_processor) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(20000003, most_elements());
  expect_partials<float>(n, plus{});
  expect_partials<double>(n / 2, plus{}, 10);
  expect_partials<double>(n / 2, multiplies{}, 10);
  expect_partials<bfloat16>(n, plus{}, 10);
  expect_partials<std::complex<double>>(n / 8, plus{}, 10);
  expect_partials<affine_map<float>>(n / 4, affine{}, 10);
  expect_partials<affine_map<double>>(n / 4, affine{}, 10);
}
TEST(cuda_pieces, of_exact_operators_have_one_total) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(100003, most_elements());
  expect_partials<std::int8_t>(n, plus{}, 5);
  expect_partials<std::int64_t>(n, max{}, 5);
  expect_partials<float>(n, argmin{}, 5);
}

TEST(cuda_pieces, are_scanned_behind_those_in_front_of_them) {
  UPSWEEP_NEEDS_A_GPU();
  expect_scans<float>(1000, plus{});
  expect_scans<float>(100003, plus{});
  expect_scans<float>(3000001, plus{});
  expect_scans<std::int8_t>(300001, plus{});
}

/// Threads as ranks, which share the GPU, as ranks of MPI have one each.
template <class T, class Op>
void expect_ranks(std::size_t size, Op const& op,
                  std::optional<accumulator_t<Op, T>> const& initial = {}) {
  std::size_t const n = detail::at_most(size, most_elements());
  auto const x = elements<T>(n);
  options<accumulator_t<Op, T>> const o{.initial = initial};
  std::vector<result_t<Op, T>> inclusive(n), exclusive(n);
  upsweep::inclusive_scan(x, inclusive, op, o);
  upsweep::exclusive_scan(x, exclusive, op, o);
  on_gpu<T> const in(x);
  on_gpu<result_t<Op, T>> const first(n), second(n);
  for (auto const& borders : {random_borders(n, 2, n), {0, n / 3, n / 3, n, n}})
    loopback::run(static_cast<int>(borders.size() - 1), [&](loopback const& c) {
      auto const r = static_cast<std::size_t>(c.rank());
      std::size_t const begin = borders[r], count = borders[r + 1] - begin;
      ranks const all(c, gpu{});
      auto const piece = in.input().subspan(begin, count);
      EXPECT_TRUE(same_bits(upsweep::reduce(all, piece, op, o), upsweep::reduce(x, op, o)));
      upsweep::inclusive_scan(all, piece, std::span(first.data() + begin, count), op, o);
      upsweep::exclusive_scan(all, piece, std::span(second.data() + begin, count), op, o);
    });
  expect_same(first.values(), inclusive);
  expect_same(second.values(), exclusive);
}

TEST(cuda_pieces, of_ranks_that_exchange_partials_on_the_host) {
  UPSWEEP_NEEDS_A_GPU();
  recurrence const filter({1.6, -0.64});
  for (std::size_t const n : {1u, 1000u, 300001u}) {
    expect_ranks<float>(n, plus{});
    expect_ranks<double>(n, plus{}, 0.1);
    expect_ranks<int>(n, max{}, 7);
    expect_ranks<double>(n, filter);
    expect_ranks<double>(n, filter, filter.after({0.5, -2}));
  }
}

}  // namespace
}  // namespace upsweep::test
