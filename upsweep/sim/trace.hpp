/// A run step by step: what each lane of each warp read, wrote, combined or waited for. The source
/// of the laboratory's pictures.
#pragma once

#include <upsweep/simt/machine.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::sim {

/// A position in a source file; line 0 is unknown.
struct source_position {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  friend bool operator==(source_position const&, source_position const&) = default;
  friend auto operator<=>(source_position const&, source_position const&) = default;
};

enum class memory_space : std::uint8_t { global, shared };

enum class number_kind : char {
  signed_integer = 'i',
  unsigned_integer = 'u',
  truth = 'b',
  character = 'c',
  floating = 'f',
  half = 'h',
  bfloat16 = 'e',
  pointer = 'p'
};

/// A number in an element: the element itself, or a member.
struct number_field {
  number_kind kind = number_kind::signed_integer;
  unsigned offset = 0, bytes = 0;
};

/// The type of the elements of a module's buffer, array or shuffle; no bytes: unknown.
struct element_layout {
  std::string name;  ///< as the compiler writes it: "unsigned int"
  unsigned bytes = 0;
  std::vector<number_field> fields;    ///< its numbers, by offset
  std::vector<std::uint64_t> extents;  ///< of an array's dimensions, the outermost first
};

/// A buffer, or a shared array of all blocks.
struct buffer_info {
  /// Of a shared array: "shared:NAME"; "shared:dynamic" if there are several names for it.
  std::string name;
  memory_space space = memory_space::global;
  unsigned element_bytes = 0;
  std::uint64_t count = 0;
  element_layout element{};
};

enum class step_kind : std::uint8_t {
  load,
  store,
  atomic,
  apply,
  barrier,
  cluster_barrier,
  warp_sync,
  shuffle,
  vote,
  fence
};
[[nodiscard]] char const* name_of(step_kind kind);

/// The action of one lane in a step.
struct lane_event {
  unsigned lane = 0;
  int buffer = -1;          ///< index into traced_launch::buffers, of loads, stores and atomics
  std::uint64_t index = 0;  ///< of the element in its buffer
  int source = -1;  ///< of a shuffle: the lane that was read; of an access to another block of the
                    ///< cluster: that block
  std::uint8_t size = 0;  ///< the number of valid bytes of `value`
  std::array<std::byte, 16>
      value{};             ///< read, written, combined or received; the first 16 bytes of it
  std::uint64_t when = 0;  ///< of an access: its number in the order in which the launch made them
  unsigned polls = 0;      ///< of an atomic: how often it returned the same value again
  bool changes = false;    ///< an access that wrote
  bool failed = false;     ///< a compare-and-swap that found another value than it expected
  bool unwritten = false;  ///< a read of what had never been written: `value` means nothing
};

/// A step that the lanes of `mask` executed together.
struct step {
  unsigned block = 0;
  unsigned warp = 0;
  std::uint32_t mask = 0;
  step_kind kind = step_kind::load;
  unsigned site = 0;  ///< index into traced_launch::sites
  unsigned wavefronts = 0;
  unsigned conflicts = 0;
  unsigned sectors = 0;
  unsigned lines = 0;
  std::vector<lane_event> lanes;
};

struct traced_launch {
  std::string name;
  simt::launch_shape shape;
  std::vector<buffer_info> buffers;
  std::vector<source_position> sites;
  std::vector<element_layout> site_elements;  ///< of a module: what is shuffled at each site
  std::vector<step> steps;
};

struct trace {
  std::vector<traced_launch> launches;
};

}  // namespace upsweep::sim
