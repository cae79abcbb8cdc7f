/// The exceptions of the tool's input and output. Each has a message for the user and an exit code.
#pragma once

#include <fmt/core.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace upsweep::io {

/// Their base class. `what()` is a complete sentence without the program's name: what, where, which
/// value, what to do.
class tool_error : public std::runtime_error {
 public:
  tool_error(int exit_code, std::string const& sentence)
      : std::runtime_error(sentence), exit_code_(exit_code) {}
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// An error with an exit code of its own. Takes a sentence, or a format of {fmt} and its values.
template <int code>
class error_with : public tool_error {
 public:
  explicit error_with(std::string const& sentence) : tool_error(code, sentence) {}
  template <class First, class... Rest>
  explicit error_with(fmt::format_string<First, Rest...> sentence, First&& first, Rest&&... rest)
      : tool_error(
            code, fmt::format(sentence, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// The request is invalid: an unknown column, an unknown dtype, mutually exclusive options.
using usage_error = error_with<2>;
/// The content of a file is invalid. The message has `file:line:column` or a byte offset.
using data_error = error_with<3>;
/// A system call failed, memory ended, or the output file exists and may not be replaced.
using io_error = error_with<4>;
/// What was requested by name is not available on this machine or in this build.
using unavailable_error = error_with<5>;

/// Calls f. What another library says about a file becomes a data_error.
template <class F>
decltype(auto) with_file(std::string const& file, F const& f) {
  try {
    return f();
  } catch (tool_error const&) {
    throw;
  } catch (std::bad_alloc const&) {
    throw;
  } catch (std::exception const& e) {
    throw data_error("{}: {}.", file, e.what());
  }
}

/// The reader of standard output has exited (`| head`). The tool ends without a message and with
/// the exit code that SIGPIPE would give.
class pipe_closed : public tool_error {
 public:
  pipe_closed() : tool_error(141, "The reader of standard output closed it.") {}
};

}  // namespace upsweep::io
