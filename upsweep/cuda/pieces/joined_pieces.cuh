/// What a rank on a GPU tells the other ranks of a call: the size of its piece, and its totals.
#pragma once

#include <upsweep/cuda/pieces/nccl_communicator.cuh>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/ranks/call.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace upsweep::device {

/// Whether totals of pieces stay on the GPUs. Others go through the host, as on any communicator.
template <class Op, class A>
inline constexpr bool joins_on_device =
    std::is_trivially_copyable_v<A> && std::is_default_constructible_v<A> && sizeof(A) <= 64 &&
    !refuses<Op, A> && !is_recurrence<Op> && !std::is_same_v<Op, exact_sum>;

/// What a rank tells before its totals: the size of its piece and its call.
struct words_of_rank {
  std::uint64_t size, call;
};
inline constexpr std::size_t bytes_of_words = sizeof(words_of_rank);
inline constexpr words_of_rank words_of_failed{~std::uint64_t{0}, 0};

/// Those of all ranks, at the end of the memory of a call.
[[nodiscard]] inline words_of_rank* words_in(ranks<nccl, gpu> const& all, std::byte* memory) {
  return reinterpret_cast<words_of_rank*>(memory + all.connection.exchanged_bytes()) -
         all.connection.size();
}
/// Tells the others the words of this rank, unless all ranks know the sizes.
inline void tell_words(ranks<nccl, gpu> const& all, std::byte* memory, words_of_rank const& mine) {
  if (!all.connection.sizes().empty() || memory == nullptr) return;
  words_of_rank* const words = words_in(all, memory);
  check_cuda(cudaMemcpyAsync(words + all.connection.rank(), &mine, sizeof mine, cudaMemcpyDefault,
                             stream_of(all.on)),
             "copy the size of a piece");
  all.connection.gather(words, sizeof mine, all.on.stream);
}
/// Throws if a rank has failed, or makes another call than the rank before it.
inline void expect_same_calls(std::uint64_t const* words, std::size_t ranks) {
  for (std::size_t r = 0; r < ranks; ++r)
    if (words[2 * r] == words_of_failed.size)
      detail::fail("nccl: rank %zu of %zu failed before the exchange", r, ranks);
  for (std::size_t r = 1; r < ranks; ++r) {
    detail::call_of_ranks const first(words[2 * r - 1]), second(words[2 * r + 1]);
    if (first == second) continue;
    char sentence[512];
    first.describe_difference(second, static_cast<int>(r - 1), static_cast<int>(r), sentence,
                              sizeof sentence);
    detail::fail(sentence);
  }
}

/// One rank in a call over the pieces of all ranks: the totals of the pieces, in device memory.
template <class T, class Op>
class joined_pieces {
 public:
  using A = accumulator_t<Op, T>;
  using parts = typename accumulator_in_kernels<A>::type;

  joined_pieces(ranks<nccl, gpu> const& all, std::span<T const> piece, Op const& op)
      : all_(&all), piece_(piece), op_(&op), memory_(all.connection.memory(all.on.stream)) {
    if (memory_ != nullptr) return;
    own_ = stream_memory::uncleared(all.on.stream, all.connection.exchanged_bytes());
    memory_ = static_cast<std::byte*>(own_.data());
  }

  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t size() const { return size_; }  ///< of all pieces

  /// The elements of this rank, at their position.
  [[nodiscard]] auto source_of_piece() const {
    static constexpr detail::as_is f;
    return source<T const*, detail::as_is, Op, false>(piece_.data(), piece_.size(), f, *op_,
                                                      begin_);
  }
  /// Tells the others the size of this piece and the call.
  void tell(detail::call_of_ranks const& call) const {
    tell_words(*all_, memory_, {piece_.size(), call.bits()});
  }
  /// Learns where this piece lies. Waits for the sizes unless the communicator knows them. Throws
  /// on all ranks if one has failed or makes another call; it allocates nothing before.
  void learn_sizes() {
    std::span<std::size_t const> const known = connection().sizes();
    std::uint64_t* const told = connection().words_of_ranks();
    auto const count = static_cast<std::size_t>(connection().size()),
               own = static_cast<std::size_t>(connection().rank());
    if (known.empty()) {
      check_cuda(cudaMemcpyAsync(told, words_in(*all_, memory_), count * bytes_of_words,
                                 cudaMemcpyDefault, stream()),
                 "copy the sizes of pieces");
      check_cuda(cudaStreamSynchronize(stream()), "exchange the sizes of pieces");
      expect_same_calls(told, count);
    }
    for (std::size_t r = 0; r < count; ++r) {
      std::size_t const size = known.empty() ? static_cast<std::size_t>(told[2 * r]) : known[r];
      if (r < own) begin_ += size;
      size_ += size;
    }
    if (!known.empty() && known[own] != piece_.size())
      detail::fail("nccl: this rank's piece has %zu elements, but its announced size is %zu",
                   piece_.size(), known[own]);
  }
  /// Reduces the piece.
  void reduce(bool scan_follows) const {
    enqueue_block_totals(all_->on, source_of_piece(), piece_.size(), *op_, begin_,
                         pieces() + connection().rank(), scan_follows);
  }
  /// Gathers the totals of all pieces.
  void gather() const { connection().gather(pieces(), sizeof(piece_totals<parts>), stream()); }
  /// The same of a rank that has failed: what it sends instead of its totals.
  static void gather_failure(ranks<nccl, gpu> const& all) {
    std::byte* const memory = all.connection.memory(all.on.stream);
    if (memory == nullptr) return;  // the call is captured, and never runs
    auto* const pieces = reinterpret_cast<piece_totals<parts>*>(memory);
    auto const& borders = piece_totals<parts>::borders_of_failed;
    check_cuda(cudaMemcpyAsync(pieces + all.connection.rank(), borders, sizeof borders,
                               cudaMemcpyDefault, stream_of(all.on)),
               "report a failed rank");
    all.connection.gather(pieces, sizeof(piece_totals<parts>), all.on.stream);
  }

  /// Stores the carry after the pieces of the first `count` ranks, and their total in *total.
  void join(int count, A* total) const {
    enqueue_join(all_->on, pieces(), static_cast<unsigned>(count),
                 reinterpret_cast<parts*>(carry()), reinterpret_cast<parts*>(total), *op_,
                 connection().failures());
  }
  /// The carry after the pieces before this one. Every rank looks whether one has failed.
  [[nodiscard]] device_carry<A> join_before() const {
    if (size_ > 0) join(connection().rank(), carry() + carry_prefix);
    return {stream_memory::borrowed(stream(), carry(), device_carry<A>::bytes), begin_};
  }

 private:
  [[nodiscard]] nccl const& connection() const { return all_->connection; }
  [[nodiscard]] CUstream_st* stream() const { return stream_of(all_->on); }
  [[nodiscard]] piece_totals<parts>* pieces() const {
    return reinterpret_cast<piece_totals<parts>*>(memory_);
  }
  [[nodiscard]] A* carry() const { return reinterpret_cast<A*>(pieces() + connection().size()); }
  ranks<nccl, gpu> const* all_;
  std::span<T const> piece_;
  Op const* op_;
  std::size_t begin_ = 0, size_ = 0;
  std::byte* memory_;  // totals of the pieces, a carry, and at its end the words of all ranks
  stream_memory own_;
};

}  // namespace upsweep::device
