/// Plans and launches: which kernel, with which tile, for a call of the CUDA executor.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/cuda/check.cuh>
#include <upsweep/simt/device.cuh>

#include <upsweep/cuda/executor.hpp>
#include <upsweep/cuda/kernels/reduce.hpp>
#include <upsweep/cuda/kernels/scan_ring.hpp>
#include <upsweep/cuda/kernels/scan_tiles.hpp>
#include <upsweep/cuda/kernels/scan_wave.hpp>
#include <upsweep/cuda/tuning.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace upsweep::device {

/// Where a kernel reads or writes: memory as a pointer, everything else as the iterator that it is.
template <class It>
[[nodiscard]] auto device_iterator(It const& it) {
  if constexpr (std::contiguous_iterator<It>)
    return std::to_address(it);
  else
    return it;
}
template <class It>
[[nodiscard]] bool is_vector_aligned(It const& it) {
  if constexpr (std::is_pointer_v<It>)
    return reinterpret_cast<std::uintptr_t>(it) % 16 == 0;
  else
    return false;
}

/// Sums of integers whose results are kept in at most 32 bits need no more than 32 bits on the way.
struct plus_32 {
  static constexpr bool commutative = true, exact = true;
  template <class>
  using accumulator = unsigned;
  [[nodiscard]] constexpr unsigned operator()(unsigned earlier, unsigned later) const { return earlier + later; }
};
template <class Op, class T, class U>
inline constexpr bool fits_plus_32 = std::is_same_v<Op, plus>&& std::is_integral_v<T>&& std::is_integral_v<U> && sizeof(U) <= 4 &&
                                     !std::is_same_v<U, bool>;

/// A row of the tuning as a type.
template <unsigned warps, unsigned rows, unsigned blocks_, unsigned runs_>
struct tuned {
  static constexpr unsigned blocks = blocks_, runs = runs_;
  template <class T>
  using shape = tile_shape<warps, rows, items_of<T>, blocks>;
};

/// Calls use(tuned) with the first of `rows` that is meant for that many bytes; false if there is none, or if use says so.
template <auto const& rows, std::size_t i = 0, class Use>
bool with_row(std::size_t bytes, Use const& use) {
  if constexpr (i < sizeof rows / sizeof rows[0]) {
    constexpr tuning_row row = rows[i];
    if (bytes <= row.most_bytes) return use(tuned<row.warps, row.rows, row.blocks, row.runs>{});
    return with_row<rows, i + 1>(bytes, use);
  } else {
    return false;
  }
}
template <class T, class A>
[[nodiscard]] constexpr auto const& wave_rows_for() {
  if constexpr (sizeof(T) <= 2 && sizeof(A) <= 8)
    return narrow_wave_rows;
  else if constexpr (sizeof(A) <= 4)
    return wave_rows;
  else if constexpr (sizeof(A) <= 8)
    return wide_wave_rows;
  else
    return widest_wave_rows;
}
template <class A, bool reversed>
[[nodiscard]] constexpr auto const& reduce_rows_for() {
  if constexpr (reversed)
    return reversed_reduce_rows;
  else if constexpr (sizeof(A) <= 8)
    return reduce_rows;
  else
    return widest_reduce_rows;
}
template <class A>
[[nodiscard]] constexpr auto const& ring_rows_for() {
  if constexpr (sizeof(A) <= 8)
    return ring_rows;
  else
    return widest_ring_rows;
}
template <class A>
[[nodiscard]] constexpr auto const& tiles_rows_for() {
  if constexpr (sizeof(A) <= 8)
    return tiles_rows;
  else
    return widest_tiles_rows;
}

/// Throws where a call could only fail in a less telling way.
template <class A>
void check_call(cuda const& on) {
  static_assert(std::is_trivially_copyable_v<A> && std::is_default_constructible_v<A> && sizeof(A) <= 64,
                "upsweep::cuda: accumulators must be trivially copyable, default-constructible and at most 64 bytes");
  if (on.stream == nullptr) return;
  int of_stream = 0, current = 0;
  check_cuda(cudaStreamGetDevice(on.stream, &of_stream), "ask which device the stream belongs to");
  check_cuda(cudaGetDevice(&current), "ask which device is current");
  if (of_stream != current)
    fail("upsweep::cuda: the stream belongs to device %zu, but device %zu is current; call cudaSetDevice first",
         static_cast<std::size_t>(of_stream), static_cast<std::size_t>(current));
}

template <class Kernel, class... Arguments>
void launch(cuda_plan const& plan, cuda const& on, Kernel* kernel, Arguments const&... arguments) {
  kernel<<<dim3(static_cast<unsigned>(plan.blocks)), dim3(plan.threads), plan.shared_bytes, on.stream>>>(arguments...);
  check_cuda(cudaGetLastError(), "launch '" + plan.describe() + "'");
}

/// Lets a kernel have more shared memory than the 48 KiB that need no asking; once for each device.
template <auto kernel>
void allow_shared_bytes(cuda_device const& device, std::size_t bytes) {
  static std::atomic<std::uint64_t> allowed{0};
  std::uint64_t const bit = std::uint64_t{1} << (device.number % 64);
  if ((allowed.load(std::memory_order_relaxed) & bit) != 0) return;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
             "give a block " + std::to_string(bytes) + " bytes of shared memory");
  allowed.fetch_or(bit, std::memory_order_relaxed);
}

[[nodiscard]] inline std::size_t divide_up(std::size_t n, std::size_t size) {
  return (n + size - 1) / size;
}

/// Fills in a plan that does not depend on the device.
template <class Shape, class A>
[[nodiscard]] cuda_plan plan_for(cuda_algorithm algorithm, std::size_t tile, std::size_t tiles, std::size_t blocks,
                                 std::size_t traffic) {
  return {algorithm, tile, blocks, Shape::threads, 0, 1, workspace_words::needed<A>(tiles) * sizeof(word), traffic};
}

/// Calls use(tuned, plan) with the reduction of n elements of type T. Few people reduce from the end, so that way has one shape
/// only.
template <class T, class A, bool reversed, class Use>
void with_reduce_plan(std::size_t n, cuda_device const& device, Use const& use) {
  std::size_t const bytes = n * sizeof(T);
  (void)with_row<reduce_rows_for<A, reversed>()>(bytes, [&](auto row) {
    using shape = typename decltype(row)::template shape<T>;
    std::size_t const tile = std::size_t{shape::size} << row.runs, tiles = n / tile;
    std::size_t const most = static_cast<std::size_t>(device.multiprocessors) * row.blocks - 1;
    use(row, plan_for<shape, A>(cuda_algorithm::reduce, tile, tiles, at_most(tiles, most) + 1, bytes));
    return true;
  });
}

template <cuda_algorithm which>
struct algorithm_tag {
  static constexpr cuda_algorithm value = which;
};

/// Tiles whose totals a scan may have to store, whichever kernel the device is given: a function of n and the types.
template <class T, class A>
[[nodiscard]] std::size_t scan_workspace_tiles(std::size_t n) {
  std::size_t most = 0;
  auto count = [&](auto row) {
    std::size_t const tiles = divide_up(n, decltype(row)::template shape<T>::size);
    if (most < tiles) most = tiles;
    return true;
  };
  (void)with_row<wave_rows_for<T, A>()>(n * sizeof(T), count);
  (void)with_row<tiles_rows_for<A>()>(n * sizeof(T), count);
  return most;
}

/// Calls use(algorithm, tuned, plan) with the scan of n elements from a `Source` into elements of type U. `vectors` says that the
/// input is aligned to 16 bytes, as the ring needs it, `in_order` that blocks start in order, as the wave needs it.
template <class Source, class U, class Use>
void with_scan_plan(std::size_t n, bool vectors, bool in_order, cuda_device const& device, Use const& use) {
  using T = typename Source::element;
  using A = typename Source::accumulator;
  std::size_t const bytes = n * sizeof(T), traffic = bytes + n * sizeof(U);
  std::size_t const processors = static_cast<std::size_t>(device.multiprocessors);
  std::size_t const workspace_tiles = scan_workspace_tiles<T, A>(n);
  auto try_persistent = [&](auto algorithm, auto row, std::size_t shared_bytes) {
    using shape = typename decltype(row)::template shape<T>;
    auto plan = plan_for<shape, A>(algorithm.value, shape::size, workspace_tiles,
                                   at_most(divide_up(n, shape::size), processors * row.blocks), traffic);
    plan.shared_bytes = shared_bytes;
    use(algorithm, row, plan);
    return true;
  };
  bool planned = false;
  if constexpr (!Source::reversed) {
    planned = with_row<wave_rows_for<T, A>()>(bytes, [&](auto row) {
      using shape = typename decltype(row)::template shape<T>;
      std::size_t const tiles = divide_up(n, shape::size);
      if (!in_order || tiles > most_wave_tiles || tiles > processors * row.blocks) return false;
      use(algorithm_tag<cuda_algorithm::scan_wave>{}, row,
          plan_for<shape, A>(cuda_algorithm::scan_wave, shape::size, workspace_tiles, tiles, traffic));
      return true;
    });
  }
  if constexpr (Source::plain && has_vectors<T>) {
    if (!planned && vectors)
      planned = with_row<ring_rows_for<A>()>(bytes, [&](auto row) {
        using layout = ring_layout<typename decltype(row)::template shape<T>, Source>;
        ring_plan const ring = layout::plan(device.shared_bytes);
        if (ring.stages < 2) return false;
        return try_persistent(algorithm_tag<cuda_algorithm::scan_ring>{}, row, layout::shared_bytes(ring));
      });
  }
  if (!planned)
    (void)with_row<tiles_rows_for<A>()>(
        bytes, [&](auto row) { return try_persistent(algorithm_tag<cuda_algorithm::scan_tiles>{}, row, 0); });
}

/// The elements of a call as a kernel takes them.
template <class Op, class Source>
[[nodiscard]] auto kernel_source(Source const& in, std::size_t n, Op const& op) {
  auto const first = device_iterator(in.first());
  using F = std::remove_cvref_t<decltype(in.function())>;
  return element_source<typename Source::element, std::remove_cv_t<decltype(first)>, F, Op, Source::reversed>{
      first, n, in.function(), op, is_vector_aligned(first), in.base()};
}

template <class Op, class Sink>
[[nodiscard]] auto kernel_sink(Sink const& out, std::size_t n, Op const& op) {
  auto const first = device_iterator(out.first());
  return element_sink<typename Sink::element, std::remove_cv_t<decltype(first)>, Op, Sink::reversed>{first, n, op,
                                                                                                     is_vector_aligned(first)};
}

/// Puts the reduction into the stream; `result` says where it goes.
template <class Source, class Op, class Result>
void enqueue_reduce(cuda const& on, Source const& in, std::size_t n, Op const& op, Result const& result) {
  using A = typename Source::accumulator;
  check_call<A>(on);
  auto const from = kernel_source(in, n, op);
  with_reduce_plan<typename Source::element, A, Source::reversed>(n, cuda_device::current(), [&](auto row, cuda_plan const& plan) {
    using shape = typename decltype(row)::template shape<typename Source::element>;
    auto const scratch = cuda_workspace::take(on.workspace, on.stream, plan.workspace_bytes);
    launch(plan, on, device::reduce<row.runs, shape, std::remove_cv_t<decltype(from)>, Result>, from, n, result,
           workspace_words{static_cast<word*>(scratch.memory())});
  });
}

template <class R>
__global__ void store_kernel(R* out, R value) {
  *out = value;
}
template <class R>
void store_value(cuda const& on, R* out, R const& value) {
  store_kernel<R><<<1, 1, 0, on.stream>>>(out, value);
  check_cuda(cudaGetLastError(), "store a result");
}

/// One value that a kernel leaves for the host. Each thread has its own, so that two of them can wait in one stream.
class host_slot {
 public:
  static constexpr std::size_t size = 64;
  [[nodiscard]] static void* of_this_thread() {
    thread_local host_slot slot;
    if (slot.memory_ == nullptr)
      check_cuda(cudaHostAlloc(&slot.memory_, size, cudaHostAllocPortable), "allocate memory for a result");
    return slot.memory_;
  }
  ~host_slot() {
    if (memory_ != nullptr) (void)cudaFreeHost(memory_);
  }

 private:
  void* memory_ = nullptr;
};

template <class Source, class Op>
typename Source::accumulator reduce_on(cuda const& on, Source const& in, std::size_t n, Op const& op) {
  using A = typename Source::accumulator;
  static_assert(
      !requires(A const& a) { op.accepts(a); }, "upsweep::cuda: checked operators run on the processor only");
  auto* const slot = static_cast<A*>(host_slot::of_this_thread());
  enqueue_reduce(on, in, n, op, accumulator_result<A, Op>{slot});
  check_cuda(cudaStreamSynchronize(on.stream), "finish the reduction");
  return *slot;
}

template <cuda_algorithm algorithm, scan_kind kind, class Shape, class From, class To, class A>
void launch_scan(cuda_plan const& plan, cuda const& on, cuda_device const& device, From const& from, To const& to, std::size_t n,
                 scan_start<A> const& start) {
  auto const scratch = cuda_workspace::take(on.workspace, on.stream, plan.workspace_bytes);
  workspace_words const words{static_cast<word*>(scratch.memory())};
  if constexpr (algorithm == cuda_algorithm::scan_wave) {
    launch(plan, on, scan_wave<kind, false, Shape, From, To>, from, to, start, words);
  } else if constexpr (algorithm == cuda_algorithm::scan_ring) {
    ring_plan const ring = ring_layout<Shape, From>::plan(device.shared_bytes);
    allow_shared_bytes<scan_ring<kind, Shape, From, To>>(device, plan.shared_bytes);
    launch(plan, on, scan_ring<kind, Shape, From, To>, from, to, n, start, words, ring);
  } else {
    launch(plan, on, scan_tiles<kind, Shape, From, To>, from, to, n, start, words);
  }
}

/// Puts the scan from kernel elements `from` into the stream.
template <scan_kind kind, class From, class To, class A>
void enqueue_scan(cuda const& on, From const& from, To const& to, std::size_t n, scan_start<A> const& start) {
  cuda_device const device = cuda_device::current();
  with_scan_plan<From, typename To::element>(n, from.vectors, on.blocks_start_in_order, device,
                                             [&](auto algorithm, auto row, cuda_plan const& plan) {
                                               using shape = typename decltype(row)::template shape<typename From::element>;
                                               launch_scan<algorithm.value, kind, shape>(plan, on, device, from, to, n, start);
                                             });
}

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_on(cuda const& on, Source const& in, Sink const& out, std::size_t n, Op const& op, A const* initial, A const* first,
             A const* before) {
  static_assert(
      !requires(A const& a) { op.accepts(a); }, "upsweep::cuda: checked operators run on the processor only");
  check_call<A>(on);
  auto value = [](A const* a) { return a != nullptr ? *a : A{}; };
  if constexpr (fits_plus_32<Op, typename Source::element, typename Sink::element> && !Source::transforms) {
    auto narrow = [&](A const* a) { return static_cast<unsigned>(value(a)); };
    scan_start<unsigned> const start{narrow(initial), narrow(first), narrow(before), initial != nullptr, before != nullptr};
    enqueue_scan<kind>(on, kernel_source(in, n, plus_32{}), kernel_sink(out, n, plus_32{}), n, start);
  } else {
    scan_start<A> const start{value(initial), value(first), value(before), initial != nullptr, before != nullptr};
    enqueue_scan<kind>(on, kernel_source(in, n, op), kernel_sink(out, n, op), n, start);
  }
}

/// The 2^k elements of a chunk from `position` on, which lies `position - base` behind the chunk's first.
template <class Source>
[[nodiscard]] auto part_of(Source const& in, std::size_t position, std::size_t base, std::size_t size,
                           typename Source::operation const& op) {
  using F = std::remove_cvref_t<decltype(in.function())>;
  using difference = std::iter_difference_t<typename Source::iterator>;
  return source<typename Source::iterator, F, typename Source::operation, false>(
      in.first() + static_cast<difference>(position - base), size, in.function(), op, position);
}

template <class Source, class Op, class A>
void reduce_chunk_on(cuda const& on, Source const& in, std::size_t n, Op const& op, carry<A>& left) {
  std::size_t const base = left.position();
  block_sequence const blocks(base, base + n, 62);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::size_t const size = std::size_t{1} << blocks[b].k;
    left.push(blocks[b].k, reduce_on(on, part_of(in, blocks[b].position, base, size, op), size, op), op);
  }
}

template <class Sink, class A>
__global__ void store_one(Sink out, A value) {
  out(0, value);
}

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_chunk_on(cuda const& on, Source const& in, Sink const& out, std::size_t n, Op const& op, A const* initial, A const* first,
                   carry<A>& left) {
  std::size_t const base = left.position();
  block_sequence const blocks(base, base + n, 62);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    auto const [position, k] = blocks[b];
    std::size_t const size = std::size_t{1} << k;
    auto const part = part_of(in, position, base, size, op);
    auto const to = out.first() + static_cast<std::iter_difference_t<typename Sink::iterator>>(position - base);
    A const total = reduce_on(on, part, size, op);
    scan_on<kind>(on, part, sink<typename Sink::iterator, Op, false>(to, size, op), size, op, initial, first, left.prefix());
    bool const merges = (position >> k & 1) != 0;
    left.push(k, total, op);
    if (kind == scan_kind::exclusive || !merges) continue;
    // The last prefix ends a larger aligned block than this one, so it has another association.
    auto const last = device_iterator(to + static_cast<std::iter_difference_t<typename Sink::iterator>>(size - 1));
    using U = typename Sink::element;
    element_sink<U, std::remove_cv_t<decltype(last)>, Op, false> const place{last, 1, op, false};
    store_one<<<1, 1, 0, on.stream>>>(place, initial != nullptr ? A(op(*initial, *left.prefix())) : *left.prefix());
    check_cuda(cudaGetLastError(), "store a result");
  }
}

}  // namespace upsweep::device
