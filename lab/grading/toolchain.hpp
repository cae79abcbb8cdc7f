/// The compiler, the headers and the emulator's library: what it takes to make a program of a
/// kernel.
#pragma once

#include <lab/grading/exercise.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

struct toolchain {
  std::string compiler;  ///< as it is called
  std::vector<std::string>
      options;  ///< before and after the source file: the emulator's flags, where headers are
  std::vector<std::string> libraries;
  bool limit_memory = true;  ///< sanitizers need all addresses
};

/// `compiler`, or if that is empty $CXX, g++ or c++, with the headers and libraries that lie beside
/// the tool, in the build tree or where it was installed. Throws unavailable_error, which says what
/// is missing.
[[nodiscard]] toolchain find_toolchain(std::string const& compiler);

struct compilation {
  bool good = false;
  bool timed_out = false;
  std::string first_error;  ///< "kernel.hpp:12:5: error: ...", with the line that it is about
  std::string command;
  double seconds = 0;
};

/// Makes `into`/graded of the kernel in the submission's folder, and leaves main.cpp, harness and
/// compiler.log beside it.
[[nodiscard]] compilation compile(toolchain const& tools, submission const& what,
                                  std::filesystem::path const& into);

}  // namespace upsweep::lab::grading
