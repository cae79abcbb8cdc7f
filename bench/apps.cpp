/// The applications beside what a user would pick instead, on one thread and on all: prints
/// docs/generated/performance_apps.md.
#include <bench/apps_rows.hpp>

#include <upsweep/apps/automaton.hpp>
#include <upsweep/apps/brackets.hpp>
#include <upsweep/apps/csv_fields.hpp>
#include <upsweep/apps/group_totals.hpp>
#include <upsweep/apps/json_tokens.hpp>
#include <upsweep/apps/quicksort.hpp>
#include <upsweep/apps/run_length_image.hpp>
#include <upsweep/apps/string_search.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace upsweep::bench {
namespace {

constexpr speed rate = speed::gigabytes_per_second;

std::string contents(char const* path) {
  std::ifstream file(std::string(UPSWEEP_SOURCE "/") + path, std::ios::binary);
  if (!file) std::fprintf(stderr, "apps_bench: cannot read %s\n", path);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::string repeated(std::string const& text, std::size_t size) {
  std::string all;
  while (all.size() < size) all += text;
  return all;
}

/// Three quarters of the fields of a real file in quotes, with separators in some.
std::string quoted(std::string const& plain) {
  std::string text;
  std::size_t fields = 0;
  for (std::size_t i = 0; i < plain.size();) {
    std::size_t const end = plain.find_first_of(",\n", i);
    std::string const field = plain.substr(i, end - i);
    text += ++fields % 4 == 0 ? field : '"' + field + (fields % 4 == 1 ? ",\n" : "") + '"';
    text += plain[end];
    i = end + 1;
  }
  return text;
}

void copy_row(std::string const& text) {
  std::string to(text.size(), '\0');
  row("a copy, for comparison", "16 MB", rate, text.size(), nothing, [&](auto const& on) {
    constexpr std::size_t part = std::size_t{1} << 16;
    on.for_each_line((text.size() + part - 1) / part, part, [&](std::size_t k, auto const&) {
      std::memcpy(&to[k * part], &text[k * part], std::min(part, text.size() - k * part));
    });
  });
}

void automaton_rows(std::string const& csv) {
  apps::automaton const in_quotes(
      3, [](std::size_t s, unsigned char c) { return c == '"' ? (s == 1 ? 2u : 1u) : s % 2; });
  std::vector<std::uint8_t> states(csv.size());
  row(
      "`running_states`, 3 states", "CSV with quotes, 16 MB", rate, csv.size(), nothing,
      [&](auto const& on) { apps::running_states(in_quotes, csv, states, 0, on); },
      alternative{"a loop over a table", [&] {
                    std::uint8_t now = 0;
                    for (std::size_t i = 0; i < csv.size(); ++i)
                      states[i] = now = in_quotes.map_of(csv[i]).to[now];
                  }});
  row("`reduce` of the bytes' maps", "the same", rate, csv.size(), nothing, [&](auto const& on) {
    used = upsweep::transform_reduce(
               on, csv, [&](char c) { return in_quotes.map_of(c); }, apps::compose_states{})
               .to[0];
  });
}

/// Ends of fields, one byte after another, without checks.
std::size_t csv_by_loop(std::string const& text, std::vector<std::size_t>& ends) {
  bool inside = false;
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (c == '"')
      inside = !inside;
    else if ((c == ',' || c == '\n') && !inside)
      ends[count++] = i;
  }
  return count;
}

void csv_rows(char const* input, std::string const& text) {
  std::vector<std::size_t> ends(text.size());
  row(
      "`csv_fields`", input, rate, text.size(), nothing,
      [&](auto const& on) { used = static_cast<double>(apps::csv_fields(text, on).ends.size()); },
      alternative{"a loop without checks",
                  [&] { used = static_cast<double>(csv_by_loop(text, ends)); }});
}

void json_rows() {
  std::string const file = contents("examples/data/earthquakes.geojson"),
                    text = '[' + repeated(file + ',', std::size_t{1} << 23) + "0]";
  row("`tokens_of_json`", "JSON, 8 MB, 4 bytes a token", rate, text.size(), nothing,
      [&](auto const& on) { used = static_cast<double>(apps::tokens_of_json(text, on).size()); });
  row(
      "the same and `expect_json`", "the same", rate, text.size(), nothing,
      [&](auto const& on) { apps::expect_json(apps::tokens_of_json(text, on), on); },
      alternative{"nlohmann::json::accept", [&] { used = nlohmann::json::accept(text); }},
      alternative{"nlohmann::json::parse",
                  [&] { used = static_cast<double>(nlohmann::json::parse(text).size()); }});
}

void search_rows(std::string const& text) {
  std::string other = text;
  other.back() = '#';
  row(
      "`first_mismatch`", "16 MB twice, the last byte differs", rate, text.size(), nothing,
      [&](auto const& on) { used = static_cast<double>(apps::first_mismatch(text, other, on)); },
      alternative{"std::mismatch",
                  [&] { used = *std::mismatch(text.begin(), text.end(), other.begin()).first; }},
      alternative{"std::memcmp",
                  [&] { used = std::memcmp(text.data(), other.data(), text.size()); }});
  for (std::string_view const pattern : {"-02-29,", "1971-01-01,1971,-1.7,10.6,0.00"}) {
    std::string const name = "`find_all`, " + std::to_string(pattern.size()) + " bytes";
    row(
        name.c_str(), "CSV, 16 MB", rate, text.size(), nothing,
        [&](auto const& on) {
          used = static_cast<double>(apps::find_all(text, pattern, on).size());
        },
        alternative{"std::string::find",
                    [&] {
                      double count = 0;
                      for (auto at = text.find(pattern); at != text.npos; ++count)
                        at = text.find(pattern, at + 1);
                      used = count;
                    }},
        alternative{"std::search", [&] {
                      double count = 0;
                      auto at =
                          std::search(text.begin(), text.end(), pattern.begin(), pattern.end());
                      for (; at != text.end(); ++count)
                        at = std::search(at + 1, text.end(), pattern.begin(), pattern.end());
                      used = count;
                    }});
  }
}

}  // namespace

void text_rows() {
  std::string const file = contents("examples/data/clemson_daily.csv"),
                    plain = repeated(file, std::size_t{1} << 24),
                    in_quotes = repeated(quoted(file), std::size_t{1} << 24);
  table("Text", rate);
  copy_row(plain);
  automaton_rows(in_quotes);
  csv_rows("CSV, 16 MB, 6 bytes a field", plain);
  csv_rows("with quotes, 16 MB, 8 bytes a field", in_quotes);
  json_rows();
  search_rows(plain);
}

namespace {

constexpr speed ns = speed::ns_per_element;

void bracket_rows(std::size_t n) {
  std::string text, open;
  for (std::size_t i = 0; text.size() + open.size() < n; ++i) {
    bool const opens = open.empty() || (number(i) < 0.5f && open.size() < 40);
    text += opens ? '(' : ')';
    opens ? open.push_back(')') : open.pop_back();
  }
  text += open;
  std::vector<std::size_t> partners(text.size()), parents(text.size()), stack;
  row(
      "`match_brackets`", "2^20 brackets, up to 40 deep", ns, text.size(), nothing,
      [&](auto const& on) {
        apps::bracket_tree tree;
        (void)apps::match_brackets(text, [](char c) { return c == '(' ? 1 : -1; }, tree, on);
      },
      alternative{"a stack", [&] {
                    for (std::size_t i = 0; i < text.size(); ++i) {
                      if (text[i] == '(') {
                        parents[i] = stack.empty() ? i : stack.back();
                        stack.push_back(i);
                      } else {
                        partners[i] = stack.back();
                        partners[stack.back()] = i;
                        stack.pop_back();
                      }
                    }
                  }});
}

void order_rows(std::size_t n) {
  std::vector<float> x(n), y;
  for (std::size_t i = 0; i < n; ++i) x[i] = number(i);
  row(
      "`quicksort`", "2^18 floats", ns, n, [&] { y = x; },
      [&](auto const& on) { apps::quicksort(y, on); },
      alternative{"std::sort", [&] { std::sort(y.begin(), y.end()); }},
      alternative{"upsweep::sort", [&] { upsweep::sort(serial{}, y); }});
}

void image_rows(std::size_t width, std::size_t height) {
  apps::gray_image image{width, height, std::vector<std::uint8_t>(width * height)};
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = number(i / 13) < 0.2f;
  auto const runs = apps::encode(image);
  row(
      "`encode`", "1024 × 1024 pixels, black or white", ns, image.pixels.size(), nothing,
      [&](auto const& on) { used = static_cast<double>(apps::encode(image, on).values.size()); },
      alternative{"a loop", [&] {
                    std::vector<std::uint32_t> lengths;
                    for (std::size_t r = 0; r < height; ++r)
                      for (std::size_t i = 0; i < width; ++i) {
                        auto const* const pixels = &image.pixels[r * width];
                        if (i == 0 || pixels[i] != pixels[i - 1]) lengths.push_back(0);
                        ++lengths.back();
                      }
                    used = static_cast<double>(lengths.size());
                  }});
  row("`decode`", "the same", ns, image.pixels.size(), nothing,
      [&](auto const& on) { used = static_cast<double>(apps::decode(runs, on).pixels.size()); });
}

void group_rows(std::size_t n) {
  for (std::size_t const groups : {12u, 100'000u}) {
    std::vector<std::string> keys(n);
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      auto const key = static_cast<std::size_t>(number(i) * static_cast<float>(groups));
      keys[i] = "group " + std::to_string(key);
      values[i] = static_cast<double>(number(n + i));
    }
    std::string const input = "2^20 rows, " + std::to_string(groups) + " groups of text";
    row(
        "`group_totals`", input.c_str(), ns, n, nothing,
        [&](auto const& on) { used = apps::group_totals(keys, values, plus{}, on).totals[0]; },
        alternative{"std::unordered_map", [&] {
                      std::unordered_map<std::string_view, double> totals;
                      for (std::size_t i = 0; i < n; ++i) totals[keys[i]] += values[i];
                      used = static_cast<double>(totals.size());
                    }});
  }
}

}  // namespace

void structure_rows() {
  table("Structure", ns);
  bracket_rows(std::size_t{1} << 20);
  order_rows(std::size_t{1} << 18);
  image_rows(1024, 1024);
  group_rows(std::size_t{1} << 20);
}

}  // namespace upsweep::bench

int main() {
  std::printf("# The applications, on a CPU\n\n");
  std::printf("Printed by `apps_bench` (bench/apps.cpp): medians of repeated calls, on\n");
  std::printf("%s with %u threads. The calls under \"instead\" use one thread.\n",
              upsweep::bench::processor().c_str(), std::thread::hardware_concurrency());
  std::printf("One thread is timed in CPU time, all threads in elapsed time.\n");
  upsweep::bench::text_rows();
  upsweep::bench::numeric_rows();
  upsweep::bench::structure_rows();
  return 0;
}
