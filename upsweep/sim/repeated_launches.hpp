/// What is known of launches that a program repeats: which need not be measured, or need not run.
#pragma once

#include <upsweep/simt/machine.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace upsweep::sim {

/// The launches of one kernel with one shape.
struct repeated_launch {
  std::size_t launches = 0;  ///< that ran
  std::size_t report = 0;    ///< the number of the last one that was measured
  double seconds = 0;        ///< that it took
  bool is_clean = false;     ///< it found nothing
  /// The last one would do the same again on the memory that it left, and did nothing else; its
  /// arguments, and a number for the memory.
  bool is_fixed = false;
  std::vector<std::byte> call;
  std::uint64_t memory = 0;

  [[nodiscard]] bool repeats(std::span<std::byte const> arguments, std::uint64_t now) const {
    return is_fixed && memory == now && call.size() == arguments.size() &&
           std::equal(call.begin(), call.end(), arguments.begin());
  }
};

class repeated_launches {
 public:
  [[nodiscard]] repeated_launch& of(void const* kernel, simt::launch_shape const& s) {
    return all_[{reinterpret_cast<std::uintptr_t>(kernel), s.blocks.x, s.blocks.y, s.blocks.z,
                 s.threads.x, s.threads.y, s.threads.z, s.cluster.count(), s.shared_bytes}];
  }
  void clear() { all_.clear(); }

 private:
  std::map<std::array<std::uint64_t, 9>, repeated_launch> all_;
};

}  // namespace upsweep::sim
