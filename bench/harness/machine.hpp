/// What this machine is and how this program was built: the conditions under which a figure was
/// measured.
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
  double quota = 0;    ///< CPUs that the cgroup allows; 0 when there is no limit
  int threads = 1;     ///< what Upsweep uses when nothing is said
  std::vector<cache> caches;
  std::size_t memory = 0;            ///< bytes
  std::size_t available_memory = 0;  ///< bytes that programs can still have
  bool is_virtual = false;           ///< under a hypervisor
  std::string huge_pages;            ///< always, madvise or never
  std::string system;                ///< "Linux 6.1.0 x86_64"
  std::string distribution;          ///< "Debian GNU/Linux 12 (bookworm)"
  bool real_time =
      false;  ///< run at a real-time priority (chrt -f 5), where other programs hold no processor
  std::string simd;  ///< instruction set of the vector kernels: what Highway picked
};

[[nodiscard]] machine this_machine();

/// Bytes of the largest cache; 32 MiB when the system does not say.
[[nodiscard]] std::size_t largest_cache(machine const& m);

/// A GPU, and the CUDA that drives it.
struct gpu_description {
  int number = 0;
  std::string name;    ///< "NVIDIA H200"
  int capability = 0;  ///< 10 · major + minor
  int multiprocessors = 0;
  std::size_t memory = 0, l2_bytes = 0;
  std::string toolkit;  ///< the CUDA version that the program was built with: "13.0"
  std::string driver;   ///< "580.159.03"; where it hides that, the newest CUDA version it knows
};

struct build {
  std::string compiler;  ///< "GNU 12.2.0"
  std::string type;      ///< "Release"
  std::string flags;
  std::string peer_flags;  ///< what the peers are compiled with
  std::string version;     ///< of Upsweep
  std::string revision;  ///< git's abbreviated commit, with "-dirty"; "unknown" outside a checkout
};

[[nodiscard]] build this_build();

}  // namespace upsweep::bench
