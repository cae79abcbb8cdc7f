/// The reading loop of text, CSV and TSV, and how text_reader opens JSON: what a row is, and the
/// keys that are columns. text_opening.cpp determines header, columns and types of text;
/// text_errors.cpp has the error messages.
#include <io/text_reader.hpp>

#include <io/error.hpp>
#include <io/limits.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <upsweep/host/threads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

namespace upsweep::io {

/// Splits the window, from the cursor on, into pieces and does `work` on all of them.
void text_reader::begin_batch(piece_work work) {
  auto const window = source_->window();
  auto const* const end = window.data() + window.size();
  taken_ = 0;
  cut_ = cut(cursor_, end, pieces_);
  bool const ended = source_->ended();
  std::atomic<std::size_t> begun{0};
  auto share = [&](int) noexcept {
    for (std::size_t i = begun++; i < cut_; i = begun++) {
      try {
        pieces_[i].failure = nullptr;
        work(plan_, end, ended, pieces_[i]);
      } catch (...) {
        pieces_[i].failure = std::current_exception();
      }
    }
  };
  if (auto const workers = std::min(threads_, static_cast<int>(cut_)); workers > 1)
    return upsweep::host::threads::run(workers, share);
  share(0);
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

/// Remembers an integer of a column of integers that f64 would round.
void text_reader::note_large(std::size_t column, typed_column const& values) {
  auto& large = plan_.values[column].large;
  if (!large.empty() || (values.type != dtype::i64 && values.type != dtype::u64)) return;
  dispatch_storage(values.type, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      for (T const x : values.as<T>())
        if (bool const may = std::cmp_greater(x, largest_exact) || std::cmp_less(x, -largest_exact);
            may && large.empty() && is_rounded(number_text(x)))
          large = number_text(x);
  });
}

void text_reader::deliver(text_piece& piece, chunk& out) {
  out.first_row = first_row_;
  out.rows = piece.rows;
  out.columns.clear();
  for (std::size_t i = 0; i < plan_.values.size(); ++i) {
    auto const type = plan_.values[i].type;
    out.columns.push_back(
        {type, std::span<std::byte const>(piece.values[i]).first(piece.rows * size_of(type))});
    if (plan_.may_widen && !plan_.values[i].widens) note_large(i, out.columns.back());
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
    std::string content;
    auto const field = decoded(fields_[column.field], content);
    if (plan_.missing.is_own(field)) continue;
    if (!is_integer(column.type) || parse_value(plan_, column, field, value)) continue;
    auto decimals = column;
    decimals.type = dtype::f64;
    if (!parse_value(plan_, decimals, field, value)) continue;
    if (!column.large.empty())
      throw data_error(
          "In column '{}', a number with decimals follows the integer {}, which f64 would round; "
          "give --dtype f64.",
          shown(columns[i].name), column.large);
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
  if (rules.in_array && next == ',')
    refuse({scanned::bad_json, cursor_, cursor_, cursor_, "There is no value before the comma"});
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
    throw usage_error("--decimal: {} is JSON, whose numbers have a decimal point; omit it.",
                      source_->name());
  auto& rules = plan_.json.emplace();
  pass_json_bracket(rules);
  if (options.part && options.part->end > 0 && rules.in_array)
    throw usage_error(
        "{}: Reading cannot continue after the end of a JSON array; write JSON lines: jq -c '.[]'",
        source_->name());
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
    records.push_back(unquoted(fields_));
    return result;
  });
  return records;
}

}  // namespace upsweep::io
