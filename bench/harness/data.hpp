/// The memory that calls are timed on, what stands in it, and how a result is compared without
/// keeping a second copy of it.
#pragma once

#include <bench/harness/slots.hpp>
#include <bench/harness/team.hpp>
#include <bench/harness/work.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::bench {

/// One block of memory for the inputs and outputs of every row, taken once, in huge pages where the
/// system has them, so that neither page faults nor missing TLB entries are timed.
class arena {
 public:
  /// Reserves `bytes`; throws std::bad_alloc when the system refuses.
  explicit arena(std::size_t bytes);
  ~arena();
  arena(arena const&) = delete;
  arena& operator=(arena const&) = delete;

  /// Lays the memory out for calls of `w` on n elements. With `cold`, there are as many disjoint
  /// pairs of input and output as it takes to cover four times the largest cache, at least two (one
  /// where memory is short); otherwise one.
  [[nodiscard]] slots lay_out(work const& w, std::size_t n, bool cold,
                              std::size_t cache_bytes) const;

  [[nodiscard]] std::size_t size() const { return bytes_; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The input of a row: one block of 2^16 pseudo-random elements again and again. All values are
/// small integers, and the block's total is small, so that every partial result of a sum or of
/// affine maps is an integer below 2^24: floating-point additions are exact, every order of them
/// gives the same bits, and each competitor can be held to exactly those. The input of exact_sum is
/// different: element n-1-i is minus element i, over 60 binary orders of magnitude, except for one
/// element more, `exact_total` (for n >= 2).
void fill(team& t, work const& w, void* in, std::size_t n);
inline constexpr double exact_total = 0.1;

/// The block that fill() repeats, for competitors in other processes.
inline constexpr std::size_t pattern_elements = std::size_t{1} << 16;
void pattern(work const& w, void* block);

/// Overwrites with bytes that no result consists of.
void poison(team& t, void* out, std::size_t bytes);

/// Sum over i of word[i] * (2 i + 1) modulo 2^64, where the words have 4 or 8 bytes: differs for
/// any two results that differ in one place, and for nearly all others.
[[nodiscard]] std::uint64_t checksum(team& t, void const* data, std::size_t words,
                                     std::size_t word_bytes);

/// Writes the result of `w` to `out` by the plainest serial loop; the definition that competitors
/// are compared with.
void reference(work const& w, void const* in, void* out, std::size_t n);

/// Bytes of the one value that a reduction writes: integer sums are 64 bits wide.
[[nodiscard]] std::size_t result_bytes(work const& w);

/// The checksum of what a call of `w` left at `out`.
[[nodiscard]] std::uint64_t checksum_of_result(team& t, work const& w, void const* out,
                                               std::size_t n);

}  // namespace upsweep::bench
