/// The golden set by the C interface: what it covers, and the faults that it finds.
#include <golden/golden.h>
#include <support/environment.hpp>
#include <upsweep/host/simd/dispatch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace upsweep::golden_set {
namespace {

std::string content(char const* path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

struct difference {
  std::size_t number;
  std::string text, expected, computed;
};
/// A check, and the results that differ.
struct checked {
  std::vector<difference> differences;
  golden_report report{};

  explicit checked(golden_options how) {
    how.context = this;
    how.differs = [](void* me, golden_difference const* d) {
      static_cast<checked*>(me)->differences.push_back(
          {d->number, d->text, d->expected == nullptr ? "" : d->expected, d->computed});
    };
    EXPECT_EQ(golden_check(&how, &report), 0);
  }
};

TEST(golden_set_by_c, agrees_with_the_digests_and_with_the_lines) {
  checked const digests{golden_options{}};
  EXPECT_TRUE(digests.report.same);
  EXPECT_EQ(digests.report.cases, 24581u);
  EXPECT_EQ(digests.report.covered, 22168u);
  std::string const set = content(UPSWEEP_GOLDEN_SET);
  golden_options how{};
  how.set = set.c_str();
  how.threads = 1;
  checked const lines(how);
  EXPECT_TRUE(lines.report.same);
  EXPECT_STREQ(lines.report.hash, digests.report.hash);
}

/// Cases with more elements than those of the set: all but those of maps have the results of
/// large.txt.
void expect_large(int threads) {
  std::string const recipe = content(UPSWEEP_LARGE_RECIPE), set = content(UPSWEEP_LARGE_SET);
  golden_options how{};
  how.threads = threads;
  how.recipe = recipe.c_str();
  how.set = set.c_str();
  checked const large(how);
  for (difference const& d : large.differences)
    ADD_FAILURE() << d.text << " => " << d.computed << ", not " << d.expected;
  EXPECT_EQ(large.report.cases, std::count(set.begin(), set.end(), '\n'));
  EXPECT_EQ(large.report.gaps, 1u);
  EXPECT_STREQ(large.report.gap[0].name, "affine");
  EXPECT_GT(large.report.covered, 280u);
}
TEST(golden_set_by_c, has_the_bits_of_large_arrays_on_any_number_of_threads) {
  for (int const threads : {0, 1, 2, 3, 7}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    expect_large(threads);
  }
}
TEST(golden_set_by_c, has_the_bits_of_large_arrays_by_every_simd_target) {
  for (std::string const& name : host::simd::targets()) {
    SCOPED_TRACE(name);
    host::simd::forced_target const forced(name);
    ASSERT_EQ(host::simd::target(), name);
    expect_large(1);
    expect_large(2);
  }
}

/// As another library, or -ffast-math in a shared object, leaves it. Statistics and recurrences had
/// other bits.
TEST(golden_set_by_c, has_the_same_bits_in_any_floating_point_environment) {
  std::string const set = content(UPSWEEP_GOLDEN_SET);
  for (test::environment const e : test::strange_environments) {
    SCOPED_TRACE(test::name_of(e));
    test::environment_scope const strange(e);
    golden_options how{};
    how.set = set.c_str();
    checked const lines(how);
    EXPECT_TRUE(strange.is_still_set());
    EXPECT_TRUE(lines.report.same);
    for (std::size_t k = 0; k < std::min<std::size_t>(lines.differences.size(), 5); ++k)
      ADD_FAILURE() << lines.differences[k].text << " => " << lines.differences[k].computed;
  }
}

TEST(golden_set_by_c, finds_one_wrong_digit_of_the_set) {
  std::string set = content(UPSWEEP_GOLDEN_SET);
  std::string const line = "\nsort type=i8 kind=bits n=3 order=up => 96,ed,01 ";
  std::size_t const at = set.find(line) + line.size() - 2;
  ASSERT_EQ(set[at], '1');
  set[at] = '2';
  golden_options how{};
  how.set = set.c_str();
  checked const found(how);
  EXPECT_FALSE(found.report.same);
  ASSERT_EQ(found.differences.size(), 1u);
  difference const& d = found.differences[0];
  EXPECT_EQ(d.text, "sort type=i8 kind=bits n=3 order=up");
  EXPECT_EQ(d.expected.substr(0, 8), "96,ed,02");
  EXPECT_EQ(d.computed.substr(0, 8), "96,ed,01");
}

TEST(golden_set_by_c, finds_a_line_of_the_recipe_that_was_changed) {
  std::string recipe = content(UPSWEEP_GOLDEN_RECIPE);
  std::string const line = "unpad type=u8,f64 kind=bits shape=1x32,7x32,33x64 columns=1,31,32";
  std::size_t const at = recipe.find(line);
  ASSERT_NE(at, std::string::npos);
  recipe.replace(at, line.size(), line.substr(0, line.size() - 2) + "30");
  golden_options how{};
  how.recipe = recipe.c_str();
  checked const found(how);
  EXPECT_FALSE(found.report.same);
  ASSERT_EQ(found.differences.size(), 6u);
  EXPECT_EQ(found.differences[0].text, "unpad type=u8 kind=bits shape=1x32 columns=30");
}

TEST(golden_set_by_c, refuses_a_recipe_that_lacks_cases_and_one_that_it_cannot_read) {
  golden_options how{};
  how.recipe = "reduce op=sum type=f16 kind=scattered n=0 initial=none,next\n";
  checked const few(how);
  EXPECT_TRUE(few.differences.empty());
  EXPECT_FALSE(few.report.same);
  golden_report report;
  how.recipe = "reduce op=sum type=@floats kind=scattered n=0\n";
  EXPECT_EQ(golden_check(&how, &report), -1);
}

/// A library that has one wrong bit.
int compute_wrongly(golden_case const* c, int threads, char* text) {
  char name[golden_text_size];
  golden_case_text(c, name);
  int const covered = golden_compute(c, threads, text);
  if (name == std::string("reduce op=sum type=f16 kind=scattered n=1 initial=none")) text[7] = '1';
  return covered;
}
TEST(golden_set_by_c, finds_a_wrong_bit_of_a_result) {
  golden_options how{};
  how.compute = compute_wrongly;
  checked const found(how);
  EXPECT_FALSE(found.report.same);
  ASSERT_EQ(found.differences.size(), 1u);
  EXPECT_EQ(found.differences[0].number, 3u);
  EXPECT_EQ(found.differences[0].computed, "c10ce001");
}

std::string printed(std::vector<std::string> const& names) {
  golden_report report{};
  report.cases = 2 * names.size() + 3;
  report.covered = 3;
  report.same = 1;
  for (std::string const& name : names) {
    golden_gap& gap = report.gap[report.gaps++];
    name.copy(gap.name, sizeof gap.name - 1);
    gap.cases = 2;
  }
  testing::internal::CaptureStdout();
  golden_print(&report, "C", 0.5);
  return testing::internal::GetCapturedStdout();
}
TEST(golden_set_by_c, prints_what_is_missing_in_lines_that_end_after_eighty_columns) {
  std::string const end = "\nSHA-256 of the lines of these cases: \n";
  EXPECT_EQ(printed({"any"}),
            "3 of 5 cases in 0.5 s: no result differs\nnot in C: 2 cases: any 2" + end);
  std::string const half(31, 'a');
  std::string const two = " " + half + " 2, " + half + " 2,";
  // After two names and a blank, 9 columns are left: the next name fills them, or has one more.
  EXPECT_EQ(printed({half, half, half, half, "any-1", "b"}),
            "3 of 15 cases in 0.5 s: no result differs\nnot in C: 12 cases:" + two + "\n " + two +
                " any-1 2, b 2" + end);
  EXPECT_EQ(printed({half, half, half, half, "any-12", "b"}),
            "3 of 15 cases in 0.5 s: no result differs\nnot in C: 12 cases:" + two + "\n " + two +
                " any-12 2,\n  b 2" + end);
}

}  // namespace
}  // namespace upsweep::golden_set
