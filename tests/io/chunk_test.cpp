/// What readers and writers say of rows after their first chunk: numbers of rows, and types.
#include <io/output.hpp>

#include "files.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep::io {
namespace {

using namespace test;

/// A .npy file of records, by the specification of the format (NEP 1), with one field: 8 bytes of
/// text, which begin with these.
std::string records(std::vector<std::string> const& fields) {
  std::string text = "{'descr': [('v', '|S8')], 'fortran_order': False, 'shape': (" +
                     std::to_string(fields.size()) + ",), }";
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(text.size() & 0xff);
  file += static_cast<char>(text.size() >> 8);
  file += text;
  for (auto const& field : fields) file += field + std::string(8 - field.size(), '\0');
  return file;
}

/// Chunks have about 1 MiB of values, so rows of so many records are in more than one.
constexpr std::size_t more_than_a_chunk = (std::size_t{1} << 17) + 5;

TEST(chunks, of_rows_that_are_all_skipped_count_in_the_numbers_of_later_rows) {
  scratch const dir(in_memory());
  std::vector<std::string> fields(more_than_a_chunk, "NA");
  fields.insert(fields.end(), {"1.5", "NA", "2.5"});
  auto const good = dir.write("good.npy", records(fields));
  input from({.path = good, .columns = {"v"}, .skip_missing = true, .type = dtype::f64});
  std::vector<std::uint64_t> numbers;
  for (chunk rows; from->next(rows);)
    for (std::size_t i = 0; i < rows.rows; ++i) numbers.push_back(rows.number(i));
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{more_than_a_chunk, more_than_a_chunk + 2}));
  EXPECT_EQ(from->skipped_rows, more_than_a_chunk + 1);
  fields.back() = "x";
  EXPECT_FAILURE(drain({.path = dir.write("bad.npy", records(fields)),
                        .columns = {"v"},
                        .skip_missing = true,
                        .type = dtype::f64}),
                 3,
                 "Row " + std::to_string(more_than_a_chunk + 3) +
                     " of column 'v' is 'x', which is not of type f64.");
}

TEST(chunks, count_in_the_number_of_a_row_without_a_value) {
  scratch const dir(in_memory());
  std::vector<std::string> fields(more_than_a_chunk, "1");
  fields.insert(fields.end(), {"2", ""});
  EXPECT_FAILURE(
      drain({.path = dir.write("gap.npy", records(fields)), .columns = {"v"}, .type = dtype::f64}),
      3,
      "Row " + std::to_string(more_than_a_chunk + 2) +
          " of column 'v' has no value; --skip-missing skips it.");
}

TEST(chunks, count_in_the_number_of_a_row_that_npy_cannot_show) {
  scratch const dir;
  auto const out = open_output({.path = dir.path("i.npy")});
  column_info const info{"n", dtype::i64};
  out->begin({&info, 1});
  std::vector<std::int64_t> const values{7, 8, 9};
  bool const all[] = {true, true, true}, some[] = {true, false, true};
  for (std::span<bool const> const present : {std::span(all), std::span(some)}) {
    chunk rows;
    rows.rows = values.size();
    rows.columns = {as_column<std::int64_t>(dtype::i64, values)};
    rows.present = {as_column(dtype::boolean, present)};
    if (present.data() == all)
      out->write(rows);
    else
      EXPECT_FAILURE(out->write(rows), 3,
                     "i.npy: Row 5 has no value, which i64 cannot show; give --dtype f64 for NaN");
  }
}

/// The types of a file are those of a stream of the same rows.
TEST(chunks, with_a_word_for_missing_beside_a_decimal_change_the_column_of_the_decimal_only) {
  std::string content = "a,b\n";
  while (content.size() < (std::size_t{2} << 20)) content += "17,19\n";
  content += "-9.5,0.5\n9007199254740993,1\n";
  scratch const dir(in_memory());
  input_options options{.path = dir.write("t.csv", content),
                        .columns = {"a", "b"},
                        .mark_missing = true,
                        .missing = {"-9.5"},
                        .may_widen = true};
  input file(options);
  EXPECT_EQ(file->columns[0].type, dtype::i64);
  EXPECT_EQ(file->columns[1].type, dtype::f64);
  piped const pipe(content);
  options.path = pipe.path();
  input from(options);
  EXPECT_EQ(from->columns[1].type, dtype::i64) << "what follows is not known yet";
  std::vector<std::int64_t> last;
  for (chunk rows; from->next(rows);)
    if (rows.columns[0].type == dtype::i64)
      for (auto const x : rows.columns[0].as<std::int64_t>()) last = {x};
  EXPECT_EQ(from->columns[0].type, dtype::i64);
  EXPECT_EQ(from->columns[1].type, dtype::f64);
  EXPECT_EQ(last, std::vector<std::int64_t>{9007199254740993});
}

}  // namespace
}  // namespace upsweep::io
