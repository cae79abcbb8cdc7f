/// A program and the library that it is linked with must agree on the layout of what they pass to
/// each other, or the program does not link.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/errors.hpp>
#include <upsweep/core/key_map.hpp>
#include <upsweep/host/any_engine.hpp>
#include <upsweep/host/compiled.hpp>
#include <upsweep/host/extremum_scan.hpp>
#include <upsweep/host/simd/even_bins.hpp>
#include <upsweep/host/simd/recurrence.hpp>
#include <upsweep/host/simd/segment_scans.hpp>
#include <upsweep/host/tiles.hpp>

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
    hash_of_layouts<bfloat16, affine_map<float>, affine_map<double>, moments_of,
                    scaled_exponentials<float>, scaled_exponentials<double>, indexed<std::int8_t>,
                    indexed<float>, indexed<double>, detail::superaccumulator<float>,
                    detail::superaccumulator<double>>(),
    hash_of_layouts<carry<float>, carry<double>, carry<std::int64_t>, carry<affine_map<double>>,
                    carry<moments_of>>(),
    hash_of_layouts<compiled_reduce<plus, float>, compiled_scan<plus, float>,
                    compiled_block_scan<moments, double>, any_scan<float>, any_engine<float>,
                    any_totals<float>, any_operation<float>, engine_functions<float>,
                    split_array<double>, split_block<moments_of>, extremum_scan,
                    detail::key_map<std::uint16_t>, detail::key_map<std::uint64_t>,
                    detail::even_line, simd::segment_scan<float>, simd::recurrence_nodes<float>,
                    simd::recurrence_kernel<float>>(),
    hash_of({offsetof(plan, threads), offsetof(plan, tile_log2), offsetof(plan, streamed),
             offsetof(plan, order), offsetof(plan, ahead), offsetof(plan, trial),
             offsetof(plan, wait_nanoseconds)}),
    hash_of({offsetof(workload, element_bytes), offsetof(workload, accumulator_bytes),
             offsetof(workload, in_place), offsetof(workload, one_thread),
             offsetof(workload, streams)}),
    hash_of({offsetof(moments_of, mean), offsetof(moments_of, m2),
             offsetof(indexed<std::int8_t>, index), offsetof(extremum_scan, kind),
             offsetof(extremum_scan, reversed), offsetof(detail::even_line, bins),
             offsetof(detail::even_line, margin), offsetof(split_block<moments_of>, result),
             offsetof(split_block<moments_of>, by_lanes)}),
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

}  // namespace upsweep::host
