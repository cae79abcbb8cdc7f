/// The fields of CSV documents, against a parser that reads byte by byte. example.csv_fields
/// compares with Python's on a real file.
#include <apps/support.hpp>

#include <upsweep/apps/csv_fields.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::test {
namespace {

using records = std::vector<std::vector<std::string>>;

/// What a text should be read as: its records, or the position of its first error.
struct expected_csv {
  records rows;
  std::size_t error = std::string::npos;
};

expected_csv parsed_serially(std::string_view text) {
  expected_csv found;
  std::size_t i = 0;
  while (i < text.size()) {
    std::vector<std::string> row;
    for (bool more = true; more;) {
      std::string value;
      if (i < text.size() && text[i] == '"') {
        std::size_t const opened = i++;
        for (;; ++i) {
          if (i == text.size()) return {{}, opened};
          if (text[i] == '"' && (++i == text.size() || text[i] != '"')) break;
          value += text[i];
        }
        if (text.substr(i) == "\r" || text.substr(i, 2) == "\r\n") ++i;
        if (i < text.size() && text[i] != ',' && text[i] != '\n') return {{}, i};
      } else {
        for (; i < text.size() && text[i] != ',' && text[i] != '\n'; ++i) {
          if (text[i] == '"') return {{}, i};
          value += text[i];
        }
        bool const ends_line = i == text.size() || text[i] == '\n';
        if (ends_line && value.ends_with('\r')) value.pop_back();
      }
      row.push_back(value);
      more = i < text.size() && text[i] == ',';
      ++i;  // over the comma or the line feed
    }
    found.rows.push_back(row);
  }
  return found;
}

void expect_csv(std::string const& text) {
  auto const expected = parsed_serially(text);
  on_each_executor([&](auto const& on) {
    std::size_t error = std::string::npos;
    records rows;
    try {
      auto const table = apps::csv_fields(text, on);
      ASSERT_EQ(table.records.back(), table.ends.size());
      for (std::size_t r = 0; r < table.size(); ++r) {
        rows.emplace_back();
        for (std::size_t k = table.records[r]; k < table.records[r + 1]; ++k)
          rows.back().push_back(table.value(k));
      }
    } catch (apps::text_error const& e) {
      error = e.position();
    }
    ASSERT_EQ(error, expected.error) << text.substr(0, 300) << seed_note();
    ASSERT_EQ(rows, expected.rows) << text.substr(0, 300) << seed_note();
  });
}

TEST(csv_fields, reads_what_the_format_allows) {
  for (char const* const text : {"",
                                 "\n",
                                 "a",
                                 ",",
                                 "a,",
                                 "a\n",
                                 "\r\n",
                                 "a\r\nb\r\n",
                                 "\"\"",
                                 "\"a\"",
                                 "\"a,b\nc\",d\n",
                                 "\"\"\"\"",
                                 "\"a\"\"b\"",
                                 "a\rb\n",
                                 "\"a\"\r\n",
                                 "\"a\"\r",
                                 "x,\"a\"\nb",
                                 "\n\na\n",
                                 "\"\r\n\",\"\"\r\n",
                                 "a,b\nc\nd,e,f"})
    expect_csv(text);
}

TEST(csv_fields, finds_the_first_error) {
  for (char const* const text : {"\"", "a\"b\"", "\"a", "\"a\"b", "\"a\" ,b", "\"a\"\"", "a,b\n\"c",
                                 "\"a\"\rb", "a,\"b\n", "\"a\"b,\"c", "a\"", "\"\"a\"\""})
    expect_csv(text);
  EXPECT_EQ(message_of([] { (void)apps::csv_fields("a,\"b"); }),
            "csv_fields: the quote at byte 2 is never closed");
}

TEST(csv_fields, knows_quotes_and_records_across_the_borders_of_words_and_blocks) {
  for (std::size_t const border : {64u, 128u, 16'384u, 32'768u})
    for (std::size_t before = 0; before < 6; ++before)
      for (char const* const part : {"\"\"", "\"a\"", "\"a\"\"b\"", "\"\n\"\r\n", "\r\n", ",", "\"",
                                     "\"a\"b", "b\"", "\"\"\"\""})
        expect_csv(std::string(border - before - 1, 'x') + "\n" + part + ",y\n");
}

/// Random fields, each as it would be written, so that long strings without errors occur.
std::string valid_text(std::size_t size, std::uint64_t seed) {
  random_bits next(test_seed() + seed);
  std::string text;
  while (text.size() < size) {
    std::string field = random_text(next.below(9), "ab\",\n\r ", next());
    bool const quoted = next.below(4) == 0 || field.find_first_of("\",\n\r") != std::string::npos;
    std::string written;
    for (char const c : field) written += c == '"' ? "\"\"" : std::string(1, c);
    text += quoted ? '"' + written + '"' : written;
    text += next.below(3) ? "," : next.below(2) ? "\n" : "\r\n";
  }
  return text;
}

TEST(csv_fields, reads_random_texts_of_all_lengths) {
  for (std::size_t const n : some_lengths)
    for (std::uint64_t seed = 0; seed < 3; ++seed) expect_csv(valid_text(n, n + seed));
}

TEST(csv_fields, refuses_random_texts_as_a_serial_parser_does) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed)
    expect_csv(random_text(seed % 90, "a\",\n\"\r", seed));
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::string text = valid_text(40'000, seed);
    text.insert(random_bits(seed).below(text.size()), seed % 2 ? "\"" : "x");
    expect_csv(text);
  }
}

}  // namespace
}  // namespace upsweep::test
