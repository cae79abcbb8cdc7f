/// Reductions and scans by key on a GPU: the bits of the CPU at every edge and in random
/// cases, for operators whose grouping matters and for exact ones, in replayed graphs.
#include "endless.cuh"
#include "segments_on_gpu.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

/// x -> a x + b modulo 2^32: compositions do not commute, and do not depend on their grouping.
struct whole_map {
  std::uint32_t a, b;
  static whole_map random(random_bits& next) {
    return {static_cast<std::uint32_t>(next()) | 1u, static_cast<std::uint32_t>(next())};
  }
};
struct compose_whole_maps {
  static constexpr bool exact = true;
  template <class A>
  [[nodiscard]] constexpr A identity() const {
    return {1, 0};
  }
  constexpr whole_map operator()(whole_map const& l, whole_map const& r) const {
    return {l.a * r.a, r.a * l.b + r.b};
  }
};

/// Keys in runs whose lengths are powers of two and less, and often one.
template <class K>
std::vector<K> keys_in_runs(std::size_t n, unsigned most_log2, std::uint64_t salt) {
  random_bits next(test_seed() + n + salt);
  std::vector<K> keys;
  for (unsigned key = 0; keys.size() < n; ++key) {
    std::size_t const longest = std::size_t{1} << next() % (most_log2 + 1);
    keys.insert(keys.end(), std::min(n - keys.size(), 1 + next() % longest),
                static_cast<K>(key % 100));
  }
  return keys;
}
template <class K, class R, class T, class Op>
void expect_runs(std::vector<K> const& keys, std::vector<T> const& x, Op const& op,
                 options<accumulator_t<Op, T>> const& o = {}, std::size_t misaligned = 0) {
  SCOPED_TRACE(testing::Message() << x.size() << " elements, " << seed_note());
  std::size_t const n = x.size();
  std::vector<K> want_keys(n);
  std::vector<R> want(n);
  std::size_t const count = upsweep::reduce_runs(keys, x, want_keys, want, op, o);
  want_keys.resize(count);
  want.resize(count);
  on_gpu<K> const k(keys, misaligned), keys_out(n);
  on_gpu<T> const in(x, misaligned);
  on_gpu<R> const out(n);
  ASSERT_EQ(upsweep::reduce_runs(gpu{}, k.input(), in.input(), keys_out.span(), out.span(), op, o),
            count);
  expect_same("keys", keys_out, want_keys);
  expect_same("reduce_runs", out, want);
  want.resize(n);
  upsweep::exclusive_scan_runs(keys, x, want, op, o);
  upsweep::exclusive_scan_runs(gpu{}, k.input(), in.input(), out.span(), op, o);
  expect_same("exclusive_scan_runs", out, want);
  upsweep::inclusive_scan_runs(keys, x, want, op, o);
  upsweep::inclusive_scan_runs(gpu{}, k.input(), in.input(), out.span(), op, o);
  expect_same("inclusive_scan_runs", out, want);
  if constexpr (std::is_same_v<T, R>) {
    upsweep::inclusive_scan_runs(gpu{}, k.input(), in.input(), in.span(), op, o);
    expect_same("inclusive_scan_runs in place", in, want);
  }
}
TEST(cuda_runs, have_the_bits_of_the_processor_at_every_edge) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n :
       at_most_given({0, 1, 2, 31, 33, 1023, 1025, 4095, 4097, 40'003, 1'000'003}))
    for (unsigned const longest : {0u, 3u, 7u, 12u, 17u, 21u})
      for (std::size_t const misaligned : {0u, 1u}) {
        expect_runs<int, float>(keys_in_runs<int>(n, longest, 0), elements_for<float>(n, 0), plus{},
                                {}, misaligned);
        expect_runs<std::uint8_t, double>(keys_in_runs<std::uint8_t>(n, longest, 1),
                                          elements_for<double>(n, 1), plus{}, {.initial = 0x1p60},
                                          misaligned);
        expect_runs<std::int64_t, map>(keys_in_runs<std::int64_t>(n, longest, 2),
                                       elements_for<map>(n, 2), affine{});
      }
}
TEST(cuda_runs, of_exact_operators_have_them_too) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n :
       at_most_given({0, 1, 2, 31, 33, 1023, 1025, 4095, 4097, 40'003, 1'000'003, 9'000'001}))
    for (unsigned const longest : {0u, 3u, 7u, 21u}) {
      for (std::size_t const misaligned : {0u, 1u})
        expect_runs<int, unsigned>(keys_in_runs<int>(n, longest, 0), elements_for<unsigned>(n, 0),
                                   plus{}, {}, misaligned);
      if (n > 100'000 && longest != 3) continue;
      expect_runs<std::uint8_t, std::int64_t>(keys_in_runs<std::uint8_t>(n, longest, 1),
                                              elements_for<std::int64_t>(n, 1), plus{},
                                              {.initial = 77});
      expect_runs<std::uint64_t, float>(keys_in_runs<std::uint64_t>(n, longest, 2),
                                        elements_for<float>(n, 2), max{});
      expect_runs<int, std::uint16_t>(keys_in_runs<int>(n, longest, 3),
                                      elements_for<std::uint16_t>(n, 3), min{}, {}, 3);
      expect_runs<float, whole_map>(keys_in_runs<float>(n, longest, 4),
                                    elements_for<whole_map>(n, 4), compose_whole_maps{});
    }
}
TEST(cuda_runs, take_values_of_any_iterator) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1025, 300'007})) {
    auto const keys = keys_in_runs<int>(n, 8, 5);
    std::ranges::subrange const all(numbers(0), numbers(static_cast<std::int64_t>(n)));
    std::vector<std::int64_t> want(n);
    upsweep::inclusive_scan_runs(keys, all, want);
    on_gpu<int> const k(keys);
    on_gpu<std::int64_t> const out(n);
    upsweep::inclusive_scan_runs(gpu{}, k.input(), all, out.span());
    expect_same("inclusive_scan_runs", out, want);
  }
}
TEST(cuda_runs, have_them_in_random_cases) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  for (std::size_t k = 0; k < random_cases(200); ++k) {
    std::size_t const n = next() % limited(k % 10 == 0 ? 3'000'000 : 50'000);
    auto const keys = keys_in_runs<int>(n, static_cast<unsigned>(next() % 20), k);
    if (k % 2 == 0)
      expect_runs<int, float>(keys, elements_for<float>(n, k), plus{}, {}, next() % 4);
    else
      expect_runs<int, unsigned>(keys, elements_for<unsigned>(n, k), plus{}, {}, next() % 4);
  }
}
template <class T>
void expect_refused(std::size_t n) {
  auto const keys = keys_in_runs<int>(n, 6, 0);
  auto const x = elements_for<T>(n, 0);
  std::vector<int> want_keys(n);
  std::vector<T> want(n);
  std::size_t const count = upsweep::reduce_runs(keys, x, want_keys, want);
  want.resize(count - 1);
  on_gpu<int> const k(keys), keys_out(count);
  on_gpu<T> const in(x), out(count - 1);
  EXPECT_THROW(
      (void)upsweep::reduce_runs(gpu{}, k.input(), in.input(), keys_out.span(), out.span()),
      precondition_error);
  expect_same("what fits", out, want);
}
TEST(cuda_runs, refuse_outputs_without_room_and_fill_them) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1000, 300'000})) {
    expect_refused<float>(n);
    expect_refused<unsigned>(n);
  }
}
/// The number of runs stays on the device; if `missing` > 0, the length comes from there, too.
template <class T>
void expect_replayed(std::size_t n, std::size_t missing) {
  own_stream const stream;
  cuda_workspace workspace(stream.get(), 1 << 23);
  on_gpu<std::uint64_t> const numbers(std::vector<std::uint64_t>{n - missing, 0});
  gpu const on{.stream = stream.get(),
               .workspace = &workspace,
               .count_to = numbers.data() + 1,
               .length_from = missing > 0 ? numbers.data() : nullptr};
  auto keys = keys_in_runs<int>(n, 9, 0);
  auto x = elements_for<T>(n, 0);
  on_gpu<int> const k(keys), keys_out(n);
  on_gpu<T> const in(x), out(n), sums(n);
  stream.wait();
  recorded_calls const graph(stream.get(), [&] {
    EXPECT_EQ(upsweep::reduce_runs(on, k.input(), in.input(), keys_out.span(), out.span()), 0u);
    upsweep::inclusive_scan_runs(on, k.input(), in.input(), sums.span());
  });
  graph.launch(stream.get(), replays(1000));
  stream.wait();
  keys.resize(n - missing);
  x.resize(n - missing);
  std::vector<int> want_keys(n);
  std::vector<T> want(n);
  want.resize(upsweep::reduce_runs(keys, x, want_keys, want));
  EXPECT_EQ(numbers.values()[1], want.size());
  expect_same("reduce_runs", out, want);
  want.resize(x.size());
  upsweep::inclusive_scan_runs(keys, x, want);
  expect_same("inclusive_scan_runs", sums, want);
}
TEST(cuda_runs, take_and_leave_their_numbers_on_the_device_in_a_graph) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({300'000})) {
    expect_replayed<float>(n, 1234);
    expect_replayed<unsigned>(n, 0);
  }
}

}  // namespace
}  // namespace upsweep::test
