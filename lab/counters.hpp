/// The emulator's counters by name, for tables and JSON.
#pragma once

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

}  // namespace upsweep::lab
