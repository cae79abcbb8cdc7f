/// What the laboratory makes of the emulator's report on a source file, and of its counts.
#include <io/error.hpp>
#include <lab/estimate.hpp>
#include <lab/reports.hpp>
#include <support/message.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
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

// Occupancy as CUDA's calculator has it, and estimates of launches that one limit binds. How far
// estimates are from measured times: tools/estimate_error.py.

lab::gpu_limits const& h200() {
  return lab::gpu_named("h200");
}

TEST(occupancy, is_limited_by_threads_blocks_shared_memory_or_registers) {
  auto const expect = [](lab::occupancy const& o, int blocks, double share, char const* limit) {
    EXPECT_EQ(o.blocks, blocks);
    EXPECT_DOUBLE_EQ(o.share, share);
    EXPECT_STREQ(o.limit, limit);
  };
  expect(lab::occupancy_of(h200(), 256, 0), 8, 1, "threads");
  expect(lab::occupancy_of(h200(), 1024, 0), 2, 1, "threads");
  expect(lab::occupancy_of(h200(), 768, 0), 2, 0.75, "threads");
  expect(lab::occupancy_of(h200(), 32, 0), 32, 0.5, "blocks");
  expect(lab::occupancy_of(h200(), 33, 0), 32, 1, "threads");
  expect(lab::occupancy_of(h200(), 256, 49152), 4, 0.5, "shared memory");
  expect(lab::occupancy_of(h200(), 256, 232448), 1, 0.125, "shared memory");
  expect(lab::occupancy_of(h200(), 256, 0, 64), 4, 0.5, "registers");
  expect(lab::occupancy_of(h200(), 256, 0, 32), 8, 1, "threads");
  // 33 registers of 32 lanes are 1056, for which a warp gets 1280: 65536 / (8 * 1280) = 6.4.
  expect(lab::occupancy_of(h200(), 256, 0, 33), 6, 0.75, "registers");
  expect(lab::occupancy_of(lab::gpu_named("RTX 4090"), 1024, 0), 1, 32.0 / 48, "threads");
  expect(lab::occupancy_of(lab::gpu_named("T4"), 1024, 0), 1, 1, "threads");
}

/// 2^16 blocks of 256 threads.
sim::launch_report full_launch() {
  sim::launch_report l;
  l.shape.blocks = {1u << 16};
  l.shape.threads = {256};
  return l;
}

TEST(estimate, names_what_binds_a_launch) {
  auto copies = full_launch();  // each thread reads and writes 16 bytes once
  copies.total.steps = 2ull << 19;
  copies.total.global_requests = 2ull << 19;
  copies.total.sectors_loaded = copies.total.sectors_stored = 16ull << 19;
  auto const memory = lab::estimate(copies, h200());
  ASSERT_TRUE(memory);
  EXPECT_STREQ(memory->bound, "memory");
  EXPECT_DOUBLE_EQ(memory->memory, 536870912 / 4.2e12);
  EXPECT_DOUBLE_EQ(memory->seconds, memory->memory + 2.5e-6);

  auto computes = copies;
  computes.total.steps = 2000ull << 19;
  EXPECT_STREQ(lab::estimate(computes, h200())->bound, "issue");

  auto conflicts = copies;
  conflicts.total.shared_requests = 20ull << 19;
  conflicts.total.shared_wavefronts = 32 * conflicts.total.shared_requests;
  EXPECT_STREQ(lab::estimate(conflicts, h200())->bound, "shared memory");

  auto alone = copies;
  alone.shape.blocks = {1};
  alone.shape.threads = {32};
  EXPECT_STREQ(lab::estimate(alone, h200())->bound, "latency");
}

TEST(estimate, grows_when_fewer_blocks_are_resident) {
  auto launch = full_launch();
  launch.total.steps = launch.total.shared_requests = launch.total.shared_wavefronts = 10ull << 19;
  auto const all = lab::estimate(launch, h200());
  launch.declared_shared_bytes = 40000;
  launch.shape.shared_bytes = 60000;
  auto const few = lab::estimate(launch, h200());
  EXPECT_DOUBLE_EQ(few->latency, 4 * all->latency);
  EXPECT_DOUBLE_EQ(few->issue, all->issue);
}

TEST(estimate, is_none_where_blocks_wait_for_each_other) {
  auto launch = full_launch();
  launch.total.polls = 1;
  EXPECT_FALSE(lab::estimate(launch, h200()));
}

TEST(estimate, of_a_gpu_that_is_not_known_names_those_that_are) {
  EXPECT_EQ(message_of<io::usage_error>([] { (void)lab::gpu_named("H300"); }),
            "there are no limits of a GPU 'H300', only of H200, H100, A100, RTX 4090, T4");
}

}  // namespace
}  // namespace upsweep::test
