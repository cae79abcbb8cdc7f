/// The fields of a CSV file: how many records it has, and the column that a name stands for.
#include <upsweep/apps/csv_fields.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

int main(int count, char** arguments) {
  std::ifstream file(count > 1 ? arguments[1] : "examples/data/clemson_daily.csv");
  std::string const text(std::istreambuf_iterator<char>(file), {});

  auto const table = upsweep::apps::csv_fields(text);
  std::printf("%zu bytes, %zu records, %zu fields\n", text.size(), table.size(), table.ends.size());
  if (count > 2) {  // one field a line, for tests
    for (std::size_t r = 0; r < table.size(); ++r)
      for (std::size_t k = table.records[r]; k < table.records[r + 1]; ++k)
        std::printf("%zu %s\n", r, table.value(k).c_str());
    return 0;
  }
  std::size_t const row = 2;
  for (std::size_t k = table.records[row]; k < table.records[row + 1]; ++k)
    std::printf("%s = %s\n", table.value(k - table.records[row]).c_str(), table.value(k).c_str());
}
