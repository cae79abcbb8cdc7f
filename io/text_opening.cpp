/// How text_reader opens a file: byte-order mark, delimiter, header, columns, types.
#include <io/container.hpp>
#include <io/error.hpp>
#include <io/limits.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <io/text_reader.hpp>
#include <io/text_types.hpp>
#include <upsweep/host/threads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

/// ',', or ';' if the first line has semicolons and no comma outside of quotes, as spreadsheets of
/// some locales write. Decimal commas do not separate.
char find_delimiter(std::string_view window, char decimal) {
  if (decimal == ',') return ';';
  auto const line =
      without_quoted(window.substr(0, std::min(first_line_end(window), sample_bytes)));
  bool const semicolons = !contains(line, ',') && contains(line, ';');
  return semicolons ? ';' : ',';
}

}  // namespace

text_reader::text_reader(std::unique_ptr<byte_source> source, input_options options,
                         container found, std::span<dtype const> types)
    : reader(std::move(source)), threads_(upsweep::host::threads::usable(options.threads)) {
  pieces_.resize(threads_ == 1 ? 1 : std::min(2 * static_cast<std::size_t>(threads_), most_pieces));
  format = found;
  auto const records = first_of(options);
  if (plan_.json) options = with_header(std::move(options));
  auto layout = layout_of(records, options);
  bool const one_use = options.columns.empty() && !options.uses.empty();
  layout.uses.resize(layout.values.size(), one_use ? options.uses[0] : column_use());
  hash_first_ = layout.hash_first;
  cursor_ = source_->window().data();
  if (!layout.is_clear()) {
    static_cast<void>(scan_at_cursor());
    refuse_as_name(fields_[layout.guess.field], layout.guess.what, layout.hint);
  }
  bool const chooses = !options.columns.empty() || !options.keys.empty();
  if (plan_.rules.white_space && layout.has_header && chooses) expect_name_of_each(layout.width);
  std::string const first_line(source_->window().substr(0, layout.has_header ? header_bytes_ : 0));
  has_header = layout.has_header;
  is_blank = records.empty();
  if (has_header) {
    std::string_view const header(cursor_, header_bytes_);
    if (contains(header, '\0'))
      refuse({scanned::record, nullptr, nullptr, cursor_ + header.find('\0')});
    lines_taken_ = static_cast<std::uint64_t>(std::count(header.begin(), header.end(), '\n'));
    cursor_ += header_bytes_;
    drop_consumed();
  }
  make_plan(layout, options);
  if (options.part && options.part->begin > source_->position()) {
    source_->consume(std::min(source_->window().size(),
                              static_cast<std::size_t>(options.part->begin - source_->position())));
    lines_before_ = options.part->line;
    cursor_ = source_->window().data();
  }
  if (!options.type && types.empty()) choose_types(options);
  if (options.may_be_text) take_as_text(options.known, layout.uses);
  if (plan_.rules.white_space && !first_line.empty()) expect_no_shift(first_line);
  judged_by_sample_ = !options.type && !source_->ended();
  plan_.may_widen = may_widen = options.may_widen && judged_by_sample_;
  if (!types.empty()) set_types(types);
}

/// The options of JSON for finding the layout: objects have names, and nothing is a comment.
input_options text_reader::with_header(input_options options) const {
  if (plan_.json->row == json_row::object) options.header = header_line::present;
  if (plan_.json->row == json_row::scalar) options.header = header_line::absent;
  options.comment = '\0';
  return options;
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
      throw data_error(
          "{}: All lines begin with '#' and are comments, also '{}'; to read them, give another "
          "character for comments, as in --comment %.",
          locate(line.data()), shown(line));
  }
}

/// Chooses the rules and reads the first records by them.
first_records text_reader::first_of(input_options const& options) {
  choose_rules(options);
  if (is_json(format)) return peek_json(options);
  if (!plan_.rules.white_space) pass_separator_line(options);
  auto records = peek(options);
  refuse_lone_returns(*source_);
  if (records.empty() && plan_.rules.white_space && !options.comment && !options.list)
    expect_comments();
  if (plan_.rules.white_space && options.format == container::automatic) expect_no_quotes(records);
  return records;
}

/// Passes a first line `sep=;` of CSV or TSV. Waits only while what arrived may be one.
void text_reader::pass_separator_line(input_options const& options) {
  constexpr std::string_view longest = "\"sep=;\"\r\n";
  bool const may_be = source_->begins_with("sep=") || source_->begins_with("\"sep=");
  while (may_be && source_->window().size() < longest.size() &&
         !contains(source_->window(), '\n') && source_->more()) {
  }
  auto const named = named_separator(source_->window());
  if (!named) return;
  source_->consume(named->bytes);
  lines_before_ = 1;
  if (options.delimiter == 0) plan_.rules.delimiter = delimiter = named->separator;
}

void text_reader::choose_rules(input_options const& options) {
  plan_.rules.white_space = format == container::text;
  if (is_json(format)) {
    if (options.delimiter != 0)
      throw usage_error("--delimiter: {} is JSON; omit it.", source_->name());
  } else if (options.delimiter != 0) {
    if (options.delimiter == '"' || options.delimiter == '\n' || options.delimiter == '\r')
      throw usage_error(
          "The delimiter cannot be a quote or a newline; give another character, such as ';'.");
    plan_.rules.white_space = false;
    plan_.rules.delimiter = options.delimiter;
  } else if (format == container::tsv) {
    plan_.rules.delimiter = '\t';
  } else if (format == container::csv) {
    source_->fill(1);
    while (first_line_end(source_->window()) == std::string_view::npos &&
           source_->window().size() < sample_bytes && source_->more()) {
    }
    plan_.rules.delimiter = find_delimiter(source_->window(), options.numbers.decimal);
  }
  if (format == container::text && !plan_.rules.white_space) format = container::csv;
  if (plan_.rules.white_space && (options.numbers.thousands == " "))
    throw usage_error(
        "--thousands: a blank separates the numbers of text; give --from csv or tsv, or "
        "--delimiter.");
  plan_.rules.comment =
      is_json(format) ? '\0' : options.comment.value_or(plan_.rules.white_space ? '#' : '\0');
  delimiter = plan_.rules.white_space ? ' ' : plan_.rules.delimiter;
}

/// The first records, as many as tell a header from data and a list from a table, without consuming
/// them. A line of text that does not end within the sample is a list.
first_records text_reader::peek(input_options const& options) {
  first_records records;
  bool const white_space = plan_.rules.white_space;
  if (options.list) {
    source_->fill(1);
    if (!source_->window().empty()) records.push_back({"0"});
    return records;
  }
  bool const may_be_list = white_space && options.columns.empty() && options.keys.empty();
  std::optional<header_evidence> evidence;
  auto const matters = [&] {
    if (records.size() == 1 && !knows_header(options, records[0]))
      evidence.emplace(records[0], options, white_space);
    else if (evidence)
      evidence->add(records.back());
    bool const is_second = records.size() == 1 && may_be_list && records[0].size() > 1 &&
                           options.header != header_line::present;
    return is_second || (evidence && !evidence->settled());
  };
  std::size_t at = 0;
  while (true) {
    auto const window = source_->window();
    auto const* const from = window.data() + at;
    auto const* const end = from + std::min(window.size() - at, longest_record);
    auto const result = scan_record(
        plan_.rules, from, end, source_->ended() && end == window.data() + window.size(), fields_);
    if (result.what == scanned::nothing) break;
    if (result.what == scanned::bad_quote || result.what == scanned::unclosed_quote) {
      refuse_lone_returns(*source_);
      refuse(result);
    }
    at = static_cast<std::size_t>(result.next - window.data());
    if (result.what == scanned::record) {
      records.push_back(unquoted(fields_));
      if (records.size() == 1) header_bytes_ = at;
      if (!matters()) break;
      continue;
    }
    auto const unfinished = static_cast<std::size_t>(end - result.next);
    if (may_be_list && unfinished >= sample_bytes) {
      if (records.empty()) records.push_back({"0", "0"});
      break;
    }
    if (unfinished == longest_record) {
      refuse_lone_returns(*source_);
      refuse(result);
    }
    auto const held = window.size();
    source_->fill(held < least_read ? held + 1 : 2 * held);
  }
  return records;
}

void text_reader::make_plan(text_layout const& layout, input_options const& options) {
  plan_.form = layout.form;
  plan_.numbers = options.numbers;
  plan_.respells = !options.numbers.is_standard();
  plan_.skip_missing = options.skip_missing;
  plan_.mark_missing = options.mark_missing;
  plan_.missing = missing_words(options.missing);
  plan_.may_find_gaps = options.mark_missing || !options.missing.empty();
  plan_.keys = layout.keys;
  if (layout.has_header) all_names = layout.names;
  std::size_t needed = 0;
  for (auto column : layout.values) {
    bool const may_be_text = options.may_be_text && !options.type;
    bool const is_exact = may_be_text && layout.uses[chosen.size()].is_exact();
    needed = std::max(needed, column + 1);
    std::size_t const c = chosen.size();
    if (c < layout.as_text.size() && layout.as_text[c]) {
      chosen.push_back({true, plan_.keys.size()});
      plan_.keys.push_back(column);
      continue;
    }
    chosen.push_back({false, columns.size()});
    plan_.values.push_back({column, options.type.value_or(dtype::f64),
                            plan_.numbers.currency_of(layout.names[column]), false, is_exact});
    columns.push_back({layout.names[column], options.type.value_or(dtype::f64)});
  }
  key_counts = layout.key_counts;
  for (auto column : plan_.keys) {
    keys.push_back(layout.names[column]);
    needed = std::max(needed, column + 1);
  }
  // If columns are chosen, lines of text may have any number of further fields, as the output of ps
  // does. If none is chosen, or whole rows or all columns up to the last are, every
  // field must be read.
  bool const open = plan_.rules.white_space && !options.whole_rows && !layout.every_field &&
                    (!options.columns.empty() || options.keys_only);
  // Under a header, the last field may have blanks, as the commands that ps lists. It is no number
  // then: another field had a blank.
  auto const is_last = [&](std::size_t column) { return column + 1 == layout.width; };
  bool const uses_last =
      std::ranges::any_of(plan_.keys, is_last) ||
      std::ranges::any_of(plan_.values, [&](auto const& each) { return is_last(each.field); });
  if (plan_.rules.white_space && layout.has_header && layout.width > 1 && (!open || uses_last))
    plan_.rules.columns = layout.width;
  plan_.least = open ? needed : layout.width;
  plan_.most = open ? ~std::size_t{0} : layout.width;
  if (plan_.json) plan_.json->refuses_new = options.whole_rows || layout.every_field;
}

/// Guesses the types from the text in the window: of a mapped file, all of it or as much as
/// decides; of a stream, what has arrived.
void text_reader::guess_types() {
  guesses.assign(plan_.values.size(), {});
  plan_.seeks_rounded = false;
  bool has_looked = false;
  auto const window = source_->window();
  cursor_ = window.data();
  for (begin_batch(observe); cut_ != 0; begin_batch(observe)) {
    while (taken_ < cut_) {
      auto const& piece = take_piece(observe);
      bool settled = true, may_round = false;
      for (std::size_t i = 0; i < guesses.size(); ++i) {
        bool const exact = plan_.values[i].exact;
        guesses[i].merge(piece.guesses[i]);
        settled = settled && guesses[i].settled(exact && plan_.seeks_rounded);
        may_round = may_round || (exact && guesses[i].has_decimals());
      }
      if (may_round && !std::exchange(has_looked, true)) {
        auto const rest = window.substr(static_cast<std::size_t>(piece.from - window.data()));
        plan_.seeks_rounded = plan_.respells || has_long_integer(rest);
        if (plan_.seeks_rounded) {  // from here on
          cursor_ = piece.from;
          break;
        }
      }
      if (settled || piece.why != text_piece::stop::whole) return;  // `next` will report the error
    }
    source_->release(cursor_);
  }
}

void text_reader::choose_types(input_options const& options) {
  for (bool enough = false; !enough;) {
    if (options.may_widen)
      source_->fill_within(sample_bytes, sample_patience);
    else
      source_->fill(sample_bytes);
    guess_types();
    enough = source_->ended() || source_->window().size() >= sample_bytes ||
             std::all_of(guesses.begin(), guesses.end(),
                         [](auto const& guess) { return guess.has_seen(); });
    if (!enough) static_cast<void>(source_->more());
  }
  for (std::size_t i = 0; i < guesses.size(); ++i) {
    columns[i].type = plan_.values[i].type = guesses[i].type();
    columns[i].has_no_values = source_->ended() && !guesses[i].has_seen();
  }
  cursor_ = source_->window().data();
  taken_ = cut_ = 0;
}

/// Makes keys of the other chosen columns that are text: those that `known` says, or that begin
/// with text and are not used as numbers; of codes also if they are.
void text_reader::take_as_text(std::vector<chosen_column> const& known,
                               std::vector<column_use> const& uses) {
  std::size_t kept = 0;
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    if (chosen[c].is_text) continue;
    std::size_t const i = chosen[c].index;
    auto const guess = i < guesses.size() ? guesses[i] : type_guess();
    bool const is_exact = i < guesses.size() && uses[c].is_exact();
    bool const are_codes = uses[c].as_written && guess.are_codes();
    bool const rounds = known.empty() ? is_exact && guess.rounds() : known[c].rounds;
    bool const keeps_texts = are_codes || rounds;
    bool const begins_with_text =
        guess.begins_with_text() && !(uses[c].in_order && guess.begins_like_number());
    bool const only_written =
        keeps_texts && !uses[c].in_order && !uses[c].computes && !uses[c].compares;
    bool const is_text = !known.empty() ? known[c].is_text
                                        : (begins_with_text || only_written) && !uses[c].as_numbers;
    bool const written = !known.empty() ? known[c].written.has_value() : keeps_texts && !is_text;
    chosen[c] = {is_text, is_text ? keys.size() : kept, {}, rounds};
    if (written) chosen[c].written = keys.size();
    if (is_text || written) {
      plan_.respelled.resize(keys.size());
      plan_.respelled.push_back(rounds && !are_codes);
      plan_.keys.push_back(plan_.values[i].field);
      keys.push_back(columns[i].name);
    }
    if (is_text) continue;
    plan_.values[i].shown = uses[c].as_written && !written && i < guesses.size();
    plan_.values[i].exact = is_exact && !rounds;
    plan_.values[i].widens = !is_exact && !uses[c].computes;
    plan_.values[kept] = plan_.values[i];
    if (i < guesses.size()) guesses[kept] = guesses[i];
    keeps_spelling.push_back(plan_.values[i].shown);
    stays_exact.push_back(plan_.values[i].exact);
    columns[kept++] = columns[i];
  }
  plan_.values.resize(kept);
  columns.resize(kept);
  guesses.resize(std::min(kept, guesses.size()));
}

void text_reader::set_types(std::span<dtype const> types) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i].type = plan_.values[i].type = types[i];
}

void text_reader::join_keys(key_joining const& how) {
  auto const end =
      plan_.keys.begin() + static_cast<std::ptrdiff_t>(std::min(how.keys, plan_.keys.size()));
  auto& joined = plan_.joined.emplace();
  joined.fields.assign(plan_.keys.begin(), end);
  joined.separator = how.separator;
  joined.quotes = how.quotes;
  for (std::size_t k = 0; k < how.keys && how.members; ++k)
    append_json_text(joined.names.emplace_back(), keys[k]) += ':';
  plan_.keys.erase(plan_.keys.begin(), end);
  auto& respelled = plan_.respelled;
  respelled.erase(respelled.begin(), respelled.begin() + static_cast<std::ptrdiff_t>(
                                                             std::min(how.keys, respelled.size())));
  shift_texts(how.keys);
  std::vector<std::size_t> all(plan_.most == plan_.least ? plan_.most : 0);
  std::iota(all.begin(), all.end(), std::size_t{0});
  joined.as_read = !plan_.rules.white_space && !plan_.json &&
                   how.separator == plan_.rules.delimiter && joined.fields == all;
}

}  // namespace upsweep::io
