/// select, partition, unique and runs on a GPU: the elements, positions and lengths of the
/// reference at every edge and alignment, in random cases, in place, without room, with counts and
/// lengths that stay on the device.
#include "endless.cuh"
#include "on_gpu.cuh"

#include <upsweep/cuda.cuh>
#include <upsweep/generic/reference.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

/// Twelve bytes, which no vector access moves.
struct three_words {
  std::uint32_t a, b, c;
  friend __host__ __device__ bool operator==(three_words const& x, three_words const& y) {
    return x.a == y.a && x.b == y.b && x.c == y.c;
  }
  friend __host__ __device__ bool operator<(three_words const& x, three_words const& y) {
    return x.a < y.a;
  }
};
template <class T>
T number(unsigned k) {
  if constexpr (std::is_same_v<T, three_words>)
    return {k, 7, 8};
  else
    return static_cast<T>(k);
}
template <class T>
struct is_below {
  T limit;
  __host__ __device__ bool operator()(T const& x) const { return x < limit; }
};
/// Numbers below 100 in runs of three on average.
template <class T>
std::vector<T> runs_of_numbers(std::size_t n, std::uint64_t salt) {
  random_bits next(test_seed() + n + salt);
  std::vector<T> x;
  while (x.size() < n)
    x.push_back(!x.empty() && next() % 3 != 0 ? x.back()
                                              : number<T>(static_cast<unsigned>(next() % 100)));
  return x;
}

/// `out` begins with `want` and keeps its poison after it.
template <class T>
void expect_begins(char const* what, on_gpu<T> const& out, std::size_t count,
                   std::vector<T> const& want) {
  ASSERT_EQ(count, want.size()) << what;
  auto const got = out.values();
  T poison;
  std::memset(static_cast<void*>(&poison), 0xa5, sizeof poison);
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(std::memcmp(&got[i], i < want.size() ? &want[i] : &poison, sizeof(T)) == 0)
        << what << ": element " << i << " of " << want.size();
}
template <class T>
std::vector<T> first_of(on_gpu<T> const& x, std::size_t count) {
  auto values = x.values();
  values.resize(count);
  return values;
}
std::vector<std::uint32_t> narrowed(std::vector<std::size_t> const& positions) {
  return {positions.begin(), positions.end()};
}

template <class T>
void expect_by_value(std::size_t n, std::size_t offset, unsigned limit, std::uint64_t salt = 0) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", offset " << offset << ", below " << limit
                                  << ", " << seed_note());
  auto const x = runs_of_numbers<T>(n, salt);
  is_below<T> const keep{number<T>(limit)}, second{number<T>(limit / 2 + 40)};
  auto const of = [&](auto const& test) {
    return reference::elements_at(x, reference::select_positions(x, test));
  };
  auto const yes = of(keep), no = of([&](T const& v) { return !keep(v); }),
             middle = of([&](T const& v) { return !keep(v) && second(v); }),
             others = of([&](T const& v) { return !keep(v) && !second(v); });
  on_gpu<T> const in(x, offset), a(n, offset), b(n), c(n), d(n), e(n), f(n);
  expect_begins("select", a, upsweep::select(gpu{}, in.input(), a.span(), keep), yes);
  auto const two = upsweep::partition(gpu{}, in.input(), b.span(), c.span(), keep);
  expect_begins("yes", b, two.yes, yes);
  expect_begins("no", c, two.no, no);
  auto const three =
      upsweep::partition(gpu{}, in.input(), d.span(), e.span(), f.span(), keep, second);
  expect_begins("first", d, three.first, yes);
  expect_begins("second", e, three.second, middle);
  expect_begins("rest", f, three.rest, others);
  on_gpu<std::uint32_t> const places(n);
  expect_begins("positions", places,
                upsweep::select_positions(gpu{}, in.input(), places.span(), keep),
                narrowed(reference::select_positions(x, keep)));
  EXPECT_TRUE(first_of(in, n) == x) << "the input was written to";
  std::size_t const kept = upsweep::select(gpu{}, in.input(), in.span(), keep);
  EXPECT_TRUE(kept == yes.size() && first_of(in, kept) == yes) << "in place";
}

template <class T>
void expect_by_others(std::size_t n, std::size_t offset, std::uint64_t salt = 0) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", offset " << offset << ", " << seed_note());
  auto const x = runs_of_numbers<T>(n, salt);
  random_bits next(n + salt);
  std::vector<std::uint8_t> flags(n);
  // Two of five elements, or few of some groups of 64.
  for (std::size_t i = 0; i < n; ++i)
    flags[i] = salt % 2 == 0 ? next() % 5 < 2 : i / 64 % 5 == 2 && next() % 20 == 0;
  auto const flagged = reference::select_positions(flags, [](std::uint8_t v) { return v != 0; });
  auto const same = [](T const& p, T const& q) { return p == q; };
  std::vector<T> heads;
  std::vector<std::uint32_t> starts, lengths;
  for (auto const& run : reference::values_of_runs(x, x, same)) {
    starts.push_back(lengths.empty() ? 0 : starts.back() + lengths.back());
    heads.push_back(run.front());
    lengths.push_back(static_cast<std::uint32_t>(run.size()));
  }
  on_gpu<T> const in(x, offset), a(n, offset), b(n, offset), c(n);
  on_gpu<std::uint8_t> const marks(flags, offset);
  on_gpu<std::uint32_t> const p(n), q(n), r(n);
  expect_begins("flags", a, upsweep::select(gpu{}, in.input(), marks.input(), a.span()),
                reference::elements_at(x, flagged));
  expect_begins("positions of flags", p, upsweep::select_positions(gpu{}, marks.input(), p.span()),
                narrowed(flagged));
  expect_begins("unique", b, upsweep::unique(gpu{}, in.input(), b.span()), heads);
  expect_begins("starts", q, upsweep::run_starts(gpu{}, in.input(), q.span()), starts);
  std::size_t const count = upsweep::runs(gpu{}, in.input(), c.span(), r.span());
  expect_begins("values of runs", c, count, heads);
  expect_begins("lengths of runs", r, count, lengths);
  on_gpu<T> const again(x, offset);
  std::size_t const kept = upsweep::unique(gpu{}, in.input(), in.span());
  EXPECT_TRUE(kept == heads.size() && first_of(in, kept) == heads) << "in place";
  std::size_t const left = upsweep::select(gpu{}, again.input(), marks.input(), again.span());
  EXPECT_TRUE(left == flagged.size() && first_of(again, left) == reference::elements_at(x, flagged))
      << "by flags in place";
}

/// Runs of 1 to 7 elements, and a few of 100'000; the first element of each is flagged, also in
/// place.
template <class T>
void expect_runs_and_flags(std::size_t n) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", " << seed_note());
  random_bits next(test_seed() + n);
  std::vector<T> x, heads;
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint8_t> flags;
  while (x.size() < n) {
    std::size_t const length =
        std::min(n - x.size(), next() % 5'000'000 == 0 ? 100'000 : next() % 7 + 1);
    heads.push_back(number<T>(heads.size() % 100));
    lengths.push_back(static_cast<std::uint32_t>(length));
    flags.push_back(1);
    x.insert(x.end(), length, heads.back());
    flags.insert(flags.end(), length - 1, 0);
  }
  on_gpu<T> const in(x), a(n), b(n), c(n);
  on_gpu<std::uint32_t> const r(n);
  on_gpu<std::uint8_t> const marks(flags);
  expect_begins("unique", a, upsweep::unique(gpu{}, in.input(), a.span()), heads);
  std::size_t const count = upsweep::runs(gpu{}, in.input(), b.span(), r.span());
  expect_begins("values of runs", b, count, heads);
  expect_begins("lengths of runs", r, count, lengths);
  expect_begins("flags", c, upsweep::select(gpu{}, in.input(), marks.input(), c.span()), heads);
  std::size_t const left = upsweep::select(gpu{}, in.input(), marks.input(), in.span());
  EXPECT_TRUE(left == heads.size() && first_of(in, left) == heads) << "in place";
}

TEST(cuda_select, has_the_elements_of_the_reference_at_every_edge) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({0, 1, 2, 31, 33, 127, 128, 129, 1023, 1024, 1025, 4095,
                                            4097, 8191, 8193, 131071, 131073, 600'011}))
    for (std::size_t const offset : {0u, 1u, 3u}) {
      for (unsigned const limit : {0u, 1u, 50u, 100u}) expect_by_value<float>(n, offset, limit);
      expect_by_value<std::uint8_t>(n, offset, 50);
      expect_by_value<three_words>(n, offset, 50);
      expect_by_others<float>(n, offset);
      for (std::uint64_t const salt : {0u, 1u}) expect_by_others<std::uint8_t>(n, offset, salt);
      expect_by_others<three_words>(n, offset);
    }
}
TEST(cuda_select, has_them_in_arrays_whose_tiles_are_two_stages) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({(std::size_t{1} << 25) + 16385})) {
    expect_by_value<float>(n, 0, 30);
    expect_runs_and_flags<float>(n);
  }
  for (std::size_t const n : at_most_given({(std::size_t{1} << 27) + 65537}))
    expect_runs_and_flags<std::uint8_t>(n);
}
TEST(cuda_select, has_them_in_random_cases) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  for (std::size_t k = 0; k < random_cases(500); ++k) {
    std::size_t const n = next() % limited(k % 10 == 0 ? 400'000 : 20'000), offset = next() % 4;
    expect_by_value<float>(n, offset, static_cast<unsigned>(next() % 101), k);
    expect_by_others<float>(n, offset, k);
  }
}

TEST(cuda_select, refuses_an_output_without_room_and_fills_it) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1000, 300'000})) {
    auto const x = runs_of_numbers<float>(n, 0);
    auto want = reference::elements_at(x, reference::select_positions(x, is_below<float>{50}));
    on_gpu<float> const in(x), out(want.size() - 1);
    EXPECT_THROW((void)upsweep::select(gpu{}, in.input(), out.span(), is_below<float>{50}),
                 precondition_error);
    want.pop_back();
    EXPECT_TRUE(out.values() == want);
  }
}

/// Counts its calls.
struct counted {
  unsigned long long* calls;
  __host__ __device__ bool operator()([[maybe_unused]] float x) const {
#ifdef __CUDA_ARCH__
    atomicAdd(calls, 1ull);
#endif
    return x < 50;
  }
};
TEST(cuda_select, calls_the_predicate_once_for_each_element) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1, 1000, 300'001})) {
    on_gpu<float> const in(runs_of_numbers<float>(n, 0)), out(n);
    on_gpu<unsigned long long> const calls(std::vector<unsigned long long>{0});
    (void)upsweep::select(gpu{}, in.input(), out.span(), counted{calls.data()});
    EXPECT_EQ(calls.values()[0], n);
  }
}

struct is_rare {
  __host__ __device__ bool operator()(std::uint64_t i) const { return i % 1'000'000'007 == 5; }
};
TEST(cuda_select, finds_positions_beyond_2_to_32) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = (std::size_t{1} << 32) + 77;
  if (most_elements() < n) GTEST_SKIP() << "UPSWEEP_GPU_MOST";
  std::ranges::subrange const all(numbers(0), numbers(static_cast<std::int64_t>(n)));
  on_gpu<std::uint64_t> const out(16);
  std::vector<std::uint64_t> want;
  for (std::uint64_t i = 5; i < n; i += 1'000'000'007) want.push_back(i);
  expect_begins("positions", out, upsweep::select_positions(gpu{}, all, out.span(), is_rare{}),
                want);
}

/// Selects from x what is below 80, and from that what is below 40, without the host knowing how
/// many there are.
TEST(cuda_select, chains_counts_on_the_device_in_a_graph_that_is_replayed) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({5000, 1'000'000})) {
    own_stream const stream;
    cuda_workspace workspace(stream.get(), 1 << 22);
    auto const x = runs_of_numbers<float>(n, 0);
    on_gpu<float> const in(x), some(n), few(n);
    on_gpu<std::uint64_t> const counts(2);
    gpu const first{.stream = stream.get(), .workspace = &workspace, .count_to = counts.data()},
        second{.stream = stream.get(),
               .workspace = &workspace,
               .count_to = counts.data() + 1,
               .length_from = counts.data()};
    recorded_calls const graph(stream.get(), [&] {
      EXPECT_EQ(upsweep::select(first, in.input(), some.span(), is_below<float>{80}), 0u);
      EXPECT_EQ(upsweep::select(second, some.input(), few.span(), is_below<float>{40}), 0u);
    });
    graph.launch(stream.get(), replays(1000));
    stream.wait();
    auto const want =
        reference::elements_at(x, reference::select_positions(x, is_below<float>{40}));
    expect_begins("twice selected", few, counts.values()[1], want);
  }
}
/// Each selection reads what the one before it has stored in place, in sectors that blocks share.
TEST(cuda_select, reads_what_was_just_selected_in_place) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({20'000, 400'000, 3'000'000}))
    for (std::size_t const offset : {0u, 1u, 3u}) {
      own_stream const stream;
      auto const x = runs_of_numbers<float>(n, 0);
      on_gpu<float> const source(x), work(n, offset);
      on_gpu<std::uint64_t> const counts(1);
      gpu const first{.stream = stream.get(), .count_to = counts.data()},
          next{.stream = stream.get(), .count_to = counts.data(), .length_from = counts.data()};
      for (int run = 0; run < 20; ++run) {
        check_cuda(cudaMemcpyAsync(work.data(), source.data(), n * sizeof(float),
                                   cudaMemcpyDeviceToDevice, stream.get()),
                   "copy test data");
        upsweep::select(first, work.input(), work.span(), is_below<float>{90});
        for (int most = 85; most >= 40; most -= 5)
          upsweep::select(next, work.input(), work.span(), is_below<float>{float(most)});
        stream.wait();
        auto const want =
            reference::elements_at(x, reference::select_positions(x, is_below<float>{40}));
        ASSERT_EQ(counts.values()[0], want.size());
        ASSERT_TRUE(first_of(work, want.size()) == want) << "run " << run << " of " << n;
      }
    }
}
TEST(cuda_select, stores_counts_of_parts_and_of_nothing) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({0, 1000, 300'000})) {
    auto const x = runs_of_numbers<float>(n, 0);
    on_gpu<float> const in(x), a(n), b(n);
    on_gpu<std::uint64_t> const counts(2);
    auto const none = upsweep::partition(gpu{.count_to = counts.data()}, in.input(), a.span(),
                                         b.span(), is_below<float>{50});
    EXPECT_EQ(none, partition_counts{});
    auto const yes = static_cast<std::uint64_t>(
        std::count_if(x.begin(), x.end(), [](float v) { return v < 50; }));
    EXPECT_TRUE(counts.values() == (std::vector<std::uint64_t>{yes, n - yes}));
  }
}
TEST(cuda_select, has_the_same_result_in_place_a_thousand_times) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({3'000'000})) {
    auto const x = runs_of_numbers<float>(n, 0);
    is_below<float> const most{99};
    auto const want = reference::elements_at(x, reference::select_positions(x, most));
    on_gpu<float> const source(x), work(n);
    for (int k = 0; k < 1000; ++k) {
      check_cuda(
          cudaMemcpy(work.data(), source.data(), n * sizeof(float), cudaMemcpyDeviceToDevice),
          "copy test data");
      std::size_t const kept = upsweep::select(gpu{}, work.input(), work.span(), most);
      ASSERT_EQ(kept, want.size());
      if (k % 50 == 0) {
        auto const got = first_of(work, kept);
        ASSERT_TRUE(got == want) << "run " << k;
      }
    }
  }
}

}  // namespace
}  // namespace upsweep::test
