/// Inputs that are damaged or shrink, and signals.
#include "files.hpp"

#include <io/byte_source.hpp>
#include <io/compression.hpp>
#include <io/output.hpp>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/wait.h>

namespace upsweep::io {
namespace {

// Files truncated and damaged at every byte give values or an error message, never a crash. The
// sanitizer builds run this too.

using test::failure_of;
using test::in_memory;
using test::piped;
using test::scratch;

/// Everything that an input delivers, as bytes and text, or its error message.
std::string content_of(input_options options, int& code) {
  std::string all;
  auto const failed = failure_of([&] {
    input from(std::move(options));
    chunk rows;
    while (from->next(rows)) {
      for (auto const& column : rows.columns)
        all.append(reinterpret_cast<char const*>(column.bytes.data()), column.bytes.size());
      for (auto const& key : rows.keys)
        for (std::size_t i = 0; i < rows.rows; ++i) all += std::string(key[i]) + "|";
    }
  });
  code = failed.code;
  return failed.code == 0 ? all : failed.sentence;
}

struct sample {
  std::string name;
  std::string bytes;
  input_options options;
};

std::string npy_sample(scratch const& dir, dtype type, std::vector<std::size_t> shape,
                       byte_order order) {
  std::vector<double> const numbers{1, 0, 1, 1, 0, 1};
  output_options options{.path = dir.path("sample.npy"),
                         .force = true,
                         .type = type,
                         .endian = order,
                         .shape = std::move(shape)};
  auto const out = open_output(options);
  column_info const info{"value", dtype::f64};
  out->begin({&info, 1});
  chunk rows;
  rows.rows = numbers.size();
  rows.columns = {as_column<double>(dtype::f64, numbers)};
  out->write(rows);
  out->commit();
  return dir.read("sample.npy");
}

std::vector<sample> samples(scratch const& dir) {
  return {
      {"flat.npy", npy_sample(dir, dtype::f64, {6}, native_order), {}},
      {"big.npy", npy_sample(dir, dtype::i16, {2, 3}, byte_order::big), {.columns = {"2"}}},
      {"flags.npy", npy_sample(dir, dtype::boolean, {6}, native_order), {}},
      {"table.csv",
       "name,\"a \"\"x\"\"\",b\r\n\"x,\ny\",1,2.5\r\nz,,-3e2\n\n\"q\",7,\"8\"\n",
       {.columns = {"2", "3"}, .keys = {"1"}, .skip_missing = true}},
      {"list.txt", "\xef\xbb\xbf# comment\n1 2.5 -3e5\nnan inf\n\n7", {}},
      {"table.tsv", "a\tb\n1\t2\n3\t4\n", {.columns = {"b"}, .type = dtype::i8}},
      {"values.f32", std::string("\0\0\x80\x3f\0\0\0\x40", 8), {}},
  };
}

TEST(corruption, files_cut_off_at_every_byte_give_values_or_a_sentence) {
  scratch const dir(in_memory());
  for (auto const& sample : samples(dir)) {
    std::string whole;
    int code = 0;
    for (std::size_t length = sample.bytes.size() + 1; length-- > 0;) {
      auto options = sample.options;
      options.path = dir.write(sample.name, std::string_view(sample.bytes).substr(0, length));
      auto const found = content_of(options, code);
      EXPECT_TRUE(code == 0 || code == 2 || code == 3)
          << sample.name << " cut to " << length << ": " << found;
      if (length == sample.bytes.size()) {
        EXPECT_EQ(code, 0) << sample.name << ": " << found;
        EXPECT_FALSE(found.empty()) << sample.name;
      }
      // A .npy file records its length, so every truncation must be detected.
      if (sample.name.ends_with(".npy") && length != sample.bytes.size()) {
        EXPECT_EQ(code, 3) << sample.name << " cut to " << length << ": " << found;
        EXPECT_NE(found.find(sample.name), std::string::npos) << found;
      }
    }
  }
}

TEST(corruption, files_with_any_byte_changed_give_values_or_a_sentence) {
  scratch const dir(in_memory());
  std::mt19937 random(5);
  for (auto const& sample : samples(dir)) {
    for (std::size_t at = 0; at < sample.bytes.size(); ++at) {
      auto const old = static_cast<unsigned char>(sample.bytes[at]);
      for (unsigned change :
           {0u, 255u, old ^ 1u, old ^ 0x20u, unsigned{'"'}, unsigned{','}, unsigned{'\n'},
            unsigned{'9'}, static_cast<unsigned>(random() & 255u)}) {
        auto bytes = sample.bytes;
        bytes[at] = static_cast<char>(change);
        auto options = sample.options;
        options.path = dir.write(sample.name, bytes);
        int code = 0;
        auto const found = content_of(options, code);
        EXPECT_TRUE(code == 0 || code == 2 || code == 3)
            << sample.name << " with byte " << at << " = " << change << " (seed 5): " << code << " "
            << found;
      }
    }
  }
}

TEST(corruption, a_stream_gives_the_values_or_the_error_of_the_file) {
  scratch const dir(in_memory());
  for (auto const& sample : samples(dir)) {
    for (std::size_t length = 0; length <= sample.bytes.size(); length += 3) {
      auto options = sample.options;
      options.path = dir.write(sample.name, std::string_view(sample.bytes).substr(0, length));
      options.format = container_of_path(sample.name);
      if (sample.name == "values.f32") options.type = dtype::f32;
      int file_code = 0;
      auto const from_file = content_of(options, file_code);
      piped const pipe(sample.bytes.substr(0, length), 1);
      options.path = pipe.path();
      int stream_code = 0;
      auto const from_stream = content_of(options, stream_code);
      EXPECT_EQ(stream_code, file_code)
          << sample.name << " cut to " << length << ": " << from_stream << " / " << from_file;
      if (file_code == 0) {
        EXPECT_EQ(from_stream, from_file) << sample.name << " cut to " << length;
      }
    }
  }
}

TEST(corruption, random_bytes_never_crash_a_reader) {
  scratch const dir(in_memory());
  std::mt19937 random(3);
  static constexpr char letters[] =
      "0123456789.,-+eEnaif\"\n\r\t ;#\x93NUMPY\1\0{'descr': '<f8'}(),";
  constexpr std::string_view alphabet(letters, sizeof letters - 1);
  for (int i = 0; i < 1500; ++i) {
    std::string bytes;
    for (auto length = random() % 200; length-- > 0;) bytes += alphabet[random() % alphabet.size()];
    auto const path = dir.write("noise", bytes);
    for (auto format :
         {container::automatic, container::text, container::csv, container::npy, container::raw}) {
      int code = 0;
      auto const found =
          content_of({.path = path, .format = format, .columns = {"1"}, .type = dtype::f32}, code);
      EXPECT_TRUE(code == 0 || code == 2 || code == 3)
          << "round " << i << " of seed 3: " << code << " " << found;
    }
  }
}

/// A thread that decompresses ahead has met the end before the first bytes are asked for.
TEST(corruption, of_gzip_hides_nothing_before_it) {
  scratch const dir;
  output_file made(dir.path("a.gz"), false, compression::gzip);
  for (int i = 0; i < 100'000; ++i) made.write(std::to_string(i * 7919LL) + '\n');
  made.commit();
  auto const path = dir.path("a.gz");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 100);
  std::size_t bytes[2] = {};
  for (bool const ahead : {false, true}) {
    auto const from =
        make_decompressor(std::make_unique<byte_source>(path), compression::gzip, ahead);
    auto const read_all = [&] {
      char part[1 << 12];
      for (std::size_t got = 1; got != 0;) bytes[ahead] += got = from->read(part, sizeof part);
    };
    EXPECT_FAILURE(read_all(), 3, "it is truncated");
  }
  EXPECT_GT(bytes[0], 500'000u);
  EXPECT_EQ(bytes[0], bytes[1]);
}

// Signals: temporary files are removed, and the parent process sees the signal. A mapped file that
// shrinks gives an error message.

/// Runs `action` in a child and returns its status as waitpid gives it; what it writes to standard
/// error goes to `errors`. Signals have their default effects, whatever the caller inherited.
template <class Action>
int status_of(Action&& action, std::string const& errors) {
  auto const child = ::fork();
  if (child == 0) {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    auto const file = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, 2);
    action();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// Begins to write a file in `dir` and raises `signal` before it is complete.
void write_and_raise(scratch const& dir, int signal) {
  auto const out = open_output({.path = dir.path("a.csv")});
  auto const other = open_output({.path = dir.path("b.npy")});
  column_info const info{"n", dtype::i64};
  out->begin({&info, 1});
  other->begin({&info, 1});
  if (dir.names().size() != 2) ::_exit(99);
  ::raise(signal);
}

TEST(interruption, signals_leave_no_file_and_are_seen_by_the_shell) {
  scratch const logs;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    scratch const dir;
    auto const status = status_of([&] { write_and_raise(dir, signal); }, logs.path("log"));
    ASSERT_TRUE(WIFSIGNALED(status)) << "exit " << WEXITSTATUS(status);
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_TRUE(dir.names().empty()) << "after signal " << signal;
  }
}

TEST(interruption, signals_that_the_caller_ignores_stay_ignored) {
  scratch const logs;
  scratch const dir;
  auto const status = status_of(
      [&] {
        std::signal(SIGHUP, SIG_IGN);
        write_and_raise(dir, SIGHUP);
      },
      logs.path("log"));
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(interruption, a_finished_file_is_not_touched) {
  scratch const logs;
  scratch const dir;
  auto const status = status_of(
      [&] {
        auto const out = open_output({.path = dir.path("a.csv")});
        column_info const info{"n", dtype::i64};
        out->begin({&info, 1});
        out->commit();
        ::raise(SIGTERM);
      },
      logs.path("log"));
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(dir.read("a.csv"), "n\n");
}

TEST(interruption, a_mapped_file_that_shrinks_ends_in_a_sentence) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer handles SIGBUS itself";
#endif
  scratch const dir;
  auto const path = dir.write("a.f64", std::string(std::size_t{1} << 20, '\0'));
  auto const log = dir.path("log");
  auto const status = status_of(
      [&] {
        input from({.path = path});
        std::filesystem::resize_file(path, 4096);
        chunk rows;
        double sum = 0;
        while (from->next(rows))
          for (double value : rows.columns[0].as<double>()) sum += value;
        ::_exit(sum == 0 ? 98 : 97);
      },
      log);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_NE(dir.read("log").find("shrank while it was being read"), std::string::npos);
}

}  // namespace
}  // namespace upsweep::io
