/// Recurrences of order 1 and 2 over floats on a GPU: the bits of the CPU at every size and
/// alignment, after initial values, from the end, in place, in graphs; and its refusals.
#include "recurrence_on_gpu.cuh"

#include <support/message.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

using enum scan_kind;

struct twice {
  __host__ __device__ float operator()(float v) const { return 2 * v; }
};

recurrence const smooth({0.75f});
recurrence const resonance({1.6f, -0.64f});

TEST(cuda_recurrences, have_the_bits_of_the_processor_at_every_size_and_alignment) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : edge_sizes()) {
    if (n == 0) continue;
    expect_all(samples<float>(n), smooth, {}, {n % 4, n / 4 % 4});
    expect_all(samples<float>(n), resonance);
    expect_all(samples<float>(n), resonance, std::optional(resonance.after({3, -4})));
    if (HasFailure()) return;
  }
}
TEST(cuda_recurrences, have_them_in_random_cases) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  for (std::size_t k = 0; k < random_cases(400); ++k) {
    std::size_t const n = 1 + next() % limited(k % 10 == 0 ? 5'000'000 : 60'000);
    recurrence_case const c{.in_offset = next() % 4 * (next() % 2),
                            .out_offset = next() % 4 * (next() % 2),
                            .reverse = next() % 4 == 0,
                            .on = {.blocks_start_in_order = next() % 4 != 0}};
    if (k % 2 == 0) {
      initial_state<1, float> initial;
      if (k % 8 == 0) initial = smooth.after({scattered_float(next)});
      expect_all(samples<float>(n), smooth, initial, c);
    } else {
      initial_state<2, float> initial;
      if (k % 8 == 1) initial = resonance.after({scattered_float(next), scattered_float(next)});
      expect_all(samples<float>(n), resonance, initial, c);
    }
    if (HasFailure()) return;
  }
}
TEST(cuda_recurrences, continue_behind_earlier_results) {
  UPSWEEP_NEEDS_A_GPU();
  auto const longer = resonance(resonance.after({3, 4}), resonance.lift(-0.0f));
  for (std::size_t const n :
       at_most_given({1, 2, 3, 4, 5, 127, 1024, 8191, 8192, 100'003, (1 << 22) + 5, 1 << 24}))
    for (auto const& initial : {resonance.identity(), resonance.after({-0.0f, 0.5f}), longer}) {
      expect_all(samples<float>(n), resonance, std::optional(initial));
      expect_all(samples<float>(n), resonance, std::optional(initial), {.reverse = true});
    }
}
TEST(cuda_recurrences, take_what_is_no_number_and_results_that_grow) {
  UPSWEEP_NEEDS_A_GPU();
  recurrence const grows({1.01f});
  recurrence const grows_too({1.005f, 0.001f});
  for (std::size_t const n : at_most_given({50, 700, 2'000, 4'095})) {
    expect_all(elements_with_specials<float>(n, 300), smooth);
    expect_all(elements_with_specials<float>(n, 300), resonance);
    expect_all(samples<float>(n), grows);
    expect_all(samples<float>(n), grows_too);
  }
  expect_all(elements_with_specials<float>(100'003, 30'000), resonance);
}
TEST(cuda_recurrences, scan_in_place_and_through_functions) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1, 33, 4096, 100'003, 3'000'001})) {
    auto const x = samples<float>(n);
    std::vector<float> want(n);
    on_gpu<float> const data(x);
    upsweep::inclusive_scan(x, want, resonance);
    upsweep::inclusive_scan(gpu{}, data.input(), data.span(), resonance);
    expect_same(data.values(), want);
    twice const f;
    on_gpu<float> const in(x), out(n);
    upsweep::transform_inclusive_scan(x, want, f, smooth);
    upsweep::transform_inclusive_scan(gpu{}, in.input(), out.span(), f, smooth);
    expect_same(out.values(), want);
    EXPECT_TRUE(same_bits(upsweep::transform_reduce(gpu{}, in.input(), f, smooth),
                          upsweep::transform_reduce(x, f, smooth)));
  }
}
TEST(cuda_recurrences, evaluate_polynomials) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1, 2, 5, 1000, 1'000'003})) {
    expect_reduction(samples<float>(n), polynomial(0.99f));
    expect_reduction(samples<float>(n), polynomial(-0.5f), {}, {.reverse = true});
  }
}
TEST(cuda_recurrences, are_the_same_a_hundred_times) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({300'007, (1 << 22) - 1})) {
    auto const x = samples<float>(n);
    std::vector<float> want(n);
    upsweep::inclusive_scan(x, want, resonance);
    on_gpu<float> const in(x);
    for (int k = 0; k < 100; ++k) {
      on_gpu<float> const out(n);
      upsweep::inclusive_scan(gpu{}, in.input(), out.span(), resonance);
      expect_same(out.values(), want);
      if (HasFailure()) return;
    }
  }
}
TEST(cuda_recurrences, of_many_elements_have_them) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({(std::size_t{1} << 28) + 77})) {
    expect_scan<inclusive>(samples<float>(n), resonance);
    expect_reduction(samples<float>(n), smooth);
  }
}
TEST(cuda_recurrences, run_in_a_graph_that_is_replayed) {
  UPSWEEP_NEEDS_A_GPU();
  own_stream const stream;
  for (std::size_t const n : at_most_given({1000, 100'003, (std::size_t{1} << 22) + 3})) {
    on_gpu<float> const in(n), out(n), total(1);
    cuda_workspace workspace(stream.get(),
                             plan_scan<float, float, recurrence<2, float>>(n).workspace_bytes);
    gpu const on{.stream = stream.get(), .workspace = &workspace};
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    stream.wait();
    check_cuda(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "capture");
    {
      recurrence const filter({1.6f, -0.64f});  // its powers are in the graph
      upsweep::inclusive_scan(on, in.input(), out.span(), filter);
    }
    reduce_into(gpu{.stream = stream.get()}, in.input(), total.data(), smooth,
                {.initial = smooth.after({2})});
    check_cuda(cudaStreamEndCapture(stream.get(), &graph), "end the capture");
    check_cuda(cudaGraphInstantiate(&executable, graph, 0), "instantiate the graph");
    for (std::uint64_t run = 0; run < 20; ++run) {
      auto const x = random_elements<float>(n, test_seed() + run);
      std::vector<float> want(n);
      upsweep::inclusive_scan(x, want, resonance);
      check_cuda(cudaMemcpyAsync(in.data(), x.data(), n * sizeof(float), cudaMemcpyHostToDevice,
                                 stream.get()),
                 "copy test data");
      check_cuda(cudaGraphLaunch(executable, stream.get()), "launch");
      stream.wait();
      expect_same(out.values(), want);
      expect_same(total.values(), {upsweep::reduce(x, smooth, {.initial = smooth.after({2})})});
      if (HasFailure()) break;
    }
    check_cuda(cudaGraphExecDestroy(executable), "destroy the graph");
    check_cuda(cudaGraphDestroy(graph), "destroy the graph");
  }
}

/// Around every length at which a power overflows: the same calls are refused, with the same words.
TEST(cuda_recurrences, that_grow_beyond_all_numbers_are_refused_as_on_the_processor) {
  UPSWEEP_NEEDS_A_GPU();
  for (int finite = 0; finite <= 14; ++finite) {
    float const a = finite == 0 ? __builtin_inff() : std::exp2(100.0f / float(1 << (finite - 1)));
    recurrence const op({a});
    ASSERT_EQ(op.finite_powers(), static_cast<std::size_t>(finite));
    for (int d = -2; d <= 2; ++d)
      for (int log2 = finite; log2 <= finite + 2; ++log2) {
        int const size = (1 << log2) + d;
        if (size < 1) continue;
        auto const n = static_cast<std::size_t>(size);
        std::vector<float> const x(n);
        std::vector<float> y(n);
        on_gpu<float> const in(x), out(n);
        for (auto const& initial : {std::optional<recurrence_state<1, float>>{},
                                    std::optional(op.identity()), std::optional(op.lift(0))}) {
          auto const expect_alike = [&](char const* what, auto const& call) {
            EXPECT_EQ(message_of<precondition_error>([&] { call(gpu{}, in.input(), out.span()); }),
                      message_of<precondition_error>([&] { call(cpu{}, x, y); }))
                << what << " of " << n << ", " << finite << " finite powers";
          };
          options<recurrence_state<1, float>> const o{.initial = initial};
          expect_alike("inclusive scan", [&](auto const& on, auto const& from, auto&& to) {
            upsweep::inclusive_scan(on, from, to, op, o);
          });
          expect_alike("exclusive scan", [&](auto const& on, auto const& from, auto&& to) {
            upsweep::exclusive_scan(on, from, to, op, o);
          });
          expect_alike("reduction", [&](auto const& on, auto const& from, auto&&) {
            (void)upsweep::reduce(on, from, op, o);
          });
          EXPECT_EQ(
              message_of<precondition_error>(
                  [&] { reduce_into(gpu{}, in.input(), out.data(), op, o); }),
              message_of<precondition_error>([&] { (void)upsweep::reduce(cpu{}, x, op, o); }));
        }
      }
  }
  check_cuda(cudaDeviceSynchronize(), "run what was not refused");
}
TEST(cuda_recurrences, of_nothing_are_the_initial_value) {
  UPSWEEP_NEEDS_A_GPU();
  std::span<float const> const nothing;
  EXPECT_EQ(upsweep::reduce(gpu{}, nothing, smooth), 0.0f);
  EXPECT_EQ(upsweep::reduce(gpu{}, nothing, smooth, {.initial = smooth.after({5})}), 5.0f);
}

}  // namespace
}  // namespace upsweep::test
