/// Sizes of buffers, reads and chunks.
#pragma once

#include <chrono>
#include <cstddef>

namespace upsweep::io {

/// The usual limit; for the fuzzers one so small that short inputs reach it.
constexpr std::size_t limit([[maybe_unused]] std::size_t usual,
                            [[maybe_unused]] std::size_t small) {
#ifdef UPSWEEP_SMALL_LIMITS
  return small;
#else
  return usual;
#endif
}

/// Size of a chunk of copied values: enough to amortise a call, small enough for the second-level
/// cache.
inline constexpr std::size_t chunk_bytes = limit(1 << 20, 64);
/// Size of a chunk of mapped values. Larger, so that all cores have work; it takes no extra memory.
inline constexpr std::size_t mapped_chunk_bytes = limit(1 << 24, 256);
/// Initial window of a stream; it grows only for a longer record.
inline constexpr std::size_t first_buffer = limit(1 << 20, 256);
/// Capacity of a Linux pipe, and the smallest size passed to read().
inline constexpr std::size_t least_read = limit(1 << 16, 32);
/// Maximum length of a record, so that an unclosed quote, or a binary file read as text, cannot
/// exhaust the memory.
inline constexpr std::size_t longest_record = limit(1 << 24, 1024);
/// Text that one thread parses at a time: enough to amortise starting it, few enough for its values
/// to stay in the cache.
inline constexpr std::size_t piece_bytes = limit(1 << 19, 64);
/// Text whose separators are found at a time: their positions stay in the first-level cache.
inline constexpr std::size_t index_bytes = limit(1 << 14, 32);

/// Upper limit on the pieces of a batch, because they take memory. Up to this limit there are two
/// for each thread, so that one delayed thread does not delay the others.
inline constexpr std::size_t most_pieces = 8;
/// Amount of a stream that is collected before it is parsed.
inline constexpr std::size_t stream_bytes = 4 * piece_bytes;

/// How long to wait for more of a stream once some of it has arrived: for a batch that keeps all
/// threads busy, and for a sample that determines the types. Too short for a user to notice.
inline constexpr std::chrono::milliseconds batch_patience{10};
inline constexpr std::chrono::milliseconds sample_patience{20};

/// Amount of a stream that is read before the types of its columns are decided.
inline constexpr std::size_t sample_bytes = std::size_t{1} << 20;

}  // namespace upsweep::io
