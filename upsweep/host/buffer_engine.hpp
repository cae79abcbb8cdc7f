/// The scan of a tile by the vector kernels where the elements are not plain memory (transformed,
/// converted, strided, reversed or generated) or the operator is made of others.
#pragma once

#include <upsweep/core/call_memory.hpp>
#include <upsweep/host/array_scans.hpp>
#include <upsweep/host/blocks.hpp>
#include <upsweep/host/tiles.hpp>

#include <cstddef>

namespace upsweep::host {

/// Operators that are not exact (sums and products of floats, affine maps, tuples that contain
/// such) over any source; exact ones need no tree. The elements of a tile are stored in an array,
/// which the compiled kernels reduce and scan. One store and one load of the array, in L1, is what
/// it costs over plain memory; the source is read once.
template <scan_kind kind, class Scan>
class buffer_engine {
 public:
  using A = typename Scan::accumulator;

  explicit buffer_engine(Scan const& scan)
      : scan_(scan),
        memory_(arrays::bytes(scan.nodes)),
        room_{memory_.first(), scan.nodes},
        arrays_(room_) {}

  A up(std::size_t position, int k) {
    std::size_t const n = std::size_t{1} << k;
    fill_numbers(arrays_.input(), scan_.in, position, n);
    return block_kernel<Op, typename arrays::element>::total(scan_.op, arrays_.input(), n,
                                                             position);
  }

  void down(std::size_t position, int k, A const* before, A const& after) {
    std::size_t const n = std::size_t{1} << k;
    arrays_.run(scan_.op, before, &after, n, position);
    if constexpr (kind == scan_kind::inclusive) {
      emit(position, 0, n);
    } else if (before) {
      emit(position, -1, n);
    } else {
      scan_.out(position, *scan_.first);
      emit(position + 1, 0, n - 1);
    }
  }

 private:
  using Op = typename Scan::operation;
  using arrays = array_scan<Op, typename Scan::source::transformed>;

  /// Stores n results, from number `first` of the tile on.
  void emit(std::size_t position, std::ptrdiff_t first, std::size_t n) {
    if constexpr (stores_copies<typename Scan::sink, A, Op>)
      if (scan_.streamed) return emit_past_caches(position, first, n);
    emit_to([&](std::size_t i) { return results_from(scan_.out, position + i); }, first, n);
  }
  void emit_past_caches(std::size_t position, std::ptrdiff_t first, std::size_t n) {
    constexpr std::size_t most = 4096 / sizeof(A);
    alignas(64) A results[most];
    for (std::size_t i = 0; i < n; i += most) {
      std::size_t const some = detail::at_most(n - i, most);
      auto const to_results = [&](std::size_t j) {
        return [to = results + j](int k, A const& a) { to[k] = a; };
      };
      emit_to(to_results, first + static_cast<std::ptrdiff_t>(i), some);
      streaming_.copy(results, scan_.out.pointer(position + i), some);
    }
  }
  /// Gives result first + i + j, for each i + j < n, to out_at(i) as out(j, result).
  template <class OutAt>
  void emit_to(OutAt const& out_at, std::ptrdiff_t first, std::size_t n) {
    auto const at = [&](std::size_t i) {
      return arrays_.results(first + static_cast<std::ptrdiff_t>(i));
    };
    if (scan_.initial)
      by_64_avx2(n, [&](std::size_t i) UPSWEEP_INLINED {
        return [out = out_at(i), from = at(i), &op = scan_.op, initial = *scan_.initial](int j)
                   UPSWEEP_INLINED { out(j, op(initial, from(j))); };
      });
    else
      by_64_avx2(n, [&](std::size_t i) UPSWEEP_INLINED {
        return [out = out_at(i), from = at(i)](int j) UPSWEEP_INLINED { out(j, from(j)); };
      });
  }

  Scan const& scan_;
  detail::aligned_memory<> const memory_;
  array_room room_;
  arrays const arrays_;
  streaming_stores const streaming_{scan_.streamed};
};

}  // namespace upsweep::host
