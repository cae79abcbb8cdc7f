/// The entries of each family of operators, in one source file each so that they compile in
/// parallel.
/// Private to the library.
#pragma once

#include <upsweep/dynamic/run.hpp>

namespace upsweep::dynamic {

std::span<call_entry const> affine_entries();
std::span<call_entry const> arg_extrema_entries();
std::span<call_entry const> arithmetic_entries();
std::span<call_entry const> bitwise_entries();
std::span<call_entry const> checked_entries();
std::span<call_entry const> exact_sum_entries();
std::span<call_entry const> gcd_entries();
std::span<call_entry const> logical_entries();
std::span<call_entry const> min_max_entries();

}  // namespace upsweep::dynamic
