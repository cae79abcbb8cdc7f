/// Inputs that are not one file: pipes, and several files as one.
#include "files.hpp"

#include <io/byte_source.hpp>
#include <io/compression.hpp>
#include <io/npy_header.hpp>

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

namespace upsweep::io {
namespace {

// Pipes: the same rows as from a file for any sizes of the writes, in bounded memory, and without
// waiting for more than is available.

using namespace test;

TEST(stream, pieces_of_any_length_give_the_rows_of_the_file) {
  scratch const dir;
  std::string content = "key,\"the, value\"\r\n";
  std::mt19937 random(1);
  for (int i = 0; i < 400; ++i)
    content +=
        fmt::format("\"k\"\"{}\n\",{}\r\n", random() % 100, static_cast<int>(random()) * 0.25);
  input_options options{
      .path = dir.write("t.csv", content), .columns = {"the, value"}, .keys = {"key"}};
  input file(options);
  auto const expected = values<double>(file);
  ASSERT_EQ(expected.size(), 400u);
  input again(options);
  auto const expected_keys = texts(again);
  for (std::size_t piece : {1u, 2u, 3u, 7u, 64u, 4096u, 1u << 20}) {
    piped const one(content, piece);
    options.path = one.path();
    input from(options);
    EXPECT_EQ(values<double>(from), expected) << piece;
    piped const two(content, piece);
    options.path = two.path();
    input keyed(options);
    EXPECT_EQ(texts(keyed), expected_keys) << piece;
  }
}

TEST(stream, types_of_a_stream_come_from_its_first_MiB) {
  std::string content;
  while (content.size() < (std::size_t{2} << 20)) content += "17\n";
  auto const lines = content.size() / 3;
  content += "0.5\n";
  piped const pipe(content);
  EXPECT_FAILURE(drain({.path = pipe.path()}), 3,
                 fmt::format(":{}:1: '0.5' is not of type i64, the type of the column at the "
                             "beginning of the stream; give --dtype f64.",
                             lines + 1));
  piped const again(content);
  input from({.path = again.path(), .type = dtype::f64});
  EXPECT_EQ(values<double>(from).size(), lines + 1);
}

TEST(stream, a_column_of_integers_becomes_decimals_where_one_comes) {
  std::string content;
  while (content.size() < (std::size_t{2} << 20)) content += "17\n";
  auto const rows_of_integers = content.size() / 3;
  for (std::string const decimal : {"0.5", "-0", "1e3", "nan"}) {
    piped const pipe(content + decimal + "\n3\n");
    input from({.path = pipe.path(), .may_widen = true});
    EXPECT_TRUE(from->may_widen);
    EXPECT_EQ(from->columns[0].type, dtype::i64);
    std::uint64_t before = 0, behind = 0;
    for (chunk rows; from->next(rows);) {
      EXPECT_EQ(rows.first_row, before + behind);
      EXPECT_TRUE(rows.columns[0].type == dtype::f64 || behind == 0) << "a column stays f64";
      (rows.columns[0].type == dtype::i64 ? before : behind) += rows.rows;
    }
    EXPECT_EQ(before, rows_of_integers) << decimal;
    EXPECT_EQ(behind, 2u) << decimal;
    EXPECT_EQ(from->columns[0].type, dtype::f64);
  }
  piped const pipe(content + "5kg\n");
  EXPECT_FAILURE(drain({.path = pipe.path(), .may_widen = true}), 3,
                 fmt::format(":{}:1: '5kg' is not a number;", rows_of_integers + 1));
  piped const large(content + "99999999999999999999\n");
  EXPECT_FAILURE(drain({.path = large.path(), .may_widen = true}), 3, "does not fit i64");
  piped const codes(content + "007\n");
  EXPECT_FAILURE(drain({.path = codes.path(),
                        .may_be_text = true,
                        .uses = {{.as_written = true}},
                        .may_widen = true}),
                 3, "'007' has leading zeros, as codes have");
  std::string gaps;
  while (gaps.size() < (std::size_t{2} << 20)) gaps += "NA\n";
  piped const late(gaps + "1\n");
  EXPECT_FALSE(input({.path = late.path(), .skip_missing = true})->columns[0].has_no_values);
  scratch const dir;
  EXPECT_FALSE(input({.path = dir.write("n.txt", "1\n"), .may_widen = true})->may_widen)
      << "a file is read ahead";
}

TEST(stream, the_first_row_does_not_wait_for_the_second) {
  for (std::string const start : {"1\n", "rain\n1\n", "a,b\n1,2\n"}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], start.data(), start.size()), static_cast<ssize_t>(start.size()));
    std::atomic<bool> done = false, late = false;
    std::thread watchdog(
        [&, in = ends[1]] {  // keeps a reader that wrongly waits from blocking the tests
          for (int i = 0; i < 2000 && !done; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          late = !done;
          ::close(in);
        });
    input_options options{.path = fmt::format("/dev/fd/{}", ends[0]), .may_widen = true};
    if (start[0] == 'a') options.columns = {"a"};
    input from(options);
    chunk rows;
    EXPECT_TRUE(from->next(rows));
    EXPECT_FALSE(late) << start;
    EXPECT_EQ(rows.columns[0].as<std::int64_t>()[0], 1);
    done = true;
    EXPECT_FALSE(from->next(rows));
    watchdog.join();
    ::close(ends[0]);
  }
}

TEST(stream, lengths_are_unknown_and_positions_are_known) {
  piped const pipe("1 2 3\n");
  input from({.path = pipe.path()});
  EXPECT_EQ(from->total_rows, std::nullopt);
  EXPECT_EQ(from->bytes_total(), std::nullopt);
  EXPECT_EQ(values<std::int64_t>(from).size(), 3u);
  EXPECT_EQ(from->bytes_read(), 6u);
}

long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(stream, memory_stays_bounded) {
  std::string const block = std::string(std::size_t{1} << 16, '\0');
  std::string text;
  while (text.size() < block.size()) text += "3.25\n";
  for (auto format : {container::raw, container::text}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    [[maybe_unused]] auto const before = peak_kib();
    constexpr int blocks = 1000;  // 64 MiB
    std::thread feeder([&, in = ends[1]] {
      auto const& bytes = format == container::raw ? block : text;
      for (int i = 0; i < blocks; ++i)
        for (std::size_t at = 0; at < bytes.size();) {
          auto const got = ::write(in, bytes.data() + at, bytes.size() - at);
          if (got <= 0) break;
          at += static_cast<std::size_t>(got);
        }
      ::close(in);
    });
    input from({.path = fmt::format("/dev/fd/{}", ends[0]), .format = format, .type = dtype::f64});
    chunk rows;
    std::uint64_t count = 0;
    while (from->next(rows)) count += rows.rows;
    ::close(ends[0]);
    feeder.join();
    EXPECT_EQ(count, blocks * (format == container::raw ? block.size() / 8 : text.size() / 5));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(peak_kib() - before, 16 * 1024) << "KiB more than before";
#endif
  }
}

TEST(stream, rows_arrive_before_the_pipe_is_closed) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "1\n2\n3", 5), 5);
  input from({.path = fmt::format("/dev/fd/{}", ends[0]),
              .format = container::text,
              .columns = {"1"},
              .header = header_line::absent,
              .type = dtype::i32});
  chunk rows;
  ASSERT_TRUE(from->next(rows));  // would hang if it waited for a full chunk
  EXPECT_EQ(rows.rows, 2u);
  ASSERT_EQ(::write(ends[1], "4\n", 2), 2);
  ASSERT_TRUE(from->next(rows));
  EXPECT_EQ(rows.columns[0].as<std::int32_t>()[0], 34);
  ::close(ends[1]);
  EXPECT_FALSE(from->next(rows));
  ::close(ends[0]);
}

TEST(stream, standard_input_is_read_from_where_it_stands) {
  scratch const dir;
  auto const path = dir.write("n.txt", "skipped\n1 2 3\n");
  auto const saved = ::dup(0);
  auto const file = ::open(path.c_str(), O_RDONLY);
  ::dup2(file, 0);
  ::lseek(0, 8, SEEK_SET);
  {
    input from({});
    EXPECT_EQ(from->name(), "standard input");
    EXPECT_EQ(values<std::int64_t>(from), (std::vector<std::int64_t>{1, 2, 3}));
  }
  ::dup2(saved, 0);
  ::close(saved);
  ::close(file);
}

/// Content that a decompressor holds is delivered before it waits for more bytes. The bytes are
/// those of RFC 1951, a block of fixed codes with an 'a' and a copy of 258, and of RFC 8878, a
/// block that repeats an 'a'; more may follow.
TEST(stream, decompressed_content_does_not_wait_for_compressed_bytes) {
  struct beginning {
    compression kind;
    std::string bytes;
    std::size_t content;
  };
  using namespace std::string_literals;
  for (auto const& [kind, bytes, content] :
       {beginning{compression::gzip, "\x1f\x8b\x08\0\0\0\0\0\0\x03\x4a\x1c\x05"s, 259},
        beginning{compression::zstd, "\x28\xb5\x2f\xfd\0\x38\x02\x35\x0c\x61"s, 100000}}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), std::ssize(bytes));
    auto const from = make_decompressor(
        std::make_unique<byte_source>(fmt::format("/dev/fd/{}", ends[0])), kind, false);
    std::string read, part(99, ' ');
    while (!from->would_wait(std::chrono::milliseconds(0)))
      read += part.substr(0, from->read(part.data(), part.size()));
    EXPECT_EQ(read.size(), content);
    EXPECT_EQ(read.find_first_not_of('a'), read.npos);
    ::close(ends[1]);
    EXPECT_FAILURE(from->read(part.data(), part.size()), 3, "it is truncated.");
    ::close(ends[0]);
  }
}

// Several files as one input: rows, row numbers, types and totals.

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
