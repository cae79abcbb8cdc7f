/// The golden sets of the trees that are not the prefix tree.
#include "other_tree.hpp"

#include <conformance/backends.hpp>
#include <upsweep/anchored_scan.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>
#include <upsweep/partial.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::golden_set {
namespace {

// tree::pairwise gives the results of the set that pairwise.py made, on any number of threads, in
// pieces and in chunks, and the published results of P4016's example.

using reductions = table<
    over<types<plus, multiplies>, types<bfloat16, float, double, std::int32_t, std::uint64_t>>,
    over<types<max, exact_sum, log_sum_exp>, types<float, double>>,
    over<types<moments>, types<double>>,
    over<types<affine>, types<affine_map<float>, affine_map<double>>>,
    over<types<matrix2x2_product>, types<matrix2x2<double>>>>;

template <class R>
std::string listed_one(R const& result) {
  listing one;
  one.add_result(result);
  return one.text();
}

/// The reduction of each line of a matrix.
template <class T, class Op>
std::string of_lines(cpu const& on, call_case const& c, std::vector<T> const& x, Op const& op) {
  auto const shape = c.shape();
  auto rest = shape;
  int const axis = static_cast<int>(c.number("axis"));
  rest.erase(rest.begin() + axis);
  room<result_t<Op, T>> const out(x.size() / shape[c.number("axis")]);
  upsweep::reduce(on, strided_view<T const>(x.data(), shape),
                  strided_view<result_t<Op, T>>(out.first.get(), rest), op,
                  {.axis = axis, .tree = tree::pairwise});
  return listed(out.all());
}

/// By reduce().
struct by_one_call {
  cpu on;
  template <class T, class Op>
  std::string operator()(call_case const& c, Op const& op) const {
    inputs<Op, T> in(op, c);
    if (c.verb == "reduce_lines") return of_lines(on, c, in.x, op);
    in.how.tree = tree::pairwise;
    return listed_one(upsweep::reduce(on, in.x, op, in.how));
  }
};

/// By partials of two pieces, and by a stream of two chunks, which must agree.
struct by_pieces {
  template <class T, class Op>
  std::string operator()(call_case const& c, Op const& op) const {
    inputs<Op, T> in(op, c);
    if (in.how.reverse || c.verb == "reduce_lines") return by_one_call{}.operator()<T>(c, op);
    in.how.tree = tree::pairwise;
    std::span<T const> const x(in.x);
    std::size_t const cut = x.size() * 2 / 5;
    partial<T, Op> whole(0, op), later(cut, op);
    whole.push(x.first(cut));
    later.push(x.subspan(cut));
    whole.append(later);
    reduce_stream<T, Op> stream(op, in.how);
    stream.push(x.first(cut));
    stream.push(x.subspan(cut));
    EXPECT_EQ(listed_one(stream.result()), listed_one(whole.result(in.how))) << c.text();
    return listed_one(whole.result(in.how));
  }
};

/// The cases of the set whose result is not what `compute` gives.
template <class Compute>
std::vector<std::string> differing_cases(Compute const& compute) {
  return differing_cases_of<reductions>(UPSWEEP_PAIRWISE_RECIPE, UPSWEEP_PAIRWISE_SET, compute);
}

TEST(golden_pairwise, is_what_reduce_gives_on_any_number_of_threads) {
  EXPECT_EQ(differing_cases(by_one_call{cpu{}}), std::vector<std::string>{});
  test::every_call_starts_threads const small_too;
  for (int threads = 1; threads <= 7; ++threads)
    EXPECT_EQ(differing_cases(by_one_call{cpu{threads}}), std::vector<std::string>{})
        << threads << " threads";
}

TEST(golden_pairwise, is_what_pieces_and_chunks_give) {
  EXPECT_EQ(differing_cases(by_pieces{}), std::vector<std::string>{});
}

TEST(golden_pairwise, has_its_hash_on_the_page) {
  sha256 hash;
  hash.add(content(UPSWEEP_PAIRWISE_SET));
  EXPECT_NE(content(UPSWEEP_PAIRWISE_PAGE).find(hash.hex()), std::string::npos);
}

// Wrong joins of the right blocks: the set must tell each of them.

/// The result of a case from the totals of its blocks, which `Join` combines.
template <class Join>
struct joined_by {
  template <class T, class Op>
  std::string operator()(call_case const& c, Op const& op) const {
    using A = accumulator_t<Op, T>;
    inputs<Op, T> const in(op, c);
    if (c.verb == "reduce_lines" || in.x.empty() || is_exact<Op, A>)
      return by_one_call{}.operator()<T>(c, op);
    std::vector<T> x = in.x;
    if (in.how.reverse) std::reverse(x.begin(), x.end());
    partial<T, Op> p(0, op);
    p.push(x);
    std::vector<A> const blocks(p.totals().begin(), p.totals().end());
    std::optional<A> const initial = in.how.initial;
    return listed_one(detail::finished(op, Join{}(blocks, initial, op)));
  }
};

struct right_join {
  template <class A, class Op>
  A operator()(std::vector<A> blocks, std::optional<A> const& initial, Op const& op) const {
    A total = blocks.back();
    for (std::size_t i = blocks.size() - 1; i-- > 0;) total = op(blocks[i], total);
    return initial ? op(*initial, total) : total;
  }
};
struct from_the_left {
  template <class A, class Op>
  A operator()(std::vector<A> blocks, std::optional<A> const& initial, Op const& op) const {
    A total = blocks.front();
    for (std::size_t i = 1; i < blocks.size(); ++i) total = op(total, blocks[i]);
    return initial ? op(*initial, total) : total;
  }
};
struct with_swapped_operands {
  template <class A, class Op>
  A operator()(std::vector<A> blocks, std::optional<A> const& initial, Op const& op) const {
    A total = blocks.back();
    for (std::size_t i = blocks.size() - 1; i-- > 0;) total = op(total, blocks[i]);
    return initial ? op(*initial, total) : total;
  }
};
struct with_initial_on_the_right {
  template <class A, class Op>
  A operator()(std::vector<A> const& blocks, std::optional<A> const& initial, Op const& op) const {
    A const total = right_join{}(blocks, std::optional<A>{}, op);
    return initial ? op(total, *initial) : total;
  }
};
struct with_initial_in_the_first_block {
  template <class A, class Op>
  A operator()(std::vector<A> blocks, std::optional<A> const& initial, Op const& op) const {
    if (initial) blocks.front() = op(*initial, blocks.front());
    return right_join{}(blocks, std::optional<A>{}, op);
  }
};
struct without_the_last_block {
  template <class A, class Op>
  A operator()(std::vector<A> blocks, std::optional<A> const& initial, Op const& op) const {
    if (blocks.size() > 1) blocks.pop_back();
    return right_join{}(blocks, initial, op);
  }
};

TEST(golden_pairwise, tells_wrong_joins) {
  EXPECT_EQ(differing_cases(joined_by<right_join>{}), std::vector<std::string>{});
  EXPECT_GT(differing_cases(joined_by<from_the_left>{}).size(), 100u);
  EXPECT_GT(differing_cases(joined_by<with_swapped_operands>{}).size(), 50u);
  EXPECT_GT(differing_cases(joined_by<with_initial_on_the_right>{}).size(), 20u);
  EXPECT_GT(differing_cases(joined_by<with_initial_in_the_first_block>{}).size(), 50u);
  EXPECT_GT(differing_cases(joined_by<without_the_last_block>{}).size(), 200u);
}

// P4016R0, appendix K: the seed, the numbers and the two results.
TEST(golden_pairwise, has_the_published_results_of_p4016) {
  constexpr std::size_t n = 1'000'000;
  std::vector<double> x(n);
  std::uint64_t state = 0x243f6a8885a308d3u;
  for (double& value : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<double>(static_cast<std::int64_t>(state >> 11) - (std::int64_t{1} << 52)) /
            static_cast<double>(std::int64_t{1} << 52);
  }
  ASSERT_EQ(bits_of(x[0]), 0x3fd37de3b20e9fdcu);
  ASSERT_EQ(bits_of(x[4]), 0x3fef95133e17376eu);
  auto const with_lanes = [&](cpu const& on, std::size_t lanes) {
    // Lane j has the elements j, j + lanes, ...; the last ones are missing in some lanes.
    std::vector<double> lane(lanes);
    for (std::size_t j = 0; j < lanes; ++j) {
      std::vector<double> own;
      for (std::size_t i = j; i < n; i += lanes) own.push_back(x[i]);
      lane[j] = reduce(on, own, plus{}, {.tree = tree::pairwise});
    }
    return bits_of(reduce(on, lane, plus{}, {.tree = tree::pairwise}));
  };
  for (int const threads : {1, 2, 7}) {
    EXPECT_EQ(with_lanes(cpu{threads}, 16), 0x40618f71f6379380u) << threads;
    EXPECT_EQ(with_lanes(cpu{threads}, 128), 0x40618f71f6379397u) << threads;
  }
  // Where every lane has as many elements, lanes are an axis.
  std::vector<double> lane(16);
  reduce(strided_view<double const>(x.data(), {n / 16, 16}),
         strided_view<double>(lane.data(), {16}), plus{}, {.axis = 0, .tree = tree::pairwise});
  EXPECT_EQ(bits_of(reduce(lane, plus{}, {.tree = tree::pairwise})), 0x40618f71f6379380u);
}

// The tree of anchored blocks gives the results of the set that blocks.py made: by anchored_scan
// in chunks of any lengths, and, for linear recurrences, by the kernel for many lanes.

using scans = table<over<types<plus>, types<bfloat16, float, double, std::int32_t, std::uint64_t>>,
                    over<types<multiplies, max, log_sum_exp>, types<float, double>>,
                    over<types<moments>, types<double>>,
                    over<types<affine>, types<affine_map<float>, affine_map<double>,
                                              affine_map<bfloat16>, affine_map<std::int32_t>>>,
                    over<types<matrix2x2_product>, types<matrix2x2<double>>>>;

/// Where the sequences of a case begin in the order of its elements: a sequence has `size` elements
/// from `first` on, `stride` elements apart.
struct sequence {
  std::size_t first, size, stride = 1;
};
std::vector<sequence> sequences_of(call_case const& c) {
  if (c.verb == "inclusive_scan_segments") {
    std::vector<sequence> all;
    auto const offsets = segment_offsets(c.n(), c.get("cut"));
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      all.push_back({offsets[s], offsets[s + 1] - offsets[s]});
    return all;
  }
  if (c.verb != "inclusive_scan_lines") return {{0, c.n()}};
  std::vector<sequence> all;
  auto const shape = c.shape();
  std::size_t const axis = c.number("axis");
  std::size_t stride = 1;
  for (std::size_t d = axis + 1; d < shape.size(); ++d) stride *= shape[d];
  for (std::size_t i = 0; i < c.n(); ++i)
    if (i / stride % shape[axis] == 0) all.push_back({i, shape[axis], stride});
  return all;
}

/// By anchored_scan, in chunks of `chunk` elements.
struct by_chunks {
  std::size_t chunk;
  template <class T, class Op>
  std::string operator()(call_case const& c, Op const& op) const {
    using R = result_t<Op, T>;
    inputs<Op, T> const in(op, c);
    room<R> const out(c.n());
    std::string last;
    for (sequence const& s : sequences_of(c)) {
      std::vector<T> x;
      for (std::size_t i = 0; i < s.size; ++i) x.push_back(in.x[s.first + i * s.stride]);
      if (in.how.reverse) std::reverse(x.begin(), x.end());
      room<R> const y(x.size());
      anchored_scan<T, Op> scan(op, in.how.initial);
      for (std::size_t i = 0; i < x.size(); i += chunk) {
        std::size_t const n = std::min(chunk, x.size() - i);
        anchored_scan<T, Op> continued = scan;  // a copy is a saved state
        continued.inclusive(std::span<T const>(x).subspan(i, n), y.all().subspan(i, n));
        scan = continued;
      }
      if (in.how.reverse) std::reverse(y.first.get(), y.first.get() + x.size());
      for (std::size_t i = 0; i < s.size; ++i) out.first[s.first + i * s.stride] = y.first[i];
      if (c.verb == "reduce") {
        listing one;
        one.add_result(scan.result());
        last = one.text();
      }
    }
    return c.verb == "reduce" ? last : listed(out.all());
  }
};

/// The cases of the set whose result is not what `compute` gives.
template <class Compute>
std::vector<std::string> differing_scans(Compute const& compute) {
  return differing_cases_of<scans>(UPSWEEP_BLOCKS_RECIPE, UPSWEEP_BLOCKS_SET, compute);
}

TEST(golden_blocks, is_what_chunks_of_any_lengths_give) {
  for (std::size_t const chunk : {1u, 3u, 255u, 256u, 257u, 100000u})
    EXPECT_EQ(differing_scans(by_chunks{chunk}), std::vector<std::string>{}) << chunk;
}

TEST(golden_blocks, has_its_hash_on_the_page) {
  sha256 hash;
  hash.add(content(UPSWEEP_BLOCKS_SET));
  EXPECT_NE(content(UPSWEEP_BLOCKS_PAGE).find(hash.hex()), std::string::npos);
}

template <class T>
std::vector<std::uint64_t> bits_of_all(std::vector<T> const& x) {
  std::vector<std::uint64_t> bits;
  for (T const value : x) bits.push_back(bits_of(value));
  return bits;
}

/// What anchored_scan<affine_map> gives for lanes of maps, number by number.
template <class T>
std::vector<T> expected_lanes(std::vector<T> const& a, std::vector<T> const& b, std::size_t lanes,
                              T before) {
  std::vector<T> h(a.size());
  for (std::size_t l = 0; l < lanes; ++l) {
    anchored_scan<affine_map<T>, affine> scan(affine{}, affine_map<T>{T(0), before});
    for (std::size_t i = l; i < a.size(); i += lanes) {
      affine_map<T> const map[1] = {{a[i], b[i]}};
      scan.inclusive(std::span(map), std::span(&h[i], 1));
    }
  }
  return h;
}

template <class T>
void expect_lanes(host::simd::lane_type type, std::size_t lanes, std::size_t tokens,
                  std::size_t chunk) {
  auto const maps = elements<affine_map<T>>("near1/scattered", lanes * tokens);
  std::vector<T> a, b;
  for (auto const& map : maps) {
    a.push_back(map.a);
    b.push_back(map.b);
  }
  constexpr T before = T(0.75);
  std::vector<T> const expected = expected_lanes(a, b, lanes, before);
  std::vector<T> value(lanes, before), totals(16 * lanes, T(1e30));
  constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(T));
  auto const row = bytes * static_cast<std::ptrdiff_t>(lanes);
  auto const memory = [](std::vector<T>& x) { return reinterpret_cast<std::byte*>(x.data()); };
  host::simd::lane_state state{memory(value), memory(totals), row, 0};
  for (std::size_t t = 0; t < tokens; t += chunk) {
    auto const from = [&](std::vector<T>& x) {
      return host::simd::lane_matrix{memory(x) + static_cast<std::ptrdiff_t>(t) * row, row, bytes};
    };
    auto const in_a = from(a), in_b = from(b);
    host::simd::anchored_recurrence(type, std::min(chunk, tokens - t), lanes, in_a, in_b, in_b,
                                    state);  // in place
  }
  EXPECT_EQ(state.position, tokens % 256);
  EXPECT_EQ(bits_of_all(b), bits_of_all(expected)) << lanes << " lanes, chunks of " << chunk;
}

TEST(golden_blocks, is_what_the_kernel_of_lanes_gives) {
  for (std::size_t const lanes : {1u, 2u, 7u, 16u, 33u, 64u})
    for (std::size_t const chunk : {1u, 7u, 200u, 256u, 1000u}) {
      expect_lanes<float>(host::simd::lane_type::f32, lanes, 700, chunk);
      expect_lanes<double>(host::simd::lane_type::f64, lanes, 513, chunk);
    }
}

}  // namespace
}  // namespace upsweep::golden_set
