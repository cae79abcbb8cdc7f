/// Assembles page, chart library, drawing script and report.
#include <bench/page/figure.hpp>

#include <chart_text.hpp>
#include <page_text.hpp>
#include <script_text.hpp>
#include <span>
#include <string_view>

namespace upsweep::bench {
namespace {

void append(std::string& page, std::span<std::string_view const> pieces) {
  for (auto const piece : pieces) page += piece;
}

/// Escapes '<', because "</script" in the JSON would end the script element.
std::string safe_in_script(std::string const& json) {
  std::string safe;
  safe.reserve(json.size());
  for (char const c : json) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

/// Replaces the first occurrence of `mark`. The report is inserted last because it may contain
/// marks.
void put(std::string& page, std::string_view mark, std::string const& text) {
  page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

std::string figure(std::string const& report) {
  std::string page, chart, script;
  append(page, page_text);
  append(chart, chart_text);
  append(script, script_text);
  put(page, "/*{chart.js}*/", chart);
  put(page, "/*{figure.js}*/", script);
  put(page, "{report}", safe_in_script(report));
  return page;
}

}  // namespace upsweep::bench
