/// The memory of the timed calls, its content, and the comparison of results by checksum, without a
/// second copy.
#pragma once

#include <bench/harness/team.hpp>
#include <bench/rows/work.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace upsweep::bench {

// Inputs and outputs in host or GPU memory, which calls use in rotation.

/// The memory of one cell. All competitors share one rotation, so that with enough slots no call
/// finds another call's data in a cache.
struct slots {
  std::byte* first_in = nullptr;
  std::byte* first_out = nullptr;  ///< the input if the work is in place
  std::size_t in_stride = 0, out_stride = 0, count = 1, next = 0;

  [[nodiscard]] std::byte* in(std::size_t slot) const { return first_in + slot * in_stride; }
  [[nodiscard]] std::byte* out(std::size_t slot) const { return first_out + slot * out_stride; }
  [[nodiscard]] std::pair<std::byte*, std::byte*> take() {
    std::size_t const slot = next++ % count;
    return {in(slot), out(slot)};
  }
  /// The first slot only: calls find the previous call's data in the caches.
  [[nodiscard]] slots one() const { return {first_in, first_out, in_stride, out_stride, 1, 0}; }
};

/// One block of memory for the inputs and outputs of all cells. It is allocated once, in huge pages
/// if the system has them, so that neither page faults nor TLB misses are timed.
class arena {
 public:
  /// Allocates `bytes`; throws std::bad_alloc.
  explicit arena(std::size_t bytes);
  ~arena();
  arena(arena const&) = delete;
  arena& operator=(arena const&) = delete;

  /// Lays the memory out for calls of `w` on n elements. With `cold`, there are enough disjoint
  /// pairs of input and output to cover four times the largest cache, at least two (one if memory
  /// is short). Otherwise there is one.
  [[nodiscard]] slots lay_out(work const& w, std::size_t n, bool cold,
                              std::size_t cache_bytes) const;

  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] std::byte* first() const { return memory_; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Fills the input of a cell: a block of 2^16 pseudo-random elements, repeated. All values are
/// small integers, and the block's total is small, so every partial result of a sum or of affine
/// maps is an integer below 2^24. Floating-point additions are therefore exact, every order gives
/// the same bits, and all competitors must agree bit for bit. The input of exact_sum is different:
/// element n-1-i is minus element i, over 60 binary orders of magnitude, plus one extra element,
/// `exact_total` (for n >= 2).
void fill(team& t, work const& w, void* in, std::size_t n);
inline constexpr double exact_total = 0.1;

/// The length of the block that fill() repeats; competitors in other processes need it.
inline constexpr std::size_t pattern_elements = std::size_t{1} << 16;
void pattern(work const& w, void* block);

/// Overwrites the output with bytes that no result has.
void poison(team& t, void* out, std::size_t bytes);

/// Sum over i of word[i] * (2 i + 1) modulo 2^64, for words of 1, 2, 4 or 8 bytes. It differs for
/// any two results that differ in one word, and for nearly all others.
[[nodiscard]] std::uint64_t checksum(team& t, void const* data, std::size_t words,
                                     std::size_t word_bytes);

/// Writes the result of `w` to `out` with a plain serial loop: the reference for all competitors.
void reference(work const& w, void const* in, void* out, std::size_t n);

/// The checksum of the result of a call of `w` at `out`.
[[nodiscard]] std::uint64_t checksum_of_result(team& t, work const& w, void const* out,
                                               std::size_t n);

}  // namespace upsweep::bench
