/// Contract 1 and 2: scans by the logical operators, by name, over every element type, against a
/// plain loop.
#include <support/random.hpp>
#include <upsweep/by_name/run.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/names/compiled.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

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
