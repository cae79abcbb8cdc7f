/// Golden bits of segments, runs and windows: the table that anchored.py wrote without the library.
#include <golden/golden_table.hpp>
#include <upsweep/by_key.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/windowed.hpp>
#ifdef UPSWEEP_GOLDEN_IN_C
#include <upsweep/upsweep.h>
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::golden {
namespace {

/// Numbers, one in 400 of them NaN. Every NaN has the same word.
template <class T>
struct minima : sums<T> {
  using operation = min;
  static constexpr char const* name = "min";
  static constexpr word_of<T> nan = sizeof(T) == 4
                                        ? word_of<T>{0x7fc00000u}
                                        : static_cast<word_of<T>>(std::uint64_t{0x7ff8} << 48);

  static std::uint64_t word(T x, int) { return x != x ? nan : std::bit_cast<word_of<T>>(x); }
  static std::string text(T x) { return hex(word(x, 0), 2 * sizeof(T)); }

  template <class Next>
  static T make(Next& next) {
    return next() % 400 == 0 ? std::bit_cast<T>(nan) : sums<T>::make(next);
  }
};

/// A line of anchored.txt: which call, and the values that are named in it.
struct anchored_row : row {
  std::string line;
  std::map<std::string, std::string> values;

  [[nodiscard]] std::size_t number(char const* name) const { return std::stoul(values.at(name)); }
};

std::vector<anchored_row> anchored_rows(std::string const& verb, std::string const& type,
                                        std::string const& operation) {
  std::ifstream file(UPSWEEP_ANCHORED_TABLE);
  std::vector<anchored_row> all;
  for (std::string text; std::getline(file, text);) {
    std::istringstream words(text);
    std::string its_verb, initial;
    anchored_row r;
    words >> its_verb >> r.type >> r.operation >> r.n >> initial;
    r.initial = initial != "none";
    r.line = text.substr(0, text.find('='));
    for (std::string word; words >> word;) {
      auto const equals = word.find('=');
      r.values[word.substr(0, equals)] = word.substr(equals + 1);
    }
    if (its_verb == verb && r.type == type && r.operation == operation) all.push_back(r);
  }
  return all;
}

std::size_t segment_length(std::uint64_t word) {
  std::uint64_t const kind = word & 15, value = word >> 8;
  if (kind < 3) return 0;
  return value % (kind < 8 ? 8 : kind < 13 ? 50 : kind < 15 ? 400 : 3000);
}
std::vector<std::uint64_t> segment_offsets(std::size_t n) {
  word_source next(n + 1'000'000);
  std::vector<std::uint64_t> offsets{0};
  while (offsets.back() < n)
    offsets.push_back(std::min<std::uint64_t>(n, offsets.back() + segment_length(next())));
  offsets.push_back(n);
  return offsets;
}
/// Keys whose runs are the segments that are not empty.
std::vector<std::uint32_t> keys_of(std::vector<std::uint64_t> const& offsets) {
  std::vector<std::uint32_t> keys;
  std::uint32_t key = 0;
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    if (offsets[k] < offsets[k + 1]) key = (key + 1) % 3;
    keys.resize(offsets[k + 1], key);
  }
  return keys;
}

/// What computes the rows: the C++ verbs on an executor, or the C interface.
template <class Kind, class E>
struct cpp_verbs {
  using T = typename Kind::element;
  using in_type = std::vector<T> const&;
  E on;
  typename Kind::operation op{};

  options<T> with(std::optional<T> const& initial) const {
    options<T> o;
    if (initial) o.initial = *initial;
    return o;
  }
  void segments(in_type x, std::vector<std::uint64_t> const& offsets,
                std::optional<T> const& initial, std::vector<T>& totals, std::vector<T>& inclusive,
                std::vector<T>& exclusive) const {
    reduce_segments(on, x, offsets, totals, op, with(initial));
    inclusive_scan_segments(on, x, offsets, inclusive, op, with(initial));
    exclusive_scan_segments(on, x, offsets, exclusive, op, with(initial));
  }
  std::size_t runs(std::vector<std::uint32_t> const& keys, in_type x,
                   std::optional<T> const& initial, std::vector<T>& totals,
                   std::vector<T>& inclusive, std::vector<T>& exclusive) const {
    std::vector<std::uint32_t> firsts(totals.size());
    inclusive_scan_runs(on, keys, x, inclusive, op, with(initial));
    exclusive_scan_runs(on, keys, x, exclusive, op, with(initial));
    return reduce_runs(on, keys, x, firsts, totals, op, with(initial));
  }
  void windows(in_type x, std::size_t width, std::optional<T> const& initial,
               std::vector<T>& out) const {
    windowed(on, x, width, out, op, with(initial));
  }
};

template <class Kind>
struct inputs {
  std::vector<typename Kind::element> x;
  std::optional<typename Kind::element> initial;

  explicit inputs(row const& r) : x(input<Kind>(r)) {
    if (!r.initial) return;
    initial = x.back();
    x.pop_back();
  }
};

testing::AssertionResult equal(anchored_row const& r, char const* value, std::string const& got) {
  if (got == r.values.at(value)) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << r.line << ": " << value << " is " << got << ", golden is " << r.values.at(value);
}

template <class Kind, class Verbs>
void expect_segments_and_runs(Verbs const& verbs, anchored_row const& r) {
  using T = typename Kind::element;
  inputs<Kind> const in(r);
  auto const offsets = segment_offsets(r.n);
  std::vector<T> totals(offsets.size() - 1), inclusive(r.n), exclusive(r.n);
  ASSERT_EQ(totals.size(), r.number("count")) << r.line;
  verbs.segments(in.x, offsets, in.initial, totals, inclusive, exclusive);
  EXPECT_TRUE(equal(r, "middle", Kind::text(totals[totals.size() / 2])));
  EXPECT_TRUE(equal(r, "reduce", digest<Kind>(totals)));
  EXPECT_TRUE(equal(r, "inclusive", digest<Kind>(inclusive)));
  EXPECT_TRUE(equal(r, "exclusive", digest<Kind>(exclusive)));
  std::vector<T> of_runs(totals.size()), through(r.n), before(r.n);
  of_runs.resize(verbs.runs(keys_of(offsets), in.x, in.initial, of_runs, through, before));
  EXPECT_TRUE(equal(r, "runs", digest<Kind>(of_runs)));
  EXPECT_TRUE(equal(r, "inclusive", digest<Kind>(through)));
  EXPECT_TRUE(equal(r, "exclusive", digest<Kind>(before)));
}

template <class Kind, class Verbs>
void expect_golden(Verbs const& verbs) {
  auto const of_segments = anchored_rows("segments", type_name<Kind>(), Kind::name);
  auto const of_windows = anchored_rows("windows", type_name<Kind>(), Kind::name);
  ASSERT_TRUE(of_segments.size() >= 5 && of_windows.size() >= 11) << UPSWEEP_ANCHORED_TABLE;
  for (anchored_row const& r : of_segments) expect_segments_and_runs<Kind>(verbs, r);
  for (anchored_row const& r : of_windows) {
    inputs<Kind> const in(r);
    std::size_t const width = r.number("width");
    std::vector<typename Kind::element> out(r.n - width + 1);
    verbs.windows(in.x, width, in.initial, out);
    EXPECT_TRUE(equal(r, "last", Kind::text(out.back())));
    EXPECT_TRUE(equal(r, "results", digest<Kind>(out)));
  }
}

template <class Kind>
class anchored_bits : public testing::Test {};

struct kind_name {
  template <class Kind>
  static std::string GetName(int) {
    return std::string(type_name<Kind>()) + "_" + Kind::name;
  }
};
using kinds = testing::Types<sums<float>, sums<double>, recurrences<float>, recurrences<double>,
                             minima<float>, minima<double>>;
TYPED_TEST_SUITE(anchored_bits, kinds, kind_name);

#ifdef UPSWEEP_FULL_TESTS  // Eight seconds to compile; `serial` calls `cpu` with one thread.
TYPED_TEST(anchored_bits, serial_executor) {
  expect_golden<TypeParam>(cpp_verbs<TypeParam, serial>{});
}
#endif

TYPED_TEST(anchored_bits, any_number_of_threads) {
  for (int const threads : {0, 2, 7}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    expect_golden<TypeParam>(cpp_verbs<TypeParam, cpu>{cpu{.threads = threads}});
  }
}

TYPED_TEST(anchored_bits, every_simd_target) {
  for (std::string const& name : host::simd::targets()) {
    SCOPED_TRACE(name);
    host::simd::forced_target const forced(name);
    expect_golden<TypeParam>(cpp_verbs<TypeParam, cpu>{cpu{.threads = 1}});
  }
}

#ifdef UPSWEEP_GOLDEN_IN_C

template <class Kind>
struct c_verbs {
  using T = typename Kind::element;
  using in_type = std::vector<T> const&;
  static constexpr upsweep_type type = sizeof(T) == 4 ? UPSWEEP_F32 : UPSWEEP_F64;
  static constexpr upsweep_operator op =
      std::is_same_v<typename Kind::operation, min> ? UPSWEEP_MIN : UPSWEEP_SUM;

  static upsweep_options with(std::optional<T> const& initial) {
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    if (initial) o.initial = &*initial;
    return o;
  }
  static void ok(upsweep_status status) {
    EXPECT_EQ(status, UPSWEEP_OK) << upsweep_last_error_message();
  }
  void segments(in_type x, std::vector<std::uint64_t> const& offsets,
                std::optional<T> const& initial, std::vector<T>& totals, std::vector<T>& inclusive,
                std::vector<T>& exclusive) const {
    auto const o = with(initial);
    auto const run = [&](auto* call, std::vector<T>& out) {
      ok(call(type, op, x.data(), x.size(), offsets.data(), offsets.size() - 1, &o, out.data()));
    };
    run(upsweep_reduce_segments, totals);
    run(upsweep_inclusive_scan_segments, inclusive);
    run(upsweep_exclusive_scan_segments, exclusive);
  }
  std::size_t runs(std::vector<std::uint32_t> const& keys, in_type x,
                   std::optional<T> const& initial, std::vector<T>& totals,
                   std::vector<T>& inclusive, std::vector<T>& exclusive) const {
    auto const o = with(initial);
    auto const run = [&](auto* call, std::vector<T>& out) {
      ok(call(UPSWEEP_U32, keys.data(), type, op, x.data(), x.size(), &o, out.data()));
    };
    run(upsweep_inclusive_scan_runs, inclusive);
    run(upsweep_exclusive_scan_runs, exclusive);
    std::vector<std::uint32_t> firsts(totals.size());
    std::size_t count = 0;
    ok(upsweep_reduce_runs(UPSWEEP_U32, keys.data(), type, op, x.data(), x.size(), &o,
                           firsts.data(), totals.data(), totals.size(), &count));
    return count;
  }
  void windows(in_type x, std::size_t width, std::optional<T> const& initial,
               std::vector<T>& out) const {
    auto const o = with(initial);
    ok(upsweep_windowed(type, op, x.data(), x.size(), width, &o, out.data()));
  }
};

TEST(anchored_bits_in_c, sums_and_minima) {
  expect_golden<sums<float>>(c_verbs<sums<float>>{});
  expect_golden<sums<double>>(c_verbs<sums<double>>{});
  expect_golden<minima<float>>(c_verbs<minima<float>>{});
  expect_golden<minima<double>>(c_verbs<minima<double>>{});
}

#endif

}  // namespace
}  // namespace upsweep::golden
