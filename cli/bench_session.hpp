/// A run of `upsweep bench` on any device: its table as it grows, and its files when it is over.
#pragma once

#include <bench/harness/report.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <io/output_file.hpp>

namespace upsweep::cli {

/// A column of the table behind n, which every table has.
struct bench_column {
  std::string title;
  std::function<std::string(bench::cell const&)> text;  ///< "-" for what was not measured
};

/// Milliseconds of the competitor with this name.
[[nodiscard]] bench_column milliseconds_of(std::string title, std::string const& name);
/// GB/s of the competitor with this name; "limit" is the tightest limit.
[[nodiscard]] bench_column gigabytes_of(std::string title, std::string const& name);
/// How many times as fast as the competitor with this name Upsweep is; "" is the best peer.
[[nodiscard]] bench_column speed_up_over(std::string title, std::string const& name);
/// Upsweep's speed as a share of the tightest limit's.
[[nodiscard]] bench_column share_of_limit(std::string title);

class bench_session {
 public:
  bench::run result;

  /// The files are opened before anything is measured, so that a name that cannot be written costs
  /// no minutes. Empty names are no files; 0 threads are as many as there are.
  bench_session(std::string const& json, std::string const& html, bool force, int threads);

  /// Whether standard output shows the table, and not a file.
  [[nodiscard]] bool shows_table() const;
  /// `unit` stands behind the titles of the tables.
  void set_columns(std::vector<bench_column> columns, std::string unit = {});
  /// Says what is measured next, on a terminal.
  void announce(std::string const& text) const;
  /// Keeps a cell and prints its row.
  void add(bench::cell const& c);
  /// Writes the files and says what the table does not show. 1 when a result of Upsweep was wrong.
  int finish();

 private:
  void print_head(bench::work const& w);
  void print_row(bench::cell const& c) const;
  [[nodiscard]] std::size_t width(bench_column const& c) const;

  std::optional<io::output_file> json_, html_;
  bool terminal_;
  std::vector<bench_column> columns_;
  std::string unit_;
};

}  // namespace upsweep::cli
