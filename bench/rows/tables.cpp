/// The tables of the benchmark, and sizes from text.
#include <bench/rows/tables.hpp>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace upsweep::bench {
namespace {

std::size_t number_in(std::string_view text, std::string const& whole) {
  std::size_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty() || value == 0)
    throw std::invalid_argument(
        "bench: '" + whole +
        "' is not a list of sizes; write 10..26 or 10,16,20 (exponents of two) or 1000000");
  return value;
}

std::size_t elements_of(std::size_t value) {
  return value <= 40 ? std::size_t{1} << value : value;
}

std::vector<row> quick_table() {
  auto at = [](std::initializer_list<int> exponents) {
    std::vector<std::size_t> sizes;
    for (int const e : exponents) sizes.push_back(std::size_t{1} << e);
    return sizes;
  };
  auto const scan = verb::inclusive_scan;
  return {{{verb::reduce, operation::sum, element::f32}, at({4, 10, 12, 16, 18, 20, 24})},
          {{verb::reduce, operation::sum, element::f64}, at({10, 16, 20, 24})},
          {{verb::reduce, operation::sum, element::i32}, at({10, 16, 20, 24})},
          {{verb::reduce, operation::max, element::f32}, at({10, 16, 20, 24})},
          {{scan, operation::sum, element::f32}, at({4, 10, 14, 16, 18, 20, 24})},
          {{scan, operation::sum, element::f64}, at({10, 14, 18, 20, 24})},
          {{scan, operation::sum, element::f32, true}, at({14, 20, 24})},
          {{scan, operation::affine, element::f32}, at({10, 14, 20, 24})},
          {{verb::reduce, operation::exact_sum, element::f64}, at({10, 20, 24})},
          {{verb::reduce, operation::user, element::f32}, at({10, 14, 20, 24})},
          {{scan, operation::user, element::f32}, at({10, 14, 20, 24})},
          {{verb::reduce, operation::squares, element::f32}, at({10, 14, 20, 24})}};
}

}  // namespace

std::vector<row> whole_table(bool quick) {
  if (quick) return quick_table();
  std::vector<row> rows;
  auto add = [&](verb v, operation op, std::initializer_list<element> types,
                 bool in_place = false) {
    for (auto const type : types) {
      // 2^28 elements take half a minute per row, so only the sums of 4-byte elements, which the
      // goals name, go that far.
      bool const longest = op == operation::sum && bytes_of(type) == 4 && v != verb::exclusive_scan;
      rows.push_back({{v, op, type, in_place}, powers_of_two(4, longest ? 28 : 26, 2)});
    }
  };
  auto const numbers = {element::f32, element::f64, element::i32, element::i64};
  add(verb::reduce, operation::sum, numbers);
  add(verb::inclusive_scan, operation::sum, numbers);
  add(verb::inclusive_scan, operation::affine, {element::f32, element::f64});
  add(verb::reduce, operation::exact_sum, {element::f64, element::f32});
  add(verb::inclusive_scan, operation::sum, numbers, true);
  add(verb::reduce, operation::max, numbers);
  add(verb::inclusive_scan, operation::max, {element::f32, element::i32});
  add(verb::exclusive_scan, operation::sum, {element::f32, element::i64});
  add(verb::reduce, operation::user, {element::f32, element::i32});
  add(verb::inclusive_scan, operation::user, {element::f32, element::i32});
  add(verb::reduce, operation::squares, {element::f32});
  return rows;
}

std::vector<row> short_table(std::vector<std::size_t> const& sizes) {
  return {{{verb::reduce, operation::sum, element::f32}, sizes},
          {{verb::inclusive_scan, operation::sum, element::f32}, sizes}};
}

std::vector<row> thread_table(bool quick) {
  return short_table({std::size_t{1} << 20, std::size_t{1} << (quick ? 24 : 26)});
}

std::vector<std::size_t> powers_of_two(int first, int last, int step) {
  std::vector<std::size_t> sizes;
  for (int e = first; e <= last; e += step) sizes.push_back(std::size_t{1} << e);
  return sizes;
}

std::vector<std::size_t> sizes_from(std::string const& text) {
  std::vector<std::size_t> sizes;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const comma = std::min(text.find(',', at), text.size());
    std::string_view const part = std::string_view(text).substr(at, comma - at);
    at = comma + 1;
    auto const dots = part.find("..");
    if (dots == std::string_view::npos) {
      sizes.push_back(elements_of(number_in(part, text)));
      continue;
    }
    auto const colon = std::min(part.find(':', dots), part.size());
    std::size_t const first = number_in(part.substr(0, dots), text);
    std::size_t const last = number_in(part.substr(dots + 2, colon - dots - 2), text);
    std::size_t const step = colon < part.size() ? number_in(part.substr(colon + 1), text) : 1;
    if (first > last || last > 40)
      throw std::invalid_argument("bench: the range '" + std::string(part) +
                                  "' must be ascending and end at 40 (2^40 elements) or below");
    for (std::size_t e = first; e <= last; e += step) sizes.push_back(elements_of(e));
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace upsweep::bench
