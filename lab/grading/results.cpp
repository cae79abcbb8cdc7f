/// Parses the output of the harness, and adds the counters that are sums of others.
#include <lab/grading/results.hpp>

#include <lab/grading/harness/harness.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace upsweep::lab::grading {

namespace {

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; at <= line.size();) {
    std::size_t const end = std::min(line.find('\t', at), line.size());
    fields.emplace_back(line.substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

std::uint64_t number(std::string const& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Parses one complete line. A kernel can write anything into this file, so the content is not
/// trusted.
void take(std::vector<std::string> const& field, run_result& r) {
  auto const at = [&](std::size_t i) { return i < field.size() ? field[i] : std::string(); };
  auto const line = [&](std::size_t i) { return static_cast<unsigned>(number(at(i))); };
  if (field[0] == "finding")
    r.findings.push_back({at(1), at(6), {at(2), line(3)}, {at(4), line(5)}});
  else if (field[0] == "failure")
    r.failure_kind = at(1), r.failure = at(2);
  else if (field[0] == "exception")
    r.exception = at(1);
  else if (field[0] == "law")
    r.broken_laws.push_back(at(1));
  else if (field[0] == "counter")
    r.counters[at(1)] = number(at(2));
}

void add_sums(run_result& r) {
  r.counters["global_accesses"] = r.counters["global_loads"] + r.counters["global_stores"];
  r.counters["global_bytes"] = 32 * (r.counters["sectors_loaded"] + r.counters["sectors_stored"]);
  r.counters["shared_accesses"] = r.counters["shared_loads"] + r.counters["shared_stores"];
}

}  // namespace

std::vector<run_result> parse_results(std::string_view text) {
  std::vector<run_result> all;
  run_result now;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    auto const field = fields_of(text.substr(at, end - at));
    at = end + 1;
    if (field[0] == "values") {
      std::size_t const bytes = field.size() > 1 ? number(field[1]) : 0;
      if (bytes > text.size() - at) break;
      now.values.resize(bytes);
      if (bytes > 0) std::memcpy(now.values.data(), text.data() + at, bytes);
      now.has_values = true;
      at += bytes;
    } else if (field[0] == "done") {
      add_sums(now);
      all.push_back(std::move(now));
      now = {};
    } else {
      take(field, now);
    }
  }
  return all;
}

std::vector<std::string> const& counter_names() {
  static std::vector<std::string> const names = [] {
    std::vector<std::string> all{"launches", "global_accesses", "global_bytes", "shared_accesses"};
    for (auto const& c : upsweep::grading::counters) all.emplace_back(c.name);
    return all;
  }();
  return names;
}

}  // namespace upsweep::lab::grading
