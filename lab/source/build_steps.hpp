/// What a build does around the compiler: headers that are errors, messages, assembly.
#pragma once

#include <lab/source/source_tree.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace upsweep::lab::source {

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

/// Assembly of g++ for x86-64 in which each read of a checked operand calls its hook once. Under
/// -fsanitize=shift-exponent,float-cast-overflow g++ reads an operand of const memory for each
/// comparison, for the error and for the operation. The first read of a check remains, so that an
/// invalid address is found before it is accessed. Operands with branches, as in
/// `1 << (a[i] ? b[i] : c[i])`, stay as they are.
[[nodiscard]] std::string without_repeated_reads(std::string const& assembly);

}  // namespace upsweep::lab::source
