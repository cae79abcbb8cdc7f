/// A report as lines of text, which the process of a program writes and the tool reads.
#pragma once

#include <lab/program/outcome.hpp>

#include <string>
#include <vector>

namespace upsweep::lab {

/// One line each; a later line about findings replaces an earlier one.
[[nodiscard]] std::string line_of(sim::launch_report const& launch);
[[nodiscard]] std::string line_of(std::vector<sim::finding> const& findings);
[[nodiscard]] std::string line_of(sim::traced_launch const& launch);
[[nodiscard]] std::string line_of(std::vector<output_buffer> const& outputs);
/// The module could not be loaded, or, `is_usage`, a kernel's arguments do not fit.
[[nodiscard]] std::string error_line(std::string const& sentence, bool is_usage = false);

/// A signal ends the program in a kernel.
[[nodiscard]] std::string crash_line(std::string const& sentence);
/// program_outcome::running.
[[nodiscard]] std::string running_line(std::string const& who_and_where);
/// What the program itself says.
[[nodiscard]] std::string note_line(std::string const& text);

/// Reads all lines; one that was cut off is left out. Throws data_error or usage_error with the
/// sentence of an error.
void read_lines(std::string const& text, program_outcome& into);

}  // namespace upsweep::lab
