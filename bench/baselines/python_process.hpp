/// A Python program in a child process, started once, with which we communicate through two pipes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>

namespace upsweep::bench {

class python_process {
 public:
  /// Starts `program`, a text, by the interpreter `python`. If that fails, every answer is empty.
  /// Throws std::runtime_error without pipes.
  python_process(std::string const& python, std::string const& program);
  ~python_process();
  python_process(python_process const&) = delete;
  python_process& operator=(python_process const&) = delete;

  /// The line that answers a request, a line and data behind it; empty if the process has exited.
  std::string ask(std::string const& request,
                  std::span<std::span<std::byte const> const> data = {});
  /// Reads data behind an answer; false if there is less.
  bool read(void* to, std::size_t bytes);

 private:
  pid_t process_ = -1;
  std::FILE* requests_ = nullptr;
  std::FILE* answers_ = nullptr;
};

}  // namespace upsweep::bench
