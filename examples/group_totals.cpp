/// Totals by a column of a real file that is not sorted by it: degree-days of each month.
#include <upsweep/apps/csv_fields.hpp>
#include <upsweep/apps/group_totals.hpp>
#include "text_file.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

int main(int count, char** arguments) try {
  std::string const text =
      text_of_file(count > 1 ? arguments[1] : "examples/data/clemson_daily.csv");

  auto const table = upsweep::apps::csv_fields(text);
  std::vector<std::string_view> months;  // "01" to "12"
  std::vector<double> heat;
  for (std::size_t r = 1; r < table.size(); ++r) {
    std::size_t const first = table.records[r];
    if (table.records[r + 1] - first < 5 || table.raw(first).size() < 7)
      throw std::runtime_error("record " + std::to_string(r + 1) +
                               " is not a date, such as 1971-01-31, and four fields more");
    months.push_back(table.raw(first).substr(5, 2));
    heat.push_back(std::atof(table.value(first + 4).c_str()));  // degree_days
  }

  auto const groups = upsweep::apps::group_totals(months, heat);
  for (std::size_t g = 0; g < groups.size(); ++g)
    std::printf("month %s: %zu days, %.2f degree-days\n",
                std::string(months[groups.first[g]]).c_str(), groups.counts[g], groups.totals[g]);
} catch (std::exception const& e) {
  std::fprintf(stderr, "group_totals: %s\n", e.what());
  return 1;
}
