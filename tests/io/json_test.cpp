/// Scans of JSON, row by row, and how files of it begin. Expected values are those of RFC 8259.
#include <io/records.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files.hpp"

namespace upsweep::io::test {
namespace {

json_rules rules_of(json_row row, bool in_array = false, bool refuses_new = false) {
  json_rules rules;
  rules.row = row;
  rules.in_array = in_array;
  rules.refuses_new = refuses_new;
  if (row == json_row::object)
    for (std::string_view const key : {"a", "b"})
      rules.add({key.data(), key.data() + key.size(), false, json_kind::text});
  return rules;
}
scan_result scan(json_rules const& rules, std::string_view text, bool last,
                 std::vector<std::string>* values = nullptr) {
  field_list fields;
  auto const result = scan_json(rules, text.data(), text.data() + text.size(), last, fields);
  if (values && result.what == scanned::record) {
    values->clear();
    for (field const& each : fields) append_unquoted(values->emplace_back(), each);
  }
  return result;
}

/// Rows with the fields that they have.
struct row_case {
  json_rules rules;
  std::string_view text;
  std::vector<std::string> values;
};
std::vector<row_case> row_cases() {
  auto const object = rules_of(json_row::object), array = rules_of(json_row::array),
             scalar = rules_of(json_row::scalar);
  return {{object, R"({})", {"", ""}},
          {object, R"( { "a" : 1 , "b" : "x" } )", {"1", "x"}},
          {object, R"({"b":[1,{"c":"]"}],"a":null})", {"", R"([1,{"c":"]"}])"}},
          {object, R"({"a":1,"a":2})", {"2", ""}},
          {object, R"({"\u0061":"\t\u00e9\ud83d\ude00"})", {"\t\u00e9\U0001f600", ""}},
          {object, R"({"a":true,"c":-1.5e+3})", {"true", ""}},
          {array, R"([])", {}},
          {array, R"([ ])", {}},
          {array, R"([1, "two" , [3]])", {"1", "two", "[3]"}},
          {scalar, R"("a string of more than eight bytes")", {"a string of more than eight bytes"}},
          {scalar, R"("\"\\\/\b\f\n\r\t")", {"\"\\/\b\f\n\r\t"}},
          {scalar, R"([1,2])", {"[1,2]"}}};
}

TEST(json, rows_have_their_fields_and_no_part_of_a_row_is_one) {
  std::vector<std::string> values;
  for (auto const& [rules, text, expected] : row_cases()) {
    for (bool const last : {false, true}) {
      ASSERT_EQ(scanned::record, scan(rules, text, last, &values).what) << text;
      EXPECT_EQ(expected, values) << text;
    }
    auto const end = text.find_last_not_of(' '), begin = text.find_first_not_of(' ');
    for (std::size_t cut = 0; cut <= end; ++cut) {
      auto const part = text.substr(0, cut);
      EXPECT_EQ(scanned::incomplete, scan(rules, part, false).what) << part;
      EXPECT_EQ(cut <= begin ? scanned::nothing : scanned::bad_json, scan(rules, part, true).what)
          << part;
    }
  }
}
/// A number may go on where the bytes end.
TEST(json, numbers_and_words_end_with_the_file) {
  auto const rules = rules_of(json_row::scalar);
  std::vector<std::string> values;
  for (std::string_view const text : {"12", "-1.5e3", "true", "NaN"}) {
    EXPECT_EQ(scanned::incomplete, scan(rules, text, false).what);
    ASSERT_EQ(scanned::record, scan(rules, text, true, &values).what);
    EXPECT_EQ(std::vector<std::string>{std::string(text)}, values);
  }
  for (std::string_view const text : {"1\n", "1\t\r\n2", "1 2"}) {
    auto const result = scan(rules, text, false, &values);
    ASSERT_EQ(scanned::record, result.what);
    EXPECT_EQ(std::vector<std::string>{"1"}, values);
  }
  EXPECT_EQ(scanned::incomplete, scan(rules, "tru", false).what);
  EXPECT_EQ(scanned::bad_json, scan(rules, "tru", true).what);
}

TEST(json, that_is_none_is_located) {
  auto const object = rules_of(json_row::object), array = rules_of(json_row::array),
             scalar = rules_of(json_row::scalar), strict = rules_of(json_row::object, false, true);
  struct {
    json_rules const& rules;
    std::string_view text;
    std::size_t at;
    std::string_view why;
  } const cases[]{
      {object, "[1]\n", 0, "The rows are objects"},
      {array, "{\"a\":1}\n", 0, "The rows are arrays"},
      {object, "{1:2}\n", 1, "An object needs a key in quotes"},
      {object, "{\"a\" 1}\n", 5, "A key needs a colon"},
      {object, "{\"a\":1 \"b\":2}\n", 7, "An object needs a comma"},
      {object, "{\"a\":1,}\n", 7, "An object needs a key in quotes"},
      {strict, "{\"a\":1,\"c\":2}\n", 7, "The first rows do not have this key"},
      {array, "[1 2]\n", 3, "An array needs a comma"},
      {array, "[1,]\n", 3, "This is not a JSON value"},
      {array, "[007]\n", 1, "A JSON number has no leading zeros"},
      {array, "[-01]\n", 1, "A JSON number has no leading zeros"},
      {array, "[1.2.3]\n", 1, "This is not a JSON value"},
      {array, "[1,5.]\n", 3, "This is not a JSON value"},
      {array, "[1e+]\n", 1, "This is not a JSON value"},
      {array, "[-]\n", 1, "This is not a JSON value"},
      {scalar, "nul\n", 0, "This is not a JSON value"},
      {scalar, "\"a\nb\"\n", 2, "A string has a control character"},
      {scalar, "\"\x1f\"\n", 1, "A string has a control character"},
      {scalar, "\"\\x\"  \n", 1, "'\\' begins no escape"},
      {scalar, "\"\\u12g4\"\n", 1, "'\\' begins no escape"},
      {scalar, "\"\\u12G4\"\n", 1, "'\\' begins no escape"},
      {scalar, std::string_view("\"\\\0aaaa\"\n", 9), 1, "'\\' begins no escape"},
  };
  for (auto const& [rules, text, at, why] : cases) {
    auto const result = scan(rules, text, false);
    ASSERT_EQ(scanned::bad_json, result.what) << text;
    EXPECT_EQ(at, static_cast<std::size_t>(result.at - text.data())) << text;
    EXPECT_TRUE(std::string_view(result.why).starts_with(why)) << text << ": " << result.why;
  }
}

TEST(json, arrays_of_rows_end_with_a_bracket) {
  auto const rules = rules_of(json_row::scalar, true);
  auto const what = [&](std::string_view text, bool last) { return scan(rules, text, last).what; };
  for (std::string_view const text : {"1,", " 1 ,", "1]", "\n1\n]", ",1]", " , 1,"})
    for (bool const last : {false, true}) EXPECT_EQ(scanned::record, what(text, last)) << text;
  for (std::string_view const text : {"", " ", "1", "1 ", "\"a\""}) {
    EXPECT_EQ(scanned::incomplete, what(text, false)) << text;
    EXPECT_EQ(scanned::bad_json, what(text, true)) << text;
  }
  for (std::string_view const text : {"]", " ] ", "]\n"}) {
    EXPECT_EQ(scanned::incomplete, what(text, false)) << text;
    EXPECT_EQ(scanned::nothing, what(text, true)) << text;
  }
  for (std::string_view const text : {"1 2", "1}", "] 1", ",]", " , ]", ",,1,"})
    for (bool const last : {false, true}) EXPECT_EQ(scanned::bad_json, what(text, last)) << text;
}

TEST(json, keys_are_found_in_the_order_of_their_first_row) {
  json_rules rules;
  for (std::string_view const text : {R"({"x":1,"\u0079":2})", R"({})", R"({"y":3,"z":{}})"})
    EXPECT_EQ(scanned::record, find_keys(rules, text.data(), text.data() + text.size(), true).what);
  EXPECT_EQ((std::vector<std::string>{"x", "y", "z"}), rules.keys);
  EXPECT_EQ("\"x\"", rules.quoted(0));
  EXPECT_EQ("", rules.quoted(1));
  EXPECT_EQ("", rules.quoted(3));
  std::string_view const row = "[1]";
  EXPECT_EQ(scanned::bad_json, find_keys(rules, row.data(), row.data() + row.size(), true).what);
}

/// Halves of a pair that are alone are U+FFFD, as in other readers.
TEST(json, escapes_are_characters) {
  for (auto const& [content, expected] : std::vector<std::pair<std::string_view, std::string_view>>{
           {R"(\u0041\u00e9\u20ac)", "A\u00e9\u20ac"},
           {R"(\ud83d\ude00)", "\U0001f600"},
           {R"(\uD83D\uDE00)", "\U0001f600"},
           {R"(\udbff\udfff)", "\U0010ffff"},
           {R"(\ud83d)", "\ufffd"},
           {R"(\ud83dx)", "\ufffdx"},
           {R"(\ud83d\n)", "\ufffd\n"},
           {R"(\ud83d\u0041)",
            "\ufffd"
            "A"},
           {R"(\ud83d\ue000)", "\ufffd\ue000"},
           {R"(\ud83d\ud83d\ude00)", "\ufffd\U0001f600"},
           {R"(\ude00\ud83d)", "\ufffd\ufffd"},
           {R"(\ude00\ude00)", "\ufffd\ufffd"}}) {
    std::string out;
    append_unescaped(out, content);
    EXPECT_EQ(expected, out) << content;
  }
}
/// RFC 8259: all characters below U+0020 are escaped, and no other than the quote and the
/// backslash.
TEST(json, strings_have_no_control_character) {
  std::string text = "\x1f\x20\x7f\"\\/\u00e9\t\r\n\b\f\x01", out;
  text += '\0';
  EXPECT_EQ("\"\\u001f \x7f\\\"\\\\/\u00e9\\t\\r\\n\\b\\f\\u0001\\u0000\"",
            append_json_text(out, text));
}
TEST(json, nested_values_are_written_on_one_line) {
  std::string_view const text = "{\r\n \"a\":\n 1}";
  std::string out;
  append_token(out, {text.data(), text.data() + text.size(), false, json_kind::nested});
  EXPECT_EQ("{ \"a\": 1}", out);
}
TEST(json, numbers_are_written_as_json_has_them) {
  for (auto const& [number, expected] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"1e+5", "1e+5"},
                                                                  {"1E-5", "1E-5"},
                                                                  {"+.5", "0.5"},
                                                                  {"-5.", "-5"},
                                                                  {"5.e1", "5e1"},
                                                                  {"0", "0"}}) {
    std::string out;
    EXPECT_TRUE(append_json_number(out, number)) << number;
    EXPECT_EQ(expected, out);
  }
  for (std::string_view const text :
       {"", "-", ".", "007", "1e", "1e+", "0x1", "nan", "1 ", "+4930123"}) {
    std::string out;
    EXPECT_FALSE(append_json_number(out, text)) << text;
    EXPECT_EQ("", out);
  }
}

TEST(json, begins_with_an_object_or_an_array_of_values) {
  for (std::string_view const text :
       {"{}", "{\"a\"", " { \"", "[]", "[ {", "[[", "[\"", "[1,", "[-1.5e3 ,"})
    EXPECT_EQ(true, looks_like_json(text)) << text;
  for (std::string_view const text : {"1", "{1", "[1] 2.5", "[x", "[,", "a"})
    EXPECT_EQ(false, looks_like_json(text)) << text;
  for (std::string_view const text : {"", " ", "{", "[ ", "[1", "[1 "})
    EXPECT_EQ(std::nullopt, looks_like_json(text)) << text;
}

/// The values of a file of JSON, also where it arrives byte by byte.
template <class T>
void expect_values(std::string const& content, std::vector<T> const& expected) {
  scratch const folder;
  SCOPED_TRACE(content.substr(0, 40));
  input_options const one{.columns = {"1"}};
  auto options = one;
  options.path = folder.write("a.jsonl", content);
  input from(options);
  EXPECT_EQ(expected, values<T>(from));
  if (content.size() > 1000) return;
  piped const bytes(content, 1);
  options.path = bytes.path();
  options.format = container::jsonl;
  input slow(options);
  EXPECT_EQ(expected, values<T>(slow));
}
TEST(files_of_json, have_the_rows_of_lines_and_of_one_array) {
  using integers = std::vector<std::int64_t>;
  expect_values<std::int64_t>("  \n {\"a\":1}\n{\"a\":2}", {1, 2});
  expect_values<std::int64_t>("[ {\"a\":1} , {\"a\":2}\n]", {1, 2});
  expect_values<std::int64_t>("[1,5]\n[2,6]\n", {1, 2});
  expect_values<std::int64_t>(" [1,\n2 , 3]", {1, 2, 3});
  expect_values<std::int64_t>("1\n2", {1, 2});
  for (std::string const blank : {"", " \n\t", "[]", "[ \n ] \n"}) expect_values<double>(blank, {});
  expect_values<std::int64_t>("\xef\xbb\xbf{\"a\":1}", {1});
  scratch const folder;
  auto const marked = folder.write("without_extension", "\xef\xbb\xbf [1, 2]");
  EXPECT_EQ((integers{1, 2}), read<std::int64_t>({.path = marked}));
  // One line beyond the sample, and more rows than those that are looked at for a header.
  std::string line = "[1", lines;
  integers ones{1}, firsts;
  for (int i = 0; i < 600'000; ++i) line += ",1", ones.push_back(1);
  expect_values<std::int64_t>(line + "]", ones);
  for (int i = 0; i < 3000; ++i) lines += "[" + std::to_string(i) + ",7]\n", firsts.push_back(i);
  expect_values<std::int64_t>(lines, firsts);
}
TEST(files_of_json, that_are_cut_or_read_by_other_rules_are_errors) {
  scratch const folder;
  auto const of = [&](std::string_view content) {
    return input_options{.path = folder.write("a.json", content), .columns = {"1"}};
  };
  for (std::string_view const text : {"[", "[ ", "[1", "[1,", "{\"a\":1", "[{\"a\":1}"})
    EXPECT_FAILURE(drain(of(text)), 3, "a.json:1:");
  EXPECT_FAILURE(drain(of("{\"a\":\"" + std::string(std::size_t{17} << 20, 'x') + "\"}")), 3,
                 "a.json:1:");
  auto options = of("{\"a\":1}\n");
  options.numbers.decimal = ',';
  EXPECT_FAILURE(drain(options), 2, "whose numbers have a decimal point; omit it");
  options = of("{\"a\":1}\n");
  options.delimiter = ';';
  EXPECT_FAILURE(drain(options), 2, "is JSON; omit it");
  options = of("[1,2]");
  options.part = file_part{1, 4, 0};
  EXPECT_THROW(drain(options), usage_error);
  options.part = file_part{};  // no bytes
  input none(options);
  EXPECT_EQ(std::vector<std::int64_t>{}, values<std::int64_t>(none));
  options = of("1\n2\n3\n");
  options.part = file_part{2, 4, 1};
  input second(options);
  EXPECT_EQ(std::vector<std::int64_t>{2}, values<std::int64_t>(second));
}

}  // namespace
}  // namespace upsweep::io::test
