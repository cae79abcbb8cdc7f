/// A .cu file and the files that it includes by name, rewritten; and what a build does around the
/// compiler: headers that are errors, messages, assembly.
#pragma once

#include <lab/source/rewrite.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

struct rewritten_file {
  std::filesystem::path path;  ///< absolute
  std::string original;
  rewriting done;
};

/// The .cu file first, then what it and its headers include by #include "..." and is there.
struct source_tree {
  std::vector<rewritten_file> files;
  std::vector<std::filesystem::path> units;  ///< that are compiled; the first is the .cu file

  [[nodiscard]] bool has_kernel() const;
  [[nodiscard]] bool has_main() const;
  /// The file of that path, or null.
  [[nodiscard]] rewritten_file const* find(std::filesystem::path const& path) const;
};

/// What is read: `text`, if there is one, is that of `file`.
struct source_request {
  std::filesystem::path file;
  std::vector<std::filesystem::path> others;  ///< compiled on their own, and linked with it
  std::vector<std::filesystem::path> include_folders;
  std::string text{};
  std::vector<std::string> settings{};  ///< "N=1024"
};

/// Reads and rewrites. Throws io_error or data_error with a sentence about a file that is missing,
/// empty, or no CUDA C++, or that has launches which the emulator cannot run, and usage_error for a
/// setting without its constant.
[[nodiscard]] source_tree read_sources(source_request const& asked);

/// Writes the rewritten files below `folder` under their absolute paths, each with the original's
/// path in a #line.
void write_sources(source_tree const& tree, std::filesystem::path const& folder);

/// The content of a string literal whose value is `text`.
[[nodiscard]] std::string literal(std::string const& text);

/// `path` as a user would name it: relative if it lies below the current folder.
[[nodiscard]] std::string shown(std::filesystem::path const& path);

/// A sentence about a header of a library of NVIDIA that the emulator does not have; empty for any
/// other header.
[[nodiscard]] std::string about_header(std::string_view name);

/// Writes headers of these names below `folder` that are errors where a file of the tree includes
/// them. A compiler looks there before the folders of the system, where NVIDIA's may be installed:
/// they do not compile with the emulator's, or cannot be linked.
void write_absent_headers(source_tree const& tree, std::filesystem::path const& folder);

/// The first error in the compiler's output `log`, in the lines and columns of the file that the
/// user wrote, without a line break at its end.
[[nodiscard]] std::string users_error(std::filesystem::path const& log, source_tree const& tree);

/// A sentence for each variable of the user's that may be read before it has a value, as the
/// compiler warns in `log`.
[[nodiscard]] std::vector<std::string> unset_variables(std::filesystem::path const& log,
                                                       source_tree const& tree);

/// Assembly of g++ for x86-64 in which each read of a checked operand calls its hook once. Under
/// -fsanitize=shift-exponent,float-cast-overflow g++ reads an operand of const memory for each
/// comparison, for the error and for the operation. The first read of a check remains, so that an
/// invalid address is found before it is accessed. Operands with branches, as in
/// `1 << (a[i] ? b[i] : c[i])`, stay as they are.
[[nodiscard]] std::string without_repeated_reads(std::string const& assembly);

}  // namespace upsweep::lab::source
