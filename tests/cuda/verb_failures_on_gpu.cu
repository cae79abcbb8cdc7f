/// Every CUDA call of the verbs on scan fails in turn: selections, verbs on runs and segments,
/// windows, histograms, rows in place, tables, lines and recurrences.
#include "failures.cuh"

#include <upsweep/apps/summed_area.hpp>
#include <upsweep/axis.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/padding.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

using whole_numbers = device_elements<std::uint32_t>;
using counts_on_gpu = device_elements<std::uint64_t>;

/// Accepts all numbers, so that the host knows how many there are also where no kernel runs.
struct is_number {
  __host__ __device__ bool operator()(float x) const { return x == x; }
};
struct is_negative {
  __host__ __device__ bool operator()(float x) const { return x < 0; }
};

/// Small arrays are selected tile by tile, large ones in a ring.
std::size_t const sizes[] = {5000, std::size_t{1} << 22};

/// The count of a call that waits, if there is a GPU.
void expect_count(std::size_t got, std::size_t want) {
  if (injected::has_gpu()) EXPECT_EQ(got, want);
}

TEST(cuda_failures, select) {
  for (std::size_t const n : sizes) {
    floats const in(n), out(n, 1);
    auto want = floats::values_of(n);
    want.resize(upsweep::select(std::vector(want), want, is_negative{}));
    expect_survives([&] {
      expect_count(upsweep::select(gpu{}, in.in(), out.out(), is_negative{}), want.size());
      out.expect_first(want);
    });
  }
}
TEST(cuda_failures, select_with_a_count_that_stays_on_the_device) {
  floats const in(5000), out(5000, 1);
  counts_on_gpu const counts(2, 2);
  auto want = floats::values_of(5000);
  want.resize(upsweep::select(std::vector(want), want, is_negative{}));
  expect_survives([&] {
    upsweep::select(gpu{.count_to = counts.data()}, in.in(), out.out(), is_negative{});
    upsweep::select(gpu{.count_to = counts.data() + 1, .length_from = counts.data()}, out.in(),
                    out.out(), is_negative{});
    out.expect_first(want);
    counts.expect_first({want.size(), want.size()});
  });
}
TEST(cuda_failures, select_positions_by_flags) {
  std::vector<std::uint8_t> flags(5000);
  std::vector<std::uint32_t> want;
  for (std::uint32_t i = 0; i < flags.size(); i += 3) {
    flags[i] = 1;
    want.push_back(i);
  }
  device_elements<std::uint8_t> const in(flags);
  whole_numbers const out(5000, 1);
  expect_survives([&] {
    expect_count(upsweep::select_positions(gpu{}, in.in(), out.out()), want.size());
    out.expect_first(want);
  });
}
TEST(cuda_failures, partition) {
  for (std::size_t const n : sizes) {
    floats const in(n), yes(n, 1), no(n, 2), rest(n, 3);
    auto const x = floats::values_of(n);
    std::vector<float> a(n), b(n), c(n);
    auto const two = upsweep::partition(x, a, b, is_negative{});
    b.resize(two.no);
    expect_survives([&] {
      auto const got = upsweep::partition(gpu{}, in.in(), yes.out(), no.out(), is_negative{});
      expect_count(got.yes, two.yes);
      no.expect_first(b);
    });
    b.resize(n);
    auto const three = upsweep::partition(x, a, b, c, is_negative{}, is_number{});
    b.resize(three.second);
    expect_survives([&] {
      auto const got = upsweep::partition(gpu{}, in.in(), yes.out(), no.out(), rest.out(),
                                          is_negative{}, is_number{});
      expect_count(got.second, three.second);
      no.expect_first(b);
    });
  }
}

/// Keys in runs of five.
std::vector<std::uint32_t> keys_of(std::size_t n) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < n; ++i) keys.push_back(i / 5);
  return keys;
}
TEST(cuda_failures, unique_runs_and_run_starts) {
  for (std::size_t const n : sizes) {
    auto const keys = keys_of(n);
    std::vector<std::uint32_t> heads, starts;
    for (std::uint32_t i = 0; i < n; i += 5) {
      heads.push_back(i / 5);
      starts.push_back(i);
    }
    whole_numbers const in(keys), out(n, 1), lengths(n, 2);
    expect_survives([&] {
      expect_count(upsweep::unique(gpu{}, in.in(), out.out()), heads.size());
      out.expect_first(heads);
    });
    expect_survives([&] {
      expect_count(upsweep::runs(gpu{}, in.in(), out.out(), lengths.out()), heads.size());
      lengths.expect_first(std::vector<std::uint32_t>(n / 5, 5));
    });
    expect_survives([&] {
      expect_count(upsweep::run_starts(gpu{}, in.in(), out.out()), heads.size());
      out.expect_first(starts);
    });
  }
}
TEST(cuda_failures, reduce_runs_and_scan_runs) {
  for (std::size_t const n : {std::size_t{5000}, std::size_t{1} << 20}) {
    auto const keys = keys_of(n);
    auto const x = floats::values_of(n);
    std::vector<std::uint32_t> heads(n);
    std::vector<float> sums(n), inclusive(n), exclusive(n);
    std::size_t const count = upsweep::reduce_runs(keys, x, heads, sums);
    sums.resize(count);
    upsweep::inclusive_scan_runs(keys, x, inclusive);
    upsweep::exclusive_scan_runs(keys, x, exclusive);
    whole_numbers const by(keys), keys_out(n, 1);
    floats const in(n, 2), out(n, 3);
    expect_survives([&] {
      expect_count(upsweep::reduce_runs(gpu{}, by.in(), in.in(), keys_out.out(), out.out()), count);
      out.expect_first(sums);
    });
    std::vector<float> largest(n);
    largest.resize(upsweep::reduce_runs(keys, x, heads, largest, max{}));
    expect_survives([&] {
      expect_count(upsweep::reduce_runs(gpu{}, by.in(), in.in(), keys_out.out(), out.out(), max{}),
                   count);
      out.expect_first(largest);
    });
    expect_survives([&] {
      upsweep::inclusive_scan_runs(gpu{}, by.in(), in.in(), out.out());
      out.expect_first(inclusive);
    });
    expect_survives([&] {
      upsweep::exclusive_scan_runs(gpu{}, by.in(), in.in(), out.out());
      out.expect_first(exclusive);
    });
  }
}
TEST(cuda_failures, reduce_segments_and_scan_segments) {
  for (std::size_t const n : {std::size_t{5000}, std::size_t{1} << 20}) {
    auto const x = floats::values_of(n);
    std::vector<std::uint32_t> offsets{0, 0};
    while (offsets.back() < n)
      offsets.push_back(offsets.back() + static_cast<std::uint32_t>(n / 8));
    std::vector<float> sums(offsets.size() - 1), inclusive(n), exclusive(n);
    upsweep::reduce_segments(x, offsets, sums);
    upsweep::inclusive_scan_segments(x, offsets, inclusive);
    upsweep::exclusive_scan_segments(x, offsets, exclusive);
    whole_numbers const at(offsets);
    floats const in(n, 1), out(n, 2);
    expect_survives([&] {
      upsweep::reduce_segments(gpu{}, in.in(), at.in(), out.out().first(sums.size()));
      out.expect_first(sums);
    });
    expect_survives([&] {
      upsweep::inclusive_scan_segments(gpu{}, in.in(), at.in(), out.out());
      out.expect_first(inclusive);
    });
    expect_survives([&] {
      upsweep::exclusive_scan_segments(gpu{}, in.in(), at.in(), out.out());
      out.expect_first(exclusive);
    });
  }
}
TEST(cuda_failures, windowed) {
  std::size_t const n = 40'000;
  floats const in(n), out(n, 1);
  for (std::size_t const width : {std::size_t{10}, std::size_t{1000}, std::size_t{20'000}}) {
    std::vector<float> want(n - width + 1);
    upsweep::windowed(floats::values_of(n), width, want);
    expect_survives([&] {
      upsweep::windowed(gpu{}, in.in(), width, out.out().first(want.size()));
      out.expect_first(want);
    });
  }
}
/// Counts that the host waits for. Where kernels do nothing they report counts that do not fit.
template <class Call>
void counted(Call const& call) {
  try {
    call();
  } catch (precondition_error const&) {
    if (injected::has_gpu()) throw;
  }
}
TEST(cuda_failures, histogram_and_count_indices) {
  std::size_t const n = 100'000;
  auto const indices = keys_of(n);
  whole_numbers const in(indices);
  for (std::size_t const bins : {std::size_t{16}, n / 5}) {
    std::vector<std::uint32_t> want(bins);
    auto const levels = even{0, static_cast<double>(bins)};
    auto const outside = upsweep::histogram(indices, want, levels);
    whole_numbers const counts(bins, 1);
    expect_survives([&] {
      counted([&] {
        auto const got = upsweep::histogram(gpu{}, in.in(), counts.out(), levels);
        expect_count(got.above, outside.above);
      });
      counts.expect_first(want);
    });
  }
  std::vector<double> levels{0, 3, 4, 100, 1e9};
  std::vector<std::uint32_t> want(4), all(n / 5, 5);
  upsweep::histogram(indices, want, levels);
  whole_numbers const counts(n / 5, 1);
  expect_survives([&] {
    counted([&] { upsweep::histogram(gpu{}, in.in(), counts.out().first(4), levels); });
    counts.expect_first(want);
  });
  expect_survives([&] {
    counted([&] { upsweep::count_indices(gpu{}, in.in(), counts.out()); });
    counts.expect_first(all);
  });
}
TEST(cuda_failures, pad_and_unpad) {
  for (std::size_t const columns : {std::size_t{7}, std::size_t{30'000}}) {
    std::size_t const rows = 100, padded = columns + 3;
    auto const x = floats::values_of(rows * padded);
    auto apart = x;
    upsweep::pad(apart, rows, columns, padded, 1.0f);
    std::vector<float> const want(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(columns));
    expect_survives([&] {
      floats const memory(rows * padded);
      upsweep::pad(gpu{}, memory.out(), rows, columns, padded, 1.0f);
      memory.expect_first(apart);
      upsweep::unpad(gpu{}, memory.out(), rows, columns, padded);
      memory.expect_first(want);
    });
  }
}
TEST(cuda_failures, recurrence) {
  for (std::size_t const n : {std::size_t{5000}, std::size_t{1} << 20}) {
    recurrence<2, float> const op({1.5f, -0.6f});
    auto const x = floats::values_of(n);
    std::vector<float> want(n);
    upsweep::inclusive_scan(x, want, op);
    floats const in(n), out(n, 1), last(1, 2);
    expect_survives([&] {
      upsweep::inclusive_scan(gpu{}, in.in(), out.out(), op);
      out.expect_first(want);
    });
    expect_survives([&] {
      float const got = upsweep::reduce(gpu{}, in.in(), op);
      if (injected::has_gpu()) EXPECT_TRUE(same_bits(got, want.back()));
    });
    expect_survives([&] {
      reduce_into(gpu{}, in.in(), last.data(), op);
      last.expect_first({want.back()});
    });
  }
}
TEST(cuda_failures, summed_area_table) {
  std::size_t const rows = 300, columns = 700, n = rows * columns;
  auto const x = floats::values_of(n);
  std::vector<float> want(n);
  apps::summed_area_table(strided_view<float const>(x.data(), {rows, columns}),
                          strided_view<float>(want.data(), {rows, columns}), cpu{});
  floats const in(n), out(n, 1);
  expect_survives([&] {
    apps::summed_area_table(strided_view<float const>(in.data(), {rows, columns}),
                            strided_view<float>(out.data(), {rows, columns}), gpu{});
    out.expect_first(want);
  });
}
TEST(cuda_failures, scans_and_reductions_along_an_axis) {
  std::size_t const rows = 300, columns = 700, n = rows * columns;
  auto const x = floats::values_of(n);
  floats const in(n), out(n, 1);
  for (int const axis : {0, 1}) {
    std::vector<float> want(n), totals(axis == 0 ? columns : rows);
    strided_view<float const> const from(in.data(), {rows, columns}),
        host(x.data(), {rows, columns});
    upsweep::inclusive_scan(cpu{}, host, strided_view<float>(want.data(), {rows, columns}), plus{},
                            {.axis = axis});
    upsweep::reduce(cpu{}, host, strided_view<float>(totals.data(), {totals.size()}), plus{},
                    {.axis = axis});
    expect_survives([&] {
      upsweep::inclusive_scan(gpu{}, from, strided_view<float>(out.data(), {rows, columns}), plus{},
                              {.axis = axis});
      out.expect_first(want);
    });
    expect_survives([&] {
      upsweep::reduce(gpu{}, from, strided_view<float>(out.data(), {totals.size()}), plus{},
                      {.axis = axis});
      out.expect_first(totals);
    });
  }
}
TEST(cuda_failures, verbs_that_are_captured_in_a_graph) {
  std::size_t const n = 100'003;
  auto const keys = keys_of(n);
  whole_numbers const by(keys), heads(n, 1);
  floats const in(n, 2), out(n, 3);
  counts_on_gpu const counts(2, 4);
  std::vector<std::uint32_t> want_heads(n);
  std::vector<float> want(n);
  want.resize(upsweep::reduce_runs(keys, floats::values_of(n), want_heads, want));
  expect_survives_in_graph(
      [&](cudaStream_t stream) {
        gpu const on{.stream = stream, .count_to = counts.data()};
        upsweep::unique(on, by.in(), heads.out());
        upsweep::reduce_runs(on, by.in(), in.in(), heads.out(), out.out());
      },
      [&] {
        counts.expect_first({want.size()});
        out.expect_first(want);
      });
}

}  // namespace

named_calls verbs_on_scan() {
  auto* const x = reinterpret_cast<float*>(std::uintptr_t{1} << 40);
  std::span<float const> const in(x, 1000);
  std::span<float> const out(x + (std::size_t{1} << 20), 1000), more(out.data() + 4096, 1000);
  std::span<std::uint32_t> const numbers(reinterpret_cast<std::uint32_t*>(out.data()) + 8192, 1000);
  std::span<std::uint32_t> const counts(numbers.data() + 4096, 1000);
  strided_view<float const> const table(x, {10, 100});
  strided_view<float> const sums(out.data(), {10, 100});
  recurrence<2, float> const op({1.5f, -0.6f});
  return {
      {"select", [=] { upsweep::select(gpu{}, in, out, is_negative{}); }},
      {"partition", [=] { (void)upsweep::partition(gpu{}, in, out, more, is_negative{}); }},
      {"unique", [=] { upsweep::unique(gpu{}, in, out); }},
      {"runs", [=] { upsweep::runs(gpu{}, in, out, numbers); }},
      {"reduce_runs", [=] { upsweep::reduce_runs(gpu{}, in, in, out, more); }},
      {"inclusive_scan_runs", [=] { upsweep::inclusive_scan_runs(gpu{}, in, in, out); }},
      {"reduce_segments", [=] { upsweep::reduce_segments(gpu{}, in, numbers, out.first(999)); }},
      {"inclusive_scan_segments",
       [=] { upsweep::inclusive_scan_segments(gpu{}, in, numbers, out); }},
      {"windowed", [=] { upsweep::windowed(gpu{}, in, 11, out.first(990)); }},
      {"histogram", [=] { upsweep::histogram(gpu{}, in, numbers, even{0, 1}); }},
      {"count_indices", [=] { upsweep::count_indices(gpu{}, numbers, counts); }},
      {"pad", [=] { upsweep::pad(gpu{}, out, 10, 50, 100); }},
      {"unpad", [=] { upsweep::unpad(gpu{}, out, 10, 50, 100); }},
      {"scan of a recurrence", [=] { upsweep::inclusive_scan(gpu{}, in, out, op); }},
      {"reduce by a recurrence", [=] { (void)upsweep::reduce(gpu{}, in, op); }},
      {"summed_area_table", [=] { apps::summed_area_table(table, sums, gpu{}); }},
  };
}

}  // namespace upsweep::test
