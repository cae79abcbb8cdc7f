/// Text of numbers: every 16-bit float, the extremes of every type, malformed numbers.
#include <io/number.hpp>
#include <upsweep/core/number_types.hpp>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "files.hpp"

namespace upsweep::io {
namespace {

using test::failure_of;

template <class T>
T parse(std::string_view token, dtype type) {
  T value{};
  EXPECT_EQ(parse_number(token, type, &value), parsed::good) << token;
  return value;
}

parsed outcome(std::string_view token, dtype type) {
  std::uint64_t value = 0;
  return parse_number(token, type, &value);
}

TEST(number, floats_are_written_without_exponent_where_people_count) {
  EXPECT_EQ(number_text(100000.0), "100000");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(0.1f), "0.1");
  EXPECT_EQ(number_text(9007199254740993.0), "9007199254740992");
  EXPECT_EQ(number_text(1e16), "1e+16");
  EXPECT_EQ(number_text(0.0001), "0.0001");
  EXPECT_EQ(number_text(0.00001), "1e-05");
  EXPECT_EQ(number_text(-0.0), "-0");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(number_text(-std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(number_text(std::nan("")), "nan");
  EXPECT_EQ(number_text(-std::nan("")), "nan");
}

TEST(number, integers_are_written_in_full) {
  EXPECT_EQ(number_text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(number_text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  std::int8_t const small = -128;
  EXPECT_EQ(number_text(dtype::i8, &small), "-128");
  bool const yes = true;
  EXPECT_EQ(number_text(dtype::boolean, &yes), "true");
}

TEST(number, doubles_and_floats_of_any_bits_read_back_equal) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 50000; ++i) {
      auto const bits = random();
      auto const d = std::bit_cast<double>(bits);
      auto const f = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      if (!std::isnan(d)) {
        // The C library's strtod is the independent reference.
        EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(number_text(d).c_str(), nullptr)), bits)
            << "seed " << seed;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(parse<double>(number_text(d), dtype::f64)), bits)
            << "seed " << seed;
      }
      if (!std::isnan(f)) {
        EXPECT_EQ(std::strtof(number_text(f).c_str(), nullptr), f) << "seed " << seed;
        EXPECT_EQ(parse<float>(number_text(f), dtype::f32), f) << "seed " << seed;
      }
    }
  }
}

TEST(number, every_16_bit_float_reads_back_with_its_bits) {
  for (auto type : {dtype::f16, dtype::bf16}) {
    for (unsigned i = 0; i < 65536; ++i) {
      auto const bits = static_cast<std::uint16_t>(i);
      auto const text = number_text(type, &bits);
      auto const back = parse<std::uint16_t>(text, type);
      if (text == "nan") {
        EXPECT_EQ(number_text(type, &back), "nan");
      } else {
        EXPECT_EQ(back, bits) << name_of(type) << " " << text;
        EXPECT_LE(text.find_first_of("e") == std::string::npos ? 0u : text.find('e'), 7u)
            << "not the shortest: " << text;
      }
    }
  }
  std::uint16_t const tenth = 0x2e66;
  EXPECT_EQ(number_text(dtype::f16, &tenth), "0.1");
  std::uint16_t const five_digits = 0x0690;  // as NumPy prints it
  EXPECT_EQ(number_text(dtype::f16, &five_digits), "0.00010014");
}

#ifdef UPSWEEP_HAS_FLOAT16
TEST(number, our_binary16_is_the_compilers) {
  for (unsigned i = 0; i < 65536; ++i) {
    auto const bits = static_cast<std::uint16_t>(i);
    auto const theirs = static_cast<double>(std::bit_cast<float16>(bits));
    auto const ours = value_of_16_bits<5>(bits);
    EXPECT_TRUE(ours == theirs || (std::isnan(ours) && std::isnan(theirs))) << bits;
  }
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-30, 18);
  for (int i = 0; i < 200000; ++i) {
    auto const value =
        std::ldexp(static_cast<double>(random() >> 40), static_cast<int>(exponent(random)) - 24) *
        (i % 2 == 0 ? 1 : -1);
    EXPECT_EQ(round_to_16_bits<5>(value), std::bit_cast<std::uint16_t>(static_cast<float16>(value)))
        << value << ", seed 7";
  }
}
#endif

TEST(number, our_bfloat16_rounds_as_the_librarys) {
  std::mt19937 random(11);
  for (int i = 0; i < 200000; ++i) {
    auto const value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(value)) continue;
    EXPECT_EQ(round_to_16_bits<8>(static_cast<double>(value)), bfloat16(value).bits)
        << value << ", seed 11";
  }
}

TEST(number, ties_of_16_bit_floats_go_to_even_and_overflow_at_the_midpoint) {
  EXPECT_EQ(round_to_16_bits<5>(65519.99), 0x7bff);
  EXPECT_EQ(round_to_16_bits<5>(65520.0), 0x7c00);
  EXPECT_EQ(round_to_16_bits<5>(std::ldexp(1.0, -25)),
            0);  // half of the smallest: the tie rounds to 0
  EXPECT_EQ(round_to_16_bits<5>(std::ldexp(1.5, -25)), 1);
  EXPECT_EQ(round_to_16_bits<5>(1 + std::ldexp(1.0, -11)), 0x3c00);
  EXPECT_EQ(round_to_16_bits<5>(1 + std::ldexp(3.0, -11)), 0x3c02);
}

TEST(number, the_whole_token_must_be_a_number) {
  for (auto const* token : {"", " ", "1 ", " 1", "1x", "x", "1.5.2", "--1", "+-1", "1e", "e5", ".",
                            "-", "+", "0x10", "1_000", "1,5", "infx", "na"})
    for (auto type : all_dtypes)
      EXPECT_EQ(outcome(token, type), parsed::malformed)
          << "'" << token << "' as " << name_of(type);
  for (auto const* token : {"1.0", "1e3", "nan", "inf", "true"})
    EXPECT_EQ(outcome(token, dtype::i64), parsed::malformed) << token;
  EXPECT_EQ(outcome("2", dtype::boolean), parsed::malformed);
  EXPECT_EQ(parse<double>("+1.5", dtype::f64), 1.5);
  EXPECT_EQ(parse<std::int64_t>("+7", dtype::i64), 7);
  EXPECT_TRUE(parse<bool>("True", dtype::boolean));
  EXPECT_TRUE(parse<bool>("1", dtype::boolean));
  EXPECT_FALSE(parse<bool>("0", dtype::boolean));
  EXPECT_TRUE(std::isinf(parse<double>("-Infinity", dtype::f64)));
  EXPECT_TRUE(std::isnan(parse<double>("NaN", dtype::f64)));
  EXPECT_TRUE(std::signbit(parse<double>("-0", dtype::f64)));
}

TEST(number, what_does_not_fit_is_too_large_and_never_wraps) {
  EXPECT_EQ(outcome("128", dtype::i8), parsed::too_large);
  EXPECT_EQ(outcome("-129", dtype::i8), parsed::too_large);
  EXPECT_EQ(outcome("256", dtype::u8), parsed::too_large);
  EXPECT_EQ(outcome("-1", dtype::u8), parsed::too_large);
  EXPECT_EQ(outcome("-99999999999999999999", dtype::u64), parsed::too_large);
  EXPECT_EQ(outcome("18446744073709551616", dtype::u64), parsed::too_large);
  EXPECT_EQ(outcome("9223372036854775808", dtype::i64), parsed::too_large);
  EXPECT_EQ(outcome("99999999999999999999x", dtype::i64), parsed::malformed);
  EXPECT_EQ(outcome("1e400", dtype::f64), parsed::too_large);
  EXPECT_EQ(outcome("-1e39", dtype::f32), parsed::too_large);
  EXPECT_EQ(outcome("65520", dtype::f16), parsed::too_large);
  EXPECT_EQ(outcome("1e39", dtype::bf16), parsed::too_large);
  EXPECT_EQ(parse<double>("1e-400", dtype::f64), 0.0);
  EXPECT_EQ(parse<std::uint8_t>("-0", dtype::u8), 0);
}

TEST(number, formats_are_those_of_printf_and_checked) {
  std::string out;
  double const pi = 3.14159265;
  std::int64_t const large = std::numeric_limits<std::int64_t>::max();
  std::uint8_t const byte = 200;
  number_format("%.2f").append(out, dtype::f64, &pi);
  number_format(" %d").append(out, dtype::i64, &large);
  number_format(" %5u|").append(out, dtype::u8, &byte);
  number_format("%g%%").append(out, dtype::u8, &byte);
  std::int64_t const power = std::int64_t{1} << 60;
  number_format(" %a").append(out, dtype::i64, &power);
  number_format(" %.0f").append(out, dtype::i64, &large);
  std::int64_t const odd = (std::int64_t{1} << 53) + 1;
  number_format(" %.0f").append(out, dtype::i64, &odd);
  EXPECT_EQ(out,
            "3.14 9223372036854775807   200|200% 0x1p+60 9223372036854775807 9007199254740993");
  for (auto const* bad : {"x", "%", "%s", "%d %d", "%-0999.1000f", "%*d", "%n", "%ld",
                          "%99999999999d", "%.3", "%%"}) {
    auto const failed = failure_of([&] { number_format{bad}; });
    EXPECT_EQ(failed.code, 2) << bad << failed.sentence;
  }
  EXPECT_EQ(failure_of([&] { number_format("%d").append(out, dtype::f64, &pi); }).code, 2);
}

TEST(number, values_of_options_are_refused_by_name) {
  double value = 0;
  parse_option_number("2.5", dtype::f64, &value, "--init");
  EXPECT_EQ(value, 2.5);
  std::int8_t small = 0;
  EXPECT_FAILURE(parse_option_number("300", dtype::i8, &small, "--init"), 2,
                 "--init is '300', which does not fit i8");
  EXPECT_FAILURE(parse_option_number("abc", dtype::f64, &value, "--init"), 2, "--init is 'abc'");
}

TEST(number, dtypes_have_names_and_aliases) {
  for (auto type : all_dtypes) EXPECT_EQ(find_dtype(name_of(type)), type);
  EXPECT_EQ(find_dtype("i8"), dtype::i8);
  EXPECT_EQ(find_dtype("<i8"), dtype::i64);
  EXPECT_EQ(find_dtype("float"), dtype::f32);
  EXPECT_EQ(find_dtype("double"), dtype::f64);
  EXPECT_EQ(find_dtype(">f4"), dtype::f32);
  EXPECT_EQ(find_dtype("|b1"), dtype::boolean);
  EXPECT_EQ(find_dtype("i128"), std::nullopt);
}

TEST(conversion, keeps_values_or_names_the_first_that_does_not_fit) {
  double const floats[] = {1, 255, 256, 0.5};
  std::uint8_t bytes[4] = {};
  EXPECT_EQ(convert(dtype::f64, floats, dtype::u8, bytes, 4), 2u);
  EXPECT_EQ(bytes[1], 255);
  EXPECT_EQ(convert(dtype::f64, floats + 3, dtype::u8, bytes, 1), 0u);
  double const edges[] = {-9223372036854775808.0, 9223372036854774784.0, 9223372036854775808.0};
  std::int64_t whole[3] = {};
  EXPECT_EQ(convert(dtype::f64, edges, dtype::i64, whole, 3), 2u);
  EXPECT_EQ(whole[0], std::numeric_limits<std::int64_t>::min());
  double const special[] = {INFINITY, NAN, 1e300};
  float single[3] = {};
  EXPECT_EQ(convert(dtype::f64, special, dtype::f32, single, 3), 2u);
  EXPECT_TRUE(std::isinf(single[0]) && std::isnan(single[1]));
  EXPECT_EQ(convert(dtype::f64, special + 1, dtype::i32, whole, 1), 0u);
  std::uint16_t half[3] = {};
  EXPECT_EQ(convert(dtype::f64, special, dtype::f16, half, 3), 2u);  // 1e300 is beyond 65504
  EXPECT_EQ(half[0], 0x7c00);
  EXPECT_EQ(half[1] & 0x7c00, 0x7c00);
  double copies[3] = {};
  EXPECT_EQ(convert(dtype::f64, special, dtype::f64, copies, 3), 3u);
  EXPECT_EQ(copies[2], 1e300);
  std::int64_t const truth[] = {0, 1, 2};
  bool flags[3] = {};
  EXPECT_EQ(convert(dtype::i64, truth, dtype::boolean, flags, 3), 2u);
  std::uint64_t const top = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(convert(dtype::u64, &top, dtype::i64, whole, 1), 0u);
  EXPECT_EQ(convert(dtype::u64, &top, dtype::f32, single, 1), 1u);
  EXPECT_EQ(single[0], 18446744073709551616.0f);
}

}  // namespace
}  // namespace upsweep::io
