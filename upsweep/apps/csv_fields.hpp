/// The fields and records of comma-separated values (RFC 4180), on all threads.
///
/// A byte is in quotes if the number of quotes up to it is odd: its parity, a scan by exclusive or.
/// Blocks of the text find bits for quotes and separators. A scan of their parities tells each
/// block whether it begins in quotes, so it can drop the separators there. A scan of the counts of
/// the other separators tells it where they are stored.
/// Cost: one read of the text, three bits per byte that are stored and read twice, 8 bytes per
/// field.
/// Source: Langdale & Lemire 2019 for bits in words; Stehle & Jacobsen 2020 for CSV by scans.
#pragma once

#include <upsweep/apps/text_masks.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep {

namespace apps {

/// The fields and records of a text. Field k ends at `ends[k]`: the offset of the comma or line
/// feed after it, or the size of the text. Record r has the fields from `records[r]` up to
/// `records[r + 1]`. The text must outlive this object.
struct csv_table {
  std::string_view text;
  std::vector<std::size_t> ends;     ///< one a field
  std::vector<std::size_t> records;  ///< one a record and the number of fields

  [[nodiscard]] std::size_t size() const { return records.size() - 1; }
  /// Field k as in the text, with its quotes, without the CR of a line end.
  [[nodiscard]] std::string_view raw(std::size_t k) const {
    std::size_t const begin = k == 0 ? 0 : ends[k - 1] + 1;
    auto const field = text.substr(begin, ends[k] - begin);
    bool const is_last = ends[k] == text.size() || text[ends[k]] == '\n';
    return is_last && field.ends_with('\r') ? field.substr(0, field.size() - 1) : field;
  }
  /// The value of field k: without its quotes, doubled ones once.
  [[nodiscard]] std::string value(std::size_t k) const {
    auto const field = raw(k);
    if (!field.starts_with('"')) return std::string(field);
    std::string unquoted;
    for (std::size_t i = 1; i + 1 < field.size(); ++i) {
      unquoted += field[i];
      if (field[i] == '"') ++i;
    }
    return unquoted;
  }
};

}  // namespace apps

namespace detail {

/// The bits of 64 bytes: quotes, separators (first the commas, then line feeds too), line feeds;
/// first those in quotes too.
struct csv_word {
  std::uint64_t quotes, separators, lines;
};

/// How many fields and records end somewhere.
struct csv_counts {
  std::size_t fields = 0, records = 0;
  friend csv_counts operator+(csv_counts const& a, csv_counts const& b) {
    return {a.fields + b.fields, a.records + b.records};
  }
};

/// The passes over the words [begin, end) of a text.
struct csv_passes {
  text_words text;
  csv_word* words;

  /// Finds the words; bit 63 of what is returned is the parity of the quotes.
  [[nodiscard]] std::uint64_t find(std::size_t begin, std::size_t end) const {
    std::size_t const whole = at_most(end, text.text.size() / 64);
    find_masks(text.text.data() + 64 * begin, whole - begin, words + begin);
    if (whole < end) text.at(whole, [&](char const* last) { find_masks(last, 1, words + whole); });
    std::uint64_t quotes = 0;
    for (std::size_t w = begin; w < end; ++w) {
      words[w].separators |= words[w].lines;
      quotes ^= words[w].quotes;
    }
    return parities(quotes);
  }
  /// Removes separators in quotes and counts the others; `parity` is that of the bytes before.
  /// `error` becomes the offset of the first byte that breaks the format, if all before it is
  /// right.
  [[nodiscard]] csv_counts check(std::size_t begin, std::size_t end, std::uint64_t parity,
                                 std::size_t& error) const {
    csv_counts count;
    char const previous = begin == 0 ? '\n' : text.text[64 * begin - 1];
    std::uint64_t starts = !parity && (previous == ',' || previous == '\n'),
                  closed = !parity && previous == '"';  // by the byte before
    for (std::size_t w = begin; w < end; ++w) {
      auto& [quotes, separators, lines] = words[w];
      std::uint64_t const inside = parities(quotes) ^ (0 - parity), closing = quotes & ~inside,
                          after = closing << 1 | closed, all = quotes | separators;
      separators &= ~inside;
      lines &= ~inside;
      std::uint64_t const wrong =
          (quotes & inside & ~(separators << 1 | starts | after)) | (after & ~all);
      for_each_bit(wrong, w, [&](std::size_t i) {
        if (i < error && !ends_line(i)) error = i;
      });
      count = count + csv_counts{bits_in(separators), bits_in(lines)};
      parity = inside >> 63;
      starts = separators >> 63;
      closed = closing >> 63;
    }
    return count;
  }
  /// Stores the ends of fields and the starts of records.
  void store(std::size_t begin, std::size_t end, csv_counts const& front, csv_counts const& after,
             std::size_t* ends, std::size_t* records) const {
    std::size_t *to = ends + front.fields, *record = records + front.records;
    for (std::size_t w = begin; w < end; ++w) {
      for_each_bit(words[w].lines, w, [&](std::size_t i) {
        std::uint64_t const up_to = words[w].separators << (63 - i % 64);
        *++record = static_cast<std::size_t>(to - ends) + bits_in(up_to);
      });
      to = store_bits(words[w].separators, w, to, ends + after.fields);
    }
  }
  /// Finds all quotes, commas and line feeds.
  static void find_masks(char const* bytes, std::size_t count, csv_word* to) {
    host::simd::mask_bytes(bytes, count, '"', ',', '\n', &to->quotes);
  }
  /// Whether byte i is the CR of a line end.
  [[nodiscard]] bool ends_line(std::size_t i) const {
    auto const rest = text.text.substr(i, 2);
    return rest == "\r\n" || rest == "\r";
  }
};

[[noreturn]] inline void refuse_csv(std::string_view text, std::size_t at, bool unclosed) {
  char sentence[200];
  std::snprintf(sentence, sizeof sentence,
                unclosed ? "csv_fields: the quote at byte %zu is never closed"
                : text[at] == '"'
                    ? "csv_fields: the quote at byte %zu is inside a field that does not begin "
                      "with one; put the field in quotes and double the quote"
                    : "csv_fields: text follows a closing quote at byte %zu; a comma or the end "
                      "of the line must follow, or double the quote",
                at);
  throw apps::text_error(sentence, at);
}

}  // namespace detail

namespace apps {

/// Finds the fields and records of `text`, in the format of RFC 4180: fields in quotes may have
/// commas, line ends and doubled quotes; lines end with LF or CR LF, the last one perhaps with CR
/// or nothing. An empty line is a record of one empty field, and an empty text has no records.
/// Throws text_error with the position of the first byte that breaks the format: a quote in a field
/// that does not begin with one, text after a closing quote, or a quote that is never closed.
template <executor E = cpu>
[[nodiscard]] csv_table csv_fields(std::string_view text, E const& on = {}) {
  using namespace upsweep::detail;
  text_words const words{text};
  std::size_t const count = words.count(), blocks = words.blocks();
  call_memory<csv_word> const found(count);
  csv_passes const passes{words, found.first()};
  auto const each_block = [&](auto const& f) { words.for_each_block(on, f); };
  std::vector<std::uint64_t> parity(blocks);
  std::vector<std::size_t> errors(blocks, text.size());
  std::vector<csv_counts> fronts(blocks + 1);
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    parity[b] = passes.find(begin, end) >> 63;
  });
  std::uint64_t const open = upsweep::reduce(on, parity, bit_xor{}, {.initial = 0u});
  upsweep::exclusive_scan(on, parity, parity, bit_xor{});
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    fronts[b] = passes.check(begin, end, parity[b], errors[b]);
  });
  upsweep::exclusive_scan(on, fronts, fronts, monoid(std::plus<>(), csv_counts{}));

  csv_counts const& all = fronts[blocks];
  bool const open_end = !text.empty() && (text.back() != '\n' || open != 0);
  csv_table table{text, std::vector<std::size_t>(all.fields + open_end),
                  std::vector<std::size_t>(all.records + open_end + 1)};
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    passes.store(begin, end, fronts[b], fronts[b + 1], table.ends.data(), table.records.data());
  });
  std::size_t const error = upsweep::reduce(on, errors, min{}, {.initial = text.size()});
  if (error < text.size()) refuse_csv(text, error, false);
  if (open != 0) refuse_csv(text, all.fields > 0 ? table.ends[all.fields - 1] + 1 : 0, true);
  if (open_end) {
    table.ends.back() = text.size();
    table.records.back() = table.ends.size();
  }
  return table;
}

}  // namespace apps

}  // namespace upsweep
