/// How text_reader opens JSON: what a row is, and the keys that are columns.
#include <io/error.hpp>
#include <io/json_records.hpp>
#include <io/limits.hpp>
#include <io/text_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {

/// True if the first line is an array and the next begins another: each line is a row.
bool text_reader::begins_with_lines_of_arrays(std::size_t at) {
  constexpr std::string_view spaces = " \t\r\n";
  for (;;) {
    auto const window = source_->window().substr(0, sample_bytes);
    auto const line_end = window.find('\n', at);
    auto const next = window.find_first_not_of(spaces, line_end);
    bool const complete = line_end != std::string_view::npos && next != std::string_view::npos;
    if (complete)
      return window[next] == '[' && window[window.find_last_not_of(spaces, line_end)] == ']';
    if (window.size() == sample_bytes || !source_->more()) return false;
  }
}

/// Passes white space, and the bracket of an array of rows.
void text_reader::pass_json_bracket(json_rules& rules) {
  std::size_t at = 0;
  auto const skip = [&] {
    constexpr std::string_view spaces = " \t\r\n";
    while ((at = source_->window().find_first_not_of(spaces, at)) == std::string_view::npos) {
      at = source_->window().size();
      if (!source_->more()) return '\0';
    }
    return source_->window()[at];
  };
  char next = skip();
  rules.in_array = next == '[' && !begins_with_lines_of_arrays(at);
  if (rules.in_array) {
    ++at;
    next = skip();
  }
  format = rules.in_array ? container::json : container::jsonl;
  rules.row = next == '{' ? json_row::object : next == '[' ? json_row::array : json_row::scalar;
  is_blank = next == (rules.in_array ? ']' : '\0');  // an array that is not closed is an error
  cursor_ = source_->window().data() + at;
  auto const passed = source_->window().substr(0, at);
  lines_taken_ = static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
  drop_consumed();
}

/// Calls scan(begin, end, last) for the rows of the sample from the front until it returns false;
/// waits for one row.
template <class Scan>
void text_reader::sample_rows(Scan const& scan) {
  std::size_t at = 0;
  for (bool first = true;;) {
    auto const window = source_->window().substr(0, longest_record);
    auto const* const end = window.data() + window.size();
    bool const last = source_->ended() && window.size() == source_->window().size();
    scan_result const result = scan(window.data() + at, end, last);
    if (result.what == scanned::bad_json) refuse(result);
    if (result.what == scanned::record) {
      at = static_cast<std::size_t>(result.next - window.data());
      if (std::exchange(first, false)) source_->fill_within(sample_bytes, sample_patience);
      if (at >= sample_bytes) return;
      continue;
    }
    if (!first || result.what == scanned::nothing) return;
    if (window.size() == longest_record) refuse(result);
    source_->fill(std::max(2 * window.size(), least_read));
  }
}

/// The names of the columns as the only record, or the first rows if they have none.
first_records text_reader::peek_json(input_options const& options) {
  if (options.numbers.decimal != '.')
    throw usage_error(fmt::format(
        "--decimal: {} is JSON, whose numbers have a decimal point; omit it.", source_->name()));
  auto& rules = plan_.json.emplace();
  pass_json_bracket(rules);
  if (options.part && options.part->end > 0 && rules.in_array)
    throw usage_error(fmt::format(
        "{}: Reading cannot continue after the end of a JSON array; write JSON lines: jq -c '.[]'",
        source_->name()));
  first_records records;
  if (is_blank) return records;
  if (rules.row == json_row::object) {
    sample_rows([&](char const* begin, char const* end, bool last) {
      return find_keys(rules, begin, end, last);
    });
    records.push_back(rules.keys);
    return records;
  }
  sample_rows([&](char const* begin, char const* end, bool last) {
    auto result = scan_json(rules, begin, end, last, fields_);
    bool const enough = records.size() == header_evidence::most;
    if (result.what != scanned::record || enough) return enough ? scan_result{} : result;
    if (records.empty() && rules.row == json_row::array)
      header_bytes_ = static_cast<std::size_t>(result.next - begin);
    std::vector<std::string> texts(fields_.size());
    for (std::size_t i = 0; i < texts.size(); ++i) append_unquoted(texts[i], fields_[i]);
    records.push_back(std::move(texts));
    return result;
  });
  return records;
}

}  // namespace upsweep::io
