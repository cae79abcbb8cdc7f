/// The totals of the logical operators. Numbers are the lanes of 64-bit words; the top bit of a
/// lane tells whether the number there is not 0.
#include <upsweep/host/block_kernels.hpp>
#include <upsweep/host/registers.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace upsweep::host {
namespace {

using word = std::uint64_t;
using words [[gnu::vector_size(64)]] = word;

template <logical what, bool are_floats>
class total_of_lanes {
 public:
  total_of_lanes(std::byte const* x, std::size_t bytes, std::size_t bytes_of_number)
      : x_(x), bytes_(bytes), top_bits_(every_lane(bytes_of_number) << (8 * bytes_of_number - 1)) {}

  [[nodiscard]] bool run() const {
    return in_widest_registers<registers::avx2>([this]() UPSWEEP_INLINED { return total(); });
  }

 private:
  static word every_lane(std::size_t size) { return ~word{0} / (~word{0} >> (64 - 8 * size)); }

  [[gnu::always_inline]] bool total() const {
    constexpr std::size_t step = 8 * sizeof(words);
    word lanes = none();
    std::size_t i = 0;
    for (; i + step <= bytes_ && !is_final(lanes); i += step) {
      words many = none() - words{};
      for (std::size_t j = 0; j < step; j += sizeof many) add(many, i + j);
      for (int j = 0; j < 8; ++j) combine(lanes, many[j]);
    }
    for (; i < bytes_ && !is_final(lanes); i += sizeof(word)) add(lanes, i);
    return what == logical::all   ? lanes == top_bits_
           : what == logical::any ? lanes != 0
                                  : std::popcount(lanes) % 2 != 0;
  }
  [[gnu::always_inline]] word none() const { return what == logical::all ? top_bits_ : 0; }
  [[gnu::always_inline]] bool is_final(word lanes) const {
    return what != logical::parity && lanes != none();
  }

  template <class W>
  [[gnu::always_inline]] void add(W& lanes, std::size_t i) const {
    W w;
    std::memcpy(&w, x_ + i, sizeof w);
    // The sum of the other bits and their maximum carries into the top bit unless they are 0. The
    // top bit of a float is its sign.
    W const carried = (w & ~top_bits_) + ~top_bits_;
    combine(lanes, (are_floats ? carried : carried | w) & top_bits_);
  }
  template <class W>
  [[gnu::always_inline]] static void combine(W& lanes, W const& later) {
    if constexpr (what == logical::all)
      lanes &= later;
    else if constexpr (what == logical::any)
      lanes |= later;
    else
      lanes ^= later;
  }

  std::byte const* x_;
  std::size_t bytes_;
  word top_bits_;
};

template <bool are_floats>
bool total(logical what, std::byte const* x, std::size_t bytes, std::size_t size) {
  switch (what) {
    case logical::all:
      return total_of_lanes<logical::all, are_floats>(x, bytes, size).run();
    case logical::any:
      return total_of_lanes<logical::any, are_floats>(x, bytes, size).run();
    case logical::parity:
      return total_of_lanes<logical::parity, are_floats>(x, bytes, size).run();
  }
  return false;
}

}  // namespace

bool logical_total(logical what, void const* x, std::size_t bytes, std::size_t bytes_of_number,
                   bool are_floats) {
  auto const* const from = static_cast<std::byte const*>(x);
  return are_floats ? total<true>(what, from, bytes, bytes_of_number)
                    : total<false>(what, from, bytes, bytes_of_number);
}

}  // namespace upsweep::host
