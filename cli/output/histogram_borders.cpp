/// Where bins begin and end: as doubles, or as integers that doubles do not hold.
#include <cli/output/histogram.hpp>
#include <io/error.hpp>
#include <io/number.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace upsweep::cli {

namespace {

/// The smallest integers that are not below the borders of even bins.
std::vector<int128> even_integers(int128 low, int128 high, std::size_t bins) {
  std::vector<int128> numbers;
  int128 const width = high - low, count = static_cast<int128>(bins);
  for (int128 b = 0; b <= count; ++b) numbers.push_back(low + (b * width + count - 1) / count);
  return numbers;
}

}  // namespace

std::optional<column_buffer> as_integers(std::vector<int128> const& numbers) {
  if (numbers.empty()) return {};
  bool const is_signed = numbers.back() <= std::numeric_limits<std::int64_t>::max();
  if (!is_signed && numbers.front() < 0) return {};
  column_buffer column(is_signed ? io::dtype::i64 : io::dtype::u64);
  for (auto const number : numbers)
    is_signed ? column.push(static_cast<std::int64_t>(number))
              : column.push(static_cast<std::uint64_t>(number));
  return column;
}

std::vector<int128> wide_integers_of(std::vector<std::string> const& words) {
  std::vector<int128> numbers;
  bool is_wide = false;
  for (auto const& word : words) {
    char const *const first = word.data(), *const last = first + word.size();
    std::int64_t i = 0;
    std::uint64_t u = 0;
    if (auto const as_signed = std::from_chars(first, last, i);
        as_signed.ec == std::errc{} && as_signed.ptr == last)
      numbers.push_back(i);
    else if (auto const rest = std::from_chars(first, last, u);
             rest.ec == std::errc{} && rest.ptr == last)
      numbers.push_back(u);
    else
      return {};
    is_wide = is_wide || static_cast<int128>(static_cast<double>(numbers.back())) != numbers.back();
  }
  if (!is_wide) numbers.clear();
  return numbers;
}
std::vector<double> border_numbers(std::string const& option,
                                   std::vector<std::string> const& words) {
  std::vector<double> numbers;
  for (auto const& word : words) {
    double x = 0;
    io::parse_option_number(word, io::dtype::f64, &x, option);
    if (std::isnan(x))
      throw io::usage_error("{}: {} is not a border; give finite numbers.", option, word);
    numbers.push_back(x);
  }
  auto const wide = wide_integers_of(words);
  for (std::size_t k = 1; k < numbers.size(); ++k)
    if (wide.empty() ? numbers[k] <= numbers[k - 1] : wide[k] <= wide[k - 1])
      throw io::usage_error("{}: the numbers must ascend, but {} follows {}.", option, words[k],
                            words[k - 1]);
  return numbers;
}

borders even_borders(bin_range const& range, std::size_t bins, bool closed_right,
                     std::vector<int128> const& ends) {
  borders b{range, {}, closed_right};
  auto const count = static_cast<double>(bins);
  double const width = range.high - range.low;
  // The width may leave the range of double: then the levels are twice those between the halves.
  bool const is_wide =
      std::isfinite(range.low) && std::isfinite(range.high) && std::isinf(width) && width > 0;
  double const half_low = range.low / 2, half_step = (range.high / 2 - half_low) / count;
  for (std::size_t i = 0; i < bins; ++i) {
    auto const steps = static_cast<double>(i);
    b.levels.push_back(is_wide ? 2 * (half_low + steps * half_step)
                               : range.low + steps * (width / count));
  }
  b.levels.push_back(range.high);
  if (ends.size() == 2 && ends[1] - ends[0] >= static_cast<int128>(bins))
    b.integers = as_integers(even_integers(ends[0], ends[1], bins));
  if (b.integers) return b;
  if (is_wide) b.range.reset();
  auto const equal = std::adjacent_find(b.levels.begin(), b.levels.end(),
                                        [](double x, double y) { return !(x < y); });
  if (equal != b.levels.end())
    throw io::usage_error(
        "--bins {}: f64 has no such borders between {} and {}; give fewer bins, or another "
        "--range.",
        bins, io::number_text(range.low), io::number_text(range.high));
  return b;
}

}  // namespace upsweep::cli
