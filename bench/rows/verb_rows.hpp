/// The rows of `upsweep bench verbs`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::bench {

/// What the elements and their parts look like.
enum class verb_data { numbers, equal, runs, segments, power_law, empty, windows, bins, text };

/// A verb over one kind of data.
struct verb_row {
  std::string verb, op;  ///< `op` is empty where there is no choice
  std::string type;
  std::string what;  ///< "50 % kept", "runs of 10"
  verb_data data = verb_data::numbers;
  /// The share of elements that are kept or begin a run, the average length of parts, the width of
  /// windows or padded rows, or the number of bins.
  double number = 0;

  /// As in verb_entry.
  [[nodiscard]] std::string key() const;
  /// "select f32, 50 % kept"
  [[nodiscard]] std::string title() const;
  /// True if a call changes its elements, so that they are copied to the output before it.
  [[nodiscard]] bool is_in_place() const { return verb.starts_with("sort") || pads(); }
  /// True for matrices whose rows get longer or shorter.
  [[nodiscard]] bool pads() const { return verb == "pad" || verb == "unpad"; }
  /// False for fewer elements than an average part or a window has.
  [[nodiscard]] bool takes(std::size_t n) const;
};

/// Every row, in the order of the tables.
[[nodiscard]] std::vector<verb_row> verb_rows();
/// The verbs of the rows, each once.
[[nodiscard]] std::vector<std::string> verb_names();

}  // namespace upsweep::bench
