/// The JSON reader of the tool beside simdjson: one thread's processor time for a column of JSON
/// lines. `cmake --build build --target io_json_speed && build/bin/io_json_speed`
#include <io/input.hpp>

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int rounds = 7;
constexpr int row_count = 500'000;

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string lines() {
  std::mt19937_64 source(20240229);
  std::string all;
  for (int i = 0; i < row_count; ++i)
    all += fmt::format(
        "{{\"key\":\"k{:07}\",\"day\":\"2020-{:02}-11\",\"store\":\"s{:03}\",\"price\":{:.2f},"
        "\"qty\":{}}}\n",
        source() % row_count, 1 + source() % 12, source() % 500,
        static_cast<double>(source() % 100'000) / 100, 1 + source() % 99);
  return all;
}

/// Prices and number of characters in stores, which both must find.
struct found {
  double prices = 0;
  std::size_t characters = 0;
  bool operator==(found const&) const = default;
};

found by_upsweep(std::string const& path, bool texts) {
  upsweep::io::input_options options;
  options.path = path;
  options.columns = {"price"};
  if (texts) options.keys = {"store"};
  options.threads = 1;
  upsweep::io::input in(options);
  found all;
  for (upsweep::io::chunk rows; in->next(rows);) {
    for (double const x : rows.columns[0].as<double>()) all.prices += x;
    if (texts) all.characters += rows.keys[0].characters.size();
  }
  return all;
}

found by_simdjson(std::string const& path, bool texts) {
  auto const text = simdjson::padded_string::load(path).take_value();
  simdjson::ondemand::parser parser;
  found all;
  simdjson::ondemand::document_stream stream;
  if (parser.iterate_many(text, std::size_t{1} << 20).get(stream)) std::abort();
  for (auto document : stream) {
    if (texts) all.characters += std::string_view(document["store"]).size();
    all.prices += double(document["price"]);
  }
  return all;
}

}  // namespace

int main() {
  char const* const path = "json_speed.jsonl";
  std::string const text = lines();
  std::ofstream(path) << text;
  fmt::print("{} rows, {:.1f} MB of JSON lines; simdjson {}.{}.{}, {}\n", row_count,
             static_cast<double>(text.size()) / 1e6, int(simdjson::SIMDJSON_VERSION_MAJOR),
             int(simdjson::SIMDJSON_VERSION_MINOR), int(simdjson::SIMDJSON_VERSION_REVISION),
             simdjson::get_active_implementation()->name());
  for (bool const texts : {false, true}) {
    std::vector<double> ours, theirs;
    for (int round = 0; round < rounds; ++round) {
      auto const a = processor_seconds();
      auto const mine = by_upsweep(path, texts);
      auto const b = processor_seconds();
      auto const other = by_simdjson(path, texts);
      auto const c = processor_seconds();
      if (!(mine == other)) {
        fmt::print("The readers differ: {} {}, {} {}\n", mine.prices, mine.characters, other.prices,
                   other.characters);
        return 1;
      }
      ours.push_back(b - a);
      theirs.push_back(c - b);
    }
    std::ranges::sort(ours);
    std::ranges::sort(theirs);
    auto const speed = [&](std::vector<double> const& times) {
      return static_cast<double>(text.size()) / 1e6 / times[rounds / 2];
    };
    fmt::print("{}: Upsweep {:.0f} MB/s, simdjson {:.0f} MB/s (medians of {})\n",
               texts ? "a number and a text" : "a number", speed(ours), speed(theirs), rounds);
  }
  std::remove(path);
}
