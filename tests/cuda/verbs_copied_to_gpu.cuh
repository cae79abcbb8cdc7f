/// The executor of the suites of the verbs on scan: like copied_to_gpu it copies the arrays of
/// every call into device memory between fences, runs the call on the GPU, and copies the results
/// back. Its kernels are compiled by nvcc; this file by the host's compiler, too.
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
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {

/// The verbs of upsweep::gpu for arguments in device memory. Defined in copied_verbs.cuh,
/// instantiated for the lists below.
template <class Marks, class... Outputs>
struct gpu_selection {
  static detail::selected_counts<sizeof...(Outputs)> run(Marks const& marks, std::size_t n,
                                                         Outputs const&... outputs);
  static constexpr std::tuple functions{&run};
};
template <class Op, class T, class U, class Offset>
struct gpu_segments {
  using A = accumulator_t<Op, T>;
  using segments_call = call<source<T const*, detail::as_is, Op, false>, Op>;
  static void reduce(segments_call const& c, Offset const* offsets, std::size_t count, U* out);
  static void scan(scan_kind kind, segments_call const& c, Offset const* offsets, std::size_t count,
                   U* out);
  static constexpr std::tuple functions{&reduce, &scan};
};
template <class K, class Same, class Op, class T, class U>
struct gpu_runs {
  using runs_call = call<source<T const*, detail::as_is, Op, false>, Op>;
  using marks = detail::marks_of_runs<K const*, Same>;
  static std::size_t reduce(marks const& heads, detail::value_output<K const*, K*> const& keys_to,
                            runs_call const& c, U* out, std::size_t room);
  static void scan(scan_kind kind, marks const& heads, K const* keys, runs_call const& c, U* out);
  static constexpr std::tuple functions{&reduce, &scan};
};
template <class Op, class T, class U>
struct gpu_windows {
  using A = accumulator_t<Op, T>;
  static void run(T const* in, std::size_t n, U* out, std::size_t count, std::size_t width,
                  Op const& op, A const* initial);
  static constexpr std::tuple functions{&run};
};
template <class T, class U, class Levels>
struct gpu_histogram {
  static outside_counts run(T const* x, std::size_t n, U* counts, std::size_t size,
                            Levels const& levels, histogram_options const& o);
  static constexpr std::tuple functions{&run};
};
template <class T, class U>
struct gpu_index_counts {
  static void run(T const* x, std::size_t n, U* counts, std::size_t size);
  static constexpr std::tuple functions{&run};
};
template <class Op, class T>
struct gpu_lines {
  using A = accumulator_t<Op, T>;
  using matrices = detail::line_matrices<T const, T>;
  static bool scan(scan_kind kind, matrices const& lines, bool reverse, Op const& op,
                   A const* initial, A const* first);
  static bool reduce(matrices const& lines, bool reverse, Op const& op, A const* initial);
  static constexpr std::tuple functions{&scan, &reduce};
};

namespace lists {

/// Elements and positions by predicates and flags.
template <class T>
using by_value = detail::marks_by_predicate<T const*, compared_with<T>>;
template <class T>
using values = detail::value_output<T const*, T*>;
template <class T>
using positions = detail::position_output<T*>;
using by_flag = detail::marks_by_predicate<bool const*, detail::as_is>;
template <class T>
using selected =
    dynamic::types<gpu_selection<by_value<T>, values<T>>,
                   gpu_selection<by_value<T>, values<T>, values<T>>,
                   gpu_selection<by_flag, values<T>>, gpu_selection<by_value<T>, positions<long>>>;
using selections = dynamic::join<
    selected<std::uint8_t>, selected<std::int16_t>, selected<float>, selected<double>,
    selected<three_words>,
    dynamic::types<
        gpu_selection<by_value<bool>, values<bool>>,
        gpu_selection<by_flag, positions<std::uint32_t>>,
        gpu_selection<by_value<std::int32_t>, values<std::int32_t>>,
        gpu_selection<by_value<std::int32_t>, values<std::int32_t>, values<std::int32_t>>,
        gpu_selection<by_value<std::int32_t>, positions<std::size_t>>,
        gpu_selection<by_value<std::int32_t>, positions<std::uint8_t>>,
        gpu_selection<detail::marks_by_two<float const*, less_than<float>, less_than<float>>,
                      values<float>, values<float>, values<float>>>>;
/// unique, runs and run_starts.
template <class T, class Same>
using heads = detail::marks_of_runs<T const*, Same>;
template <class T, class Same>
using first_elements =
    dynamic::types<gpu_selection<heads<T, Same>, values<T>>,
                   gpu_selection<heads<T, Same>, positions<std::size_t>>,
                   gpu_selection<heads<T, Same>, values<T>, positions<std::uint32_t>>>;
using selected_heads = dynamic::join<
    first_elements<std::uint8_t, same>, first_elements<double, same>, first_elements<float, same>,
    first_elements<std::int32_t, same>, first_elements<std::int32_t, same_quotient<2>>,
    dynamic::types<gpu_selection<heads<std::int32_t, same>, values<std::int32_t>, positions<int>>>>;

using maps = upsweep::affine_map<float>;
using segments = dynamic::types<
    gpu_segments<plus, float, float, std::size_t>, gpu_segments<plus, double, double, std::size_t>,
    gpu_segments<plus, std::int16_t, std::int64_t, std::size_t>,
    gpu_segments<max, std::int16_t, std::int16_t, std::size_t>,
    gpu_segments<max, float, float, std::size_t>, gpu_segments<min, double, double, std::size_t>,
    gpu_segments<upsweep::affine, maps, maps, std::size_t>,
    gpu_segments<monoid<sum_of_two, float>, float, float, std::size_t>,
    gpu_segments<plus, int, int, std::size_t>, gpu_segments<plus, int, int, std::uint16_t>,
    gpu_segments<product_of_two, int, int, int>>;
using runs_by_key =
    dynamic::types<gpu_runs<std::int32_t, same, plus, float, float>,
                   gpu_runs<std::int32_t, same, plus, double, double>,
                   gpu_runs<std::int32_t, same, plus, std::int16_t, std::int64_t>,
                   gpu_runs<std::int32_t, same, max, std::int16_t, std::int16_t>,
                   gpu_runs<std::int32_t, same, upsweep::affine, maps, maps>,
                   gpu_runs<std::int32_t, same, monoid<sum_of_two, float>, float, float>,
                   gpu_runs<int, same, plus, int, int>,
                   gpu_runs<int, same, product_of_two, int, int>,
                   gpu_runs<double, same_quotient<9>, plus, double, double>,
                   gpu_runs<float, same, plus, float, float>>;
template <class T>
using extrema = dynamic::types<gpu_windows<min, T, T>, gpu_windows<max, T, T>,
                               gpu_windows<min_number, T, T>, gpu_windows<max_number, T, T>>;
using windows_of_all = dynamic::join<
    dynamic::types<
        gpu_windows<plus, float, float>, gpu_windows<plus, double, double>,
        gpu_windows<plus, std::int16_t, std::int64_t>, gpu_windows<max, std::int16_t, std::int16_t>,
        gpu_windows<upsweep::affine, maps, maps>,
        gpu_windows<monoid<sum_of_two, float>, float, float>, gpu_windows<plus, int, int>,
        gpu_windows<plus, int, long>, gpu_windows<plus, bool, int>,
        gpu_windows<max, std::int32_t, std::int32_t>, gpu_windows<min, std::int64_t, std::int64_t>,
        gpu_windows<plus, std::int64_t, std::int64_t>>,
    extrema<float>, extrema<double>>;

template <class T, class Count>
using binned = dynamic::types<gpu_histogram<T, Count, detail::even_levels>,
                              gpu_histogram<T, Count, std::vector<double>>>;
template <class Count>
using all_binned =
    dynamic::join<binned<float, Count>, binned<double, Count>, binned<std::int8_t, Count>,
                  binned<std::uint8_t, Count>, binned<std::int16_t, Count>,
                  binned<std::uint32_t, Count>, binned<std::int32_t, Count>,
                  binned<std::int64_t, Count>, binned<std::uint64_t, Count>>;
using histograms = all_binned<std::uint32_t>;
/// Other counts, and indices.
using wide_histograms = dynamic::join<
    all_binned<std::size_t>, binned<float, long>, binned<float, int>, binned<float, std::uint8_t>,
    binned<double, int>,
    dynamic::types<
        gpu_index_counts<std::uint8_t, std::size_t>, gpu_index_counts<std::int8_t, std::size_t>,
        gpu_index_counts<std::uint16_t, std::size_t>,
        gpu_index_counts<std::uint32_t, std::uint32_t>, gpu_index_counts<int, std::size_t>,
        gpu_index_counts<std::uint64_t, std::size_t>>>;
/// The suite of axes: all lines at once.
using all_lines =
    dynamic::types<gpu_lines<name_tree, tree_name>,
                   gpu_lines<compose_maps<true>, affine_map<std::uint64_t>>,
                   gpu_lines<plus, std::int32_t>, gpu_lines<plus, float>, gpu_lines<plus, double>>;
using all_verbs = dynamic::join<selections, selected_heads, segments, runs_by_key, windows_of_all,
                                histograms, wide_histograms, all_lines>;

}  // namespace lists

/// The executor. Calls without kernels compile, and throw when they are made.
struct verbs_copied_to_gpu : copied_to_gpu {
  static constexpr bool stores_run_lengths = true;

  template <class Marks, class... Outputs>
  detail::selected_counts<sizeof...(Outputs)> select(Marks const& marks, std::size_t n,
                                                     Outputs const&... outputs) const {
    using kernels = gpu_selection<device_form<Marks>, device_form<Outputs>...>;
    if constexpr (dynamic::is_in<kernels, lists::all_verbs>) {
      call_copies to;
      auto const taken = kernels::run(on_device(to, marks, n), n, on_device(to, outputs, n)...);
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
    if constexpr (dynamic::is_in<gpu_windows<Op, T, U>, lists::all_verbs>) {
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
    if constexpr (dynamic::is_in<gpu_histogram<T, U, Levels>, lists::all_verbs>) {
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
    if constexpr (dynamic::is_in<gpu_index_counts<T, U>, lists::all_verbs>) {
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
      device::pad_on(gpu{}, {there, rows, in * sizeof(T), out * sizeof(T), sizeof(T), fill});
      to.finish();
    } else {
      no_kernel();
    }
  }

  template <scan_kind kind, class T, class R, class Op, class A>
    requires(dynamic::is_in<gpu_lines<Op, T>, lists::all_verbs> && std::is_same_v<T, R>)
  bool scan_lines(detail::line_matrices<T const, R> const& lines, bool reverse, Op const& op,
                  A const* initial, A const* first) const {
    return on_lines(lines, [&](auto const& there) {
      return gpu_lines<Op, T>::scan(kind, there, reverse, op, initial, first);
    });
  }
  template <class T, class R, class Op, class A>
    requires(dynamic::is_in<gpu_lines<Op, T>, lists::all_verbs> && std::is_same_v<T, R>)
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
    if constexpr (dynamic::is_in<gpu_segments<Op, T, U, Offset>, lists::all_verbs>)
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
      if constexpr (dynamic::is_in<gpu_runs<K, Same, Op, T, U>, lists::all_verbs>)
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
