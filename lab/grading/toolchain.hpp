/// What it takes to compile a kernel into a program: the compiler, the headers and the emulator's
/// library.
#pragma once

#include <lab/grading/exercise.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

struct toolchain {
  std::string compiler;  ///< its command
  std::vector<std::string>
      options;  ///< before and after the source file: the emulator's flags, where headers are
  std::vector<std::string> libraries;
  bool limit_memory = true;  ///< false with sanitizers, which need the whole address space
};

/// `compiler`, or $CXX, g++ or c++ if that is empty, with the headers and libraries beside the
/// tool, in the build tree or the installation. Throws unavailable_error with what is missing.
[[nodiscard]] toolchain find_toolchain(std::string const& compiler);

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
