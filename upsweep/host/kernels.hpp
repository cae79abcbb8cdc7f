/// Loops that the library brings compiled for the widest registers of each processor: the `kernels`
/// of its executors.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/host/layouts.hpp>
#include <upsweep/host/offsets.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/host/simd/even_bins.hpp>
#include <upsweep/host/simd/segment_scans.hpp>
#include <upsweep/host/simd/segment_sums.hpp>
#include <upsweep/host/simd/window_totals.hpp>
#include <upsweep/host/sort_keys.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::host {

/// Whether short segments of `Source` are summed many at a time.
template <class Source>
inline constexpr bool sums_in_lanes = [] {
  using T = typename Source::element;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return Source::plain && std::is_same_v<typename Source::operation, plus>;
  else
    return false;
}();
/// Whether short segments of `Source` are scanned many at a time.
template <class Source, class Sink>
inline constexpr bool scans_in_lanes =
    sums_in_lanes<Source> && Sink::plain &&
    std::is_same_v<typename Source::element, typename Sink::element>;

struct kernels : simd::window_kernels {
  /// Whether offsets[begin] <= ... <= offsets[end], none of which is negative.
  template <class T>
    requires(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8))
  static bool offsets_ascend(T const* offsets, std::size_t begin, std::size_t end) {
    if constexpr (sizeof(T) == 8)
      return host::offsets_ascend(reinterpret_cast<std::uint64_t const*>(offsets), begin, end);
    else if constexpr (std::is_signed_v<T>)
      return host::offsets_ascend(reinterpret_cast<std::int32_t const*>(offsets), begin, end);
    else
      return host::offsets_ascend(reinterpret_cast<std::uint32_t const*>(offsets), begin, end);
  }
  /// Sets totals[k] to prefix(at[k + 1] - at[k]) of the elements from begin + at[k] on, for the
  /// first segments of k in [0, count), and returns how many they are. An empty segment's total is
  /// the identity.
  template <class Source>
    requires sums_in_lanes<Source>
  static std::size_t sum_segments(Source const& x, std::size_t begin, std::uint32_t const* at,
                                  std::size_t count, typename Source::accumulator* totals) {
    return simd::sum_segments(x.pointer(begin), at, count, totals);
  }
  /// Does the scan `c` of each segment of the elements from begin + at[k] to begin + at[k + 1], for
  /// the first segments of k in [0, count), and returns how many they are. c.in and `out` are
  /// whole; `out` may be the input.
  template <scan_kind kind, class Call, class Sink>
    requires scans_in_lanes<typename Call::source, Sink>
  static std::size_t scan_segments(Call const& c, std::size_t begin, std::uint32_t const* at,
                                   std::size_t count, Sink const& out) {
    require_the_same_layouts<Call>();
    auto const* const first = kind == scan_kind::exclusive ? c.first : nullptr;
    return simd::scan_segments({c.in.pointer(begin), at, count, c.initial, first},
                               out.pointer(begin));
  }
  /// Stores in which even bin each of n elements lies, as bin_search does.
  template <class T>
  static void find_even_bins(T const* x, std::size_t n, detail::even_line const& line,
                             std::uint32_t* to) {
    require_the_same_layouts<T>();
    simd::find_even_bins(x, n, line, to);
  }
  /// f() compiled for AVX2 where the CPU has it.
  template <class F>
  static void in_wide_registers(F const& f) {
    in_widest_registers<registers::avx2>(f);
  }
  /// Sorts unsigned integers of 16, 32 or 64 bits on the calling thread.
  template <class Key>
  static void sort_keys(Key* first, std::size_t n) {
    host::sort_keys(first, n);
  }
  /// Stores map(from[i]) in to[i]; `to` may be `from`.
  template <class Key>
  static void map_keys(Key const* from, std::size_t n, Key* to, detail::key_map<Key> map) {
    require_the_same_layouts<Key>();
    host::map_keys(from, n, to, map);
  }
};

}  // namespace upsweep::host
