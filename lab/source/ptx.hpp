/// asm statements with PTX, made C++.
#pragma once

#include <lab/source/edits.hpp>
#include <lab/source/tokens.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

/// `"=r"(x)`: an operand of an asm statement.
struct asm_operand {
  char letter;       ///< r, l, h, f, d, n: its register
  std::string code;  ///< the C++ expression
};

struct ptx_translation {
  std::string code;     ///< statements of C++, on one line
  std::string unknown;  ///< the first instruction or operand that is not known, or empty
};

/// The C++ that does what the PTX `text` says; its operands are %0, %1, ...
[[nodiscard]] ptx_translation translate_ptx(std::string_view text,
                                            std::vector<asm_operand> const& operands);

/// Adds the edits and findings of the asm statements in a token list. Assembly in host code that is
/// no known PTX stays.
void find_ptx(token_view const& tokens, bool in_directive, device_code const& device,
              std::vector<edit>& edits, std::vector<rewrite_finding>& findings);

/// A PTX instruction: `@!p opcode operand, operand;`, or a label, whose opcode is empty.
struct ptx_statement {
  std::string label;
  std::string predicate;  ///< "p", "!p" or empty
  std::string opcode;     ///< with its types: "ld.global.u32"; ".reg" of a declaration
  std::vector<std::string> operands;
};

/// The statements of `text`, in which %% is %. Braces of scopes are dropped.
[[nodiscard]] std::vector<ptx_statement> parse_ptx(std::string_view text);

/// `text` split at `by` outside of brackets, trimmed.
[[nodiscard]] std::vector<std::string> split_operands(std::string_view text, char by);

/// A PTX instruction that the emulator knows, and the C++ that replaces it. `name` is the
/// instruction without its types, state space, scope, cache hints and rounding to nearest; T is the
/// first type, v for .v2, .v4 or .v8. `code` is a C++ expression in which
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
