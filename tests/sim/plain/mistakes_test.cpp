/// Mistakes in plain CUDA C++: kind, line, and the array by its name.
#include "modules.hpp"

#include <initializer_list>
#include <string>

namespace {

using upsweep::sim::finding_kind;
using upsweep::sim_test::line_that_ends_in;
using upsweep::sim_test::turns;

constexpr char const* source = UPSWEEP_SOURCES "/mistakes.cu";

/// `parts` are in the sentence.
void expect_finding(finding_kind kind, std::string const& name,
                    std::initializer_list<std::string> parts) {
  upsweep::sim::module const module(UPSWEEP_MODULE_mistakes);
  auto* const run = module.function<void()>(("run_" + name).c_str());
  ASSERT_NE(run, nullptr) << name;
  unsigned const line = line_that_ends_in("// WRONG " + name, source);
  for (auto const& [how, seed] : turns) {
    upsweep::sim::machine m({.how = how, .seed = seed});
    upsweep::sim::runtime const runtime(m);
    run();
    bool found = false;
    std::string all;
    for (auto const& f : m.result().findings) {
      all += std::string(name_of(f.kind)) + ": " + f.sentence + "\n";
      bool const same_line = f.first.line == line || f.second.line == line;
      bool says_all = true;
      for (auto const& part : parts)
        says_all = says_all && f.sentence.find(part) != std::string::npos;
      found = found || (f.kind == kind && same_line && says_all);
    }
    EXPECT_TRUE(found) << name << ", line " << line << ", schedule " << static_cast<int>(how)
                       << ", seed " << seed << ":\n"
                       << all;
  }
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
  expect_finding(finding_kind::out_of_bounds, "reads_behind",
                 {"element 64 of the shared array 'first'", "has 64 elements"});
  expect_finding(finding_kind::out_of_bounds, "writes_before",
                 {"element -1 of the shared array 'second'", "has 64 elements"});
  expect_finding(finding_kind::out_of_bounds, "reads_behind_dynamic",
                 {"element 64 of the dynamic shared array 'part'", "has 64 elements"});
  expect_finding(finding_kind::out_of_bounds, "writes_behind_buffer",
                 {"element 128 of buffer 'place'", "has 128 elements"});
  expect_finding(finding_kind::out_of_bounds, "behind_variable",
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
  for (auto const& [how, seed] : turns) {
    upsweep::sim::machine m({.how = how, .seed = seed});
    upsweep::sim::runtime const runtime(m);
    module.function<void()>("run_one_barrier_many_times")();
    for (auto const& f : m.result().findings) ADD_FAILURE() << f.sentence;
  }
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
