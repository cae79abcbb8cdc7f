/// asm statements with PTX, made C++.
#pragma once

#include <lab/source/edits.hpp>
#include <lab/source/tokens.hpp>

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

}  // namespace upsweep::lab::source
