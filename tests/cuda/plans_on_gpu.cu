/// The plans of calls are those of the kernels that the calls launch, with the workspaces that they
/// need. A graph tells what is launched.
#include "on_gpu.cuh"

#include <upsweep/apps/summed_area.hpp>
#include <upsweep/axis.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/cuda/sort.cuh>
#include <upsweep/histogram.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

/// Inputs and outputs of every verb, for up to `most` elements.
struct arrays {
  static constexpr std::size_t most = (std::size_t{1} << 24) + 3;
  on_gpu<float> x{most}, y{most}, z{most};
  on_gpu<double> sums{most};
  on_gpu<std::uint32_t> keys{most}, places{most};
  on_gpu<std::uint64_t> offsets{most + 1}, counts{3};

  [[nodiscard]] std::span<float const> in(std::size_t n) const { return x.input().first(n); }
  [[nodiscard]] std::span<float> out(std::size_t n) const { return y.span().first(n); }
  [[nodiscard]] std::span<float> more(std::size_t n) const { return z.span().first(n); }
};

arrays& memory() {
  static arrays all;
  return all;
}

[[nodiscard]] bool same(launched_kernel const& a, launched_kernel const& b) {
  return a.blocks == b.blocks && a.threads == b.threads && a.shared_bytes == b.shared_bytes;
}
/// Whether all of `some` are among `all`, each as often.
[[nodiscard]] bool are_among(std::vector<launched_kernel> const& some,
                             std::vector<launched_kernel> all) {
  for (auto const& one : some) {
    auto const found = std::ranges::find_if(all, [&](auto const& k) { return same(k, one); });
    if (found == all.end()) return false;
    all.erase(found);
  }
  return true;
}

/// Compares the plans of call(on) with what it launches. What CUB launches has no plan.
template <class Call>
void expect_planned(char const* verb, std::size_t n, Call const& call) {
  SCOPED_TRACE(::testing::Message() << verb << " of " << n << " elements");
  own_stream const stream;
  cuda_plans plans{cuda_device::current()};
  gpu on{.stream = stream.get(), .count_to = memory().counts.data(), .plans_to = &plans};
  call(on);
  cuda_workspace workspace(stream.get(), plans.workspace_bytes);
  on.workspace = &workspace;
  on.plans_to = nullptr;
  recorded_calls const recorded(stream.get(), [&] { call(on); });
  std::vector<launched_kernel> planned;
  bool all_are_ours = true;
  for (cuda_plan const& plan : plans.launches)
    if (plan.launches == 0)
      all_are_ours = false;
    else
      planned.push_back({plan.blocks, plan.threads, plan.shared_bytes});
  EXPECT_TRUE(are_among(planned, recorded.kernels()));
  if (all_are_ours) EXPECT_EQ(planned.size(), recorded.kernels().size());
}

struct positive {
  __host__ __device__ bool operator()(float v) const { return v > 0; }
};
struct nearer {
  __host__ __device__ bool operator()(float a, float b) const { return a * a < b * b; }
};

constexpr std::size_t sizes[] = {1, 1000, std::size_t{1} << 20, arrays::most};

TEST(plans_on_gpu, are_those_of_selections) {
  UPSWEEP_NEEDS_A_GPU();
  auto const& m = memory();
  for (std::size_t const n : sizes) {
    expect_planned("select", n,
                   [&](gpu const& on) { upsweep::select(on, m.in(n), m.out(n), positive{}); });
    expect_planned("partition", n, [&](gpu const& on) {
      upsweep::partition(on, m.in(n), m.out(n), m.more(n), positive{});
    });
    expect_planned("unique", n, [&](gpu const& on) { upsweep::unique(on, m.in(n), m.out(n)); });
    expect_planned("runs", n, [&](gpu const& on) {
      upsweep::runs(on, m.in(n), m.out(n), m.places.span().first(n));
    });
  }
}

TEST(plans_on_gpu, are_those_of_histograms) {
  UPSWEEP_NEEDS_A_GPU();
  auto const& m = memory();
  std::vector<double> levels;
  for (int b = 0; b <= 3000; ++b) levels.push_back(b * b);
  for (std::size_t const n : sizes) {
    expect_planned("histogram", n, [&](gpu const& on) {
      upsweep::histogram(on, m.in(n), m.places.span().first(256), even{0, 1});
    });
    expect_planned("histogram of levels", n, [&](gpu const& on) {
      upsweep::histogram(on, m.in(n), m.places.span().first(3000), levels);
    });
    expect_planned("count_indices", n, [&](gpu const& on) {
      upsweep::count_indices(on, m.keys.input().first(n), m.places.span().first(70000));
    });
  }
}

TEST(plans_on_gpu, are_those_of_segments_and_runs) {
  UPSWEEP_NEEDS_A_GPU();
  auto const& m = memory();
  for (std::size_t const n : sizes) {
    auto const keys = m.keys.input().first(n);
    auto const offsets = m.offsets.input().first(n / 10 + 1);
    expect_planned("reduce_segments", n, [&](gpu const& on) {
      upsweep::reduce_segments(on, m.in(n), offsets, m.out(n / 10));
    });
    expect_planned("inclusive_scan_segments", n, [&](gpu const& on) {
      upsweep::inclusive_scan_segments(on, m.in(n), offsets, m.out(n));
    });
    expect_planned("reduce_runs", n, [&](gpu const& on) {
      upsweep::reduce_runs(on, keys, m.in(n), m.places.span().first(n), m.out(n));
    });
    expect_planned("inclusive_scan_runs", n, [&](gpu const& on) {
      upsweep::inclusive_scan_runs(on, keys, m.in(n), m.out(n));
    });
    expect_planned("reduce_runs, exact", n, [&](gpu const& on) {
      upsweep::reduce_runs(on, keys, m.in(n), m.places.span().first(n), m.out(n), max{});
    });
  }
}

TEST(plans_on_gpu, are_those_of_windows_rows_and_tables) {
  UPSWEEP_NEEDS_A_GPU();
  auto const& m = memory();
  for (std::size_t const n : sizes) {
    for (std::size_t const width : {1, 100, 4096, 100000})
      if (width <= n)
        expect_planned("windowed", n, [&](gpu const& on) {
          upsweep::windowed(on, m.in(n), width, m.out(n - width + 1));
        });
    std::size_t const rows = n / 1000;
    if (rows == 0) continue;
    expect_planned("unpad", n,
                   [&](gpu const& on) { upsweep::unpad(on, m.out(rows * 1000), rows, 990, 1000); });
    strided_view<float const> const image(m.x.data(), {rows, 1000});
    strided_view<float> const table(m.y.data(), {rows, 1000});
    expect_planned("summed_area_table", n,
                   [&](gpu const& on) { apps::summed_area_table(image, table, on); });
    expect_planned("inclusive_scan along an axis", n,
                   [&](gpu const& on) { upsweep::inclusive_scan(on, image, table, {.axis = 0}); });
  }
}

TEST(plans_on_gpu, are_those_of_reductions_scans_and_recurrences) {
  UPSWEEP_NEEDS_A_GPU();
  auto const& m = memory();
  for (std::size_t const n : sizes) {
    expect_planned("reduce", n,
                   [&](gpu const& on) { reduce_into(on, m.in(n), m.sums.data(), plus{}); });
    expect_planned("inclusive_scan", n,
                   [&](gpu const& on) { upsweep::inclusive_scan(on, m.in(n), m.out(n)); });
    expect_planned("recurrence", n, [&](gpu const& on) {
      upsweep::inclusive_scan(on, m.in(n), m.out(n), recurrence({0.5f, 0.25f}));
    });
  }
}

TEST(plans_on_gpu, are_those_of_sorts) {
  UPSWEEP_NEEDS_A_GPU();
  auto const& m = memory();
  for (std::size_t const n : sizes) {
    auto const keys = m.keys.span().first(n);
    expect_planned("sort", n, [&](gpu const& on) { upsweep::sort(on, m.out(n)); });
    expect_planned("sort by an order", n,
                   [&](gpu const& on) { upsweep::sort(on, m.out(n), nearer{}); });
    expect_planned("sort_by_key", n,
                   [&](gpu const& on) { upsweep::sort_by_key(on, keys, m.out(n)); });
    expect_planned("argsort", n,
                   [&](gpu const& on) { upsweep::argsort(on, m.in(n), m.places.span().first(n)); });
    expect_planned("top", n,
                   [&](gpu const& on) { upsweep::top(on, m.in(n), m.out(n < 100 ? n : 100)); });
  }
}

TEST(plans_on_gpu, need_neither_memory_nor_a_gpu) {
  cuda_plans plans;  // of the default device
  gpu const on{.plans_to = &plans};
  std::span<float> const out(reinterpret_cast<float*>(std::uintptr_t{1} << 40), 1 << 24),
      in(reinterpret_cast<float*>(std::uintptr_t{2} << 40), 1 << 24);
  EXPECT_EQ(upsweep::select(on, in, out, positive{}), 0u);
  ASSERT_EQ(plans.launches.size(), 1u);
  EXPECT_EQ(plans.launches[0].algorithm, cuda_algorithm::select_ring);
  EXPECT_EQ(plans.launches[0].blocks, 132u);
  upsweep::sort(on, out);
  ASSERT_EQ(plans.launches.size(), 2u);
  EXPECT_EQ(plans.launches[1].algorithm, cuda_algorithm::cub_radix_sort);
  EXPECT_EQ(plans.launches[1].describe(), "cub_radix_sort: what CUB chooses when it is called");
  EXPECT_GE(plans.scratch_bytes, std::size_t{4} << 24);
  EXPECT_EQ(upsweep::reduce(on, in), 0.0f);
  EXPECT_EQ(plans.launches.back().algorithm, cuda_algorithm::reduce);
}

TEST(plans_on_gpu, streams_of_chunks_have_none) {
  cuda_plans plans;
  scan_stream<float, plus, gpu> sums(gpu{.plans_to = &plans});
  std::span<float> const x(reinterpret_cast<float*>(std::uintptr_t{1} << 40), 1000);
  EXPECT_THROW(sums.inclusive(x, x), precondition_error);
}

}  // namespace
}  // namespace upsweep::test
