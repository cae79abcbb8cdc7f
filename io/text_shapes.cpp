/// What the first lines of text must not be: fields in quotes, rows without a name, columns that
/// are shifted by blanks, a title above the header.
#include <io/error.hpp>
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
  if (line.find('\t') != std::string_view::npos) return words;
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
        throw data_error(fmt::format(
            "{}: {} begins a field in quotes, but fields that end at white space have none; give "
            "--delimiter ' ' (or another) for quotes, or --from text to take them as they stand.",
            source_->name(), shown(*token)));
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
      fmt::format("{}: Each row has one field more than the header has names, as R writes row "
                  "names; name the first column: sed '1s/^/row /' FILE | upsweep ...",
                  source_->name()));
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
  throw data_error(fmt::format(
      "{}: '{}' is below '{}', but it is field {} of its line, and the name is number {}: another "
      "field or name has blanks, or is empty. Separate the columns by tabs, for example: sed -E "
      "'s/ {{2,}}/\\t/g' FILE | upsweep ... --from tsv",
      locate(line), shown(shift->text), shown(shift->name), shift->field + 1, shift->column + 1));
}

/// Adds to a message about missing columns that a line below has more fields.
text_layout text_reader::layout_of(first_records const& records, input_options& options) {
  constexpr std::size_t most = 5;
  try {
    return find_layout(records, options, plan_.rules.white_space, source_->name());
  } catch (usage_error const& error) {
    if (records.empty() || plan_.json) throw;
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
        throw usage_error(fmt::format(
            "{} Line {} has {} fields; if a title precedes it, remove that: tail -n +{} "
            "FILE | upsweep ...",
            error.what(), number, fields_.size(), number));
      }
      from = result.next;
    }
    throw;
  }
}

}  // namespace upsweep::io
