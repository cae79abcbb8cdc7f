/// The error messages of text_reader: each gives the position, what was found, and what to do.
#include <io/error.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <io/text_reader.hpp>
#include <io/text_types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace upsweep::io {
/// "file:line:column", both counted from 1, the column in bytes.
std::string text_reader::locate(char const* at) const {
  auto const window = source_->window();
  std::string_view const before(window.data(), static_cast<std::size_t>(at - window.data()));
  auto const line = lines_before_ +
                    static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  auto const last_end = before.rfind('\n');
  auto const column = (last_end == std::string_view::npos ? bytes_before_ + before.size()
                                                          : before.size() - last_end - 1) +
                      1;
  return fmt::format("{}:{}:{}", source_->name(), line, column);
}

void text_reader::refuse(scan_result const& result) const {
  switch (result.what) {
    case scanned::bad_quote:
      throw data_error(
          fmt::format("{}: There is text after a closing quote; a quote inside a quoted field "
                      "must be doubled. The field opens at {}; perhaps its quote was not closed.",
                      locate(result.at), locate(result.next)));
    case scanned::bad_json:
      throw data_error(fmt::format("{}: {}.", locate(result.at), result.why));
    case scanned::unclosed_quote:
      throw data_error(
          fmt::format("{}: The quote that opens here is never closed; the file may be truncated.",
                      locate(result.at)));
    case scanned::incomplete:
      throw data_error(
          fmt::format("{}: A {} is longer than {} bytes; the file may not be text, or a quote may "
                      "not be closed.",
                      locate(result.next), plan_.form != text_form::records ? "number" : "record",
                      longest_record));
    default:
      throw data_error(fmt::format(
          "{}: Text cannot contain a NUL byte; if the file is binary, give --from raw or "
          "--from npy.",
          locate(result.at)));
  }
}

/// Throws an error for the record at the cursor.
void text_reader::refuse_record() {
  auto const result = scan_at_cursor();
  if (result.what != scanned::record && result.what != scanned::crowded) refuse(result);
  check_width(result.start);
  if (plan_.json) {
    for (std::size_t i = 0; i < plan_.values.size(); ++i)
      refuse_nested(columns[i].name, fields_[plan_.values[i].field]);
    for (std::size_t k = 0; k < plan_.keys.size(); ++k)
      refuse_nested(keys[keys.size() - plan_.keys.size() + k], fields_[plan_.keys[k]]);
    for (std::size_t k = 0; plan_.joined && k < plan_.joined->fields.size(); ++k)
      refuse_nested(keys[k], fields_[plan_.joined->fields[k]]);
  }
  for (std::size_t i = 0; i < plan_.values.size(); ++i) {
    std::byte value[8];
    auto const& where = fields_[plan_.values[i].field];
    bool const may_lack = plan_.skip_missing || plan_.mark_missing;
    if (may_lack && plan_.missing(where.text())) continue;
    if (plan_.missing.is_own(where.text()) ||
        !parse_value(plan_, plan_.values[i], where.text(), value))
      refuse_value(i, where);
  }
  field second;
  auto const window = source_->window();
  static_cast<void>(
      scan_token(plan_.rules, result.at, window.data() + window.size(), true, second));
  std::string buffer;
  auto const number = standard_form(second.text(), plan_.numbers, buffer);
  if (!is_number(number) && !is_truth(number)) refuse_value(0, second);
  throw data_error(
      fmt::format("{}: '{}' is a second number on its line, but the first line has one; choose "
                  "a column with --column, or read all numbers with --list.",
                  locate(second.begin), shown(second.text())));
}

void text_reader::refuse_nested(std::string const& name, field const& where) const {
  if (where.json != json_kind::nested) return;
  throw data_error(fmt::format(
      "{}: '{}' holds an {}, but a column holds single values; choose columns without it, or take "
      "a value out of it: jq -c '.NEW = .{}.KEY | del(.{})' FILE | upsweep ...",
      locate(where.begin), shown(name), *where.begin == '{' ? "object" : "array", shown(name),
      shown(name)));
}

void text_reader::check_width(char const* record) const {
  if (fields_.size() >= plan_.least && fields_.size() <= plan_.most) return;
  auto const has = fmt::format("{} field{}", fields_.size(), fields_.size() == 1 ? "" : "s");
  if (plan_.most != plan_.least)
    throw data_error(fmt::format("{}: This line has {}, but column {} was chosen.", locate(record),
                                 has, plan_.least));
  throw data_error(fmt::format(
      "{}: This record has {}, but the first has {}.{}{}", locate(record), has, plan_.least,
      plan_.rules.white_space
          ? " Choose columns that all lines have, with --column; if a name in the header has "
            "blanks, "
            "join its words, for example: sed '1s/Mounted on/Mounted_on/' FILE | upsweep ..."
          : "",
      comment_hint(hash_first_)));
}

/// Throws if all lines of text begin with '#', and one as data does: "#cats 3", "#12 3".
void text_reader::expect_comments() const {
  auto const window = source_->window();
  for (std::size_t at = 0; at < window.size();
       at = std::min(window.find('\n', at), window.size() - 1) + 1) {
    auto const line = trimmed(window.substr(at, window.find('\n', at) - at));
    bool const is_data = line.size() > 1 &&
                         (is_name(line.substr(1)) || (line[1] >= '0' && line[1] <= '9')) &&
                         line.find_first_of(" \t") != std::string_view::npos;
    if (is_data)
      throw data_error(fmt::format(
          "{}: All lines begin with '#' and are comments, also '{}'; to read them, give another "
          "character for comments, as in --comment %.",
          locate(line.data()), shown(line)));
  }
}

void text_reader::refuse_as_name(field const& where, header_verdict why,
                                 std::string const& hint) const {
  if (why == header_verdict::numbers)
    throw data_error(
        fmt::format("{}: '{}' and the other numbers of this line may be names of columns, as years "
                    "are, or data; give --header or --no-header.",
                    locate(where.begin), shown(where.text())));
  if (why == header_verdict::as_good)
    throw data_error(fmt::format(
        "{}: '{}' may be the name of a column or data, and the lines below do not tell; give "
        "--header or --no-header.{}{}",
        locate(where.begin), shown(where.text()), hint, comment_hint(hash_first_)));
  throw data_error(
      fmt::format("{}: '{}' is neither a number nor a column name; give --header if this is a "
                  "header row, or --no-header if it is data{}.{}",
                  locate(where.begin), shown(where.text()), spelling_hint(where.text()),
                  comment_hint(hash_first_)));
}

void text_reader::refuse_value(std::size_t column, field const& where) const {
  auto const token = where.text();
  auto const type = plan_.values[column].type;
  auto const position = locate(where.begin);
  auto const in = plan_.form != text_form::records
                      ? std::string()
                      : fmt::format(" in column '{}'", shown(columns[column].name));
  if (plan_.missing(token)) {
    auto const what = plan_.json && token.empty() ? std::string("No value")
                      : token.empty()             ? std::string("An empty field")
                                                  : fmt::format("'{}'", shown(token));
    throw data_error(
        fmt::format("{}: {}{} is a missing value; --skip-missing skips it.", position, what, in));
  }
  if (token.find('\0') != std::string_view::npos)
    refuse({scanned::record, nullptr, nullptr, where.begin + token.find('\0')});
  std::string buffer;
  auto const number = standard_form(token, plan_.numbers, buffer);
  if (!is_number(number) && !is_truth(number))
    throw data_error(fmt::format("{}: '{}'{} is not a number{}.", position, shown(token), in,
                                 spelling_hint(token, plan_.numbers)));
  if (auto* const currency = plan_.values[column].currency; !plan_.numbers.is_in(currency, token))
    throw data_error(fmt::format("{}: {}", position, currency_error(token, in, *currency)));
  std::byte value[8];
  if (parse_number(number, type, value) == parsed::too_large) {
    auto const wider = is_integer(type) && type != dtype::i64 && type != dtype::u64
                           ? "a wider type"
                           : "f64, which rounds";
    throw data_error(
        fmt::format("{}: {}{} does not fit {}{}.", position, shown(token), in, name_of(type),
                    type == dtype::f64 ? "" : fmt::format("; give --dtype with {}", wider)));
  }
  if (plan_.values[column].shown && is_integer(type) && is_code(number))
    throw data_error(fmt::format(
        "{}: '{}'{} has leading zeros, as codes have, but the column began with numbers; give "
        "--dtype {} to read all of it as numbers.",
        position, shown(token), in, name_of(type)));
  auto const why = judged_by_sample_
                       ? ", the type of the column at the beginning of the stream; give --dtype f64"
                       : "; give another --dtype";
  throw data_error(fmt::format("{}: '{}'{} is not of type {}{}.", position, shown(token), in,
                               name_of(type), why));
}

}  // namespace upsweep::io
