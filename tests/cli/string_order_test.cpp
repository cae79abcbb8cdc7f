/// Whether bytes are in the order of what strings made of numbers say.
#include <gtest/gtest.h>
#include <cli/engine/string_order.hpp>

#include <string_view>
#include <tuple>
#include <vector>

namespace upsweep::cli {
namespace {

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
}  // namespace upsweep::cli
