/// Sizes of buffers, reads and chunks.
#pragma once

#include <chrono>
#include <cstddef>

namespace upsweep::io {

#ifdef UPSWEEP_SMALL_LIMITS
// For the fuzzers: limits so small that short inputs reach all of them.
inline constexpr std::size_t chunk_bytes = 64;
inline constexpr std::size_t mapped_chunk_bytes = 256;
inline constexpr std::size_t first_buffer = 256;
inline constexpr std::size_t least_read = 32;
inline constexpr std::size_t longest_record = 1024;
inline constexpr std::size_t piece_bytes = 64;
inline constexpr std::size_t index_bytes = 32;
#else
/// Size of a chunk of copied values: enough to amortise a call, small enough for the second-level
/// cache.
inline constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
/// Size of a chunk of mapped values. Larger, so that all cores have work; it takes no extra memory.
inline constexpr std::size_t mapped_chunk_bytes = std::size_t{1} << 24;
/// Initial window of a stream; it grows only for a longer record.
inline constexpr std::size_t first_buffer = std::size_t{1} << 20;
/// Capacity of a Linux pipe, and the smallest size passed to read().
inline constexpr std::size_t least_read = std::size_t{1} << 16;
/// Maximum length of a record, so that an unclosed quote, or a binary file read as text, cannot
/// exhaust the memory.
inline constexpr std::size_t longest_record = std::size_t{1} << 24;
/// Text that one thread parses at a time: enough to amortise starting it, few enough for its values
/// to stay in the cache.
inline constexpr std::size_t piece_bytes = std::size_t{1} << 19;
/// Text whose separators are found at a time: their positions stay in the first-level cache.
inline constexpr std::size_t index_bytes = std::size_t{1} << 14;
#endif

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
