/// Scans of lines on the emulator, and logarithms of sums of their exponentials: the bits of the
/// CPU, also where elements are infinite or NaN, and of results near 0.
#include <kernels_on_sim/segments_on_sim.hpp>
#include <upsweep/cuda/segments/by_warps.hpp>
#include <upsweep/cuda/segments/lines.hpp>
#include <upsweep/cuda/segments/log_sums.hpp>
#include <upsweep/cuda/segments/long.hpp>
#include <upsweep/cuda/segments/on_gpu.hpp>
#include <upsweep/cuda/segments/reduce.hpp>
#include <upsweep/cuda/segments/scan.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
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

/// The same as elements, which may have 16 bits.
template <class E, class T>
std::vector<E> elements_of(std::vector<T> const& x) {
  std::vector<E> y;
  for (T const one : x) y.push_back(static_cast<E>(one));
  return y;
}

template <class E>
class log_sums_on_sim : public testing::Test {};
using chunk_types = testing::Types<float, bfloat16>;
TYPED_TEST_SUITE(log_sums_on_sim, chunk_types);

TYPED_TEST(log_sums_on_sim, have_the_bits_of_the_cpu_by_chunks) {
  using E = TypeParam;
  using A = accumulator_t<log_sums_of<float>, float>;
  for (std::size_t const size : {1u, 1000u, 1024u, 2050u, 4096u, 33825u}) {
    SCOPED_TRACE(testing::Message() << size << " elements, " << seed_note());
    std::size_t const count = size > 3000 ? 2 : 5, chunks = (size + 1023) / 1024;
    auto const x = elements_of<E>(lines_of<float>(count, size));
    std::vector<float> numbers(x.begin(), x.end()), want;
    for (std::size_t k = 0; k < count; ++k)
      want.push_back(reference::reduce(line(numbers, k, size), log_sum_exp{}));
    for (bool const vectors : {false, true}) {
      if (vectors && size * sizeof(E) % 16 != 0) continue;
      sim::machine m = machine_for({sim::schedule::random, size});
      auto* const in = m.allocate<E>(x.size(), "in");
      auto* const out = m.allocate<float>(count, "out");
      m.to_device(in, std::span<E const>(x));
      auto const w = workspace_on(m, workspace_words::needed<A>(count * chunks));
      log_sums_call<E> const call{in, count, size, static_cast<unsigned>(chunks), vectors, out};
      m.launch({.name = "log_sums_of_lines",
                .blocks = {static_cast<unsigned>((count * chunks + 3) / 4)},
                .threads = {32 * log_sum_warps}},
               log_sums_of_lines<E>, call, tile_tickets<true>{w});
      expect_equal(m.to_host(out, count), want);
      expect_no_finding(m);
    }
  }
}

template <class E>
class log_sums_near_zero_on_sim : public testing::Test {};
using near_zero_types = testing::Types<float, double, bfloat16>;
TYPED_TEST_SUITE(log_sums_near_zero_on_sim, near_zero_types);

TYPED_TEST(log_sums_near_zero_on_sim, are_computed_again_as_on_the_cpu) {
  using E = TypeParam;
  using T = log_sum_number<E>;
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
    auto const elements = elements_of<E>(x);
    x.assign(elements.begin(), elements.end());
    std::vector<T> first, want;
    for (std::size_t k = 0; k < count; ++k) {
      first.push_back(reference::reduce(line(x, k, size), log_sum_exp{}));
      want.push_back(upsweep::detail::log_of_sum(line(x, k, size), first.back()));
    }
    EXPECT_TRUE(size != 700 || want != first);
    for (unsigned const blocks : {1u, 3u, 8u}) {
      SCOPED_TRACE(testing::Message() << size << " elements, " << blocks << " blocks");
      sim::machine m = machine_for({sim::schedule::random, blocks});
      auto* const in = m.allocate<E>(x.size(), "in");
      auto* const out = m.allocate<T>(count, "out");
      m.to_device(in, std::span<E const>(elements));
      m.to_device(out, std::span<T const>(first));
      m.launch({.name = "log_sums_near_zero", .blocks = {blocks}, .threads = {near_threads}},
               log_sums_near_zero<E>, static_cast<E const*>(in), count, size, out);
      expect_equal(m.to_host(out, count), want);
      expect_no_finding(m);
    }
  }
}

/// The scans of `count` lines, from `in` on to `out` on.
template <class T, class In, class Out, class Op>
void scan_on(sim::machine& m, In const& in, Out const& out, contiguous_lines const& lines,
             Op const& op, std::optional<accumulator_t<Op, T>> const& initial) {
  using A = accumulator_t<Op, T>;
  using results_of = segment_results<A, Op, line_prefixes<Out>>;
  using input = element_input<In>;
  using shape = small_shape;
  segment_call const call{{lines.count * lines.size, nullptr}, {lines.count, nullptr}};
  workspace_words const w = workspace_on(m, 4096);
  segment_levels<shape, A> const levels{w.words + workspace_words::header, call.n.most,
                                        segment_levels<shape, A>::levels_of(call.n.most)};
  results_of const results{op, {out}, initial.value_or(A{}), A{}, initial.has_value(), true};
  m.launch(grid_over<shape>("scan_segments", 3, call.n.most + lines.count),
           scan_segments<scan_kind::inclusive, false, shape, input, T, line_borders, results_of, A>,
           call, input{in, false}, line_borders{lines.size}, results, levels,
           tile_tickets<false>{w});
}
/// The same of lines in the host's memory; in place if there is an initial value.
template <class T, class Op>
std::vector<T> scanned_lines(std::vector<T> const& x, contiguous_lines const& lines, Op const& op,
                             std::optional<accumulator_t<Op, T>> const& initial) {
  sim::machine m = machine_for({sim::schedule::random, lines.size});
  auto* const in = m.allocate<T>(x.size(), "in");
  auto* const out = initial ? in : m.allocate<T>(x.size(), "out");
  std::size_t const last = x.size() - 1;
  m.to_device(in, std::span<T const>(x));
  if (lines.reverse)
    scan_on<T>(m, reversed_memory<T const>{in + last}, reversed_memory<T>{out + last}, lines, op,
               initial);
  else
    scan_on<T>(m, static_cast<T const*>(in), out, lines, op, initial);
  auto const results = m.to_host(out, x.size());
  expect_no_finding(m);
  return results;
}

template <class To, class From>
std::vector<To> bits_as(std::vector<From> const& x) {
  std::vector<To> all;
  for (From const& one : x) all.push_back(std::bit_cast<To>(one));
  return all;
}
template <class Op>
inline constexpr bool is_extremum = std::is_same_v<Op, min> || std::is_same_v<Op, max>;

/// From either end, with and without an initial value.
template <class Op, class T>
void expect_line_scans(std::vector<T> const& x, std::size_t size, T const& first) {
  for (bool const reverse : {false, true})
    for (auto const& initial : {std::optional<T>{}, std::optional<T>{first}}) {
      contiguous_lines const lines{x.size() / size, size, reverse};
      SCOPED_TRACE(testing::Message() << Op::about.meaning << " " << size << " elements, reverse "
                                      << reverse << ", " << seed_note());
      std::vector<T> want;
      for (std::size_t k = 0; k < lines.count; ++k) {
        auto const mine = line(x, k, size);
        std::vector<T> ordered(mine.begin(), mine.end());
        if (reverse) std::reverse(ordered.begin(), ordered.end());
        std::vector<T> results = reference::inclusive_scan(ordered, Op{}, initial);
        if (reverse) std::reverse(results.begin(), results.end());
        want.insert(want.end(), results.begin(), results.end());
      }
      if constexpr (is_extremum<Op>) {
        using W = ordered_word<T>;
        auto const op = extremum_of<T>(std::is_same_v<Op, min>);
        std::optional<W> start;
        if (initial) start = op.lift(std::bit_cast<W>(*initial));
        expect_equal(bits_as<T>(scanned_lines(bits_as<W>(x), lines, op, start)), want);
      } else {
        std::optional<T> start;
        if (initial) start = upsweep::detail::start(Op{}, *initial);
        expect_equal(scanned_lines(x, lines, Op{}, start), want);
      }
    }
}

/// Lines of numbers around 1 and -1, the last ones with values that products and extrema treat
/// apart. The second one's product leaves the range of numbers and ends with a zero.
template <class T>
std::vector<T> factors_of(std::size_t count, std::size_t size) {
  using limits = std::numeric_limits<T>;
  T const special[] = {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), T{0}, -T{0},
                       limits::max(),      limits::lowest(),    limits::denorm_min()};
  random_bits next(test_seed() + size);
  std::vector<T> x;
  for (std::size_t i = 0; i < count * size; ++i) {
    T const factor = static_cast<T>(1 + static_cast<double>(next() >> 11) * 0x1p-58 - 0x1p-6);
    x.push_back(next() % 2 == 0 ? factor : -factor);
  }
  for (std::size_t i = 0; i < size && count > 1; ++i)
    x[size + i] = i + 1 == size ? T{0} : i % 3 == 0 ? limits::max() : x[size + i];
  for (std::size_t k = 2; k < count; ++k)
    for (std::size_t times = 0; times < k; ++times)
      x[k * size + next.below(size)] = special[next.below(std::size(special))];
  return x;
}

TYPED_TEST(lines_on_sim, are_scanned_from_either_end) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  for (std::size_t const size : {1u, 31u, 257u, 520u}) {
    auto const x = factors_of<T>(6, size);
    expect_line_scans<plus>(x, size, T{-3});
    expect_line_scans<multiplies>(x, size, -infinity);
    expect_line_scans<min>(x, size, T{0});
    expect_line_scans<max>(x, size, -T{0});
  }
}

template <class T>
class integer_lines_on_sim : public testing::Test {};
using integer_types = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(integer_lines_on_sim, integer_types);

TYPED_TEST(integer_lines_on_sim, are_scanned_from_either_end) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  random_bits next(test_seed());
  for (std::size_t const size : {1u, 300u}) {
    std::vector<T> x;
    for (std::size_t i = 0; i < 5 * size; ++i) {
      auto const some = static_cast<T>(next());
      x.push_back(next() % 64 == 0 ? limits::max() : next() % 64 == 0 ? limits::min() : some);
    }
    for (std::size_t i = 0; i < 2 * size; ++i) x[i] /= static_cast<T>(size * size);
    expect_line_scans<min>(x, size, T{5});
    expect_line_scans<max>(x, size, T{-5});
  }
}

/// Any two elements, with those that are next to the borders between numbers, infinities and NaN.
TYPED_TEST(lines_on_sim, have_extrema_of_any_two_elements) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  using W = ordered_word<T>;
  std::vector<T> x;
  for (T const one : {limits::quiet_NaN(), limits::infinity(), limits::max(), T{1}, T{0},
                      limits::min(), limits::denorm_min(),
                      std::bit_cast<T>(static_cast<W>(std::bit_cast<W>(limits::infinity()) + 1)),
                      std::bit_cast<T>(std::numeric_limits<W>::max())}) {
    x.push_back(one);
    x.push_back(-one);
  }
  auto const expect = [&](auto by) {
    auto const op = extremum_of<T>(std::is_same_v<decltype(by), min>);
    for (T const a : x)
      for (T const b : x) {
        W const both = op(op.lift(std::bit_cast<W>(a)), op.lift(std::bit_cast<W>(b)));
        expect_equal<T>({std::bit_cast<T>(op.finish(both))}, {by(a, b)});
        EXPECT_EQ(op.finish(op.lift(std::bit_cast<W>(a))), std::bit_cast<W>(a));
      }
  };
  expect(min{});
  expect(max{});
}

}  // namespace
}  // namespace upsweep::test
