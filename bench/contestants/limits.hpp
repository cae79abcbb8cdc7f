/// Upper bounds for the speed of reductions and scans on this machine: loops that only read, copy
/// or update memory.
#pragma once

#include <bench/harness/team.hpp>

#include <cstddef>

namespace upsweep::bench {

/// The sum of the 64-bit words at `in`, in four accumulators of the widest vectors of the machine.
/// `bytes` is a multiple of 8.
[[nodiscard]] unsigned long long read_loop(void const* in, std::size_t bytes);

/// Copies with ordinary stores (memcpy).
void cached_copy(void const* in, void* out, std::size_t bytes);

/// Copies with non-temporal stores, if the CPU has them. Both addresses and `bytes` are
/// multiples of 16.
void streaming_copy(void const* in, void* out, std::size_t bytes);

/// Adds one to every 64-bit word in place: each byte is read and written once.
void update_loop(void* data, std::size_t bytes);

/// The same four by all members of a team, each on its share.
void read_loop(team& t, void const* in, std::size_t bytes);
void cached_copy(team& t, void const* in, void* out, std::size_t bytes);
void streaming_copy(team& t, void const* in, void* out, std::size_t bytes);
void update_loop(team& t, void* data, std::size_t bytes);

}  // namespace upsweep::bench
