/// The executor of NVIDIA GPUs: every verb, asynchronous in a stream, with the bits of the CPU.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/cuda/on_gpu.hpp>
#include <upsweep/cuda/plan.hpp>
#include <upsweep/cuda/segments/on_gpu.hpp>
#include <upsweep/cuda/workspace.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

namespace upsweep {

/// Runs on the current GPU, in `stream`. Scans return as soon as they are in the stream; reductions
/// wait, because they return a value. Inputs and outputs are ranges of device memory (spans of
/// device pointers), or of iterators that a kernel can dereference. Both modes give the bits of the
/// combine tree. A CUDA call that fails throws cuda_error; a later call reports the failure of a
/// kernel.
struct gpu {
  static constexpr bool is_executor = true, has_own_memory = true;
  CUstream_st* stream = nullptr;        ///< a cudaStream_t; null is the legacy default stream
  cuda_workspace* workspace = nullptr;  ///< null: the one that belongs to the stream
  upsweep::mode mode = mode::reproducible;
  /// True: small scans, selections, segments and runs assign tile b to block b and rely on blocks
  /// starting in that order, as on every GPU so far. False: blocks draw tickets.
  bool blocks_start_in_order = true;
  /// For select, partition, unique, runs and reduce_runs: if not null, the verb stores the count of
  /// each output there, in device memory, does not wait and returns 0. Results that do not fit an
  /// output are dropped, so compare the count with the size. partition stores two or three counts,
  /// the others one. histogram stores the three numbers of outside_counts there, count_indices the
  /// number of elements that are no index; counts that do not fit the integers of the output are
  /// stored modulo 2^bits.
  std::uint64_t* count_to = nullptr;
  /// For the same verbs, scans by key, and sort, sort_by_key and argsort of numbers: if not null, a
  /// number in device memory; inputs have that many elements, if it is less than their size.
  std::uint64_t const* length_from = nullptr;
  /// If not null, nothing runs: the plans of the launches of a verb on plans_to->device go there,
  /// no pointer is read, and the returned value has no meaning. Streams of chunks have no plans.
  cuda_plans* plans_to = nullptr;

  template <class Call>
  typename Call::accumulator reduce(Call const& c) const {
    device::check_kernels<device::compiled_reduce<typename Call::source>, Call>();
    if constexpr (detail::continues<typename Call::operation, typename Call::accumulator>)
      return device::reduce_after_on(*this, c.in, c.n, c.op,
                                     detail::prefix_before(c.op, c.initial));
    else
      return device::reduce_on(*this, c.in, c.n, c.op);
  }

  /// If `total` is not accepted, throws what finishing the first such prefix throws.
  template <class Call, class A>
    requires requires(Call const& c, A const& a) { c.op.accepts(a); }
  void expect_accepted(Call const& c, A const& total, A const* before) const {
    device::expect_accepted_on(*this, c.in, c.n, c.op, total, before);
  }

  template <scan_kind kind, class Call, class Sink>
  void scan(Call const& c, Sink const& out) const {
    device::check_kernels<device::compiled_scan<typename Call::source, Sink>, Call>();
    device::scan_on<kind>(*this, c.in, out, c.n, c.op, c.initial, c.first);
  }

  /// A chunk of a stream takes one to three launches, whatever its length and position. The carry
  /// stays on the device and the calls do not wait, except for exact_sum.
  template <class A>
  using carry_of = cuda_carry<A>;

  template <class Call, class Carry>
  void reduce_chunk(Call const& c, Carry& left) const {
    device::check_kernels<false, Call>();
    device::reduce_chunk_on(*this, c.in, c.n, c.op, left);
  }
  template <scan_kind kind, class Call, class Sink, class A>
  void scan_chunk(Call const& c, Sink const& out, device_carry<A>& left) const {
    device::check_kernels<false, Call>();
    device::scan_chunk_on<kind>(*this, c.in, out, c.n, c.op, c.initial, c.first, left);
  }

  /// The same after a carry that the host has, and copies to the device.
  template <scan_kind kind, class Call, class Sink, class A>
    requires std::is_same_v<cuda_carry<A>, device_carry<A>>
  void scan_chunk(Call const& c, Sink const& out, carry<A> const& left) const {
    device::check_kernels<false, Call>();
    device::scan_after_carry_on<kind>(*this, c.in, out, c.n, c.op, c.initial, c.first, left);
  }

  /// One launch, whatever the position; waits for the totals. Recurrences have none.
  template <class Call, class Put>
    requires(!detail::continues<typename Call::operation, typename Call::accumulator>)
  void block_totals(Call const& c, std::size_t begin, Put const& put) const {
    device::check_kernels<false, Call>();
    device::block_totals_on(*this, c.in, c.n, c.op, begin, put);
  }

  static constexpr bool stores_run_lengths = true;
  template <class Marks, class... Outputs>
  detail::selected_counts<sizeof...(Outputs)> select(Marks const& marks, std::size_t n,
                                                     Outputs const&... outputs) const {
    using compiled = device::compiled_selection<Marks, Outputs...>;
    device::check_kernels<compiled::exists, Marks>();
    if constexpr (compiled::exists)
      return device::select_on(*this, device::converted<typename compiled::marks>(marks), n,
                               device::converted<typename compiled::output>(outputs)...);
    else
      return device::select_on(*this, marks, n, outputs...);
  }

  template <class It, class Out, class Levels>
  outside_counts histogram(It const& first, std::size_t n, Out const& out, std::size_t size,
                           Levels const& levels, histogram_options const& o) const {
    device::check_kernels<device::compiled_histogram<It, Out, Levels>, It>();
    return device::histogram_on(*this, first, n, out, size, levels, o);
  }
  template <class It, class Out>
  void count_indices(It const& first, std::size_t n, Out const& out, std::size_t size) const {
    device::check_kernels<device::compiled_count_indices<It, Out>, It>();
    device::count_indices_on(*this, first, n, out, size);
  }
  template <class It, class Weights, class Sink, class Op, class Levels>
  outside_counts weighted_histogram(It const& first, Weights const& weights, std::size_t n,
                                    Sink const& out, std::size_t size, Levels const& levels,
                                    Op const& op, histogram_options const& o) const {
    device::check_sort_kernels<std::iter_value_t<It>>();
    return device::weighted_histogram_on(*this, first, weights, n, out, size, levels, op, o);
  }

  /// Result i is that of elements [i, i + width); there are `count` >= 1 of them.
  template <class Source, class Sink, class Op, class A>
  void windows(Source const& in, Sink const& out, std::size_t count, std::size_t width,
               Op const& op, A const* initial) const {
    device::check_kernels<false, Source>();
    device::windows_on(*this, in, out, count, width, op, initial);
  }

  /// The sums of all elements up to each one, along columns first.
  template <class T, class R>
    requires(can_launch<T> && device::is_plain_number<T> && device::is_plain_number<R>)
  void summed_area_table(detail::matrices<T const> const& in,
                         detail::matrices<R> const& table) const {
    device::summed_area_on(*this, in, table);
  }

  /// Rows of `in` elements each become rows of `out` elements in place. Those that become longer
  /// are filled with *fill.
  template <class T>
  void resize_rows(T* x, std::size_t rows, std::size_t in, std::size_t out, T const* fill) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 128,
                  "upsweep::gpu: elements of pad and unpad must be trivially copyable and at most "
                  "128 bytes");
    device::pad_on(*this, {x, rows, in * sizeof(T), out * sizeof(T), sizeof(T), fill});
  }

  /// Offsets are in device memory and not checked.
  template <class Call, class Offsets, class Sink>
  void reduce_segments(Call const& c, Offsets const& offsets, std::size_t count,
                       Sink const& out) const {
    constexpr bool compiled = device::compiled_reduce_segments<Call, Offsets, Sink>;
    device::check_kernels<compiled, Call>();
    if constexpr (compiled)
      device::reduce_segments_on(*this, c, device::unsigned_offsets(offsets), count, out);
    else
      device::reduce_segments_on(*this, c, offsets, count, out);
  }
  template <scan_kind kind, class Call, class Offsets, class Sink>
  void scan_segments(Call const& c, Offsets const& offsets, std::size_t count,
                     Sink const& out) const {
    constexpr bool compiled = device::compiled_scan_segments<Call, Offsets, Sink>;
    device::check_kernels<compiled, Call>();
    if constexpr (compiled)
      device::scan_segments_on<kind>(*this, c, device::unsigned_offsets(offsets), count, out);
    else
      device::scan_segments_on<kind>(*this, c, offsets, count, out);
  }
  template <class Marks, class Keys, class Call, class Sink>
  std::size_t reduce_runs(Marks const& marks, Keys const& keys_to, Call const& c, Sink const& out,
                          std::size_t room) const {
    device::check_kernels<false, Call>();
    return device::reduce_runs_on(*this, marks, keys_to, c, out, room);
  }
  template <scan_kind kind, class Marks, class Keys, class Call, class Sink>
  void scan_runs(Marks const& marks, Keys const& keys, Call const& c, Sink const& out) const {
    device::check_kernels<false, Call>();
    device::scan_runs_on<kind>(*this, marks, keys, c, out);
  }

  /// Scans or reduces all lines in one launch, unless they are few and long.
  template <scan_kind kind, class T, class R, class Op, class A>
    requires can_launch<T>
  bool scan_lines(detail::line_matrices<T const, R> const& lines, bool reverse, Op const& op,
                  A const* initial, A const* first) const {
    auto const by_rows = [&] {
      return device::scan_lines_on<kind>(*this, lines, reverse, op, initial, first);
    };
    if constexpr (kind == scan_kind::inclusive && std::is_same_v<T, R> && std::is_same_v<T, A> &&
                  device::compiled_scan_lines<Op, T>) {
      auto const as_segments = [&] {
        return device::scan_contiguous_lines_on<Op>(*this, lines, reverse, initial);
      };
      if (!device::are_faster_as_rows<Op>(lines.in.columns)) return as_segments() || by_rows();
      return by_rows() || as_segments();
    } else {
      return by_rows();
    }
  }
  template <class T, class R, class Op, class A>
    requires can_launch<T>
  bool reduce_lines(detail::line_matrices<T const, R> const& lines, bool reverse, Op const& op,
                    A const* initial) const {
    return device::reduce_lines_on(*this, lines, reverse, op, initial);
  }
  template <class T, class Less>
  void sort(T* x, std::size_t n, Less const& less) const {
    device::check_sort_kernels<T, device::compiled_sort<T, Less>>();
    device::sort_on(*this, x, n, less);
  }
  template <class K, class V, class Less>
  void sort_by_key(K* keys, V* values, std::size_t n, Less const& less) const {
    using value = device::compiled_value<V>;
    constexpr bool is_integer = device::is_one_of<value, std::uint32_t, std::uint64_t>;
    static_assert(std::is_trivially_copyable_v<V>,
                  "upsweep::gpu: values that are sorted must be trivially copyable");
    device::check_sort_kernels<K, device::compiled_sort<K, Less> && is_integer>();
    device::sort_by_key_on(*this, keys, reinterpret_cast<value*>(values), n, less);
  }
  /// The positions go to `to`, which is a pointer to unsigned integers if they have 4 or 8 bytes.
  template <class It, class Out, class Less>
  void argsort(It const& first, std::size_t n, Out const& to, Less const& less) const {
    using T = std::iter_value_t<It>;
    if constexpr (std::contiguous_iterator<Out>) {
      using position = device::compiled_value<std::iter_value_t<Out>>;
      constexpr bool is_integer = device::is_one_of<position, std::uint32_t, std::uint64_t>;
      constexpr bool in_memory = std::contiguous_iterator<It>;
      device::check_sort_kernels<T, device::compiled_sort<T, Less> && is_integer && in_memory>();
      auto* const order = reinterpret_cast<position*>(std::to_address(to));
      if constexpr (in_memory)
        device::argsort_on(*this, static_cast<T const*>(std::to_address(first)), n, order, less);
      else
        device::argsort_on(*this, first, n, order, less);
    } else {
      device::check_sort_kernels<T>();
      device::argsort_on(*this, first, n, to, less);
    }
  }
  template <class It, class Out, class Less>
  void top(It const& first, std::size_t n, Out const& to, std::size_t count,
           Less const& less) const {
    device::check_sort_kernels<std::iter_value_t<It>>();
    device::top_on(*this, first, n, to, count, less);
  }
  template <class It>
  auto rank_neighbors(It const& first, std::size_t n, std::size_t rank) const {
    device::check_sort_kernels<std::iter_value_t<It>>();
    return device::rank_neighbors_on(*this, first, n, rank);
  }

  /// Runs the lines one after another, all in the stream.
  template <class F>
  void for_each_line(std::size_t count, std::size_t, F const& f) const {
    for (std::size_t line = 0; line < count; ++line) f(line, *this);
  }
};

}  // namespace upsweep
