/// Conditions on rows: each operation with the rows for which it holds, worked out by hand.
#include <gtest/gtest.h>
#include <cli/expression/expression.hpp>
#include <io/error.hpp>
#include <tests/io/files.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

using namespace upsweep;

namespace {

/// The expression of --where.
struct condition {
  explicit condition(std::string const& text) { all.add(text, "--where"); }
  void resolve(io::input const& in) {
    all.resolve(in->all_names, in->where_chosen(), in->columns);
    all.expect_truth(0);
  }
  void evaluate(io::chunk const& rows, auto&& marks) { all.mark(0, rows, nullptr, marks); }
  cli::expressions all;
};

/// What the tool asks of a table with the columns of `where`.
io::input_options options_for(condition const& where, std::string const& path) {
  io::input_options options{.path = path};
  for (auto const& of : where.all.columns())
    options.columns.push_back(of.name), options.as_text.push_back(of.as_text);
  options.single = options.columns.size(), options.keys_only = options.columns.empty();
  options.rows_suffice = options.may_be_text = options.mark_missing = true;
  return options;
}

/// A mark for each row of `table`: 1, 0, or ? if a missing number leaves it open.
std::string marks(std::string const& text, std::string const& table) {
  io::test::scratch const folder(io::test::in_memory());
  condition where(text);
  io::input in(options_for(where, folder.write("table.csv", table)));
  where.resolve(in);
  std::string all;
  io::chunk rows;
  while (in->next(rows)) {
    std::vector<std::uint8_t> found(rows.rows + 1, 9);  // one more, which stays as it is
    where.evaluate(rows, std::span(found).first(rows.rows));
    for (auto const mark : std::span(found).first(rows.rows))
      all += mark == 2 ? '?' : static_cast<char>('0' + mark);
    EXPECT_EQ(found.back(), 9);
  }
  return all;
}

constexpr char const* four =
    "i,n,d,s,t\n"
    "-3,0,0.5,Kiel,true\n"
    "0,9223372036854775808,-2,bonn,false\n"
    "7,18446744073709551615,7,\xc3\x9clm,true\n"
    "12,7,1e3,\"\",false\n";

struct expectation {
  char const *condition, *marks;
};

void expect_all(std::initializer_list<expectation> all, char const* table = four) {
  for (auto const& e : all) EXPECT_EQ(marks(e.condition, table), e.marks) << e.condition;
}

/// The message of the usage error (2) or data error (3), after its number.
std::string error_of(std::string const& condition, char const* table = four) {
  try {
    return "0 " + marks(condition, table);
  } catch (io::usage_error const& e) {
    return std::string("2 ") + e.what();
  } catch (io::data_error const& e) {
    return std::string("3 ") + e.what();
  }
}

void expect_errors(std::initializer_list<expectation> all, char const* table = four) {
  for (auto const& e : all) {
    auto const said = error_of(e.condition, table);
    EXPECT_NE(said.find(e.marks), std::string::npos) << e.condition << "\n" << said;
    EXPECT_EQ(said[0], '2') << said;
  }
}

}  // namespace

TEST(conditions, compare_integers_naturals_and_decimals_exactly) {
  expect_all({{"i == 7", "0010"},
              {"i = 7", "0010"},
              {"i != 7", "1101"},
              {"i <> 7", "1101"},
              {"i < 7", "1100"},
              {"i <= 7", "1110"},
              {"i > 0", "0011"},
              {"i >= 0", "0111"},
              {"n == 7", "0001"},
              {"n > 9223372036854775807", "0110"},
              {"n >= 9223372036854775808", "0110"},
              {"n > 9223372036854775808", "0010"},
              {"n < 18446744073709551615", "1101"},
              {"n == 18446744073709551615", "0010"},
              {"9223372036854775808 > i", "1111"},
              {"i < n", "1110"},
              {"i == n", "0000"},
              {"n > i", "1110"},
              {"n != i", "1111"},
              {"i >= n", "0001"},
              {"n <= i", "0001"},
              {"d > i", "1001"},
              {"d == 7", "0010"},
              {"i == d", "0010"},
              {"n > d", "0110"},
              {".5 == d", "1000"},
              {"1e3 == d", "0001"},
              {"5e-1 == d", "1000"},
              {"18446744073709551616 > n", "1111"}});  // a decimal, 1 above the largest
}

TEST(conditions, compute_with_the_usual_precedence) {
  expect_all(
      {{"i + 1 == 8", "0010"},        {"i - 1 == 6", "0010"},      {"i * 2 == 24", "0001"},
       {"i / 2 == 3.5", "0010"},      {"i % 5 == 2", "0011"},      {"-i > 0", "1000"},
       {"abs(i) == 3", "1000"},       {"abs(i) == 7", "0010"},     {"abs(d) == 2", "0100"},
       {"abs(d) == 7", "0010"},       {"-d == 2", "0100"},         {"d - 1 == 6", "0010"},
       {"d * 2 == 1", "1000"},        {"d % 3 == 1", "0011"},      {"i + d == 14", "0010"},
       {"n / 7 == 1", "0001"},        {"abs(n) == 7", "0001"},     {"n == 7", "0001"},
       {"2 - 3 - 4 == -5", "1111"},   {"12 / 3 / 2 == 2", "1111"}, {"2 + 3 * 4 == 14", "1111"},
       {"(2 + 3) * 4 == 20", "1111"}, {"-2 * 3 == -6", "1111"},    {"7 - -2 == 9", "1111"},
       {"- - 3 == 3", "1111"},        {"7 % 4 * 2 == 6", "1111"},  {"row == 1", "1000"},
       {"row > 2", "0011"},           {"row % 2 == 0", "0101"}});
  // f64 would round the results of the other rows.
  expect_all({{"if(n < 9, i - n, 0) == 5", "0001"}, {"if(n < 9, -n * 2 + n % 4, 0)==-11", "0001"}});
}

TEST(conditions, join_truths_and_bind_and_before_or) {
  expect_all({{"t", "1010"},
              {"true", "1111"},
              {"false", "0000"},
              {"!t", "0101"},
              {"!!t", "1010"},
              {"not t", "0101"},
              {"not i > 0", "1100"},
              {"!(i > 0)", "1100"},
              {"t == true", "1010"},
              {"t = false", "0101"},
              {"t != (i > 0)", "1001"},
              {"i > 0 && d > 7", "0001"},
              {"i > 0 and d > 7", "0001"},
              {"i < 0 || d > 7", "1001"},
              {"i < 0 or d > 7", "1001"},
              {"!t && i > 0", "0001"},
              {"t && !t", "0000"},
              {"t || t && i > 99", "1010"},
              {"(t || i == 0) && d < 1", "1100"},
              {"i == 0 || i == 7 || i == 12", "0111"},
              {"i > -9 && i < 9 && t", "1010"},
              {"i == 0 || t && i > 0 || i == 12", "0111"},
              {"i==7&&t", "0010"},
              {" \t\n( i\t==\n7 ) ", "0010"},
              {"`i` == 7", "0010"},
              {"$1 == 7", "0010"},
              {"$4 == 'bonn'", "0100"},
              {"i in (7, 0)", "0110"},
              {"i in (0.5, 12)", "0001"},
              {"i in(n)", "0000"},
              {"d in (i, 1000)", "0011"},
              {"n in (7, 18446744073709551615)", "0011"}});
}

TEST(conditions, may_have_many_negations_beside_each_other) {
  std::string many = "not i == 0";
  for (int term = 0; term < 120; ++term) many += " and not i == 0";
  EXPECT_EQ(marks(many, four), "1011");
}

TEST(conditions, compare_texts_byte_by_byte_and_fields_as_they_stand) {
  expect_all({{"s == \"Kiel\"", "1000"},
              {"s != 'Kiel'", "0111"},
              {"s < 'a'", "1001"},
              {"s >= 'b'", "0110"},
              {"s > 'bonn'", "0010"},
              {"s <= 'bonn'", "1101"},
              {"s in ('Kiel', 'bonn')", "1100"},
              {"s ~ '^[A-Z]'", "1000"},
              {"s ~ 'l'", "1010"},
              {"s !~ 'n'", "1011"},
              {"length(s) == 4", "1100"},
              {"length(s) == 3", "0010"},  // four bytes
              {"length(s) == 0", "0001"},
              {"lower(s) == 'kiel'", "1000"},
              {"upper(s) == 'BONN'", "0100"},
              {"upper(s) == '\xc3\x9cLM'", "0010"},
              {"lower('AMZ@[1') == 'amz@[1'", "1111"},
              {"upper('amz`{1') == 'AMZ`{1'", "1111"},
              {"starts_with(s, 'K')", "1000"},
              {"starts_with(s, 'iel')", "0000"},
              {"ends_with(s, 'l')", "1000"},
              {"ends_with(s, 'Kie')", "0000"},
              {"contains(s, 'on')", "0100"},
              {"contains(s, '')", "1111"},
              {"contains('xKiely', s)", "1001"},
              {"text(i) == '7'", "0010"},
              {"text(d) ~ 'e'", "0001"},
              {"text(i) > '1'", "0011"},
              {"i == '7'", "0010"},
              {"i != '7'", "1101"},
              {"i in ('12', '07')", "0001"},
              {"d == '1e3' && d == 1000", "0001"},
              {R"('a\'b' == "a'b" && "a\\b" ~ '^a\\b$')", "1111"}});
}

TEST(conditions, are_open_where_a_missing_number_decides) {
  expect_all({{"a > 0", "1?1?"},
              {"a > 0 || b > 0", "111?"},
              {"b > 0 || a > 0", "111?"},
              {"a > 0 && b > 0", "??1?"},
              {"a < 0 && b > 0", "0?0?"},
              {"b > 0 && a < 0", "0?0?"},
              {"!(a > 0)", "0?0?"},
              {"a + b == 7", "??1?"},
              {"a in (b, 1)", "1?0?"},
              {"a in (1, b)", "1?0?"},
              {"-a == -1", "1?0?"},
              {"abs(a) == 3", "0?1?"},
              {"a != b", "??1?"},
              {"a % b == 3", "??1?"},
              {"not (a > 9 or b == 2)", "?01?"},
              {"a > 0 || true", "1111"},
              {"a > 0 && false", "0000"}},
             "a,b\n1,\n,2\n3,4\n,\n");
}

TEST(conditions, evaluate_the_right_side_only_where_the_left_one_leaves_it_open) {
  char const* const numbers = "x\n0\n2\n5\n";
  expect_all({{"x != 0 && 6 % x == 0", "010"},
              {"x == 0 || 6 % x == 1", "101"},
              {"x != 0 && 6 % x == 0 || x == 0", "110"},
              {"x < 1 || x < 3 && 9223372036854775805 + x > 0 || x == 5", "111"}},
             "x\n0\n2\n5\n");
  for (std::string const text : {"6 % x == 0", "x != 5 && 6 % x == 0", "x != 0 || 6 % x == 0"})
    EXPECT_EQ(error_of(text, numbers), "3 --where: row 1 divides by 0 in '%'.\n  " + text + "\n  " +
                                           std::string(text.find('%'), ' ') + "^");
  EXPECT_EQ(error_of("9223372036854775807 + x > 0", numbers),
            "3 --where: row 2 overflows i64 at character 21; write a factor as a decimal, as in "
            "2.0.\n  9223372036854775807 + x > 0\n                      ^");
  EXPECT_NE(error_of("x  * 4611686018427387904 > 0", numbers).find("i64 at character 4;"),
            std::string::npos);
  for (auto const* const text : {"x * 4611686018427387904 > 0", "0 - 9223372036854775807 - x < 0",
                                 "x + 9223372036854775806 > 0"})
    EXPECT_NE(error_of(text, numbers).find("3 --where: row 2 overflows i64"), std::string::npos)
        << text << error_of(text, numbers);
  for (auto const* const text : {"-y > 0", "abs(y) > 0", "y - 1 > 0", "y * -1 > 0"})
    EXPECT_NE(error_of(text, "y\n1\n-9223372036854775808\n").find("row 2 overflows"),
              std::string::npos)
        << text;
  expect_all({{"x % -1 == 0", "111"}, {"-9223372036854775807 - 1 < x", "111"}}, numbers);
}

TEST(conditions, say_at_which_character_they_cannot_be_read) {
  expect_errors({{"", "ends where a value is expected at character 1."},
                 {"i ==", "ends where a value is expected at character 5"},
                 {"i == 7 7", "an operator such as && is missing at character 8"},
                 {"(i == 7", "')' is missing at character 8"},
                 {"i in 7", "'(' is missing at character 6"},
                 {"i in (7", "')' is missing at character 8"},
                 {"t && $ > 1", "'$' needs the position of a column, as in $1 at character 6"},
                 {"? > 1", "'?' is not expected at character 1"},
                 {"foo(i) > 1", "'foo' is not a function at character 1"},
                 {"lengt(s) > 1", "did you mean 'length'?"},
                 {"contains(s) ", "',' is missing at character 11"},
                 {"contains(s, 'x'", "')' is missing at character 16"},
                 {"1x > 2", "not a number; write names that begin with a digit"},
                 {"i > .", "not a number at character 5"},
                 {"i > 1e999", "not a number at character 5"},
                 {"s ~ x", "'~' needs a regular expression in quotes at character 5"},
                 {"s ~ '('", "not a regular expression"},
                 {"s == 'x", "the quote is not closed at character 6"},
                 {"s == 'x\\'", "the quote is not closed at character 6"},
                 {"t || `i > 1", "the '`' is not closed at character 6"},
                 {"`` > 1", "has no column ''"}});
  auto const in_parentheses = [](std::size_t n) {
    return std::string(n, '(') + "t" + std::string(n, ')');
  };
  EXPECT_EQ(error_of(in_parentheses(150)), "0 1010");
  EXPECT_NE(error_of(in_parentheses(300)).find("too many nested parentheses"), std::string::npos);
  EXPECT_EQ(error_of(std::string(150, '!') + "t"), "0 1010");
  std::string sum = "i", chain = "t";
  for (int k = 0; k < 400; ++k) sum += " + 0", chain += " && t";
  EXPECT_EQ(error_of(sum + " == 7"), "0 0010");
  for (int k = 0; k < 400; ++k) sum += " + 0", chain += " && t";
  EXPECT_NE(error_of(sum + " == 7").find("more than 500 nested operations"), std::string::npos);
  EXPECT_EQ(error_of(chain), "0 1010");
}

TEST(conditions, say_which_part_has_the_wrong_type) {
  expect_errors({{"i", "--where needs a Boolean, but this is a number at character 1"},
                 {"s", "--where needs a Boolean, but this is a text at character 1"},
                 {"t && s", "this needs a Boolean, but this is a text at character 6"},
                 {"!i", "this needs a Boolean, but this is a number at character 2"},
                 {"i == t", "a number is compared with a Boolean"},
                 {"t < 's'", "a Boolean is compared with a text"},
                 {"i < 's'", "a number is compared with a text"},
                 {"i in (1, t)", "a number is compared with a Boolean"},
                 {"abs(s) > 1", "abs needs a number, but this is a text at character 5"},
                 {"-t > 1", "'-' needs a number, but this is a Boolean at character 2"},
                 {"1 + s > 1", "arithmetic needs a number, but this is a text at character 5"},
                 {"1 + (t  && t) > 1", "but this is a Boolean at character 9"},
                 {"1 + (t  || t) > 1", "but this is a Boolean at character 9"},
                 {"1 + (i  == 7) > 1", "but this is a Boolean at character 9"},
                 {"1 + (i  in (7)) > 1", "but this is a Boolean at character 9"},
                 {"1 + (  !t) > 1", "but this is a Boolean at character 8"},
                 {"length(i + 1) > 1", "length needs a text, but this is a number"},
                 {"lower(i + 1) == 'x'", "lower needs a text, but this is a number"},
                 {"contains(s, i + 1)", "contains needs a text, but this is a number"},
                 {"(i + 1) ~ 'x'", "'~' needs a text, but this is a number"},
                 {"row > 1 && x > 1", "x"}});
  expect_errors({{"x > 0 && row > 20", "write `row` in backquotes"}}, "row,x\n20,1\n30,2\n");
  expect_all({{"`row` > 20", "01"}}, "row,x\n20,1\n30,2\n");
}

TEST(conditions, name_columns_by_letters_digits_and_points) {
  char const* const table = "a,z,A,Z,_,\xc3\x80,aZ_z09,in.e,'b\n1,2,3,4,5,6,7,8,9\n";
  expect_all({{"a == 1 and z == 2 and A == 3 and Z == 4 and _ == 5 and \xc3\x80 == 6", "1"},
              {"aZ_z09==7&&in.e==8 and `'b` == 9", "1"},
              {"$1 == 1 && $9 == 9 && `a`==1", "1"},
              {"not(a==2)or(a==2)", "1"}},
             table);
}

TEST(conditions, list_their_columns_once_as_text_and_once_as_they_are) {
  condition const where("a + b > a && s == 'x' && a == '7' && length(s) > b && `c` < 'x'");
  EXPECT_EQ(options_for(where, "").columns, (std::vector<std::string>{"a", "b", "s", "a", "c"}));
  EXPECT_EQ(options_for(where, "").as_text, (std::vector<bool>{false, false, true, true, false}));
  auto const means = [](char const* text, char const* word) {
    return condition(text).all.may_mean_text(word);
  };
  EXPECT_TRUE(means("city == Kiel", "Kiel"));
  EXPECT_FALSE(means("city == Kiel", "city"));
  EXPECT_TRUE(means("x > 1 && city != Kiel", "Kiel"));
  EXPECT_TRUE(means("city in (Bonn, Kiel)", "Kiel"));
  EXPECT_FALSE(means("city < Kiel", "Kiel"));
  EXPECT_FALSE(means("city == `Kiel`", "Kiel"));
  EXPECT_FALSE(means("city == Kiel + 1", "Kiel"));
}

TEST(conditions, follow_columns_of_integers_that_become_decimals) {
  io::test::scratch const folder(io::test::in_memory());
  condition where("a == 1 && b == 2.5");
  io::input in(options_for(where, folder.write("table.csv", "a,b\n1,2\n")));
  where.resolve(in);
  std::vector<std::int64_t> const ones{1, 1};
  std::vector<double> const decimals{2.5, 2};
  io::chunk rows;
  rows.rows = 2;
  for (bool const late : {false, true, false}) {
    std::vector<std::uint8_t> found(2);
    auto const integers = io::as_column<std::int64_t>(io::dtype::i64, ones);
    rows.columns = {integers, late ? io::as_column<double>(io::dtype::f64, decimals) : integers};
    where.evaluate(rows, found);
    EXPECT_EQ(found, (std::vector<std::uint8_t>{late, 0})) << late;
  }
}

TEST(conditions, hold_for_the_same_rows_of_many) {
  std::string table = "x\n", thousands, fifth;
  for (int i = 1; i <= 10000; ++i) {
    table += std::to_string(i) + "\n";
    thousands += i % 1000 == 0 ? '1' : '0';
    fifth += i == 4096 || i == 4097 || i == 8193 ? '1' : '0';
  }
  EXPECT_EQ(marks("x % 1000 == 0", table), thousands);
  EXPECT_EQ(marks("row in (4096, 4097, 8193)", table), fifth);
  EXPECT_NE(error_of("x != 5000 && 9223372036854769807 + x > 0", table.c_str()).find("row 6001 "),
            std::string::npos);
}

TEST(patterns, find_the_same_in_short_and_in_long_texts) {
  for (std::size_t const n : {0U, 10U, 2499U, 2500U, 2501U, 4999U, 5000U, 5001U, 40000U}) {
    std::string const long_text(n, 'x');
    cli::text_pattern const ab("ab"), end("b$"), begin("^ab");
    for (auto const& text : {long_text + "ab", "ab" + long_text}) {
      EXPECT_TRUE(ab.occurs_in(text)) << n;
      EXPECT_EQ(end.occurs_in(text), text.back() == 'b') << n;
      EXPECT_EQ(begin.occurs_in(text), text[0] == 'a') << n;
    }
    EXPECT_FALSE(ab.occurs_in(long_text + "a"));
  }
  // By recursion, 2^40 divisions of the text would be tried.
  for (auto const* const text : {"(a+)+b", "(a*)*b", "(a|a){40}b"})
    EXPECT_FALSE(cli::text_pattern(text).occurs_in(std::string(40, 'a'))) << text;
  EXPECT_THROW(cli::text_pattern("(x)\\1y"), std::invalid_argument);
  EXPECT_NO_THROW(cli::text_pattern(std::string(10000, 'x')));
  EXPECT_THROW(cli::text_pattern(std::string(10001, 'x')), io::usage_error);
}
