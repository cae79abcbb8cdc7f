/// Decimal numbers as strings, and sums and products of them, at their limits.
#include <upsweep/ops/decimal.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::test {

std::string again(std::string_view text) {
  auto const x = parse_decimal(text);
  return x ? to_string(*x) : "none";
}

TEST(decimals, are_written_with_all_their_digits) {
  for (auto const& [text, written] : std::vector<std::pair<std::string, std::string>>{
           {"0", "0"},
           {"-0.00", "0.00"},
           {"+.5", "0.5"},
           {"5.", "5"},
           {"-12.50", "-12.50"},
           {"007", "7"},
           {"1e3", "1000"},
           {"12.5E-1", "1.25"},
           {"-1.5e+1", "-15"},
           {std::string(38, '9'), std::string(38, '9')},
           {"0." + std::string(37, '0') + "1", "0." + std::string(37, '0') + "1"}})
    EXPECT_EQ(again(text), written) << text;
  for (std::string const text : {"", "-", ".", "e1", "1e", "1e+", "1e1000", "1e38", "1e-39", "1,5",
                                 " 1", "1 ", "0x1", "nan", "1.2.3", "--1", "1e1.5"})
    EXPECT_EQ(again(text), "none") << text;
  EXPECT_EQ(again(std::string(39, '9')), "none");
}

TEST(decimals, sum_at_the_finest_scale_on_any_number_of_threads) {
  std::vector<decimal> x;
  for (int i = 0; i < 100'000; ++i)
    x.push_back(*parse_decimal(i % 2 ? "0.10" : i % 4 ? "0.200" : "-0.3"));
  for (int const threads : {1, 3})
    EXPECT_EQ(to_string(reduce(cpu{.threads = threads}, x, decimal_sum{})), "2500.000");
  EXPECT_EQ(reduce(std::vector<decimal>{}, decimal_sum{}), decimal{});
  auto const sum = [](char const* a, char const* b) {
    return to_string(decimal_sum{}(*parse_decimal(a), *parse_decimal(b)));
  };
  std::string const most(38, '9');
  EXPECT_EQ(sum(most.c_str(), ("-" + most).c_str()), "0");
  EXPECT_THROW((void)sum(most.c_str(), "1"), precondition_error);
  EXPECT_THROW((void)sum(("-" + most).c_str(), ("-" + most).c_str()), precondition_error);
  EXPECT_THROW((void)sum("10", ("." + std::string(36, '0') + "1").c_str()), precondition_error);
  std::string const fine = "." + std::string(36, '0') + "1";
  EXPECT_EQ(sum("9", fine.c_str()), "9" + fine);
}

TEST(decimals, have_exact_products_with_the_digits_of_all_factors) {
  auto const product = [](std::vector<std::string> const& texts) {
    std::vector<decimal> x;
    for (auto const& text : texts) x.push_back(*parse_decimal(text));
    return to_string(reduce(serial{}, x, decimal_product{}));
  };
  EXPECT_EQ(product({}), "1");
  EXPECT_EQ(product({"1.10", "-1.10", "0.5"}), "-0.60500");
  EXPECT_EQ(product(std::vector<std::string>(18, "1.05")),  // of Python's decimal
            "2.406619233691084021719211578369140625");
  std::string const most(38, '9'), nines(19, '9');
  EXPECT_EQ(product({most, "-1"}), "-" + most);
  EXPECT_EQ(product({nines, "-" + nines}), "-99999999999999999980000000000000000001");
  EXPECT_EQ(product({most, "0"}), "0");
  std::string const digits20 = "1" + std::string(19, '0');
  EXPECT_EQ(product({nines, "-" + digits20}), "-" + nines + std::string(19, '0'));
  EXPECT_THROW((void)product({digits20, "-" + digits20}), precondition_error);
  EXPECT_THROW((void)product({most, "2"}), precondition_error);
  EXPECT_THROW((void)product(std::vector<std::string>(19, "1.05")), precondition_error);
  EXPECT_THROW((void)product(std::vector<std::string>(39, "0.1")), precondition_error);
}

TEST(decimals, have_exact_means_or_six_more_digits) {
  auto const mean = [](std::vector<std::string> const& texts) {
    std::vector<decimal> x;
    for (auto const& text : texts) x.push_back(*parse_decimal(text));
    return to_string(reduce(serial{}, x, decimal_mean{}));
  };
  EXPECT_EQ(mean({"0.10", "0.20"}), "0.15");
  EXPECT_EQ(mean({"1", "0", "0", "0", "0", "0", "0", "0"}), "0.125");
  EXPECT_EQ(mean({"2.00"}), "2.00");
  EXPECT_EQ(mean({"1", "1", "0"}), "0.666667");
  EXPECT_EQ(mean({"-1.00", "0.5", "0"}), "-0.16666667");
  EXPECT_EQ(mean({"-1", "1", "0"}), "0");
  std::string const most(38, '9');  // no room for another digit: half to even
  EXPECT_EQ(mean({most, "0"}), "5" + std::string(37, '0'));
  EXPECT_EQ(mean({std::string(37, '9') + "7", "0"}), "4" + std::string(36, '9') + "8");
  EXPECT_THROW((void)mean({}), precondition_error);
  EXPECT_THROW((void)decimal_mean{}.finish({}), precondition_error);

  std::vector<decimal> x(5, {1, 2}), running(5);
  upsweep::inclusive_scan(x, running, decimal_mean{});
  EXPECT_EQ(running, x);
}

}  // namespace upsweep::test
