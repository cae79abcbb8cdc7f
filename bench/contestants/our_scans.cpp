/// Recurrences, polynomials, and the tokenizer of comma-separated values.
#include <bench/contestants/our_calls.hpp>
#include <bench/contestants/ours.hpp>
#include <upsweep/apps/csv_fields.hpp>

#include <string_view>
#include <vector>

namespace upsweep::bench {
namespace {

/// The table of the last call stays, because its arrays are the results.
void run_csv(call& c) {
  static apps::csv_table table;
  table = apps::csv_fields(std::string_view(static_cast<char const*>(c.in), c.n), on<cpu>(c));
  c.out = table.ends.data();
  c.count = table.ends.size();
}

}  // namespace

verb_entries our_scans() {
  static std::vector<verb_entry> const all = [] {
    std::vector<verb_entry> entries(std::begin(scans<cpu>), std::end(scans<cpu>));
    entries.push_back({"csv u8", run_csv});
    return entries;
  }();
  return all;
}

}  // namespace upsweep::bench
