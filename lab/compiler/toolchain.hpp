/// What it takes to compile for the emulator: the compiler and the headers.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace upsweep::lab {

struct toolchain {
  std::string compiler;           ///< its absolute path
  std::filesystem::path include;  ///< where the folder upsweep/ of the headers is
};

/// `compiler`, or $CXX, g++ or c++ if that is empty, with the headers beside the tool,
/// in the build tree or the installation. Throws unavailable_error with what is missing.
[[nodiscard]] toolchain find_toolchain(std::string const& compiler);

struct compiler_version {
  bool clang = false;  ///< else g++
  int major = 0;       ///< 0: unknown
  std::string text;    ///< the first line of --version
};

/// Asks the compiler with --version, whose output goes to the file `log`.
[[nodiscard]] compiler_version version_of(std::string const& compiler, std::string const& log);

/// The first error in the compiler's output `log` with its source lines. For an error that is not
/// in the user's text, also the line of the user's text that requires it; `is_users` tells a line
/// "kernel.hpp:12:5: ...". Never empty.
[[nodiscard]] std::string first_error(std::filesystem::path const& log,
                                      std::function<bool(std::string_view)> const& is_users);

}  // namespace upsweep::lab
