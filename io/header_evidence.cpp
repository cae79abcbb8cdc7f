/// What the fields of the first records say about a header.
#include <io/column_choice.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <io/text_types.hpp>
#include <io/times.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {
namespace {

using record_fields = std::vector<std::string>;

/// The fields with their numbers in the standard form, and nothing for the user's words for a
/// missing value.
record_fields standard_record(record_fields fields, input_options const& options) {
  missing_words const missing(options.missing);
  std::string buffer;
  for (auto& field : fields)
    field = missing.is_own(field) ? "" : std::string(standard_form(field, options.numbers, buffer));
  return fields;
}

/// The runs of digits and of letters of a text, and what is between them: "9-9-9" of a date.
std::string form_of(std::string_view text) {
  std::string form;
  for (char const c : text) {
    char const kind = is_digit(c) ? '9' : is_latin_letter(c) || (c & 0x80) != 0 ? 'a' : c;
    if (form.empty() || form.back() != kind || kind == c) form += kind;
  }
  return form;
}

/// "3423e946": of a list of commits.
bool is_hash(std::string_view text) {
  return text.size() >= 7 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Both could be values of one column, and the upper one, which is no number, is hardly its name.
bool are_alike(std::string const& upper, std::string const& below) {
  if (upper == below) return true;
  if (is_hash(upper) && is_hash(below) && upper.size() == below.size()) return true;
  if (is_number(below)) return false;
  auto const form = form_of(upper);
  bool const has_sign = form.find_first_not_of("a ") != std::string::npos;
  bool const has_digit = contains(form, '9');
  if ((has_digit || (has_sign && !is_name(upper))) && form == form_of(below)) return true;
  return !is_name(upper) && looks_like_number(upper) && looks_like_number(below);
}

/// A number, also with its unit, a date or a time: what a name may be over.
bool is_measured(std::string const& text) {
  static constexpr std::string_view times[] = {"9:9",   "9:9:9", "9:9:9.9",
                                               "9/9/9", "9.9.9", "9-9-9"};
  return looks_like_number(text) || parse_time(text) ||
         std::ranges::find(times, form_of(text)) != std::end(times);
}

bool is_value(std::string const& text) {
  return is_missing(text) || is_number(text);
}

std::vector<double> numbers_of(record_fields const& fields) {
  std::vector<double> found;
  double value = 0;
  for (auto const& field : fields)
    if (parse_number(field, dtype::f64, &value) == parsed::good) found.push_back(value);
  return found;
}

bool are_years(std::vector<double> const& numbers) {
  return std::ranges::all_of(numbers,
                             [](double x) { return x >= 1500 && x < 2200 && x == std::floor(x); });
}

/// 0, 1, 2 and so on, as pandas names columns.
bool count_from_zero(record_fields const& fields, std::size_t from = 0) {
  for (std::size_t i = from; i < fields.size(); ++i)
    if (fields[i] != std::to_string(i - from)) return false;
  return from < fields.size();
}

/// 1, 2, 3 or 10, 20, 30 or 0.1, 1, 10.
bool ascend_evenly(std::vector<double> const& x) {
  if (x.size() < 2 || !(x[1] > x[0])) return false;
  bool steps = true, factors = x[0] > 0;
  for (std::size_t i = 2; i < x.size(); ++i) {
    double const least = 1e-9 * std::abs(x[i]);
    steps = steps && std::abs(x[i] - x[i - 1] - (x[1] - x[0])) <= least;
    factors = factors && std::abs(x[i] / x[i - 1] - x[1] / x[0]) <= 1e-9 * x[1] / x[0];
  }
  return steps || factors;
}

bool all_numbers(record_fields const& fields) {
  return std::ranges::all_of(fields, [](auto const& field) { return is_number(field); });
}

/// "3,4,5" below "0,1,2", or the next number of the first column, which counts rows.
bool continue_counting(record_fields const& below) {
  return below[0] == "1" || below[0] == std::to_string(below.size());
}

bool may_be_name(std::string const& field) {
  return !is_value(field) && !may_be_missing(field) && !is_truth(field);
}

}  // namespace

header_evidence::header_evidence(record_fields const& first, input_options const& options,
                                 bool white_space)
    : options_(options),
      white_space_(white_space),
      first_(standard_record(first, options)),
      seen_(first.size()) {
  auto const numbers = numbers_of(first_);
  settled_ = all_numbers(first_) && !(numbers.size() > 1 && are_years(numbers)) &&
             !(numbers.size() > 1 && count_from_zero(first_));
}

void header_evidence::look_for_numbered(record_fields const& below, record_fields const& written) {
  bool const may_be_list = options_.columns.empty() && options_.keys.empty();
  bool const lacks_name =  // of the row names
      white_space_ && !may_be_list && below.size() == first_.size() + 1;
  if (below.size() != first_.size() && !lacks_name) return;
  std::size_t const shift = lacks_name ? 1 : 0;
  std::size_t empty = 0;
  while (empty < first_.size() && first_[empty].empty()) ++empty;
  auto const ask = [&] {
    auto const number = std::ranges::find_if(first_, [](auto const& x) { return is_number(x); });
    numbers_ = static_cast<std::size_t>(number - first_.begin());
  };
  if (empty > 0 && count_from_zero(first_, empty)) {
    has_index_ = empty == 1 && below[0] == "0";
    return has_index_ ? void() : ask();
  }
  bool over_values = true;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    if (!is_value(first_[i]) && !is_name(first_[i])) return;
    over_values = over_values && (!is_number(first_[i]) || is_value(below[i + shift]));
  }
  record_fields under_numbers, written_under;
  for (std::size_t i = 0; i < first_.size(); ++i)
    if (is_number(first_[i])) {
      under_numbers.push_back(below[i + shift]);
      written_under.push_back(written[i + shift]);
    }
  auto const numbers = numbers_of(first_), under = numbers_of(under_numbers);
  bool const has_name = lacks_name || empty > 0 || std::ranges::any_of(first_, is_name);
  bool const ascend = ascend_evenly(numbers);
  bool const under_years =  // amounts of money are none
      !under.empty() && are_years(under) && numbers_of(written_under).size() == under.size();
  if (numbers.empty()) return;
  if (are_years(numbers)) {
    bool const by_one = ascend && numbers[1] == numbers[0] + 1;
    if (has_name ? by_one || !under_years : by_one && !under_years) ask();
    return;
  }
  if (has_name) {
    bool const counted = numbers[0] == 0 && ascend && numbers[1] == 1;
    if (counted || (ascend && over_values && numbers.size() > 2)) ask();
    return;
  }
  if (!white_space_ && first_.size() > 2 && count_from_zero(first_) && first_ != below &&
      !continue_counting(below))
    ask();
}

void header_evidence::weigh(std::size_t field, std::string const& below) {
  auto const& upper = first_[field];
  if (is_missing(upper) || may_be_missing(below)) return;
  auto const mark = [field](std::optional<std::size_t>& found) {
    if (!found) found = field;
  };
  if (may_be_missing(upper)) return is_number(below) && !is_name(upper) ? mark(strange_) : void();
  if (is_number(upper)) {
    mark(is_number(below) ? for_numbers_ : for_data_);
    --more_names_;
  } else if (are_alike(upper, below)) {
    return mark(for_data_);
  } else if (!seen_[field] && is_truth(upper)) {
    if (is_truth(below)) mark(for_data_);
  } else if (!seen_[field] && !is_name(upper)) {
    if (is_number(below) || is_truth(below)) mark(strange_);
  } else if (!seen_[field] && is_measured(below)) {
    mark(is_number(below) ? over_number_ : for_header_);
    ++more_names_;
  }
  seen_[field] = true;
}

void header_evidence::add(record_fields const& fields) {
  auto const below = standard_record(fields, options_);
  ++records_;
  for (auto const& field : below) bytes_ += field.size() + 1;
  if (records_ == 2) look_for_numbered(below, fields);
  if (has_index_) {  // the names "", "0", "1" are over rows "0", "1"
    settled_ = records_ == 3;
    if (settled_ && below[0] != "1") {
      has_index_ = false;
      numbers_ = 1;
    }
    return;
  }
  std::size_t const shared = std::min(first_.size(), below.size());
  if (speaks_for_names()) {
    for (std::size_t i = 0; i < shared && !for_data_; ++i)
      if (first_[i] == below[i] && may_be_name(below[i])) for_data_ = i;
    settled_ = for_data_ || records_ >= most || bytes_ >= most_bytes;
    return;
  }
  for (std::size_t i = 0; i < shared; ++i) weigh(i, below[i]);
  bool const ragged = !white_space_ && below.size() != first_.size();  // an error of its own
  bool const tells = over_number_ || for_header_ || for_numbers_ || for_data_ || numbers_;
  if (ragged && !tells)
    (is_number(first_[0]) ? for_data_ : is_name(first_[0]) ? for_header_ : strange_) = 0;
  bool const decided =
      over_number_ || for_numbers_ || for_header_ || for_data_ || strange_ || numbers_;
  // Above strings a name may be repeated. A stream of numbers does not wait for that.
  bool const may_repeat = speaks_for_names() && std::ranges::any_of(below, may_be_name);
  settled_ = (decided && !may_repeat) || records_ >= most || bytes_ >= most_bytes;
}

bool header_evidence::speaks_for_names() const {
  // A number above a number may be the name of a column beside names above numbers.
  bool const outweighed = !for_numbers_ || numbers_ || (over_number_ && more_names_ > 0);
  return (over_number_ || for_header_) && !for_data_ && outweighed &&
         (over_number_ || !for_numbers_);
}

header_guess header_evidence::guess() const {
  using enum header_verdict;
  auto const name = over_number_ ? over_number_ : for_header_;
  if (has_index_ || speaks_for_names()) return {header, name.value_or(0)};
  if (strange_ && !name) return {strange, *strange_};
  if (numbers_) return {numbers, *numbers_};
  if (name) return {as_good, *name};
  if (for_data_ || for_numbers_) return {data};
  auto const is_text = [](std::string const& field) {
    return !is_value(field) && !is_truth(field);
  };
  auto const text = std::ranges::find_if(first_, is_text);
  bool const has_number = std::ranges::any_of(first_, [](auto const& x) { return is_number(x); });
  if (text == first_.end() || has_number || (records_ == 1 && white_space_))
    return {data};  // a single word in text is more likely a mistake than a table without rows
  auto const field = static_cast<std::size_t>(text - first_.begin());
  if (records_ > 1) return {as_good, field};
  auto const other = std::ranges::find_if(
      first_, [&](auto const& each) { return is_text(each) && !is_name(each); });
  if (other == first_.end()) return {header, field};  // of a table without rows
  return {strange, static_cast<std::size_t>(other - first_.begin())};
}

}  // namespace upsweep::io
