/// Combinations of verbs, operators and types, and the error for those that are not measured.
#include <cli/bench/rows.hpp>

#include <bench/rows/catalog.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace upsweep::cli {

namespace {

constexpr char const* every = "every";

bool contains(std::vector<std::string> const& list, std::string const& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// The types over which the CPU's benchmark has the operation.
std::vector<bench::element> types_of(bench::operation op) {
  std::vector<bench::element> types;
  for (auto const type : bench::all_elements)
    for (auto const v : {bench::verb::reduce, bench::verb::inclusive_scan})
      if ((types.empty() || types.back() != type) && type != bench::element::complex_f32 &&
          type != bench::element::struct16 && bench::work_for_processor({v, op, type}))
        types.push_back(type);
  return types;
}

std::vector<bench::operation> operations_of(bench_choice const& c) {
  if (c.op.empty()) return {bench::operation::sum};
  std::vector<bench::operation> all;
  if (contains(c.op, every))
    for (auto const& entry : catalog::operators)
      if (entry.takes != catalog::operand_kind::text) all.push_back(bench::operation_of(entry.id));
  for (auto const& name : c.op)
    if (name != every) all.push_back(bench::operation_named(name));
  return all;
}

std::vector<bench::element> types_for(bench_choice const& c, bench::operation op) {
  auto const known = types_of(op);
  if (contains(c.type, every)) return known;
  if (c.type.empty()) {
    bool const has_f32 = std::find(known.begin(), known.end(), bench::element::f32) != known.end();
    return {has_f32 || known.empty() ? bench::element::f32 : bench::element::i32};
  }
  std::vector<bench::element> types;
  for (auto const& name : c.type) types.push_back(bench::element_named(name));
  return types;
}

[[noreturn]] void refuse(bench_choice const& c) {
  auto const op = operations_of(c).front();
  std::vector<std::string> names;
  for (auto const type : types_of(op)) names.push_back(name_of(type));
  if (c.type.size() == 1 && !contains(names, c.type[0]) && !names.empty())
    throw io::usage_error("bench: on the CPU '{}' is measured over {}, not {}", name_of(op),
                          fmt::join(names, ", "), c.type[0]);
  throw io::usage_error(
      "bench: this combination of verb, operation and type is not measured ({} {} of {}{}); "
      "`upsweep bench --help` says which are",
      c.what, name_of(op), name_of(types_for(c, op).front()), c.in_place ? ", in place" : "");
}

std::vector<bench::row> filtered_table(bench_choice const& c) {
  if (c.has_every())
    throw io::usage_error(
        "bench: 'all' is the table of docs/generated/performance.md; to measure every operator, "
        "omit 'all'");
  auto is_asked = [](std::vector<std::string> const& names, std::string const& name) {
    return names.empty() || contains(names, name);
  };
  auto rows = bench::whole_table(c.quick);
  std::erase_if(rows, [&](auto const& r) {
    return !is_asked(c.op, name_of(r.work.op)) || !is_asked(c.type, name_of(r.work.type));
  });
  if (!c.sizes.empty())
    for (auto& r : rows) r.sizes = c.sizes_or("");
  return rows;
}

}  // namespace

bool bench_choice::has_every() const {
  return contains(op, every) || contains(type, every);
}

std::vector<std::size_t> bench_choice::sizes_or(char const* otherwise) const {
  return bench::sizes_from(!sizes.empty() ? sizes : otherwise);
}

std::vector<std::string> operation_choices() {
  std::vector<std::string> names{every, "user", "user_in_large_file", "squares"};
  for (auto const op : operations_of({.op = {every}})) names.push_back(name_of(op));
  return names;
}

std::vector<std::string> type_choices() {
  std::vector<std::string> names{every};
  for (auto const type : bench::all_elements)
    if (type != bench::element::complex_f32 && type != bench::element::struct16)
      names.push_back(name_of(type));
  return names;
}

std::vector<bench::work> works_of(bench_choice const& c) {
  std::vector<bench::verb> verbs;
  if (c.what != "scan") verbs.push_back(bench::verb::reduce);
  if (c.what != "reduce") verbs.push_back(bench::verb::inclusive_scan);
  std::vector<bench::work> all;
  for (auto const v : verbs)
    for (auto const op : operations_of(c))
      for (auto const type : types_for(c, op))
        all.push_back({v, op, type, v != bench::verb::reduce && c.in_place});
  return all;
}

std::vector<bench::row> rows_on_processor(bench_choice const& c) {
  std::vector<bench::row> rows;
  if (c.what == "all") {
    rows = filtered_table(c);
  } else {
    auto const sizes = c.sizes_or(c.has_every() ? "14,22" : c.quick ? "10..26:8" : "10..26:2");
    for (auto const& w : works_of(c))
      if (auto const measured = bench::work_for_processor(w)) rows.push_back({*measured, sizes});
  }
  if (rows.empty()) refuse(c);
  return rows;
}

}  // namespace upsweep::cli
