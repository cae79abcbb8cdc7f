/// Compiles a student's kernel into a program.
#pragma once

#include <lab/compiler/toolchain.hpp>
#include <lab/grading/exercise.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

struct compilation {
  bool good = false;
  bool timed_out = false;
  std::string first_error;  ///< "kernel.hpp:12:5: error: ...", with the source line
  std::string command;
  double seconds = 0;
};

/// Compiles the kernel in the submission's folder to `into`/graded, and leaves main.cpp, the
/// harness and compiler.log beside it.
[[nodiscard]] compilation compile(toolchain const& tools, submission const& what,
                                  std::filesystem::path const& into);

}  // namespace upsweep::lab::grading
