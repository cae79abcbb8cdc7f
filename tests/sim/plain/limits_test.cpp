/// The devices of the emulator, and the limits of their launches.
#include "modules.hpp"

#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/device.hpp>
#include <upsweep/sim/loaded_code.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>

namespace {

// The devices of the emulator: what the runtime says about them, and what each refuses.

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

// What launches are refused, at each limit, and the whole sentence about it.

using namespace upsweep;

using namespace upsweep::sim_test;

upsweep_emulated_shape shape(upsweep_emulated_extent blocks, upsweep_emulated_extent threads) {
  return {.blocks = blocks,
          .threads = threads,
          .cluster = {1, 1, 1},
          .shared_bytes = 0,
          .is_cooperative = 0,
          .at = 0};
}

answer check(upsweep_emulated_shape const& s, int capability = 90) {
  return answer_of([&] { return upsweep_emulated_check_launch("k", &s, nullptr); }, capability);
}

void expect_refused(upsweep_emulated_shape const& s, int error, std::string const& why,
                    int capability = 90) {
  answer const a = check(s, capability);
  EXPECT_EQ(a.error, error) << why;
  EXPECT_EQ(a.sentences, "the launch of 'k' at an unknown position fails: " + why);
}
void expect_accepted(upsweep_emulated_shape const& s, int capability = 90) {
  answer const a = check(s, capability);
  EXPECT_EQ(a.error, accepted);
  EXPECT_EQ(a.sentences, "");
}

TEST(plain_cuda_limits, blocks_and_grids_have_a_size_in_each_direction) {
  struct {
    upsweep_emulated_extent blocks, threads;
    char const* why;  // null: accepted
  } const all[]{
      {{1, 1, 1}, {1024, 1, 1}, nullptr},
      {{1, 1, 1},
       {1025, 1, 1},
       "the block has x = 1025, and a GPU takes 1 to 1024: use more blocks"},
      {{1, 1, 1}, {1, 1024, 1}, nullptr},
      {{1, 1, 1},
       {1, 1025, 1},
       "the block has y = 1025, and a GPU takes 1 to 1024: use more blocks"},
      {{1, 1, 1}, {1, 1, 64}, nullptr},
      {{1, 1, 1},
       {1, 1, 65},
       "the block has z = 65, and a GPU takes 1 to 64: make x or y its long side"},
      {{1, 1, 1}, {4, 4, 64}, nullptr},
      {{1, 1, 1},
       {5, 4, 64},
       "the threads of the block are 1280, and a GPU takes 1 to 1024: use more blocks"},
      {{1, 1, 1},
       {0, 1, 1},
       "the block has x = 0, and a GPU takes 1 to 1024: skip the launch when there is nothing to "
       "do"},
      {{0x7fffffff, 1, 1}, {1, 1, 1}, nullptr},
      {{0x80000000, 1, 1},
       {1, 1, 1},
       "the grid has x = 2147483648, and a GPU takes 1 to 2147483647: let each block do more"},
      {{1, 65535, 1}, {1, 1, 1}, nullptr},
      {{1, 65536, 1},
       {1, 1, 1},
       "the grid has y = 65536, and a GPU takes 1 to 65535: make x its long side"},
      {{1, 1, 65535}, {1, 1, 1}, nullptr},
      {{1, 1, 65536},
       {1, 1, 1},
       "the grid has z = 65536, and a GPU takes 1 to 65535: make x its long side"},
      {{1, 1, 0},
       {1, 1, 1},
       "the grid has z = 0, and a GPU takes 1 to 65535: skip the launch when there is nothing to "
       "do"},
  };
  for (auto const& [blocks, threads, why] : all)
    if (why == nullptr)
      expect_accepted(shape(blocks, threads));
    else
      expect_refused(shape(blocks, threads), invalid_configuration, why);
}

TEST(plain_cuda_limits, dynamic_shared_memory_has_48_kib_until_the_host_sets_another_limit) {
  sim::module const module(UPSWEEP_MODULE_device_words);
  auto const* const kernel = reinterpret_cast<void const*>(module.function<int(int)>("attribute"));
  auto const launch = [&](std::size_t bytes, int capability) {
    upsweep_emulated_shape s = shape({1, 1, 1}, {32, 1, 1});
    s.shared_bytes = bytes;
    return answer_of([&] { return upsweep_emulated_check_launch("k", &s, kernel); }, capability);
  };
  auto const set = [&](int bytes, int capability) {
    return answer_of([&] { return upsweep_emulated_set_most_dynamic_bytes(kernel, bytes); },
                     capability);
  };
  for (auto const& [capability, most, name] :
       {std::tuple{90, 232448, "NVIDIA H200"}, {75, 65536, "Tesla T4"}}) {
    std::string const number = std::to_string(most);
    EXPECT_EQ(set(0, capability).error, accepted);
    EXPECT_EQ(launch(49152, capability).error, accepted);
    answer a = launch(49153, capability);
    EXPECT_EQ(a.error, invalid_value);
    EXPECT_EQ(a.sentences,
              "the launch of 'k' at an unknown position fails: it asks for 49153 bytes of dynamic "
              "shared memory, and may have 49152: set cudaFuncAttributeMaxDynamicSharedMemorySize "
              "with cudaFuncSetAttribute() (on this device the declared arrays and this together "
              "have at most " +
                  number + " bytes)");
    EXPECT_EQ(set(50000, capability).error, accepted);
    EXPECT_EQ(launch(50000, capability).error, accepted);
    EXPECT_EQ(launch(50001, capability).error, invalid_value);
    EXPECT_EQ(set(most, capability).error, accepted);
    for (int const wrong : {-1, most + 1}) {
      a = set(wrong, capability);
      EXPECT_EQ(a.error, invalid_value);
      EXPECT_EQ(a.sentences,
                "cudaFuncSetAttribute() at an unknown position fails: the kernel can have " +
                    number + " bytes of dynamic shared memory on this device (" + name + "), not " +
                    std::to_string(wrong));
    }
    EXPECT_EQ(upsweep_emulated_most_dynamic_bytes(kernel), static_cast<std::size_t>(most));
  }
}

TEST(plain_cuda_limits, clusters_have_eight_blocks_and_divide_the_grid) {
  auto const cluster = [](upsweep_emulated_extent blocks, upsweep_emulated_extent of) {
    upsweep_emulated_shape s = shape(blocks, {32, 1, 1});
    s.cluster = of;
    return s;
  };
  auto const too_large = [](char const* sides) {
    return std::string("the cluster has ") + sides + " blocks, and every GPU with clusters takes 8";
  };
  expect_accepted(cluster({8, 1, 1}, {8, 1, 1}));
  expect_accepted(cluster({1, 8, 1}, {1, 8, 1}));
  expect_accepted(cluster({1, 1, 8}, {1, 1, 8}));
  expect_accepted(cluster({2, 6, 4}, {2, 2, 2}));
  expect_refused(cluster({9, 1, 1}, {9, 1, 1}), invalid_cluster, too_large("9 x 1 x 1"));
  expect_refused(cluster({1, 9, 1}, {1, 9, 1}), invalid_cluster, too_large("1 x 9 x 1"));
  expect_refused(cluster({1, 1, 9}, {1, 1, 9}), invalid_cluster, too_large("1 x 1 x 9"));
  expect_refused(cluster({3, 3, 1}, {3, 3, 1}), invalid_cluster, too_large("3 x 3 x 1"));
  expect_refused(cluster({2, 2, 3}, {2, 2, 3}), invalid_cluster, too_large("2 x 2 x 3"));
  expect_refused(cluster({3, 1, 1}, {2, 1, 1}), invalid_cluster,
                 "the grid has 3 blocks along x, which is not a multiple of the cluster's 2");
  expect_refused(cluster({2, 5, 1}, {2, 3, 1}), invalid_cluster,
                 "the grid has 5 blocks along y, which is not a multiple of the cluster's 3");
  expect_refused(cluster({2, 3, 4}, {2, 1, 3}), invalid_cluster,
                 "the grid has 4 blocks along z, which is not a multiple of the cluster's 3");
  expect_refused(cluster({2, 3, 4}, {2, 1, 0}), invalid_cluster,
                 "the grid has 4 blocks along z, which is not a multiple of the cluster's 0");
  expect_accepted(cluster({2, 1, 1}, {1, 1, 1}), 80);
  for (upsweep_emulated_extent const of :
       {upsweep_emulated_extent{2, 1, 1}, upsweep_emulated_extent{1, 2, 1},
        upsweep_emulated_extent{1, 1, 2}})
    expect_refused(cluster({2, 2, 2}, of), not_supported,
                   "it has clusters, which begin with compute capability 9.0, and the device, "
                   "NVIDIA GeForce RTX 3090, has 8.6",
                   86);
}

/// H200: 132 multiprocessors of 2048 threads, 32 blocks and 228 KiB, of which a block takes one.
TEST(plain_cuda_limits, blocks_of_a_cooperative_launch_are_resident_together) {
  struct {
    unsigned threads;
    std::size_t bytes;
    unsigned of_multiprocessor;
    int capability;
  } const all[]{
      {1024, 0, 2, 90},
      {1, 0, 32, 90},
      {32, 0, 32, 90},
      {33, 0, 32, 90},
      {65, 0, 21, 90},
      {96, 0, 21, 90},
      {97, 0, 16, 90},
      {128, 48 * 1024, 4, 90},
      {128, 27 * 1024, 8, 90},
      {128, 27 * 1024 + 513, 7, 90},
      {32, 0, 16, 75},
      {64, 0, 16, 75},
      {65, 0, 10, 75},
      {32, 32 * 1024, 2, 75},
      {32, 32 * 1024 + 1, 1, 75},
  };
  for (auto const& [threads, bytes, of_multiprocessor, capability] : all) {
    sim::device_limits const& d = sim::device_of(capability);
    unsigned const resident = static_cast<unsigned>(d.multiprocessors) * of_multiprocessor;
    upsweep_emulated_shape s = shape({resident, 1, 1}, {threads, 1, 1});
    s.shared_bytes = bytes;
    s.is_cooperative = 1;
    expect_accepted(s, capability);
    s.blocks = {1, resident + 1, 1};
    std::string const more = std::to_string(resident + 1), most = std::to_string(resident);
    expect_refused(s, cooperative_too_large,
                   "a cooperative launch has " + more + " blocks, of which " + most +
                       " can be resident on the device (" + d.name + "): let each block do more",
                   capability);
    s.is_cooperative = 0;
    expect_accepted(s, capability);
  }
}

TEST(plain_cuda_limits, devices_are_those_of_the_data_sheets) {
  struct {
    char const* name;
    int capability, most_cluster, megahertz, memory_megahertz, bus, l2_mib, memory_gib;
  } const all[]{
      {"Tesla V100", 70, 0, 1530, 877, 4096, 6, 32},
      {"Tesla T4", 75, 0, 1590, 5001, 256, 4, 16},
      {"NVIDIA A100", 80, 0, 1410, 1215, 5120, 40, 40},
      {"NVIDIA GeForce RTX 3090", 86, 0, 1695, 9751, 384, 6, 24},
      {"NVIDIA GeForce RTX 4090", 89, 0, 2520, 10501, 384, 72, 24},
      {"NVIDIA H200", 90, 8, 1980, 3201, 6144, 60, 141},
      {"NVIDIA B200", 100, 8, 1965, 3996, 8192, 126, 180},
  };
  ASSERT_EQ(sim::devices().size(), std::size(all));
  for (std::size_t i = 0; i < std::size(all); ++i) {
    sim::device_limits const& d = sim::devices()[i];
    EXPECT_STREQ(d.name, all[i].name);
    EXPECT_EQ(&sim::device_of(all[i].capability), &d);
    EXPECT_EQ(sim::capability_of(d), all[i].capability);
    EXPECT_EQ(d.most_cluster, all[i].most_cluster);
    EXPECT_EQ(d.clock, all[i].megahertz * 1000);
    EXPECT_EQ(d.memory_clock, all[i].memory_megahertz * 1000);
    EXPECT_EQ(d.memory_bus, all[i].bus);
    EXPECT_EQ(d.l2_bytes, all[i].l2_mib << 20);
    EXPECT_EQ(d.memory_bytes, static_cast<std::size_t>(all[i].memory_gib) << 30);
  }
  EXPECT_THROW(static_cast<void>(sim::device_of(71)), precondition_error);
}

TEST(plain_cuda_limits, modules_have_a_number_and_room_for_their_shared_arrays) {
  auto const said_of = [](std::size_t module, std::size_t bytes) {
    sim::loaded_code code;
    code.tls_module = module;
    code.shared_bytes = bytes;
    try {
      sim::serve_shared_arrays(code);
    } catch (std::runtime_error const& refusal) {
      return std::string(refusal.what());
    }
    return std::string("accepted");
  };
  std::size_t const most = 4089 * sim::cell_bytes;
  EXPECT_EQ(said_of(4095, most), "accepted");
  EXPECT_EQ(said_of(4095, most + 1), "a module has at most 4088 shared arrays: split the file");
  EXPECT_EQ(said_of(4096, 0), "a program loads at most 4095 modules with shared arrays");
}

}  // namespace
