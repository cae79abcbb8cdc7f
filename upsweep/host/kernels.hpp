/// Loops that the library brings compiled for the widest registers of each processor: the `kernels`
/// of its executors.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/call/call.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/host/any_engine.hpp>
#include <upsweep/host/compiled.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/host/simd/loops.hpp>
#include <upsweep/host/tiles.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>

namespace upsweep::host {

/// FNV-1a, a word at a time.
[[nodiscard]] constexpr std::uint64_t hash_of(std::initializer_list<std::uint64_t> words) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::uint64_t const word : words) hash = (hash ^ word) * 0x100000001b3;
  return hash;
}
/// Size, alignment, and what decides whether a call passes a value in registers.
template <class... T>
[[nodiscard]] constexpr std::uint64_t hash_of_layouts() {
  return hash_of({hash_of({sizeof(T), alignof(T), std::is_trivially_copyable_v<T>})...});
}

/// Of all types that cross the border between a program and the library. The members of plain
/// arrays of pointers and numbers of one size follow from the size.
inline constexpr std::uint64_t border_layouts = hash_of({
    hash_of_layouts<plan, workload, tickets, turns, shares, error, precondition_error,
                    overflow_error, std::optional<std::size_t>>(),
    hash_of_layouts<bfloat16, affine_map<float>, affine_map<double>, detail::moments_of,
                    detail::scaled_exponentials<float>, detail::scaled_exponentials<double>,
                    indexed<std::int8_t>, indexed<float>, indexed<double>,
                    detail::superaccumulator<float>, detail::superaccumulator<double>>(),
    hash_of_layouts<carry<float>, carry<double>, carry<std::int64_t>, carry<affine_map<double>>,
                    carry<detail::moments_of>>(),
    hash_of_layouts<compiled_reduce<plus, float>, compiled_scan<plus, float>,
                    compiled_block_scan<moments, double>, any_scan<float>, any_engine<float>,
                    any_totals<float>, any_operation<float>, split_array<double>,
                    split_block<detail::moments_of>, extremum_scan, detail::key_map<std::uint16_t>,
                    detail::key_map<std::uint64_t>, detail::even_line, simd::segment_scan<float>,
                    simd::recurrence_nodes<float>, simd::recurrence_kernel<float>>(),
    hash_of({offsetof(plan, threads), offsetof(plan, tile_log2), offsetof(plan, streamed),
             offsetof(plan, order), offsetof(plan, ahead), offsetof(plan, trial),
             offsetof(plan, wait_nanoseconds)}),
    hash_of({offsetof(workload, element_bytes), offsetof(workload, accumulator_bytes),
             offsetof(workload, in_place), offsetof(workload, one_thread),
             offsetof(workload, streams)}),
    hash_of({offsetof(detail::moments_of, mean), offsetof(detail::moments_of, m2),
             offsetof(indexed<std::int8_t>, index), offsetof(extremum_scan, kind),
             offsetof(extremum_scan, reversed), offsetof(detail::even_line, bins),
             offsetof(detail::even_line, margin), offsetof(split_block<detail::moments_of>, result),
             offsetof(split_block<detail::moments_of>, by_lanes)}),
});

/// The library defines the member for its own layouts, so the name of what a program of other
/// layouts misses says why.
template <std::uint64_t layouts>
struct UPSWEEP_API library_and_program_lay_out_types_alike {
  static char const or_their_compilers_or_flags_differ;
};

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
template <class>
struct layout_check {
  // Costs a program these 8 bytes, and a call nothing.
  [[gnu::used]] inline static char const* const needed =
      &library_and_program_lay_out_types_alike<border_layouts>::or_their_compilers_or_flags_differ;
};
#ifdef __clang__
#pragma clang diagnostic pop
#endif

/// Makes a program that calls a verb for `Call` need the symbol. nvcc has a host compiler's
/// layouts.
template <class Call>
void require_the_same_layouts() {
#ifndef __CUDACC__
  (void)&layout_check<std::conditional_t<sizeof(Call) != 0, void, Call>>::needed;
#endif
}

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
};

}  // namespace upsweep::host
