/// Selections, pad and unpad by name: of elements whose type is known at run time.
///
/// Arrays are contiguous and aligned. What an output has no room for is not stored; the counts that
/// are returned tell. Overlaps are refused by precondition_error as those of the C++ verbs.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/executor.hpp>
#include <upsweep/names/dtype.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace upsweep::dynamic {

/// The elements whose flag is not zero.
UPSWEEP_API std::size_t select(cpu const& on, dtype t, void const* in, std::uint8_t const* flags,
                               std::size_t n, void* out, std::size_t room);
/// Their positions.
UPSWEEP_API std::size_t select_positions(cpu const& on, std::uint8_t const* flags, std::size_t n,
                                         std::uint64_t* out, std::size_t room);
/// The elements whose flag is not zero to `yes`, the others to `no`; returns how many `yes` takes.
UPSWEEP_API std::size_t partition(cpu const& on, dtype t, void const* in, std::uint8_t const* flags,
                                  std::size_t n, void* yes, std::size_t yes_room, void* no,
                                  std::size_t no_room);
/// An output with room for so many elements.
struct part_output {
  void* to;
  std::size_t room;
};
/// The elements whose part is 0, 1, and any other number to an output each; returns how many each
/// takes.
UPSWEEP_API std::array<std::size_t, 3> partition(cpu const& on, dtype t, void const* in,
                                                 std::uint8_t const* parts, std::size_t n,
                                                 std::array<part_output, 3> const& outputs);
/// The first element of each run of neighbors that are equal by ==.
UPSWEEP_API std::size_t unique(cpu const& on, dtype t, void const* in, std::size_t n, void* out,
                               std::size_t room);
/// The same with the number of elements of each run. With too little room the lengths are
/// unspecified.
UPSWEEP_API std::size_t runs(cpu const& on, dtype t, void const* in, std::size_t n, void* values,
                             std::uint64_t* lengths, std::size_t room);

/// The rows of a matrix of rows * padded elements, of which each has `columns` that are kept.
struct padded_rows {
  std::size_t rows, columns, padded;
};
/// As upsweep::pad and unpad, in the array at `x`; `fill` is an element, or null for zero.
UPSWEEP_API void pad(cpu const& on, dtype t, void* x, padded_rows const& shape, void const* fill);
UPSWEEP_API void unpad(cpu const& on, dtype t, void* x, padded_rows const& shape);

}  // namespace upsweep::dynamic
