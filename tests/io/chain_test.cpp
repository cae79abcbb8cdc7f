/// Several files as one input: rows, row numbers, types and totals.
#include <io/npy_header.hpp>

#include "files.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::io {
namespace {

using namespace test;

TEST(chain, rows_of_files_and_pipes_follow_each_other) {
  scratch const dir(in_memory());
  std::string many = "x,k\n";
  for (int i = 0; i < 200000; ++i) many += std::to_string(i) + ",a" + std::to_string(i) + "\n";
  auto const one = dir.write("1.csv", many), three = dir.write("3.csv", "k,x\nc,9\n");
  for (std::size_t const piece : {1u, 1u << 16}) {
    piped const pipe("k,x\nb,-7\n", piece);
    input from({.path = one,
                .more_paths = {pipe.path(), three},
                .format = container::csv,
                .columns = {"x"},
                .keys = {"k"}});
    EXPECT_EQ(from->total_rows, std::nullopt);
    EXPECT_EQ(from->bytes_total(), std::nullopt) << "a pipe is among them";
    auto const x = values<std::int64_t>(from);
    ASSERT_EQ(x.size(), 200002u);
    EXPECT_EQ(x[199999], 199999);
    EXPECT_EQ(x[200000], -7);
    EXPECT_EQ(x[200001], 9);
    EXPECT_EQ(from->bytes_read(), many.size() + 9 + 8);
  }
  input keyed({.path = three, .more_paths = {three, three}, .columns = {"x"}, .keys = {"k"}});
  EXPECT_EQ(keyed->bytes_total(), 3 * 8u);
  EXPECT_EQ(texts(keyed), (std::vector<std::string>{"c", "c", "c"}));
}

TEST(chain, numbers_count_the_skipped_rows_of_the_files_before) {
  scratch const dir(in_memory());
  auto const a = dir.write("a.csv", "x\n1\nNA\n2\nNA\n"), b = dir.write("b.csv", "x\nNA\nNA\n3\n");
  input from({.path = a, .more_paths = {b, a}, .skip_missing = true});
  std::vector<std::uint64_t> numbers;
  for (chunk rows; from->next(rows);)
    for (std::size_t i = 0; i < rows.rows; ++i) numbers.push_back(rows.number(i));
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{0, 2, 6, 7, 9}));
  EXPECT_EQ(from->skipped_rows, 6u);
}

TEST(chain, a_range_gives_several_keys) {
  scratch const dir(in_memory());
  auto const path = dir.write("t.csv", "a,b,c,d\n1,2,3,4\n");
  input const from({.path = path, .more_paths = {path}, .columns = {"d"}, .keys = {"c", "a-b"}});
  EXPECT_EQ(from->keys, (std::vector<std::string>{"c", "a", "b"}));
  EXPECT_EQ(from->keys_of(1), 1u);
  EXPECT_EQ(from->keys_of(2), 3u);
}

TEST(chain, every_file_is_opened_before_the_first_row_is_delivered) {
  scratch const dir(in_memory());
  auto const a = dir.write("a.csv", "x\n1\n"), b = dir.write("b.csv", "y\n1\n");
  EXPECT_FAILURE(input({.path = a, .more_paths = {dir.path("no")}}), 4, "No such file");
  EXPECT_FAILURE(input({.path = a, .more_paths = {a, b}}), 3, "b.csv has a column 'y' where");
  EXPECT_FAILURE(input({.path = "-", .more_paths = {a, "-"}}), 2, "only once");
}

TEST(chain, a_file_that_changes_after_it_was_checked_is_checked_again) {
  scratch const dir(in_memory());
  auto const a = dir.write("a.csv", "x\n1\n"), b = dir.write("b.csv", "x\n2\n");
  input from({.path = a, .more_paths = {b}});
  dir.write("b.csv", "y\n2\n");
  chunk rows;
  EXPECT_TRUE(from->next(rows));
  EXPECT_FAILURE(from->next(rows), 3, "b.csv has a column 'y' where");
}

TEST(chain, arrays_in_fortran_order_are_joined_in_row_major_order) {
  scratch const dir(in_memory());
  std::size_t const shape[] = {2, 3};
  auto header = format_npy_header(dtype::u8, native_order, shape, false);
  header.replace(header.find("False, "), 7, "True,  ");
  auto const path = dir.write("f.npy", header + "adbecf");  // [abc, def] by column
  input from({.path = path, .more_paths = {path}});
  EXPECT_FALSE(from->fortran_order);
  EXPECT_EQ(std::optional<std::uint64_t>(12), from->total_rows);
  EXPECT_EQ(std::optional(std::vector<std::size_t>{4, 3}), from->shape);
  auto const whole = from->array();
  EXPECT_EQ("abcdefabcdef",
            std::string(reinterpret_cast<char const*>(whole.bytes.data()), whole.bytes.size()));
}

TEST(chain, arrays_are_joined_along_their_first_dimension) {
  scratch const dir(in_memory());
  auto const array = [&](std::string const& name, std::vector<std::size_t> const& shape,
                         std::string const& data) {
    return dir.write(name, format_npy_header(dtype::u8, native_order, shape, false) + data);
  };
  std::string const first = "abcdefghijklmnopqrstuvwx", second = "ABCDEFGHIJKL";
  auto const a = array("a.npy", {2, 3, 4}, first), b = array("b.npy", {1, 3, 4}, second);
  input from({.path = a, .more_paths = {b}});
  EXPECT_EQ(a + " and 1 more file", from->name());
  auto const whole = from->array();
  EXPECT_EQ((std::vector<std::size_t>{3, 3, 4}), whole.shape);
  EXPECT_EQ((std::vector<std::size_t>{12, 4, 1}), whole.strides);
  EXPECT_EQ(first + second,
            std::string(reinterpret_cast<char const*>(whole.bytes.data()), whole.bytes.size()));
  input const three({.path = a, .more_paths = {b, a}});
  EXPECT_EQ(a + " and 2 more files", three->name());
  auto const other = array("c.npy", {1, 4, 3}, second);
  EXPECT_FAILURE(drain({.path = a, .more_paths = {other}}), 3, "c.npy");
  auto const raw = dir.write("a.u8", "xy");
  EXPECT_FAILURE(input({.path = raw, .more_paths = {raw}})->array(), 2,
                 "which has no dimensions; only .npy files can be read as an array");
}

TEST(chain, a_column_has_no_values_if_none_of_the_files_has_one_up_to_its_end) {
  scratch const dir(in_memory());
  auto const gaps = dir.write("gaps.txt", "NA\nNA\n"), value = dir.write("value.txt", "3\n");
  auto const has_none = [](std::string const& first, std::string const& next, bool may_widen) {
    input const from(
        {.path = first, .more_paths = {next}, .skip_missing = true, .may_widen = may_widen});
    return from->columns[0].has_no_values;
  };
  std::string many;
  while (many.size() < (std::size_t{2} << 20)) many += "NA\n";
  for (bool const may_widen : {false, true}) {
    EXPECT_TRUE(has_none(gaps, gaps, may_widen));
    EXPECT_FALSE(has_none(gaps, value, may_widen));
    EXPECT_FALSE(has_none(value, gaps, may_widen));
    piped const short_one("NA\n"), late(many + "0.5\n"), again(many + "0.5\n");
    EXPECT_TRUE(has_none(gaps, short_one.path(), may_widen));
    EXPECT_FALSE(has_none(gaps, late.path(), may_widen)) << "a value may follow";
    EXPECT_FALSE(has_none(again.path(), gaps, may_widen)) << "a value may follow";
  }
}

}  // namespace
}  // namespace upsweep::io
