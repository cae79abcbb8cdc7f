/// The entries of each family of operators, in one source file each so that they compile in
/// parallel.
/// Private to the library.
#pragma once

#include <upsweep/dynamic/run.hpp>

namespace upsweep::dynamic {

std::span<entry const> affine_entries();
std::span<entry const> arg_extrema_entries();
std::span<entry const> arithmetic_entries();
std::span<entry const> bitwise_entries();
std::span<entry const> checked_entries();
std::span<entry const> exact_sum_entries();
std::span<entry const> gcd_entries();
std::span<entry const> logical_entries();
std::span<entry const> min_max_entries();

}  // namespace upsweep::dynamic
