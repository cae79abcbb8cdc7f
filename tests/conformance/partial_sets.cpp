/// Contract 15: a set of partials is a whole of exactly its elements.
#include <support/message.hpp>
#include <upsweep/partial.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

partial<double> part(std::vector<double> const& x, std::size_t begin, std::size_t end) {
  partial<double> p(begin);
  p.push(serial{}, std::span(x).subspan(begin, end - begin));
  return p;
}

/// Elements after the whole are as wrong as missing ones, also after a gap.
TEST(partial_set, is_a_whole_of_exactly_its_elements) {
  std::vector<double> const x(10, 1.0);
  partial_set<double> set;
  set.insert(part(x, 0, 4));
  EXPECT_EQ(4.0, set.whole(4).result());
  EXPECT_EQ("partial_set: there are elements up to 4, after the 3 of the whole",
            message_of([&] { (void)set.whole(3); }));
  EXPECT_EQ("partial_set: element 4 of 5 is missing", message_of([&] { (void)set.whole(5); }));
  set.insert(part(x, 6, 7));
  EXPECT_EQ("partial_set: there are elements up to 7, after the 4 of the whole",
            message_of([&] { (void)set.whole(4); }));
  EXPECT_EQ("partial_set: element 4 of 7 is missing", message_of([&] { (void)set.whole(7); }));
  set.insert(part(x, 4, 6));
  EXPECT_EQ(7.0, set.whole(7).result());
  EXPECT_EQ(0u, partial_set<double>().whole(0).size());
  EXPECT_NE("", message_of([&] { (void)set.whole(0); }));
  EXPECT_EQ("partial_set: the elements [0, 3) of 3 are missing",
            message_of([&] { (void)partial_set<double>().whole(3); }));
}
/// Parts that begin before, at and after the one that is there, and one around it.
TEST(partial_set, refuses_a_part_that_has_an_element_of_it) {
  std::vector<double> const x(10, 1.0);
  partial_set<double> set;
  set.insert(part(x, 3, 6));
  for (auto const& [begin, end] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 4}, {2, 8}, {3, 6}, {4, 5}, {5, 9}})
    EXPECT_EQ("partial_set: elements of [" + std::to_string(begin) + ", " + std::to_string(end) +
                  ") exist already; was a part added twice?",
              message_of([&] { set.insert(part(x, begin, end)); }));
  set.insert(part(x, 0, 3));
  set.insert(part(x, 6, 10));
  EXPECT_EQ(10.0, set.whole(10).result());
}

}  // namespace
}  // namespace upsweep::test
