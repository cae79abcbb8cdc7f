/// Every CUDA call that the library makes fails in turn: the caller gets a cuda_error that says
/// what failed, nothing leaks, and the next call works. Runs on any machine: without a GPU one is
/// simulated (injected.hpp), and then only the results are not checked.
#include "failures.cuh"

#include <upsweep/axis.hpp>
#include <upsweep/scan_stream.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

float sum_of(std::size_t n) {
  return upsweep::reduce(floats::values_of(n));
}

TEST(cuda_failures, reduce) {
  for (std::size_t const n : {std::size_t{1}, std::size_t{5000}, std::size_t{1} << 20}) {
    floats const in(n);
    float const want = sum_of(n);
    expect_survives([&] {
      float const got = upsweep::reduce(gpu{}, in.in());
      if (injected::has_gpu()) EXPECT_TRUE(same_bits(got, want));
    });
  }
}
TEST(cuda_failures, reduce_into_device_memory) {
  floats const in(5000), total(1, 1), nothing(0, 2);
  float const want = sum_of(5000);
  expect_survives([&] {
    reduce_into(gpu{}, in.in(), total.data());
    total.expect_last(want);
  });
  expect_survives([&] {
    reduce_into(gpu{}, nothing.in(), total.data());
    total.expect_last(0.0f);
  });
}
TEST(cuda_failures, scan_in_one_wave) {
  floats const in(100003), out(100003, 1);
  float const want = sum_of(100003);
  expect_survives([&] {
    upsweep::inclusive_scan(gpu{}, in.in(), out.out());
    out.expect_last(want);
  });
}
TEST(cuda_failures, scan_by_tickets) {
  floats const in(100003), out(100003, 1);
  float const want = sum_of(100003);
  expect_survives([&] {
    upsweep::inclusive_scan(gpu{.blocks_start_in_order = false}, std::span(in.data() + 1, 100002),
                            std::span(out.data(), 100002));
    upsweep::inclusive_scan(gpu{.blocks_start_in_order = false}, in.in(), out.out());
    out.expect_last(want);
  });
}
TEST(cuda_failures, scan_by_a_ring) {
  std::size_t const n = (std::size_t{1} << 22) + 5;
  floats const in(n), out(n, 1);
  float const want = sum_of(n);
  expect_survives([&] {
    upsweep::inclusive_scan(gpu{}, in.in(), out.out());
    out.expect_last(want);
  });
}
TEST(cuda_failures, scans_that_make_the_workspace_grow) {
  std::size_t const n = std::size_t{1} << 22;
  floats const in(n), out(n, 1);
  float const want = sum_of(n);
  expect_survives([&] {
    upsweep::inclusive_scan(gpu{}, in.in().first(100), out.out().first(100));
    upsweep::inclusive_scan(gpu{}, in.in(), out.out());
    upsweep::inclusive_scan(gpu{}, in.in().first(100), out.out().first(100));
    out.expect_last(want);
  });
}
TEST(cuda_failures, scan_with_a_workspace_of_the_caller) {
  std::size_t const n = std::size_t{1} << 20;
  floats const in(n), out(n, 1);
  float const want = sum_of(n);
  expect_survives([&] {
    cuda_workspace workspace(nullptr, 64);  // too small, so it grows
    upsweep::inclusive_scan(gpu{nullptr, &workspace}, in.in(), out.out());
    out.expect_last(want);
  });
  floats const memory(std::size_t{1} << 20, 2);
  expect_survives([&] {
    cuda_workspace workspace(nullptr, memory.data(), std::size_t{1} << 22);
    upsweep::inclusive_scan(gpu{nullptr, &workspace}, in.in(), out.out());
    out.expect_last(want);
  });
}
TEST(cuda_failures, a_workspace_that_failed_to_free_its_old_memory_has_its_new) {
  std::size_t const n = std::size_t{1} << 20;
  floats const in(n), out(n, 1);
  float const want = sum_of(n);
  for (int k = 1; k < 20; ++k) {
    cuda_workspace workspace(nullptr, 64);
    gpu const on{nullptr, &workspace};
    injected::start(k);
    try {
      upsweep::inclusive_scan(on, in.in(), out.out());
    } catch (cuda_error const& e) {
      (void)e;
    }
    std::string const function = injected::stop();
    upsweep::inclusive_scan(on, in.in(), out.out());  // its workspace is the one that failed
    out.expect_last(want);
    if (injected::is_free(function)) EXPECT_GT(workspace.size(), 64u);
    cuda_workspace::lease const lease = cuda_workspace::take(&workspace, nullptr, workspace.size());
    EXPECT_TRUE(lease.memory() != nullptr) << "after " << function << " had failed";
  }
  EXPECT_EQ(injected::live(), 0u);
}
TEST(cuda_failures, streams_of_chunks) {
  floats const in(1000), out(1000, 1);
  float const want = sum_of(1000);
  expect_survives([&] {
    scan_stream<float, plus, gpu> stream;
    stream.inclusive(in.in().first(3), out.out().first(3));
    stream.inclusive(in.in().subspan(3), out.out().subspan(3));
    out.expect_last(want);
    scan_stream<float, plus, gpu> const copy = stream;
    float const total = copy.result();
    if (injected::has_gpu()) EXPECT_EQ(total, want);
  });
}
TEST(cuda_streams, launch_one_kernel_for_a_chunk_anywhere_and_three_at_most_for_a_long_one) {
  std::size_t const n = (std::size_t{1} << 20) - 1;
  floats const in(n), out(n, 1);
  scan_stream<float, plus, gpu> sums;
  reduce_stream<float, max, gpu> maxima;
  reduce_stream<float, exact_sum, gpu> exact;
  for (std::size_t const size : {std::size_t{1}, std::size_t{2}, std::size_t{12345}, n,
                                 std::size_t{4096}, std::size_t{3}, n}) {
    auto const launches_of = [](auto const& call) {
      injected::start(0);
      call();
      (void)injected::stop();
      return injected::launches();
    };
    SCOPED_TRACE(testing::Message() << size << " elements at " << sums.size());
    int const most = size < n ? 1 : 3;
    EXPECT_LE(launches_of([&] { sums.inclusive(in.in().first(size), out.out().first(size)); }),
              most);
    EXPECT_LE(launches_of([&] { maxima.push(in.in().first(size)); }), most);
    EXPECT_EQ(launches_of([&] { exact.push(in.in().first(size)); }), 1);
  }
}
TEST(cuda_failures, lines_along_an_axis) {
  floats const in(3 * 500), out(3 * 500, 1);
  float const want = upsweep::reduce(std::span<float const>(floats::values_of(3 * 500)).last(500));
  expect_survives([&] {
    upsweep::inclusive_scan(gpu{}, strided_view<float const>(in.data(), {3, 500}),
                            strided_view<float>(out.data(), {3, 500}), plus{}, {.axis = 1});
    out.expect_last(want);
  });
}
TEST(cuda_failures, scan_that_is_captured_in_a_graph) {
  floats const in(100003), out(100003, 1);
  float const want = sum_of(100003);
  expect_survives_in_graph(
      [&](cudaStream_t stream) { upsweep::inclusive_scan(gpu{stream}, in.in(), out.out()); },
      [&] { out.expect_last(want); });
}

TEST(cuda_failures, sort_in_one_block) {
  floats const x(1000);
  auto want = floats::values_of(1000);
  upsweep::sort(upsweep::cpu{}, want);
  expect_survives([&] {
    upsweep::sort(gpu{}, x.out());
    x.expect_last(want.back());
  });
}

/// All calls of the interface; each must throw with a sentence if there is no GPU.
named_calls all_verbs() {
  auto* const x = reinterpret_cast<float*>(std::uintptr_t{1} << 40);
  auto* const y = reinterpret_cast<float*>(std::uintptr_t{1} << 41);
  std::span<float const> const in(x, 1000);
  std::span<float> const out(y, 1000);
  strided_view<float const> const rows(x, {10, 100});
  strided_view<float> const results(y, {10, 100}), totals(y, {10});
  auto const twice = [] __host__ __device__(float v) { return 2 * v; };
  return {
      {"reduce", [=] { (void)upsweep::reduce(gpu{}, in); }},
      {"reduce_into", [=] { reduce_into(gpu{}, in, y); }},
      {"reduce_into of nothing", [=] { reduce_into(gpu{}, in.first(0), y); }},
      {"transform_reduce", [=] { (void)upsweep::transform_reduce(gpu{}, in, twice); }},
      {"inclusive_scan", [=] { upsweep::inclusive_scan(gpu{}, in, out); }},
      {"exclusive_scan, reversed",
       [=] { upsweep::exclusive_scan(gpu{}, in, out, upsweep::max{}, {.reverse = true}); }},
      {"transform_inclusive_scan",
       [=] { upsweep::transform_inclusive_scan(gpu{}, in, out, twice); }},
      {"inclusive_scan along an axis", [=] { upsweep::inclusive_scan(gpu{}, rows, results); }},
      {"reduce along an axis", [=] { upsweep::reduce(gpu{}, rows, totals); }},
      {"sort", [=] { upsweep::sort(gpu{}, out); }},
      {"sort by CUB", [=] { upsweep::sort(gpu{}, std::span(y, 100'000)); }},
      {"scan_stream", [=] { scan_stream<float, plus, gpu>().inclusive(in, out); }},
      {"reduce_stream", [=] { reduce_stream<float, plus, gpu>().push(in); }},
      {"cuda_workspace", [] { cuda_workspace const workspace(nullptr, 4096); }},
      {"cuda_workspace of memory", [=] { cuda_workspace const workspace(nullptr, y, 4096); }},
      {"cuda_device::current", [] { (void)cuda_device::current(); }},
      {"plan_scan", [] { (void)plan_scan<float>(1000); }},
  };
}
void expect_all_verbs_miss_a_gpu() {
  auto all = all_verbs();
  auto const on_scan = verbs_on_scan();
  all.insert(all.end(), on_scan.begin(), on_scan.end());
  for (auto const& [name, call] : all) {
    std::exception_ptr const thrown = thrown_by(call);
    try {
      if (thrown == nullptr) throw std::runtime_error("no exception");
      std::rethrow_exception(thrown);
    } catch (cuda_error const& e) {
      EXPECT_NE(std::string(e.what()).find("no NVIDIA GPU"), std::string::npos)
          << name << ": " << e.what();
    } catch (std::exception const& e) {
      ADD_FAILURE() << name << ": " << e.what();
    }
    EXPECT_EQ(injected::live(), 0u) << name;
  }
  EXPECT_EQ(upsweep::reduce(std::vector<float>(10, 1.0f)), 10.0f) << "the processor still works";
}

TEST(cuda_failures, every_verb_says_so_when_the_device_has_gone) {
  release_cuda_workspaces();
  injected::start_without_device();
  expect_all_verbs_miss_a_gpu();
  EXPECT_EQ(injected::stop(), "");
  EXPECT_FALSE(injected::left_an_error());
}
TEST(cuda_failures, every_verb_says_so_without_a_gpu) {
  if (injected::has_gpu()) GTEST_SKIP() << "there is a GPU";
  injected::play(false);
  expect_all_verbs_miss_a_gpu();
  injected::play(true);
}
TEST(cuda_failures, an_earlier_error_of_the_program_is_not_reported) {
  UPSWEEP_NEEDS_A_GPU();
  floats const in(5000), out(5000, 1);
  void* memory = nullptr;
  ASSERT_NE(cudaMalloc(&memory, std::size_t{1} << 50),
            cudaSuccess);  // the program goes on without asking why
  upsweep::inclusive_scan(gpu{}, in.in(), out.out());
  out.expect_last(sum_of(5000));
  upsweep::sort(gpu{}, in.out().first(4500));  // CUB asks for the last error
  (void)cudaGetLastError();
}

}  // namespace
}  // namespace upsweep::test
