/// Temporary files, pipes that are filled in pieces, and short functions to read them, for the
/// tests of io/.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <io/error.hpp>
#include <io/input.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace upsweep::io::test {

/// A temporary directory, removed with all its content by the destructor.
class scratch {
 public:
  explicit scratch(std::filesystem::path const& parent = std::filesystem::temp_directory_path()) {
    auto pattern = (parent / "upsweep-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = pattern;
  }
  ~scratch() { std::filesystem::remove_all(path_); }
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;

  [[nodiscard]] std::string path(std::string const& name) const { return path_ / name; }
  std::string write(std::string const& name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  [[nodiscard]] std::string read(std::string const& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (auto const& entry : std::filesystem::directory_iterator(path_))
      all.push_back(entry.path().filename());
    return all;
  }

 private:
  std::filesystem::path path_;
};

/// A memory file system if there is one, for thousands of small files: ext4 writes a file to disk
/// each time it is replaced.
inline std::filesystem::path in_memory() {
  return ::access("/dev/shm", W_OK | X_OK) == 0 ? std::filesystem::path("/dev/shm")
                                                : std::filesystem::temp_directory_path();
}

/// The reading end of a pipe, as a path. A thread writes `content` into it, `piece` bytes at a
/// time.
class piped {
 public:
  explicit piped(std::string content, std::size_t piece = 1 << 16) {
    std::signal(SIGPIPE, SIG_IGN);  // a reader may stop early
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    out_ = ends[0];
    feeder_ = std::thread([in = ends[1], bytes = std::move(content), piece] {
      for (std::size_t at = 0; at < bytes.size();) {
        auto const got = ::write(in, bytes.data() + at, std::min(piece, bytes.size() - at));
        if (got <= 0) break;
        at += static_cast<std::size_t>(got);
      }
      ::close(in);
    });
  }
  ~piped() {
    ::close(out_);
    feeder_.join();
  }
  [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(out_); }

 private:
  int out_ = -1;
  std::thread feeder_;
};

/// Reads to the end and returns a value column.
template <class T>
std::vector<T> values(input& from, std::size_t column = 0) {
  std::vector<T> all;
  chunk rows;
  std::uint64_t expected_row = 0;
  while (from->next(rows)) {
    EXPECT_GT(rows.rows, 0u);
    EXPECT_EQ(rows.first_row, expected_row);
    expected_row += rows.rows;
    auto const& values = rows.columns.at(column);
    EXPECT_EQ(values.size(), rows.rows);
    EXPECT_EQ(sizeof(T), size_of(values.type));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.bytes.data()) % sizeof(T), 0u)
        << "misaligned";
    for (T value : values.as<T>()) all.push_back(value);
  }
  EXPECT_FALSE(from->next(rows)) << "next() returns false again after the end";
  return all;
}
template <class T>
std::vector<T> read(input_options options) {
  input from(std::move(options));
  return values<T>(from);
}

inline std::vector<std::string> texts(input& from, std::size_t key = 0) {
  std::vector<std::string> all;
  chunk rows;
  while (from->next(rows))
    for (std::size_t i = 0; i < rows.rows; ++i) all.emplace_back(rows.keys.at(key)[i]);
  return all;
}

/// The message and exit code with which `action` fails; empty and 0 if it succeeds.
struct failure {
  int code = 0;
  std::string sentence;
};
template <class Action>
failure failure_of(Action&& action) {
  try {
    action();
  } catch (tool_error const& error) {
    std::string const sentence = error.what();
    EXPECT_FALSE(sentence.empty());
    EXPECT_EQ(sentence.empty() ? '.' : sentence.back(), '.') << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    return {error.exit_code(), sentence};
  }
  return {};
}

/// Reads everything, for errors that any chunk may raise.
inline void drain(input_options options) {
  input from(std::move(options));
  chunk rows;
  while (from->next(rows)) {
  }
}

#define EXPECT_FAILURE(action, exit_code, part)                                              \
  do {                                                                                       \
    auto const failed = ::upsweep::io::test::failure_of([&] { static_cast<void>(action); }); \
    EXPECT_EQ(failed.code, exit_code) << failed.sentence;                                    \
    EXPECT_NE(failed.sentence.find(part), std::string::npos)                                 \
        << "the message: " << failed.sentence;                                               \
  } while (false)

}  // namespace upsweep::io::test
