/// The speeds that no reduction or scan can pass on this machine: reading, copying and updating
/// memory as fast as it goes.
#pragma once

#include <bench/harness/team.hpp>

#include <cstddef>

namespace upsweep::bench {

/// The sum of the bytes at `in` taken as 64-bit words: eight vertical accumulators of vectors as
/// wide as the machine has. `bytes` is a multiple of 8.
[[nodiscard]] unsigned long long read_loop(void const* in, std::size_t bytes);

/// Copies with ordinary stores (memcpy).
void cached_copy(void const* in, void* out, std::size_t bytes);

/// Copies with stores that pass the caches by, where the processor has them. Both ends are
/// multiples of 16 bytes.
void streaming_copy(void const* in, void* out, std::size_t bytes);

/// Adds one to every 64-bit word: each byte is read and written once, in place.
void update_loop(void* data, std::size_t bytes);

/// The same four by all members of a team, each on its own share.
void read_loop(team& t, void const* in, std::size_t bytes);
void cached_copy(team& t, void const* in, void* out, std::size_t bytes);
void streaming_copy(team& t, void const* in, void* out, std::size_t bytes);
void update_loop(team& t, void* data, std::size_t bytes);

}  // namespace upsweep::bench
