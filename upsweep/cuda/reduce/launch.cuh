/// Reductions: the choice of the kernel and its tile, then its launch. The result stays on the
/// device, or the host waits for it.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/reduce/exact_sum.hpp>
#include <upsweep/cuda/reduce/reduce.hpp>

#include <bit>
#include <cstddef>
#include <iterator>
#include <type_traits>

namespace upsweep::device {

/// The plan to reduce n elements of type T.
template <class T, class A, bool reversed>
[[nodiscard]] cuda_plan pick_reduce(std::size_t n, cuda_device const& device) {
  constexpr auto const& rows = reduce_rows_for<A, reversed>();
  std::size_t const bytes = n * sizeof(T);
  unsigned const number = row_for(rows, cuda_algorithm::reduce, bytes);
  tuning_row const& row = rows[number];
  std::size_t const tile = row.tile(items_of<T>), tiles = n / tile;
  std::size_t const most = static_cast<std::size_t>(device.multiprocessors) * row.blocks - 1;
  std::size_t const turns = divide_up(tiles, most);  // the same number for each block
  return {.algorithm = cuda_algorithm::reduce,
          .row = number,
          .tile = tile,
          .blocks = (turns > 0 ? divide_up(tiles, turns) : 0) + 1,
          .threads = 32 * row.warps,
          .launches = 1,
          .workspace_bytes = workspace_words::needed<A>(tiles) * sizeof(word),
          .traffic_bytes = bytes};
}

template <class State>
[[nodiscard]] UPSWEEP_BOTH constexpr auto const& exact_threads_for() {
  if constexpr (sizeof(typename summed_type<State>::type) == 4)
    return exact_float_threads;
  else
    return exact_double_threads;
}

/// The plan to sum n elements of type T exactly.
template <class T, class State>
[[nodiscard]] cuda_plan pick_exact_sum(std::size_t n, cuda_device const& device) {
  using layout = exact_bins<typename summed_type<State>::type>;
  constexpr auto const& rows = exact_threads_for<State>();
  unsigned row = 0;
  while (row + 1 < std::size(rows) && layout::all_shared_bytes(rows[row]) > device.shared_bytes)
    ++row;
  // In the only block a thread takes half as many elements as in many blocks.
  std::size_t const in_warp = std::size_t{32} * items_of<T> * layout::vectors,
                    piece = rows[row] / 32 * in_warp,
                    warps = detail::at_most(divide_up(n, in_warp / 2), std::size_t{rows[row] / 32});
  std::size_t const useful = detail::at_most(divide_up(n, piece), most_exact_blocks);
  // Words for the most blocks that any device could have: depends only on n.
  std::size_t const words = workspace_words::header + useful * (layout::count + 1);
  return {.algorithm = cuda_algorithm::exact_sum,
          .row = row,
          .tile = piece,
          .blocks = detail::at_most(useful, static_cast<std::size_t>(device.multiprocessors)),
          .threads = 32 * static_cast<unsigned>(warps),
          .shared_bytes = layout::shared_bytes(rows[row]),
          .launches = 1,
          .workspace_bytes = words * sizeof(word),
          .traffic_bytes = n * sizeof(T)};
}

/// The shape with which the kernel of row `row` is compiled.
template <unsigned row, class From>
struct reduce_row {
  static constexpr auto const& rows = reduce_rows_for<typename From::accumulator, From::reversed>();
  static constexpr unsigned runs = rows[row].runs;
  using shape = row_shape<reduce_rows_for<typename From::accumulator, From::reversed>(), row,
                          typename From::element>;
};

/// Enqueues the reduction in the stream; `result` is its destination.
template <class Source, class Op, class Result>
void enqueue_reduce(gpu const& on, Source const& in, std::size_t n, Op const& op,
                    Result const& result) {
  using T = typename Source::element;
  auto const from = kernel_source(in, n, op);
  using source = std::remove_cv_t<decltype(from)>;
  using A = typename source::accumulator;
  cuda_device const device = device_of(on);
  if constexpr (std::is_same_v<Op, exact_sum>) {
    static_assert(
        detail::is_float<
            std::remove_cvref_t<std::invoke_result_t<decltype(in.function()), T const&>>>,
        "upsweep::gpu: exact_sum sums floating-point numbers; sums of integers are exact by "
        "`plus`");
    cuda_plan const plan = pick_exact_sum<T, A>(n, device);
    auto const scratch = take_workspace(on, plan.workspace_bytes);
    workspace_words const words = words_of_lease(scratch);
    constexpr auto const& threads = exact_threads_for<A>();
    with_row<std::size(threads)>(plan.row, [&]<unsigned row>() {
      launch<exact_sum_of<exact_threads_for<A>()[row], source, Result>>(plan, on, device, from, n,
                                                                        result, words);
    });
  } else {
    check_accumulator<A>();
    cuda_plan const plan = pick_reduce<T, A, Source::reversed>(n, device);
    auto const scratch = take_workspace(on, plan.workspace_bytes);
    workspace_words const words = words_of_lease(scratch);
    constexpr auto const& rows = reduce_rows_for<A, source::reversed>();
    with_row<std::size(rows)>(plan.row, [&]<unsigned row>() {
      using chosen = reduce_row<row, source>;
      launch<device::reduce<chosen::runs, typename chosen::shape, source, Result>>(
          plan, on, device, from, n, result, words);
    });
  }
}

/// The same by a recurrence (recurrence/launch.cuh): *out = y[n - 1].
template <class Source, class R, std::size_t order, class T>
void reduce_recurrence_into_on(gpu const& on, Source const& in, std::size_t n,
                               recurrence<order, T> const& op, R* out,
                               recurrence_state<order, T> const* initial);

/// For n >= 1: *out = finish(initial op prefix(n)), in stream order.
template <class Source, class Op, class R, class A>
void reduce_into_on(gpu const& on, Source const& in, std::size_t n, Op const& op, R* out,
                    A const* initial) {
  if constexpr (is_recurrence<Op>)
    reduce_recurrence_into_on(on, in, n, op, out, initial);
  else
    enqueue_reduce(
        on, in, n, op,
        finished_result<R, A, Op>{out, initial != nullptr ? *initial : A{}, initial != nullptr});
}

template <class R>
__global__ void store_kernel(R* out, R value) {
  wait_for_earlier_work();
  *out = value;
}
template <class R>
void store_value(gpu const& on, R* out, R const& value) {
  cuda_plan const plan{
      .algorithm = cuda_algorithm::store, .blocks = 1, .threads = 1, .launches = 1};
  launch<store_kernel<R>>(plan, on, device_of(on), out, value);
}

/// Pinned memory for one value that a kernel stores for the host. Each thread has its own, so that
/// two threads can wait for results in one stream.
class host_slot {
 public:
  static constexpr std::size_t size = 512;
  [[nodiscard]] static void* of_this_thread() {
    thread_local host_slot slot;
    if (slot.memory_ == nullptr)
      check_cuda(cudaHostAlloc(&slot.memory_, size, cudaHostAllocPortable),
                 "allocate memory for a result");
    return slot.memory_;
  }
  ~host_slot() {
    if (memory_ != nullptr) (void)cudaFreeHost(memory_);
  }

 private:
  void* memory_ = nullptr;
};

/// Where a kernel stores what the call returns; null for a call that only makes plans.
[[nodiscard]] inline void* returned_value(gpu const& on) {
  return on.plans_to != nullptr ? nullptr : host_slot::of_this_thread();
}
/// The same of counts, which may stay on the device.
[[nodiscard]] inline word* returned_counts(gpu const& on) {
  return static_cast<word*>(on.count_to != nullptr ? on.count_to : returned_value(on));
}

/// Precompiled reductions have no kernel that stores an accumulator: without an initial value and a
/// finish(), the kernel that stores a result does the same.
template <class Source, class Op>
typename Source::accumulator reduce_on(gpu const& on, Source const& in, std::size_t n,
                                       Op const& op) {
  using A = typename Source::accumulator;
  if constexpr (sums_std_complex<Source>) {
    return std::bit_cast<A>(reduce_on(on, parts_source(in, n), n, op));
  } else {
    static_assert(sizeof(A) <= host_slot::size);
    auto* const slot = static_cast<A*>(returned_value(on));
    if constexpr (compiled_reduce<Source>)
      enqueue_reduce(on, in, n, op, finished_result<A, A, Op>{slot, A{}, false});
    else
      enqueue_reduce(on, in, n, op, accumulator_result<A, Op>{slot});
    if (on.plans_to != nullptr) return A{};
    wait_for(on, "finish the reduction");
    return *slot;
  }
}

}  // namespace upsweep::device
