/// Totals of blocks of numbers, level by level in vector registers, for operators and functions of
/// the user's. Compilers vectorize an operator that is arithmetic, but not the tree's levels: they
/// store each of them.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/host/block_kernels.hpp>
#include <upsweep/host/convert.hpp>
#include <upsweep/host/registers.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// log2 of the numbers in the largest block.
inline constexpr int largest_register_log2 = 12;
/// The same of a scan, so that its elements, nodes and results stay in L1, and of its smallest one.
template <class A>
inline constexpr int largest_scan_log2 = sizeof(A) == 4 ? 10 : 9;
template <class A>
inline constexpr int least_scan_log2 = sizeof(A) == 4 ? 8 : 7;

#ifdef UPSWEEP_AVX512
namespace register_levels {
using detail::floor_log2;

/// The lanes of two registers, one after the other, that a level combines. In order, the nodes are
/// in the order of the elements.
template <int lanes>
struct in_order {
  static constexpr int left(int lane) { return 2 * lane; }
  static constexpr int right(int lane) { return 2 * lane + 1; }
};
/// One instruction each with AVX2 too. The nodes are in order when as many registers as one has
/// lanes have become one.
template <int level, int lanes, int bytes>
struct by_lane {
  static constexpr bool inside_16_bytes = bytes == 4 && level < 2;
  static constexpr int distance = inside_16_bytes ? 1 : 1 << level;

  static constexpr int left(int lane) {
    if (inside_16_bytes) return (lane & 2 ? lanes : 0) + (lane & ~3) + 2 * (lane & 1);
    return lane & distance ? lane - distance + lanes : lane;
  }
  static constexpr int right(int lane) { return left(lane) + distance; }
};
/// Where a lane of two registers stands among the left children and then the right ones.
template <class Operands, int lanes>
constexpr int child(int lane) {
  int j = 0;
  while ((j < lanes ? Operands::left(j) : Operands::right(j - lanes)) != lane) ++j;
  return j;
}

#define UPSWEEP_REGISTER_INLINE UPSWEEP_INLINED UPSWEEP_REGISTER_TARGET

namespace avx2 {
#define UPSWEEP_REGISTER_BYTES 32
#define UPSWEEP_REGISTER_TARGET UPSWEEP_AVX2
#include <upsweep/host/register_levels.inl>
#include <upsweep/host/register_scans.inl>
#undef UPSWEEP_REGISTER_BYTES
#undef UPSWEEP_REGISTER_TARGET
}  // namespace avx2

namespace avx512 {
#define UPSWEEP_REGISTER_BYTES 64
#define UPSWEEP_REGISTER_TARGET UPSWEEP_AVX512
#include <upsweep/host/register_levels.inl>
#include <upsweep/host/register_scans.inl>
#undef UPSWEEP_REGISTER_BYTES
#undef UPSWEEP_REGISTER_TARGET
}  // namespace avx512

#undef UPSWEEP_REGISTER_INLINE
}  // namespace register_levels
#endif

/// True for accumulators that may be combined in registers.
template <class A>
inline constexpr bool fits_registers =
#ifdef UPSWEEP_AVX512
    std::is_same_v<A, float> || std::is_same_v<A, double> ||
    (std::is_integral_v<A> && (sizeof(A) == 4 || sizeof(A) == 8) && !std::is_same_v<A, wchar_t> &&
     !std::is_same_v<A, char32_t>);
#else
    false;
#endif

/// Whether a block of 2^k of such accumulators is combined in registers on this processor.
template <class A>
[[nodiscard]] bool combines_in_registers(int k) {
  return k >= (sizeof(A) == 4 ? 6 : 4) && k <= largest_register_log2 &&
         widest_registers() != registers::any;
}

/// The elements of a block of `in`.
template <class Source>
class block_elements {
  using A = typename Source::accumulator;

 public:
  block_elements(Source const& in, std::size_t position) : in_(in), position_(position) {}

  /// Those from number i on; prefetches `count` that come some distance later.
  template <std::size_t count>
  UPSWEEP_INLINED auto from(std::size_t i) const {
    prefetcher<static_cast<int>(count), Source>{in_, pays_}(position_ + i);
    if constexpr (is_memory)
      return in_.pointer(position_ + i);
    else
      return elements_from(in_, position_ + i);
  }

 private:
  static constexpr bool is_memory = [] {
    if constexpr (is_memory_of<Source, A>)
      return !detail::has_lift<typename Source::operation, A const&>;
    else
      return false;
  }();

  Source const& in_;
  std::size_t const position_;
  bool const pays_ = gains_from_prefetching();
};

/// The total of the block of 2^k elements at `position`, if combines_in_registers(k).
template <class Source, class Op>
typename Source::accumulator total_in_registers(Source const& in, std::size_t position, int k,
                                                Op const& op) {
#ifdef UPSWEEP_AVX512
  using A = typename Source::accumulator;
  block_elements<Source> const elements(in, position);
  std::size_t const n = std::size_t{1} << k;
  if (n >= register_levels::avx512::in_register<A>::step && widest_registers() == registers::avx512)
    return register_levels::avx512::total<A>(elements, n, op);
  return register_levels::avx2::total<A>(elements, n, op);
#else
  return (void)k, (void)op, in(position);  // never called
#endif
}

/// Whether a block of 2^k of a scan may be combined in registers on this processor.
template <class A>
[[nodiscard]] bool fits_scan_registers(int k) {
  return k >= least_scan_log2<A> && k <= largest_scan_log2<A> && combines_in_registers<A>(k);
}

#ifdef UPSWEEP_AVX512
/// The total of 2^k elements of a scan, if fits_scan_registers(k). Keeps the left children of all
/// nodes, as down_in_registers() wants them, at `left`.
template <class A, class Elements, class Op>
[[nodiscard]] A up_in_registers(Elements const& elements, A* left, int k, Op const& op) {
  std::size_t const n = std::size_t{1} << k;
  if (widest_registers() == registers::avx512)
    return register_levels::avx512::ascend(elements, left, n, op);
  return register_levels::avx2::ascend(elements, left, n, op);
}
/// Stores the results of these elements, when the operator has been applied to some of them.
/// `before` is the prefix before them (null at position 0, whose exclusive result is not
/// specified), `after` that at their end.
template <scan_kind kind, class A, class Op>
void down_in_registers(A const* left, A const* before, A const& after, A* results, Op const& op,
                       int k) {
  std::size_t const n = std::size_t{1} << k;
  if (widest_registers() == registers::avx512)
    register_levels::avx512::descend<kind>(left, n, before, after, results, op);
  else
    register_levels::avx2::descend<kind>(left, n, before, after, results, op);
}
#endif

}  // namespace upsweep::host
