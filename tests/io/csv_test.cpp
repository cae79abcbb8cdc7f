/// CSV and TSV: quotes, line ends, headers, missing values, keys.
#include "files.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

using namespace test;

class csv : public ::testing::Test {
 protected:
  input_options file(std::string_view content, std::vector<std::string> columns = {},
                     std::vector<std::string> keys = {}) {
    return {.path = dir_.write("t.csv", content),
            .columns = std::move(columns),
            .keys = std::move(keys)};
  }
  std::vector<std::string> keys_of(input_options options) {
    input from(std::move(options));
    return texts(from);
  }
  scratch dir_;
};

using doubles = std::vector<double>;
using integers = std::vector<std::int64_t>;
using strings = std::vector<std::string>;

TEST_F(csv, columns_are_found_by_name_and_position) {
  EXPECT_EQ(read<std::int64_t>(file("a,b\n1,2\n3,4\n", {"b"})), (integers{2, 4}));
  EXPECT_EQ(read<std::int64_t>(file("a,b\n1,2\n3,4\n", {"1"})), (integers{1, 3}));
  EXPECT_EQ(read<std::int64_t>(file("1,2\n3,4\n", {"2"})), (integers{2, 4}));
  EXPECT_EQ(read<std::int64_t>(file("2,1\n10,20\n", {"1"})), (integers{2, 10}))
      << "no header, so 1 is a position";
  auto options = file("2,1\n10,20\n", {"1"});
  options.header = header_line::present;
  EXPECT_EQ(read<std::int64_t>(options), (integers{20}))
      << "a name takes precedence over a position";
}

TEST_F(csv, unknown_and_ambiguous_columns_are_usage_errors) {
  EXPECT_FAILURE(drain(file("a,b\n1,2\n", {"c"})), 2, "has no column 'c'; it has columns a, b.");
  EXPECT_FAILURE(drain(file("a,a\n1,2\n", {"a"})), 2, "more than one column 'a'");
  EXPECT_FAILURE(drain(file("a,b\n1,2\n")), 2, "has 2 columns (a, b); choose");
  EXPECT_FAILURE(drain(file("", {"a"})), 3, "is empty, so it has no column 'a'.");
}

TEST_F(csv, quotes_hold_separators_quotes_and_line_ends) {
  auto const content = "k,v\n\"a,b\",1\n\"say \"\"hi\"\"\",2\n\"two\r\nlines\",3\n\"\",\"4\"\n";
  EXPECT_EQ(keys_of(file(content, {"v"}, {"k"})),
            (strings{"a,b", "say \"hi\"", "two\r\nlines", ""}));
  EXPECT_EQ(read<std::int64_t>(file(content, {"v"}, {"k"})), (integers{1, 2, 3, 4}));
  EXPECT_EQ(input(file("\"x \"\"1\"\"\"\n5\n"))->columns[0].name, "x \"1\"");
}

TEST_F(csv, records_with_and_without_quotes_follow_each_other_for_any_length) {
  std::string content = "k,v,rest\n", joined;
  strings keys;
  integers numbers;
  for (int i = 0; i < 60000; ++i) {
    auto const name = "name" + std::to_string(i % 977);
    bool const quoted = i % 11 == 3, blanks = i % 17 == 5;
    keys.push_back(quoted ? name + "\n," : name);
    numbers.push_back(i);
    joined += quoted ? "\"" + name + "\n,\"" : name;
    joined += "," + std::to_string(i) + "," + (i % 13 == 0 ? "" : "x") + "\n";
    content += quoted ? "\"" + name + "\n,\"," : blanks ? " " + name + " \t," : name + ",";
    content += std::to_string(i) + "," + (i % 13 == 0 ? "" : "x") + (i % 7 == 0 ? "\r\n" : "\n");
    if (i % 19 == 0) content += i % 2 == 0 ? "\n" : " \r\n";
  }
  EXPECT_EQ(read<std::int64_t>(file(content, {"v"}, {"k"})), numbers);
  EXPECT_EQ(keys_of(file(content, {"v"}, {"k"})), keys);
  input from(file(content, {"v"}, {"k", "v", "rest"}));
  from->join_keys({3, ',', true});
  std::string got;
  for (chunk rows; from->next(rows);) {
    ASSERT_TRUE(rows.keys.empty());
    for (std::size_t i = 0; i < rows.rows; ++i) {
      got += (*rows.joined)[i];
      got += '\n';
    }
  }
  EXPECT_EQ(got, joined);
}

TEST_F(csv, some_keys_are_joined_as_text_and_the_others_are_not) {
  input from(file("a,b,c,d\n1,x,\"y;\",z\n2,u,v,w\n", {"a"}, {"c", "b", "d"}));
  from->join_keys({2, ';', true});
  chunk rows;
  ASSERT_TRUE(from->next(rows));
  ASSERT_EQ(rows.rows, 2u);
  EXPECT_EQ((*rows.joined)[0], "\"y;\";x");
  EXPECT_EQ((*rows.joined)[1], "v;u");
  ASSERT_EQ(rows.keys.size(), 1u);
  EXPECT_EQ(rows.keys[0][1], "w");
  EXPECT_EQ(from->keys, (strings{"c", "b", "d"}));
}

TEST_F(csv, line_ends_may_be_crlf_and_the_last_may_be_missing) {
  EXPECT_EQ(read<std::int64_t>(file("a,b\r\n1,2\r\n3,4", {"b"})), (integers{2, 4}));
  EXPECT_EQ(read<std::int64_t>(file("\xef\xbb\xbf"
                                    "a,b\r\n1,\"2\"\r\n\r\n3,\"4\"\r\n",
                                    {"b"})),
            (integers{2, 4}));
  EXPECT_EQ(input(file("\xef\xbb\xbf"
                       "a\r\n1\r\n"))
                ->columns[0]
                .name,
            "a");
}

TEST_F(csv, fields_of_every_length_end_where_their_delimiter_is) {
  // Bytes next to the delimiter and the newline, and those that differ in the highest bit.
  std::string_view const near = "-+\x0b\t\xac\x8a\x80\xff*x";
  std::string content = "a,b,v\n";
  strings first;
  integers numbers;
  for (std::size_t length = 0; length < 40; ++length)
    for (std::size_t shift = 0; shift < 9; ++shift) {
      std::string field = "x";  // not blank at either end
      for (std::size_t i = 0; i < length; ++i) field += near[(i + shift) % near.size()];
      field += "x";
      first.push_back(field);
      numbers.push_back(static_cast<std::int64_t>(length));
      content += field + "," + std::string(shift, 'y') + "," + std::to_string(length) + "\n";
    }
  EXPECT_EQ(keys_of(file(content, {"v"}, {"a"})), first);
  EXPECT_EQ(read<std::int64_t>(file(content, {"v"}, {"a"})), numbers);
}

TEST_F(csv, broken_quotes_are_located) {
  EXPECT_FAILURE(drain(file("a,b\n1,\"2\n3,4\n", {"b"})), 3,
                 "t.csv:2:3: The quote that opens here is never closed");
  EXPECT_FAILURE(drain(file("a,b\n1,\"2\"x\n", {"b"})), 3,
                 "t.csv:2:6: There is text after a closing quote");
}

TEST_F(csv, records_have_as_many_fields_as_the_first) {
  EXPECT_FAILURE(drain(file("a,b\n1,2\n3\n", {"a"})), 3,
                 "t.csv:3:1: This record has 1 field, but the first has 2.");
  EXPECT_FAILURE(drain(file("a,b\n1,2,3\n", {"a"})), 3,
                 "t.csv:2:1: This record has 3 fields, but the first has 2.");
}

TEST_F(csv, headers_are_recognized_by_what_follows) {
  auto const header = [&](std::string_view content, header_line mode = header_line::automatic) {
    auto options = file(content, {"1"});
    options.header = mode;
    options.type = dtype::f64;
    return input(options)->has_header;
  };
  EXPECT_TRUE(header("x,y\n1,2\n"));
  EXPECT_FALSE(header("1,2\n3,4\n"));
  EXPECT_FALSE(header("Oslo,2\nRome,4\n")) << "text above text is not a header";
  EXPECT_TRUE(header("city,rain\nOslo,2\n"));
  EXPECT_FALSE(header("city,20\nOslo,2\n")) << "only a number below text shows a header";
  EXPECT_FAILURE(header("city,2020\nOslo,2\n"), 3,
                 "may be names of columns, as years are, or data");
  EXPECT_TRUE(header("city,2020\nOslo,2\n", header_line::present));
  EXPECT_FALSE(header("x,y\n1,2\n", header_line::absent));
  EXPECT_TRUE(header("x,y\n"));
  EXPECT_FAILURE(header("x,y\n,\n"), 3, "give --header or --no-header");
}

TEST_F(csv, a_value_written_for_people_is_no_header) {
  std::vector<std::string> const written{"$1.50", "5kg", "10%", "(3)",  "12:30",    "1.5.2",
                                         "3-",    "#1",  "-",   "0x10", "\"$1,50\""};
  std::vector<std::string> const beyond_ascii{
      "\xe2\x88\x92"
      "5",
      "\xe2\x82\xac"
      "3",
      "\xc2\xa3"
      "3",
      "\xc2\xbd",
      "\xff"
      "5",
      "a\xff"};
  for (auto const* values : {&written, &beyond_ascii})
    for (auto const& value : *values) {
      SCOPED_TRACE(value);
      EXPECT_FAILURE(drain(file(value + "\n2\n3\n")), 3,
                     "is neither a number nor a column name; give --header");
      EXPECT_FAILURE(drain(file("Ann," + value + "\nBob,6\n", {"2"})), 3,
                     "is neither a number nor a column name");
      EXPECT_FAILURE(drain(file(value + "\n")), 3, "or --no-header if it is data");
      auto options = file(value + "\n2\n3\n");
      options.header = header_line::present;
      EXPECT_EQ(read<std::int64_t>(options), (integers{2, 3}));
      options.header = header_line::absent;
      EXPECT_FAILURE(drain(options), 3, "is not a number");
    }
  EXPECT_FAILURE(drain(file("\xff"
                            "5\n2\n")),
                 3, "'\\xff5'");
  EXPECT_EQ(read<std::int64_t>(file("5,kg\n", {"1"})), integers{5})
      << "a lone record with a number is data";
}

TEST_F(csv, names_of_any_script_and_odd_columns_beside_a_name_make_a_header) {
  for (std::string const name : {"rain", "_x", "x1",
                                 "\xc3\x9c"
                                 "berlauf",
                                 "\xe6\xb0\x94\xe6\xb8\xa9", "\xc2\xb5g", "\"two words\""})
    EXPECT_EQ(read<std::int64_t>(file(name + "\n2\n3\n")), (integers{2, 3})) << name;
  std::string const iris = "150,4,setosa,versicolor,virginica\n5.5,3.5,1.4,0,0\n4.5,3,1.4,0,0\n";
  EXPECT_EQ(read<double>(file(iris, {"1"})), (doubles{5.5, 4.5}));
  EXPECT_EQ(read<std::int64_t>(file("Ann,5\nBob,6\n", {"2"})), (integers{5, 6}));
  auto const text = [&](std::string_view content, std::string const& column) {
    return read<double>(
        {.path = dir_.write("t.txt", content), .columns = {column}, .type = dtype::f64});
  };
  EXPECT_EQ(text("USER PID %CPU COMMAND\nroot 1 0.5 init\nann 7 2.5 vi a b\n", "%CPU"),
            (doubles{0.5, 2.5}));
  EXPECT_EQ(text("Filesystem 1K-blocks Used Use%\n/dev/sda 10 4 40%\n/dev/sdb 20 5 25%\n", "2"),
            (doubles{10, 20}));
  EXPECT_EQ(text("4 ./a\n8 ./b c\n", "1"), (doubles{4, 8}));
}

TEST_F(csv, only_a_header_is_a_table_without_rows) {
  input from(file("a,b\n", {"b"}));
  EXPECT_EQ(from->columns[0].name, "b");
  EXPECT_TRUE(values<double>(from).empty());
}

TEST_F(csv, missing_values_are_errors_or_skip_their_row) {
  auto options = file("a,b\n1,2\n,3\nNA,4\n5,\n7,8\n", {"a", "b"});
  EXPECT_FAILURE(drain(options), 3,
                 "t.csv:3:1: An empty field in column 'a' is a missing value; --skip-missing");
  options.skip_missing = true;
  input from(options);
  EXPECT_EQ(values<std::int64_t>(from, 1), (integers{2, 8}));
  EXPECT_EQ(from->skipped_rows, 3u);
}

TEST_F(csv, values_of_other_columns_need_not_be_numbers) {
  EXPECT_EQ(read<double>(file("d,t,r\n2020-01-01,1.5,x\n2020-01-02,2,\n", {"t"})),
            (doubles{1.5, 2}));
  EXPECT_FAILURE(drain(file("d,t\n2020-01-01,1.5\n", {"d"})), 3,
                 "t.csv:2:1: '2020-01-01' in column 'd' is not a number.");
}

TEST_F(csv, blanks_around_bare_fields_do_not_count) {
  EXPECT_EQ(read<double>(file("a , b\n 1 , 2.5 \n", {"b"})), (doubles{2.5}));
}

TEST_F(csv, separators_may_be_semicolons_or_tabs) {
  EXPECT_EQ(read<double>(file("a;b\n1;2.5\n", {"b"})), (doubles{2.5}));
  auto options = file("a|b\n1|2\n", {"b"});
  options.delimiter = '|';
  EXPECT_EQ(read<std::int64_t>(options), (integers{2}));
  input from({.path = dir_.write("t.tsv", "a\tb c\n\t2\n"), .columns = {"b c"}});
  EXPECT_EQ(from->format, container::tsv);
  EXPECT_EQ(values<std::int64_t>(from), (integers{2}));
  options.delimiter = '"';
  EXPECT_FAILURE(drain(options), 2, "The delimiter cannot be");
}

TEST_F(csv, comments_are_skipped_only_when_asked) {
  auto options = file("# source: a station\n#\nt,co2\n1,2\n# gap\n3,4\n", {"co2"});
  options.comment = '#';
  EXPECT_EQ(read<std::int64_t>(options), (integers{2, 4}));
  options.comment.reset();
  EXPECT_FAILURE(drain(options), 2, "begins with '#'; if that is a comment, give --comment '#'.");
  EXPECT_FAILURE(drain(file("# source\nt,co2\n1,2\n", {"1"})), 3,
                 "t.csv:1:1: '# source' is neither a number nor a column name; give --header");
  EXPECT_FAILURE(drain(file("# source\nt,co2\n1,2\n", {"1"})), 3,
                 "The first line begins with '#'; if that is a comment");
  EXPECT_FAILURE(drain(file("# source\n1,2\n", {"1"})), 3,
                 "The first line begins with '#'; if that is a comment");
  options = file("#1\n1,2\n", {"1"});
  options.header = header_line::present;
  EXPECT_FAILURE(
      drain(options), 3,
      "t.csv:2:1: This record has 2 fields, but the first has 1. The first line begins with '#'");
}

/// A few MiB of records, a third of them with quoted newlines, and their content.
struct large_table {
  std::string content = "key,\"the\nvalue\",n\r\n";
  strings keys;
  doubles numbers;
  std::vector<std::size_t> lines;  ///< the line, from 1, on which each record begins

  large_table() {
    std::size_t line = 3;
    for (int i = 0; content.size() < (std::size_t{9} << 20); ++i) {
      auto const key = i % 3 == 0 ? "a \"" + std::to_string(i) + "\n\n,1,2\nrest" +
                                        std::string(static_cast<std::size_t>(i) % 97, 'x')
                                  : "k" + std::to_string(i);
      keys.push_back(key);
      numbers.push_back(i * 0.25);
      lines.push_back(line);
      std::string quoted;
      for (char c : key) quoted += c == '"' ? "\"\"" : std::string(1, c);
      content += "\"" + quoted + "\"," + std::to_string(i / 4) +
                 (i % 4 == 0   ? ".0"
                  : i % 4 == 1 ? ".25"
                  : i % 4 == 2 ? ".5"
                               : ".75") +
                 "," + std::to_string(i) + (i % 5 == 0 ? "\r\n\n" : "\n");
      line += 1 + static_cast<std::size_t>(std::count(key.begin(), key.end(), '\n')) + (i % 5 == 0);
    }
  }
};

TEST_F(csv, any_number_of_threads_finds_the_same_records_and_the_same_errors) {
  large_table const table;
  auto const path = dir_.write("large.csv", table.content);
  std::size_t const bad = table.lines.size() - 1000;
  auto broken = table.content;
  auto const at = broken.find("," + std::to_string(bad) + "\n", broken.size() / 2);
  ASSERT_NE(at, std::string::npos);
  broken[at + 1] = 'o';
  auto const broken_path = dir_.write("broken.csv", broken);
  std::vector<std::int64_t> expected_rows;
  for (std::size_t i = 0; i < table.numbers.size(); ++i)
    expected_rows.push_back(static_cast<std::int64_t>(i));
  for (int threads : {1, 2, 3, 7}) {
    auto options =
        input_options{.path = path, .columns = {"the\nvalue"}, .keys = {"key"}, .threads = threads};
    EXPECT_TRUE(read<double>(options) == table.numbers) << threads;
    EXPECT_TRUE(keys_of(options) == table.keys) << threads;
    options.columns = {"n"};
    EXPECT_TRUE(read<std::int64_t>(options) == expected_rows) << threads;
    test::piped const pipe(table.content);
    options.path = pipe.path();
    EXPECT_TRUE(read<std::int64_t>(options) == expected_rows) << threads << " piped";
    options.path = broken_path;
    auto const where =
        "broken.csv:" + std::to_string(table.lines[bad] +
                                       static_cast<std::size_t>(std::count(
                                           table.keys[bad].begin(), table.keys[bad].end(), '\n')));
    EXPECT_FAILURE(drain(options), 3, where + ":");
  }
}

TEST_F(csv, keys_stay_text_and_one_remaining_column_is_the_value) {
  auto const options = file("name,n\n007,1\n 1.50 ,2\n", {}, {"name"});
  EXPECT_EQ(keys_of(options), (strings{"007", "1.50"}));
  EXPECT_EQ(read<std::int64_t>(options), (integers{1, 2}));
}

TEST_F(csv, keys_may_come_without_values) {
  auto options = file("name,n\nx,1\ny,z\n", {}, {"name"});
  options.keys_only = true;
  input from(options);
  EXPECT_TRUE(from->columns.empty());
  EXPECT_EQ(texts(from), (strings{"x", "y"}));
}

TEST_F(csv, content_decides_where_the_name_does_not) {
  auto const format = [&](std::string_view content) {
    input_options options{.path = dir_.write("data", content), .columns = {"1"}};
    return input(options)->format;
  };
  EXPECT_EQ(format("1,2\n"), container::csv);
  EXPECT_EQ(format("1;2\n"), container::csv);
  EXPECT_EQ(format("1\t2\n"), container::tsv);
  EXPECT_EQ(format("1 2\n"), container::text);
  EXPECT_EQ(format("1,2"), container::csv);
  test::piped const pipe("1,2");
  EXPECT_EQ(input({.path = pipe.path(), .columns = {"1"}})->format, container::csv)
      << "a last line without a newline";
  EXPECT_EQ(format("\n# a, b\n1 2\n"), container::text);
  EXPECT_FAILURE(drain({.path = dir_.write("data", std::string_view("\1\0\2\0", 4))}), 3,
                 "is binary but not a .npy file");
}

TEST_F(csv, options_of_raw_do_not_fit_csv) {
  auto options = file("1\n");
  options.offset = 4;
  EXPECT_FAILURE(drain(options), 2, "--offset, --count and --endian are for raw");
}

}  // namespace
}  // namespace upsweep::io
