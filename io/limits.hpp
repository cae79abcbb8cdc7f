/// How much is held, read and handed out at a time.
#pragma once

#include <chrono>
#include <cstddef>

namespace upsweep::io {

#ifdef UPSWEEP_SMALL_LIMITS
// For the fuzzers: every boundary lies where a few bytes reach it.
inline constexpr std::size_t chunk_bytes = 64;
inline constexpr std::size_t mapped_chunk_bytes = 256;
inline constexpr std::size_t first_buffer = 256;
inline constexpr std::size_t least_read = 32;
inline constexpr std::size_t longest_record = 1024;
inline constexpr std::size_t piece_bytes = 64;
#else
/// Values of one chunk that had to be copied: enough to amortise a call, small enough for the
/// second-level cache.
inline constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
/// Values of one chunk that stay where they are mapped; larger, since they take no memory, so that
/// all cores have work.
inline constexpr std::size_t mapped_chunk_bytes = std::size_t{1} << 24;
/// The window on a stream, which grows only for a longer record.
inline constexpr std::size_t first_buffer = std::size_t{1} << 20;
/// What a Linux pipe holds; no read asks for less.
inline constexpr std::size_t least_read = std::size_t{1} << 16;
/// No record may be longer: a quote that is never closed, or a binary file taken for text, must not
/// fill the memory.
inline constexpr std::size_t longest_record = std::size_t{1} << 24;
/// Text that one thread parses at a time: long beside the cost of starting it, short enough for its
/// values to stay in the cache.
inline constexpr std::size_t piece_bytes = std::size_t{1} << 19;
#endif

/// Pieces at hand at a time: two for each thread, so that one that is held up does not hold up the
/// others, but no more than this, since they take memory.
inline constexpr std::size_t most_pieces = 8;
/// What is gathered of a stream before it is parsed.
inline constexpr std::size_t stream_bytes = 4 * piece_bytes;

/// How long more of a stream is waited for once something is there: for a batch that keeps all
/// threads busy, and for a sample that shows the types. Nobody sees it.
inline constexpr std::chrono::milliseconds batch_patience{10};
inline constexpr std::chrono::milliseconds sample_patience{20};

/// How much of a stream is read before the type of its columns is decided.
inline constexpr std::size_t sample_bytes = std::size_t{1} << 20;

}  // namespace upsweep::io
