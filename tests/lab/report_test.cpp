/// What the laboratory makes of the emulator's report on a source file.
#include <lab/reports.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

using sim::source_position;

constexpr char const* text =
    "// 1\n// 2\n// 3\n// 4\n"
    "__global__ void k(int* x) {\n"         // 5
    "  __shared__ int s[32];\n"             // 6
    "  s[threadIdx.x] = x[threadIdx.x];\n"  // 7
    "  x[0] = s[0];\n"                      // 8
    "}\n"                                   // 9
    "// 10\n// 11\n// 12\n// 13\n// 14\n// 15\n// 16\n"
    "__global__ void other(int* x) { x[1] = 1; }\n";  // 17

sim::line_counts line(unsigned number, std::uint64_t steps, std::uint64_t sectors) {
  sim::line_counts l{{"k.cu", number, 3}, {}};
  l.counts.steps = steps;
  l.counts.sectors_stored = sectors;
  return l;
}

sim::report example() {
  sim::report r;
  sim::launch_report first, second;
  first.lines = {line(7, 2, 0), line(8, 1234, 5), {{"other.cuh", 1, 1}, {}}};
  second.lines = {line(7, 40, 0), line(17, 1, 1)};
  r.launches = {first, second};
  r.findings = {{sim::finding_kind::race_in_block, "race: A and B", {"k.cu", 7, 0}, {"k.cu", 8, 0}},
                {sim::finding_kind::trap, "a trap", {"k.cu", 17, 33}, {}},
                {sim::finding_kind::deadlock, "nobody continues", {}, {}}};
  return r;
}

TEST(source_listing, has_the_sums_of_all_launches_and_the_findings_beside_the_lines) {
  EXPECT_EQ(lab::source_listing(example(), "k.cu", text),
            "steps  written  line\n"
            "                   4  // 4\n"
            "                   5  __global__ void k(int* x) {\n"
            "                   6    __shared__ int s[32];\n"
            "   42              7    s[threadIdx.x] = x[threadIdx.x];\n"
            "                 ^^^  [1] race in a block: the earlier access\n"
            "1,234        5     8    x[0] = s[0];\n"
            "                 ^^^  [1] race: A and B\n"
            "                   9  }\n"
            "                  10  // 10\n"
            "                  11  // 11\n"
            "                 ...\n"
            "                  14  // 14\n"
            "                  15  // 15\n"
            "                  16  // 16\n"
            "    1        1    17  __global__ void other(int* x) { x[1] = 1; }\n"
            "                 ^^^  [2] a trap\n");
}

TEST(source_listing, is_empty_for_a_file_without_counts) {
  EXPECT_EQ(lab::source_listing(example(), "none.cu", text), "");
  EXPECT_EQ(lab::source_listing({}, "k.cu", text), "");
}

TEST(source_listing, ends_with_a_file_that_is_shorter_than_the_report_says) {
  EXPECT_EQ(lab::source_listing(example(), "other.cuh", "int a;"), "line\n   1  int a;\n");
  EXPECT_EQ(lab::source_listing(example(), "k.cu", ""), "steps  written  line\n");
}

TEST(source_listing, names_each_file_once) {
  EXPECT_EQ(lab::files_of(example()), (std::vector<std::string>{"k.cu", "other.cuh"}));
}

TEST(sarif, has_the_later_access_of_a_race_as_location_and_the_earlier_one_as_related) {
  auto const log = lab::sarif_of(example());
  EXPECT_EQ(log["version"], "2.1.0");
  auto const& run = log["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "upsweep");
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 3u);
  auto const& results = run["results"];
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]["ruleId"], "race-in-a-block");
  EXPECT_EQ(results[0]["message"]["text"], "race: A and B");
  auto const& at = results[0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(at["artifactLocation"]["uri"], "k.cu");
  EXPECT_EQ(at["region"]["startLine"], 8);
  EXPECT_EQ(results[0]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 7);
  EXPECT_EQ(results[1]["locations"][0]["physicalLocation"]["region"]["startColumn"], 33);
  EXPECT_FALSE(results[1].contains("relatedLocations"));
  EXPECT_FALSE(results[2].contains("locations"));
}

}  // namespace
}  // namespace upsweep::test
