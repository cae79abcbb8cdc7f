/// One pass over the text, with the counts and findings of each line in maps.
#include <lab/reports.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab {

namespace {

using line_number = unsigned;

struct count_column {
  std::string_view title, key;  ///< the key of its row in counter_rows()
};
constexpr count_column count_columns[] = {
    {"steps", "steps"},
    {"divergent", "divergent_steps"},
    {"barriers", "barriers"},
    {"shared", "shared_wavefronts"},
    {"conflicts", "shared_conflicts"},
    {"requests", "global_requests"},
    {"sectors read", "sectors_loaded"},
    {"written", "sectors_stored"},
    {"atomics", "atomics"},
    {"passes", "atomic_rounds"},
    {"shuffles", "shuffles"},
    {"votes", "votes"},
    {"fences", "fences"},
};

counter_row const& row_of(count_column const& c) {
  return *std::ranges::find(counter_rows(), c.key, &counter_row::key);
}

/// What the report says about the lines of one file.
struct line_notes {
  std::map<line_number, sim::counters> counts;
  std::map<line_number, std::vector<std::string>> findings;
};

line_notes notes_on(sim::report const& report, std::string const& file) {
  line_notes notes;
  for (auto const& launch : report.launches)
    for (auto const& line : launch.lines)
      if (line.line.file == file && line.line.line != 0)
        add_after(notes.counts[line.line.line], line.counts);
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    auto const& f = report.findings[i];
    bool const is_pair = f.second.line != 0 && f.second != f.first;
    auto const& whole = is_pair ? f.second : f.first;
    if (whole.file == file && whole.line != 0)
      notes.findings[whole.line].push_back(fmt::format("[{}] {}", i + 1, f.sentence));
    if (is_pair && f.first.file == file)
      notes.findings[f.first.line].push_back(
          fmt::format("[{}] {}: the earlier access", i + 1, name_of(f.kind)));
  }
  return notes;
}

/// The lines to show: those with notes, and `around` more on both sides.
std::set<line_number> lines_to_show(line_notes const& notes) {
  constexpr line_number around = 3;
  std::set<line_number> shown;
  auto const add = [&](line_number line) {
    for (line_number l = line > around ? line - around : 1; l <= line + around; ++l)
      shown.insert(l);
  };
  for (auto const& [line, counts] : notes.counts) add(line);
  for (auto const& [line, sentences] : notes.findings) add(line);
  return shown;
}

}  // namespace

std::vector<std::string> files_of(sim::report const& report) {
  std::set<std::string> files;
  for (auto const& launch : report.launches)
    for (auto const& line : launch.lines)
      if (line.line.line != 0) files.insert(line.line.file);
  for (auto const& f : report.findings)
    for (auto const& at : {f.first, f.second})
      if (at.line != 0) files.insert(at.file);
  return {files.begin(), files.end()};
}

std::string source_listing(sim::report const& report, std::string const& file,
                           std::string_view text) {
  auto const notes = notes_on(report, file);
  auto const shown = lines_to_show(notes);
  if (shown.empty()) return {};

  std::vector<count_column> used;
  for (count_column const& c : count_columns)
    if (std::ranges::any_of(notes.counts,
                            [&](auto const& l) { return row_of(c).of(l.second) != 0; }))
      used.push_back(c);
  auto const cell = [](count_column const& c, sim::counters const& counts) {
    return row_of(c).of(counts) == 0 ? std::string() : text_of(row_of(c), counts);
  };
  std::vector<std::size_t> widths;
  for (count_column const& c : used) {
    std::size_t width = c.title.size();
    for (auto const& [line, counts] : notes.counts) width = std::max(width, cell(c, counts).size());
    widths.push_back(width);
  }

  std::string out;
  for (std::size_t i = 0; i < used.size(); ++i)
    out += fmt::format("{:>{}}  ", used[i].title, widths[i]);
  std::string const blank(out.size(), ' ');
  out += "line\n";
  line_number line = 1, last = 0;
  for (std::size_t begin = 0; begin < text.size() && line <= *shown.rbegin(); ++line) {
    std::size_t const end = std::min(text.find('\n', begin), text.size());
    std::string_view code = text.substr(begin, end - begin);
    if (code.ends_with('\r')) code.remove_suffix(1);
    begin = end + 1;
    if (!shown.contains(line)) continue;
    if (last != 0 && line != last + 1) out += fmt::format("{} ...\n", blank);
    last = line;
    auto const counts = notes.counts.find(line);
    for (std::size_t i = 0; i < used.size(); ++i)
      out += fmt::format(
          "{:>{}}  ", counts == notes.counts.end() ? std::string() : cell(used[i], counts->second),
          widths[i]);
    out += fmt::format("{:>4}{}{}\n", line, code.empty() ? "" : "  ", code);
    if (auto const found = notes.findings.find(line); found != notes.findings.end())
      for (auto const& sentence : found->second)
        out += fmt::format("{} ^^^  {}\n", blank, sentence);
  }
  return out;
}

}  // namespace upsweep::lab
