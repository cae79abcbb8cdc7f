/// The devices of the emulator: what the runtime says about them, and what each refuses.
#include <upsweep/sim/device.hpp>

#include "modules.hpp"

#include <algorithm>
#include <string>

namespace {

/// From the CUDA C++ Programming Guide's "Technical specifications per compute capability", and the
/// data sheets' numbers of multiprocessors. Memory in KiB.
struct specification {
  int capability, multiprocessors, threads, blocks, of_block, of_multiprocessor;
  bool has_clusters;
};
constexpr specification specifications[]{
    {70, 80, 2048, 32, 96, 96, false},    {75, 40, 1024, 16, 64, 64, false},
    {80, 108, 2048, 32, 163, 164, false}, {86, 82, 1536, 16, 99, 100, false},
    {89, 128, 1536, 24, 99, 100, false},  {90, 132, 2048, 32, 227, 228, true},
    {100, 148, 2048, 32, 227, 228, true},
};

/// Calls of the module, each on a new machine of that device.
struct device_calls {
  upsweep::sim::module module{UPSWEEP_MODULE_device_words};

  template <class Result, class... Arguments>
  Result call(int capability, char const* name, std::string* finding, Arguments... arguments) {
    upsweep::sim::machine m({.capability = capability});
    upsweep::sim::runtime const runtime(m);
    Result const result = module.function<Result(Arguments...)>(name)(arguments...);
    if (finding != nullptr)
      *finding = m.result().findings.empty() ? "" : m.result().findings.front().sentence;
    return result;
  }
};

TEST(plain_cuda_device, every_specification_has_a_device) {
  EXPECT_EQ(upsweep::sim::devices().size(), std::size(specifications));
}

TEST(plain_cuda_device, the_runtime_answers_for_its_compute_capability) {
  device_calls on;
  for (auto const& s : specifications) {
    SCOPED_TRACE(s.capability);
    auto const value = [&](int attribute) {
      return on.call<int>(s.capability, "attribute", nullptr, attribute);
    };
    EXPECT_EQ(value(75) * 10 + value(76), s.capability);
    EXPECT_EQ(value(16), s.multiprocessors);
    EXPECT_EQ(value(39), s.threads);
    EXPECT_EQ(value(106), s.blocks);
    EXPECT_EQ(value(97), s.of_block * 1024);
    EXPECT_EQ(value(81), s.of_multiprocessor * 1024);
    EXPECT_EQ(value(120), s.has_clusters ? 1 : 0);
    EXPECT_TRUE(on.call<bool>(s.capability, "properties_agree", nullptr));
  }
}

TEST(plain_cuda_device, occupancy_follows_from_threads_blocks_and_shared_memory) {
  device_calls on;
  for (auto const& s : specifications) {
    SCOPED_TRACE(s.capability);
    auto const blocks = [&](int threads, int bytes) {
      return on.call<int>(s.capability, "blocks_per_multiprocessor", nullptr, threads, bytes);
    };
    EXPECT_EQ(blocks(256, 0), s.threads / 256);
    EXPECT_EQ(blocks(32, 0), std::min(s.threads / 32, s.blocks));
    EXPECT_EQ(blocks(1024, 0), s.threads / 1024);
    int const reserved = s.of_multiprocessor - s.of_block;
    EXPECT_EQ(blocks(64, 20 * 1024),
              std::min(s.of_multiprocessor / (20 + reserved), s.threads / 64));
  }
}

TEST(plain_cuda_device, refuses_what_is_beyond_its_limits) {
  constexpr int invalid_value = 1, too_large = 720, not_supported = 801;
  device_calls on;
  for (auto const& s : specifications) {
    SCOPED_TRACE(s.capability);
    std::string finding;
    int const most = s.of_block * 1024 - 2048;  // the kernel declares 2 KiB
    EXPECT_EQ(on.call<int>(s.capability, "limit_of_dynamic_memory", &finding, most), 0) << finding;
    EXPECT_EQ(on.call<int>(s.capability, "limit_of_dynamic_memory", &finding, most + 1),
              invalid_value);
    EXPECT_NE(finding.find(upsweep::sim::device_of(s.capability).name), finding.npos) << finding;
    int const undeclared = 49152 - 8192;  // this one 8 KiB
    EXPECT_EQ(on.call<int>(s.capability, "launch_with_memory", &finding, undeclared), 0) << finding;
    EXPECT_EQ(on.call<int>(s.capability, "launch_with_memory", &finding, undeclared + 1),
              invalid_value);
    EXPECT_NE(finding.find("may have 40960: set"), finding.npos) << finding;
    int const resident = s.multiprocessors * (s.threads / 1024);
    EXPECT_EQ(on.call<int>(s.capability, "cooperative_launch", &finding, resident), 0) << finding;
    EXPECT_EQ(on.call<int>(s.capability, "cooperative_launch", &finding, resident + 1), too_large);
    EXPECT_NE(finding.find("can be resident"), finding.npos) << finding;
    EXPECT_EQ(on.call<int>(s.capability, "launch_of_clusters", &finding),
              s.has_clusters ? 0 : not_supported);
    EXPECT_EQ(finding.find("compute capability 9.0") != finding.npos, !s.has_clusters) << finding;
  }
}

}  // namespace
