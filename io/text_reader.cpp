/// The reading loop of text, CSV and TSV. text_opening.cpp determines header, columns and types;
/// text_errors.cpp has the error messages.
#include <io/text_reader.hpp>

#include <io/error.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <utility>

namespace upsweep::io {

/// Splits the window, from the cursor on, into pieces and does `work` on all of them.
void text_reader::begin_batch(piece_work work) {
  auto const window = source_->window();
  auto const* const end = window.data() + window.size();
  taken_ = 0;
  cut_ = cut(cursor_, end, pieces_);
  work_on(pieces_, cut_, threads_, work, plan_, end, source_->ended());
}

/// The next piece of the batch, in order. It is parsed again if it does not begin where the
/// previous one ended, because a record crossed the boundary.
text_piece& text_reader::take_piece(piece_work work) {
  auto& piece = pieces_[taken_++];
  if (piece.from != cursor_) {
    piece.from = cursor_;
    piece.failure = nullptr;
    auto const window = source_->window();
    work(plan_, window.data() + window.size(), source_->ended(), piece);
  }
  if (piece.failure) std::rethrow_exception(piece.failure);
  cursor_ = piece.next;
  if (piece.why != text_piece::stop::whole) cut_ = taken_;  // discards the pieces after it
  return piece;
}

/// Reads what is available now or within batch_patience, and parses it; false at the end.
bool text_reader::read_batch() {
  drop_consumed();
  auto const held = source_->window().size();
  // Small amounts are parsed as they arrive, for live pipes. A long incomplete record is scanned
  // again only after its length has doubled.
  if (needs_more_ || held == 0) source_->fill(held < least_read ? held + 1 : 2 * held);
  needs_more_ = false;
  source_->fill_within(std::min(pieces_.size() * piece_bytes, stream_bytes), batch_patience);
  cursor_ = source_->window().data();
  if (source_->window().empty()) return false;
  begin_batch(parse);
  return true;
}

scan_result text_reader::scan_at_cursor() {
  auto const window = source_->window();
  auto const* const all = window.data() + window.size();
  auto const* const limit =
      cursor_ + std::min(static_cast<std::size_t>(all - cursor_), longest_record);
  return scan(plan_, cursor_, limit, source_->ended() && limit == all, fields_);
}

void text_reader::drop_consumed() {
  auto const used =
      source_->window().substr(0, static_cast<std::size_t>(cursor_ - source_->window().data()));
  lines_before_ += lines_taken_;
  lines_taken_ = 0;
  auto const last_end = used.rfind('\n');
  bytes_before_ =
      last_end == std::string_view::npos ? bytes_before_ + used.size() : used.size() - last_end - 1;
  source_->consume(used.size());
  cursor_ = source_->window().data();
}

void text_reader::deliver(text_piece& piece, chunk& out) {
  out.first_row = first_row_;
  out.rows = piece.rows;
  out.columns.clear();
  for (std::size_t i = 0; i < plan_.values.size(); ++i) {
    auto const type = plan_.values[i].type;
    out.columns.push_back(
        {type, std::span<std::byte const>(piece.values[i]).first(piece.rows * size_of(type))});
  }
  out.present.clear();
  for (std::size_t i = 0; i < plan_.values.size() && plan_.mark_missing; ++i)
    out.present.push_back(
        {dtype::boolean, std::as_bytes(std::span(piece.present[i]).first(piece.rows))});
  out.keys.clear();
  kinds_.resize(piece.keys.size());
  for (std::size_t k = 0; k < piece.keys.size(); ++k) {
    auto const& column = piece.keys[k];
    out.keys.push_back(column.texts.view());
    if (kinds_[k] == key_kind::unknown && column.begins_with_number)
      kinds_[k] = !*column.begins_with_number ? key_kind::text
                  : plan_.json                ? key_kind::number
                                              : key_kind::written_number;
  }
  if (plan_.joined) out.joined = piece.joined.view();
  for (auto& number : piece.numbers) number += first_row_ + skipped_rows;
  out.numbers = piece.numbers;
  first_row_ += piece.rows;
  skipped_rows += piece.skipped;
}

/// Changes integer columns of a stream to f64 where the record at the cursor has a decimal; false
/// if it has none.
bool text_reader::widen() {
  if (!plan_.may_widen || scan_at_cursor().what != scanned::record || fields_.size() < plan_.least)
    return false;
  bool widened = false;
  for (std::size_t i = 0; i < plan_.values.size(); ++i) {
    auto& column = plan_.values[i];
    std::byte value[8];
    auto const field = fields_[column.field].text();
    if (plan_.missing.is_own(field)) continue;
    if (!is_integer(column.type) || parse_value(plan_, column, field, value)) continue;
    auto decimals = column;
    decimals.type = dtype::f64;
    if (!parse_value(plan_, decimals, field, value)) continue;
    std::string buffer;
    auto const token = standard_form(field, plan_.numbers, buffer);
    if (token.find_first_not_of("+-0123456789") == std::string_view::npos &&
        !is_negative_zero(token))
      continue;  // beyond 64 bits
    columns[i].type = column.type = dtype::f64;
    widened = true;
  }
  return widened;
}

bool text_reader::next(chunk& out) {
  while (taken_ < cut_ || read_batch()) {
    auto& piece = take_piece(parse);
    if (piece.nul != nullptr) refuse({scanned::record, nullptr, nullptr, piece.nul});
    lines_taken_ += piece.lines;
    deliver(piece, out);
    if (piece.why == text_piece::stop::bad && !widen()) refuse_record();
    needs_more_ = piece.why == text_piece::stop::incomplete;
    if (piece.rows > 0) return true;
  }
  out = {};
  return false;
}

array_view text_reader::array() {
  throw usage_error(source_->name() +
                    " is text, which has no dimensions; only a .npy file can be read as an array.");
}

std::unique_ptr<reader> make_text_reader(std::unique_ptr<byte_source> source,
                                         input_options const& options, container found,
                                         std::span<dtype const> types) {
  return std::make_unique<text_reader>(std::move(source), options, found, types);
}

}  // namespace upsweep::io
