/// The executor of the suites of the verbs on scan: like copied_to_gpu it copies the arrays of
/// every call into device memory between fences, runs the call on the GPU, and copies the results
/// back. Its kernels are compiled by nvcc in copied_*.cu; this file by the host's compiler.
#pragma once

#include "call_copies.cuh"
#include "copied_to_gpu.hpp"

#include <support/functions.hpp>
#include <upsweep/by_key.hpp>
#include <upsweep/cuda/executor.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/padding.hpp>
#include <upsweep/segments.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

namespace upsweep::test {

/// The verbs of upsweep::gpu for arguments in device memory. Defined in copied_verbs.cuh,
/// instantiated in copied_*.cu for what the traits below list.
template <class Marks, class... Outputs>
struct gpu_selection {
  static detail::selected_counts<sizeof...(Outputs)> run(Marks const& marks, std::size_t n,
                                                         Outputs const&... outputs);
};
template <class Op, class T, class U, class Offset>
struct gpu_segments {
  using A = accumulator_t<Op, T>;
  using segments_call = call<source<T const*, detail::as_is, Op, false>, Op>;
  static void reduce(segments_call const& c, Offset const* offsets, std::size_t count, U* out);
  static void scan(scan_kind kind, segments_call const& c, Offset const* offsets, std::size_t count,
                   U* out);
};
template <class K, class Same, class Op, class T, class U>
struct gpu_runs {
  using runs_call = call<source<T const*, detail::as_is, Op, false>, Op>;
  using marks = detail::marks_of_runs<K const*, Same>;
  static std::size_t reduce(marks const& heads, detail::value_output<K const*, K*> const& keys_to,
                            runs_call const& c, U* out, std::size_t room);
  static void scan(scan_kind kind, marks const& heads, K const* keys, runs_call const& c, U* out);
};
template <class Op, class T, class U>
struct gpu_windows {
  using A = accumulator_t<Op, T>;
  static void run(T const* in, std::size_t n, U* out, std::size_t count, std::size_t width,
                  Op const& op, A const* initial);
};
template <class T, class U, class Levels>
struct gpu_histogram {
  static outside_counts run(T const* x, std::size_t n, U* counts, std::size_t size,
                            Levels const& levels, histogram_options const& o);
};
template <class T, class U>
struct gpu_index_counts {
  static void run(T const* x, std::size_t n, U* counts, std::size_t size);
};
template <class Op, class T>
struct gpu_lines {
  using A = accumulator_t<Op, T>;
  using matrices = detail::line_matrices<T const, T>;
  static bool scan(scan_kind kind, matrices const& lines, bool reverse, Op const& op,
                   A const* initial, A const* first);
  static bool reduce(matrices const& lines, bool reverse, Op const& op, A const* initial);
};
void resize_rows_on_gpu(device::row_change const& change);

// copied_selections.cu: by a predicate and by flags, in one part and in two; in three; positions
template <class T>
inline constexpr bool is_selected =
    is_among<T, std::uint8_t, std::int16_t, float, double, three_words>;
template <class Marks, class... Outputs>
inline constexpr bool has_selection = false;
template <class T>
inline constexpr bool has_selection<detail::marks_by_predicate<T const*, compared_with<T>>,
                                    detail::value_output<T const*, T*>> =
    is_selected<T> || is_among<T, std::int32_t, bool>;
template <class T>
inline constexpr bool
    has_selection<detail::marks_by_predicate<T const*, compared_with<T>>,
                  detail::value_output<T const*, T*>, detail::value_output<T const*, T*>> =
        is_selected<T> || is_among<T, std::int32_t>;
template <class T>
inline constexpr bool has_selection<detail::marks_by_predicate<bool const*, detail::as_is>,
                                    detail::value_output<T const*, T*>> = is_selected<T>;
template <class T, class U>
inline constexpr bool has_selection<detail::marks_by_predicate<T const*, compared_with<T>>,
                                    detail::position_output<U*>> =
    (is_selected<T> && is_among<U, long>) ||
    (is_among<T, std::int32_t> && is_among<U, std::size_t, std::uint8_t>);
template <>
inline constexpr bool has_selection<detail::marks_by_predicate<bool const*, detail::as_is>,
                                    detail::position_output<std::uint32_t*>> = true;
template <>
inline constexpr bool has_selection<
    detail::marks_by_two<float const*, less_than<float>, less_than<float>>,
    detail::value_output<float const*, float*>, detail::value_output<float const*, float*>,
    detail::value_output<float const*, float*>> = true;
// copied_heads.cu: of runs
template <class T, class Same>
inline constexpr bool has_heads =
    is_among<types_of<T, Same>, types_of<std::uint8_t, same>, types_of<double, same>,
             types_of<std::int32_t, same>, types_of<std::int32_t, same_quotient<2>>,
             types_of<float, same>>;
template <class T, class Same>
inline constexpr bool
    has_selection<detail::marks_of_runs<T const*, Same>, detail::value_output<T const*, T*>> =
        has_heads<T, Same>;
template <class T, class Same>
inline constexpr bool
    has_selection<detail::marks_of_runs<T const*, Same>, detail::position_output<std::size_t*>> =
        has_heads<T, Same>;
template <class T, class Same, class U>
inline constexpr bool
    has_selection<detail::marks_of_runs<T const*, Same>, detail::value_output<T const*, T*>,
                  detail::position_output<U*>> =
        has_heads<T, Same> &&
        (is_among<U, std::uint32_t> || is_among<types_of<T, U>, types_of<int, int>>);

/// The operators and types of values in segments, runs and windows.
template <class Op, class T, class U>
inline constexpr bool is_combined =
    is_among<types_of<Op, T, U>, types_of<plus, float, float>, types_of<plus, double, double>,
             types_of<plus, std::int16_t, std::int64_t>, types_of<max, std::int16_t, std::int16_t>,
             types_of<upsweep::affine, upsweep::affine_map<float>, upsweep::affine_map<float>>,
             types_of<monoid<sum_of_two, float>, float, float>, types_of<plus, int, int>>;
// copied_segments*.cu
template <class Op, class T, class U, class Offset>
inline constexpr bool has_segments =
    (is_combined<Op, T, U> && is_among<Offset, std::size_t>) ||
    is_among<types_of<Op, T, U, Offset>, types_of<max, float, float, std::size_t>,
             types_of<min, double, double, std::size_t>, types_of<plus, int, int, std::uint16_t>,
             types_of<product_of_two, int, int, int>>;
// copied_runs*.cu
template <class K, class Same, class Op, class T, class U>
inline constexpr bool has_runs =
    (is_combined<Op, T, U> && is_among<types_of<K, Same>, types_of<std::int32_t, same>>) ||
    is_among<types_of<K, Same, Op, T, U>, types_of<int, same, product_of_two, int, int>,
             types_of<double, same_quotient<9>, plus, double, double>,
             types_of<float, same, plus, float, float>>;
// copied_windows.cu: also extrema
template <class Op>
inline constexpr bool is_extremum = is_among<Op, min, max, min_number, max_number>;
template <class Op, class T, class U>
inline constexpr bool has_windows =
    is_combined<Op, T, U> || (is_extremum<Op> && is_among<T, float, double> && is_among<U, T>) ||
    is_among<types_of<Op, T, U>, types_of<plus, int, long>, types_of<plus, bool, int>,
             types_of<max, std::int32_t, std::int32_t>, types_of<min, std::int64_t, std::int64_t>,
             types_of<plus, std::int64_t, std::int64_t>>;
// copied_histograms*.cu
template <class T>
inline constexpr bool is_binned =
    is_among<T, float, double, std::int8_t, std::uint8_t, std::int16_t, std::uint32_t, std::int32_t,
             std::int64_t, std::uint64_t>;
template <class T, class U>
inline constexpr bool has_histogram =
    (is_binned<T> && is_among<U, std::uint32_t, std::size_t>) ||
    is_among<types_of<T, U>, types_of<float, long>, types_of<double, int>, types_of<float, int>,
             types_of<float, std::uint8_t>>;
template <class T, class U>
inline constexpr bool has_index_counts =
    (std::is_same_v<U, std::size_t> &&
     is_among<T, std::uint8_t, std::int8_t, std::uint16_t, int, std::uint64_t>) ||
    is_among<types_of<T, U>, types_of<std::uint32_t, std::uint32_t>>;

/// The executor. Calls without kernels compile, and throw when they are made.
struct verbs_copied_to_gpu : copied_to_gpu {
  static constexpr bool stores_run_lengths = true;

  template <class Marks, class... Outputs>
  detail::selected_counts<sizeof...(Outputs)> select(Marks const& marks, std::size_t n,
                                                     Outputs const&... outputs) const {
    if constexpr (has_selection<device_form<Marks>, device_form<Outputs>...>) {
      call_copies to;
      auto const taken = gpu_selection<device_form<Marks>, device_form<Outputs>...>::run(
          on_device(to, marks, n), n, on_device(to, outputs, n)...);
      to.finish();
      return taken;
    } else {
      no_kernel();
    }
  }

  template <class Call, class Offsets, class Sink>
  void reduce_segments(Call const& c, Offsets const& offsets, std::size_t count,
                       Sink const& out) const {
    with_segments<Call, Offsets, Sink>([&]<class Kernels>(Kernels) {
      call_copies to;
      auto const* const borders = to.input(offsets, count + 1);
      auto const there = device_call(to, c);
      Kernels::reduce(there, borders, count, to.output(out.first(), count));
      to.finish();
    });
  }
  template <scan_kind kind, class Call, class Offsets, class Sink>
  void scan_segments(Call const& c, Offsets const& offsets, std::size_t count,
                     Sink const& out) const {
    with_segments<Call, Offsets, Sink>([&]<class Kernels>(Kernels) {
      call_copies to;
      auto const* const borders = to.input(offsets, count + 1);
      auto const there = device_call(to, c);
      Kernels::scan(kind, there, borders, count, to.output(out.first(), c.n));
      to.finish();
    });
  }

  template <class Marks, class Keys, class Call, class Sink>
  std::size_t reduce_runs(Marks const& marks, Keys const& keys_to, Call const& c, Sink const& out,
                          std::size_t room) const {
    std::size_t runs = 0;
    with_runs<Marks, Call, Sink>([&]<class Kernels>(Kernels) {
      call_copies to;
      auto const heads = on_device(to, marks, c.n);
      auto const keys = on_device(to, keys_to, c.n);
      auto const there = device_call(to, c);
      runs = Kernels::reduce(heads, keys, there, to.output(out.first(), room), room);
      to.finish();
    });
    return runs;
  }
  template <scan_kind kind, class Marks, class Keys, class Call, class Sink>
  void scan_runs(Marks const& marks, Keys const& keys, Call const& c, Sink const& out) const {
    with_runs<Marks, Call, Sink>([&]<class Kernels>(Kernels) {
      call_copies to;
      auto const heads = on_device(to, marks, c.n);
      auto const there = device_call(to, c);
      Kernels::scan(kind, heads, to.input(keys, c.n), there, to.output(out.first(), c.n));
      to.finish();
    });
  }

  template <class Source, class Sink, class Op, class A>
  void windows(Source const& in, Sink const& out, std::size_t count, std::size_t width,
               Op const& op, A const* initial) const {
    using T = typename Source::element;
    using U = typename Sink::element;
    if constexpr (has_windows<Op, T, U>) {
      call_copies to;
      std::size_t const n = count + width - 1;
      auto const* const from = to.input(in.first(), n);
      gpu_windows<Op, T, U>::run(from, n, to.output(out.first(), count), count, width, op, initial);
      to.finish();
    } else {
      no_kernel();
    }
  }

  template <class It, class Out, class Levels, class T = std::iter_value_t<It>,
            class U = std::iter_value_t<Out>>
  outside_counts histogram(It const& first, std::size_t n, Out const& out, std::size_t size,
                           Levels const& levels, histogram_options const& o) const {
    if constexpr (has_histogram<T, U>) {
      call_copies to;
      auto const* const x = to.input(first, n);
      auto const outside =
          gpu_histogram<T, U, Levels>::run(x, n, to.output(out, size), size, levels, o);
      to.finish();
      return outside;
    } else {
      no_kernel();
    }
  }
  template <class It, class Out, class T = std::iter_value_t<It>, class U = std::iter_value_t<Out>>
  void count_indices(It const& first, std::size_t n, Out const& out, std::size_t size) const {
    if constexpr (has_index_counts<T, U>) {
      call_copies to;
      auto const* const x = to.input(first, n);
      gpu_index_counts<T, U>::run(x, n, to.output(out, size), size);
      to.finish();
    } else {
      no_kernel();
    }
  }

  template <class It, class T>
  void resize_rows(It const& x, std::size_t rows, std::size_t in, std::size_t out,
                   T const* fill) const {
    if constexpr (std::is_trivially_copyable_v<T>) {
      call_copies to;
      T* const there = to.output(x, rows * std::max(in, out));
      resize_rows_on_gpu({there, rows, in * sizeof(T), out * sizeof(T), sizeof(T), fill});
      to.finish();
    } else {
      no_kernel();
    }
  }

  template <scan_kind kind, class T, class R, class Op, class A>
    requires(has_line_copies<Op, T> && std::is_same_v<T, R>)
  bool scan_lines(detail::line_matrices<T const, R> const& lines, bool reverse, Op const& op,
                  A const* initial, A const* first) const {
    return on_lines(lines, [&](auto const& there) {
      return gpu_lines<Op, T>::scan(kind, there, reverse, op, initial, first);
    });
  }
  template <class T, class R, class Op, class A>
    requires(has_line_copies<Op, T> && std::is_same_v<T, R>)
  bool reduce_lines(detail::line_matrices<T const, R> const& lines, bool reverse, Op const& op,
                    A const* initial) const {
    return on_lines(lines, [&](auto const& there) {
      return gpu_lines<Op, T>::reduce(there, reverse, op, initial);
    });
  }

 private:
  template <class Call, class Offsets, class Sink, class F>
  static void with_segments(F const& f) {
    using Op = typename Call::operation;
    using T = typename Call::source::element;
    using U = typename Sink::element;
    using Offset = std::iter_value_t<Offsets>;
    if constexpr (has_segments<Op, T, U, Offset>)
      f(gpu_segments<Op, T, U, Offset>());
    else
      no_kernel();
  }
  template <class It, class Same>
  static types_of<std::iter_value_t<It>, Same> keys_of(detail::marks_of_runs<It, Same> const&);
  template <class Marks, class Call, class Sink, class F>
  static void with_runs(F const& f) {
    [&]<class K, class Same>(types_of<K, Same>) {
      using Op = typename Call::operation;
      using T = typename Call::source::element;
      using U = typename Sink::element;
      if constexpr (has_runs<K, Same, Op, T, U>)
        f(gpu_runs<K, Same, Op, T, U>());
      else
        no_kernel();
    }(decltype(keys_of(std::declval<Marks const&>()))());
  }

  /// The memory from the first to the last element of matrices, whatever their directions.
  template <class T>
  struct hull {
    T* lowest;
    std::size_t size;
    explicit hull(detail::matrices<T> const& of) : lowest(of.first), size(1) {
      auto const widen = [&](std::size_t extent, std::ptrdiff_t stride) {
        std::ptrdiff_t const reach = static_cast<std::ptrdiff_t>(extent - 1) * stride;
        if (reach < 0) lowest += reach;
        size += static_cast<std::size_t>(reach < 0 ? -reach : reach);
      };
      widen(of.planes, of.plane_stride);
      widen(of.rows, of.row_stride);
      widen(of.columns, of.column_stride);
    }
  };
  template <class T, class F>
  static bool on_lines(detail::line_matrices<T const, T> const& lines, F const& f) {
    // Without the axis, the stride of the results along it is 0.
    hull<T const> const from(lines.in);
    hull<T> const results(lines.out);
    call_copies to;
    auto there = lines;
    there.in.first = to.input(from.lowest, from.size) + (lines.in.first - from.lowest);
    there.out.first = to.output(results.lowest, results.size) + (lines.out.first - results.lowest);
    if (!f(there)) return false;
    to.finish();
    return true;
  }
};

/// A backend of the suites.
struct on_gpu_verbs {
  static verbs_copied_to_gpu make() { return {}; }
  static std::string name() { return "cuda_verbs"; }
};

}  // namespace upsweep::test
