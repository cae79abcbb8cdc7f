/// Writes grades as text, JSON and XML.
#include <lab/grading/grade.hpp>

#include <io/small_file.hpp>
#include <text/markup.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::lab::grading {

namespace {

using text::escaped;

using json = nlohmann::ordered_json;

std::string short_name(sim::source_position const& p) {
  return p.file.substr(p.file.find_last_of('/') + 1);
}

/// "tile[t] = ..."; empty if the line cannot be read.
std::string source_line(sim::source_position const& p) {
  std::istringstream lines(io::small_file(p.file).value_or(""));
  std::string line;
  for (unsigned i = 0; i < p.line; ++i)
    if (!std::getline(lines, line)) return {};
  auto const first = line.find_first_not_of(" \t");
  return first == std::string::npos ? "" : line.substr(first);
}

std::string source_lines(verdict const& v) {
  std::string text;
  for (auto const& p : v.places) {
    if (p.line == 0) continue;
    std::string const line = fmt::format("    {}:{}  {}\n", short_name(p), p.line, source_line(p));
    if (text.find(line) == std::string::npos) text += line;
  }
  return text;
}

/// The run, the kind of failure, the sentence, the lines and the advice.
std::string explanation(verdict const& v) {
  std::string text = fmt::format("  {}: {}: {}\n", v.run, v.kind, v.sentence);
  text += source_lines(v);
  if (!v.advice.empty()) text += "  " + v.advice + '\n';
  return text;
}

json json_of(sim::source_position const& p) {
  return {{"file", short_name(p)}, {"line", p.line}, {"text", source_line(p)}};
}

json json_of(check_grade const& c) {
  json object{
      {"title", c.title}, {"points", c.points}, {"of", c.of}, {"passed", c.failure.passed()}};
  if (c.failure.passed()) return object;
  object["kind"] = c.failure.kind;
  object["run"] = c.failure.run;
  object["explanation"] = c.failure.sentence;
  object["advice"] = c.failure.advice;
  object["at"] = json::array();
  for (auto const& p : c.failure.places)
    if (p.line != 0) object["at"].push_back(json_of(p));
  return object;
}

std::string_view state_of(grade const& g) {
  return !g.compiled.is_allowed ? "not allowed"
         : !g.compiled.good()   ? "does not compile"
         : g.passed()           ? "passed"
                                : "failed";
}

/// XML allows neither control characters nor bytes that are not UTF-8; a compiler's message may
/// contain both.
std::string xml(std::string_view text) {
  std::string out;
  for (char const c : escaped(text)) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t')
      out += fmt::format("&#{};", static_cast<int>(byte));
    else if (byte < 0x20 || byte >= 0x7f)
      out += '?';
    else
      out += c;
  }
  return out;
}

std::string junit_case(std::string const& exercise, std::string const& name,
                       std::string const& failure_tag, std::string const& kind,
                       std::string const& message, std::string const& body) {
  std::string text = fmt::format("    <testcase classname=\"upsweep.grade.{}\" name=\"{}\"",
                                 xml(exercise), xml(name));
  if (failure_tag.empty()) return text + "/>\n";
  return text +
         fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n",
                     failure_tag, xml(kind), xml(message), xml(body));
}

}  // namespace

std::string text_of(grade const& g) {
  std::string text = fmt::format("{}: {}\n", g.what.task.name, g.what.task.title);
  if (!g.compiled.good()) {
    text += fmt::format("  {}:\n", state_of(g));
    std::size_t at = 0;
    for (std::size_t end; (end = g.compiled.error.find('\n', at)) != std::string::npos;
         at = end + 1)
      text += "    " + g.compiled.error.substr(at, end - at) + '\n';
    return text + fmt::format("  0 of {} points\n", g.of());
  }
  for (auto const& c : g.checks)
    text += fmt::format("  {:>2}/{:<2} {} {}\n", c.points, c.of,
                        c.failure.passed() ? "right" : "WRONG", c.title);
  text += fmt::format("  {} of {} points\n", g.points(), g.of());
  if (auto const* const failed = g.failure()) text += '\n' + explanation(failed->failure);
  return text;
}

json json_of(std::vector<grade> const& all) {
  json object{{"exercises", json::array()}};
  int points = 0, of = 0;
  bool passed = true;
  for (auto const& g : all) {
    json one{{"name", g.what.task.name}, {"title", g.what.task.title}, {"file", g.what.file},
             {"state", state_of(g)},     {"points", g.points()},       {"of", g.of()},
             {"seconds", g.seconds}};
    if (!g.compiled.good()) one["compiler"] = g.compiled.error;
    one["checks"] = json::array();
    for (auto const& c : g.checks) one["checks"].push_back(json_of(c));
    object["exercises"].push_back(std::move(one));
    points += g.points();
    of += g.of();
    passed = passed && g.passed();
  }
  object["points"] = points;
  object["of"] = of;
  object["passed"] = passed;
  return object;
}

std::string junit_of(std::vector<grade> const& all) {
  std::string suites;
  std::size_t tests = 0, failures = 0, errors = 0;
  for (auto const& g : all) {
    std::string const& name = g.what.task.name;
    std::string cases =
        junit_case(name, "compiles", g.compiled.good() ? "" : "error", std::string(state_of(g)),
                   "the file was not run", g.compiled.error);
    std::size_t failed = 0;
    for (auto const& c : g.checks) {
      bool const wrong = g.compiled.good() && !c.failure.passed();
      if (!g.compiled.good()) continue;  // nothing was tested
      cases += junit_case(name, c.title, wrong ? "failure" : "", c.failure.kind, c.failure.sentence,
                          wrong ? explanation(c.failure) : "");
      failed += wrong ? 1 : 0;
    }
    std::size_t const count = g.compiled.good() ? g.checks.size() + 1 : 1,
                      broken = g.compiled.good() ? 0 : 1;
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n",
        xml(name), count, failed, broken, g.seconds);
    suites += fmt::format(
        "    <properties>\n      <property name=\"points\" value=\"{}\"/>\n      <property "
        "name=\"of\" value=\"{}\"/>\n"
        "    </properties>\n",
        g.points(), g.of());
    suites += cases + "  </testsuite>\n";
    tests += count;
    failures += failed;
    errors += broken;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"upsweep grade\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\">\n{}</testsuites>\n",
      tests, failures, errors, suites);
}

}  // namespace upsweep::lab::grading
