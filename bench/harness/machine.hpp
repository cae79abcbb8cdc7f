/// The machine and the build of the program: the conditions of a measurement.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::bench {

struct cache {
  int level = 0;
  std::string kind;  ///< "Data", "Unified"
  std::size_t bytes = 0;
  int shared_by = 1;  ///< logical CPUs
};

struct machine {
  std::string cpu;     ///< "AMD EPYC 9654 96-Core Processor"
  std::string family;  ///< vendor, family, model and stepping, for models that hide their name
  int online = 1;      ///< logical CPUs of the system
  int affinity = 1;    ///< those that this process may run on
  double quota = 0;    ///< CPUs that the cgroup allows; 0 if there is no limit
  int threads = 1;     ///< number that Upsweep uses by default
  std::vector<cache> caches;
  std::size_t memory = 0;            ///< bytes
  std::size_t available_memory = 0;  ///< bytes that can still be allocated
  bool is_virtual = false;           ///< under a hypervisor
  std::string huge_pages;            ///< always, madvise or never
  std::string system;                ///< "Linux 6.1.0 x86_64"
  std::string distribution;          ///< "Debian GNU/Linux 12 (bookworm)"
  bool real_time =
      false;  ///< run with real-time priority (chrt -f 5), which other programs cannot preempt
  std::string simd;  ///< instruction set of the vector kernels, chosen by Highway
};

[[nodiscard]] machine this_machine();

/// Size of the largest cache in bytes; 32 MiB if unknown.
[[nodiscard]] std::size_t largest_cache(machine const& m);

/// A GPU and its CUDA versions.
struct gpu_description {
  int number = 0;
  std::string name;    ///< "NVIDIA H200"
  int capability = 0;  ///< 10 · major + minor
  int multiprocessors = 0;
  std::size_t memory = 0, l2_bytes = 0;
  std::string toolkit;  ///< the CUDA version that the program was built with: "13.0"
  std::string driver;   ///< "580.159.03"; if unknown, the newest CUDA version that it supports
};

struct build {
  std::string compiler;  ///< "GNU 12.2.0"
  std::string type;      ///< "Release"
  std::string flags;
  std::string peer_flags;  ///< compiler flags of the peers
  std::string version;     ///< of Upsweep
  std::string revision;  ///< git's abbreviated commit, with "-dirty"; "unknown" outside a checkout
};

[[nodiscard]] build this_build();

}  // namespace upsweep::bench
