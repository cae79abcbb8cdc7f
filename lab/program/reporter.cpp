/// The lines are whole: a program that is killed leaves at most one that is cut off.
#include <lab/program/reporter.hpp>

#include <lab/program/report_lines.hpp>

#include <unistd.h>

#include <cerrno>

namespace upsweep::lab {

void program_reporter::write_line(std::string const& line) const {
  for (std::size_t done = 0; done < line.size();) {
    auto const n = ::write(to, line.data() + done, line.size() - done);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

void program_reporter::report() {
  auto const& result = machine.result();
  for (; launches < result.launches.size(); ++launches)
    write_line(line_of(result.launches[launches]));
  for (; traced < result.trace.launches.size(); ++traced)
    write_line(line_of(result.trace.launches[traced]));
  std::uint64_t seen = 0;
  for (auto const& f : result.findings) seen += f.occurrences;
  if (seen == occurrences && findings == result.findings.size()) return;
  occurrences = seen;
  findings = result.findings.size();
  write_line(line_of(result.findings));
}

bool program_reporter::take_note(char const* line) const {
  if (takes_notes) write_line(note_line(line));
  return takes_notes;
}

}  // namespace upsweep::lab
