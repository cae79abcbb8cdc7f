/// Writers: quoting, formats, atomic files, no overwriting, full disks, closed pipes.
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <io/error.hpp>
#include <io/output.hpp>

#include "files.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

using test::scratch;

/// Writes one i64 column (and one of text) in one chunk.
void write_rows(writer& out, std::vector<std::int64_t> const& values,
                std::vector<std::string> const& keys = {}) {
  chunk rows;
  rows.rows = values.size();
  rows.columns = {as_column<std::int64_t>(dtype::i64, values)};
  std::string characters;
  std::vector<std::size_t> ends;
  for (auto const& key : keys) ends.push_back((characters += key).size());
  if (!keys.empty()) rows.keys = {{characters, ends}};
  out.write(rows);
}

void write_file(output_options options, std::vector<std::int64_t> const& values) {
  auto const out = open_output(std::move(options));
  column_info const info{"n", dtype::i64};
  out->begin({&info, 1});
  write_rows(*out, values);
  out->commit();
}

using strings = std::vector<std::string>;

TEST(output, csv_quotes_what_needs_it_and_reads_back) {
  scratch const dir;
  strings const keys{"plain", "a,b", "say \"hi\"", "two\nlines", "", " blank ", "cr\r"};
  for (auto name : {"t.csv", "t.tsv"}) {
    auto const out = open_output({.path = dir.path(name), .force = true});
    column_info const info{"n,m", dtype::i64};
    std::string const key = "the \"key\"";
    out->begin({&info, 1}, {&key, 1});
    write_rows(*out, {1, 2, 3, 4, 5, 6, 7}, keys);
    out->commit();
    input from({.path = dir.path(name), .columns = {"n,m"}, .keys = {key}});
    EXPECT_EQ(test::texts(from), keys) << name;
  }
  EXPECT_EQ(dir.read("t.csv").substr(0, 46),
            "\"the \"\"key\"\"\",\"n,m\"\nplain,1\n\"a,b\",2\n\"say \"\"hi\"");
}

TEST(output, text_has_no_header_and_numbers_follow_the_format) {
  scratch const dir;
  write_file({.path = dir.path("a.txt")}, {1, 200});
  EXPECT_EQ(dir.read("a.txt"), "1\n200\n");
  write_file({.path = dir.path("b.csv"), .header = false, .number_format = "%05d"}, {1, 200});
  EXPECT_EQ(dir.read("b.csv"), "00001\n00200\n");
  write_file({.path = dir.path("c.csv"), .type = dtype::f64, .number_format = "%.1f"}, {1, 200});
  EXPECT_EQ(dir.read("c.csv"), "n\n1.0\n200.0\n");
  EXPECT_FAILURE(write_file({.path = dir.path("d.csv"), .number_format = "%s"}, {1}), 2,
                 "The number format '%s'");
  EXPECT_FAILURE(write_file({.path = dir.path("d.csv"), .type = dtype::i8}, {1, 300}), 3,
                 "Row 2 for");
  EXPECT_EQ(dir.names().size(), 3u) << "failures leave nothing behind";
}

TEST(output, nothing_is_there_before_commit_and_nothing_after_failure) {
  scratch const dir;
  {
    auto const out = open_output({.path = dir.path("a.csv")});
    column_info const info{"n", dtype::i64};
    out->begin({&info, 1});
    write_rows(*out, std::vector<std::int64_t>(100000, 7));
    EXPECT_FALSE(std::filesystem::exists(dir.path("a.csv")));
    EXPECT_EQ(dir.names().size(), 1u) << "the temporary file";
  }
  EXPECT_TRUE(dir.names().empty());
}

TEST(output, existing_files_are_replaced_only_by_force) {
  scratch const dir;
  auto const path = dir.write("a.txt", "old\n");
  ::chmod(path.c_str(), 0640);
  EXPECT_FAILURE(write_file({.path = path}, {1}), 4, "already exists; give --force to replace it");
  EXPECT_EQ(dir.read("a.txt"), "old\n");
  write_file({.path = path, .force = true}, {1});
  EXPECT_EQ(dir.read("a.txt"), "1\n");
  struct stat status{};
  ::stat(path.c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u) << "keeps its permissions";
  EXPECT_EQ(dir.names(), strings{"a.txt"});
}

TEST(output, a_file_that_appears_meanwhile_is_not_overwritten) {
  scratch const dir;
  auto const out = open_output({.path = dir.path("a.txt")});
  column_info const info{"n", dtype::i64};
  out->begin({&info, 1});
  write_rows(*out, {1});
  dir.write("a.txt", "somebody else's\n");
  EXPECT_FAILURE(out->commit(), 4, "already exists");
  EXPECT_EQ(dir.read("a.txt"), "somebody else's\n");
  EXPECT_EQ(dir.names(), strings{"a.txt"});
}

TEST(output, symbolic_links_are_followed) {
  scratch const dir;
  dir.write("real.txt", "old");
  std::filesystem::create_symlink("real.txt", dir.path("link.txt"));
  write_file({.path = dir.path("link.txt"), .force = true}, {5});
  EXPECT_EQ(dir.read("real.txt"), "5\n");
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path("link.txt")));
}

TEST(output, an_input_may_be_replaced_by_its_own_result) {
  scratch const dir;
  write_file({.path = dir.path("a.npy")}, {1, 2, 3});
  input from({.path = dir.path("a.npy")});
  write_file({.path = dir.path("a.npy"), .force = true}, {9});
  EXPECT_EQ(test::values<std::int64_t>(from), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(output, places_that_cannot_be_written_are_io_errors) {
  scratch const dir;
  EXPECT_FAILURE(write_file({.path = dir.path("absent/a.txt")}, {1}), 4, "Cannot create");
  EXPECT_FAILURE(write_file({.path = dir.path("")}, {1}), 4, "is a directory");
}

TEST(output, a_full_disk_is_an_io_error) {
  for (auto format : {container::text, container::csv, container::raw}) {
    EXPECT_FAILURE(
        write_file({.path = "/dev/full", .format = format}, std::vector<std::int64_t>(100000, 7)),
        4, "No space left on device");
  }
  EXPECT_FAILURE(write_file({.path = "/dev/full", .format = container::npy}, {1}), 4,
                 "No space left on device");
  write_file({.path = "/dev/null", .format = container::npy}, {1});
}

/// Runs `action` in a child process whose standard output is `file`. Returns its exit code, the
/// code of a tool_error, or 128 + the signal.
template <class Action>
int in_child(int file, Action&& action) {
  auto const child = ::fork();
  if (child == 0) {
    ::dup2(file, 1);
    try {
      action();
    } catch (tool_error const& error) {
      ::_exit(error.exit_code());
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(output, standard_output_takes_every_container) {
  scratch const dir;
  for (auto format : {container::text, container::npy}) {
    auto const path = dir.path("out");
    auto const file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    EXPECT_EQ(in_child(file, [&] { write_file({.format = format}, {1, 2, 3}); }), 0);
    ::close(file);
    input from({.path = path});
    EXPECT_EQ(from->format, format);
    EXPECT_EQ(test::values<std::int64_t>(from), (std::vector<std::int64_t>{1, 2, 3}));
  }
}

TEST(output, a_full_disk_behind_standard_output_is_an_io_error) {
  auto const full = ::open("/dev/full", O_WRONLY);
  EXPECT_EQ(in_child(full, [] { write_file({}, {1}); }), 4);
  EXPECT_EQ(in_child(full, [] { write_file({.format = container::npy}, {1}); }), 4);
  ::close(full);
}

TEST(output, a_closed_pipe_ends_quietly_with_its_own_code) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(in_child(ends[1], [] { write_file({}, {1}); }), 141);
  ::close(ends[1]);
}

TEST(output, binary_files_hold_values_of_one_type) {
  scratch const dir;
  column_info const mixed[] = {{"a", dtype::i64}, {"b", dtype::f64}};
  std::string const key = "k";
  auto const begin = [&](std::string const& name, auto const& columns,
                         std::span<std::string const> keys) {
    auto const out = open_output({.path = dir.path(name)});
    out->begin(columns, keys);
  };
  EXPECT_FAILURE(begin("a.npy", mixed, {}), 2,
                 "but the columns 'a' and 'b' are i64 and f64; give --dtype, or write CSV.");
  EXPECT_FAILURE(begin("a.npy", std::span(mixed).first(1), std::span(&key, 1)), 2,
                 ".npy cannot hold text");
  EXPECT_FAILURE(begin("a.raw", mixed, {}), 2, "Raw binary holds values of one type");
  EXPECT_FAILURE(begin("a.npy", std::span(mixed).first(0), {}), 2, "There is no column to write");
  write_file({.path = dir.path(std::string(250, 'n') + ".csv")}, {1});  // a file name has 255 bytes
  EXPECT_FAILURE((void)open_output({.path = dir.path("a.npy"), .delimiter = ';'}), 2,
                 "--number-format and --delimiter are for text, CSV and TSV");
}

/// Where the build has Arrow's library; tests/cli/arrow_test.py reads what the tool writes.
TEST(output, of_arrow_has_columns_of_one_type_each) {
  scratch const dir;
  try {
    write_file({.path = dir.path("a.arrow"), .type = dtype::f32}, {1, 200});
  } catch (unavailable_error const&) {
    GTEST_SKIP() << "this build has no module for Arrow's library";
  }
  EXPECT_EQ(test::read<float>({.path = dir.path("a.arrow"), .columns = {"n"}}),
            (std::vector<float>{1, 200}));
  EXPECT_FAILURE((void)open_output({.path = dir.path("b.arrow"), .delimiter = ';'}), 2,
                 "--number-format and --delimiter are for text, CSV and TSV");
  auto const late = open_output({.path = dir.path("c.arrow")});
  column_info const info{"n", dtype::i64};
  late->begin({&info, 1});
  write_rows(*late, {1, 2});
  std::vector<double> const half{0.5};
  chunk rows;
  rows.rows = 1;
  rows.columns = {as_column<double>(dtype::f64, half)};
  EXPECT_FAILURE(late->write(rows), 3,
                 "Column 'n' begins with i64 and goes on with f64; give --dtype f64.");
  constexpr std::size_t many = std::size_t{1} << 17;  // written before the next row comes
  auto const mixed = open_output({.path = dir.path("d.arrow")});
  std::string const key = "k";
  mixed->begin({&info, 1}, {&key, 1});
  write_rows(*mixed, std::vector<std::int64_t>(many), strings(many, "1"));
  write_rows(*mixed, {1}, {"x"});
  EXPECT_FAILURE(mixed->commit(), 3,
                 "Column 'k' has 'x' in row 131073, but i64 in the rows before");
}
/// Rows of which none is missing follow others.
TEST(output, of_arrow_tells_which_values_are_missing) {
  scratch const dir;
  try {
    auto const out = open_output({.path = dir.path("a.arrow")});
    column_info const info{"n", dtype::i64};
    out->begin({&info, 1});
    std::array<std::int64_t, 2> const numbers{1, 2};
    std::array const there{true, false};
    chunk rows;
    rows.rows = 2;
    rows.columns = {as_column<std::int64_t>(dtype::i64, numbers)};
    rows.present = {as_column<bool>(dtype::boolean, there)};
    out->write(rows);
    write_rows(*out, {3, 4});
    out->commit();
  } catch (unavailable_error const&) {
    GTEST_SKIP() << "this build has no module for Arrow's library";
  }
  input in({.path = dir.path("a.arrow"), .columns = {"n"}, .mark_missing = true});
  chunk rows;
  ASSERT_TRUE(in->next(rows));
  ASSERT_EQ(4u, rows.rows);
  auto const there = rows.present[0].as<bool>();
  EXPECT_EQ((std::vector<bool>{true, false, true, true}),
            (std::vector<bool>(there.begin(), there.end())));
  EXPECT_EQ(1, rows.columns[0].as<std::int64_t>()[0]);
  EXPECT_EQ(4, rows.columns[0].as<std::int64_t>()[3]);
}

TEST(output, shapes_given_are_kept) {
  scratch const dir;
  write_file({.path = dir.path("a.npy"), .shape = {{2, 3}}}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(input({.path = dir.path("a.npy")})->shape, (std::vector<std::size_t>{2, 3}));
  write_file({.path = dir.path("b.npy"), .shape = std::vector<std::size_t>{}}, {1});
  EXPECT_EQ(input({.path = dir.path("b.npy")})->shape, std::vector<std::size_t>{});
  EXPECT_FAILURE(write_file({.path = dir.path("c.npy"), .shape = {{2, 3}}}, {1}), 3,
                 "The shape needs 6 values; got 1.");
  auto const two = open_output({.path = dir.path("d.npy"), .shape = {{2}}});
  column_info const columns[] = {{"n", dtype::i64}, {"m", dtype::i64}};
  EXPECT_FAILURE(two->begin(columns), 2, "more than one column");
  EXPECT_FALSE(std::filesystem::exists(dir.path("c.npy")));
}

TEST(output, arrays_keep_the_type_of_their_first_rows) {
  scratch const dir;
  auto const path = dir.path("a.npy");
  column_info const info{"n", dtype::i64};
  auto const write = [&](std::vector<double> const& decimals) {
    auto const out = open_output({.path = path, .force = true});
    out->begin({&info, 1});
    write_rows(*out, {1, 2});
    chunk rows;  // the integers of a stream may go on as decimals
    rows.rows = decimals.size();
    rows.columns = {as_column<double>(dtype::f64, decimals)};
    out->write(rows);
    out->commit();
  };
  write({3, -4});
  input from({.path = path});
  chunk all;
  ASSERT_TRUE(from->next(all));
  ASSERT_EQ(all.columns[0].type, dtype::i64);
  EXPECT_TRUE(std::ranges::equal(all.columns[0].as<std::int64_t>(), std::array{1, 2, 3, -4}));
  EXPECT_FAILURE(write({3, 4.5}), 3,
                 fmt::format("Row 4 for {} is 4.5, which i64 cannot hold", path));
}

TEST(output, extensions_decide_the_container_and_the_type) {
  scratch const dir;
  write_file({.path = dir.path("a.raw"), .type = dtype::i16}, {1, 258});
  EXPECT_EQ(dir.read("a.raw"), std::string("\1\0\2\1", 4));
  write_file({.path = dir.path("a.f32")}, {1, 2});
  EXPECT_EQ(dir.read("a.f32"), std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  auto const unnamed = open_output({.path = dir.path("b")});
  EXPECT_EQ(unnamed->options.format, container::text);
}

/// The text of a table of one text and one number, by a format whose columns have one width.
std::string table_of(output_options options, strings const& keys,
                     std::vector<std::int64_t> const& values) {
  scratch const dir;
  options.path = dir.path("t");
  auto const out = open_output(std::move(options));
  column_info const info{"n", dtype::i64};
  std::string const key = "k";
  out->begin({&info, 1}, {&key, 1});
  write_rows(*out, values, keys);
  out->commit();
  return dir.read("t");
}
TEST(output, tables_have_columns_of_one_width) {
  auto const aligned = container::aligned, markdown = container::markdown;
  strings const keys{"a|b", "x\ty\r\nz\n"};
  EXPECT_EQ("k          n\na|b        5\nx y  z    10\n",
            table_of({.format = aligned}, keys, {5, 10}));
  EXPECT_EQ("a|b        5\nx y  z    10\n",
            table_of({.format = aligned, .header = false}, keys, {5, 10}));
  EXPECT_EQ("| k       |   n |\n| ------- | --: |\n| a\\|b    |   5 |\n| x y  z  |  10 |\n",
            table_of({.format = markdown}, keys, {5, 10}));
  EXPECT_NE(std::string::npos, table_of({.format = markdown}, {"a||b"}, {5}).find("a\\|\\|b"));
  // GFM: a cell has first \| replaced by |, then \\ by \.
  EXPECT_NE(std::string::npos,
            table_of({.format = markdown}, {"a\\|b"}, {5}).find("| a\\\\\\|b |"));
  EXPECT_EQ(table_of({.format = markdown}, keys, {5, 10}),
            table_of({.format = markdown, .header = false}, keys, {5, 10}));
  EXPECT_EQ("  n  k\n  5  a|b\n 10  x y  z\n",
            table_of({.format = aligned, .order = {1, 0}}, keys, {5, 10}));
  EXPECT_EQ("k      n\na    5.0\n",
            table_of({.format = aligned, .type = dtype::f64, .number_format = "%.1f"}, {"a"}, {5}));
  std::size_t const many = 40'000;  // more than the buffer
  auto const long_table =
      table_of({.format = aligned}, strings(many, "abc"), std::vector<std::int64_t>(many, 7));
  EXPECT_EQ(many + 1, static_cast<std::size_t>(std::ranges::count(long_table, '\n')));
  EXPECT_TRUE(long_table.ends_with("abc    7\nabc    7\n"));
}

/// Of more files than a signal's handler can remember.
TEST(output, many_files_at_once_are_all_removed_or_all_there) {
  for (bool const commits : {false, true}) {
    scratch const one, two;
    {
      std::vector<std::unique_ptr<writer>> all;
      for (int i = 0; i < 12; ++i) {
        auto const name = fmt::format("f{}.csv", i);
        all.push_back(open_output({.path = (i % 2 == 0 ? one : two).path(name)}));
        column_info const info{"n", dtype::i64};
        all.back()->begin({&info, 1});
        write_rows(*all.back(), {i});
      }
      EXPECT_EQ(6u, one.names().size());
      if (commits)
        for (auto const i : {11, 3, 0, 7, 1, 2, 4, 5, 6, 8, 9, 10})
          all[static_cast<std::size_t>(i)]->commit();
    }
    EXPECT_EQ(commits ? 6u : 0u, one.names().size());
    EXPECT_EQ(commits ? 6u : 0u, two.names().size());
    EXPECT_EQ(commits ? "n\n10\n" : "", one.read("f10.csv"));
  }
}

}  // namespace
}  // namespace upsweep::io
