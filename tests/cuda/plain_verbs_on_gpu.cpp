/// The compiled selections, histograms and verbs over segments, from a file that nvcc does not
/// compile: every type that the library has, with the CPU's results.
#include "on_gpu.cuh"

#include <upsweep/cuda.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

std::vector<std::size_t> sizes() {
  return at_most_given({0, 1, 31, 33, 4095, 4097, 100003, 3000001});
}

/// Few values, so that neighbors are often equal and some are outside of bins; floats with NaN and
/// both zeros.
template <class T>
std::vector<T> few_values(std::size_t n, std::uint64_t salt) {
  random_bits next(test_seed() + n + salt);
  std::vector<T> x(n);
  for (T& v : x) {
    std::uint64_t const r = next.below(8);
    if constexpr (std::is_floating_point_v<T>)
      v = r == 0   ? std::numeric_limits<T>::quiet_NaN()
          : r == 1 ? -T(0)
                   : static_cast<T>(static_cast<double>(r) / 3 - T(2) / 3);
    else
      v = static_cast<T>(r);
  }
  return x;
}
/// Compares the first elements of `out`, with the bits; those after them must not be written.
template <class T>
void expect_first(on_gpu<T> const& out, std::vector<T> const& want, std::size_t count) {
  auto const got = out.values();
  ASSERT_LE(count, got.size());
  for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(same_bits(got[i], want[i])) << i;
  for (std::size_t i = count; i < got.size(); ++i) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &got[i], sizeof(T));
    for (unsigned char const byte : bytes) ASSERT_EQ(byte, 0xa5) << i << ", behind the results";
  }
}

/// The selection of `in` and of its copy `x`: select(executor, input, output). On the GPU once with
/// room, once with room for half of the results and the count in device memory.
template <class T, class In, class Select>
void expect_selection(std::vector<In> const& x, Select const& select) {
  std::vector<T> want(x.size());
  std::size_t const count = select(cpu{}, std::span(x), std::span(want));
  on_gpu<In> const in(x);
  on_gpu<T> const out(x.size() + 3), half(count / 2);
  on_gpu<std::uint64_t> const counted(1);
  EXPECT_EQ(select(gpu{}, in.input(), out.span()), count);
  expect_first(out, want, count);
  EXPECT_EQ(select(gpu{.count_to = counted.data()}, in.input(), half.span()), 0u);
  EXPECT_EQ(counted.values()[0], count);
  expect_first(half, want, count / 2);
}

template <class T, class Flag>
void expect_select_flags() {
  for (std::size_t const n : sizes()) {
    auto const flags = few_values<Flag>(n, 1);
    on_gpu<Flag> const on_device(flags);
    expect_selection<T>(elements<T>(n), [&]<class E>(E const& on, auto in, auto out) {
      if constexpr (std::is_same_v<E, cpu>)
        return select(on, in, flags, out);
      else
        return select(on, in, on_device.input(), out);
    });
  }
}
TEST(compiled_select, by_flags_is_that_of_the_processor_for_elements_of_every_size) {
  UPSWEEP_NEEDS_A_GPU();
  expect_select_flags<std::int8_t, std::uint8_t>();
  expect_select_flags<std::uint16_t, std::int8_t>();
  expect_select_flags<float, std::uint8_t>();
  expect_select_flags<double, char>();
  expect_select_flags<std::int64_t, std::uint8_t>();
}

template <class T>
void expect_unique() {
  for (std::size_t const n : sizes())
    expect_selection<T>(few_values<T>(n, 2), [](auto const& on, auto in, auto out) {
      return upsweep::unique(on, in, out);
    });
}
TEST(compiled_unique, is_that_of_the_processor_for_integers_and_floats) {
  UPSWEEP_NEEDS_A_GPU();
  expect_unique<std::int8_t>();
  expect_unique<std::uint16_t>();
  expect_unique<std::int32_t>();
  expect_unique<std::uint64_t>();
  expect_unique<float>();
  expect_unique<double>();
}
TEST(compiled_select, takes_its_input_as_output) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : sizes()) {
    auto const x = few_values<float>(n, 3);
    std::vector<float> want(n);
    std::size_t const count = upsweep::unique(x, want);
    on_gpu<float> const in(x);
    ASSERT_EQ(upsweep::unique(gpu{}, in.input(), in.span()), count);
    auto const got = in.values();
    for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(same_bits(got[i], want[i])) << i;
  }
}

TEST(compiled_select_positions, are_those_of_the_processor) {
  UPSWEEP_NEEDS_A_GPU();
  auto const positions = [](auto const& on, auto in, auto out) {
    return select_positions(on, in, out);
  };
  for (std::size_t const n : sizes()) {
    expect_selection<std::uint32_t>(few_values<std::uint8_t>(n, 4), positions);
    expect_selection<std::uint64_t>(few_values<std::int8_t>(n, 5), positions);
  }
}

template <class T, class U, class Bins>
void expect_histogram(std::vector<T> const& x, std::size_t size, Bins const& bins) {
  std::vector<U> want(size);
  on_gpu<T> const in(x);
  for (bool const closed : {false, true}) {
    auto const outside = histogram(x, want, bins, {.closed_right = closed});
    on_gpu<U> const counts(size), later(size);
    EXPECT_EQ(histogram(gpu{}, in.input(), counts.span(), bins, {.closed_right = closed}), outside);
    expect_same(counts.values(), want);
    on_gpu<std::uint64_t> const counted(3);
    histogram(gpu{.count_to = counted.data()}, in.input(), later.span(), bins,
              {.closed_right = closed});
    EXPECT_EQ(counted.values(),
              (std::vector<std::uint64_t>{outside.below, outside.above, outside.nan}));
    expect_same(later.values(), want);
  }
}
template <class T, class U>
void expect_histograms() {
  for (std::size_t const n : sizes()) {
    auto const x = few_values<T>(n, 6);
    expect_histogram<T, U>(x, 5, even{0, 1.5});
    expect_histogram<T, U>(x, 1000, even{-1, 6});
    expect_histogram<T, U>(x, 3, std::vector<double>{-1, 0.25, 1, 5});
  }
}
TEST(compiled_histogram, is_that_of_the_processor_for_even_bins_and_levels) {
  UPSWEEP_NEEDS_A_GPU();
  expect_histograms<std::uint8_t, std::uint32_t>();
  expect_histograms<std::uint8_t, std::uint64_t>();
  expect_histograms<std::int32_t, std::uint32_t>();
  expect_histograms<std::int32_t, std::uint64_t>();
  expect_histograms<float, std::uint32_t>();
  expect_histograms<float, std::uint64_t>();
  expect_histograms<double, std::uint32_t>();
  expect_histograms<double, std::uint64_t>();
}

template <class T, class U>
void expect_count_indices() {
  for (std::size_t const n : sizes()) {
    auto x = few_values<T>(n, 7);
    std::vector<U> want(8);
    count_indices(x, want);
    on_gpu<T> const in(x);
    on_gpu<U> const counts(8);
    count_indices(gpu{}, in.input(), counts.span());
    expect_same(counts.values(), want);
    if (n == 0) continue;
    x[n / 2] = static_cast<T>(-1);
    on_gpu<T> const wrong(x);
    EXPECT_THROW(count_indices(gpu{}, wrong.input(), counts.span()), precondition_error);
    on_gpu<std::uint64_t> const refused(1);
    count_indices(gpu{.count_to = refused.data()}, wrong.input(), counts.span());
    EXPECT_EQ(refused.values()[0], 1u);
  }
}
TEST(compiled_count_indices, are_those_of_the_processor_and_report_what_is_no_index) {
  UPSWEEP_NEEDS_A_GPU();
  expect_count_indices<std::int32_t, std::uint32_t>();
  expect_count_indices<std::int32_t, std::uint64_t>();
  expect_count_indices<std::uint32_t, std::uint32_t>();
  expect_count_indices<std::uint32_t, std::uint64_t>();
  expect_count_indices<std::int64_t, std::uint32_t>();
  expect_count_indices<std::int64_t, std::uint64_t>();
}

/// Segments of up to 99 elements, some of them empty, then one with the rest.
template <class O>
std::vector<O> offsets_for(std::size_t n) {
  random_bits next(test_seed() + n + 8);
  std::vector<O> offsets{0};
  std::size_t end = 0;
  while (end < n / 2) {
    end = std::min(n, end + (next.below(4) == 0 ? 0 : next.below(100)));
    offsets.push_back(static_cast<O>(end));
  }
  offsets.push_back(static_cast<O>(n));
  return offsets;
}
template <class T, class R, class O>
void expect_segments() {
  for (std::size_t const n : sizes()) {
    auto const x = elements<T>(n);
    auto const offsets = offsets_for<O>(n);
    on_gpu<T> const in(x), inclusive(n), exclusive(n);
    on_gpu<O> const borders(offsets);
    on_gpu<R> const totals(offsets.size() - 1);
    options<accumulator_t<plus, T>> const o{.initial = T(3)};
    std::vector<R> want_totals(offsets.size() - 1);
    std::vector<T> want(n);
    reduce_segments(x, offsets, want_totals, plus{}, o);
    reduce_segments(gpu{}, in.input(), borders.input(), totals.span(), plus{}, o);
    expect_same(totals.values(), want_totals);
    inclusive_scan_segments(x, offsets, want);
    inclusive_scan_segments(gpu{}, in.input(), borders.input(), inclusive.span());
    expect_same(inclusive.values(), want);
    exclusive_scan_segments(x, offsets, want, plus{}, o);
    exclusive_scan_segments(gpu{}, in.input(), borders.input(), exclusive.span(), plus{}, o);
    expect_same(exclusive.values(), want);
  }
}
TEST(compiled_segments, have_the_bits_of_the_processor_between_offsets_of_both_sizes) {
  UPSWEEP_NEEDS_A_GPU();
  expect_segments<std::int32_t, std::int64_t, std::int32_t>();
  expect_segments<std::int32_t, std::int32_t, std::uint64_t>();
  expect_segments<std::int64_t, std::int64_t, std::int64_t>();
  expect_segments<float, float, std::int32_t>();
  expect_segments<float, float, std::int64_t>();
  expect_segments<double, double, std::uint32_t>();
  expect_segments<double, double, std::uint64_t>();
}

}  // namespace
}  // namespace upsweep::test
