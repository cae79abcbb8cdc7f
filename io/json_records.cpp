/// One pass over JSON: strings eight bytes at a time, keys compared with those of the row before.
#include <io/records.hpp>

#include <io/shown.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace upsweep::io {
namespace {

constexpr std::uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;

constexpr bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// The first quote, backslash or control character at or after `p`, or `end`.
char const* string_stop(char const* p, char const* end) {
  if constexpr (std::endian::native == std::endian::little) {
    for (; end - p >= 8; p += 8) {
      std::uint64_t text = 0;
      std::memcpy(&text, p, 8);
      std::uint64_t const quote = text ^ (ones * '"'), slash = text ^ (ones * '\\');
      // The lowest set bit is right; those above it may be wrong.
      std::uint64_t const found =
          (((quote - ones) & ~quote) | ((slash - ones) & ~slash) | ((text - ones * 0x20) & ~text)) &
          tops;
      if (found != 0) return p + std::countr_zero(found) / 8;
    }
  }
  while (p != end && *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20) ++p;
  return p;
}

/// The number of characters of the escape at `p`, after its backslash; 0 if it is none.
std::size_t escape_length(char const* p, char const* end) {
  if (*p != 'u') return std::strchr("\"\\/bfnrt", *p) != nullptr && *p != '\0' ? 1 : 0;
  if (end - p < 5) return 0;
  return std::all_of(p + 1, p + 5,
                     [](char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); })
             ? 5
             : 0;
}

char const* after_digits(char const* p, char const* end) {
  while (p != end && is_digit(*p)) ++p;
  return p;
}

/// Where the number at `p` ends, which is at `p` if there is none.
char const* after_number(char const* const p, char const* end) {
  auto const* const first = p + (p != end && *p == '-' ? 1 : 0);
  if (first == end || !is_digit(*first)) return p;
  auto const* at = *first == '0' ? first + 1 : after_digits(first, end);
  if (end - at > 1 && *at == '.' && is_digit(at[1])) at = after_digits(at + 1, end);
  if (end - at > 1 && (*at | 0x20) == 'e') {
    auto const* const exponent = at + (at[1] == '-' || at[1] == '+' ? 2 : 1);
    if (exponent != end && is_digit(*exponent)) at = after_digits(exponent, end);
  }
  return at;
}

/// "007", which readers of JSON refuse or take for 7.
constexpr bool begins_like_code(std::string_view number) {
  take(number, '-');
  return number.size() > 1 && number[0] == '0' && is_digit(number[1]);
}

constexpr bool ends_scalar(char c) {
  return is_space(c) || c == ',' || c == '}' || c == ']';
}

/// A position in JSON. A step that fails leaves `why` set, or at the end of the bytes nothing.
class json_cursor {
 public:
  json_cursor(char const* begin, char const* end) : p(begin), end_(end) {}

  char const* p;
  char const* why = nullptr;  ///< what is wrong at `p`

  [[nodiscard]] bool at_end() const { return p == end_; }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - p); }
  bool fail(char const* reason) {
    if (!at_end()) why = reason;
    return false;
  }
  bool skip_space() {
    while (p != end_ && is_space(*p)) ++p;
    return p != end_;
  }
  bool expect(char c, char const* reason) {
    if (!skip_space() || *p != c) return fail(reason);
    ++p;
    return true;
  }
  /// At an opening quote.
  bool string(field& out) {
    out = {p + 1, nullptr, false, json_kind::text};
    char const* stop = p + 1;
    for (;;) {
      stop = string_stop(stop, end_);
      if (stop == end_) {
        p = end_;
        return false;
      }
      if (*stop == '"') break;
      if (*stop != '\\') {
        p = stop;
        return fail("A string has a control character, or is not closed");
      }
      out.json = json_kind::escaped;
      if (end_ - stop < 2) {
        p = end_;
        return false;
      }
      std::size_t const length = escape_length(stop + 1, end_);
      if (length == 0) {
        p = stop[1] == 'u' && end_ - stop < 6 ? end_ : stop;
        return fail("'\\' begins no escape of JSON");
      }
      stop += 1 + length;
    }
    out.end = stop;
    p = stop + 1;
    return true;
  }
  /// A number or a word; `closed` if it may end where the bytes end.
  bool scalar(field& out, bool closed) {
    out = {p, nullptr, false, json_kind::scalar};
    p = after_number(p, end_);
    bool const is_number = p != out.begin && (at_end() || ends_scalar(*p));
    while (p != end_ && !ends_scalar(*p)) ++p;
    if (at_end() && !closed) return false;
    out.end = p;
    if (is_number) return true;
    std::string_view const word = out.text();
    if (word == "null") {
      out = {out.begin, out.begin, false, json_kind::null};
      return true;
    }
    // Python writes the last three.
    if (word == "true" || word == "false" || word == "NaN" || word == "Infinity" ||
        word == "-Infinity")
      return true;
    p = out.begin;
    return fail(begins_like_code(word) ? "A JSON number has no leading zeros; write codes in quotes"
                                       : "This is not a JSON value");
  }
  /// An object or array, as it stands.
  bool nested(field& out) {
    out = {p, nullptr, false, json_kind::nested};
    open_.clear();
    do {
      while (p != end_ && *p != '"' && *p != '{' && *p != '}' && *p != '[' && *p != ']') ++p;
      if (at_end()) return false;
      field text;
      if (*p == '"') {
        if (!string(text)) return false;
        continue;
      }
      if (*p == '{' || *p == '[')
        open_ += *p == '{' ? '}' : ']';
      else if (*p == open_.back())
        open_.pop_back();
      else
        return fail("This closes a bracket of the other kind");
      ++p;
    } while (!open_.empty());
    out.end = p;
    return true;
  }
  bool value(field& out, bool closed) {
    if (!skip_space()) return false;
    if (*p == '"') return string(out);
    if (*p == '{' || *p == '[') return nested(out);
    return scalar(out, closed);
  }
  /// After the opening brace or bracket: calls item() for each item up to `close`.
  template <class Item>
  bool items(char close, char const* reason, Item const& item) {
    if (!skip_space()) return false;
    for (bool more = *p != close; more;) {
      if (!item() || !skip_space()) return false;
      more = *p != close;
      if (more && !expect(',', reason)) return false;
    }
    ++p;
    return true;
  }
  /// After the opening brace: calls take(key, value, is_next) for each pair. `next()` is the key
  /// that probably comes, in quotes.
  template <class Next, class Take>
  bool pairs(Next const& next, Take const& take) {
    return items('}', "An object needs a comma or a closing brace here", [&] {
      field key, content;
      if (!skip_space()) return false;
      if (*p != '"') return fail("An object needs a key in quotes here");
      char const* const at = p;
      std::string_view const likely = next();
      bool const is_next = std::string_view(p, left()).starts_with(likely) && !likely.empty();
      if (is_next) {
        p += likely.size();
        key = {at + 1, p - 1, false, json_kind::text};
      } else if (!string(key)) {
        return false;
      }
      if (!expect(':', "A key needs a colon after it")) return false;
      if (!value(content, false)) return false;
      if (take(key, content, is_next)) return true;
      p = at;
      return fail(
          "The first rows do not have this key, so its values would be lost; name the columns with "
          "--column");
    });
  }
  /// After the opening bracket: appends the elements.
  bool elements(field_list& fields) {
    return items(']', "An array needs a comma or a closing bracket here",
                 [&] { return value(fields.emplace_back(), false); });
  }

 private:
  char const* end_;
  std::string open_;  // what closes the brackets of nested()
};

scan_result ended(bool last, char const* start) {
  if (!last) return {scanned::incomplete, start, start, nullptr};
  return {scanned::bad_json, start, start, start, "This is not closed; the file may be truncated"};
}

/// Scans a row with `row(cursor, start)`, and the text between it and the next.
template <class Row>
scan_result scan_row(json_rules const& rules, char const* begin, char const* end, bool last,
                     Row const& row) {
  json_cursor at(begin, end);
  bool const after_comma = rules.in_array && at.skip_space() && *at.p == ',';
  if (after_comma) ++at.p;
  if (!at.skip_space()) {
    if (rules.in_array && last)
      return {scanned::bad_json, begin, begin, begin == end ? end : end - 1,
              "The array is not closed; the file may be truncated"};
    return {last ? scanned::nothing : scanned::incomplete, last ? at.p : begin, begin, nullptr};
  }
  char const* const start = at.p;
  if (rules.in_array && *start == ']' && after_comma)
    return {scanned::bad_json, start, start, start, "There is no value after the comma"};
  if (rules.in_array && *start == ']') {
    ++at.p;
    if (at.skip_space())
      return {scanned::bad_json, start, start, at.p, "There is something after the array"};
    return {last ? scanned::nothing : scanned::incomplete, last ? at.p : start, start, nullptr};
  }
  if (!row(at, start)) {
    if (at.why == nullptr) return ended(last, start);
    return {scanned::bad_json, start, start, at.p, at.why};
  }
  if (!rules.in_array) {
    while (!at.at_end() && *at.p != '\n' && is_space(*at.p)) ++at.p;
    if (!at.at_end() && *at.p == '\n') ++at.p;
    return {scanned::record, at.p, start, nullptr};
  }
  if (!at.skip_space()) return ended(last, start);
  if (*at.p != ',' && *at.p != ']')
    return {scanned::bad_json, start, start, at.p, "The array needs a comma here"};
  return {scanned::record, at.p, start, nullptr};
}

bool scan_values(json_rules const& rules, json_cursor& at, char const* start, bool closed,
                 field_list& fields) {
  if (rules.row == json_row::scalar) {
    fields.resize(1);
    return at.value(fields[0], closed);
  }
  if (rules.row == json_row::array) {
    fields.clear();
    return at.expect('[', "The rows are arrays, but here is none") && at.elements(fields);
  }
  fields.assign(rules.keys.size(), {start, start, false});
  std::size_t hint = 0;
  return at.expect('{', "The rows are objects, but here is none") &&
         at.pairs([&] { return rules.quoted(hint); },
                  [&](field const& key, field const& value, bool is_next) {
                    std::size_t const i = is_next ? hint : rules.find(key);
                    if (i == rules.keys.size()) return !rules.refuses_new;
                    fields[i] = value;
                    hint = i + 1;
                    return true;
                  });
}

}  // namespace

void json_rules::add(field const& key) {
  if (find(key) < keys.size()) return;
  keys.push_back(unquoted(key));
  index_.emplace(keys.back(), keys.size() - 1);
  quoted_.push_back(key.json == json_kind::text ? '"' + keys.back() + '"' : "");
}

std::string_view json_rules::quoted(std::size_t i) const noexcept {
  return i < quoted_.size() ? std::string_view(quoted_[i]) : std::string_view();
}

std::size_t json_rules::find(field const& key) const {
  bool const plain = key.json == json_kind::text;
  auto const found = plain ? index_.find(key.text()) : index_.find(unquoted(key));
  return found == index_.end() ? keys.size() : found->second;
}

scan_result scan_json(json_rules const& rules, char const* begin, char const* end, bool last,
                      field_list& fields) {
  bool const closed = last && !rules.in_array;
  return scan_row(rules, begin, end, last, [&](json_cursor& at, char const* start) {
    return scan_values(rules, at, start, closed, fields);
  });
}

scan_result find_keys(json_rules& rules, char const* begin, char const* end, bool last) {
  return scan_row(rules, begin, end, last, [&](json_cursor& at, char const*) {
    return at.expect('{', "The rows are objects, but here is none") &&
           at.pairs([] { return std::string_view(); },
                    [&](field const& key, field const&, bool) {
                      rules.add(key);
                      return true;
                    });
  });
}

}  // namespace upsweep::io
