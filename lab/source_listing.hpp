/// Source files with the emulator's counts and findings beside their lines.
#pragma once

#include <upsweep/sim/report.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab {

/// The files in which the report counts steps or has findings, each once, in alphabetic order.
[[nodiscard]] std::vector<std::string> files_of(sim::report const& report);

/// The lines of `text`, the contents of `file`, from a few before the first one that has
/// counts or findings to a few after the last; long runs of lines between them are left out.
/// Before a line are its counts, summed over all launches: a column for each count that is not 0
/// in the whole file. Below a line are the sentences of its findings. Ends with a line break; empty
/// if the report has nothing on that file.
[[nodiscard]] std::string source_listing(sim::report const& report, std::string const& file,
                                         std::string_view text);

}  // namespace upsweep::lab
