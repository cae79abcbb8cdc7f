/// Sources: the table "Technical specifications per compute capability" of NVIDIA's CUDA C++
/// Programming Guide, and the data sheets of one typical card of each.
#include <upsweep/sim/device.hpp>

#include <upsweep/core/errors.hpp>

#include <algorithm>
#include <cstddef>

namespace upsweep::sim {

namespace {

constexpr std::size_t kib = 1024, gib = std::size_t{1} << 30;

// Threads, blocks and shared memory are those of a multiprocessor; clocks in kHz, the bus in bits.
constexpr device_limits all_devices[]{
    {.name = "Tesla V100",
     .major = 7,
     .minor = 0,
     .multiprocessors = 80,
     .threads = 2048,
     .blocks = 32,
     .most_cluster = 0,
     .clock = 1530000,
     .memory_clock = 877000,
     .memory_bus = 4096,
     .l2_bytes = 6 << 20,
     .shared_bytes = 96 * kib,
     .reserved_bytes = 0,
     .memory_bytes = 32 * gib},
    {.name = "Tesla T4",
     .major = 7,
     .minor = 5,
     .multiprocessors = 40,
     .threads = 1024,
     .blocks = 16,
     .most_cluster = 0,
     .clock = 1590000,
     .memory_clock = 5001000,
     .memory_bus = 256,
     .l2_bytes = 4 << 20,
     .shared_bytes = 64 * kib,
     .reserved_bytes = 0,
     .memory_bytes = 16 * gib},
    {.name = "NVIDIA A100",
     .major = 8,
     .minor = 0,
     .multiprocessors = 108,
     .threads = 2048,
     .blocks = 32,
     .most_cluster = 0,
     .clock = 1410000,
     .memory_clock = 1215000,
     .memory_bus = 5120,
     .l2_bytes = 40 << 20,
     .shared_bytes = 164 * kib,
     .reserved_bytes = kib,
     .memory_bytes = 40 * gib},
    {.name = "NVIDIA GeForce RTX 3090",
     .major = 8,
     .minor = 6,
     .multiprocessors = 82,
     .threads = 1536,
     .blocks = 16,
     .most_cluster = 0,
     .clock = 1695000,
     .memory_clock = 9751000,
     .memory_bus = 384,
     .l2_bytes = 6 << 20,
     .shared_bytes = 100 * kib,
     .reserved_bytes = kib,
     .memory_bytes = 24 * gib},
    {.name = "NVIDIA GeForce RTX 4090",
     .major = 8,
     .minor = 9,
     .multiprocessors = 128,
     .threads = 1536,
     .blocks = 24,
     .most_cluster = 0,
     .clock = 2520000,
     .memory_clock = 10501000,
     .memory_bus = 384,
     .l2_bytes = 72 << 20,
     .shared_bytes = 100 * kib,
     .reserved_bytes = kib,
     .memory_bytes = 24 * gib},
    {.name = "NVIDIA H200",
     .major = 9,
     .minor = 0,
     .multiprocessors = 132,
     .threads = 2048,
     .blocks = 32,
     .most_cluster = 8,
     .clock = 1980000,
     .memory_clock = 3201000,
     .memory_bus = 6144,
     .l2_bytes = 60 << 20,
     .shared_bytes = 228 * kib,
     .reserved_bytes = kib,
     .memory_bytes = 141 * gib},
    {.name = "NVIDIA B200",
     .major = 10,
     .minor = 0,
     .multiprocessors = 148,
     .threads = 2048,
     .blocks = 32,
     .most_cluster = 8,
     .clock = 1965000,
     .memory_clock = 3996000,
     .memory_bus = 8192,
     .l2_bytes = 126 << 20,
     .shared_bytes = 228 * kib,
     .reserved_bytes = kib,
     .memory_bytes = 180 * gib},
};

}  // namespace

std::span<device_limits const> devices() {
  return all_devices;
}

device_limits const& device_of(int capability) {
  auto const found = std::ranges::find(all_devices, capability, capability_of);
  detail::expects(found != std::end(all_devices), "device_of: an unknown compute capability");
  return *found;
}

}  // namespace upsweep::sim
