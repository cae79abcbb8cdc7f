/// Compiles a student's file with its checker into a module.
#pragma once

#include <lab/grading/submission.hpp>
#include <lab/source/build.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

/// The checker is compiled as check.cu beside the student's file, which it includes; neither is
/// changed. Throws io_error if the file cannot be read, and unavailable_error without a compiler.
[[nodiscard]] compilation compile(submission const& what, std::string const& compiler,
                                  source::module_cache& cache,
                                  std::vector<std::string> const& definitions = {});

struct checker_build {
  std::string compiler;  ///< empty: the default
  std::vector<std::string> definitions{};
  std::vector<std::filesystem::path> include_folders{};
};
/// Compiles the text of a checker as if it were that file. Throws what source::build() throws.
[[nodiscard]] std::filesystem::path compile_checker(std::filesystem::path const& file,
                                                    std::string const& text,
                                                    checker_build const& how,
                                                    source::module_cache& cache);

}  // namespace upsweep::lab::grading
