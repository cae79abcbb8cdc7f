/// The connection of ranks: processes or threads of which each has a piece of an array.
#pragma once

#include <upsweep/call/executor.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace upsweep {

/// The connection of ranks. All ranks make the same calls in the same order. A rank without memory
/// for the bytes that arrive drops them and throws std::bad_alloc, so the others do not wait for
/// it. After any other exception the connection counts as broken, and the call on this rank ends
/// with it.
template <class C>
concept communicator = requires(C const& c, int other, std::vector<std::byte> const& bytes) {
  { c.rank() } -> std::same_as<int>;  ///< 0 <= rank() < size()
  { c.size() } -> std::same_as<int>;
  /// Sends bytes to another rank, which makes the same call, and returns the bytes that it sends.
  { c.exchange(other, bytes) } -> std::same_as<std::vector<std::byte>>;
  /// Returns the bytes of rank `other` on every rank.
  { c.broadcast(other, bytes) } -> std::same_as<std::vector<std::byte>>;
};

/// An executor for calls over pieces: all ranks of a communicator, each with its own executor.
template <communicator C, executor E>
struct ranks {
  C connection;
  E on;

  explicit ranks(C all, E each) : connection(std::move(all)), on(std::move(each)) {}
};

/// The results that one rank has stored: `count` results, which are those from number `begin` on of
/// the `total` results of all ranks.
struct result_piece {
  std::size_t count = 0, begin = 0, total = 0;
  friend bool operator==(result_piece const&, result_piece const&) = default;
};

namespace detail {

/// The most bytes that travel at once, so that a rank can take them without memory of the heap.
inline constexpr std::size_t bytes_at_once = 16384;

/// Bytes that arrive part by part, and are dropped if there is no memory for them.
class arriving_bytes {
 public:
  explicit arriving_bytes(std::uint64_t size) : size_(size) {
    try {
      bytes_.resize(static_cast<std::size_t>(size));
    } catch (...) {
      is_lost_ = true;
    }
  }
  /// Where part [begin, begin + count_at(begin)) goes.
  [[nodiscard]] std::byte* to(std::uint64_t begin) {
    return is_lost_ ? dropped_.data() : bytes_.data() + at_most(begin, size_);
  }
  [[nodiscard]] std::size_t count_at(std::uint64_t begin) const {
    return static_cast<std::size_t>(at_most(size_ - at_most(begin, size_), bytes_at_once));
  }
  [[nodiscard]] std::vector<std::byte> take() && {
    if (is_lost_) throw std::bad_alloc();
    return std::move(bytes_);
  }

 private:
  static std::uint64_t at_most(std::uint64_t a, std::uint64_t b) { return std::min(a, b); }

  std::uint64_t size_;
  std::vector<std::byte> bytes_{};
  bool is_lost_ = false;
  std::array<std::byte, bytes_at_once> dropped_;  // NOLINT: not cleared, as nobody reads it
};

/// communicator::exchange() by swap(out, out_count, in, in_count), which exchanges at most
/// bytes_at_once bytes in either direction.
template <class Swap>
[[nodiscard]] std::vector<std::byte> exchange_in_parts(std::vector<std::byte> const& bytes,
                                                       Swap const& swap) {
  std::uint64_t const out = bytes.size();
  std::uint64_t in = 0;
  swap(&out, sizeof out, &in, sizeof in);
  arriving_bytes received(in);
  for (std::uint64_t begin = 0; begin < std::max(out, in); begin += bytes_at_once) {
    std::uint64_t const from = std::min(begin, out);
    auto const count = static_cast<std::size_t>(std::min<std::uint64_t>(out - from, bytes_at_once));
    swap(bytes.data() + from, count, received.to(begin), received.count_at(begin));
  }
  return std::move(received).take();
}
/// communicator::broadcast() by tell(bytes, count), which on the rank that `tells` gives at most
/// bytes_at_once bytes, and on the others gets them.
template <class Tell>
[[nodiscard]] std::vector<std::byte> broadcast_in_parts(std::vector<std::byte> const& bytes,
                                                        bool tells, Tell const& tell) {
  std::uint64_t size = bytes.size();
  tell(&size, sizeof size);
  arriving_bytes all(size);
  for (std::uint64_t begin = 0; begin < size; begin += bytes_at_once) {
    std::size_t const count = all.count_at(begin);
    std::byte* const part = all.to(begin);
    if (tells) std::copy_n(bytes.data() + begin, count, part);
    tell(part, count);
  }
  return std::move(all).take();
}

}  // namespace detail

}  // namespace upsweep
