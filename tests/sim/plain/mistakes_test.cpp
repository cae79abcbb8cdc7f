/// Mistakes in plain CUDA C++: kind, line, and the array by its name.
#include "modules.hpp"

#include <string>
#include <vector>

namespace {

using namespace upsweep::sim_test;
using upsweep::sim::finding_kind;

constexpr char const* source = UPSWEEP_SOURCES "/mistakes.cu";

/// `parts` are in the sentence.
void expect_finding(finding_kind kind, std::string const& name,
                    std::vector<std::string> const& parts) {
  upsweep::sim::module const module(UPSWEEP_MODULE_mistakes);
  auto* const run = module.function<void()>(("run_" + name).c_str());
  ASSERT_NE(run, nullptr) << name;
  unsigned const line = line_that_ends_in("// WRONG " + name, source);
  on_every_schedule(name, [&](upsweep::sim::machine const& m) {
    run();
    expect_finding_at(line, kind, parts, m);
  });
}

TEST(plain_cuda_mistakes, uninitialized_shared_memory) {
  expect_finding(finding_kind::uninitialized_read, "reads_unwritten",
                 {"element 5 of the shared array 'tile'", "mistakes.cu:"});
}
TEST(plain_cuda_mistakes, managed_memory_that_nobody_has_written) {
  expect_finding(finding_kind::uninitialized_read, "reads_what_the_host_only_read",
                 {"element 0 of buffer 'place'", "mistakes.cu:"});
}
TEST(plain_cuda_mistakes, increments_without_an_atomic) {
  expect_finding(finding_kind::race_in_block, "increments_together",
                 {"the shared array 'bins'", "atomicAdd"});
}
TEST(plain_cuda_mistakes, missing_barriers) {
  expect_finding(finding_kind::race_in_block, "lacks_a_barrier",
                 {"the shared array 'tile'", "__syncthreads()"});
}
TEST(plain_cuda_mistakes, indices_out_of_bounds) {
  expect_finding(finding_kind::out_of_bounds, "reads_after",
                 {"element 64 of the shared array 'first'", "has 64 elements"});
  expect_finding(finding_kind::out_of_bounds, "writes_before",
                 {"element -1 of the shared array 'second'", "has 64 elements"});
  expect_finding(finding_kind::out_of_bounds, "reads_after_dynamic",
                 {"element 64 of the dynamic shared array 'part'", "has 64 elements"});
  expect_finding(finding_kind::out_of_bounds, "writes_after_buffer",
                 {"element 128 of buffer 'place'", "has 128 elements"});
  expect_finding(finding_kind::out_of_bounds, "after_variable",
                 {"element 4 of", "'counters'", "has 4 elements"});
}
TEST(plain_cuda_mistakes, unsigned_indices_below_zero) {
  expect_finding(finding_kind::out_of_bounds, "reads_before_unsigned",
                 {"element -1 of buffer 'place'", "has 128 elements"});
  expect_finding(finding_kind::out_of_bounds, "writes_before_unsigned",
                 {"of the shared array 'tile'", "has 64 elements", "element -"});
}
TEST(plain_cuda_mistakes, misaligned_vectors) {
  expect_finding(finding_kind::misaligned, "reads_misaligned", {"byte 4", "multiple of 16 bytes"});
}
TEST(plain_cuda_mistakes, memory_of_the_other_side) {
  expect_finding(finding_kind::wrong_memory, "reads_host_memory", {"memory of the host"});
  expect_finding(finding_kind::wrong_memory, "host_reads_device",
                 {"the host reads buffer 'place'", "cudaMemcpy"});
}
TEST(plain_cuda_mistakes, null_and_freed_pointers) {
  expect_finding(finding_kind::out_of_bounds, "reads_null", {"through a null pointer"});
  expect_finding(finding_kind::out_of_bounds, "reads_freed", {"buffer 'place'", "freed"});
}
TEST(plain_cuda_mistakes, barriers_in_a_branch) {
  expect_finding(finding_kind::barrier_divergence, "barrier_in_branch", {"two different barriers"});
  expect_finding(finding_kind::barrier_divergence, "barriers_of_a_function",
                 {"two different barriers"});
}
TEST(plain_cuda_mistakes, barriers_on_one_line) {
  expect_finding(finding_kind::barrier_divergence, "barriers_on_one_line",
                 {"two different barriers on one line, mistakes.cu:"});
}
TEST(plain_cuda_mistakes, copies_of_a_barrier_are_not_different_ones) {
  upsweep::sim::module const module(UPSWEEP_MODULE_mistakes);
  on_every_schedule("copies", [&](upsweep::sim::machine const& m) {
    module.function<void()>("run_one_barrier_many_times")();
    expect_no_finding(m);
  });
}
TEST(plain_cuda_mistakes, blocks_that_write_one_element) {
  expect_finding(finding_kind::race_between_blocks, "blocks_write_the_same", {"buffer 'place'"});
}
TEST(plain_cuda_mistakes, lanes_that_do_not_shuffle) {
  expect_finding(finding_kind::missing_lane, "lane_missing", {});
}
TEST(plain_cuda_mistakes, volatile_instead_of_syncwarp) {
  expect_finding(finding_kind::race_in_block, "relies_on_lockstep",
                 {"the shared array 'sums'", "__syncwarp"});
}

}  // namespace
