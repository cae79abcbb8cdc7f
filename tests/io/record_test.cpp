/// Records at their edges: lines without a value, comments, quotes and the end of what was read.
#include "files.hpp"

#include <io/records.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

using namespace test;
using fields_of = std::vector<std::string>;

/// The first column of a table as text.
fields_of first_column(std::string const& file, std::string_view content, char comment = '\0') {
  scratch const dir;
  input from({.path = dir.write(file, content),
              .keys = {"1"},
              .keys_only = true,
              .header = header_line::present,
              .comment = comment});
  return texts(from);
}

TEST(a_record, of_delimiters_alone_has_empty_fields) {
  EXPECT_EQ((fields_of{"", "x", ""}), first_column("t.tsv", "a\tb\n\t\nx\ty\n\t"));
  EXPECT_EQ((fields_of{"", "x", ""}), first_column("t.csv", "a,b\n , \n \nx,y\n,"));
}

TEST(a_record, is_a_comment_only_if_its_line_begins_so) {
  EXPECT_EQ((fields_of{"#x", "z"}), first_column("t.csv", "a,b\n #x,\"1\"\n#y,2\nz,3\n", '#'));
}

TEST(a_record, is_located_after_blank_lines) {
  scratch const dir;
  EXPECT_FAILURE(drain({.path = dir.write("t.txt", "a b\n1 2\n\n# none\n\n3\n"),
                        .whole_rows = true,
                        .keys_only = true}),
                 3, "t.txt:6:1: This record has 1 field, but the first has 2.");
}

TEST(a_record, has_all_fields_that_are_chosen) {
  scratch const dir;
  EXPECT_FAILURE(
      drain({.path = dir.write("t.txt", "1 2 3\n4\n"), .keys = {"3"}, .keys_only = true}), 3,
      "t.txt:2:1: This line has 1 field, but column 3 was chosen.");
}

TEST(a_record, is_copied_only_if_it_would_be_written_so) {
  scratch const dir;
  auto const joined = [&](char separator) {
    input from(
        {.path = dir.write("t.csv", "a,b\nx\ry,1\nz,2\n"), .keys = {"all"}, .keys_only = true});
    from->join_keys({2, separator, true});
    chunk rows;
    std::string all;
    while (from->next(rows))
      for (std::size_t i = 0; i < rows.rows; ++i) (all += (*rows.joined)[i]) += '|';
    return all;
  };
  EXPECT_EQ("\"x\ry\",1|z,2|", joined(','));
  EXPECT_EQ("\"x\ry\";1|z;2|", joined(';'));
}

TEST(a_record, that_is_refused_names_the_field_at_fault) {
  scratch const dir;
  auto const of = [&](std::string_view content) {
    return input_options{.path = dir.write("t.csv", content)};
  };
  auto options = of("a,b\n,x\n");
  options.columns = {"a", "b"}, options.mark_missing = true;
  EXPECT_FAILURE(drain(options), 3, "t.csv:2:2: 'x' in column 'b' is not a number");
  options = of("a,b\nx,y\n");
  options.columns = {"a", "b"}, options.may_be_text = true;
  options.uses = {{}, {.as_numbers = true}};
  EXPECT_FAILURE(drain(options), 3, "t.csv:2:3: 'y' in column 'b' is not a number");
  options = of(std::string_view("a\0,b\n1,2\n", 9));
  options.columns = {"2"};
  EXPECT_FAILURE(drain(options), 3, "t.csv:1:2: Text cannot contain a NUL byte");
  options = of(std::string_view("a,b\nx\0y,2\n", 11));
  options.keys = {"a"}, options.columns = {"b"};
  EXPECT_FAILURE(drain(options), 3, "t.csv:2:2: Text cannot contain a NUL byte");
  options = {.path = dir.write("t.json", "\n\n[{\"a\":1},\n{\"a\":x}]"), .columns = {"a"}};
  EXPECT_FAILURE(drain(options), 3, "t.json:4:6: This is not a JSON value.");
  input from({.path = dir.write("t.jsonl", "{\"a\":1,\"b\":[2]}\n"),
              .keys = {"a", "b"},
              .keys_only = true});
  from->join_keys({1, ',', true});
  chunk rows;
  EXPECT_FAILURE(from->next(rows), 3, "t.jsonl:1:12: 'b' holds an array");
}

TEST(keys, that_are_telephone_numbers_are_text) {
  scratch const dir;
  for (auto const& [content, kind] : std::vector<std::pair<std::string_view, key_kind>>{
           {"a\n5\n+7\n", key_kind::written_number}, {"a\n5\n+49301234567\n", key_kind::text}}) {
    input from({.path = dir.write("t.csv", content), .keys = {"a"}, .keys_only = true});
    EXPECT_EQ(2u, texts(from).size());
    EXPECT_EQ(kind, from->kind_of_key(0)) << content;
  }
}

TEST(lists, have_comments_without_blanks) {
  scratch const dir;
  EXPECT_EQ((std::vector<std::int64_t>{1, 3}),
            read<std::int64_t>({.path = dir.write("t.txt", "1\n#2\n3\n")}));
  EXPECT_EQ((std::vector<std::int64_t>{1, 2}),
            read<std::int64_t>({.path = dir.write("t.txt", "1 2\r")}))
      << "a return ends the only line";
}

TEST(lists, do_not_go_on_inside_a_comment) {
  std::string_view const text = "# 1 2";
  field token;
  auto const result = scan_token({}, text.data(), text.data() + text.size(), false, token);
  EXPECT_EQ(scanned::incomplete, result.what);
  EXPECT_EQ(text.data(), result.next) << "resumes at its '#'";
}

TEST(first_lines, name_their_separator_whatever_ends_them) {
  for (auto const& [text, bytes] : std::vector<std::pair<std::string_view, std::size_t>>{
           {"sep=;\na", 6}, {"sep=;\r\na", 7}, {"SEP=;\r\na", 7}, {"\"sep=;\"\r\na", 9}}) {
    auto const named = named_separator(text);
    ASSERT_TRUE(named) << text;
    EXPECT_EQ(';', named->separator);
    EXPECT_EQ(bytes, named->bytes) << text;
  }
  for (std::string_view const text : {"sep=;", "sep=;;\n", "sep=\n", "xsep=;\n", "\"sep=;\n"})
    EXPECT_FALSE(named_separator(text)) << text;
}

/// RFC 4180: a separator in quotes belongs to the field.
TEST(first_lines, have_separators_outside_of_quotes) {
  scratch const dir;
  auto const first_of = [&](std::string_view content, std::string const& column = "1",
                            char delimiter = 0) {
    for (auto const* const name : {"t.csv", "t"}) {
      input_options options{.path = dir.write(name, content), .columns = {column}};
      options.delimiter = delimiter;
      EXPECT_EQ((std::vector<std::int64_t>{1}), read<std::int64_t>(options)) << name << content;
    }
  };
  first_of("a,b;c\n1,2\n", "a");
  first_of("\"a,b\";c\n1;2\n", "a,b");
  first_of("c;\"a,b\"\n2;1\n", "a,b");
  first_of("\"a;b\",c\n1,2\n", "a;b");
  first_of("sep=|\na|b\n1|2\n", "a");
  first_of("sep=;\na,b\n1,2\n", "a", ',');
  EXPECT_FAILURE(drain({.path = dir.write("t.csv", "sep=;\na;b\n1;x\n"), .columns = {"b"}}), 3,
                 "t.csv:3:3: 'x' in column 'b' is not a number");
  input const tabs({.path = dir.write("t", "\"a,b\"\tc\n1\t2\n"), .columns = {"c"}});
  EXPECT_EQ(container::tsv, tabs->format);
  EXPECT_EQ((std::vector<std::int64_t>{1}),
            read<std::int64_t>({.path = dir.write("t.csv", "ORC,b\n1,2\n"), .columns = {"ORC"}}));
}

TEST(first_lines, are_no_header_if_they_may_be_numbers) {
  scratch const dir;
  for (std::string_view const content :
       {"country,2150\nDE,1.5\n", ",0,1\nx,5,6\n", ",0,1\n0,5,6\n2,7,8\n"})
    EXPECT_FAILURE(drain({.path = dir.write("t.csv", content), .columns = {"2"}}), 3,
                   "may be names of columns, as years are, or data");
}

/// UTF-16LE without a mark, as Python's "utf-16-le" writes it.
TEST(first_lines, of_two_bytes_a_character_may_have_any_letters) {
  std::string wide;
  for (char32_t const c : std::u32string_view(U"name,x\nM\u00fcller,1\nMeier,2\n")) {
    wide += static_cast<char>(c);
    wide += '\0';
  }
  scratch const dir;
  EXPECT_FAILURE(drain({.path = dir.write("t.csv", wide), .columns = {"x"}}), 3, "UTF-16LE text");
}

TEST(first_lines, may_have_a_line_end_in_quotes) {
  EXPECT_EQ(7u, first_line_end("\"a\nb\";c\n1;2\n"));
  EXPECT_EQ(std::string_view::npos, first_line_end("\"a\nb;c\n1;2\n"));
  scratch const dir;
  input from({.path = dir.write("t.csv", "\"a\nb\";c\n1;2\n"), .columns = {"c"}});
  EXPECT_EQ((std::vector<std::int64_t>{2}), values<std::int64_t>(from));
}

/// Python's csv module writes the other fields so; blanks would be dropped when read.
TEST(fields, have_quotes_if_they_would_be_read_as_another) {
  for (auto const& [text, written] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"x", "x"},
                                                                  {"", ""},
                                                                  {"x ", "\"x \""},
                                                                  {"\tx", "\"\tx\""},
                                                                  {"\fx", "\"\fx\""},
                                                                  {"x\v", "\"x\v\""},
                                                                  {"x y", "x y"},
                                                                  {"a,b", "\"a,b\""},
                                                                  {"a;b", "a;b"},
                                                                  {"a\rb", "\"a\rb\""},
                                                                  {"a\nb", "\"a\nb\""},
                                                                  {"\"", "\"\"\"\""}}) {
    std::string out;
    append_field(out, text, ',');
    EXPECT_EQ(written, out);
  }
}

}  // namespace
}  // namespace upsweep::io
