/// What names, words and times are taken for: tables of cases, whose values follow from the
/// documents and from ISO 8601.
#include <io/compression.hpp>
#include <io/container.hpp>
#include <io/shown.hpp>
#include <io/small_file.hpp>
#include <io/text_types.hpp>
#include <io/times.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "files.hpp"

namespace upsweep::io::test {
namespace {

TEST(words, of_formats_and_byte_orders_have_synonyms) {
  for (auto const& [name, format] :
       std::vector<std::pair<std::string_view, container>>{{"txt", container::text},
                                                           {"ndjson", container::jsonl},
                                                           {"feather", container::arrow},
                                                           {"md", container::markdown},
                                                           {"bin", container::raw},
                                                           {"binary", container::raw},
                                                           {"auto", container::automatic},
                                                           {"arrows", container::arrows}})
    EXPECT_EQ(format, find_container(name)) << name;
  EXPECT_EQ(std::nullopt, find_container("xlsx"));
  for (auto const& [name, order] :
       std::vector<std::pair<std::string_view, byte_order>>{{"little", byte_order::little},
                                                            {"le", byte_order::little},
                                                            {"<", byte_order::little},
                                                            {"big", byte_order::big},
                                                            {"be", byte_order::big},
                                                            {">", byte_order::big},
                                                            {"native", native_order},
                                                            {"=", native_order}})
    EXPECT_EQ(order, find_byte_order(name)) << name;
  EXPECT_EQ(std::nullopt, find_byte_order("middle"));
}
TEST(words, of_extensions_name_compression) {
  EXPECT_EQ(compression::gzip, compression_of_path("a.csv.gz"));
  EXPECT_EQ(compression::zstd, compression_of_path("a.zst"));
  EXPECT_EQ(compression::zstd, compression_of_path("a.zstd"));
  EXPECT_EQ(compression::none, compression_of_path("a.csv"));
  EXPECT_EQ("a.csv", without_compression("a.csv.zstd"));
}
TEST(words, are_appended_from_the_middle_of_a_column) {
  text_buffer from, to;
  for (auto const* const each : {"a", "bc", "", "d"}) from.push(each);
  to.push("x");
  to.append(from.view(), 1, 2);
  ASSERT_EQ(3u, to.size());
  EXPECT_EQ("bc", to.view()[1]);
  EXPECT_EQ("", to.view()[2]);
}
TEST(words, of_extensions_name_formats) {
  for (auto const& [path, format] :
       std::vector<std::pair<std::string_view, container>>{{"a.txt", container::text},
                                                           {"a.text", container::text},
                                                           {"b.c/a.dat", container::text},
                                                           {"a.tab", container::tsv},
                                                           {"a.ndjson", container::jsonl},
                                                           {"a.md", container::markdown},
                                                           {"a.pq", container::parquet},
                                                           {"a.parquet", container::parquet},
                                                           {"a.feather", container::arrow},
                                                           {"a.ipc", container::arrow},
                                                           {"a.arrows", container::arrows},
                                                           {"a.raw", container::raw},
                                                           {"a.f64", container::raw},
                                                           {"a", container::automatic},
                                                           {".csv", container::automatic},
                                                           {"x.csv/a", container::automatic},
                                                           {"a.xyz", container::automatic}})
    EXPECT_EQ(format, container_of_path(path)) << path;
}

TEST(times, that_are_no_times_of_iso_8601_are_refused) {
  for (std::string_view const text : {"2024-03-0",
                                      "2024-3-004",
                                      "2024-13-01",
                                      "2024-02-30",
                                      "2024-03-04x10:00",
                                      "2024-03-04T1",
                                      "2024-03-04T1/:00",
                                      "2024-03-04T1a:00",
                                      "2024-03-04T10",
                                      "2024-03-04T10:",
                                      "2024-03-04T24:00",
                                      "2024-03-04T10:60",
                                      "2024-03-04T10:00:",
                                      "2024-03-04T10:00:60",
                                      "2024-03-04T10:00:00.",
                                      "2024-03-04T10:00Z5",
                                      "2024-03-04T10:00+",
                                      "2024-03-04T10:00+0a",
                                      "2024-03-04T10:00+02:",
                                      "2024-03-04T10:00+02:6",
                                      "2024-03-04T10:00+24:00",
                                      "2024-03-04T10:00+02:60",
                                      "2024-03-04T10:00 UTC"})
    EXPECT_FALSE(parse_time(text)) << text;
}
TEST(times, are_rounded_to_microseconds) {
  EXPECT_EQ("1970-01-01T00:00:01Z", time_text(0.9999999));
  EXPECT_EQ("1969-12-31T23:59:59.999999Z", time_text(-1e-6));
}
TEST(times, have_the_seconds_of_the_calendar) {
  // date -u -d TEXT +%s
  for (auto const& [text, seconds] :
       std::vector<std::pair<std::string_view, double>>{{"2024-03-04", 1709510400},
                                                        {"2024-03-04T10:00", 1709546400},
                                                        {"2024-03-04 10:00:00,5", 1709546400.5},
                                                        {"2024-03-04T10:00:00.25Z", 1709546400.25},
                                                        {"2024-03-04T10:00:00+02:00", 1709539200},
                                                        {"2024-03-04T10:00-0130", 1709551800},
                                                        {"2024-03-04T10:00+02", 1709539200},
                                                        {"1969-12-31T23:59:59", -1}}) {
    auto const time = parse_time(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(seconds, time->seconds()) << text;
  }
}
TEST(times, beyond_their_integers_are_nothing) {
  EXPECT_EQ(std::nullopt, parse_time("9999-12-31")->since_1970());
  EXPECT_EQ(std::nullopt, parse_time("0001-01-01")->since_1970());
  EXPECT_EQ(-1'000'000'000, parse_time("1969-12-31T23:59:59")->since_1970());
  EXPECT_EQ("9999-12-31T23:59:59Z", time_text(253402300799));
  for (double const seconds : {253402300800.0, 9e11, -9e11, 1e12, -1e300})
    EXPECT_EQ(std::nullopt, time_text(seconds)) << seconds;
}

TEST(words, that_reverse_text_or_move_the_cursor_are_escaped) {
  for (auto const& [text, expected] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"a\tb\r\nc\n", "a\tb\r\nc\n"},
           {"a\rb", "a\\x0db"},
           {"\x1b[1m", "\\x1b[1m"},
           {"\u200e", "\\xe2\\x80\\x8e"},
           {"\u200f", "\\xe2\\x80\\x8f"},
           {"\u202e", "\\xe2\\x80\\xae"},
           {"\u2066", "\\xe2\\x81\\xa6"},
           {"\u2069", "\\xe2\\x81\\xa9"},
           {"\u2065\u206a\u2027\u202f", "\u2065\u206a\u2027\u202f"},
           {"\u0085", "\\xc2\\x85"},
           {"\x85\xe9", "\\x85\xe9"}})
    EXPECT_EQ(expected, printable(text));
  EXPECT_EQ("a\\x09b\\x0a", shown("a\tb\n"));
  EXPECT_EQ("\\xff\u00e9", shown("\xff\u00e9"));
  EXPECT_EQ("\\x7f\\xc0\\xaf", shown("\x7f\xc0\xaf")) << "an overlong '/'";
  EXPECT_EQ("\\xe2\\x82", shown(std::string_view("\xe2\x82\xac", 2))) << "a part of a character";
}

TEST(words, that_may_name_a_column_begin_with_a_letter_of_any_script) {
  for (std::string_view const name :
       {"a", "_", "\"x", "\u00aa", "\u00b5", "\u00ba", "\u00e9", "\u4e2d", "\uff21", "\u3042"})
    EXPECT_TRUE(is_name(name)) << name;
  for (std::string_view const token :
       {"", "\"", "5kg",
        "\u00a3"
        "5",
        "\u00d7", "\u00f7", "\u20ac", "\u3000", "\u3010", "\uff10", "\uff04", "a\xff", "\xff"})
    EXPECT_FALSE(is_name(token)) << token;
}
TEST(words, that_are_codes_have_digits_only) {
  for (std::string_view const token : {"07306", "00", "005.133"}) EXPECT_TRUE(is_code(token));
  for (std::string_view const token : {"0", "7306", "0.5", "0x1f", "01.5x", "01x5"})
    EXPECT_FALSE(is_code(token)) << token;
  EXPECT_TRUE(is_negative_zero("-0") && is_negative_zero("-000"));
  EXPECT_FALSE(is_negative_zero("-05") || is_negative_zero("0") || is_negative_zero("-"));
}
/// The type of the tokens, observed one after another, and in two parts that are merged.
TEST(a_guess, of_merged_parts_is_that_of_all_tokens) {
  using tokens = std::vector<std::string_view>;
  for (auto const& [first, second, type] : std::vector<std::tuple<tokens, tokens, dtype>>{
           {{"1"}, {"18446744073709551615"}, dtype::u64},
           {{"18446744073709551615"}, {"1"}, dtype::u64},
           {{"18446744073709551615"}, {"-1"}, dtype::i64},
           {{"9223372036854775807"}, {"1"}, dtype::i64},
           {{"9223372036854775808"}, {"1"}, dtype::u64},
           {{"true"}, {"false"}, dtype::boolean},
           {{"true"}, {}, dtype::boolean},
           {{}, {"true"}, dtype::boolean},
           {{"true"}, {"2"}, dtype::i64},
           {{"-0"}, {"1"}, dtype::f64},
           {{"na"}, {}, dtype::f64}}) {
    type_guess whole, part, other;
    for (auto const token : first) whole.observe(token), part.observe(token);
    for (auto const token : second) whole.observe(token), other.observe(token);
    part.merge(other);
    EXPECT_EQ(type, whole.type());
    EXPECT_EQ(type, part.type());
  }
}
TEST(a_guess, looks_at_the_first_token_that_is_no_missing_value) {
  for (auto const& [tokens, is_like_number] :
       std::vector<std::pair<std::vector<std::string_view>, bool>>{{{"-", "1.5"}, true},
                                                                   {{"-", "15"}, true},
                                                                   {{"-", "abc", "1.5"}, false},
                                                                   {{"abc", "def"}, false},
                                                                   {{"$5", "def"}, true}}) {
    type_guess guess;
    for (auto const token : tokens) guess.observe(token);
    EXPECT_EQ(is_like_number, guess.begins_like_number()) << tokens.back();
    type_guess before;
    before.observe("");
    before.merge(guess);
    EXPECT_EQ(is_like_number, before.begins_like_number()) << tokens.back();
    EXPECT_TRUE(guess.begins_with_text());
  }
}

TEST(numbers, that_people_read_are_told_from_words) {
  for (std::string_view const token :
       {"$900", "1.234,5", "9 %", "8.0K", "<5", "<= 5", "0x1F", "0b101", "1.5D+03", "1h30m",
        "PT1H30M", "2 d 4 h", "12\u00a0km", "12\u202fkm", "5'", "\u0663", "\uff11\uff12", "(5)"})
    EXPECT_TRUE(looks_like_number(token)) << token;
  for (std::string_view const token :
       {"abc", "abc\u0663", "1T5h", "B12", "0b12", "1.5D3x", "12 parsecs long", "\xff"})
    EXPECT_FALSE(looks_like_number(token)) << token;
}
TEST(numbers, of_money_whose_point_may_be_either_are_refused) {
  number_spelling money{",", '.', std::make_shared<column_currencies>()};
  std::string buffer;
  for (std::string_view const token : {"$1.234", "12.345", "$999.000"})
    EXPECT_EQ("?", standard_form(token, money, buffer)) << token;
  for (auto const& [token, number] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"$1.23", "1.23"}, {"$0.234", "0.234"}, {"$1,234", "1234"}, {"($1.2345)", "-1.2345"}})
    EXPECT_EQ(number, standard_form(token, money, buffer)) << token;
  EXPECT_FALSE(is_number(standard_form("$1.2,4", money, buffer)));
  money.says_decimal = true;
  EXPECT_EQ("1.234", standard_form("$1.234", money, buffer));
}

TEST(a_small_file, is_read_up_to_its_limit) {
  scratch const folder;
  auto const reason = [](std::string const& path, file_kind of = file_kind::regular) {
    errno = 0;
    return small_file(path, of) ? 0 : errno;
  };
  EXPECT_EQ("ab", small_file(folder.write("two", "ab")));
  EXPECT_EQ("", small_file(folder.write("none", "")));
  std::string const all(most_of_small_file, 'x');
  EXPECT_EQ(all, small_file(folder.write("full", all)));
  EXPECT_EQ(EFBIG, reason(folder.write("large", all + "x")));
  EXPECT_EQ(ENOENT, reason(folder.path("absent")));
  EXPECT_EQ(EINVAL, reason(folder.path("")));
  EXPECT_EQ(EISDIR, reason(folder.path(""), file_kind::any));
  ASSERT_EQ(0, ::mkfifo(folder.path("pipe").c_str(), 0600));
  EXPECT_EQ(EINVAL, reason(folder.path("pipe")));
  EXPECT_EQ(EFBIG, reason("/dev/zero", file_kind::any));
  piped const some("through a pipe");
  EXPECT_EQ("through a pipe", small_file(some.path(), file_kind::any));
}

}  // namespace
}  // namespace upsweep::io::test
