/// The PTX instructions that the emulator knows, and the C++ that replaces each.
#pragma once

#include <span>
#include <string_view>

namespace upsweep::lab::source {

/// `name` is the instruction without its types, state space, scope, cache hints and rounding to
/// nearest; T is the first type, v for .v2, .v4 or .v8. `code` is a C++ expression in which
///   $0 $1 ...  are the operands: C++ expressions; an address is a pointer, `ptx::at(x, offset)`,
///   of
///              shared memory `ptx::at_shared(x, offset)`, for void*; {a, b} is a, b
///   $2+        is ", " and operand 2, ", " and operand 3 ...: those that there are
///   $P         is ", " and the predicate p of a destination d|p, or nothing
///   $T $U      are the C++ types of the first and second type: std::uint32_t for b32 and u32;
///              float or double for b32 or b64 if an operand that is no address is one
///   $D         is the C++ type of operand 0
///   $O $S      are order and scope: ptx::order::relaxed, acquire, release, acq_rel, seq_cst;
///              ptx::scope::block, cluster, device, system; relaxed and device if not said
/// `ptx::` is upsweep::emulated::ptx in the headers of upsweep/simt/cuda/; what has no such prefix
/// is CUDA's own function. An empty `code` does nothing.
struct ptx_row {
  std::string_view name, code;
};
[[nodiscard]] std::span<ptx_row const> ptx_instructions();

/// Registers that can be read, by their names without %.
[[nodiscard]] std::span<ptx_row const> ptx_registers();

/// Types by their names without the point; `code` is the C++ type.
[[nodiscard]] std::span<ptx_row const> ptx_types();

/// The row of that name, or null.
[[nodiscard]] ptx_row const* find_row(std::span<ptx_row const> rows, std::string_view name);

}  // namespace upsweep::lab::source
