/// Parts of the tool's engine: what is said about names, saved states of strings, and whether bytes
/// are in the order of what strings made of numbers say.
#include <gtest/gtest.h>
#include <cli/engine/operators.hpp>
#include <cli/engine/string_order.hpp>
#include <cli/engine/texts.hpp>
#include <io/error.hpp>
#include <tests/support/message.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

using namespace upsweep::cli;
using namespace upsweep::io;

namespace {

TEST(parse_operators, suggest_quantiles_for_percentiles) {
  auto const advice = [](char const* name) {
    std::string const all =
        upsweep::test::message_of<usage_error>([&] { static_cast<void>(parse_operators({name})); });
    auto const at = all.find("did you mean ");
    return at == all.npos ? "" : all.substr(at, all.find('?', at) + 1 - at);
  };
  EXPECT_EQ(advice("p50"), "did you mean 'median'?");
  EXPECT_EQ(advice("p95"), "did you mean 'quantile:0.95'?");
  EXPECT_EQ(advice("p5"), "did you mean 'quantile:0.05'?");
  EXPECT_EQ(advice("p05"), "did you mean 'quantile:0.05'?");
  for (char const* other : {"p", "p999", "p9x", "q50"})
    EXPECT_EQ(advice(other).find("quantile:0"), std::string::npos) << other;
}

/// "name(parameter) column others as alias" for each use, or the sentence that refuses the word.
std::string parsed(std::string const& word) {
  std::string all;
  auto const add = [&](char const* before, std::string const& text) {
    if (!text.empty()) all += before + text;
  };
  std::string const refusal = upsweep::test::message_of<usage_error>([&] {
    for (auto const& use : parse_operators({word})) {
      add(all.empty() ? "" : "; ", use.name);
      add(":", use.parameter);
      add(" ", use.column);
      for (auto const& other : use.others) add(" ", other);
      add(" as ", use.alias);
    }
  });
  return refusal.empty() ? all : refusal;
}
TEST(parse_operators, take_parameters_columns_and_a_name_apart) {
  std::string const two = " takes 2 columns; write --op ",
                    choose = ", or choose them with --column.";
  for (auto const& [word, expected] : std::vector<std::pair<std::string, std::string>>{
           {"sum", "sum"},
           {"sum:x", "sum x"},
           {"sum:x:y", "sum x:y"},  // a column's name may have a colon
           {"sum:x as s", "sum x as s"},
           {"ema:0.1", "ema:0.1"},
           {"ema:0.1:x as smooth", "ema:0.1 x as smooth"},
           {"lag", "lag"},
           {"lag:2", "lag:2"},
           {"lag:x", "lag x"},
           {"lag:2:x", "lag:2 x"},
           {"window:7:mean:x", "window:7:mean x"},
           {"recurrence:0.5:-1:x", "recurrence:0.5:-1 x"},
           {"concat:+:x", "concat:+ x"},
           {"minmax:x", "min x; max x"},
           {"slope", "slope"},
           {"slope:x:y", "slope x y"},
           {"slope:x:y as m", "slope x y as m"},
           {"affine:a:b", "affine a b"},
           {"weighted-moments:x:w", "weighted-mean x w; weighted-var x w"},
           {"matrix2x2:a:b:c:d", "matrix2x2 a b c d"},
           {"slope:x", "--op slope:x: slope" + two + "slope:X:Y" + choose},
           {"slope:x:", "--op slope:x:: slope" + two + "slope:X:Y" + choose},
           {"slope:x:y:z", "--op slope:x:y:z: slope" + two + "slope:X:Y" + choose},
           {"matrix2x2:a:b",
            "--op matrix2x2:a:b: matrix2x2 takes 4 columns; write --op "
            "matrix2x2:A:B:C:D" +
                choose},
           {"sum:", "--op sum:: the column after ':' is missing; write --op sum:COLUMN."},
           {"sum:x as ", "--op sum:x as : the name after 'as' is missing."},
           {"minmax as m",
            "--op minmax as m: minmax has several results, which cannot have one name."},
           {"ema:x",
            "--op ema:x: ema:WEIGHT needs a number above 0 and at most 1, as in --op "
            "ema:0.1:x."}})
    EXPECT_EQ(parsed(word), expected);
}

/// Results of the operators over rows [0, n) of the column, and strings and numbers of each row.
class texts : public testing::Test {
 protected:
  static std::vector<operator_use> uses() {
    std::vector<operator_use> all =
        parse_operators({"min", "max", "first", "last", "count", "distinct", "concat:+"});
    for (auto& use : all)
      if (use.name != "count") use.at = 0;
    return all;
  }
  static text_set made() {
    aggregate_settings settings;
    settings.scans = true;
    return {uses(), {"word"}, {}, settings};
  }
  static std::vector<std::string> shown(text_set const& set) {
    chunk rows;
    set.append_to(rows);
    std::vector<std::string> all;
    for (auto const& column : rows.keys)
      for (std::size_t i = 0; i < column.size(); ++i) all.emplace_back(column[i]);
    for (auto const& column : rows.columns)
      for (auto const n : column.as<std::uint64_t>()) all.push_back(std::to_string(n));
    return all;
  }
};

TEST_F(texts, saved_states_go_on_where_they_were_saved) {
  text_buffer words;
  for (char const* word : {"m", "", "zebra", "ant", "m", "a long word beyond small strings", "zoo"})
    words.push(word);
  chunk rows;
  rows.keys = {words.view()};
  for (std::size_t cut = 0; cut <= 7; ++cut) {
    text_set whole = made(), before = made(), after = made();
    for (text_set* set : {&whole, &before, &after}) set->restart();
    whole.scan(upsweep::scan_kind::inclusive, rows, 0, cut);
    whole.clear();
    whole.scan(upsweep::scan_kind::inclusive, rows, cut, 7 - cut);
    after.add(rows, 0, 7);
    after.restart();
    before.add(rows, 0, cut);
    saved_state state;
    before.serialize(state);
    saved_reader reader(state);
    after.combine(reader);
    after.scan(upsweep::scan_kind::inclusive, rows, cut, 7 - cut);
    EXPECT_EQ(shown(after), shown(whole)) << cut;
  }
}

TEST_F(texts, operators_choose_by_order_and_place) {
  text_buffer words;
  for (char const* word : {"m", "zebra", "ant", "b"}) words.push(word);
  chunk rows;
  rows.keys = {words.view()};
  text_set set = made();
  set.restart();
  set.add(rows, 0, 3);
  set.add(rows, 3, 1);
  set.finish();
  EXPECT_EQ(shown(set),
            (std::vector<std::string>{"ant", "zebra", "m", "b", "m+zebra+ant+b", "4", "4"}));
  set.clear();
  set.restart();
  set.add(rows, 1, 2);
  set.finish();
  EXPECT_EQ(shown(set),
            (std::vector<std::string>{"ant", "zebra", "zebra", "ant", "zebra+ant", "2", "2"}));
}

using kind = order_form::kind;

TEST(order_forms, are_told_from_texts_that_have_none) {
  for (std::string_view const token : {"9:a0",
                                       "9:3x",
                                       "9:305",
                                       "9:30.x",
                                       "9:30 $",
                                       "9:3",
                                       "2024.03",
                                       "2024-03/04",
                                       "2024-03-",
                                       "2024-03-123",
                                       "2024-03-45",
                                       "1/12345",
                                       "5-1234567",
                                       "9-5",
                                       "2024-W",
                                       "2024-W123",
                                       "2024-W09x",
                                       "1.2.x",
                                       "5-x",
                                       "12 parsecs",
                                       "Jan",
                                       "Jan 5 Feb",
                                       "Jan 5;",
                                       "ab",
                                       "2024-03-04 09:30:00.000000000000000000000000000000"})
    EXPECT_EQ(kind::none, order_form_of(token).is) << token;
  for (std::string_view const token :
       {"9:30 am", "9:30PM", "3/4/2024", "3.4.2024", "03.04.24", "3-4-24", "5 Jan 2024",
        "Jan 5, 2024 9:30 PM", "1/2", "1 1/2", "12/2023"})
    EXPECT_EQ(kind::unordered, order_form_of(token).is) << token;
  for (std::string_view const token :
       {"9:30", "9:30,5", "9:30.5", "9:30 xm", "09:30:00+02:00", "2024-03", "2024/3/4 09:30",
        "2024-03-04t09:30", "2024-W09", "2024W09", "2024-W09-1"})
    EXPECT_EQ(kind::time, order_form_of(token).is) << token;
  for (std::string_view const token : {"123.4.24", "12.4.24", "1.10.0", "v2.3", "V2.3-rc1",
                                       "1.2.3+b5", "1.2.3a", "5-9", "10 - 19", "20..29", "1 to 9"})
    EXPECT_EQ(kind::version, order_form_of(token).is) << token;
}
TEST(order_forms, are_in_order_if_their_numbers_are_as_wide) {
  for (auto const& [a, b, expected] :
       std::vector<std::tuple<std::string_view, std::string_view, bool>>{
           {"2024-03-04", "2024-11-05", true},
           {"2024-3-4", "2024-11-05", false},
           {"2024-03-04", "2024-03-04 09:30", true},
           {"2024-03-04 09:30", "2024-03-04T10:30", false},
           {"09:30", "10:30", true},
           {"9:30", "10:30", false},
           {"1.2.3", "1.10.3", false},
           {"2024-W09", "2024W10", false},
           {"2024-W09", "2024-W10", true},
           {"abc", "2024-03-04", true},
           {"2024-03-04", "abc", true},
           {"3/4/2024", "5/4/2024", false},
           {"3/4/2024", "2024-03-04", false}})
    EXPECT_EQ(expected, are_in_order(a, b)) << a << " " << b;
}

}  // namespace
