/// Pieces of an array on one GPU, which plays all ranks: the partials of pieces at any position,
/// and their scans after the pieces before them, with the bits of the CPU.
#include "on_gpu.cuh"

#include <support/scan_by.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/partial.hpp>
#include <upsweep/ranks.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/scan_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

/// n + 1 borders, from 0 to `size`: `cuts` random ones between them, and often two equal ones.
std::vector<std::size_t> random_borders(std::size_t size, std::size_t cuts, std::uint64_t salt) {
  random_bits next(test_seed() + salt);
  std::vector<std::size_t> borders{0, size};
  for (std::size_t i = 0; i < cuts; ++i) {
    std::size_t const at = next.below(size + 1);
    borders.push_back(at);
    if (next.below(4) == 0) borders.push_back(at);
  }
  std::sort(borders.begin(), borders.end());
  return borders;
}

/// The partial of n elements at `begin` on the GPU and on the CPU.
template <class T, class Op>
void expect_partial(std::span<T const> on_host, std::span<T const> on_device, std::size_t begin,
                    Op const& op) {
  partial<T, Op> got(begin, op), want(begin, op);
  got.push(gpu{}, on_device);
  want.push(serial{}, on_host);
  ASSERT_EQ(got.end(), want.end());
  ASSERT_EQ(got.totals().size(), want.totals().size());
  for (std::size_t i = 0; i < want.totals().size(); ++i)
    ASSERT_TRUE(same_bits(got.totals()[i], want.totals()[i]))
        << "total " << i << " of " << want.totals().size() << " of " << on_host.size()
        << " elements at " << begin << ": " << shown(got.totals()[i]) << " is not "
        << shown(want.totals()[i]) << "; " << seed_note();
}
/// Random pieces of `size` elements, of which each begins where it is in a larger array.
template <class T, class Op>
void expect_partials(std::size_t size, Op const& op, std::size_t pieces = 30) {
  auto const x = elements<T>(size);
  on_gpu<T> const in(x);
  random_bits next(test_seed() + size);
  for (std::size_t i = 0; i < pieces; ++i) {
    std::size_t const first = next.below(size + 1),
                      n = next.below(2) == 0 ? next.below(detail::at_most(size - first, 5000) + 1)
                                             : size - first;
    std::size_t const begin = next.below(4) == 0 ? next() >> 20 : first;
    expect_partial(std::span<T const>(x).subspan(first, n), in.input().subspan(first, n), begin,
                   op);
  }
}

/// The scans of the pieces between `borders`, each separately, as a rank does it.
template <scan_kind kind, class T, class Op>
void expect_scan_of_pieces(std::vector<T> const& x, std::vector<std::size_t> const& borders,
                           Op const& op, std::optional<accumulator_t<Op, T>> const& initial,
                           bool in_place) {
  using A = accumulator_t<Op, T>;
  using R = result_t<Op, T>;
  using parts = typename device::accumulator_in_kernels<A>::type;
  std::size_t const pieces = borders.size() - 1;
  on_gpu<T> const in(x);
  on_gpu<R> const apart(x.size());
  R* const out = in_place ? reinterpret_cast<R*>(in.data()) : apart.data();
  device_memory const memory(pieces * sizeof(device::piece_totals<parts>));
  auto* const totals = reinterpret_cast<device::piece_totals<parts>*>(memory.data());
  detail::as_is const f;
  gpu const on;
  auto const piece = [&](std::size_t p) {
    return source<T const*, detail::as_is, Op, false>(
        in.data() + borders[p], borders[p + 1] - borders[p], f, op, borders[p]);
  };
  for (std::size_t p = 0; p < pieces; ++p)
    device::enqueue_block_totals(on, piece(p), borders[p + 1] - borders[p], op, borders[p],
                                 totals + p, p % 2 != 0);
  options<A> const o{.initial = initial};
  detail::first_results<kind, Op, A> const start(op, o);
  for (std::size_t p = pieces; p-- > 0;) {
    std::size_t const n = borders[p + 1] - borders[p];
    stream_memory const carries(nullptr, device_carry<A>::bytes);
    auto* const carry = static_cast<A*>(carries.data());
    device_carry<A> left(stream_memory::borrowed(nullptr, carries.data(), device_carry<A>::bytes),
                         borders[p]);
    if (borders[p] > 0) {
      device::enqueue_join(on, totals, static_cast<unsigned>(p), reinterpret_cast<parts*>(carry),
                           reinterpret_cast<parts*>(carry + device::carry_prefix), op);
    }
    device::scan_piece_on<kind>(on, piece(p), sink<R*, Op, false>(out + borders[p], n, op), n, op,
                                start.initial, start.first, left);
  }
  std::vector<R> want(x.size());
  scan_by<kind>(cpu{}, x, want, op, o);
  if constexpr (std::is_same_v<T, R>)
    if (in_place) return expect_same(in.values(), want);
  expect_same(apart.values(), want);
}

template <class T, class Op>
void expect_scans_of_pieces(std::vector<T> const& x, std::vector<std::size_t> const& borders,
                            Op const& op) {
  SCOPED_TRACE(testing::PrintToString(borders));
  std::optional<accumulator_t<Op, T>> const none,
      some(detail::lift(op, elements<T>(1)[0], std::size_t{0}));
  bool const in_place = std::is_same_v<T, result_t<Op, T>>;
  expect_scan_of_pieces<scan_kind::inclusive>(x, borders, op, none, false);
  expect_scan_of_pieces<scan_kind::inclusive>(x, borders, op, some, in_place);
  expect_scan_of_pieces<scan_kind::exclusive>(x, borders, op, some, false);
  if constexpr (monoid_over<Op, accumulator_t<Op, T>>)
    expect_scan_of_pieces<scan_kind::exclusive>(x, borders, op, none, in_place);
}

/// Equal pieces of powers of two, which have a faster path; three cuts anywhere; empty pieces; and
/// pieces that begin a little before and after a border of tiles.
template <class T, class Op>
void expect_scans(std::size_t size, Op const& op) {
  std::size_t const n = detail::at_most(size, most_elements()), half = std::bit_floor(n) / 2;
  auto const x = elements<T>(n);
  expect_scans_of_pieces(x, {0, half, 2 * half, n}, op);
  expect_scans_of_pieces(x, {0, half / 2, half, half / 2 * 3, 2 * half, n}, op);
  expect_scans_of_pieces(x, {0, half - 1, half - 1, half + 1, n}, op);
  expect_scans_of_pieces(x, {0, 0, 5, n - 3, n, n}, op);
  for (std::size_t i = 0; i < random_cases(5); ++i)
    expect_scans_of_pieces(x, random_borders(n, 3, size + i), op);
}

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
TEST(cuda_pieces, keep_the_order_of_operands) {
  UPSWEEP_NEEDS_A_GPU();
  expect_scans<affine_map<double>>(1000, affine{});
  expect_scans<affine_map<double>>(100003, affine{});
  expect_scans<affine_map<double>>(1000001, affine{});
}

}  // namespace
}  // namespace upsweep::test
