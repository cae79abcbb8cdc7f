/// A report as lines of text, which the process of a program writes and the tool reads.
#pragma once

#include <lab/program/program.hpp>

#include <string>

namespace upsweep::lab {

/// One line each; a later line about findings replaces an earlier one.
[[nodiscard]] std::string line_of(sim::launch_report const& launch);
[[nodiscard]] std::string line_of(std::vector<sim::finding> const& findings);
/// The module could not be loaded.
[[nodiscard]] std::string load_error_line(std::string const& sentence);

/// A signal ends the program in a kernel.
[[nodiscard]] std::string crash_line(std::string const& sentence);
/// What the program itself says.
[[nodiscard]] std::string note_line(std::string const& text);

/// Reads all lines; one that was cut off is left out. Throws data_error with a load error.
void read_lines(std::string const& text, program_outcome& into);

}  // namespace upsweep::lab
