/// Builds the object from the rows of results.
#include <cli/aggregation/results_object.hpp>

#include <cli/output/results.hpp>
#include <io/records.hpp>
#include <upsweep/core/version.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <utility>

namespace upsweep::cli {

void write_results_object(output_flags const& flags, results_source const& of,
                          aggregation const& from) {
  nlohmann::ordered_json object{{"upsweep", version},
                                {"tree", tree_version},
                                {"mode", of.mode},
                                {"input", of.input},
                                {"format", name_of(of.format)},
                                {"rows", of.rows},
                                {"skipped", of.skipped},
                                {"results", nlohmann::ordered_json::array()}};
  auto const rows = from.rows();
  auto const origins = from.origins();
  auto order = from.order(0);
  for (std::size_t r = order.size(); r < origins.size(); ++r) order.push_back(r);
  for (std::size_t r = 0; r < origins.size(); ++r) {
    nlohmann::ordered_json entry{{"op", origins[r].op}, {"column", origins[r].column}};
    if (order[r] < rows.keys.size()) {
      entry["dtype"] = "text";
      io::expect_json_text(rows.keys[order[r]][0]);
      entry["value"] = std::string(rows.keys[order[r]][0]);
    } else {
      auto const& values = rows.columns[order[r] - rows.keys.size()];
      entry["dtype"] = name_of(values.type);
      entry["value"] = json_of(values, 0);
    }
    if (of.says_missing) entry["missing"] = origins[r].missing;
    object["results"].push_back(std::move(entry));
  }
  json_lines out(flags);
  out.append(object);
  out.commit();
}

}  // namespace upsweep::cli
