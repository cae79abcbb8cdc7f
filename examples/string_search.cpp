/// All leap days in a file of dates, and where two versions of the file differ first.
#include <upsweep/apps/string_search.hpp>
#include "text_file.hpp"

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

int main(int count, char** arguments) try {
  std::string const text =
      text_of_file(count > 1 ? arguments[1] : "examples/data/clemson_daily.csv");

  auto const leap_days = upsweep::apps::find_all(text, "-02-29,");
  if (leap_days.size() < 4 || leap_days[0] < 4)
    throw std::runtime_error("the file must have four leap days or more, such as 1972-02-29,");
  std::printf("%zu leap days, the first in %s, the last in %s\n", leap_days.size(),
              text.substr(leap_days.front() - 4, 4).c_str(),
              text.substr(leap_days.back() - 4, 4).c_str());

  std::string corrected = text;
  corrected.at(leap_days[3] + 16) = '9';
  std::size_t const at = upsweep::apps::first_mismatch(text, corrected);
  bool const less = upsweep::apps::compare_three_way(text, corrected) < 0;
  std::printf("'%s' and '%s' differ first at byte %zu; the original is %s\n",
              text.substr(at - 3, 4).c_str(), corrected.substr(at - 3, 4).c_str(), at,
              less ? "less" : "greater");
} catch (std::exception const& e) {
  std::fprintf(stderr, "string_search: %s\n", e.what());
  return 1;
}
