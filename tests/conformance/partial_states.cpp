/// The bytes of states that have more than one form in memory, and of operators that are no rows of
/// the catalog: canonical, read again, and refused when somebody has changed them.
#include "bytes_of_pieces.hpp"

#include <exact/inputs.hpp>
#include <support/message.hpp>
#include <upsweep/ops/decimal.hpp>
#include <upsweep/ops/drawdown.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/ops/sessions.hpp>
#include <upsweep/ops/wide_range.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

namespace raw = detail::bytes;

template <class Op, class T>
partial<T, Op> piece(std::vector<T> const& x, Op op = {}, std::size_t begin = 0) {
  partial<T, Op> p(begin, std::move(op));
  p.push(serial{}, std::span(x));
  return p;
}
template <class Op, class T>
byte_string bytes_of(std::vector<T> const& x, Op op = {}) {
  return to_bytes(piece(x, std::move(op)));
}

/// The bytes with another one at `at`, counted from the first total, and the checksum of that.
byte_string forged(byte_string b, std::size_t at, int value) {
  std::size_t const body = b.size() - sizeof(std::uint64_t);
  b[at] = static_cast<std::byte>(value);
  auto const sum = raw::little_endian(raw::writer::checksum(std::span(b).first(body)));
  std::copy(sum.begin(), sum.end(), b.begin() + static_cast<std::ptrdiff_t>(body));
  return b;
}
constexpr std::size_t at_format = 16;
/// Where the totals begin, of which there is one that takes all bytes but the checksum.
std::size_t first_total(byte_string const& b, std::size_t size) {
  return b.size() - sizeof(std::uint64_t) - size;
}

// --- exact sums

constexpr char const* specials[] = {"any",       "minus zeros", "zeros",    "infinities",
                                    "subnormal", "not numbers", "overflow", "cancels"};

/// Any bits of a finite number, or what the name says.
template <class T>
T one_of(std::string_view kind, random_bits& next) {
  using limits = std::numeric_limits<float>;
  using wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  bool const negative = next.below(2) == 1, now = next.below(3) == 0;
  auto const signed_one = [&](wide x) { return static_cast<T>(negative ? -x : x); };
  if (kind == "minus zeros" || (kind == "zeros" && negative)) return static_cast<T>(-wide{});
  if (kind == "zeros") return T{};
  if (kind == "infinities" && now) return static_cast<T>(-limits::infinity());
  if (kind == "not numbers" && now) return signed_one(std::numeric_limits<wide>::quiet_NaN());
  if (kind == "subnormal") return signed_one(std::numeric_limits<wide>::denorm_min());
  if constexpr (detail::is_narrow_float<T>) {
    if (kind == "overflow") return static_cast<T>(6e4f);
    return signed_one(static_cast<float>(next.below(2000)) / 64);
  } else {
    if (kind == "overflow") return std::numeric_limits<T>::max();
    return any_finite<T>(next);
  }
}

template <class T>
void expect_canonical_sums(random_bits& next) {
  for (std::string const kind : specials)
    for (std::size_t const n : {1u, 2u, 3u, 20u, 2100u}) {
      elements<T> x(n);
      for (std::size_t i = 0; i < n; ++i)
        x[i] = kind == "cancels" && i > 0 ? static_cast<T>(-x[i - 1]) : one_of<T>(kind, next);
      expect_bytes_of_elements<T>(std::span<T const>(x.all()), exact_sum{}, kind, next);
    }
}

TEST(partial_states, of_exact_sums_are_a_function_of_the_elements) {
  random_bits next(test_seed());
  expect_canonical_sums<double>(next);
  expect_canonical_sums<float>(next);
  expect_canonical_sums<bfloat16>(next);
#ifdef UPSWEEP_HAS_FLOAT16
  expect_canonical_sums<float16>(next);
#endif
}

/// Elements that cancel, and others that reach the same sum in another way.
TEST(partial_states, of_equal_exact_sums_are_equal) {
  using doubles = std::vector<double>;
  EXPECT_EQ(bytes_of<exact_sum>(doubles{1.5, 2.5}), bytes_of<exact_sum>(doubles{1e300 - 1e300, 4}));
  EXPECT_EQ(bytes_of<exact_sum>(doubles{1e300, -1e300}), bytes_of<exact_sum>(doubles{0.0, -0.0}));
  EXPECT_NE(bytes_of<exact_sum>(doubles{-0.0, -0.0}), bytes_of<exact_sum>(doubles{0.0, -0.0}));
  double const huge = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bytes_of<exact_sum>(doubles{huge, 1}), bytes_of<exact_sum>(doubles{2, huge}));
  EXPECT_EQ(bytes_of<exact_sum>(doubles{huge, -huge}),
            bytes_of<exact_sum>(doubles{3, std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_TRUE(std::signbit(
      from_bytes<double, exact_sum>(bytes_of<exact_sum>(doubles{-0.0, -0.0})).result()));
}

/// What the first format had: the state as it lies in memory.
template <class T>
byte_string of_the_first_format(partial<T, exact_sum> const& p) {
  raw::writer out;
  out.raw(raw::magic.data(), raw::magic.size());
  out.number(std::uint16_t{1});
  out.number(static_cast<std::uint16_t>(tree_version));
  out.text(raw::type_name<T>());
  out.text("exact-sum");
  out.text("");
  out.number(std::uint64_t{p.begin()});
  out.number(std::uint64_t{p.end()});
  out.number(std::uint64_t{p.totals().size()});
  for (auto const& total : p.totals()) out.raw(&total, sizeof total);
  return out.take_with_checksum();
}

TEST(partial_states, of_exact_sums_that_the_first_version_wrote_are_read) {
  random_bits next(test_seed());
  for (std::string const kind : specials) {
    std::vector<double> x(100);
    for (double& e : x) e = one_of<double>(kind, next);
    for (std::size_t const n : {0u, 1u, 2u, 100u}) {
      auto const p = piece<exact_sum>(std::vector<double>(x.data(), x.data() + n), {}, 7);
      EXPECT_EQ(to_bytes(p), to_bytes(from_bytes<double, exact_sum>(of_the_first_format(p))))
          << kind;
    }
  }
  auto const old = of_the_first_format(piece<exact_sum>(std::vector<float>{1, -0.0f}));
  std::size_t const end = old.size() - sizeof(std::uint64_t);
  for (auto const& [at, value] : {std::pair{end - 8, 7}, {end - 6, 9}, {end - 4, 32}, {end - 4, 8}})
    EXPECT_THROW((void)(from_bytes<float, exact_sum>(forged(old, at, value))), precondition_error)
        << at << ' ' << value;
}

TEST(partial_states, of_exact_sums_have_one_sequence_of_bytes) {
  auto const read = [](byte_string const& b) { (void)from_bytes<double, exact_sum>(b); };
  auto const b = bytes_of<exact_sum>(std::vector<double>{1.0, 0x1p-1074});
  std::size_t const at = first_total(b, 3 + 8 * 17);
  EXPECT_EQ(std::byte{16}, b[at]);
  EXPECT_EQ(std::byte{0}, b[at + 1]);
  EXPECT_EQ(std::byte{17}, b[at + 2]);
  for (int const kind : {3, 5, 17, 32, 255})
    EXPECT_NE(std::string::npos,
              message_of([&] { read(forged(b, at, kind)); }).find("unknown kind"));
  EXPECT_NE(std::string::npos, message_of([&] { read(forged(b, at + 1, 18)); }).find("too many"));
  auto const end = first_total(b, 0);
  EXPECT_NE(std::string::npos, message_of([&] { read(forged(b, at + 3, 0)); }).find("superfluous"));
  EXPECT_NE(std::string::npos, message_of([&] {
                                 auto zero = b;
                                 std::fill(zero.begin() + static_cast<std::ptrdiff_t>(end) - 8,
                                           zero.begin() + static_cast<std::ptrdiff_t>(end),
                                           std::byte{});
                                 read(forged(zero, end - 1, 0));
                               }).find("superfluous"));
  EXPECT_EQ("", message_of([&] { read(forged(b, end - 1, 0x80)); }));
  auto const none = bytes_of<exact_sum>(std::vector<double>{0.0});
  EXPECT_NE(std::string::npos,
            message_of([&] { read(forged(none, first_total(none, 2), 1)); }).find("superfluous"));
}

TEST(partial_states, name_the_format_that_is_not_read) {
  auto const sum = bytes_of<plus>(std::vector<double>{1.5});
  auto const exact = bytes_of<exact_sum>(std::vector<double>{1.5});
  EXPECT_EQ(std::byte{1}, sum[at_format]);
  EXPECT_EQ(std::byte{2}, exact[at_format]);
  EXPECT_EQ("partial: the bytes have format 2, but partials of this operator have format 1",
            message_of([&] { (void)from_bytes<double>(forged(sum, at_format, 2)); }));
  for (int const format : {0, 3})
    EXPECT_EQ("partial: the bytes have format " + std::to_string(format) +
                  ", but this version reads formats up to 2",
              message_of([&] {
                (void)(from_bytes<double, exact_sum>(forged(exact, at_format, format)));
              }));
  EXPECT_EQ(1, header_of(sum).format);
}

// --- numbers and flags

template <class T, class Op>
void expect_one_nan(Op const& op) {
  using limits = std::numeric_limits<T>;
  using bits = bits_of<T>;
  T const odd = std::bit_cast<T>(static_cast<bits>(std::bit_cast<bits>(limits::quiet_NaN()) | 5));
  auto const want = bytes_of<Op>(std::vector<T>{limits::quiet_NaN()}, op);
  for (T const x : {-limits::quiet_NaN(), odd, -odd})
    EXPECT_EQ(want, bytes_of<Op>(std::vector<T>{x}, op)) << raw::operator_name<Op>();
}

TEST(partial_states, have_one_nan) {
  expect_one_nan<float>(plus{});
  expect_one_nan<double>(plus{});
  expect_one_nan<double>(max{});
  expect_one_nan<float>(argmin{});
  expect_one_nan<double>(first{});
  expect_one_nan<double>(moments{});
  expect_one_nan<double>(drawdown{});
  auto const narrow = raw::little_endian(std::bit_cast<bfloat16>(std::uint16_t{0xff81}));
  EXPECT_EQ((std::array{std::byte{0xc0}, std::byte{0x7f}}), narrow);
  auto const infinite = raw::little_endian(-std::numeric_limits<float>::infinity());
  EXPECT_EQ((std::array{std::byte{}, std::byte{}, std::byte{0x80}, std::byte{0xff}}), infinite);
}

TEST(partial_states, of_long_double_have_no_padding) {
  if constexpr (std::numeric_limits<long double>::digits == 64) {
    EXPECT_EQ("f80", raw::type_name<long double>());
    auto const bytes = raw::little_endian(-1.5L);
    EXPECT_EQ(10u, bytes.size());
    EXPECT_EQ(std::byte{0xbf}, bytes[9]);
    EXPECT_EQ(std::byte{0xc0}, bytes[7]);
    EXPECT_EQ(-1.5L, raw::from_little_endian<long double>(bytes));
    auto const nan = raw::little_endian(-std::numeric_limits<long double>::quiet_NaN());
    EXPECT_EQ(std::byte{0x7f}, nan[9]);
    EXPECT_EQ(std::byte{0xc0}, nan[7]);
    auto const infinite = raw::little_endian(-std::numeric_limits<long double>::infinity());
    EXPECT_EQ(std::byte{0xff}, infinite[9]);
    EXPECT_EQ(std::byte{0x80}, infinite[7]);
  }
  std::vector<long double> const x{0.1L, 0.2L, 0.7L};
  EXPECT_EQ(reduce(x), from_bytes<long double>(bytes_of<plus>(x)).result());
}

TEST(partial_states, refuse_flags_that_are_neither_0_nor_1) {
  auto const number = bytes_of<first>(std::vector<double>{2.5});
  std::size_t const at = first_total(number, 9);
  EXPECT_EQ(std::byte{1}, number[at]);
  for (int const flag : {2, 0x81, 255}) {
    EXPECT_EQ("partial: a flag in the bytes is neither 0 nor 1",
              message_of([&] { (void)(from_bytes<double, first>(forged(number, at, flag))); }));
    auto const later = bytes_of<last>(std::vector<double>{2.5});
    EXPECT_THROW((void)(from_bytes<double, last>(forged(later, at - 1, flag))), precondition_error);
  }
  partial<bool, logical_or> any;
  bool const truth[] = {true};
  any.push(serial{}, truth);
  auto const b = to_bytes(any);
  EXPECT_THROW((void)(from_bytes<bool, logical_or>(forged(b, first_total(b, 1), 2))),
               precondition_error);
}

TEST(partial_states, of_checked_operators_are_within_their_prefixes) {
  auto const b = bytes_of<checked_plus<>>(std::vector<std::int64_t>{5, -7, 3});
  std::size_t const at = first_total(b, 3 * 16 + 8);
  auto const read = [](byte_string const& x) {
    return from_bytes<std::int64_t, checked_plus<>>(x).result();
  };
  EXPECT_EQ(1, read(b));
  EXPECT_EQ(2, read(forged(b, at, 2)));
  for (auto const& [offset, value] :
       {std::pair{0u, 6}, {15u, 0x80}, {31u, 0x7f}, {32u, 0}, {47u, 0x7f}})
    EXPECT_THROW((void)read(forged(b, at + offset, value)), precondition_error) << offset;
}

// --- operators with a name of their own

/// Each byte changed in three ways: what is read has these bytes, or nothing is read.
template <class T, class Op>
void expect_refused_or_read(byte_string const& bytes, Op const& op) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) < bytes.size(); ++at)
    for (unsigned const change : {1u, 0x80u, 0xffu}) {
      auto const b = forged(bytes, at, static_cast<int>(static_cast<unsigned>(bytes[at]) ^ change));
      try {
        EXPECT_EQ(b, to_bytes(from_bytes<T>(b, op))) << raw::operator_name<Op>() << ' ' << at;
      } catch (precondition_error const&) {
      }
    }
}

template <class T, class Op>
void expect_bytes_of_its_own(std::string_view name, std::vector<T> const& x, Op const& op) {
  random_bits next(test_seed());
  EXPECT_EQ(name, raw::operator_name<Op>());
  auto const p = piece(x, op, 3);
  auto const again = from_bytes<T>(to_bytes(p), op);
  EXPECT_EQ(p.totals(), again.totals()) << name;
  EXPECT_EQ(name, header_of(to_bytes(p)).operation);
  expect_bytes_of_elements<T>(std::span(x), op, std::string(name), next);
  expect_refused_or_read<T>(to_bytes(p), op);
}

TEST(partial_states, of_operators_outside_the_catalog_are_read_again) {
  std::vector<double> const x{3.5, 1, 7.25, 7.25, 2, 9, 8.5, 0.125, 100, 1e-3, 5, 6, 7, 8};
  expect_bytes_of_its_own("drawdown", x, drawdown{});
  expect_bytes_of_its_own("sessions f64", x, sessions<double>{1.5});
  expect_bytes_of_its_own("run-number", x, run_number{});
  expect_bytes_of_its_own("geometric-mean", x, geometric_mean{});
  expect_bytes_of_its_own("harmonic-mean", x, harmonic_mean{});
  expect_bytes_of_its_own("rms", x, rms{});
  expect_bytes_of_its_own("wide-moments", x, wide_range<moments>{});
  expect_bytes_of_its_own("wide-central-moments", x, wide_range<central_moments>{});
  expect_bytes_of_its_own("wide-harmonic-mean", x, wide_range<harmonic_mean>{});
  expect_bytes_of_its_own("wide-rms", x, wide_range<rms>{});
  std::vector<xy<double>> const pairs{{1e200, 2}, {3, 0}, {0, 1e-200}, {5, 7}, {-1, 2}};
  expect_bytes_of_its_own("wide-comoments", pairs, wide_range<comoments>{});
  expect_bytes_of_its_own("wide-weighted-moments", pairs, wide_range<weighted_moments>{});
  std::vector<std::int64_t> const n{1, 2, 4, 4, 5, 9, 10, 11, 30};
  expect_bytes_of_its_own("sessions i64", n, sessions<std::int64_t>{1});
  expect_bytes_of_its_own("run-number", n, run_number{});
  expect_bytes_of_its_own("checked-sum i32", n, checked_plus<std::int32_t>{});
  expect_bytes_of_its_own("checked-product i64", n, checked_multiplies<std::int64_t>{});
  std::vector<decimal> const money{{150, 2}, {-5, 1}, {3, 0}, {12345, 4}, {0, 3}};
  expect_bytes_of_its_own("decimal-sum", money, decimal_sum{});
  expect_bytes_of_its_own("decimal-product", money, decimal_product{});
  expect_bytes_of_its_own("decimal-mean", money, decimal_mean{});
}

TEST(partial_states, of_another_gap_or_type_of_it_are_refused) {
  std::vector<std::int64_t> const n{1, 2, 4};
  auto const b = bytes_of(n, sessions<std::int64_t>{0});
  EXPECT_EQ("partial: the bytes are of the operator 'sessions i64', not 'sessions f64'",
            message_of([&] { (void)from_bytes<std::int64_t>(b, sessions<double>{0}); }));
  EXPECT_EQ("partial: the bytes are of this operator with other parameters",
            message_of([&] { (void)from_bytes<std::int64_t>(b, sessions<std::int64_t>{1}); }));
}

TEST(partial_states, of_decimals_have_at_most_38_digits) {
  auto const b = bytes_of<decimal_sum>(std::vector<decimal>{{1, 2}});
  std::size_t const at = first_total(b, 20);
  auto const read = [](byte_string const& x) { (void)from_bytes<decimal, decimal_sum>(x); };
  EXPECT_EQ("", message_of([&] { read(forged(b, at + 16, 38)); }));
  EXPECT_EQ("partial: the bytes contain an invalid value of the accumulator",
            message_of([&] { read(forged(b, at + 16, 39)); }));
  EXPECT_NE("", message_of([&] { read(forged(b, at + 15, 0x7f)); }));
  EXPECT_NE("", message_of([&] { read(forged(b, at + 15, 0x80)); }));
}

}  // namespace
}  // namespace upsweep::test
