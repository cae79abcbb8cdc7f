/// The shared memory of resident blocks.
#pragma once

#include <upsweep/sim/launch_state.hpp>

#include <vector>

namespace upsweep::sim {

/// Shared memory of a block on a GPU of compute capability 9.0: what may be declared, and with
/// dynamic shared memory that the host asks for.
inline constexpr std::size_t most_declared_bytes = 48 * 1024, most_shared_bytes = 227 * 1024;

/// Every shared array of a kernel has a slot, and in each block memory of its own there.
class shared_arrays {
 public:
  explicit shared_arrays(launch_state const& launch);

  /// Block b has just come and has no arrays.
  static void clear(block& b);
  /// Lanes of block b run from now on: their hooks look its arrays up.
  void enter(block const& b);

  /// The array that `key` means in block b; made when it is met for the first time.
  [[nodiscard]] memory* array_of(block& b, emulated::shared_key& key);
  [[nodiscard]] memory* dynamic_array(block& b, emulated::layout element, position at);
  /// In block `rank` of the running lane's cluster: the array of the key, and what `m` is there.
  [[nodiscard]] memory* remote_array(emulated::shared_key& key, unsigned rank, position at);
  [[nodiscard]] memory* remote_array(memory const& m, unsigned rank, position at);

  /// An array as its declaration knows it, or the launch for the dynamic part.
  struct array_info {
    position declared{};
    unsigned element_bytes = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] array_info const& info(std::size_t slot) const { return infos_[slot]; }

 private:
  void check_shared_bytes(emulated::shared_key const& key);
  [[nodiscard]] block& block_of_cluster(unsigned rank, position at);
  [[nodiscard]] memory* new_array(block& b, unsigned slot, std::size_t bytes, unsigned granule);

  launch_state const& launch_;
  std::vector<unsigned char> slots_;  // by the number of the key
  std::vector<array_info> infos_;     // by slot; the dynamic part is always there
  std::uint64_t arrays_made_ = 0;
};

}  // namespace upsweep::sim
