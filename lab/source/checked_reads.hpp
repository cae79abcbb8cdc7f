/// Reads that g++ repeats in its checks of shifts and conversions.
#pragma once

#include <string>

namespace upsweep::lab::source {

/// Assembly of g++ for x86-64 in which each read of a checked operand calls its hook once. Under
/// -fsanitize=shift-exponent,float-cast-overflow g++ reads an operand of const memory for each
/// comparison, for the error and for the operation. The first read of a check remains, so that an
/// invalid address is found before it is accessed. Operands with branches, as in
/// `1 << (a[i] ? b[i] : c[i])`, stay as they are.
[[nodiscard]] std::string without_repeated_reads(std::string const& assembly);

}  // namespace upsweep::lab::source
