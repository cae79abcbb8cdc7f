/// Expressions of random words: each is refused, or computed alike for many rows and row by row.
#include <gtest/gtest.h>
#include <cli/expression/expression.hpp>
#include <io/error.hpp>
#include <io/number.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace upsweep;
using cli::text_buffer;

namespace {

/// Integers, naturals, decimals and Booleans, all of them as strings too, a text, and times.
class table {
 public:
  table() {
    for (std::size_t i = 0; i < 6; ++i) texts_[0].push(io::number_text(integers_[i]));
    for (std::size_t i = 0; i < 6; ++i) texts_[1].push(io::number_text(naturals_[i]));
    for (std::size_t i = 0; i < 6; ++i) texts_[2].push(io::number_text(decimals_[i]));
    for (std::size_t i = 0; i < 6; ++i) texts_[3].push(truths_[i] ? "true" : "false");
    for (auto const* text : {"", "Kiel", "\xc3\x9clm", "a\"b", "7", " x "}) texts_[4].push(text);
    for (auto const* time : {"2024-02-29", "1970-01-01T00:00Z", "NA", "2000-12-31 23:59:59.5-11",
                             "0001-01-01", "9999-12-31T23:59+14:00"})
      texts_[5].push(time);
  }
  [[nodiscard]] io::chunk rows(std::size_t first, std::size_t n) {
    io::chunk all;
    all.first_row = first;
    all.rows = n;
    auto const add = [&]<class T>(io::dtype type, T const* values) {
      all.columns.push_back(io::as_column(type, std::span<T const>(values + first, n)));
      all.present.push_back(
          io::as_column(io::dtype::boolean, std::span<bool const>(present_ + first, n)));
    };
    add(io::dtype::i64, integers_);
    add(io::dtype::u64, naturals_);
    add(io::dtype::f64, decimals_);
    add(io::dtype::boolean, truths_);
    for (std::size_t k = 0; k < 6; ++k) {
      part_[k].clear();
      part_[k].append(texts_[k].view(), first, n);
      all.keys.push_back(part_[k].view());
    }
    return all;
  }

 private:
  std::int64_t integers_[6] = {3, 0, -1, 9223372036854775807, -9223372036854775807 - 1, 2};
  std::uint64_t naturals_[6] = {7, 0, 18446744073709551615U, 9223372036854775808U, 1, 5};
  double decimals_[6] = {0.5, -0.0, 1e300, -7.25, 1e-310, 3};
  bool truths_[6] = {true, false, true, true, false, false};
  bool present_[6] = {true, true, true, true, true, false};
  text_buffer texts_[6], part_[6];
};

std::string const names = "indbst";

std::string random_words(std::mt19937& source) {
  static std::vector<std::string> const words = [] {
    std::vector<std::string> all{
        "(",   ")",   "(",    ")",       ",",    "+",   "-",       "*",
        "/",   "%",   "**",   "==",      "=",    "!=",  "<",       "<=",
        ">",   ">=",  "~",    "!",       "!~",   "and", "or",      "&&",
        "||",  "not", "in",   "0",       "2",    "7.5", "1e9",     "-1",
        "i",   "n",   "d",    "b",       "s",    "t",   "i",       "d",
        "`s`", "'x'", "\"\"", "'month'", "true", "row", "'[a-z]'", "9223372036854775807"};
    for (auto const& f : cli::functions()) all.push_back(std::string(f.name) + "(");
    return all;
  }();
  std::string text;
  for (auto n = 1 + source() % 14; n > 0; --n) {
    text += words[source() % words.size()];
    if (source() % 4 != 0) text += ' ';
  }
  return text;
}

/// A tree of random calls and operations, which parses.
std::string random_tree(std::mt19937& source, int depth) {
  constexpr char const* leaves[] = {"i", "n", "d", "b", "s", "t", "3", "0.5", "'x'", "true", "row"};
  constexpr char const* signs[] = {"+", "-", "*", "/", "%", "**", "==", "<", ">=", "and", "or"};
  if (depth == 0) return leaves[source() % std::size(leaves)];
  auto const part = [&] { return random_tree(source, depth - 1); };
  switch (source() % 4) {
    case 0:
      return "(" + part() + " " + signs[source() % std::size(signs)] + " " + part() + ")";
    case 1:
      return (source() % 2 != 0 ? "-" : "not ") + part();
    default:
      break;
  }
  auto const& f = cli::functions()[source() % cli::functions().size()];
  std::string text = std::string(f.name) + "(" + part();
  for (std::size_t a = 1; a < std::min(f.most, f.least + source() % 2); ++a)
    text += ", " + (f.name == "trunc" ? "'week'" : part());
  return text + ")";
}

/// What it gives for rows [first, first + n), a text each; or the message of the error.
std::string values_of(cli::expressions& all, table& from, std::size_t first, std::size_t n) try {
  io::missing_words const missing;
  text_buffer texts;
  all.append_texts(0, from.rows(first, n), &missing, texts);
  EXPECT_EQ(texts.size(), n);
  std::string joined;
  for (std::size_t i = 0; i < n; ++i) joined += std::string(texts.view()[i]) + "\n";
  return joined;
} catch (io::data_error const& e) {
  return std::string("error: ") + e.what();
}

/// Whether it is computed; fails if rows together and alone differ.
bool try_expression(std::string const& text, table& from) {
  cli::expressions all;
  try {
    all.add(text, "x");
    std::vector<io::chosen_column> places;
    for (auto const& column : all.columns()) {
      auto const k = names.find(column.name);
      if (k == std::string::npos) return false;
      places.push_back({column.as_text || k >= 4, k});
    }
    all.resolve({}, places,
                {{"i", io::dtype::i64},
                 {"n", io::dtype::u64},
                 {"d", io::dtype::f64},
                 {"b", io::dtype::boolean}});
  } catch (io::usage_error const&) {
    return false;
  }
  std::string alone;
  for (std::size_t i = 0; i < 6 && !alone.starts_with("error"); ++i) {
    auto const one = values_of(all, from, i, 1);
    alone = one.starts_with("error") ? one : alone + one;
  }
  auto const together = values_of(all, from, 0, 6);
  // A block may meet the error of a later row first.
  EXPECT_EQ(together.substr(0, 5) == "error", alone.substr(0, 5) == "error") << text;
  if (!together.starts_with("error")) {
    EXPECT_EQ(together, alone) << text;
  }
  return true;
}

/// UPSWEEP_CASES asks for more.
int cases() {
  auto const* const asked = std::getenv("UPSWEEP_CASES");
  return asked != nullptr ? std::atoi(asked) : 4000;
}

}  // namespace

TEST(expressions, of_random_words_are_refused_or_computed) {
  std::mt19937 source(20240229);
  table from;
  int computed = 0;
  for (int n = cases(); n > 0; --n) computed += try_expression(random_words(source), from) ? 1 : 0;
  EXPECT_GT(computed, cases() / 100);
}

TEST(expressions, of_random_trees_are_alike_for_many_rows_and_row_by_row) {
  std::mt19937 source(20240229);
  table from;
  int computed = 0;
  for (int n = cases(); n > 0; --n)
    computed +=
        try_expression(random_tree(source, 1 + static_cast<int>(source() % 4)), from) ? 1 : 0;
  EXPECT_GT(computed, cases() / 100);
}

TEST(expressions, say_of_each_row_of_a_used_buffer_whether_it_has_a_value) {
  table from;
  cli::expressions all;
  all.add("i + 1.0", "x");
  all.resolve({}, std::vector<io::chosen_column>{{false, 0}}, {{"i", io::dtype::i64}});
  io::missing_words const missing;
  cli::column_buffer values(io::dtype::f64), present(io::dtype::boolean);
  std::ranges::fill(present.extend<bool>(6), false);
  present.clear();
  all.append_numbers(0, from.rows(0, 6), &missing, values, present);
  auto const known = present.view().as<bool>();
  EXPECT_EQ(std::vector<bool>(known.begin(), known.end()),
            (std::vector<bool>{true, true, true, true, true, false}));
  EXPECT_EQ(values.view().as<double>()[2], 0.0);
}
