/// The tree of anchored blocks gives the results of the set that blocks.py made: by anchored_scan
/// in chunks of any lengths, and, for linear recurrences, by the kernel for many lanes.
#include "other_tree.hpp"

#include <upsweep/anchored_scan.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::golden_set {
namespace {

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
std::vector<std::string> differing_cases(Compute const& compute) {
  return differing_cases_of<scans>(UPSWEEP_BLOCKS_RECIPE, UPSWEEP_BLOCKS_SET, compute);
}

TEST(golden_blocks, is_what_chunks_of_any_lengths_give) {
  for (std::size_t const chunk : {1u, 3u, 255u, 256u, 257u, 100000u})
    EXPECT_EQ(differing_cases(by_chunks{chunk}), std::vector<std::string>{}) << chunk;
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
