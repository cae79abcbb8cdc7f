/// What the first lines of text must not be: fields in quotes, rows without a name, columns that
/// are shifted by blanks, a title above the header.
#include <io/aligned_columns.hpp>
#include <io/error.hpp>
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
