/// Logarithms of sums of exponentials of lines on the emulator: the bits of the CPU, also where
/// elements are infinite or NaN, and of results near 0.
#include <kernels_on_sim/segments_on_sim.hpp>
#include <upsweep/cuda/segments/by_warps.hpp>
#include <upsweep/cuda/segments/lines.hpp>
#include <upsweep/cuda/segments/log_sums.hpp>
#include <upsweep/cuda/segments/long.hpp>
#include <upsweep/cuda/segments/reduce.hpp>
#include <upsweep/cuda/segments/scan.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

/// Tiles of 256 elements and ends, chunks of 64, items of 2.
using small_shape = segment_shape<256, 1, 2, 1>;

template <class T>
class lines_on_sim : public testing::Test {};
using real_types = testing::Types<float, double>;
TYPED_TEST_SUITE(lines_on_sim, real_types);

/// Running sums of `count` lines, from `in` on to `out` on.
template <class T, class In, class Out>
void scan_on(sim::machine& m, workspace_words w, In const& in, std::size_t count, std::size_t size,
             Out const& out) {
  using results_of = segment_results<T, plus, line_prefixes<Out>>;
  using input = element_input<In>;
  using shape = small_shape;
  segment_call const call{{count * size, nullptr}, {count, nullptr}};
  segment_levels<shape, T> const levels{w.words + workspace_words::header, call.n.most,
                                        segment_levels<shape, T>::levels_of(call.n.most)};
  m.launch(grid_over<shape>("scan_segments", 3, call.n.most + count),
           scan_segments<scan_kind::inclusive, false, shape, input, T, line_borders, results_of, T>,
           call, input{in, false}, line_borders{size}, results_of{{}, {out}, T{}, T{}, false, true},
           levels, tile_tickets<false>{w});
}

/// Lines of numbers from -10 to 10; some have infinities, NaN, or a number that outweighs all.
template <class T>
std::vector<T> lines_of(std::size_t count, std::size_t size) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  T const special[] = {infinity, -infinity, std::numeric_limits<T>::quiet_NaN(), 100, -110, 800};
  random_bits next(test_seed() + size);
  std::vector<T> x;
  for (std::size_t i = 0; i < count * size; ++i)
    x.push_back(static_cast<T>(20 * static_cast<double>(next() >> 11) * 0x1p-53 - 10));
  for (std::size_t k = 2; k < count && size > 0; ++k)
    for (std::size_t times = 0; times < 1 + k % 3; ++times)
      x[k * size + next.below(size)] = special[next.below(6)];
  if (count > 1)
    for (std::size_t i = 0; i < size; ++i) x[size + i] = -infinity;
  return x;
}

template <class T>
std::span<T const> line(std::vector<T> const& x, std::size_t k, std::size_t size) {
  return {x.data() + k * size, size};
}

template <class T>
void expect_equal(std::vector<T> const& got, std::vector<T> const& want) {
  for (std::size_t k = 0; k < want.size(); ++k) {
    bool const are_nan = got[k] != got[k] && want[k] != want[k];
    EXPECT_TRUE(are_nan || same_bits(got[k], want[k]))
        << "line " << k << ": " << shown(got[k]) << " is not " << shown(want[k]);
  }
}

/// By tiles, by ranges, or by a segment for each warp.
template <class T>
void reduce_on(sim::machine& m, unsigned kernel, workspace_words w, T const* in, std::size_t count,
               std::size_t size, T* out) {
  using op = log_sums_of<T>;
  using A = accumulator_t<op, T>;
  using results_of = segment_results<A, op, line_results<T, op>>;
  using input = element_input<T const*>;
  using shape = small_shape;
  results_of const results{op{}, {out, op{}}, A{}, A{}, false, true};
  segment_call const call{{count * size, nullptr}, {count, nullptr}};
  segment_levels<shape, A> const levels{w.words + workspace_words::header, call.n.most,
                                        segment_levels<shape, A>::levels_of(call.n.most)};
  std::size_t const work = call.n.most + count, range = 3 * shape::chunk;
  auto const blocks_of = [](std::size_t warps) {
    return static_cast<unsigned>((warps + shape::warps - 1) / shape::warps);
  };
  input const x{in, true};
  if (kernel == 0)
    m.launch(grid_over<shape>("reduce_segments", 3, work),
             reduce_segments<false, shape, input, line_borders, results_of, A>, call, x,
             line_borders{size}, results, levels, tile_tickets<false>{w});
  else if (kernel == 1)
    m.launch(grid_over<shape>("reduce_long_segments", 3, work),
             reduce_long_segments<shape, input, line_borders, results_of, A>, call, x,
             line_borders{size}, results, levels, w, range);
  else
    m.launch({.name = "reduce_by_warps",
              .blocks = {blocks_of(count) + blocks_of((work + range - 1) / range)},
              .threads = {shape::threads}},
             reduce_by_warps<shape, input, line_borders, results_of, A>, call, x,
             line_borders{size}, results, levels, tile_tickets<true>{w}, range);
}

TYPED_TEST(lines_on_sim, have_the_bits_of_the_cpu) {
  using T = TypeParam;
  for (std::size_t const size : {0u, 1u, 2u, 31u, 64u, 65u, 300u, 1500u}) {
    std::size_t const count = size > 200 ? 4 : 9;
    auto const x = lines_of<T>(count, size);
    std::vector<T> want;
    for (std::size_t k = 0; k < count; ++k)
      want.push_back(reference::reduce(line(x, k, size), log_sum_exp{}));
    for (unsigned kernel = 0; kernel < 3; ++kernel) {
      SCOPED_TRACE(testing::Message()
                   << size << " elements, kernel " << kernel << ", " << seed_note());
      sim::machine m = machine_for({sim::schedule::random, kernel});
      auto* const in = m.allocate<T>(x.size() + 1, "in");
      auto* const out = m.allocate<T>(count, "out");
      m.to_device(in, std::span<T const>(x));
      reduce_on(m, kernel, workspace_on(m, 4096), in, count, size, out);
      expect_equal(m.to_host(out, count), want);
      expect_no_finding(m);
    }
  }
}

TEST(log_sums_on_sim, have_the_bits_of_the_cpu_by_chunks) {
  using A = accumulator_t<log_sums_of<float>, float>;
  for (std::size_t const size : {1u, 1000u, 1024u, 2050u, 7168u, 33825u}) {
    SCOPED_TRACE(testing::Message() << size << " elements, " << seed_note());
    std::size_t const count = size > 3000 ? 2 : 5, chunks = (size + 1023) / 1024;
    auto const x = lines_of<float>(count, size);
    std::vector<float> want;
    for (std::size_t k = 0; k < count; ++k)
      want.push_back(reference::reduce(line(x, k, size), log_sum_exp{}));
    for (bool const vectors : {false, true}) {
      if (vectors && size % 4 != 0) continue;
      sim::machine m = machine_for({sim::schedule::random, size});
      auto* const in = m.allocate<float>(x.size(), "in");
      auto* const out = m.allocate<float>(count, "out");
      m.to_device(in, std::span<float const>(x));
      auto const w = workspace_on(m, workspace_words::needed<A>(count * chunks));
      log_sums_call<float> const call{in, count, size, static_cast<unsigned>(chunks), vectors, out};
      m.launch({.name = "log_sums_of_lines",
                .blocks = {static_cast<unsigned>((count * chunks + 3) / 4)},
                .threads = {32 * log_sum_warps}},
               log_sums_of_lines<float>, call, tile_tickets<true>{w});
      expect_equal(m.to_host(out, count), want);
      expect_no_finding(m);
    }
  }
}

TYPED_TEST(lines_on_sim, near_zero_are_computed_again_as_on_the_cpu) {
  using T = TypeParam;
  for (std::size_t const size : {1u, 2u, 255u, 256u, 700u}) {
    constexpr std::size_t count = 7;
    auto x = lines_of<T>(count, size);
    for (T& one : x) one = static_cast<T>(-50) - std::fabs(one == one ? one : T{1}) / 10;
    T const near[count] = {0,
                           static_cast<T>(-1e-7),
                           static_cast<T>(-0.06),
                           static_cast<T>(-0.07),
                           static_cast<T>(1e-3),
                           3,
                           0};
    for (std::size_t k = 0; k < count; ++k) x[k * size + k * 91 % size] = near[k];
    std::vector<T> first, want;
    for (std::size_t k = 0; k < count; ++k) {
      first.push_back(reference::reduce(line(x, k, size), log_sum_exp{}));
      want.push_back(upsweep::detail::log_of_sum(line(x, k, size), first.back()));
    }
    EXPECT_TRUE(size != 700 || want != first);
    for (unsigned const blocks : {1u, 3u, 8u}) {
      SCOPED_TRACE(testing::Message() << size << " elements, " << blocks << " blocks");
      sim::machine m = machine_for({sim::schedule::random, blocks});
      auto* const in = m.allocate<T>(x.size(), "in");
      auto* const out = m.allocate<T>(count, "out");
      m.to_device(in, std::span<T const>(x));
      m.to_device(out, std::span<T const>(first));
      m.launch({.name = "log_sums_near_zero", .blocks = {blocks}, .threads = {near_threads}},
               log_sums_near_zero<T>, static_cast<T const*>(in), count, size, out);
      expect_equal(m.to_host(out, count), want);
      expect_no_finding(m);
    }
  }
}

TYPED_TEST(lines_on_sim, have_running_sums_from_either_end) {
  using T = TypeParam;
  for (std::size_t const size : {1u, 31u, 257u, 900u}) {
    constexpr std::size_t count = 3;
    auto x = lines_of<T>(1, count * size);
    std::size_t const last = x.size() - 1;
    for (bool const reverse : {false, true}) {
      SCOPED_TRACE(testing::Message() << size << " elements, reverse " << reverse);
      std::vector<T> want;
      for (std::size_t k = 0; k < count; ++k) {
        std::vector<T> mine(x.begin() + static_cast<std::ptrdiff_t>(k * size),
                            x.begin() + static_cast<std::ptrdiff_t>((k + 1) * size));
        if (reverse) std::reverse(mine.begin(), mine.end());
        std::vector<T> sums = reference::inclusive_scan(mine, plus{}, std::optional<T>{});
        if (reverse) std::reverse(sums.begin(), sums.end());
        want.insert(want.end(), sums.begin(), sums.end());
      }
      sim::machine m = machine_for({sim::schedule::random, size});
      auto* const in = m.allocate<T>(x.size(), "in");
      auto* const out = m.allocate<T>(x.size(), "out");
      m.to_device(in, std::span<T const>(x));
      if (reverse)
        scan_on<T>(m, workspace_on(m, 4096), reversed_memory<T const>{in + last}, count, size,
                   reversed_memory<T>{out + last});
      else
        scan_on<T>(m, workspace_on(m, 4096), static_cast<T const*>(in), count, size, out);
      expect_equal(m.to_host(out, x.size()), want);
      expect_no_finding(m);
    }
  }
}

}  // namespace
}  // namespace upsweep::test
