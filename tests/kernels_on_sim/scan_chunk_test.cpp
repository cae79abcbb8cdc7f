/// Streams on the emulator: chunks of any length at any position, by scan_chunk and by the ring,
/// compared with the CPU's carry.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cuda/stream/scan_chunk.hpp>
#include <upsweep/ops/exact_sum.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

enum class wanted { inclusive, exclusive, total };

/// A stream on the emulator, beside the same one element by element on the CPU.
template <class T, class Op>
class two_streams {
  using A = accumulator_t<Op, T>;
  using value = chunk_value<Op, A>;
  using elements_in = element_source<T, T const*, detail::as_is, Op, false>;
  using results_out = element_sink<A, A*, Op, false>;

 public:
  using shape = tile_shape<2, 2, items_of<value>>;
  using ring_shape = tile_shape<2, 2, items_of<T>>;

  /// Before the first chunk there are blocks with arbitrary totals, one for each set bit of
  /// `position`.
  explicit two_streams(scheduled const& s, std::size_t position = 0)
      : machine_(machine_for(s)), words_(workspace_on(machine_, 8192)) {
    for (auto& values : carry_) values = machine_.allocate<A>(carry_values, "carry");
    auto const totals = elements_for<T>(64, position);
    for (unsigned k = 64; k-- > 0;) {
      if ((position >> k & 1) == 0) continue;
      A const total = upsweep::detail::lift(op_, totals[k], 0);
      expected_.push(static_cast<int>(k), total, op_);
      machine_.to_device(carry_[0] + k, std::span<A const>(&total, 1));
    }
  }

  /// A launch ends at the latest where the look-back's 2^30 tile numbers repeat.
  void push(std::size_t n, wanted what, std::optional<A> const& initial = std::nullopt) {
    std::size_t const span = std::size_t{shape::size} << 30, position = expected_.position();
    std::size_t const fit = detail::at_most(n, span - position % span);
    launch(fit, what, initial);
    if (fit < n) launch(n - fit, what, initial);
  }
  /// The same with the whole tiles by the ring.
  void push_by_ring(std::size_t n, wanted what, std::optional<A> const& initial = std::nullopt) {
    std::size_t const head = expected_.position() % ring_shape::size,
                      to_border = detail::at_most(n, (ring_shape::size - head) % ring_shape::size);
    if (to_border > 0) push(to_border, what, initial);
    std::size_t const whole = (n - to_border) / ring_shape::size * ring_shape::size;
    std::size_t const span = std::size_t{ring_shape::size} << 30,
                      fit = detail::at_most(whole, span - expected_.position() % span);
    if (fit > 0) launch(fit, what, initial, true);
    if (fit < whole) launch(whole - fit, what, initial, true);
    if (to_border + whole < n) push(n - to_border - whole, what, initial);
  }

 private:
  void launch(std::size_t n, wanted what, std::optional<A> const& initial, bool by_ring = false) {
    std::size_t const position = expected_.position(), head = position % shape::size;
    SCOPED_TRACE(testing::Message() << n << " elements at " << position << ", " << seed_note());
    auto const x = elements_for<T>(n, position);
    auto const in = machine_.allocate<T>(n, "in");
    machine_.to_device(in, std::span<T const>(x));
    auto const out = machine_.allocate<A>(n, "out");
    bool const vectors = head * sizeof(T) % 16 == 0;
    auto const put = [](A const& a) { return something<value>(a); };
    scan_start<value> start{value{}, value{}, initial.has_value(), position > 0};
    if (initial)
      start.initial = start.first = put(*initial);
    else if constexpr (monoid_over<Op, A>)
      start.first = put(identity_of<A>(op_));
    chunk_source<elements_in> const from{
        {in, n, {}, op_, vectors, position}, {op_}, {position, carry_[0]}, head};
    chunk_sink<results_out> const to{{out, n, op_, vectors}, head};
    new_carry<A, Op> const next{carry_[1]};
    auto const by = [&]<scan_kind kind>(std::integral_constant<scan_kind, kind>,
                                        auto const& results, auto const& of_ring) {
      if constexpr (has_vectors<T>)
        if (by_ring)
          return launch_ring<kind>(
              from.in, of_ring,
              {value_of(start.initial), value_of(start.first), initial.has_value(), position > 0},
              {from.start, next});
      machine_.launch({.name = "scan_chunk", .blocks = {3}, .threads = {shape::threads}},
                      scan_chunk<kind, shape, chunk_source<elements_in>,
                                 std::remove_cvref_t<decltype(results)>>,
                      from, results, start, next, words_);
    };
    if (what == wanted::total)
      by(std::integral_constant<scan_kind, scan_kind::inclusive>{}, no_results{}, no_results{});
    else if (what == wanted::inclusive)
      by(std::integral_constant<scan_kind, scan_kind::inclusive>{}, to, to.out);
    else
      by(std::integral_constant<scan_kind, scan_kind::exclusive>{}, to, to.out);
    std::swap(carry_[0], carry_[1]);
    std::vector<A> want;
    for (std::size_t i = 0; i < n; ++i) {
      A const before = with(initial, expected_.prefix(), value_of(start.first));
      expected_.push(0, upsweep::detail::lift(op_, x[i], position + i), op_);
      want.push_back(what == wanted::exclusive ? before
                                               : with(initial, expected_.prefix(), before));
    }
    if (what != wanted::total) expect_results(machine_.to_host(out, n), want);
    expect_carry();
    expect_no_finding(machine_);
  }
  template <scan_kind kind, class To>
  void launch_ring(elements_in const& in, To const& out, scan_start<A> const& start,
                   stream_chunk<ring_shape, A, Op> const& call) {
    using layout = ring_layout<ring_shape, elements_in>;
    ring_plan const plan{3, 2};
    machine_.launch(
        {.name = "scan_ring",
         .blocks = {3},
         .threads = {layout::threads},
         .shared_bytes = layout::shared_bytes(plan)},
        scan_ring<kind, ring_shape, elements_in, To, ring_parts, stream_chunk<ring_shape, A, Op>>,
        in, out, in.size, start, words_, plan, call);
  }
  A with(std::optional<A> const& initial, A const* prefix, A const& nothing) const {
    if (prefix == nullptr) return nothing;
    return initial ? op_(*initial, *prefix) : *prefix;
  }
  static void expect_results(std::vector<A> const& got, std::vector<A> const& want) {
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_TRUE(same_bits(got[i], want[i]))
          << "result " << i << ": " << shown(got[i]) << " is not " << shown(want[i]);
  }
  void expect_carry() {
    for (unsigned k = 0; k < 64; ++k) {
      if ((expected_.position() >> k & 1) == 0) continue;
      A const total = machine_.to_host(carry_[0] + k, 1)[0];
      ASSERT_TRUE(same_bits(total, expected_.total(static_cast<int>(k)))) << "total of digit " << k;
    }
    A const prefix = machine_.to_host(carry_[0] + carry_prefix, 1)[0];
    ASSERT_TRUE(same_bits(prefix, *expected_.prefix())) << "prefix";
  }

  Op op_;
  sim::machine machine_;
  workspace_words words_;
  A* carry_[2];
  carry<A> expected_;
};

template <class T, class Op>
void expect_streams(scheduled const& s) {
  SCOPED_TRACE(testing::Message() << s);
  two_streams<T, Op> both(s);
  std::size_t const tile = two_streams<T, Op>::shape::size;
  unsigned turn = 0;
  for (std::size_t const n :
       {std::size_t{1}, std::size_t{1}, std::size_t{5}, tile - 7, tile, tile + 1, std::size_t{31},
        3 * tile - 3, std::size_t{2}, 8 * tile + 77})
    both.push(n, static_cast<wanted>(turn++ % 3));
  for (std::size_t const n :
       {tile, std::size_t{5}, 2 * tile, 9 * tile + 3, 3 * tile, 3 * tile, 3 * tile})
    both.push_by_ring(n, static_cast<wanted>(turn++ % 3));
}

TEST(device_scan_chunk, has_the_bits_of_the_whole_stream_on_every_schedule) {
  for (scheduled const& s : every_schedule()) {
    expect_streams<float, plus>(s);
    expect_streams<affine_map<double>, affine>(s);
  }
}

TEST(device_scan_chunk, starts_and_ends_anywhere) {
  for (std::size_t const head : {0u, 1u, 3u, 4u, 8u, 33u, 64u, 100u, 127u})
    for (std::size_t const n : {1u, 2u, 3u, 4u, 31u, 64u, 127u, 128u, 129u, 300u})
      for (wanted const what : {wanted::inclusive, wanted::exclusive, wanted::total})
        two_streams<affine_map<double>, affine>({}, 5 * 128 + head).push(n, what);
}

TEST(device_scan_chunk, crosses_every_power_of_two) {
  for (unsigned const k : {9u, 12u, 14u, 17u, 22u, 31u, 32u, 36u, 38u, 50u}) {
    std::size_t const position = (std::size_t{1} << k) - 200;
    two_streams<affine_map<double>, affine>({}, position).push(450, wanted::inclusive);
    two_streams<float, plus>({}, position).push(1450, wanted::exclusive);
    two_streams<affine_map<double>, affine>({}, position).push_by_ring(450, wanted::exclusive);
    two_streams<float, plus>({}, position).push_by_ring(1450, wanted::inclusive);
    two_streams<float, plus>({}, position).push_by_ring(1450, wanted::total);
  }
}

TEST(device_scan_chunk, ends_where_tile_numbers_repeat) {
  std::size_t const span =
      two_streams<affine_map<double>, affine>::shape::size * (std::size_t{1} << 30);
  for (std::size_t const spans : {1u, 2u, 4u, 8u}) {
    two_streams<affine_map<double>, affine> both({}, spans * span - 150);
    both.push(150, wanted::inclusive);
    both.push(200, wanted::inclusive);
    two_streams<affine_map<double>, affine> again({}, spans * span - 200);
    again.push_by_ring(500, wanted::inclusive);
    two_streams<affine_map<double>, affine> totals({}, spans * span - 256);
    totals.push_by_ring(256, wanted::total);
    totals.push_by_ring(256, wanted::total);
  }
}

TEST(device_scan_chunk, takes_the_initial_value_and_the_first_exclusive_result) {
  two_streams<float, plus> sums({});
  sums.push_by_ring(700, wanted::exclusive);
  two_streams<float, plus> more({});
  more.push(700, wanted::exclusive, 3.5f);
  more.push(3, wanted::inclusive, 3.5f);
  two_streams<affine_map<double>, affine> maps({});
  maps.push(1, wanted::exclusive, affine_map<double>{2, 3});
  maps.push(300, wanted::inclusive, affine_map<double>{2, 3});
  two_streams<affine_map<double>, affine> by_ring({});
  by_ring.push_by_ring(300, wanted::exclusive, affine_map<double>{2, 3});
  by_ring.push_by_ring(300, wanted::inclusive, affine_map<double>{2, 3});
}

TEST(device_scan_chunk, combines_values_of_64_bytes_and_of_12) {
  two_streams<wide, join_wide> both({});
  for (std::size_t const n : {1u, 200u, 77u}) both.push(n, wanted::inclusive);
  two_streams<triple, compose_triples> triples({}, 1000);
  for (std::size_t const n : {1u, 200u, 77u}) triples.push(n, wanted::inclusive);
}

TEST(device_scan_chunk, counts_the_elements_of_1024_tiles_and_more) {
  two_streams<affine_map<double>, affine> both({.check = false}, 31 * 128 + 5);
  both.push(128 * 1100, wanted::inclusive);
  both.push(128 * 40 + 1, wanted::total);
  both.push_by_ring(128 * 1100, wanted::exclusive);
  both.push_by_ring(128 * 1100, wanted::total);
}

TEST(device_scan_chunk, reduces_exactly) {
  two_streams<float, exact_sum> both({});
  for (std::size_t const n : {1u, 300u, 128u * 300, 1000u}) both.push_by_ring(n, wanted::total);
}

TEST(device_scan_chunk, reduces_by_a_ring_whose_look_back_lags) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    two_streams<float, plus> both({sim::schedule::random, seed, 3});
    both.push_by_ring(128 * 60, wanted::total);
    both.push_by_ring(128 * 60 + 64, wanted::total);
  }
}
#ifdef UPSWEEP_FULL_TESTS
TEST(device_scan_chunk, is_right_for_every_associative_operator) {
  using streams = two_streams<element_run, join_element_runs>;
  for (scheduled const& s : every_schedule())
    for (wanted const what : {wanted::inclusive, wanted::exclusive, wanted::total}) {
      // One after the other: the elements of a stream follow each other.
      streams by_tiles(s);
      for (std::size_t const n : {1u, 2u, 33u, 64u, 127u, 300u, 5u}) by_tiles.push(n, what);
      streams by_ring(s);
      for (std::size_t const n : {1u, 2u, 33u, 64u, 127u, 300u, 5u}) by_ring.push_by_ring(n, what);
    }
}
#endif

}  // namespace
}  // namespace upsweep::test
