/// Upsweep's calls with a user's operator in a large source file.
#pragma once

#include <bench/harness/competitor.hpp>

#include <span>

namespace upsweep::bench {

/// The calls of operation::user_in_large_file.
[[nodiscard]] run_function find_user_in_large_file(work const& w);

/// The other calls of that file.
float other_calls(std::span<float const> x, std::span<float const> y, std::span<float> out);

}  // namespace upsweep::bench
