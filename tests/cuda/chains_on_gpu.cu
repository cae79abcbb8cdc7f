/// Verbs whose lengths are counts that earlier verbs have left on the device: a chain of them is
/// recorded once and replayed with other elements each time.
#include "on_gpu.cuh"

#include <upsweep/cuda.cuh>
#include <upsweep/cuda/sort.cuh>
#include <upsweep/generic/reference.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

struct is_below {
  float limit;
  __host__ __device__ bool operator()(float x) const { return x < limit; }
};

/// Numbers below 100, whose sums are rounded, in runs of three on average, longer ones here and
/// there.
std::vector<float> numbers_in_runs(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<float> x;
  for (std::size_t i = 0; x.size() < n; ++i) {
    std::size_t const most = i % 100 == 0 ? 3000 : 5;
    x.insert(x.end(), std::min(n - x.size(), 1 + next() % most),
             static_cast<float>(next() % 1000) * 0.1f);
  }
  return x;
}

/// The first elements of `x`, which are `want`.
template <class T>
void expect_first(char const* what, on_gpu<T> const& x, std::vector<T> const& want) {
  auto const got = x.values();
  ASSERT_LE(want.size(), got.size()) << what;
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_TRUE(same_bits(got[i], want[i])) << what << ": element " << i << " of " << want.size();
}

/// What the chain does, on the CPU.
struct expected_chain {
  std::vector<float> kept, heads, low, values, by_key, sums, sorted;
  std::vector<std::uint32_t> lengths, starts, bins;
  std::vector<float> totals;
  std::vector<std::uint64_t> outside;

  expected_chain(std::span<float const> x, float limit, float low_limit)
      : kept(x.size()), bins(16) {
    auto const shorten = [](auto& y, std::size_t n) { y.resize(n); };
    shorten(kept, upsweep::select(x, kept, is_below{limit}));
    std::size_t const n = kept.size();
    heads = values = by_key = totals = sums = std::vector<float>(n);
    lengths = starts = std::vector<std::uint32_t>(n);
    shorten(heads, upsweep::unique(kept, heads));
    std::size_t const runs = upsweep::runs(kept, values, lengths);
    shorten(values, runs);
    shorten(lengths, runs);
    shorten(starts, upsweep::run_starts(kept, starts));
    shorten(totals, upsweep::reduce_runs(kept, kept, by_key, totals));
    shorten(by_key, runs);
    upsweep::inclusive_scan_runs(kept, kept, sums);
    sorted = heads;
    upsweep::sort(sorted);
    low = std::vector<float>(sorted.size());
    shorten(low, upsweep::select(sorted, low, is_below{low_limit}));
    auto const o = upsweep::histogram(low, bins, even{0, 40});
    outside = {o.below, o.above, o.nan};
  }
};

/// The arrays of a chain on the device, each as large as the input may make it. Only counts tell
/// how much of them is valid.
class chain {
 public:
  chain(std::size_t n, cudaStream_t stream)
      : n_(n),
        workspace_(stream, std::size_t{1} << 25),
        stream_(stream),
        in_(n),
        kept_(n),
        heads_(n),
        low_(n),
        values_(n),
        by_key_(n),
        reduced_(n),
        sums_(n),
        sorted_(n),
        totals_(n),
        lengths_(n),
        starts_(n),
        bins_(16),
        offsets_(n + 1),
        counts_(6),
        outside_(3) {}

  [[nodiscard]] float* input() const { return in_.data(); }

  void run(float limit, float low_limit) const {
    EXPECT_EQ(upsweep::select(to(0), in_.input(), kept_.span(), is_below{limit}), 0u);
    EXPECT_EQ(upsweep::unique(from(0, 1), kept_.input(), heads_.span()), 0u);
    // The memory after the lengths must be 0, so that the sums of them are offsets everywhere.
    check_cuda(cudaMemsetAsync(lengths_.data(), 0, n_ * sizeof(std::uint32_t), stream_), "clear");
    check_cuda(cudaMemsetAsync(offsets_.data(), 0, sizeof(std::uint32_t), stream_), "clear");
    EXPECT_EQ(upsweep::runs(from(0, 2), kept_.input(), values_.span(), lengths_.span()), 0u);
    EXPECT_EQ(upsweep::run_starts(from(0, 3), kept_.input(), starts_.span()), 0u);
    EXPECT_EQ(upsweep::reduce_runs(from(0, 4), kept_.input(), kept_.input(), by_key_.span(),
                                   reduced_.span()),
              0u);
    upsweep::inclusive_scan(to(0), lengths_.input(), offsets_.span().subspan(1));
    upsweep::reduce_segments(to(0), kept_.input(), offsets_.input(), totals_.span());
    upsweep::inclusive_scan_runs(from(0, 4), kept_.input(), kept_.input(), sums_.span());
    check_cuda(cudaMemcpyAsync(sorted_.data(), heads_.data(), n_ * sizeof(float),
                               cudaMemcpyDeviceToDevice, stream_),
               "copy");
    upsweep::sort(from(1, 1), sorted_.span());
    EXPECT_EQ(upsweep::select(from(1, 5), sorted_.input(), low_.span(), is_below{low_limit}), 0u);
    gpu counting = from(5, 5);
    counting.count_to = outside_.data();
    EXPECT_TRUE(upsweep::histogram(counting, low_.input(), bins_.span(), even{0, 40}) ==
                outside_counts{});
  }

  void expect(expected_chain const& want) const {
    ASSERT_EQ(counts_.values(), (std::vector<std::uint64_t>{want.kept.size(), want.heads.size(),
                                                            want.values.size(), want.starts.size(),
                                                            want.totals.size(), want.low.size()}));
    expect_first("select", kept_, want.kept);
    expect_first("unique", heads_, want.heads);
    expect_first("the values of runs", values_, want.values);
    expect_first("the lengths of runs", lengths_, want.lengths);
    expect_first("run_starts", starts_, want.starts);
    expect_first("the keys of reduce_runs", by_key_, want.by_key);
    expect_first("reduce_runs", reduced_, want.totals);
    expect_first("reduce_segments between the ends of runs", totals_, want.totals);
    expect_first("inclusive_scan_runs", sums_, want.sums);
    expect_first("sort", sorted_, want.sorted);
    expect_first("select of the sorted", low_, want.low);
    expect_first("histogram", bins_, want.bins);
    expect_first("outside of the histogram", outside_, want.outside);
  }

 private:
  /// A verb whose count goes to counts[which].
  [[nodiscard]] gpu to(int which) const {
    return {.stream = stream_, .workspace = &workspace_, .count_to = counts_.data() + which};
  }
  /// The same of a verb that takes its length from counts[length].
  [[nodiscard]] gpu from(int length, int which) const {
    gpu on = to(which);
    on.length_from = counts_.data() + length;
    return on;
  }

  std::size_t n_;
  mutable cuda_workspace workspace_;
  cudaStream_t stream_;
  on_gpu<float> in_, kept_, heads_, low_, values_, by_key_, reduced_, sums_, sorted_, totals_;
  on_gpu<std::uint32_t> lengths_, starts_, bins_, offsets_;
  on_gpu<std::uint64_t> counts_, outside_;
};

TEST(cuda_chains, pass_counts_from_verb_to_verb_in_a_graph_that_is_replayed) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1, 5000, 20'000, 300'000})) {
    own_stream const stream;
    std::size_t const replays = random_cases(n <= 20'000 ? 1000 : 300);
    // Replay k has the elements from k on, so that every tile and run begins elsewhere.
    auto const x = numbers_in_runs(n + replays);
    on_gpu<float> const all(x);
    chain const verbs(n, stream.get());
    recorded_calls const graph(stream.get(), [&] { verbs.run(80, 35); });
    for (std::size_t k = 0; k < replays; ++k) {
      SCOPED_TRACE(testing::Message() << "replay " << k << " of " << n << ", " << seed_note());
      check_cuda(cudaMemcpyAsync(verbs.input(), all.data() + k, n * sizeof(float),
                                 cudaMemcpyDeviceToDevice, stream.get()),
                 "copy test data");
      graph.launch(stream.get());
      stream.wait();
      verbs.expect(expected_chain(std::span(x).subspan(k, n), 80, 35));
      if (testing::Test::HasFailure()) return;
    }
  }
}
/// The chain without a graph, on parameters that leave nothing, or everything, to the later verbs.
TEST(cuda_chains, pass_counts_of_nothing_and_of_everything) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1, 777, 20'000, 1'000'000}))
    for (float const limit : {0.0f, 1.0f, 100.0f})
      for (float const low_limit : {0.0f, 100.0f}) {
        SCOPED_TRACE(testing::Message() << n << " elements, below " << limit << " and " << low_limit
                                        << ", " << seed_note());
        own_stream const stream;
        auto const x = numbers_in_runs(n);
        chain const verbs(n, stream.get());
        check_cuda(cudaMemcpy(verbs.input(), x.data(), n * sizeof(float), cudaMemcpyHostToDevice),
                   "copy test data");
        check_cuda(cudaDeviceSynchronize(), "copy test data");
        verbs.run(limit, low_limit);
        verbs.expect(expected_chain(x, limit, low_limit));
        if (testing::Test::HasFailure()) return;
      }
}

}  // namespace
}  // namespace upsweep::test
