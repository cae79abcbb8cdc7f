/// What the emulator reports of a run: counters by name, JSON, SARIF, the pages of findings, and
/// sources with counts beside their lines.
#pragma once

#include <lab/run.hpp>
#include <upsweep/sim/report.hpp>

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab {

struct counter_row {
  std::string_view key;    ///< in JSON
  std::string_view title;  ///< in a table
  double (*of)(sim::counters const&);
  int better = -1;  ///< -1: fewer is better, 1: more is, 0: neither
  bool percent = false;
  bool always = false;  ///< shown even if it is 0
};
[[nodiscard]] std::span<counter_row const> counter_rows();

/// Whether kernel `stem` has this counter: those of a core of tasklets lack what counts warps,
/// banks and sectors.
[[nodiscard]] bool has_counter(std::string_view stem, counter_row const& row);
[[nodiscard]] bool has_warps(std::string_view stem);

/// "1,234" or "29.5 %".
[[nodiscard]] std::string text_of(counter_row const& row, sim::counters const& c);

/// {"steps": ..., "span": ...}: every counter of the emulator.
[[nodiscard]] nlohmann::ordered_json json_of(sim::counters const& c);
/// [{"name", "blocks", "threads", "counters", "buffers": {"in": {"loads", "stores", "atomics"}},
/// "lines": [...]}]
[[nodiscard]] nlohmann::ordered_json json_of(sim::launch_report const& launch);
[[nodiscard]] nlohmann::ordered_json json_of(sim::finding const& f);

/// What `upsweep run --json` writes, and what a page shows: the request and the verdict on the
/// result, for either machine.
[[nodiscard]] nlohmann::ordered_json verdict_object(request const& asked, outcome const& out);

/// The same with schedule, findings and counters of a run on the emulator.
[[nodiscard]] nlohmann::ordered_json json_of(request const& asked, outcome const& out);

/// The findings, counters and launches of a program.
[[nodiscard]] nlohmann::ordered_json json_of(sim::report const& report);

/// What each kind of finding means is in the pages of docs/findings. The stem of the kind's page,
/// "race_in_a_block", which `upsweep explain` takes.
[[nodiscard]] std::string page_of(sim::finding_kind kind);
[[nodiscard]] std::vector<std::string> pages_of_findings();
/// The text of a page; empty if there is none. Blanks and hyphens are taken for underscores.
[[nodiscard]] std::string text_of_page(std::string_view stem);

/// The files in which the report counts steps or has findings, each once, in alphabetic order.
[[nodiscard]] std::vector<std::string> files_of(sim::report const& report);

/// The lines of `text`, the contents of `file`, from a few before the first one that has
/// counts or findings to a few after the last; long runs of lines between them are left out.
/// Before a line are its counts, summed over all launches: a column for each count that is not 0
/// in the whole file. Below a line are the sentences of its findings. Ends with a line break; empty
/// if the report has nothing on that file.
[[nodiscard]] std::string source_listing(sim::report const& report, std::string const& file,
                                         std::string_view text);

/// Findings in the format in which editors and code reviews take the results of tools: a
/// SARIF 2.1.0 log of one run with a result for each finding; its rule is the kind of mistake. The
/// location of a race is its later access; the earlier one is a related location. Paths of files
/// are those of the report. Source:
/// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
[[nodiscard]] nlohmann::ordered_json sarif_of(sim::report const& report);

}  // namespace upsweep::lab
