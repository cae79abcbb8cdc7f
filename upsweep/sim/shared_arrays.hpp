/// The shared memory of resident blocks.
#pragma once

#include <upsweep/sim/launch_state.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::sim {

/// Limits of shared memory per block at compute capability 9.0: declared arrays only, and including
/// dynamic shared memory.
inline constexpr std::size_t most_declared_bytes = 48 * 1024, most_shared_bytes = 227 * 1024;

/// Every shared array of a kernel has a slot; each block has its own memory for every slot.
class shared_arrays {
 public:
  explicit shared_arrays(launch_state const& launch);

  /// Block b has just become resident and has no arrays.
  void clear(block& b);
  /// Makes the arrays of block b those that hooks access.
  void enter(block const& b);

  /// The array of the kernel's module that begins in this cell of the block's window; created on
  /// first use.
  [[nodiscard]] memory* array_in_cell(block& b, std::size_t cell);
  /// Of the arrays that the block has used, the one nearest to `place` in its window; null if it
  /// has used none.
  [[nodiscard]] static memory* nearest(block const& b, std::byte const* place);
  /// Gives every `size` bytes of an array a shadow of their own, also in later blocks.
  void split(memory& m, unsigned size);
  /// The counterpart of `m` in block `rank` of the running lane's cluster.
  [[nodiscard]] memory* remote_array(memory const& m, unsigned rank, position at);

  /// The properties of an array from its declaration; of the dynamic part, from the launch.
  struct array_info {
    unsigned element_bytes = 0;
    std::size_t bytes = 0;
    std::string const* name = nullptr;  ///< null: dynamic shared memory without one name
  };
  [[nodiscard]] array_info const& info(std::size_t slot) const { return infos_[slot]; }
  /// Of all declared arrays that a block has used so far.
  [[nodiscard]] std::size_t declared_bytes() const;

 private:
  [[nodiscard]] unsigned slot_of(module_array const& array);
  void check_shared_bytes(array_info const& last);
  [[nodiscard]] block& block_of_cluster(unsigned rank, position at);
  [[nodiscard]] memory* new_array(block& b, unsigned slot, std::size_t bytes, unsigned granule,
                                  std::size_t cell);

  launch_state const& launch_;
  std::vector<array_info> infos_;  // indexed by slot; always includes the dynamic part
  std::uint64_t arrays_made_ = 0;
};

}  // namespace upsweep::sim
