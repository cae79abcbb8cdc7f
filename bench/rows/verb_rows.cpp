/// The list of rows.
#include <bench/rows/verb_rows.hpp>

#include <algorithm>
#include <utility>

namespace upsweep::bench {
namespace {

using enum verb_data;

void add_selections(std::vector<verb_row>& rows) {
  for (char const* type : {"f32", "u32", "f64"}) {
    for (auto const& [what, share] :
         {std::pair{"1 % kept", 0.01}, std::pair{"50 % kept", 0.5}, std::pair{"99 % kept", 0.99}})
      rows.push_back({"select", "", type, what, numbers, share});
    rows.push_back({"partition", "", type, "half and half", numbers, 0.5});
    rows.push_back({"unique", "", type, "50 % kept", runs, 0.5});
    rows.push_back({"runs", "", type, "50 % begin a run", runs, 0.5});
  }
  rows.push_back({"select", "flags", "f32", "50 % kept", numbers, 0.5});
  rows.push_back({"partition", "three", "f32", "a third each", numbers, 1.0 / 3});
  rows.push_back({"select_positions", "", "f32", "50 % kept", numbers, 0.5});
  rows.push_back({"run_starts", "", "u32", "50 % begin a run", runs, 0.5});
}

void add_histograms(std::vector<verb_row>& rows) {
  for (char const* type : {"u8", "f32", "u32"}) {
    rows.push_back({"histogram", "even", type, "256 bins", bins, 256});
    rows.push_back({"histogram", "even", type, "256 bins, all in one", equal, 256});
  }
  rows.push_back({"histogram", "even", "f32", "2^16 bins", bins, 65'536});
  rows.push_back({"histogram", "given", "f32", "256 bins", bins, 256});
  rows.push_back({"weighted_histogram", "sum", "f32", "256 bins", bins, 256});
  rows.push_back({"count_indices", "", "u8", "256 counts", bins, 256});
  rows.push_back({"count_indices", "", "u8", "256 counts, all equal", equal, 256});
  rows.push_back({"count_indices", "", "u32", "2^16 counts", bins, 65'536});
}

struct length {
  char const* name;
  double number;
};
constexpr length run_lengths[] = {{"1", 1}, {"10", 10}, {"1000", 1e3}, {"10^6", 1e6}};
constexpr length segment_lengths[] = {{"1", 1}, {"10", 10}, {"100", 100}, {"10^6", 1e6}};

void add_parts(std::vector<verb_row>& rows) {
  for (char const* verb : {"reduce_runs", "scan_runs"}) {
    for (char const* type : {"f32", "f64"})
      for (auto const& l : run_lengths)
        rows.push_back({verb, "sum", type, std::string("runs of ") + l.name, runs, l.number});
    rows.push_back({verb, "user", "f32", "runs of 10", runs, 10});
  }
  for (char const* verb : {"reduce_segments", "scan_segments"}) {
    for (char const* type : {"f32", "f64"})
      for (auto const& l : segment_lengths)
        rows.push_back({verb, "sum", type, std::string("average ") + l.name, segments, l.number});
    rows.push_back({verb, "sum", "f32", "power law", power_law, 5});
    if (verb == std::string("reduce_segments"))
      rows.push_back({verb, "sum", "f32", "all empty, a segment", empty, 0});
    rows.push_back({verb, "user", "f32", "average 10", segments, 10});
  }
}

void add_windows(std::vector<verb_row>& rows) {
  for (char const* op : {"sum", "max"})
    for (auto const& l : {length{"3", 3}, {"100", 100}, {"10^4", 1e4}, {"10^5", 1e5}})
      rows.push_back({"windowed", op, "f32", std::string(l.name) + " wide", windows, l.number});
  rows.push_back({"windowed", "user", "f32", "100 wide", windows, 100});
}

void add_others(std::vector<verb_row>& rows) {
  for (char const* type : {"u32", "f32", "u64"}) rows.push_back({"sort", "", type, "", numbers, 0});
  rows.push_back({"sort_by_key", "", "u32", "with u32", numbers, 0});
  rows.push_back({"sort_by_order", "", "pair", "of u32", numbers, 0});
  rows.push_back({"argsort", "", "f32", "", numbers, 0});
  rows.push_back({"quantile", "", "f32", "0.5", numbers, 0});
  rows.push_back({"top", "", "f32", "100", numbers, 0});
  rows.push_back({"recurrence", "", "f32", "of order 2", windows, 1});
  rows.push_back({"recurrence", "", "f64", "of order 2", windows, 1});
  rows.push_back({"recurrence", "initial", "f32", "of order 2, continued", windows, 1});
  rows.push_back({"polynomial", "", "f32", "", windows, 1});
  rows.push_back({"pad", "", "f32", "rows of 1000 to 1024", windows, 1024});
  rows.push_back({"unpad", "", "f32", "rows of 1024 to 1000", windows, 1024});
  rows.push_back({"csv", "", "u8", "fields of 6 bytes, some in quotes", text, 0});
}

}  // namespace

std::string verb_row::key() const {
  return verb + (op.empty() ? "" : ' ' + op) + ' ' + type;
}
std::string verb_row::title() const {
  return what.empty() ? key() : key() + ", " + what;
}
bool verb_row::takes(std::size_t n) const {
  bool const has_parts = data == runs || data == segments || data == windows;
  return n > 0 && (!has_parts || number <= static_cast<double>(n));
}

std::vector<verb_row> verb_rows() {
  std::vector<verb_row> rows;
  add_selections(rows);
  add_histograms(rows);
  add_parts(rows);
  add_windows(rows);
  add_others(rows);
  return rows;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (auto const& row : verb_rows())
    if (std::ranges::find(names, row.verb) == names.end()) names.push_back(row.verb);
  return names;
}

}  // namespace upsweep::bench
