/// Tokens of JSON documents, and which strings are JSON, against nlohmann-json and a byte loop.
#include <apps/support.hpp>

#include <upsweep/apps/json_tokens.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

using nlohmann::json;

/// What a SAX parser meets: the kind of each token but commas and colons, and its value as JSON.
struct seen_by_sax : nlohmann::json_sax<json> {
  std::vector<std::string> tokens;
  bool too_large = false;  ///< a number that no double holds, which JSON's grammar allows

  bool add(std::string const& token) { return tokens.push_back(token), true; }
  bool null() override { return add("null"); }
  bool boolean(bool value) override { return add(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return add(json(value).dump()); }
  bool number_unsigned(number_unsigned_t value) override { return add(json(value).dump()); }
  bool number_float(number_float_t value, string_t const&) override {
    return add(json(value).dump());
  }
  bool string(string_t& value) override { return add(json(value).dump()); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return add("{"); }
  bool key(string_t& value) override { return add(json(value).dump()); }
  bool end_object() override { return add("}"); }
  bool start_array(std::size_t) override { return add("["); }
  bool end_array() override { return add("]"); }
  bool parse_error(std::size_t, std::string const&, json::exception const& e) override {
    too_large = e.id == 406;
    return false;
  }
};

/// Where a loop over the bytes of JSON text finds tokens.
std::vector<std::size_t> serial_positions(std::string const& text) {
  std::vector<std::size_t> positions;
  bool in_string = false, in_scalar = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    bool const is_end = std::string("{}[]:,\"").find(c) != std::string::npos,
               is_space = std::string(" \t\r\n").find(c) != std::string::npos;
    if (is_end || (!is_space && !in_scalar)) positions.push_back(i);
    in_scalar = !is_end && !is_space;
    in_string = c == '"';
  }
  return positions;
}

/// Compares the tokens of a text that is JSON.
void expect_same(apps::json_tokens const& tokens, std::vector<std::uint32_t> const& depths,
                 std::vector<std::string> const& expected) {
  std::vector<std::string> found;
  std::uint32_t depth = 0;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    char const kind = tokens.kind(k);
    int const bracket = detail::json_bracket(kind);
    if (bracket > 0) ++depth;
    ASSERT_EQ(depths[k], depth);
    if (bracket < 0) --depth;
    if (kind == ':' || kind == ',') continue;
    found.push_back(bracket != 0 ? std::string(1, kind) : json::parse(tokens.raw(k)).dump());
  }
  ASSERT_EQ(found, expected) << seed_note();
}

void expect_tokens(std::string const& text) {
  seen_by_sax seen;
  bool const is_json = json::sax_parse(text, &seen);
  if (seen.too_large) return;
  on_each_executor([&](auto const& on) {
    auto const tokens = apps::tokens_of_json(text, on);
    bool accepted = true;
    try {
      apps::expect_json(tokens, on);
    } catch (apps::text_error const& e) {
      accepted = false;
      ASSERT_LE(e.position(), text.size());
    }
    ASSERT_EQ(accepted, is_json) << text.substr(0, 300) << seed_note();
    if (!is_json) return;
    ASSERT_EQ(tokens.positions, serial_positions(text));
    expect_same(tokens, apps::depths_of_json(tokens, on), seen.tokens);
  });
}

TEST(json_tokens, of_small_texts) {
  for (char const* const text : {"",
                                 " ",
                                 "0",
                                 "-0",
                                 "01",
                                 "1.",
                                 "1.5e-3",
                                 "1e+",
                                 ".5",
                                 "-",
                                 "true",
                                 "tru",
                                 "truex",
                                 "nulll",
                                 "\"\"",
                                 "\"a",
                                 "\"\\\"\"",
                                 "\"\\\\\"",
                                 "\"\\x\"",
                                 "\"\\u00e9\"",
                                 "\"\\u00g9\"",
                                 "\"\\u12\"",
                                 "\"a\nb\"",
                                 "[]",
                                 "{}",
                                 "[1,2]",
                                 "[1,]",
                                 "[,1]",
                                 "[1 2]",
                                 "{\"a\":1}",
                                 "{\"a\" 1}",
                                 "{\"a\":}",
                                 "{\"a\"}",
                                 "{a:1}",
                                 "{\"a\":1,}",
                                 "{\"a\":1,\"b\":[{}]}",
                                 "[1}",
                                 "{]",
                                 "]",
                                 "[",
                                 "[[]",
                                 "1 2",
                                 "{} {}",
                                 "[\"a\":1]",
                                 "{\"a\":\"b\":\"c\"}",
                                 "\\",
                                 "[\\\"]",
                                 "\"a\"b",
                                 "[1:2]",
                                 "{1:2}",
                                 ":",
                                 ",",
                                 "[true false]",
                                 "\x01",
                                 "\"\x7f\"",
                                 "[]\n",
                                 "\t[ 1 , 2 ]\r\n"})
    expect_tokens(text);
}

TEST(json_tokens, of_real_files) {
  std::size_t files = 0;
  for (auto const& entry :
       std::filesystem::recursive_directory_iterator(UPSWEEP_SOURCE "/bench/results")) {
    if (entry.path().extension() != ".json" || entry.file_size() > 300'000) continue;
    std::ifstream file(entry.path());
    expect_tokens({std::istreambuf_iterator<char>(file), {}});
    ++files;
  }
  EXPECT_GT(files, 3u);
}

/// A random value of about `size` bytes, with much that needs care.
json random_value(random_bits& next, std::size_t size) {
  if (size < 8) {
    switch (next.below(6)) {
      case 0:
        return nullptr;
      case 1:
        return next.below(2) == 0;
      case 2:
        return static_cast<std::int64_t>(next()) >> next.below(60);
      case 3:
        return small(next) * 1e10;
      default:
        return random_text(next.below(12), "ab\"\\\\\\\n\t{}[]:,/ 1\x7f", next());
    }
  }
  json value = next.below(2) ? json::array() : json::object();
  for (std::size_t left = size; left > 0;) {
    std::size_t const part = 1 + next.below(left);
    if (value.is_array())
      value.push_back(random_value(next, part / 2));
    else
      value[random_text(1 + next.below(6), "ab\\\"x", next())] = random_value(next, part / 2);
    left -= part;
  }
  return value;
}

TEST(json_tokens, of_random_texts_of_all_lengths) {
  for (std::size_t const n : some_lengths) {
    random_bits next(test_seed() + n);
    json all = json::array();
    while (all.dump().size() < n / 2) all.push_back(random_value(next, n / 4 + 8));
    expect_tokens(all.dump());
    expect_tokens(all.dump(static_cast<int>(n % 5)));
  }
}

TEST(json_tokens, refuses_what_nlohmann_json_refuses) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    random_bits next(test_seed() + seed);
    std::string text = random_value(next, 60).dump();
    for (std::uint64_t k = 0; k <= seed % 3; ++k)
      text[next.below(text.size())] = "{}[]:,\"\\ 1-.etrue\n"[next.below(18)];
    expect_tokens(text);
  }
  for (std::uint64_t seed = 0; seed < 3000; ++seed)
    expect_tokens(random_text(1 + seed % 8, "{}[]:,\"\"\\ 01-.e", seed));
}

TEST(json_tokens, strings_and_backslashes_cross_the_borders_of_words_and_blocks) {
  for (std::size_t const border : {64u, 128u, 16'384u, 32'768u})
    for (std::size_t before = 0; before < 6; ++before)
      for (std::size_t run = 0; run < 5; ++run) {
        std::string const text =
            '"' + std::string(border - before - 1, 'x') + std::string(run, '\\') + "\",1234567]";
        expect_tokens('[' + text);
        expect_tokens(std::string(border - before, ' ') + "[12345,\"" + std::string(run, '\\') +
                      "\"]");
      }
  expect_tokens('"' + std::string(100'000, '\\') + '"');
  expect_tokens('"' + std::string(99'999, '\\') + '"');
}

TEST(json_tokens, names_the_first_byte_that_is_wrong) {
  auto const position = [](std::string const& text) -> std::size_t {
    try {
      apps::expect_json(apps::tokens_of_json(text));
    } catch (apps::text_error const& e) {
      return e.position();
    }
    return std::string::npos;
  };
  EXPECT_EQ(position("[1,2}"), 4u);
  EXPECT_EQ(position("[1,2,]"), 5u);
  EXPECT_EQ(position("{\"a\":1 2}"), 7u);
  EXPECT_EQ(position("[1,tru]"), 6u);
  EXPECT_EQ(position("[\"a\\q\", }"), 4u);
  EXPECT_EQ(position("[1"), 2u);
  EXPECT_EQ(position(""), 0u);
  EXPECT_EQ(position("[]]"), 2u);
  EXPECT_EQ(position("[\"ab"), 4u);
  EXPECT_EQ(message_of([] { apps::expect_json(apps::tokens_of_json("[1")); }),
            "expect_json: the text ends at byte 2 in the middle of a value");
}

}  // namespace
}  // namespace upsweep::test
