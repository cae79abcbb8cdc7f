/// The error messages of text_reader: each gives the position, what was found, and what to do. What
/// the first lines of text must not be: fields in quotes, rows without a name, columns that are
/// shifted by blanks, a title above the header.
#include <io/error.hpp>
#include <io/limits.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <io/text_reader.hpp>
#include <io/text_types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
          "{}: There is text after a closing quote; a quote inside a quoted field must be doubled. "
          "The field opens at {}; perhaps its quote was not closed.",
          locate(result.at), locate(result.next));
    case scanned::bad_json:
      throw data_error("{}: {}.", locate(result.at), result.why);
    case scanned::unclosed_quote:
      throw data_error("{}: The quote that opens here is never closed; the file may be truncated.",
                       locate(result.at));
    case scanned::incomplete:
      throw data_error(
          "{}: A {} is longer than {} bytes; the file may not be text, or a quote may not be "
          "closed.",
          locate(result.next), plan_.form != text_form::records ? "number" : "record",
          longest_record);
    default:
      throw data_error(
          "{}: Text cannot contain a NUL byte; if the file is binary, give --from raw or --from "
          "npy.",
          locate(result.at));
  }
}

/// Throws an error for the record at the cursor.
void text_reader::refuse_record() {
  auto const result = scan_at_cursor();
  if (result.what != scanned::record) refuse(result);
  if (plan_.form == text_form::records) check_width(result.start);
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
  auto const& second = fields_[1];
  std::string buffer;
  auto const number = standard_form(second.text(), plan_.numbers, buffer);
  if (!is_number(number) && !is_truth(number)) refuse_value(0, second);
  throw data_error(
      "{}: '{}' is a second number on its line, but the first line has one; choose a column with "
      "--column, or read all numbers with --list.",
      locate(second.begin), shown(second.text()));
}

void text_reader::refuse_nested(std::string const& name, field const& where) const {
  if (where.json != json_kind::nested) return;
  bool const is_object = *where.begin == '{';
  std::string hint = ".";
  if (plan_.json->row != json_row::scalar) {
    auto const path = plan_.json->row == json_row::object
                          ? fmt::format(".\"{}\"", shown(name))
                          : fmt::format(".[{}]", &where - fields_.data());
    hint =
        fmt::format(", or take a value out of it: jq -c '{}{} = {}{}' FILE | upsweep ...",
                    plan_.json->in_array ? ".[] | " : "", path, path, is_object ? ".KEY" : "[0]");
  }
  throw data_error(
      "{}: '{}' holds an {}, but a column holds single values; choose columns without it{}",
      locate(where.begin), shown(name), is_object ? "object" : "array", hint);
}

void text_reader::check_width(char const* record) const {
  if (fields_.size() >= plan_.least && fields_.size() <= plan_.most) return;
  auto const has = fmt::format("{} field{}", fields_.size(), fields_.size() == 1 ? "" : "s");
  if (plan_.most != plan_.least)
    throw data_error("{}: This line has {}, but column {} was chosen.", locate(record), has,
                     plan_.least);
  throw data_error(
      "{}: This record has {}, but the first has {}.{}{}", locate(record), has, plan_.least,
      plan_.rules.white_space ? " Choose columns that all lines have, with --column; if a name in "
                                "the header has blanks, join its words, for example: sed "
                                "'1s/Mounted on/Mounted_on/' FILE | upsweep ..."
                              : "",
      comment_hint(hash_first_));
}

void text_reader::refuse_as_name(field const& where, header_verdict why,
                                 std::string const& hint) const {
  if (why == header_verdict::numbers)
    throw data_error(
        "{}: '{}' and the other numbers of this line may be names of columns, as years are, or "
        "data; give --header or --no-header.",
        locate(where.begin), shown(where.text()));
  if (why == header_verdict::as_good)
    throw data_error(
        "{}: '{}' may be the name of a column or data, and the lines below do not tell; give "
        "--header or --no-header.{}{}",
        locate(where.begin), shown(where.text()), hint, comment_hint(hash_first_));
  throw data_error(
      "{}: '{}' is neither a number nor a column name; give --header if this is a header row, or "
      "--no-header if it is data{}.{}",
      locate(where.begin), shown(where.text()), spelling_hint(where.text()),
      comment_hint(hash_first_));
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
    throw data_error("{}: {}{} is a missing value; --skip-missing skips it.", position, what, in);
  }
  if (contains(token, '\0'))
    refuse({scanned::record, nullptr, nullptr, where.begin + token.find('\0')});
  std::string buffer;
  auto const number = standard_form(token, plan_.numbers, buffer);
  if (!is_number(number) && !is_truth(number))
    throw data_error("{}: '{}'{} is not a number{}.", position, shown(token), in,
                     spelling_hint(token, plan_.numbers));
  if (auto* const currency = plan_.values[column].currency; !plan_.numbers.is_in(currency, token))
    throw data_error("{}: {}", position, currency_error(token, in, *currency));
  std::byte value[8];
  if (parse_number(number, type, value) == parsed::too_large) {
    auto const wider = is_integer(type) && type != dtype::i64 && type != dtype::u64
                           ? "a wider type"
                           : "f64, which rounds";
    throw data_error("{}: {}{} does not fit {}{}.", position, shown(token), in, name_of(type),
                     type == dtype::f64 ? "" : fmt::format("; give --dtype with {}", wider));
  }
  if (plan_.values[column].shown && is_integer(type) && is_code(number))
    throw data_error(
        "{}: '{}'{} has leading zeros, as codes have, but the column began with numbers; give "
        "--dtype {} to read all of it as numbers.",
        position, shown(token), in, name_of(type));
  if (plan_.values[column].exact && type == dtype::f64 && is_rounded(number))
    throw data_error(
        "{}: {}{} is an integer that f64 would round beside decimals; give --dtype f64 if it may, "
        "or a file instead of a stream.",
        position, shown(token), in);
  auto const why = judged_by_sample_
                       ? ", the type of the column at the beginning of the stream; give --dtype f64"
                       : "; give another --dtype";
  throw data_error("{}: '{}'{} is not of type {}{}.", position, shown(token), in, name_of(type),
                   why);
}
namespace {

/// In a row of `docker ps`, the field below a name is not that of the same number: other fields
/// have blanks, or are empty.
struct shifted_columns {
  std::size_t first = 0;  ///< the first column that may be shifted
  std::size_t row = 0;    ///< counted from 0
  std::size_t column = 0, field = 0;
  std::string name, text;  ///< of that column, and of the field below it
};

constexpr std::size_t most_rows = 1000;

struct word {
  std::size_t begin, end;  ///< in characters
  bool apart;              ///< two blanks or more precede it
  std::string_view text;
};

/// The words of a line; none if it has tabs.
std::vector<word> words_of(std::string_view line) {
  std::vector<word> words;
  if (contains(line, '\t')) return words;
  std::size_t column = 0, blanks = 0, begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ' || line[i] == '\r' || line[i] == '\n') {
      blanks = inside ? 1 : blanks + 1;
      inside = false;
    } else if (!inside) {
      inside = true;
      begin = i;
      words.push_back({column, column, blanks > 1, {}});
    }
    bool const continues = (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;  // UTF-8
    if (!continues) ++column;
    if (inside) {
      words.back().end = column;
      words.back().text = line.substr(begin, i + 1 - begin);
    }
  }
  return words;
}

/// What one row says; `certain` if its blanks do. As many fields as names are evidence only if two
/// of them lie alike: headers typed by hand above numbers of a fixed width are not aligned.
struct row_evidence {
  std::optional<shifted_columns> shift;
  bool certain = false;
};

row_evidence compare(std::vector<word> const& names, std::vector<word> const& fields) {
  row_evidence found;
  std::size_t agreed = 0, apart = 0;
  for (std::size_t k = 0, j = 0; k < names.size(); ++k) {
    while (j < fields.size() && fields[j].begin < names[k].begin) ++j;
    auto const is_below = [&](std::size_t i) {
      return i < fields.size() &&
             (fields[i].begin == names[k].begin || fields[i].end == names[k].end);
    };
    if (is_below(k)) agreed = k + 1;
    if (j == k || j == fields.size() || fields[j].begin != names[k].begin) continue;
    if (!found.shift)
      found.shift = {agreed, 0, k, j, std::string(names[k].text), std::string(fields[j].text)};
    if (fields[j].apart) ++apart;
  }
  found.certain = apart > (fields.size() == names.size() ? 1 : 0);
  return found;
}

/// `rows` are whole lines. A field that begins exactly below the name of another number is evidence
/// if two blanks or more precede it, or if all of several longer rows agree. Rows with tabs have
/// none.
std::optional<shifted_columns> find_shift(std::string_view header, std::string_view rows,
                                          char comment) {
  auto const names = words_of(header);
  std::optional<shifted_columns> certain, likely;
  std::size_t longer = 0, agree = 0;
  auto const keep = [](auto& kept, auto&& found) {
    if (!kept || found->first < kept->first) kept = std::move(found);
  };
  for (std::size_t row = 0; row < most_rows && !rows.empty(); ++row) {
    auto const end = std::min(rows.find('\n'), rows.size());
    auto const fields = words_of(rows.substr(0, end));
    rows.remove_prefix(std::min(end + 1, rows.size()));
    if (fields.empty() || fields[0].text[0] == comment) continue;
    auto found = compare(names, fields);
    if (found.shift) found.shift->row = row;
    bool const is_longer = fields.size() > names.size();
    if (is_longer) ++longer;
    if (found.certain) {
      keep(certain, std::move(found.shift));
    } else if (found.shift && is_longer) {
      ++agree;
      keep(likely, std::move(found.shift));
    }
  }
  if (!certain && longer > 1 && agree == longer) return likely;
  return certain;
}

}  // namespace

/// Throws if fields of text are in quotes: one may have blanks, which would move those after it.
void text_reader::expect_no_quotes(first_records const& records) const {
  for (auto const& record : records)
    for (auto token = record.begin(); token != record.end(); ++token)
      if (token->starts_with('"') && std::any_of(token, record.end(), [&](auto const& closing) {
            return closing.ends_with('"') && (&closing != &*token || closing.size() > 1);
          }))
        throw data_error(
            "{}: {} begins a field in quotes, but fields that end at white space have none; give "
            "--delimiter ' ' (or another) for quotes, or --from text to take them as they stand.",
            source_->name(), shown(*token));
}

/// Throws if the rows of text have one field more than the header has names, all of them or the
/// first with numbers under all names: row names, as R writes them. Lines with text at their end
/// (`ps aux`) have different numbers of fields.
void text_reader::expect_name_of_each(std::size_t width) {
  constexpr std::size_t most = 100;
  std::size_t rows = 0, at = header_bytes_;
  bool numbers = false;
  while (rows < most && !numbers) {
    auto const window = source_->window();
    auto const* const end = window.data() + window.size();
    auto const result =
        scan_record(plan_.rules, window.data() + at, end, source_->ended(), fields_);
    if (result.what == scanned::incomplete && rows < 2 && source_->more()) continue;
    if (result.what != scanned::record) break;
    if (fields_.size() != width + 1) return;
    at = static_cast<std::size_t>(result.next - window.data());
    numbers = rows++ == 0 && std::all_of(fields_.begin() + 1, fields_.end(), [](auto const& each) {
                return is_number(each.text()) || is_missing(each.text());
              });
  }
  auto const window = source_->window();
  if ((rows < 2 && !numbers) || find_shift(window.substr(0, header_bytes_),
                                           window.substr(header_bytes_), plan_.rules.comment))
    return;
  throw data_error(
      "{}: Each row has one field more than the header has names, as R writes row names; name the "
      "first column: sed '1s/^/row /' FILE | upsweep ...",
      source_->name());
}

/// Throws if columns that are used come after a field with blanks, or an empty one.
void text_reader::expect_no_shift(std::string const& header) const {
  auto const window = source_->window();
  auto rows = window.substr(static_cast<std::size_t>(cursor_ - window.data()));
  if (!source_->ended()) rows = rows.substr(0, rows.rfind('\n') + 1);
  auto const shift = find_shift(header, rows, plan_.rules.comment);
  if (!shift) return;
  auto const is_shifted = [&](std::size_t column) { return column >= shift->first; };
  if (!std::ranges::any_of(plan_.keys, is_shifted) &&
      !std::ranges::any_of(plan_.values, [&](auto const& each) { return is_shifted(each.field); }))
    return;
  auto const* line = rows.data();
  for (std::size_t row = 0; row < shift->row; ++row)
    line = std::find(line, rows.data() + rows.size(), '\n') + 1;
  throw data_error(
      "{}: '{}' is below '{}', but it is field {} of its line, and the name is number {}: another "
      "field or name has blanks, or is empty. Separate the columns by tabs, for example: sed -E "
      "'s/ {{2,}}/\\t/g' FILE | upsweep ... --from tsv",
      locate(line), shown(shift->text), shown(shift->name), shift->field + 1, shift->column + 1);
}

/// Adds to a message about missing columns that a line below has more fields.
text_layout text_reader::layout_of(first_records const& records, input_options& options) {
  constexpr std::size_t most = 5;
  try {
    return find_layout(records, options, plan_.rules.white_space, source_->name());
  } catch (usage_error const& error) {
    if (records.empty() || plan_.json || options.list) throw;
    auto const window = source_->window();
    auto const* from = window.data() + header_bytes_;
    auto const* const end = window.data() + window.size();
    for (std::size_t line = 0; line < most; ++line) {
      auto const result = scan_record(plan_.rules, from, end, source_->ended(), fields_);
      if (result.what != scanned::record) break;
      bool const is_title = records[0].size() == 1 && fields_.size() > 1;
      if (is_title || fields_.size() > records[0].size() + 1) {
        auto const number =
            lines_before_ + 1 +
            static_cast<std::uint64_t>(std::count(window.data(), result.start, '\n'));
        throw usage_error(
            "{} Line {} has {} fields; if a title precedes it, remove that: tail -n +{} FILE | "
            "upsweep ...",
            error.what(), number, fields_.size(), number);
      }
      from = result.next;
    }
    throw;
  }
}

}  // namespace upsweep::io
