/// The fields of a CSV file: how many records it has, and the column of a name.
#include <upsweep/apps/csv_fields.hpp>
#include "text_file.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

int main(int count, char** arguments) try {
  std::string const text =
      text_of_file(count > 1 ? arguments[1] : "examples/data/clemson_daily.csv");

  auto const table = upsweep::apps::csv_fields(text);
  std::printf("%zu bytes, %zu records, %zu fields\n", text.size(), table.size(), table.ends.size());
  if (count > 2) {  // one field a line, for tests
    for (std::size_t r = 0; r < table.size(); ++r)
      for (std::size_t k = table.records[r]; k < table.records[r + 1]; ++k)
        std::printf("%zu %s\n", r, table.value(k).c_str());
    return 0;
  }
  std::size_t const row = std::min<std::size_t>(2, table.size() - 1), begin = table.records[row],
                    columns = std::min(table.records[1], table.records[row + 1] - begin);
  for (std::size_t k = 0; k < columns; ++k)
    std::printf("%s = %s\n", table.value(k).c_str(), table.value(begin + k).c_str());
} catch (std::exception const& e) {
  std::fprintf(stderr, "csv_fields: %s\n", e.what());
  return 1;
}
