/// Totals by a column of a real file that is not sorted by it: degree-days of each month.
#include <upsweep/apps/csv_fields.hpp>
#include <upsweep/apps/group_totals.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

int main(int count, char** arguments) {
  std::ifstream file(count > 1 ? arguments[1] : "examples/data/clemson_daily.csv");
  std::string const text(std::istreambuf_iterator<char>(file), {});

  auto const table = upsweep::apps::csv_fields(text);
  std::vector<std::string_view> months;  // "01" to "12"
  std::vector<double> heat;
  for (std::size_t r = 1; r < table.size(); ++r) {
    months.push_back(table.raw(table.records[r]).substr(5, 2));
    heat.push_back(std::atof(table.value(table.records[r] + 4).c_str()));  // degree_days
  }

  auto const groups = upsweep::apps::group_totals(months, heat);
  for (std::size_t g = 0; g < groups.size(); ++g)
    std::printf("month %s: %zu days, %.2f degree-days\n",
                std::string(months[groups.first[g]]).c_str(), groups.counts[g], groups.totals[g]);
}
