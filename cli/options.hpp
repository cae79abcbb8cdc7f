/// Options shared by commands: input, output and computation.
#pragma once

#include <cli/engine/column_set.hpp>
#include <cli/registry.hpp>
#include <io/input.hpp>
#include <io/output.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::cli {

/// The files and the options for reading them.
struct input_flags {
  std::vector<std::string> paths;
  std::vector<std::string> columns;
  std::string from = "auto", delimiter, comment, type, endian, thousands, decimal;
  bool header = false, no_header = false, list = false, skip_missing = false, skip_rows = false,
       currency = false;
  std::vector<std::string> missing;
  std::optional<std::uint64_t> offset, count;

  [[nodiscard]] io::input_options options() const;
  /// The same for a command whose operators skip missing values independently.
  [[nodiscard]] io::input_options marking_options() const;
  /// How numbers are written, by --thousands, --decimal and --currency.
  [[nodiscard]] io::number_spelling numbers() const;
  /// What they skip; null if nothing.
  [[nodiscard]] std::shared_ptr<io::missing_words const> skipped() const;
};
/// The names of the key columns that --by gives: those of the file if it has a header or a range is
/// among them, otherwise as the user wrote them.
[[nodiscard]] std::vector<std::string> group_names(io::input const& in,
                                                   std::vector<std::string> const& by);
void add_input_options(options const& add, input_flags& flags);

struct output_flags {
  std::string path = "-", to = "auto", number_format, compress = "auto";
  bool force = false, json = false;

  /// The format given by --to or by the file name's extension; automatic if by neither.
  [[nodiscard]] io::container wanted() const;
  /// True if a column of results may change from integers to decimals. Binary formats have one
  /// type.
  [[nodiscard]] bool may_widen() const;
  /// True with --json, and for a file named .json, .jsonl or .ndjson without another --to.
  [[nodiscard]] bool writes_json() const;
  /// Throws usage_error if the path is named as a format that is not written.
  void expect_writable() const;
  /// By --compress or the file's name.
  [[nodiscard]] io::compression compression() const;
  /// The options for writing `format`.
  [[nodiscard]] io::output_options options(io::container format) const;
};
void add_output_options(options const& add, output_flags& flags);

struct engine_flags {
  std::vector<std::string> op{"sum"};
  std::optional<std::string> initial;
  std::string mode = "reproducible", on = "cpu";
  int threads = 0;
  device_streams const* gpu = nullptr;  ///< what --on cuda uses

  [[nodiscard]] aggregate_settings settings() const;
  /// Of everything that the command does: one with --on serial.
  [[nodiscard]] int thread_count() const;
};
/// --threads.
void add_threads_option(options const& add, int& threads);
/// `gpu` is what --on cuda uses.
void add_engine_options(options const& add, engine_flags& flags, device_streams const& gpu);

/// What commands over the rows of a table are given.
struct table_flags {
  input_flags in;
  output_flags out;
  int threads = 0;
};
/// --threads and the options of input and output.
void add_table_options(options const& add, table_flags& flags);

/// What reduce and scan are given.
struct operators_flags {
  input_flags in;
  output_flags out;
  engine_flags engine;
  std::vector<std::string> by;
  bool is_sorted = false, allow_repeats = false;
  std::optional<int> axis;
  std::string after;

  /// Groups are runs of equal keys.
  [[nodiscard]] bool sorted() const { return by.empty() || is_sorted || allow_repeats; }
};
/// --sorted, which `sentence` describes, and --allow-repeats; both need --by.
void add_sorted_options(options const& add, operators_flags& flags, std::string const& sentence);

/// A single character, or \t for a tab; 0 if `text` is empty. Throws usage_error for anything else.
[[nodiscard]] char one_character(std::string const& option, std::string const& text);

}  // namespace upsweep::cli
