/// Calls by name: 16-bit floats and the logical operators.
#include <support/random.hpp>
#include <upsweep/by_name/run.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/names/compiled.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/parts.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

// Contract 2 and 6: calls over 16-bit floats have the reference's bits for every number of the
// format, with each set of instructions that converts them.

/// Every number in random order: zeros, subnormals, infinities, and all NaN if wanted.
template <class T>
std::vector<T> every_number(bool with_nan) {
  random_bits next(test_seed());
  std::vector<T> x;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    T const number = std::bit_cast<T>(static_cast<std::uint16_t>(bits));
    if (detail::order::is_nan(number) && !with_nan) continue;
    x.push_back(number);
    std::swap(x[next.below(x.size())], x.back());
  }
  return x;
}

/// The results of a call by name; R is the type in which it stores them.
template <class R, class Op, class T>
std::vector<R> by_name(dynamic::verb v, std::vector<T> const& x) {
  std::vector<R> out(v == dynamic::verb::reduce ? 1 : x.size());
  dynamic::find(catalog::id_of<Op>, dynamic::dtype_of<T>)
      ->run(v, x.data(), x.size(), {.on = {.threads = 1}}, out.data());
  return out;
}

template <class R, class Op, class T>
void expect_the_references_bits(std::vector<T> const& all) {
  for (std::size_t const n : {std::size_t{33}, std::size_t{1031}, all.size()}) {
    std::vector<T> const x(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    R const total = by_name<R, Op>(dynamic::verb::reduce, x)[0];
    EXPECT_TRUE(detail::parts::same(total, static_cast<R>(reference::reduce(x, Op{}))))
        << catalog::operators[static_cast<std::size_t>(catalog::id_of<Op>)].name << " of " << n
        << "; " << seed_note();
    if (n > 2000) continue;
    auto const got = by_name<R, Op>(dynamic::verb::inclusive_scan, x);
    auto const want = reference::inclusive_scan(x, Op{});
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_TRUE(detail::parts::same(got[i], static_cast<R>(want[i]))) << i << "; " << seed_note();
  }
}

template <class T>
void expect_the_references_bits_of_every_number() {
  for (std::string const& name : host::simd::targets()) {
    host::simd::forced_target const forced(name);
    SCOPED_TRACE(name);
    for (bool with_nan : {false, true}) {
      auto const all = every_number<T>(with_nan);
      expect_the_references_bits<float, min>(all);
      expect_the_references_bits<float, max>(all);
      expect_the_references_bits<float, min_number>(all);
      expect_the_references_bits<float, max_number>(all);
      expect_the_references_bits<std::uint64_t, argmin>(all);
      expect_the_references_bits<std::uint64_t, argmax>(all);
      expect_the_references_bits<std::uint8_t, logical_and>(all);
      expect_the_references_bits<std::uint8_t, logical_or>(all);
      expect_the_references_bits<std::uint8_t, logical_xor>(all);
    }
    for (T const number : every_number<T>(true)) {
      std::vector<T> const x(32, number);
      std::uint8_t const is_true = static_cast<float>(number) != 0;
      ASSERT_EQ((by_name<std::uint8_t, logical_and>(dynamic::verb::reduce, x)[0]), is_true);
      ASSERT_EQ((by_name<std::uint8_t, logical_or>(dynamic::verb::reduce, x)[0]), is_true);
    }
  }
}

TEST(narrow_floats, of_every_value_in_bfloat16) {
  expect_the_references_bits_of_every_number<bfloat16>();
}
#ifdef UPSWEEP_HAS_FLOAT16
TEST(narrow_floats, of_every_value_in_binary16) {
  expect_the_references_bits_of_every_number<float16>();
}
#endif

/// All slopes are a half, so that the composition of n maps is exact: {2^-n, 2 - 2^(1-n)}.
template <class T>
void expect_compositions_of_halves() {
  affine_map<T> const half{static_cast<T>(0.5f), static_cast<T>(1.0f)};
  for (int const n : {1, 2, 7, 24, 64, 100}) {
    std::vector<affine_map<T>> const maps(static_cast<std::size_t>(n), half);
    affine_map<float> const composed{std::ldexp(1.0f, -n), n > 24 ? 2 : 2 - std::ldexp(2.0f, -n)};
    EXPECT_EQ(upsweep::reduce(maps, affine{}), composed) << n;
    std::vector<affine_map<float>> scanned(maps.size());
    upsweep::inclusive_scan(maps, scanned, affine{});
    EXPECT_EQ(scanned.back(), composed) << n;
  }
}
TEST(narrow_floats, of_affine_maps_are_composed_in_float) {
  expect_compositions_of_halves<float16>();
  expect_compositions_of_halves<bfloat16>();
  expect_compositions_of_halves<float>();
}

// Contract 1 and 2: scans by the logical operators, by name, over every element type, against a
// plain loop.

/// Elements most of which are 0 or most of which are not; some have only bits that a narrower type
/// lacks, or are -0.
template <class T>
std::vector<T> elements(std::size_t n, random_bits& next) {
  std::uint64_t const zeros = next.below(3) == 0 ? 1 : 1000;
  std::vector<T> x(n);
  for (T& e : x) {
    bool const is_true = zeros == 1 ? next.below(20) == 0 : next.below(zeros) != 0;
    auto const top = static_cast<T>(std::uint64_t{1} << (8 * sizeof(T) - 1));
    if constexpr (detail::is_float<T>)
      e = static_cast<T>(is_true ? 0.25f : -0.0f);
    else
      e = is_true ? (next.below(2) == 0 ? top : T{1}) : T{};
  }
  return x;
}

bool combined(catalog::id op, bool earlier, bool later) {
  return op == catalog::id::all   ? earlier && later
         : op == catalog::id::any ? earlier || later
                                  : earlier != later;
}

template <class T>
void expect_the_loops_scans(catalog::id op) {
  random_bits next(test_seed());
  dynamic::call_entry const& entry = *dynamic::find(op, dynamic::dtype_of<T>);
  for (std::size_t const n : {1u, 7u, 8u, 9u, 63u, 64u, 65u, 1007u, 1008u, 1009u, 2020u, 3000u})
    for (unsigned variant = 0; variant < 16; ++variant) {
      bool const inclusive = (variant & 1u) != 0, reverse = (variant & 2u) != 0;
      bool const has_initial = (variant & 4u) != 0;
      std::uint8_t const initial = (variant & 8u) != 0;
      auto const x = elements<T>(n, next);
      std::vector<std::uint8_t> got(n), want(n);
      bool prefix = has_initial ? initial != 0 : op == catalog::id::all;
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t const at = reverse ? n - 1 - i : i;
        bool const after = combined(op, prefix, static_cast<bool>(x[at]));
        want[at] = inclusive ? after : prefix;
        prefix = after;
      }
      entry.run(inclusive ? dynamic::verb::inclusive_scan : dynamic::verb::exclusive_scan, x.data(),
                n,
                {.on = {.threads = 1 + static_cast<int>(next.below(2))},
                 .reverse = reverse,
                 .initial = has_initial ? &initial : nullptr},
                got.data());
      ASSERT_EQ(got, want) << n << " elements, variant " << variant << "; " << seed_note();
    }
}

TEST(logical_scans, by_name_are_those_of_a_loop) {
  for (std::string const& name : host::simd::targets()) {
    host::simd::forced_target const forced(name);
    for (catalog::id const op : {catalog::id::all, catalog::id::any, catalog::id::parity})
      dynamic::for_each_type(dynamic::numbers{}, [op]<class T>() {
        SCOPED_TRACE(dynamic::name_of(dynamic::dtype_of<T>));
        expect_the_loops_scans<T>(op);
      });
  }
}

}  // namespace
}  // namespace upsweep::test
