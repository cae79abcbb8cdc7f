/// `upsweep list`: operators, element types, the textbook's reductions and scans, and exercises.
#include <cli/engine/operators.hpp>
#include <cli/registry.hpp>
#include <io/error.hpp>
#include <upsweep/ops/catalog.hpp>
#include <upsweep/textbook/catalog.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep::cli {

namespace {

std::string_view values_of(catalog::operand_kind takes) {
  switch (takes) {
    case catalog::operand_kind::numbers:
      return "numbers";
    case catalog::operand_kind::integers:
      return "integers";
    case catalog::operand_kind::maps:
    case catalog::operand_kind::pairs:
      return "2 columns";
    case catalog::operand_kind::matrices:
      return "4 columns";
    case catalog::operand_kind::text:
      return "text";
  }
  return "";
}

std::string spelling(operator_row const& entry) {
  auto const parameter = entry.parameter.name;
  if (parameter.empty()) return std::string(entry.name);
  if (entry.parameter.is_optional()) return fmt::format("{}[:{}", entry.name, parameter.substr(1));
  return fmt::format("{}:{}", entry.name, parameter);
}

nlohmann::ordered_json operators_json() {
  auto all = nlohmann::ordered_json::array();
  for (auto const& entry : operators()) {
    nlohmann::ordered_json object{{"name", entry.name},
                                  {"usage", spelling(entry)},
                                  {"takes", values_of(entry.takes)},
                                  {"meaning", entry.meaning}};
    if (!entry.parameter.name.empty())
      object["parameter"] = {{"needed", entry.parameter.needed},
                             {"example", entry.parameter.example}};
    if (auto const* const found = catalog::find(entry.name)) {
      object["example"] = {{"values", found->example}, {"result", found->result}};
      object["identity"] = found->identity;
      object["accumulator"] = found->accumulator;
      object["commutative"] = found->commutative;
      object["exact"] = found->exact == catalog::exactness::always          ? "always"
                        : found->exact == catalog::exactness::integers_only ? "integers"
                                                                            : "never";
    }
    all.push_back(std::move(object));
  }
  return all;
}

nlohmann::ordered_json types_json() {
  auto all = nlohmann::ordered_json::array();
  for (io::dtype const type : io::all_dtypes)
    all.push_back(
        {{"name", name_of(type)}, {"bytes", size_of(type)}, {"sum", name_of(compute_type(type))}});
  return all;
}

void print_operators() {
  for (auto const& entry : operators()) {
    fmt::print("{:<18} {:<12} {}", spelling(entry), values_of(entry.takes), entry.meaning);
    if (auto const* const found = catalog::find(entry.name))
      fmt::print(" Of {}: {}.", found->example, found->result);
    fmt::print("\n");
  }
}

void print_types() {
  for (io::dtype const type : io::all_dtypes)
    fmt::print("{:<18} {:<12} {}\n", name_of(type),
               fmt::format("{} byte{}", size_of(type), size_of(type) == 1 ? "" : "s"),
               fmt::format("sums in {}", name_of(compute_type(type))));
}

std::string_view reach_of(textbook::scope where) {
  return where == textbook::scope::warp    ? "warp"
         : where == textbook::scope::block ? "block"
                                           : "array";
}

nlohmann::ordered_json algorithms_json(textbook::kind what) {
  auto all = nlohmann::ordered_json::array();
  for (auto const& row : textbook::algorithms)
    if (row.what == what)
      all.push_back({{"stem", row.stem},
                     {"reach", reach_of(row.where)},
                     {"sentence", row.sentence},
                     {"applications", row.applications},
                     {"steps", row.steps},
                     {"traffic", row.traffic},
                     {"source", row.source},
                     {"improves_on", row.improves_on},
                     {"improved_by", row.improved_by},
                     {"keeps_order", row.keeps_order},
                     {"inclusive", row.inclusive},
                     {"exclusive", row.exclusive}});
  return all;
}

void print_algorithms(textbook::kind what) {
  for (auto const& row : textbook::algorithms)
    if (row.what == what)
      fmt::print("{:<20} {:<6} {}\n", row.stem, reach_of(row.where), row.sentence);
}

struct list_flags {
  std::string what;
  bool json = false;
  registry const* tool = nullptr;
};

void run(list_flags const& flags) {
  if (flags.what == "exercises") {
    if (flags.tool->print_exercises == nullptr)
      throw io::unavailable_error("list exercises: this tool was built without the laboratory");
    return flags.tool->print_exercises(flags.json);
  }
  if (flags.what == "reduce" || flags.what == "scan") {
    auto const what = flags.what == "scan" ? textbook::kind::scan : textbook::kind::reduce;
    if (flags.json)
      fmt::print("{}\n", algorithms_json(what).dump());
    else
      print_algorithms(what);
    return;
  }
  bool const ops = flags.what != "types", types = flags.what != "operators";
  if (flags.json) {
    nlohmann::ordered_json object;
    if (ops) object["operators"] = operators_json();
    if (types) object["types"] = types_json();
    fmt::print("{}\n", object.dump());
    return;
  }
  if (ops) print_operators();
  if (ops && types) fmt::print("\n");
  if (types) print_types();
}

}  // namespace

void add_list_command(registry& tool) {
  auto const [add, flags] = add_command<list_flags>(tool, "list");
  flags.tool = &tool;
  add("WHAT", flags.what,
      "operators or types (default: both); reduce or scan: the textbook's kernels; exercises: "
      "those of upsweep grade",
      one_of({"operators", "types", "reduce", "scan", "exercises"}));
  add("--json", flags.json, "Write JSON");
}

}  // namespace upsweep::cli
