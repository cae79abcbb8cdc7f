/// The reading loop of text, CSV and TSV. Its opening moves (header, columns, types) are in text_opening.cpp, its errors in
/// text_errors.cpp.
#include "text_reader.hpp"

#include <algorithm>
#include <cstring>

#include "number.hpp"
#include "text_types.hpp"

namespace upsweep::cli::io {

scan_result text_reader::scan(char const* from, char const* end, bool last) {
  if (!flat_) return scan_record(rules_, from, end, last, fields_);
  fields_.resize(1);
  return scan_token(rules_, from, end, last, fields_[0]);
}

text_reader::step text_reader::advance() {
  for (;;) {
    auto const window = source_->window();
    auto const* const all = window.data() + window.size();
    auto const* const end = cursor_ + std::min(static_cast<std::size_t>(all - cursor_), longest_record);
    auto const result = scan(cursor_, end, source_->ended() && end == all);
    switch (result.what) {
      case scanned::record:
        cursor_ = result.next;
        record_ = result.start;
        return step::record;
      case scanned::nothing:
        cursor_ = result.next;
        return step::end;
      case scanned::bad_quote:
      case scanned::unclosed_quote:
        refuse(result);
      case scanned::incomplete:
        break;
    }
    bool const moved = result.next != cursor_;  // over blank lines and comments
    cursor_ = result.next;
    if (static_cast<std::size_t>(end - cursor_) == longest_record) refuse(result);
    if (moved && end != all) continue;
    if (rows_ > 0 && source_->would_wait()) return step::pause;
    drop_consumed();
    // Small pieces are taken as they come, for the sake of live pipes; a long record is rescanned only when it has doubled.
    auto const held = source_->window().size();
    source_->fill(held < least_read ? held + 1 : 2 * held);
    cursor_ = source_->window().data();
  }
}

void text_reader::store() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    auto& column = values_[i];
    auto const& where = fields_[column.field];
    auto* const target = column.values.data() + rows_ * size_of(column.type);
    if (parse_number(where.text(), column.type, target) == parsed::good) continue;
    if (skip_missing_ && is_missing(where.text())) {
      ++skipped_rows;
      return;
    }
    refuse_value(i, where);
  }
  for (auto& column : key_columns_) {
    auto const before = column.characters.size();
    append_unquoted(column.characters, fields_[column.field]);
    column.ends.push_back(column.characters.size());
    key_bytes_ += column.characters.size() - before;
  }
  if (skip_missing_) numbers_.push_back(first_row_ + rows_ + skipped_rows);
  ++rows_;
}

void text_reader::drop_consumed() {
  auto const used = source_->window().substr(0, static_cast<std::size_t>(cursor_ - source_->window().data()));
  if (!used.empty()) {
    if (auto const nul = used.find('\0'); nul != std::string_view::npos)
      refuse({scanned::record, nullptr, nullptr, used.data() + nul});
  }
  lines_before_ += static_cast<std::uint64_t>(std::count(used.begin(), used.end(), '\n'));
  auto const last_end = used.rfind('\n');
  bytes_before_ = last_end == std::string_view::npos ? bytes_before_ + used.size() : used.size() - last_end - 1;
  source_->consume(used.size());
  cursor_ = source_->window().data();
}

bool text_reader::next(chunk& out) {
  rows_ = 0;
  key_bytes_ = 0;
  numbers_.clear();
  for (auto& column : key_columns_) {
    column.characters.clear();
    column.ends.clear();
  }
  for (auto& column : values_) column.values.resize(rows_per_chunk_ * size_of(column.type));
  cursor_ = source_->window().data();
  while (rows_ < rows_per_chunk_ && key_bytes_ < chunk_bytes) {
    if (advance() != step::record) break;
    check_width();
    store();
  }
  drop_consumed();

  out.first_row = first_row_;
  out.rows = rows_;
  out.columns.clear();
  for (auto const& column : values_)
    out.columns.push_back({column.type, std::span<std::byte const>(column.values).first(rows_ * size_of(column.type))});
  out.keys.clear();
  for (auto const& column : key_columns_) out.keys.push_back({column.characters, column.ends});
  out.numbers = numbers_;
  first_row_ += rows_;
  return rows_ > 0;
}

array_view text_reader::array() {
  throw usage_error(source_->name() + " is text, which has no dimensions; only .npy can be taken as an array.");
}

std::unique_ptr<reader> make_text_reader(std::unique_ptr<byte_source> source, input_options const& options, container found) {
  return std::make_unique<text_reader>(std::move(source), options, found);
}

}  // namespace upsweep::cli::io
