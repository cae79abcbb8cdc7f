/// Contract 15: sets of partials, partials by name, and their bytes.
#include "bytes_of_pieces.hpp"

#include <ops/elements_of.hpp>
#include <support/message.hpp>
#include <upsweep/by_name/verbs/partials.hpp>
#include <upsweep/partial.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

// Contract 15: a set of partials is a whole of exactly its elements; partials by name scan on.

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

/// The partials of the C interface and Python; only Python asks for their scans.
TEST(partials_by_name, scan_on_from_what_they_have) {
  cpu const on{.threads = 1};
  auto const all = dynamic::make_partial(catalog::id::sum, dynamic::dtype::f64, 0);
  std::vector<double> const x{1, 2, 3, 4, 5};
  std::vector<double> out(2), total(1);
  all->push(on, x.data(), 2);
  all->scan(scan_kind::exclusive, on, &x[2], 2, out.data());
  EXPECT_EQ(out, (std::vector<double>{3, 6}));
  all->scan(scan_kind::inclusive, on, &x[4], 1, out.data());
  EXPECT_EQ(out, (std::vector<double>{15, 6}));
  all->result(nullptr, tree::prefix, total.data());
  EXPECT_EQ(15, total[0]);
  EXPECT_EQ(5u, all->end());
}

// Bytes of partials are a function of the elements: not of threads, chunks, the way they were
// taken, or the order in which pieces were joined. All operators of the catalog; all types of each
// in `make test-full`.

constexpr std::size_t sizes[] = {1, 2, 3, 17, 33, 700};

/// Of checked operators elements whose total fits.
template <class Op, class T>
elements<T> elements_for(random_bits& next, std::size_t n) {
  elements<T> x(n);
  for (T& e : x.all()) {
    if constexpr (requires { typename Op::unchecked; })
      e = static_cast<T>(next.below(2));
    else
      e = element<T>(next());
  }
  return x;
}

TEST(partial_bytes, of_every_operator_depend_on_the_elements_only) {
  random_bits next(test_seed());
  auto const of_case = [&]<class T>(std::string_view name, auto const& op, std::type_identity<T>) {
    using Op = std::remove_cvref_t<decltype(op)>;
    std::string const what = std::string(name) + " over " + std::string(name_of<T>());
    for (std::size_t const n : sizes) {
      auto const x = elements_for<Op, T>(next, n);
      expect_bytes_of_elements<T>(std::span<T const>(x.all()), op, what, next);
    }
  };
#ifdef UPSWEEP_FULL_TESTS
  for_each_case(of_case);
#else
  for_each_end_case(of_case);
#endif
}

}  // namespace
}  // namespace upsweep::test
