/// Scans by exact_sum: the launches.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/scan/exact_scan.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::device {

/// The plan of one of the two kernels for tiles of `tile` elements.
[[nodiscard]] inline cuda_plan exact_scan_plan(cuda_algorithm algorithm, std::size_t tiles,
                                               std::size_t tile, std::size_t traffic_bytes) {
  return {.algorithm = algorithm,
          .tile = tile,
          .blocks = divide_up(tiles, exact_scan_warps),
          .threads = 32 * exact_scan_warps,
          .launches = 1,
          .traffic_bytes = traffic_bytes};
}

template <scan_kind kind, class Source, class Sink, class T>
void scan_exactly_on(gpu const& on, Source const& in, Sink const& out, std::size_t n,
                     detail::superaccumulator<T> const* initial) {
  using E = typename Source::element;
  using state = detail::superaccumulator<T>;
  static_assert(
      detail::is_float<
          std::remove_cvref_t<std::invoke_result_t<decltype(in.function()), E const&>>>,
      "upsweep::gpu: exact_sum sums floating-point numbers; sums of integers are exact by `plus`");
  static constexpr plus sum;
  static constexpr detail::as_is as_is;
  auto const from = kernel_source(in, n, sum);
  auto const to = kernel_sink(out, n, sum);
  using From = std::remove_cv_t<decltype(from)>;
  using To = std::remove_cv_t<decltype(to)>;
  std::size_t const tile = exact_scan_tile(n), tiles = divide_up(n, tile),
                    entries = tiles * exact_table<T>::lines, bytes = n * sizeof(E);
  cuda_device const device = device_of(on);
  auto const memory = take_memory(on, entries * sizeof(std::uint64_t));
  auto* const table = static_cast<std::uint64_t*>(memory.data());
  exact_table<T> const digits{table, tiles};
  launch<exact_totals<T, From>>(exact_scan_plan(cuda_algorithm::exact_totals, tiles, tile, bytes),
                                on, device, from, n, tile, digits);
  std::uint64_t const zero = 0;
  scan_on<scan_kind::exclusive>(
      on, source<std::uint64_t const*, detail::as_is, plus, false>(table, entries, as_is, sum),
      sink<std::uint64_t*, plus, false>(table, entries, sum), entries, sum,
      static_cast<std::uint64_t const*>(nullptr), &zero);
  launch<exact_scan<kind, T, From, To>>(exact_scan_plan(cuda_algorithm::exact_scan, tiles, tile,
                                                        bytes + n * sizeof(typename Sink::element)),
                                        on, device, from, to, n, tile, digits,
                                        initial != nullptr ? *initial : state{});
}

}  // namespace upsweep::device
