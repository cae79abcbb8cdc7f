/// `thread_local` of the host is C++'s, also in modules with shared arrays and with their own copy
/// of the C++ library.
#include "modules.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace {

using upsweep::sim::finding_kind;
using upsweep::sim_test::expect_no_finding;
using values = std::array<long, 8>;

constexpr char const* modules[] = {
#ifdef UPSWEEP_MODULE_host_locals_lld
    UPSWEEP_MODULE_host_locals_lld,
#endif
    UPSWEEP_MODULE_host_locals, UPSWEEP_MODULE_host_locals_static};
constexpr char const* modules_without_arrays[] = {
#ifdef UPSWEEP_MODULE_host_locals_alone_lld
    UPSWEEP_MODULE_host_locals_alone_lld,
#endif
    UPSWEEP_MODULE_host_locals_alone, UPSWEEP_MODULE_host_locals_alone_static};

/// After 10,000 rounds; the C++ standard gives this number of its generator ([rand.predef]).
constexpr values after_ten_thousand{10'000, 16'668'433, 16'671'867, 16'665'300,
                                    20'007, 10'003,     9'998,      4'123'659'995};

TEST(host_thread_locals, each_thread_has_its_own_beside_shared_arrays) {
  for (char const* const file : modules) {
    upsweep::sim::module const module(file);
    auto* const use = module.function<void(int, long*)>("use_host_locals");
    auto* const kernel_is_right = module.function<bool()>("host_kernel_is_right");
    std::vector<values> results(3);
    auto const in_parts = [&](std::size_t i) {
      for (int const part : {3'999, 1, 6'000}) use(part, results[i].data());
    };
    upsweep::sim::machine m;
    upsweep::sim::runtime const runtime(m);
    EXPECT_TRUE(kernel_is_right()) << file;
    std::thread second(in_parts, 1), third(in_parts, 2);
    std::thread([&] {
      use(4'000, results[0].data());
      use(6'000, results[0].data());
    }).join();
    second.join();
    third.join();
    EXPECT_TRUE(kernel_is_right()) << file;
    expect_no_finding(m);
    for (values const& v : results) EXPECT_EQ(v, after_ten_thousand) << file;
  }
}

TEST(host_thread_locals, each_thread_has_its_own_without_shared_arrays) {
  for (char const* const file : modules_without_arrays) {
    upsweep::sim::module const module(file);
    auto* const use = module.function<void(int, long*)>("use_host_locals_alone");
    long here[3] = {}, there[3] = {};
    std::thread([&] {
      use(3, here);
      std::thread([&] { use(10, there); }).join();
      use(2, here);
    }).join();
    EXPECT_EQ(std::vector<long>(here, here + 3), (std::vector<long>{5, 10, 4 + 5})) << file;
    EXPECT_EQ(std::vector<long>(there, there + 3), (std::vector<long>{10, 20, 55})) << file;
  }
}

TEST(host_thread_locals, keep_their_values_across_launches) {
  for (char const* const file : modules) {
    upsweep::sim::module const module(file);
    auto* const use = module.function<void(int, long*)>("use_host_locals");
    auto* const kernel_is_right = module.function<bool()>("host_kernel_is_right");
    upsweep::sim::machine m;
    upsweep::sim::runtime const runtime(m);
    values before{}, after{};
    use(5, before.data());
    EXPECT_TRUE(kernel_is_right()) << file;
    use(0, after.data());
    before.back() = 0;  // no number was drawn
    EXPECT_EQ(after, before) << file;
    expect_no_finding(m);
  }
}

// Also at exit: a destructor of the module throws and prints.
TEST(host_thread_locals, exceptions_pass_frames_of_host_code) {
  for (char const* const file : modules) {
    upsweep::sim::module const module(file);
    auto* const ended = module.function<int(int)>("count_of_ended_frames");
    upsweep::sim::machine m;
    upsweep::sim::runtime const runtime(m);
    EXPECT_EQ(ended(0), 1) << file;
    EXPECT_EQ(ended(40), 41) << file;
    int in_thread = 0;
    std::thread([&] { in_thread = ended(7); }).join();
    EXPECT_EQ(in_thread, 8) << file;
    expect_no_finding(m);
  }
}

TEST(host_thread_locals, shared_arrays_that_the_host_reads_are_reported) {
  unsigned const line = upsweep::sim_test::line_that_ends_in("// WRONG host_reads_shared",
                                                             UPSWEEP_SOURCES "/host_locals.cu");
  for (char const* const file : modules) {
    upsweep::sim::module const module(file);
    upsweep::sim::machine m;
    upsweep::sim::runtime const runtime(m);
    module.function<int()>("host_reads_shared")();
    auto const& found = m.result().findings;
    ASSERT_EQ(found.size(), 1U) << file;
    EXPECT_EQ(found[0].kind, finding_kind::wrong_memory) << file;
    EXPECT_EQ(found[0].first.line, line) << file;
    EXPECT_NE(found[0].sentence.find("the host reads shared memory"), std::string::npos)
        << found[0].sentence;
  }
}

}  // namespace
