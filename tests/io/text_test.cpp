/// White-space text: lists of numbers, columns, comments, types, and error messages.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files.hpp"

namespace upsweep::io {
namespace {

using namespace test;

class text : public ::testing::Test {
 protected:
  input_options file(std::string_view content) {
    return {.path = dir_.write("numbers.txt", content)};
  }
  scratch dir_;
};

using doubles = std::vector<double>;
using integers = std::vector<std::int64_t>;

TEST_F(text, all_numbers_of_all_lines_are_one_list) {
  EXPECT_EQ(read<std::int64_t>(file("1 2 3\n4\n\n  5\t6\r\n7")), (integers{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(read<double>(file("1\n2.5\n-3e2\n")), (doubles{1, 2.5, -300}));
}

TEST_F(text, numbers_with_blanks_in_them_are_not_two_columns_added_up) {
  EXPECT_FAILURE(drain(file("1 000\n2 000\n")), 2,
                 "has 2 columns; choose with --column NAME or --column POSITION, or read all");
  EXPECT_FAILURE(
      drain(file("5\n1 000\n")), 3,
      "numbers.txt:2:3: '000' is a second number on its line, but the first line has one");
  EXPECT_FAILURE(drain(file("5\n# 1\n1 x\n")), 3, "numbers.txt:3:3: 'x' is not a number.");
  EXPECT_FAILURE(drain(file("rain\n5\n1 000\n")), 3,
                 "numbers.txt:3:1: This record has 2 fields, but the first has 1.");
  auto options = file("1 000\n2 000\n3");
  options.list = true;
  EXPECT_EQ(read<std::int64_t>(options), (integers{1, 0, 2, 0, 3}));
  options.path = dir_.write("numbers.csv", "1,2\n");
  EXPECT_FAILURE(drain(options), 2, "--list: ");
}

TEST_F(text, empty_files_blank_lines_and_comments_hold_no_number) {
  for (auto const* content :
       {"", "\n", "  \n\t\r\n", "# nothing", "# nothing\n", "\xef\xbb\xbf", "\xef\xbb\xbf\n"}) {
    input from(file(content));
    EXPECT_EQ(from->columns.size(), 1u);
    EXPECT_EQ(from->columns[0].type, dtype::f64);
    EXPECT_TRUE(values<double>(from).empty()) << content;
  }
}

TEST_F(text, comments_end_with_their_line) {
  EXPECT_EQ(read<std::int64_t>(file("# 9 9\n1 2 # 9\n  # 9\n3 #")), (integers{1, 2, 3}));
  auto options = file("% 9\n1\n");
  options.comment = '%';
  EXPECT_EQ(read<std::int64_t>(options), (integers{1}));
}

TEST_F(text, a_byte_order_mark_is_passed_over_and_utf16_is_named) {
  EXPECT_EQ(read<std::int64_t>(file("\xef\xbb\xbf"
                                    "1\n2\n")),
            (integers{1, 2}));
  EXPECT_FAILURE(drain(file(std::string_view("\xff\xfe"
                                             "1\0\n\0",
                                             6))),
                 3, "UTF-16");
}

TEST_F(text, columns_are_chosen_by_position_or_by_name) {
  auto options = file("1 2 3\n4 5 6\n");
  options.columns = {"3", "1"};
  input from(options);
  EXPECT_FALSE(from->has_header);
  chunk rows;
  ASSERT_TRUE(from->next(rows));
  EXPECT_EQ(rows.rows, 2u);
  EXPECT_EQ(rows.columns[0].as<std::int64_t>()[1], 6);
  EXPECT_EQ(rows.columns[1].as<std::int64_t>()[1], 4);

  options = file("year rain\n2001 0.5\n2002 1.5\n");
  options.columns = {"rain"};
  EXPECT_EQ(read<double>(options), (doubles{0.5, 1.5}));
  options.columns = {"2"};
  EXPECT_EQ(read<double>(options), (doubles{0.5, 1.5}));
}

TEST_F(text, a_header_of_one_column_is_found) {
  input from(file("rain\n0.5\n1\n"));
  EXPECT_TRUE(from->has_header);
  EXPECT_EQ(from->columns[0].name, "rain");
  EXPECT_EQ(values<double>(from), (doubles{0.5, 1}));
}

TEST_F(text, a_lone_word_is_an_error_and_no_header) {
  EXPECT_FAILURE(drain(file("hello\n")), 3, ":1:1: 'hello' is not a number.");
  EXPECT_FAILURE(drain(file("$1.50\n2\n")), 3,
                 ":1:1: '$1.50' is neither a number nor a column name; give --header");
}

TEST_F(text, a_table_with_a_header_wants_its_column_named) {
  EXPECT_FAILURE(drain(file("a b\n1 2\n")), 2, "has 2 columns (a, b); choose with --column");
}

TEST_F(text, integers_stay_integers_until_a_decimal_shows_up) {
  auto const type_of = [&](std::string_view content) {
    return input(file(content))->columns[0].type;
  };
  EXPECT_EQ(type_of("1 2 -3"), dtype::i64);
  EXPECT_EQ(type_of("1 2 18446744073709551615"), dtype::u64);
  EXPECT_EQ(type_of("1 2 3.0"), dtype::f64);
  EXPECT_EQ(type_of("1 -0"), dtype::f64);  // a negative zero keeps its sign
  EXPECT_EQ(type_of("1 nan"), dtype::f64);
  EXPECT_EQ(type_of("true false True"), dtype::boolean);
  EXPECT_EQ(type_of("0 1"), dtype::i64);
  std::string late;
  for (int i = 0; i < 600000; ++i) late += "12\n";
  EXPECT_EQ(type_of(late), dtype::i64);
  EXPECT_EQ(type_of(late + "0.5\n"), dtype::f64);  // a file is read ahead to the end
}

TEST_F(text, integers_beyond_64_bits_are_errors) {
  EXPECT_FAILURE(drain(file("1\n18446744073709551616\n")), 3,
                 ":2:1: 18446744073709551616 does not fit u64; give --dtype with f64");
  EXPECT_FAILURE(drain(file("-1\n18446744073709551615\n")), 3,
                 ":2:1: 18446744073709551615 does not fit i64");
  EXPECT_FAILURE(drain(file("1e999\n")), 3, "1e999 does not fit f64.");
}

TEST_F(text, a_dtype_that_was_asked_for_is_kept) {
  auto options = file("1 2 300");
  options.type = dtype::f32;
  EXPECT_EQ(read<float>(options), (std::vector<float>{1, 2, 300}));
  options.type = dtype::u8;
  EXPECT_FAILURE(drain(options), 3, ":1:5: 300 does not fit u8; give --dtype with a wider type.");
  options = file("1 2.5");
  options.type = dtype::i32;
  EXPECT_FAILURE(drain(options), 3, ":1:3: '2.5' is not of type i32");
}

TEST_F(text, errors_name_line_and_column) {
  EXPECT_FAILURE(drain(file("1 2\n3 4,5 6")), 3,
                 "numbers.txt:2:3: '4,5' is not a number; for decimal commas use --decimal ,.");
  EXPECT_FAILURE(drain(file("1 2\n3 NA 5\n")), 3, ":2:3: 'NA' is a missing value; --skip-missing");
  EXPECT_FAILURE(drain(file(std::string_view("1\n2\0\n", 5))), 3,
                 ":2:2: Text cannot contain a NUL byte");
  auto options = file("1 2\n3\n");
  options.columns = {"2"};
  EXPECT_FAILURE(drain(options), 3, ":2:1: This line has 1 field, but column 2 was chosen.");
  options.columns = {"5"};
  EXPECT_FAILURE(drain(options), 2, "has no column '5'; it has 2 columns and no header.");
  options.columns = {"0"};
  EXPECT_FAILURE(drain(options), 2, "columns are numbered from 1");
}

TEST_F(text, the_line_is_right_far_after_the_first_chunk) {
  std::string content;
  for (int i = 0; i < 400000; ++i) content += "1.5\n";
  EXPECT_FAILURE(drain(file(content + "2.5 oops\n")), 3, ":400001:5: 'oops'");
}

TEST_F(text, any_number_of_threads_reads_the_same_numbers_rows_and_types) {
  std::string lines, words;
  doubles expected;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; lines.size() < (std::size_t{5} << 20); ++i) {
    if (i % 7 == 0) {
      lines += "NA # not 5\n\n";
      continue;
    }
    expected.push_back(static_cast<double>(i % 1000) + 0.5);
    numbers.push_back(i);
    lines += std::to_string(i % 1000) + ".5\n";
    words += std::to_string(i % 1000) + (i % 11 == 0 ? ".5\n" : ".5 ");
  }
  for (int threads : {1, 2, 3, 7}) {
    auto options = file(lines);
    options.skip_missing = true;
    options.threads = threads;
    input from(options);
    std::vector<std::uint64_t> seen;
    doubles values;
    for (chunk rows; from->next(rows);) {
      seen.insert(seen.end(), rows.numbers.begin(), rows.numbers.end());
      auto const column = rows.columns[0].as<double>();
      values.insert(values.end(), column.begin(), column.end());
    }
    EXPECT_TRUE(values == expected) << threads;
    EXPECT_TRUE(seen == numbers) << threads;
    options = file(words);
    options.threads = threads;
    options.list = true;
    EXPECT_TRUE(read<double>(options) == expected) << threads;
    std::string integers_but_one(std::size_t{3} << 20, '7');
    for (std::size_t i = 1; i < integers_but_one.size(); i += 2) integers_but_one[i] = '\n';
    integers_but_one += "1e2\n";
    options = file(integers_but_one);
    options.threads = threads;
    EXPECT_EQ(input(options)->columns[0].type, dtype::f64) << "a decimal in the last line";
  }
}

TEST_F(text, missing_values_are_skipped_when_asked) {
  auto options = file("1\nNA\nnull\nN/A\n2\n");
  options.skip_missing = true;
  input from(options);
  EXPECT_EQ(values<std::int64_t>(from), (integers{1, 2}));
  EXPECT_EQ(from->skipped_rows, 3u);
}

TEST_F(text, one_line_may_be_longer_than_any_record) {
  std::string content;
  while (content.size() < (std::size_t{17} << 20)) content += "1.25 ";
  auto const all = read<double>(file(content));
  EXPECT_EQ(all.size(), content.size() / 5);
  EXPECT_EQ(all.back(), 1.25);
}

TEST_F(text, a_record_beyond_16_MiB_is_refused) {
  auto options = file(std::string(std::size_t{17} << 20, '7'));
  EXPECT_FAILURE(drain(options), 3, "is longer than 16777216 bytes");
}

TEST_F(text, files_that_cannot_be_opened_are_io_errors) {
  EXPECT_FAILURE(drain({.path = dir_.path("absent.txt")}), 4, "No such file");
  EXPECT_FAILURE(drain({.path = dir_.path("")}), 4, "is a directory");
}

TEST_F(text, files_of_proc_that_claim_no_size_are_read) {
  auto options = input_options{.path = "/proc/self/stat", .format = container::text};
  options.columns = {"1"};
  EXPECT_EQ(read<std::int64_t>(options), (integers{::getpid()}));
}

}  // namespace
}  // namespace upsweep::io
