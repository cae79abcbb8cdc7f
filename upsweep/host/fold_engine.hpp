/// The serial scan of a tile by a running value, for exactly associative operators.
#pragma once

#include <upsweep/host/array_scans.hpp>
#include <upsweep/host/blocks.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// True for operators that scan an array in one call, faster than value by value. The elements must
/// be stored as the operator takes them, or be numbers that convert to the results as lift() does:
/// to bool, or without rounding.
template <class Source, class Sink>
inline constexpr bool scans_ranges = [] {
  using Op = typename Source::operation;
  using X = typename Source::transformed;
  using R = result_t<Op, X>;
  if constexpr (requires(Op const& op, typename Source::accumulator& a, R* x, Sink const& out) {
                  op.scan_range(a, x, x, std::size_t{}, true);
                  out.store(std::size_t{}, *x);
                }) {
    constexpr bool is_number = detail::is_integer<X> || detail::is_float<X>;
    if constexpr (requires(Op const& op, typename Source::accumulator& a, X* x, R* out) {
                    requires Source::plain && Sink::plain;
                    op.scan_range(a, x, out, std::size_t{}, true);
                  })
      if (std::is_same_v<typename Sink::element, R>) return is_number;
    return is_number && (std::is_same_v<R, bool> ||
                         (detail::is_float<X> == detail::is_float<R> && !detail::narrows<X, R>));
  } else {
    return false;
  }
}();

/// True for scans of positions of extrema, which are found in memory and stored in memory.
template <class Source, class Sink>
inline constexpr bool scans_extrema_in_memory = [] {
  if constexpr (requires { requires Source::in_memory && Sink::in_memory; })
    return finds_extremum<typename Source::operation> && Source::reversed == Sink::reversed &&
           scans_extremum<fixed_width_t<detail::selected_t<typename Source::element>>,
                          fixed_width_t<typename Sink::element>>;
  else
    return false;
}();

/// For exactly associative operators: a running value, element by element. Reads a tile twice on
/// several threads, once on one.
template <scan_kind kind, class Scan>
class fold_engine {
 public:
  using A = typename Scan::accumulator;
  using arrays = typename array_scan_of<typename Scan::source, typename Scan::sink>::type;
  static constexpr bool has_arrays = !std::is_same_v<arrays, no_arrays>;

  explicit fold_engine(Scan const& scan) : in_(scan.in), scan_(scan) {}

  A up(std::size_t position, int k) {
    if constexpr (has_block_kernel<typename Scan::source>)
      return block_total(in_, position, k, scan_.op);
    A total = in_(position);
    in_.absorb_into(total, position + 1, position + (std::size_t{1} << k));
    return total;
  }
  void down(std::size_t position, int k, A const* before, A const&) {
    run(position, position + (std::size_t{1} << k), before);
  }

  /// Emits the results of [position, end), where `before` is the prefix before it (null at
  /// position 0), and returns the last inclusive one. The initial value is applied once: for an
  /// exact operator, initial op (a op b) is (initial op a) op b.
  A run(std::size_t position, std::size_t end, A const* before) {
    if constexpr (scans_extrema_in_memory<typename Scan::source, typename Scan::sink>)
      if (end - position >= worth_arrays && !scan_.initial)
        return run_extrema(position, end, before);
    if constexpr (has_arrays)
      if (end - position >= worth_arrays) return run_arrays(position, end, before);
    if (before)
      return run(position, end, scan_.initial ? A(scan_.op(*scan_.initial, *before)) : *before);
    if (scan_.initial) return run(position, end, A(*scan_.initial));
    A running = in_(position);
    if constexpr (kind == scan_kind::inclusive)
      scan_.out(position, running);
    else
      scan_.out(position, *scan_.first);
    return run(position + 1, end, std::move(running));
  }

 private:
  A run(std::size_t position, std::size_t end, A running) {
    if constexpr (scans_ranges<typename Scan::source, typename Scan::sink>)
      position = run_ranges(position, end, running);
    // Copies, which no result can overwrite, so that compilers keep their parts in registers.
    auto const in = in_;
    auto const out = scan_.out;
    if constexpr (ends_early<typename Scan::source>)
      if (scan_.op.is_final(std::as_const(running)))
        for (; position < end; ++position) out(position, std::as_const(running));
    for (; position < end; ++position) {
      if constexpr (kind == scan_kind::inclusive) {
        in.absorb_into(running, position, position + 1);
        out(position, std::as_const(running));
      } else {
        auto const x = in.value(position);  // before an in-place result overwrites it
        out(position, std::as_const(running));
        in.absorb_value(running, x, position);
      }
    }
    return running;
  }

  /// The whole range by one kernel, or block by block if the elements have to be converted.
  A run_extrema(std::size_t const position, std::size_t end, A const* before) {
    constexpr bool reversed = Scan::source::reversed;
    using T = fixed_width_t<detail::selected_t<typename Scan::source::element>>;
    constexpr bool converts = !std::is_same_v<fixed_width_t<typename Scan::source::element>, T>;
    extremum_scan const how{scan_.op.rule(), kind, reversed};
    A const first = before ? *before : in_(position);
    indexed<T> best{static_cast<T>(first.value), first.index};
    // The index of the first element in memory.
    std::size_t const origin = reversed ? 0 : in_.base();
    for (std::size_t at = position, n; at < end; at += n) {
      n = converts ? detail::at_most(end - at, 512) : end - at;
      std::size_t const index = in_.index(reversed ? at + n - 1 : at);
      auto const* x = fixed_pointer(std::to_address(in_.first())) + (index - origin);
      auto* const out = fixed_pointer(std::to_address(scan_.out.first())) + (index - origin);
      if constexpr (converts) {
        T numbers[512];
        convert(numbers, x, n);
        scan_extremum(how, numbers, index, n, best, out);
      } else {
        scan_extremum(how, x, index, n, best, out);
      }
    }
    if constexpr (kind == scan_kind::exclusive)
      if (!before) scan_.out(position, *scan_.first);
    return {static_cast<decltype(A::value)>(best.value), best.index};
  }

  /// Block by block through arrays in L1, which compiled kernels scan.
  A run_arrays(std::size_t position, std::size_t end, A const* before) {
    // A tuple may have many arrays.
    constexpr std::size_t size = arrays::bytes(512) <= 32768 ? 512 : 64;
    alignas(64) std::byte bytes[arrays::bytes(size)];
    array_room room{bytes, size};
    arrays const scan(room);
    std::optional<A> running;
    if (before)
      running.emplace(scan_.initial ? A(scan_.op(*scan_.initial, *before)) : *before);
    else if (scan_.initial)
      running.emplace(*scan_.initial);
    for (std::size_t n; position < end; position += n) {
      n = detail::at_most(end - position, size);
      fill_numbers(scan.input(), in_, position, n);
      A const* const so_far = running ? &*running : nullptr;
      if constexpr (stores_directly) {
        running.emplace(scan.template store<kind>(fixed_pointer(scan_.out, position), scan_.op,
                                                  so_far, scan_.first, n));
      } else {
        scan.run(scan_.op, so_far, nullptr, n, position);
        if constexpr (kind == scan_kind::inclusive) {
          emit(scan, position, 0, n);
        } else if (so_far) {
          emit(scan, position, -1, n);
        } else {
          scan_.out(position, *scan_.first);
          emit(scan, position + 1, 0, n - 1);
        }
        running.emplace(scan.results(static_cast<std::ptrdiff_t>(n) - 1)(0));
      }
    }
    return *running;
  }
  /// Stores n results from number `j` of `scan` on.
  void emit(arrays const& scan, std::size_t position, std::ptrdiff_t j, std::size_t n) {
    by_64_avx2(n, [&](std::size_t i) UPSWEEP_INLINED {
      return [out = results_from(scan_.out, position + i),
              from = scan.results(j + static_cast<std::ptrdiff_t>(i))](int r)
                 UPSWEEP_INLINED { out(r, from(r)); };
    });
  }

  /// Where the operator's scan of an array ends: after all results, or before one that it
  /// refuses. Elements and results that are not plain memory go through a buffer in L1.
  std::size_t run_ranges(std::size_t position, std::size_t end, A& running) {
    using R = result_t<typename Scan::operation, typename Scan::source::transformed>;
    constexpr bool inclusive = kind == scan_kind::inclusive;
    constexpr bool writes_directly = requires(R* out) { out = results_at<R>(position); };
    if constexpr (writes_directly && requires(R* out) {
                    scan_.op.scan_range(running, in_.pointer(position), out, end, inclusive);
                  }) {
      return position + scan_.op.scan_range(running, in_.pointer(position), results_at<R>(position),
                                            end - position, inclusive);
    } else {
      constexpr std::size_t size = 1008;
      R buffer[size];
      while (position < end) {
        std::size_t const n = detail::at_most(end - position, size);
        fill_numbers(buffer, in_, position, n);
        R* out = buffer;
        if constexpr (writes_directly) out = results_at<R>(position);
        std::size_t const done = scan_.op.scan_range(running, buffer, out, n, inclusive);
        if constexpr (!writes_directly)
          for (std::size_t j = 0; j < done; ++j) scan_.out.store(position + j, buffer[j]);
        position += done;
        if (done < n) break;
      }
      return position;
    }
  }
  /// Where results of type R may be stored; a bool is a byte.
  template <class R>
  auto* results_at(std::size_t position)
    requires(Scan::sink::plain)
  {
    auto* const out = scan_.out.pointer(position);
    if constexpr (std::is_same_v<R, bool> && std::is_same_v<decltype(out), unsigned char* const>)
      return reinterpret_cast<bool*>(out);
    else
      return out;
  }

  /// The least number of elements that is worth the call of a kernel.
  static constexpr std::size_t worth_arrays = 64;
  static constexpr bool stores_directly = [] {
    if constexpr (requires { requires arrays::is_number && Scan::sink::plain; })
      return std::is_same_v<fixed_width_t<typename Scan::sink::element>, typename arrays::element>;
    return false;
  }();

  typename Scan::source const& in_;
  Scan const& scan_;
};

}  // namespace upsweep::host
