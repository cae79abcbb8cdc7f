/// Every mistake of a kernel is reported in a sentence with its position, and the machine stays
/// usable.
#include "sim/destructive.hpp"

#include <upsweep/core/errors.hpp>
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace upsweep::sim_test {
namespace {

using sim::finding_kind;

struct diagnosis {
  bool failed = false;
  std::vector<sim::finding> findings;
};

diagnosis diagnose(std::function<void(sim::machine&, int*)> const& run,
                   sim::options const& how = {}) {
  sim::machine machine{how};
  auto const out = machine.allocate<int>(32, "out");
  diagnosis d;
  try {
    run(machine, out);
  } catch (sim::kernel_failure const& failure) {
    d.failed = true;
    EXPECT_EQ(failure.what(), machine.result().findings.back().sentence);
  }
  d.findings = machine.result().findings;
  // The machine can run the next launch.
  auto const in = machine.allocate<int>(32, "in");
  machine.fill(in, 32, 5);
  machine.launch({.name = "copies", .threads = {32}}, copies, in, out);
  EXPECT_EQ(machine.to_host(out, 32), std::vector<int>(32, 5));
  return d;
}

void expect(diagnosis const& d, bool failed, finding_kind kind,
            std::initializer_list<char const*> words) {
  EXPECT_EQ(d.failed, failed);
  ASSERT_FALSE(d.findings.empty());
  sim::finding const& f = d.findings.front();
  EXPECT_EQ(f.kind, kind) << f.sentence;
  EXPECT_NE(f.first.line, 0u) << f.sentence;
  EXPECT_NE(f.first.file.find("destructive"), std::string::npos);  // the kernel, or its launch
  for (char const* word : words)
    EXPECT_NE(f.sentence.find(word), std::string::npos)
        << "'" << word << "' is not in: " << f.sentence;
}

TEST(destructive, accesses_outside_a_buffer_are_named) {
  auto const with_input = [](auto kernel) {
    return [kernel](sim::machine& m, int* out) {
      auto const in = m.allocate<int>(32, "in");
      m.fill(in, 32, 1);
      m.launch({.name = "bad", .threads = {32}}, kernel, in, out);
    };
  };
  expect(diagnose(with_input(shifted_load)), true, finding_kind::out_of_bounds,
         {"thread 0 of block 0", "reads element -1", "'in'", "32 elements"});
  expect(diagnose(with_input(reads_before_the_start)), true, finding_kind::out_of_bounds,
         {"thread 0 of block 0", "reads element -1", "'in'", "32 elements"});  // 16 GiB after it
  expect(diagnose([](sim::machine& m, int* out) {
           m.launch({.threads = {32}}, writes_past_the_end, out);
         }),
         true, finding_kind::out_of_bounds, {"thread 31 of block 0", "writes element 32", "'out'"});
  expect(diagnose([](sim::machine& m, int* out) {
           m.launch({.threads = {32}}, leaves_shared_memory, out);
         }),
         true, finding_kind::out_of_bounds, {"reads element 32", "the shared array 'tile'"});
  expect(diagnose([](sim::machine& m, int* out) {
           m.launch({.threads = {32}}, follows_a_null_pointer, out);
         }),
         true, finding_kind::out_of_bounds, {"null pointer"});
}

TEST(destructive, uninitialized_reads_are_named_and_counted) {
  auto const d = diagnose([](sim::machine& m, int* out) {
    m.launch({.threads = {32}}, reads_unwritten_shared_memory, out);
  });
  expect(d, false, finding_kind::uninitialized_read,
         {"of block 0 reads element", "never been written"});
  EXPECT_EQ(d.findings[0].occurrences, 16u);
  expect(diagnose([](sim::machine& m, int* out) {
           m.launch({.threads = {32}}, copies, m.allocate<int>(32, "in"), out);
         }),
         false, finding_kind::uninitialized_read, {"buffer 'in'"});
}

TEST(destructive, barriers_that_threads_miss_are_named_with_both_positions) {
  auto const apart =
      diagnose([](sim::machine& m, int* out) { m.launch({.threads = {32}}, two_barriers, out); });
  expect(apart, false, finding_kind::barrier_divergence, {"two different barriers"});
  EXPECT_EQ(apart.findings[0].second.line, apart.findings[0].first.line + 2);
  expect(diagnose([](sim::machine& m, int* out) {
           m.launch({.threads = {32}}, returns_before_the_barrier, out);
         }),
         false, finding_kind::left_before_barrier,
         {"1 of the 32 threads", "returned before the barrier"});
}

TEST(destructive, lanes_missing_from_a_warp_operation_are_named) {
  expect(
      diagnose([](sim::machine& m, int* out) {
        m.launch({.threads = {32}}, shuffles_without_half, out);
      }),
      true, finding_kind::missing_lane,
      {"waits for the lanes of its mask", "no thread can make progress",
       "but thread 16 of block 0 and 15 other lanes do not arrive: it waits at __syncthreads()"});
  expect(diagnose([](sim::machine& m, int* out) {
           m.launch({.threads = {32}}, shuffles_from_outside_the_mask, out);
         }),
         false, finding_kind::missing_lane,
         {"lane 16 does not take part", "thread 15 of block 0 writes"});
  expect(diagnose([](sim::machine& m, int* out) {
           m.launch({.threads = {32}}, is_not_in_its_own_mask, out);
         }),
         true, finding_kind::missing_lane, {"own bit is not in the mask"});
}

TEST(destructive, misaligned_vectors_are_named) {
  expect(diagnose([](sim::machine& m, int* out) {
           auto const in = m.allocate<int>(80, "in");
           m.fill(in, 80, 1);
           m.launch({.threads = {32}}, misaligned_vector, in, out);
         }),
         true, finding_kind::misaligned, {"8 bytes at byte 4", "multiple of 8"});
}

diagnosis chain(void (*kernel)(unsigned*, int*), sim::options const& how) {
  return diagnose(
      [kernel](sim::machine& m, int* out) {
        auto const flags = m.allocate<unsigned>(32, "flags");
        m.fill(flags, 32, 0u);
        m.launch({.name = "chain", .blocks = {32}, .threads = {1}}, kernel, flags, out);
      },
      how);
}

TEST(destructive, threads_that_wait_for_each_other_are_named) {
  for (bool const count : {false, true})
    expect(diagnose(
               [](sim::machine& m, int* out) {
                 m.launch({.blocks = {2}, .threads = {32}, .cluster = 2}, waits_for_each_other,
                          out);
               },
               {.count = count}),
           true, finding_kind::deadlock,
           {"thread 0 of block 0 waits at the cluster barrier",
            "thread 1 of block 0 waits at __syncthreads()", "and 61 more"});
}

TEST(destructive, blocks_that_wait_for_blocks_that_cannot_start_are_named) {
  for (bool const count : {false, true}) {
    auto const found = chain(waits_for_the_next_block, {.count = count, .resident_blocks = 4});
    expect(found, true, finding_kind::no_progress,
           {"28 blocks have not started", "thread 0 of block 0 polls element 1 of buffer 'flags'"});
  }
  EXPECT_FALSE(chain(waits_for_the_next_block, {.resident_blocks = 32}).failed);
}

TEST(destructive, static_block_numbers_fail_when_the_last_block_comes_first) {
  EXPECT_FALSE(chain(waits_for_the_block_before, {.resident_blocks = 4}).failed);
  for (bool const count : {false, true})
    expect(
        chain(waits_for_the_block_before,
              {.count = count, .how = sim::schedule::adversarial, .seed = 0, .resident_blocks = 4}),
        true, finding_kind::no_progress,
        {"take tile numbers from an atomic counter",
         "thread 0 of block 31 polls element 30 of buffer 'flags'"});
}

TEST(destructive, endless_loops_are_abandoned) {
  auto const spin = [](sim::machine& m, int* out) {
    auto const flag = m.allocate<unsigned>(1, "flag");
    m.fill(flag, 1, 0u);
    m.launch({.name = "spin", .threads = {1}}, spins_on_a_plain_load, flag, out);
  };
  for (bool const count : {false, true}) {
    expect(diagnose(spin, {.count = count, .step_limit = 100000}), true, finding_kind::no_progress,
           {"polls"});
    expect(diagnose([](sim::machine& m, int* out) { m.launch({.threads = {2}}, never_ends, out); },
                    {.count = count, .step_limit = 100000}),
           true, finding_kind::no_progress, {"does its loop end?"});
  }
}

TEST(destructive, deadlocks_are_found_at_once_under_preemptive_schedules) {
  for (auto const how : {sim::schedule::random, sim::schedule::round_robin})
    for (bool const count : {false, true})
      for (unsigned const resident : {4u, 16u})
        for (auto const kernel : {waits_for_the_next_block, waits_with_nanosleep}) {
          auto const begin = std::clock();
          expect(
              chain(kernel, {.count = count, .how = how, .seed = 1, .resident_blocks = resident}),
              true, finding_kind::no_progress, {"blocks have not started", "polls element"});
          EXPECT_LT(std::clock() - begin, 2 * CLOCKS_PER_SEC);
        }
}

TEST(destructive, a_loop_on_a_plain_load_is_abandoned_under_preemptive_schedules) {
  auto const begin = std::clock();
  expect(diagnose(
             [](sim::machine& m, int* out) {
               auto const flag = m.allocate<unsigned>(1, "flag");
               m.fill(flag, 1, 0u);
               m.launch({.name = "spin", .blocks = {4}, .threads = {32}}, spins_on_a_plain_load,
                        flag, out);
             },
             {.how = sim::schedule::random, .step_limit = 1 << 22}),
         true, finding_kind::no_progress, {"'spin'"});
  EXPECT_LT(std::clock() - begin, 4 * CLOCKS_PER_SEC);
}

TEST(destructive, empty_loops_are_reported_with_the_last_known_line) {
  for (sim::options const& how :
       {sim::options{}, sim::options{.count = false}, sim::options{.how = sim::schedule::random}}) {
    expect(diagnose([](sim::machine& m,
                       int* out) { m.launch({.threads = {32}}, spins_without_a_statement, out); },
                    how),
           true, finding_kind::no_progress,
           {"is in an empty loop of 'kernel' after destructive.hpp:"});
    auto const from_the_start = [](sim::machine& m, int* out) {
      m.launch({.threads = {32}}, spins_from_the_start, out);
    };
    auto const d = diagnose(from_the_start, how);
    ASSERT_EQ(d.findings.size(), 1u);
    EXPECT_NE(d.findings[0].sentence.find(
                  "is in an empty loop of 'kernel', launched at destructive_test.cpp:"),
              std::string::npos)
        << d.findings[0].sentence;
    EXPECT_NE(d.findings[0].first.line, 0u);
  }
}

TEST(destructive, threads_that_need_more_stack_than_they_have_are_abandoned) {
  for (auto const kernel : {has_a_large_array, calls_itself})
    expect(diagnose([&](sim::machine& m, int* out) { m.launch({.threads = {32}}, kernel, out); }),
           true, finding_kind::stack_overflow, {"needs more than 64 KiB of stack"});
}

TEST(destructive, a_thread_that_works_long_after_one_poll_is_not_abandoned) {
  for (auto const how :
       {sim::schedule::in_order, sim::schedule::random, sim::schedule::round_robin}) {
    sim::machine machine{{.how = how, .seed = 3}};
    auto const flag = machine.allocate<unsigned>(1, "flag");
    auto const out = machine.allocate<int>(1, "out");
    machine.fill(flag, 1, 0u);
    machine.launch({.threads = {1}}, works_after_one_poll, flag, 300000, out);
    EXPECT_TRUE(machine.result().findings.empty());
  }
}

TEST(destructive, waiting_for_several_flags_is_abandoned) {
  auto const spin = [](sim::machine& m, int* out) {
    auto const flags = m.allocate<unsigned>(2, "flags");
    m.fill(flags, 2, 0u);
    m.launch({.name = "spin", .threads = {1}}, spins_on_two_flags, flags, out);
  };
  auto const vote = [](sim::machine& m, int* out) {
    auto const flags = m.allocate<unsigned>(2, "flags");
    m.fill(flags, 2, 0u);
    m.launch({.name = "vote", .blocks = {2}, .threads = {32}}, votes_on_two_flags, flags, out);
  };
  for (bool const count : {false, true})
    for (auto const how :
         {sim::schedule::in_order, sim::schedule::random, sim::schedule::adversarial})
      for (diagnosis const& run :
           {diagnose(spin, {.count = count, .how = how, .step_limit = 10000}),
            diagnose(vote, {.count = count, .how = how, .step_limit = 10000})})
        expect(run, true, finding_kind::no_progress, {});
}

TEST(destructive, a_thread_that_reads_for_long_is_not_abandoned) {
  constexpr int n = 200000;  // several times the step limit in basic blocks
  for (bool const count : {false, true}) {
    sim::machine machine{{.count = count, .step_limit = 50000}};
    auto const in = machine.allocate<int>(n, "in"), out = machine.allocate<int>(1, "out");
    machine.fill(in, n, 3);
    machine.launch({.name = "adds_up_alone", .threads = {1}}, adds_up_alone, in, n, out);
    EXPECT_EQ(machine.to_host(out, 1)[0], 3 * n);
    EXPECT_TRUE(machine.result().findings.empty());
  }
}

TEST(destructive, traps_end_the_launch) {
  expect(diagnose([](sim::machine& m, int* out) { m.launch({.threads = {32}}, traps, out); }), true,
         finding_kind::trap, {"thread 3 of block 0 executed __trap()"});
}

TEST(destructive, communication_between_independent_blocks_is_reported) {
  expect(diagnose([](sim::machine& m, int* out) {
           m.fill(out, 1, 0);
           m.launch({.blocks = {8}, .threads = {32}, .independent_blocks = true}, counts_globally,
                    out);
         }),
         true, finding_kind::broken_promise, {"independent_blocks"});
  sim::machine m;
  auto const out = m.allocate<int>(64, "out");
  m.launch({.blocks = {2}, .threads = {32}, .independent_blocks = true}, counts_in_its_block, out);
  EXPECT_EQ(m.to_host(out, 64), std::vector<int>(64, 32));
  EXPECT_TRUE(m.result().findings.empty()) << "atomics of shared memory break no promise";
}

TEST(destructive, races_name_both_threads_and_the_missing_barrier) {
  auto const d = diagnose([](sim::machine& m, int* out) {
    m.launch({.threads = {32}}, adds_its_neighbor_in_place, out);
  });
  expect(d, false, finding_kind::race_in_block,
         {"thread 1 of block 0 writes element 1", "; thread 0 of block 0 reads it",
          "or a __syncwarp() if only lanes of one warp"});
}

TEST(destructive, lost_updates_are_reported_with_advice_to_use_atomics) {
  for (auto const kernel : {increments, increments_in_words})
    for (auto const how :
         {sim::schedule::in_order, sim::schedule::round_robin, sim::schedule::random}) {
      auto const in_a_block = [kernel](sim::machine& m, int* out) {
        m.fill(out, 1, 0);
        m.launch({.threads = {64}}, kernel, out);
      };
      auto const between_blocks = [kernel](sim::machine& m, int* out) {
        m.fill(out, 1, 0);
        m.launch({.blocks = {4}, .threads = {1}}, kernel, out);
      };
      expect(diagnose(in_a_block, {.how = how}), false, finding_kind::race_in_block,
             {"both update the element", "such as atomicAdd()"});
      expect(diagnose(between_blocks, {.how = how}), false, finding_kind::race_between_blocks,
             {"both update the element", "such as atomicAdd()"});
    }
}

TEST(destructive, writes_of_two_blocks_to_one_element_race) {
  expect(diagnose([](sim::machine& m, int* out) {
           m.launch({.blocks = {3}, .threads = {1}}, neighbor_blocks_collide, out);
         }),
         false, finding_kind::race_between_blocks,
         {"thread 0 of block 2 writes element 1", "thread 0 of block 1 writes it"});
}

void expect_rejected(simt::launch_shape const& shape, std::string const& words) {
  sim::machine machine;
  auto const out = machine.allocate<int>(32, "out");
  try {
    machine.launch(shape, copies, out, out);
    ADD_FAILURE() << "not rejected; expected: " << words;
  } catch (precondition_error const& refusal) {
    EXPECT_NE(std::string(refusal.what()).find(words), std::string::npos) << refusal.what();
  }
}

TEST(destructive, shapes_beyond_a_gpus_limits_are_rejected_with_the_limit) {
  expect_rejected({.name = "k", .threads = {1025}},
                  "launch of 'k': threads.x is 1025, and a block has 1 to 1024 threads");
  expect_rejected({.threads = {1, 1025}}, "threads.y is 1025, and a block has 1 to 1024 threads");
  expect_rejected({.threads = {1, 1, 65}}, "threads.z is 65, and a block has 1 to 64 threads");
  expect_rejected({.threads = {64, 32}},
                  "the product of threads is 2048, and a block has 1 to 1024 threads");
  expect_rejected({.threads = {0}}, "threads.x is 0");
  expect_rejected({.blocks = {0}, .threads = {1}}, "blocks.x is 0");
  expect_rejected({.blocks = {1, 65536}, .threads = {1}},
                  "blocks.y is 65536, and a grid has 1 to 65535 blocks");
  expect_rejected({.blocks = {1, 1, 70000}, .threads = {1}},
                  "blocks.z is 70000, and a grid has 1 to 65535 blocks");
  expect_rejected({.blocks = {32}, .threads = {1}, .cluster = 32},
                  "cluster.x is 32, and a cluster has 1 to 16 blocks: 8 run on");
  expect_rejected({.blocks = {8, 4}, .threads = {1}, .cluster = {8, 4}},
                  "the product of cluster is 32, and a cluster has 1 to 16 blocks");
  expect_rejected({.blocks = {4, 3}, .threads = {1}, .cluster = {2, 2}},
                  "blocks.y is 3, and must be a multiple of the cluster, which is 2");
  expect_rejected({.blocks = {3}, .threads = {1}, .cluster = 2},
                  "blocks.x is 3, and must be a multiple of the cluster, which is 2");
  expect_rejected({.threads = {1}, .shared_bytes = 232449},
                  "shared_bytes is 232449, and a block has 0 to 232448 bytes");
  sim::machine machine;
  auto const out = machine.allocate<int>(32, "out");
  EXPECT_THROW(static_cast<void>(machine.to_host(out, 33)), precondition_error);
}

TEST(destructive, shared_memory_beyond_a_blocks_limit_is_rejected_with_the_limit) {
  expect(
      diagnose([](sim::machine& m, int* out) { m.launch({.threads = {32}}, declares_much, out); }),
      true, finding_kind::out_of_bounds,
      {"'kernel' declares 52000 bytes of shared memory", "49152", "use extern __shared__"});
  expect(diagnose([](sim::machine& m, int* out) {
           m.launch({.threads = {32}, .shared_bytes = 232448}, declares_a_little, out);
         }),
         true, finding_kind::out_of_bounds,
         {"needs 232576 bytes of shared memory, declared and dynamic", "232448"});
}

}  // namespace
}  // namespace upsweep::sim_test
