/// The grades of a class as a table, as CSV and as a page.
#include <lab/grading/class.hpp>

#include <text/markup.hpp>
#include <text/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::grading {

namespace {

using text::escaped;

using json = nlohmann::ordered_json;

/// The exercises of all students, by name.
std::vector<std::string> exercises_of(json const& graded) {
  std::vector<std::string> names;
  for (auto const& s : graded["students"])
    for (auto const& e : s["exercises"]) names.push_back(e["name"].get<std::string>());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// The student's best submission of that exercise, or null.
json const* best_of(json const& student, std::string const& exercise) {
  json const* best = nullptr;
  for (auto const& e : student["exercises"])
    if (e["name"] == exercise && (best == nullptr || e["points"] > (*best)["points"])) best = &e;
  return best;
}

std::string points_text(json const& e) {
  std::string const state = e["state"];
  bool const ran = state == "passed" || state == "failed";
  return ran ? fmt::format("{}/{}", e["points"].get<int>(), e["of"].get<int>()) : state;
}

/// The first failed check, or null.
json const* failure_of(json const& e) {
  for (auto const& c : e["checks"])
    if (!c["passed"].get<bool>()) return &c;
  return nullptr;
}

/// What went wrong, in one sentence.
std::string explanation_of(json const& e) {
  if (e.contains("error")) return e["error"];
  if (e.contains("compiler")) return e["compiler"];
  auto const* const failed = failure_of(e);
  return failed == nullptr ? std::string() : (*failed)["explanation"].get<std::string>();
}

/// A spreadsheet would compute a text that begins like a formula, and students choose the names.
std::string csv_field(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\r', ' ');
  if (text.find_first_of("=+-@\t") == 0) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
    text.insert(at, "\"");
  return '"' + text + '"';
}

/// Points, the checks and the first failure with its lines.
std::string section_of(json const& e) {
  std::string text =
      fmt::format("<details><summary><b>{}</b> {} <span class=\"{}\">{}</span></summary>\n",
                  escaped(e["name"].get<std::string>()), escaped(e["title"].get<std::string>()),
                  e["state"] == "passed" ? "full" : "part", escaped(points_text(e)));
  if (e["state"] == "passed" || e["state"] == "failed") {
    text += "<ul>\n";
    for (auto const& c : e["checks"])
      text += fmt::format("<li class=\"{}\">{}/{} {}</li>\n",
                          c["passed"].get<bool>() ? "full" : "none", c["points"].get<int>(),
                          c["of"].get<int>(), escaped(c["title"].get<std::string>()));
    text += "</ul>\n";
  }
  auto const* const failed = failure_of(e);
  bool const ran = e["state"] == "failed" && failed != nullptr;
  if (ran)
    text += fmt::format("<p>{}: <b>{}</b>: {}</p>\n", escaped((*failed)["run"].get<std::string>()),
                        escaped((*failed)["kind"].get<std::string>()),
                        escaped((*failed)["explanation"].get<std::string>()));
  else if (auto const why = explanation_of(e); !why.empty())
    text += fmt::format("<pre>{}</pre>\n", escaped(why));
  if (ran) {
    for (auto const& at : (*failed)["at"])
      text += fmt::format("<pre>{}:{}  {}</pre>\n", escaped(at["file"].get<std::string>()),
                          at["line"].get<int>(), escaped(at["text"].get<std::string>()));
    text += fmt::format("<p>{}</p>\n", escaped((*failed)["advice"].get<std::string>()));
  }
  return text + "</details>\n";
}

constexpr std::string_view head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Grades</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .3rem .7rem; text-align: left; white-space: nowrap; }
td { border-top: 1px solid #8884; }
.full { color: #188038; } .part { color: #b06000; } .none { color: #c5221f; }
@media (prefers-color-scheme: dark) {
  .full { color: #81c995; } .part { color: #fdd663; } .none { color: #f28b82; }
}
pre { overflow-x: auto; background: #8882; padding: .4rem .6rem; }
summary { cursor: pointer; }
</style></head><body>
)";

}  // namespace

std::string table_of_class(json const& graded) {
  auto const exercises = exercises_of(graded);
  std::vector<std::string> titles{"student"};
  titles.insert(titles.end(), exercises.begin(), exercises.end());
  titles.emplace_back("points");
  text::text_table table(titles);
  for (auto const& s : graded["students"]) {
    std::vector<std::string> row{s["name"].get<std::string>()};
    for (auto const& name : exercises) {
      auto const* const e = best_of(s, name);
      row.push_back(e == nullptr ? "-" : points_text(*e));
    }
    row.push_back(fmt::format("{}/{}", s["points"].get<int>(), s["of"].get<int>()));
    table.add(row);
  }
  return table.text();
}

std::string csv_of_class(json const& graded) {
  std::string text = "student,exercise,state,points,of,seconds,kind,line,explanation\n";
  for (auto const& s : graded["students"])
    for (auto const& e : s["exercises"]) {
      auto const* const failed = failure_of(e);
      bool const ran = e["state"] == "failed" && failed != nullptr;
      auto const at = ran ? (*failed)["at"] : json::array();
      text += fmt::format("{},{},{},{},{},{:.1f},{},{},{}\n", csv_field(s["name"]),
                          csv_field(e["name"]), e["state"].get<std::string>(),
                          e["points"].get<int>(), e["of"].get<int>(), e["seconds"].get<double>(),
                          ran ? (*failed)["kind"].get<std::string>() : "",
                          at.empty() ? "" : fmt::format("{}", at[0]["line"].get<int>()),
                          csv_field(explanation_of(e)));
    }
  return text;
}

std::string page_of_class(json const& graded) {
  auto const exercises = exercises_of(graded);
  std::string text(head);
  text += fmt::format("<h1>Grades</h1>\n<p>Seed {}.</p>\n<div class=\"scroll\"><table>\n<tr>",
                      graded["seed"].get<std::uint64_t>());
  text += "<th>student</th>";
  for (auto const& name : exercises) text += fmt::format("<th>{}</th>", escaped(name));
  text += "<th>points</th></tr>\n";
  std::string sections;
  std::size_t number = 0;
  for (auto const& s : graded["students"]) {
    std::string const name = escaped(s["name"].get<std::string>());
    text += fmt::format("<tr><td><a href=\"#s{}\">{}</a></td>", number, name);
    for (auto const& exercise : exercises) {
      auto const* const e = best_of(s, exercise);
      text += e == nullptr ? "<td>-</td>"
                           : fmt::format("<td class=\"{}\">{}</td>",
                                         (*e)["state"] == "passed"       ? "full"
                                         : (*e)["points"].get<int>() > 0 ? "part"
                                                                         : "none",
                                         escaped(points_text(*e)));
    }
    text += fmt::format("<td>{}/{}</td></tr>\n", s["points"].get<int>(), s["of"].get<int>());
    sections += fmt::format("<h2 id=\"s{}\">{}</h2>\n", number++, name);
    for (auto const& e : s["exercises"]) sections += section_of(e);
  }
  return text + "</table></div>\n" + sections + "</body></html>\n";
}

}  // namespace upsweep::lab::grading
