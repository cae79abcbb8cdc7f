/// The inputs of the rows.
#include <bench/harness/random.hpp>
#include <bench/harness/verb_memory.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::bench {
namespace {

template <class T>
T random_number(std::size_t i) {
  std::uint64_t const word = random_word(i);
  if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(word >> 40) * 0x1p-24f;
  else if constexpr (std::is_same_v<T, double>)
    return static_cast<double>(word >> 11) * 0x1p-53;
  else
    return static_cast<T>(word >> (64 - 8 * sizeof(T)));
}

/// One more than the largest number, or 1.
template <class T>
constexpr double range_of = std::is_integral_v<T> ? 0x1p8 : 1;
template <>
constexpr double range_of<std::uint32_t> = 0x1p32;
template <>
constexpr double range_of<std::uint64_t> = 0x1p64;

bool chance(std::size_t i, double share) {
  return random_number<double>(i) < share;
}

/// Lengths from 1 to 2 * average - 1, or by a power law.
std::size_t part_length(verb_row const& row, std::size_t k) {
  double const r = random_number<double>(k + 77);
  if (row.data == verb_data::power_law)
    return static_cast<std::size_t>(std::pow(1 - r, -1 / 1.25));  // on average 5
  return 1 + static_cast<std::size_t>(r * (2 * row.number - 1));
}

std::vector<std::size_t> borders_of(verb_row const& row, std::size_t n) {
  if (row.data == verb_data::empty) return std::vector<std::size_t>(n + 1);
  std::vector<std::size_t> borders{0};
  while (borders.back() < n)
    borders.push_back(std::min(n, borders.back() + part_length(row, borders.size())));
  return borders;
}

template <class T>
T element_at(verb_row const& row, std::size_t i, T previous) {
  if (row.data == verb_data::equal)
    return static_cast<T>(row.verb == "count_indices" ? 7 : 7 * range_of<T> / 256);
  if (row.verb == "unique" || row.verb == "runs" || row.verb == "run_starts")
    return chance(i, row.number) ? static_cast<T>(random_word(i) % 200) : previous;
  if (row.verb == "count_indices") return static_cast<T>(random_word(i) % std::size_t(row.number));
  bool const is_added = row.data == verb_data::runs || row.data == verb_data::segments ||
                        row.data == verb_data::power_law || row.data == verb_data::windows;
  if (is_added) return static_cast<T>(static_cast<int>(random_word(i) % 17) - 8);
  return random_number<T>(i);
}

template <class T>
void fill_elements(verb_row const& row, std::size_t n, verb_input& to) {
  to.elements.resize(n * sizeof(T));
  T* const x = reinterpret_cast<T*>(to.elements.data());
  T previous{};
  for (std::size_t i = 0; i < n; ++i) x[i] = previous = element_at(row, i, previous);
  to.level = range_of<T> * (row.data == verb_data::numbers ? row.number : 1);
}

void fill_text(std::size_t n, verb_input& to) {
  to.elements.resize(n);
  std::string text;
  for (std::size_t field = 0; text.size() < n; ++field) {
    std::string const digits = std::to_string(random_word(field) % 1'000'000);
    text += field % 8 == 3 ? "\"a, \"\"b\"\"\"" : digits;
    text += field % 10 == 9 ? '\n' : ',';
  }
  text.resize(n, '0');
  // The end may not be in quotes.
  std::size_t const begin = text.rfind('\n') + 1;  // 0 if there is none
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), '7');
  text.back() = '\n';
  std::memcpy(to.elements.data(), text.data(), n);
}

void fill_by_type(verb_row const& row, std::size_t n, verb_input& to) {
  if (row.data == verb_data::text) return fill_text(n, to);
  if (row.type == "f32") return fill_elements<float>(row, n, to);
  if (row.type == "f64") return fill_elements<double>(row, n, to);
  if (row.type == "u32") return fill_elements<std::uint32_t>(row, n, to);
  if (row.type == "u8") return fill_elements<std::uint8_t>(row, n, to);
  if (row.type == "u64" || row.type == "pair") return fill_elements<std::uint64_t>(row, n, to);
  throw std::logic_error("bench: no elements of type " + row.type);
}

/// The types and the numbers of results.
void size_results(verb_row const& row, std::size_t n, verb_input& to) {
  to.result_type = row.type;
  to.room = n;
  if (row.verb == "partition") to.more_type = row.type;
  if (row.verb == "runs" || row.verb == "reduce_runs" || row.verb == "sort_by_key")
    to.more_type = "u32";
  if (!to.more_type.empty()) to.more_room = row.op == "three" ? 2 * n : n;
  if (row.verb.ends_with("histogram") || row.verb == "count_indices") {
    to.result_type = "u32";
    to.room = to.parts;
  }
  if (row.verb == "select_positions" || row.verb == "run_starts" || row.verb == "argsort")
    to.result_type = "u32";
  if (row.verb == "reduce_segments") to.room = to.parts;
  if (row.verb == "top") to.room = std::min(n, top_count);
  if (row.verb == "polynomial" || row.verb == "quantile") to.room = 1;
  if (row.verb == "quantile") to.result_type = "f64";
  if (row.verb == "csv") to.result_type = "u64";
}

}  // namespace

std::size_t bytes_of_type(std::string const& name) {
  if (name.empty()) return 0;
  return name == "u8" ? 1 : name.ends_with("32") ? 4 : 8;
}

verb_input input_of(verb_row const& row, std::size_t n) {
  verb_input to;
  fill_by_type(row, row.data == verb_data::empty ? 0 : n, to);
  bool const by_key = row.verb == "reduce_runs" || row.verb == "scan_runs";
  if (by_key) {
    auto const borders = borders_of(row, n);
    for (std::size_t k = 0; k + 1 < borders.size(); ++k)
      to.keys.insert(to.keys.end(), borders[k + 1] - borders[k], static_cast<std::uint32_t>(k));
  } else if (row.verb.ends_with("segments")) {
    to.offsets = borders_of(row, n);
    to.parts = to.offsets.size() - 1;
  } else {
    to.parts = static_cast<std::size_t>(row.number);
  }
  if (row.verb == "sort_by_key")
    for (std::size_t i = 0; i < n; ++i) to.keys.push_back(static_cast<std::uint32_t>(i));
  if (row.op == "flags") {
    to.keys.resize((n + 3) / 4);
    auto* const flags = reinterpret_cast<std::uint8_t*>(to.keys.data());
    for (std::size_t i = 0; i < n; ++i) flags[i] = chance(n + i, row.number);
  }
  if (row.verb == "weighted_histogram")
    for (std::size_t i = 0; i < n; ++i)
      to.keys.push_back(static_cast<std::uint32_t>(random_word(n + i) % 100));
  if (row.op == "given")
    for (std::size_t b = 0; b <= to.parts; ++b)
      to.levels.push_back(std::pow(static_cast<double>(b) / static_cast<double>(to.parts), 2));
  size_results(row, n, to);
  return to;
}

}  // namespace upsweep::bench
