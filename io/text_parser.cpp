/// Parses the records of a piece, and distributes the pieces over threads.
#include <io/text_parser.hpp>

#include <io/limits.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace upsweep::io {
namespace {

/// A record whose fields have no quotes.
class indexed_record {
 public:
  /// Field i ends at text + ends[i]; the first begins at `begin`.
  indexed_record(char const* begin, char const* text, std::uint32_t const* ends, std::size_t size)
      : begin_(begin), text_(text), ends_(ends), size_(size) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] field operator[](std::size_t i) const noexcept {
    field bare{begin_of(i), text_ + ends_[i], false};
    trim(bare);
    return bare;
  }
  /// The record's line, without its end.
  [[nodiscard]] std::string_view line() const noexcept {
    return {begin_, static_cast<std::size_t>(end() - begin_)};
  }
  /// True if every field is its text: it has characters, and no blanks around them.
  [[nodiscard]] bool is_trimmed() const noexcept {
    for (std::size_t i = 0; i < size_; ++i) {
      auto const *const first = begin_of(i), *const last = text_ + ends_[i];
      if (first == last || is_blank(*first) || is_blank(last[-1])) return false;
    }
    return true;
  }
  /// Where the next record begins.
  [[nodiscard]] char const* next() const noexcept { return end() + 1; }

 private:
  [[nodiscard]] char const* begin_of(std::size_t i) const noexcept {
    return i == 0 ? begin_ : text_ + ends_[i - 1] + 1;
  }
  [[nodiscard]] char const* end() const noexcept { return text_ + ends_[size_ - 1]; }

  char const* begin_;
  char const* text_;
  std::uint32_t const* ends_;
  std::size_t size_;
};

/// Finds the usual records of delimited text, those without quotes, by an index of the separators
/// in a part of it: vector instructions find all of them, and a record is the next few.
class record_index {
 public:
  /// Finds records of `width` fields, at least one.
  record_index(record_rules const& rules, std::size_t width)
      : rules_(rules),
        width_(width),
        positions_(std::make_unique_for_overwrite<std::uint32_t[]>(
            index_bytes + upsweep::host::simd::positions_slack)) {}

  /// The record that begins at `at`, which must not be before that of the latest call. Nothing
  /// if it is not of the usual kind: it has quotes, another number of fields, is blank or a
  /// comment, does not end before `limit`, or is longer than the index.
  [[nodiscard]] std::optional<indexed_record> find(char const* at, char const* limit) {
    if (at < begin_ || at >= end_) fill(at, limit);
    while (next_ < count_ && begin_ + positions_[next_] < at) ++next_;
    if (next_ + width_ > count_ && at != begin_ && end_ != limit) fill(at, limit);
    if (next_ + width_ > count_ || !is_usual(at)) return std::nullopt;
    auto const* const ends = positions_.get() + next_;
    next_ += width_;
    return std::optional<indexed_record>(std::in_place, at, begin_, ends, width_);
  }

 private:
  void fill(char const* at, char const* limit) {
    std::size_t const bytes = std::min(static_cast<std::size_t>(limit - at), index_bytes);
    count_ =
        upsweep::host::simd::find_bytes(at, bytes, rules_.delimiter, '\n', '"', positions_.get());
    next_ = 0;
    begin_ = at;
    end_ = at + bytes;
  }
  /// Whether the next separators are those of a record that begins at `at`.
  [[nodiscard]] bool is_usual(char const* at) const {
    auto const* const ends = positions_.get() + next_;
    bool usual = begin_[ends[width_ - 1]] == '\n';
    for (std::size_t i = 0; i + 1 < width_; ++i) usual &= begin_[ends[i]] == rules_.delimiter;
    if (!usual) return false;
    if (rules_.comment != '\0' && *at == rules_.comment) return false;
    return width_ > 1 || std::any_of(at, begin_ + ends[0], [](char c) { return !is_blank(c); });
  }

  record_rules rules_;
  std::size_t width_;
  std::unique_ptr<std::uint32_t[]> positions_;  // counted from begin_
  std::size_t count_ = 0, next_ = 0;
  char const* begin_ = nullptr;
  char const* end_ = nullptr;
};

/// Scans the record at piece.next and calls take(fields); false if the piece ends there.
template <class Take>
bool walk_one(text_plan const& plan, char const* end, bool ended, text_piece& piece,
              field_list& fields, Take const& take) {
  auto const* const limit =
      piece.next + std::min(static_cast<std::size_t>(end - piece.next), longest_record);
  auto const result = scan(plan, piece.next, limit, ended && limit == end, fields);
  if (result.what == scanned::record) {
    if (result.start >= piece.to &&
        piece.to[-1] == '\n') {  // blank lines and comments may extend into the next piece
      piece.next = piece.to;
      return false;
    }
    if (!take(fields)) {
      piece.why = text_piece::stop::bad;
      return false;
    }
    piece.next = result.next;
    return true;
  }
  bool const moved = result.next != piece.next;  // past blank lines and comments
  if (result.what == scanned::nothing || result.what == scanned::incomplete)
    piece.next = result.next;
  if (result.what == scanned::nothing) return false;
  bool const too_long = static_cast<std::size_t>(limit - piece.next) == longest_record;
  if (result.what == scanned::incomplete && !too_long && moved && limit != end) return true;
  piece.why = result.what == scanned::incomplete && !too_long ? text_piece::stop::incomplete
                                                              : text_piece::stop::bad;
  return false;
}

/// Calls take(fields) for each record that begins in [from, to), until it returns false. `fields`
/// is a field_list, or an indexed_record.
template <class Take>
void walk(text_plan const& plan, char const* end, bool ended, text_piece& piece, Take const& take) {
  field_list fields;
  piece.next = piece.from;
  piece.why = text_piece::stop::whole;
  std::optional<record_index> index;
  bool const delimited = plan.form == text_form::records && !plan.rules.white_space && !plan.json;
  if (delimited && plan.most > 0) index.emplace(plan.rules, plan.most);
  while (piece.next < piece.to) {
    while (auto const record = index ? index->find(piece.next, piece.to) : std::nullopt) {
      if (!take(*record)) {
        piece.why = text_piece::stop::bad;
        return;
      }
      piece.next = record->next();
    }
    if (piece.next < piece.to && !walk_one(plan, end, ended, piece, fields, take)) return;
  }
}

bool parse_standard(text_plan const& plan, text_plan::value_column const& column,
                    std::string_view token, void* value) {
  auto const type = column.type;
  if (parse_number(token, type, value) != parsed::good) return false;
  if (column.shown && is_integer(type) && is_code(token)) return false;
  if (column.exact && type == dtype::f64 && is_rounded(token)) return false;
  return !plan.may_widen || !is_integer(type) || !is_negative_zero(token);
}

/// Separate, because its buffer would slow down the usual case.
[[gnu::noinline, gnu::cold]] bool parse_respelled(text_plan const& plan,
                                                  text_plan::value_column const& column,
                                                  std::string_view token, void* value) {
  std::string buffer;
  return parse_standard(plan, column, standard_form(token, plan.numbers, buffer), value) &&
         plan.numbers.is_in(column.currency, token);
}

void append_respelled(text_plan const& plan, std::string_view token, std::string& to) {
  std::string buffer;
  if (plan.missing(token))
    to += token;
  else
    append_spelling(to, standard_form(token, plan.numbers, buffer));
}

/// Appends the fields that are there as members of an object.
template <class Record>
void join_members(joined_fields const& how, Record const& fields, std::string& to) {
  bool first = true;
  for (std::size_t i = 0; i < how.fields.size(); ++i) {
    field const from = fields[how.fields[i]];
    if (from.json == json_kind::none) continue;
    if (!first) to += ',';
    first = false;
    to += how.names[i];
    append_token(to, from);
  }
}

/// Appends the fields as they are written.
template <class Record>
void join(joined_fields const& how, Record const& fields, text_buffer& to) {
  if (!how.names.empty()) {
    join_members(how, fields, to.characters);
    to.end();
    return;
  }
  if constexpr (std::is_same_v<Record, indexed_record>)
    if (how.as_read && fields.is_trimmed() && !contains(fields.line(), '\r')) {
      to.characters += fields.line();
      return to.end();
    }
  for (std::size_t i = 0; i < how.fields.size(); ++i) {
    if (i > 0) to.characters += how.separator;
    auto const from = fields[how.fields[i]];
    std::string buffer;
    bool const differs = from.quoted || from.json == json_kind::escaped;
    if (differs) append_unquoted(buffer, from);
    std::string_view const text = differs ? buffer : from.text();
    append_field(to.characters, text, how.quotes ? how.separator : '\0');
  }
  to.end();
}

/// Parses a value, notes whether the next row has one in column `i`, and returns that. Separate,
/// because it would slow down the usual case.
[[gnu::noinline]] bool find_gap(text_plan const& plan, std::string_view token, std::size_t i,
                                text_piece& piece, void* value) {
  bool const present =
      !plan.missing.is_own(token) && parse_value(plan, plan.values[i], token, value);
  if (!plan.mark_missing) return present;
  auto& marks = piece.present[i];
  if (marks.size() <= piece.rows) marks.resize(std::max<std::size_t>(2 * marks.size(), 1024));
  marks[piece.rows] = present ? 1 : 0;
  return present;
}

/// Whether a key is a number, without a currency, and not a code such as "007".
bool is_number_key(text_plan const& plan, std::string_view key) {
  auto spelling = plan.numbers;
  spelling.currencies.reset();
  std::string buffer, number;
  auto const token = standard_form(key, spelling, buffer);
  bool const has_digits = token.find_first_of("0123456789") != std::string_view::npos;
  return append_json_number(number, token) || (is_number(token) && !has_digits);
}

/// Whether the first key that is not missing is a number, and none is a code.
std::optional<bool> begins_with_number(text_plan const& plan, text_column const& keys) {
  std::size_t row = 0;
  while (row < keys.size() && plan.missing(keys[row])) ++row;
  if (row == keys.size()) return std::nullopt;
  if (!is_number_key(plan, keys[row])) return false;
  while (row < keys.size() && !is_code(keys[row]) && !is_telephone(keys[row])) ++row;
  return row == keys.size();
}

/// Appends the record as a row, or counts it as skipped; false if it is invalid.
template <class Record>
bool store(text_plan const& plan, Record const& fields, text_piece& piece) {
  if (fields.size() < plan.least || fields.size() > plan.most) return false;
  std::string content;
  for (std::size_t i = 0; i < plan.values.size(); ++i) {
    auto const& column = plan.values[i];
    auto& values = piece.values[i];
    auto const size = size_of(column.type);
    auto const at = piece.rows * size;
    if (values.size() < at + size) values.resize(std::max<std::size_t>(2 * values.size(), 4096));
    auto const token = decoded(fields[column.field], content);
    if (!plan.may_find_gaps && parse_value(plan, column, token, values.data() + at)) continue;
    if (plan.may_find_gaps && find_gap(plan, token, i, piece, values.data() + at)) continue;
    if (!(plan.skip_missing || plan.mark_missing) || !plan.missing(token)) return false;
    if (plan.mark_missing) {
      std::memset(values.data() + at, 0, size);
      continue;
    }
    ++piece.skipped;
    return true;
  }
  for (std::size_t k = 0; k < plan.keys.size(); ++k) {
    auto& column = piece.keys[k];
    field const from = fields[plan.keys[k]];
    if (k < plan.respelled.size() && plan.respelled[k])
      append_respelled(plan, decoded(from, content), column.texts.characters);
    else if (k < plan.tokens)
      append_token(column.texts.characters, from, k < plan.compared);
    else if (from.json == json_kind::nested)
      return false;
    else
      append_unquoted(column.texts.characters, from);
    column.texts.end();
    if constexpr (std::is_same_v<Record, field_list>)  // which those of JSON are
      if (plan.json && !column.begins_with_number && !plan.missing(decoded(from, content)))
        column.begins_with_number =
            from.json == json_kind::scalar && is_number_key(plan, from.text());
  }
  if (plan.joined && plan.json && plan.joined->names.empty())
    for (auto const at : plan.joined->fields)
      if (fields[at].json == json_kind::nested) return false;
  if (plan.joined) join(*plan.joined, fields, piece.joined);
  if (plan.skip_missing || plan.mark_missing) piece.numbers.push_back(piece.rows + piece.skipped);
  ++piece.rows;
  return true;
}

}  // namespace

scan_result scan(text_plan const& plan, char const* begin, char const* end, bool last,
                 field_list& fields) {
  if (plan.json) return scan_json(*plan.json, begin, end, last, fields);
  if (plan.form == text_form::records) return scan_record(plan.rules, begin, end, last, fields);
  fields.resize(1);
  if (plan.form == text_form::list) return scan_token(plan.rules, begin, end, last, fields[0]);
  auto const* p = begin;
  while (p != end && *p > ' ') ++p;
  bool const is_usual = p != begin && p != end && *p == '\n' && *begin != plan.rules.comment;
  if (!is_usual) return scan_record(plan.rules, begin, end, last, fields);
  fields[0] = {begin, p, false};
  return {scanned::record, p + 1, begin, nullptr};
}

bool parse_value(text_plan const& plan, text_plan::value_column const& column,
                 std::string_view token, void* value) {
  if (plan.respells) return parse_respelled(plan, column, token, value);
  return parse_standard(plan, column, token, value);
}

void parse(text_plan const& plan, char const* end, bool ended, text_piece& piece) {
  piece.rows = piece.skipped = 0;
  piece.numbers.clear();
  piece.values.resize(plan.values.size());
  if (plan.mark_missing) piece.present.resize(plan.values.size());
  piece.keys.resize(plan.keys.size());
  for (auto& column : piece.keys) {
    column.texts.clear();
    column.begins_with_number.reset();
  }
  piece.joined.clear();
  walk(plan, end, ended, piece, [&](auto const& fields) { return store(plan, fields, piece); });
  if (!plan.json)
    for (auto& column : piece.keys)
      column.begins_with_number = begins_with_number(plan, column.texts.view());
  auto const bytes = static_cast<std::size_t>(piece.next - piece.from);
  piece.nul = bytes == 0 ? nullptr : static_cast<char const*>(std::memchr(piece.from, '\0', bytes));
  piece.lines = static_cast<std::uint64_t>(std::count(piece.from, piece.next, '\n'));
}

void observe(text_plan const& plan, char const* end, bool ended, text_piece& piece) {
  piece.guesses.assign(plan.values.size(), {});
  auto& guesses = piece.guesses;
  std::string buffer, content;
  walk(plan, end, ended, piece, [&](auto const& fields) {
    bool settled = true;
    for (std::size_t i = 0; i < guesses.size(); ++i) {
      bool const exact = plan.seeks_rounded && plan.values[i].exact;
      if (!guesses[i].settled(exact) && plan.values[i].field < fields.size()) {
        auto const token = decoded(fields[plan.values[i].field], content);
        bool const is_gap = plan.may_find_gaps && plan.missing.is_own(token);
        if (!is_gap)
          guesses[i].observe(plan.respells ? standard_form(token, plan.numbers, buffer) : token);
      }
      settled = settled && guesses[i].settled(exact);
    }
    return !settled;
  });
}

std::size_t cut(char const* begin, char const* end, std::vector<text_piece>& pieces) {
  std::size_t count = 0;
  while (begin != end && count < pieces.size()) {
    auto& piece = pieces[count++];
    piece.from = begin;
    piece.to = end;
    auto const left = static_cast<std::size_t>(end - begin);
    if (left <= piece_bytes) break;
    auto const* const line_end = static_cast<char const*>(
        std::memchr(begin + piece_bytes, '\n', std::min(left - piece_bytes, piece_bytes)));
    piece.to = line_end == nullptr ? begin + piece_bytes : line_end + 1;
    if (line_end == nullptr)
      break;  // inside a long line: where the next piece begins is known once this one is parsed
    begin = piece.to;
  }
  return count;
}

}  // namespace upsweep::io
