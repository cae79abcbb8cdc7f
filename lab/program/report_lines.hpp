/// A report as lines of text, which the process of a program writes and the tool reads.
#pragma once

#include <lab/program/program.hpp>
#include <upsweep/sim/machine.hpp>

#include <cstddef>
#include <cstdint>
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

/// Writes what a program launched and what was found, while it runs: the program may crash later.
/// The lines are whole: a program that is killed leaves at most one that is cut off.
struct program_reporter {
  sim::machine machine;
  int to;                                              ///< a file descriptor
  bool takes_notes;                                    ///< of a checker
  std::size_t launches = 0, findings = 0, traced = 0;  ///< that were written
  std::uint64_t occurrences = 0;

  void write_line(std::string const& line) const;
  /// What is new since the last report.
  void report();
  /// False: nobody takes notes.
  bool take_note(char const* line) const;
};

}  // namespace upsweep::lab
