/// Recurrences on a GPU beside those of the CPU, for the programs of their tests, which are
/// several because the kernels of an order and a type take nvcc half a minute.
#pragma once

#include "on_gpu.cuh"

#include <support/scan_by.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace upsweep::test {

/// How a call runs, and where its memory lies: so many elements after an aligned address.
struct recurrence_case {
  std::size_t in_offset = 0, out_offset = 0;
  bool reverse = false;
  gpu on{};
};

template <std::size_t order, class T>
using initial_state = std::optional<recurrence_state<order, T>>;

/// The scan of `x` has the bits of the CPU, and nothing else is written.
template <scan_kind kind, class X, std::size_t order, class T>
void expect_scan(std::vector<X> const& x, recurrence<order, T> const& op,
                 initial_state<order, T> const& initial = {}, recurrence_case const& c = {}) {
  SCOPED_TRACE(testing::Message() << "n = " << x.size() << ", order " << order << ", offsets "
                                  << c.in_offset << " and " << c.out_offset << ", reverse "
                                  << c.reverse << ", " << seed_note());
  options<recurrence_state<order, T>> const o{.initial = initial, .reverse = c.reverse};
  std::vector<T> want(x.size());
  scan_by<kind>(cpu{}, x, want, op, o);
  on_gpu<X> const in(x, c.in_offset);
  on_gpu<T> const out(x.size(), c.out_offset);
  scan_by<kind>(c.on, in.input(), out.span(), op, o);
  expect_same(out.values(), want);
}
template <class X, std::size_t order, class T>
void expect_reduction(std::vector<X> const& x, recurrence<order, T> const& op,
                      initial_state<order, T> const& initial = {}, recurrence_case const& c = {}) {
  SCOPED_TRACE(testing::Message() << "reduction, n = " << x.size() << ", order " << order << ", "
                                  << seed_note());
  options<recurrence_state<order, T>> const o{.initial = initial, .reverse = c.reverse};
  T const want = upsweep::reduce(cpu{}, x, op, o);
  on_gpu<X> const in(x, c.in_offset);
  on_gpu<T> const out(1);
  expect_same<T>({upsweep::reduce(c.on, in.input(), op, o)}, {want});
  upsweep::reduce_into(c.on, in.input(), out.data(), op, o);
  expect_same(out.values(), {want});
}
template <class X, std::size_t order, class T>
void expect_all(std::vector<X> const& x, recurrence<order, T> const& op,
                initial_state<order, T> const& initial = {}, recurrence_case const& c = {}) {
  expect_scan<scan_kind::inclusive>(x, op, initial, c);
  expect_scan<scan_kind::exclusive>(x, op, initial, c);
  expect_reduction(x, op, initial, c);
}

/// Random numbers with zeros of both signs among them.
template <class X>
std::vector<X> samples(std::size_t n) {
  auto x = elements<X>(n);
  for (std::size_t i = 0; i < n; i += i < 6 ? 1 : 1 + i % 19)
    x[i] = static_cast<X>(i % 2 == 0 ? -0.0 : 0.0);
  return x;
}

/// Around the tiles of every kernel.
[[nodiscard]] inline std::vector<std::size_t> some_sizes() {
  return at_most_given({1, 2, 5, 33, 127, 128, 129, 1023, 1024, 2047, 2049, 4095, 4096, 8193, 16385,
                        100'003, (1 << 18) + 1, (1 << 20) + 7, 3'000'001});
}
/// Inclusive scans: by each kernel, from the end, and after an initial value.
template <class X, std::size_t order, class T>
void expect_inclusive(recurrence<order, T> const& op) {
  for (std::size_t const n : some_sizes()) {
    auto const x = samples<X>(n);
    expect_scan<scan_kind::inclusive>(x, op, {}, {.in_offset = n % 2});
    expect_scan<scan_kind::inclusive>(x, op, {}, {.reverse = true});
    expect_scan<scan_kind::inclusive>(x, op, std::optional(op(op.lift(X(3)), op.lift(X(2)))));
  }
}

}  // namespace upsweep::test
