/// The machine that runs a host plan's kernels, as a concept; the emulator and a GPU model it.
#pragma once

#include <concepts>
#include <cstddef>
#include <source_location>
#include <span>
#include <vector>

namespace upsweep::simt {

/// A size or an index in three dimensions, from integers of any type.
struct extent3 {
  unsigned x = 1, y = 1, z = 1;

  constexpr extent3() = default;
  template <std::integral X, std::integral Y = unsigned, std::integral Z = unsigned>
  constexpr extent3(X x_, Y y_ = 1, Z z_ = 1)
      : x(static_cast<unsigned>(x_)), y(static_cast<unsigned>(y_)), z(static_cast<unsigned>(z_)) {}

  [[nodiscard]] constexpr std::size_t count() const { return std::size_t{x} * y * z; }
};

/// One launch: `blocks` blocks of `threads` threads.
struct launch_shape {
  char const* name = "kernel";  ///< the stem, for reports
  extent3 blocks{};
  extent3 threads{};
  extent3 cluster{};                ///< blocks in a cluster
  std::size_t shared_bytes = 0;     ///< dynamic shared memory per block
  bool independent_blocks = false;  ///< promises that no block reads what another one writes, so
                                    ///< that the emulator may use every core
  bool is_cooperative = false;      ///< all blocks are resident at once
  std::source_location at = std::source_location::current();  ///< in the plan

  [[nodiscard]] constexpr std::size_t clusters() const { return blocks.count() / cluster.count(); }
  /// The number of the block that has `rank` in cluster `number`; x counts fastest in each.
  [[nodiscard]] constexpr std::size_t block_of(std::size_t number, std::size_t rank) const {
    std::size_t const x = number % (blocks.x / cluster.x) * cluster.x + rank % cluster.x,
                      rows = number / (blocks.x / cluster.x), row = rank / cluster.x,
                      y = rows % (blocks.y / cluster.y) * cluster.y + row % cluster.y,
                      z = rows / (blocks.y / cluster.y) * cluster.z + row / cluster.y;
    return (z * blocks.y + y) * blocks.x + x;
  }
  /// The number of the cluster that `block` is in.
  [[nodiscard]] constexpr std::size_t cluster_of(std::size_t block) const {
    std::size_t const x = block % blocks.x, y = block / blocks.x % blocks.y,
                      z = block / blocks.x / blocks.y;
    return (z / cluster.z * (blocks.y / cluster.y) + y / cluster.y) * (blocks.x / cluster.x) +
           x / cluster.x;
  }
};

namespace concepts {
inline void example_kernel(int const*, int*, unsigned) {}
}  // namespace concepts

/// Memory, copies and launches, in stream order.
template <class M>
concept runs_kernels =
    requires(M& m, launch_shape const& shape, int* p, std::span<int const> values) {
      { m.template allocate<int>(std::size_t{}, "name") } -> std::same_as<int*>;
      m.fill(p, std::size_t{}, 0);
      { m.to_host(p, std::size_t{}) } -> std::same_as<std::vector<int>>;
      m.to_device(p, values);
      m.launch(shape, concepts::example_kernel, p, p, 1u);
    };

}  // namespace upsweep::simt
