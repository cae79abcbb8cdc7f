/// Output of `upsweep bench` on any device: the table while it runs, and the files at the end.
#pragma once

#include <bench/contestants/competitors.hpp>
#include <bench/harness/report.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <io/output_file.hpp>

namespace upsweep::cli {

/// A column of the table, after the column n that every table has.
struct bench_column {
  std::string title;
  std::function<std::string(bench::cell const&)> text;  ///< "-" for what was not measured
};

/// The time of the competitor `name`, in milliseconds.
[[nodiscard]] bench_column milliseconds_of(std::string title, std::string const& name);
/// The speed of the competitor `name`, in GB/s; "limit" is the tightest limit.
[[nodiscard]] bench_column gigabytes_of(std::string title, std::string const& name);
/// The speed-up of Upsweep over the competitor `name`; "" is the best peer.
[[nodiscard]] bench_column speed_up_over(std::string title, std::string const& name);
/// Upsweep's speed as a percentage of the tightest limit.
[[nodiscard]] bench_column share_of_limit(std::string title);

/// Adds the limits, Upsweep and the peers with these names, and the peers that are not available.
/// Throws unavailable_error if one of these was given by name; `all` takes the available ones.
void choose_competitors(bench::benchmark of, std::vector<std::string> const& peers, bench::team& t,
                        bench::run& to);

class bench_session {
 public:
  bench::run result;

  /// Opens the files before anything is measured, so that an error does not come after minutes of
  /// work. An empty name means no file; 0 threads means all. If there is a file, the first SIGINT
  /// or SIGTERM ends only the measurement.
  bench_session(std::string const& json, std::string const& html, bool force, int threads);

  /// True if the table goes to standard output; false if a file does.
  [[nodiscard]] bool shows_table() const;
  /// `unit` is appended to the titles of the tables.
  void set_columns(std::vector<bench_column> columns, std::string unit = {});
  /// One table with a row for each cell, instead of one for each work.
  void set_list(bool is_list) { is_list_ = is_list; }
  /// On a terminal, shows what is being measured. False after an interruption: nothing more shall
  /// be measured.
  bool announce(std::string const& text) const;
  /// Adds a cell to the report and prints its row.
  void add(bench::cell const& c);
  /// Adds a comparison of numbers of threads to the report and prints it.
  void add_by_threads(bench::cell const& c);
  /// Writes the files and the warnings. Returns 1 if a result of Upsweep was wrong. Ends the
  /// process by the signal if there was an interruption.
  int finish();

 private:
  void print_head(bench::work const& w);
  void print_row(bench::cell const& c) const;
  [[nodiscard]] std::size_t width(bench_column const& c) const;

  std::optional<io::output_file> json_, html_;
  std::vector<bench_column> columns_;
  std::string unit_;
  bool is_list_ = false;
};

}  // namespace upsweep::cli
