/// The text of an asm statement as PTX instructions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

/// `@!p opcode operand, operand;`, or a label, whose opcode is empty.
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

}  // namespace upsweep::lab::source
