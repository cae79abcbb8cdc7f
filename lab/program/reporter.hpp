/// Writes what a program launched and what was found, while it runs: the program may crash later.
#pragma once

#include <upsweep/sim/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace upsweep::lab {

struct program_reporter {
  sim::machine machine;
  int to;            ///< a file descriptor; the lines are those of report_lines.hpp
  bool takes_notes;  ///< of a checker
  std::size_t launches = 0, findings = 0, traced = 0;  ///< that were written
  std::uint64_t occurrences = 0;

  void write_line(std::string const& line) const;
  /// What is new since the last report.
  void report();
  /// False: nobody takes notes.
  bool take_note(char const* line) const;
};

}  // namespace upsweep::lab
