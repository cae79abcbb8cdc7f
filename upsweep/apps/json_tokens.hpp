/// The tokens of a JSON text, and the check that it is JSON (RFC 8259), on all threads.
///
/// As for CSV, a byte is in a string if the number of quotes up to it is odd; a quote after an odd
/// number of backslashes does not count. Brackets are paired (brackets.hpp), and the bracket around
/// a token is a scan that keeps the latest one. With it the grammar is local: whether a token is
/// allowed depends on the two tokens before it and on the kind of the bracket around it.
/// Cost: tokens take two passes with five comparisons per byte, and two bits per byte in between;
/// the check reads strings and numbers once more.
/// Source: Langdale & Lemire 2019 for strings in words of bits; Hillis & Steele 1986 for the scan.
#pragma once

#include <upsweep/apps/brackets.hpp>
#include <upsweep/apps/text_masks.hpp>
#include <upsweep/core/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

namespace upsweep::detail {

// The grammar as rules of a few neighboring tokens, and the inside of strings and scalars.

inline constexpr std::size_t no_json_fault = static_cast<std::size_t>(-1);

/// 1 for braces and 2 for square brackets, negative for closing ones, 0 for other bytes.
[[nodiscard]] constexpr int json_bracket(char c) {
  return c == '{' ? 1 : c == '}' ? -1 : c == '[' ? 2 : c == ']' ? -2 : 0;
}
/// Whether a value may begin with a token of this kind, and end with one. (Whether a scalar is one
/// is json_fault_in's to say.)
[[nodiscard]] constexpr bool json_begins_value(char kind) {
  return kind != '}' && kind != ']' && kind != ':' && kind != ',';
}
[[nodiscard]] constexpr bool json_ends_value(char kind) {
  return kind != '{' && kind != '[' && kind != ':' && kind != ',';
}

/// Whether a token `kind` may follow the tokens `before` and `previous`, in braces (1), in
/// square brackets (2) or in neither (0). 0 means no token.
[[nodiscard]] constexpr bool json_follows(std::size_t container, char before, char previous,
                                          char kind) {
  if (previous == '\0') return json_begins_value(kind);
  if (container == 0) return false;  // there is a value already
  if (container == 2) {
    if (previous == '[') return kind == ']' || json_begins_value(kind);
    if (previous == ',') return json_begins_value(kind);
    return previous != ':' && (kind == ',' || kind == ']');
  }
  if (previous == '{') return kind == '"' || kind == '}';
  if (previous == ',') return kind == '"';
  if (previous == ':') return json_begins_value(kind);
  bool const is_name = previous == '"' && (before == '{' || before == ',');
  return is_name ? kind == ':' : kind == ',' || kind == '}';
}

[[nodiscard]] constexpr bool json_digit(char c) {
  return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool json_ends_scalar(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == ':' || c == '"' ||
         json_bracket(c) != 0;
}

/// The end of the token that begins at `begin`, after its last byte.
[[nodiscard]] inline std::size_t json_token_end(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  if (text[begin] == '"') {
    while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2u : 1u;
    return i < text.size() ? i + 1 : text.size();
  }
  if (json_bracket(text[begin]) != 0 || text[begin] == ':' || text[begin] == ',') return i;
  while (i < text.size() && !json_ends_scalar(text[i])) ++i;
  return i;
}

/// The first byte that is wrong in the string, number or word at `begin`, or no_json_fault. The
/// size of the text means that the end is missing.
[[nodiscard]] inline std::size_t json_fault_in_string(std::string_view text, std::size_t begin) {
  auto const is_hex = [](char c) {
    return json_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
  };
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '"') return no_json_fault;
    if (static_cast<unsigned char>(text[i]) < 0x20) return i;
    if (text[i] != '\\') continue;
    if (++i == text.size()) return i;
    if (text[i] == 'u') {
      for (std::size_t const end = i + 4; i < end;)
        if (++i == text.size() || !is_hex(text[i])) return i;
    } else if (std::string_view("\"\\/bfnrt").find(text[i]) == std::string_view::npos) {
      return i;
    }
  }
  return text.size();
}
[[nodiscard]] inline std::size_t json_fault_in_scalar(std::string_view text, std::size_t begin) {
  std::size_t const end = json_token_end(text, begin);
  for (std::string_view const word : {"true", "false", "null"})
    if (text[begin] == word[0]) {
      std::size_t j = 0;
      while (j < word.size() && begin + j < end && text[begin + j] == word[j]) ++j;
      return j == word.size() && begin + j == end ? no_json_fault : begin + j;
    }
  std::size_t i = begin;
  auto const digits = [&] {
    std::size_t const first = i;
    while (i < end && json_digit(text[i])) ++i;
    return i > first;
  };
  if (text[i] == '-') ++i;
  if (i < end && text[i] == '0')
    ++i;
  else if (!digits())
    return i;
  if (i < end && text[i] == '.' && (++i, !digits())) return i;
  if (i < end && (text[i] | 0x20) == 'e') {
    ++i;
    if (i < end && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return i;
  }
  return i == end ? no_json_fault : i;
}
[[nodiscard]] inline std::size_t json_fault_in(std::string_view text, std::size_t begin) {
  char const kind = text[begin];
  if (kind == '"') return json_fault_in_string(text, begin);
  if (json_bracket(kind) != 0 || kind == ':' || kind == ',') return no_json_fault;
  return json_fault_in_scalar(text, begin);
}

}  // namespace upsweep::detail

namespace upsweep {

namespace apps {

/// The begins of the tokens of a text, in order: brackets, colons, commas, strings, and scalars,
/// which are numbers, true, false and null. The byte there is the kind of the token. The text must
/// outlive this object.
struct json_tokens {
  std::string_view text;
  std::vector<std::size_t> positions;

  [[nodiscard]] std::size_t size() const { return positions.size(); }
  [[nodiscard]] char kind(std::size_t k) const { return text[positions[k]]; }
  /// Token k as in the text, a string with its quotes.
  [[nodiscard]] std::string_view raw(std::size_t k) const {
    std::size_t const begin = positions[k];
    return text.substr(begin, detail::json_token_end(text, begin) - begin);
  }
};

}  // namespace apps

namespace detail {

/// The bits of 64 bytes: quotes that no backslash escapes; ends, which are brackets, colons and
/// commas; and bytes that belong to scalars; each in strings or not.
struct json_word {
  std::uint64_t quotes, ends, scalars;
};

/// Bit j: whether byte j follows an odd number of backslashes. `escaped` says so of byte 0 and,
/// afterwards, of the byte after the last. Runs of backslashes are rare, so they are followed one
/// by one.
[[nodiscard]] inline std::uint64_t escaped_bytes(std::uint64_t backslashes, bool& escaped) {
  std::uint64_t bits = escaped ? 1 : 0;
  backslashes &= ~bits;
  escaped = false;
  while (backslashes != 0) {
    std::uint64_t const first = backslashes & (0 - backslashes);
    escaped = first >> 63;
    bits |= first << 1;
    backslashes &= ~(first | first << 1);
  }
  return bits;
}

[[nodiscard]] inline json_word json_word_of(char const* bytes, bool& escaped) {
  auto const backslashes = mask_of(bytes, [](char c) { return c == '\\'; });
  auto const quotes = mask_of(bytes, [](char c) { return c == '"'; });
  auto const ends = mask_of(bytes, [](char c) {
    auto const folded = static_cast<char>(c | 0x20);  // both kinds of brackets alike
    return (folded == '{') | (folded == '}') | (c == ':') | (c == ',');
  });
  // With | instead of || g++ 12 makes a table of bits of this, five times as slow.
  auto const spaces =
      mask_of(bytes, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
  auto const kept = quotes & ~escaped_bytes(backslashes, escaped);
  return {kept, ends, ~(ends | spaces | kept)};
}

/// The words of a text, found in blocks, and what follows from them.
struct json_words {
  text_words words;
  json_word* found;

  /// Whether an odd number of backslashes ends block b; unknown if there is nothing else in it.
  [[nodiscard]] std::size_t escapes_next(std::size_t b) const {
    auto const block = words.text.substr(b * text_block, text_block);
    std::size_t const last = block.find_last_not_of('\\');
    return last == std::string_view::npos ? latest_known::unknown : (block.size() - 1 - last) % 2;
  }
  /// Finds the words of block b, whose first byte is escaped or not; returns the parity of quotes.
  [[nodiscard]] std::uint64_t find(std::size_t begin, std::size_t end, bool escaped) const {
    std::uint64_t quotes = 0;
    for (std::size_t w = begin; w < end; ++w) {
      words.at(w, [&](char const* bytes) { found[w] = json_word_of(bytes, escaped); });
      quotes ^= found[w].quotes;
    }
    if (std::size_t const rest = words.text.size() % 64; rest != 0 && end == words.count())
      found[end - 1].scalars &= (std::uint64_t{1} << rest) - 1;
    return parities(quotes) >> 63;
  }
  /// Replaces each word's ends by the bits of all bytes where tokens begin, and counts those;
  /// `parity` is that of the quotes before. Other blocks may be at work: nothing but the scalars
  /// of the word before is read of them.
  [[nodiscard]] std::size_t keep_starts(std::size_t begin, std::size_t end,
                                        std::uint64_t parity) const {
    std::size_t count = 0;
    std::uint64_t scalar = begin > 0 && !parity ? found[begin - 1].scalars >> 63 : 0;
    for (std::size_t w = begin; w < end; ++w) {
      auto& [quotes, ends, scalars] = found[w];
      std::uint64_t const inside = parities(quotes) ^ (0 - parity), outside = scalars & ~inside;
      ends = (ends & ~inside) | (quotes & inside) | (outside & ~(outside << 1 | scalar));
      count += bits_in(ends);
      parity = inside >> 63;
      scalar = outside >> 63;
    }
    return count;
  }
};

}  // namespace detail

namespace apps {

/// Finds the tokens of any text. A string that is not closed extends to the end of the text. Never
/// throws: expect_json checks whether the text is JSON.
template <executor E = cpu>
[[nodiscard]] json_tokens tokens_of_json(std::string_view text, E const& on = {}) {
  using namespace upsweep::detail;
  text_words const words{text};
  std::size_t const count = words.count(), blocks = words.blocks();
  call_memory<json_word> const found(count);
  json_words const all{words, found.first()};
  auto const each_block = [&](auto const& f) { words.for_each_block(on, f); };
  std::vector<std::size_t> escaped(blocks), fronts(blocks + 1);  // escaped: the first byte
  std::vector<std::uint64_t> parity(blocks);
  for_each_index(on, blocks, [&](std::size_t b) { escaped[b] = all.escapes_next(b); });
  upsweep::exclusive_scan(on, escaped, escaped, latest_known{}, {.initial = std::size_t{0}});
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    parity[b] = all.find(begin, end, escaped[b] != 0);
  });
  upsweep::exclusive_scan(on, parity, parity, bit_xor{});
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    fronts[b] = all.keep_starts(begin, end, parity[b]);
  });
  upsweep::exclusive_scan(on, fronts, fronts);
  json_tokens tokens{text, std::vector<std::size_t>(fronts[blocks])};
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    std::size_t* out = tokens.positions.data() + fronts[b];
    for (std::size_t w = begin; w < end; ++w)
      out = store_bits(found.first()[w].ends, w, out, tokens.positions.data() + fronts[b + 1]);
  });
  return tokens;
}

/// depths[k] = the number of open brackets at token k, including its own pair.
template <executor E = cpu>
[[nodiscard]] std::vector<std::uint32_t> depths_of_json(json_tokens const& tokens,
                                                        E const& on = {}) {
  using namespace upsweep::detail;
  std::vector<std::int64_t> open(tokens.size());
  for_each_index(on, tokens.size(), [&](std::size_t k) {
    int const kind = json_bracket(tokens.kind(k));
    open[k] = kind > 0 ? 1 : kind < 0 ? -1 : 0;
  });
  upsweep::inclusive_scan(on, open, open);
  std::vector<std::uint32_t> depths(tokens.size());
  for_each_index(on, tokens.size(), [&](std::size_t k) {
    depths[k] = static_cast<std::uint32_t>(open[k] + (json_bracket(tokens.kind(k)) < 0));
  });
  return depths;
}

/// Checks a text: throws text_error with the position of the first byte that breaks the grammar of
/// JSON, or the size of the text if it ends too early. Strings are not checked for UTF-8, names may
/// occur twice, and numbers may be of any size.
template <executor E = cpu>
void expect_json(json_tokens const& tokens, E const& on = {}) {
  using namespace upsweep::detail;
  std::size_t const n = tokens.size(), none = tokens.text.size();
  bracket_tree tree;
  auto const kind_at = [&](std::size_t at) { return json_bracket(tokens.text[at]); };
  auto const fault = match_brackets(tokens.positions, kind_at, tree, on);  // counts in tokens
  // around[k] = the kind of the bracket around what follows token k.
  std::vector<std::size_t> around(n, latest_known::unknown);
  for_each_index(on, tree.size(), [&](std::size_t b) {
    bool const closes = kind_at(tokens.positions[tree.positions[b]]) < 0;
    std::size_t const open = closes ? tree.parents[b] : b;
    around[tree.positions[b]] =
        open == nowhere ? 0
                        : static_cast<std::size_t>(kind_at(tokens.positions[tree.positions[open]]));
  });
  upsweep::inclusive_scan(on, around, around, latest_known{}, {.initial = std::size_t{0}});
  auto const kind = [&](std::size_t k, std::size_t back) {
    return k < back ? '\0' : tokens.kind(k - back);
  };
  std::vector<std::size_t> wrong(n);
  for_each_index(on, n, [&](std::size_t k) {
    std::size_t const container = k == 0 ? 0 : around[k - 1], at = tokens.positions[k];
    bool const fits = json_follows(container, kind(k, 2), kind(k, 1), kind(k, 0));
    wrong[k] = fits ? json_fault_in(tokens.text, at) : at;
  });
  std::size_t first = upsweep::reduce(on, wrong, min{}, {.initial = no_json_fault});
  if (fault.what == bracket_fault::never_opened || fault.what == bracket_fault::other_kind)
    first = at_most(first, tokens.positions[fault.position]);
  bool const ends_early =
      n == 0 || fault.what == bracket_fault::never_closed || !json_ends_value(kind(n, 1));
  if (first == no_json_fault && !ends_early) return;
  char sentence[120];
  first = at_most(first, none);
  std::snprintf(sentence, sizeof sentence,
                first == none ? "expect_json: the text ends at byte %zu in the middle of a value"
                              : "expect_json: byte %zu does not continue the value before it",
                first);
  throw text_error(sentence, first);
}

}  // namespace apps

}  // namespace upsweep
