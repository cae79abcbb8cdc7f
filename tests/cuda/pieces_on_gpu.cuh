/// Pieces of an array on one GPU, which plays all ranks: the partials of pieces, and their scans
/// after the pieces before them, with the bits of the CPU.
#pragma once

#include "on_gpu.cuh"

#include <support/scan_by.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/partial.hpp>
#include <upsweep/scan_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// n + 1 borders, from 0 to `size`: `cuts` random ones between them, and often two equal ones.
inline std::vector<std::size_t> random_borders(std::size_t size, std::size_t cuts,
                                               std::uint64_t salt) {
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

}  // namespace upsweep::test
