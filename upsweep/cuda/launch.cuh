/// Launches: the calls of the CUDA executor become kernels in a stream.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/cuda/check.cuh>
#include <upsweep/simt/device.cuh>

#include <upsweep/cuda/executor.hpp>
#include <upsweep/cuda/planning.cuh>

#include <atomic>
#include <bit>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
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

/// std::complex without its functions, which do not work on the device: the same bytes, added part
/// by part.
template <class T>
struct complex_parts {
  T real, imaginary;
  friend __host__ __device__ complex_parts operator+(complex_parts const& a,
                                                     complex_parts const& b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
};
template <class T>
inline constexpr bool is_std_complex = false;
template <class T>
inline constexpr bool is_std_complex<std::complex<T>> = true;
template <class Source>
inline constexpr bool sums_std_complex =
    is_memory_source<Source> && is_std_complex<typename Source::element> &&
    std::is_same_v<typename Source::operation, plus>;
/// The same elements as complex_parts.
template <class Source>
[[nodiscard]] auto parts_source(Source const& in, std::size_t n) {
  using parts = complex_parts<typename Source::element::value_type>;
  static constexpr as_is f;
  static constexpr plus op;
  return source<parts const*, as_is, plus, Source::reversed>(
      reinterpret_cast<parts const*>(std::to_address(in.first())), n, f, op);
}

/// Whether sums of T that are kept as U need no more than 32 bits.
template <class Op, class T, class U>
inline constexpr bool fits_plus_32 =
    std::is_same_v<Op, plus> && std::is_integral_v<T> && std::is_integral_v<U> && sizeof(U) <= 4 &&
    !std::is_same_v<U, bool>;

template <class A>
void check_accumulator() {
  static_assert(
      std::is_trivially_copyable_v<A> && std::is_default_constructible_v<A> && sizeof(A) <= 64,
      "upsweep::cuda: accumulators must be trivially copyable, default-constructible and at most "
      "64 bytes");
  static_assert(!is_std_complex<A>,
                "upsweep::cuda: std::complex has no functions on the device; sums of it in memory "
                "work, for the rest use cuda::std::complex");
}

/// Readies a kernel for the device, once: lets it have more shared memory than the 48 KiB that need
/// no asking. Returns whether it may be launched before earlier work of its stream has ended,
/// because its machine code waits for that itself: what is compiled for sm_80 does not, even if the
/// driver has translated it for a newer device.
template <auto kernel>
[[nodiscard]] bool ready_kernel(cuda_device const& device, std::size_t shared_bytes) {
  static std::atomic<std::uint64_t> ready{0}, waits{0};
  std::uint64_t const bit = std::uint64_t{1} << (device.number % 64);
  if ((ready.load(std::memory_order_acquire) & bit) == 0) {
    cudaFuncAttributes found{};
    check_cuda(cudaFuncGetAttributes(&found, kernel), "ask about a kernel");
    if (found.ptxVersion >= 90) waits.fetch_or(bit, std::memory_order_relaxed);
    if (shared_bytes > 0)
      check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(shared_bytes)),
                 [&] {
                   return "give a block " + std::to_string(shared_bytes) +
                          " bytes of shared memory";
                 });
    ready.fetch_or(bit, std::memory_order_release);
  }
  return (waits.load(std::memory_order_relaxed) & bit) != 0;
}

/// Launches a kernel that calls wait_for_earlier_work(). The error is that of this launch: <<<>>>
/// leaves it as the last error of the thread, where somebody else may have left another.
template <auto kernel, class... Arguments>
[[nodiscard]] cudaError_t try_launch(cuda const& on, cuda_device const& device, std::size_t blocks,
                                     unsigned threads, std::size_t shared_bytes,
                                     Arguments const&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t shape{};
  shape.gridDim = dim3(static_cast<unsigned>(blocks));
  shape.blockDim = dim3(threads);
  shape.dynamicSmemBytes = shared_bytes;
  shape.stream = on.stream;
  shape.attrs = &early;
  shape.numAttrs = ready_kernel<kernel>(device, shared_bytes) ? 1 : 0;
  return cudaLaunchKernelEx(&shape, kernel, arguments...);
}
template <auto kernel, class... Arguments>
void launch(cuda_plan const& plan, cuda const& on, cuda_device const& device,
            Arguments const&... arguments) {
  check_cuda(
      try_launch<kernel>(on, device, plan.blocks, plan.threads, plan.shared_bytes, arguments...),
      [&] { return "launch '" + plan.describe() + "'"; });
}

/// The elements of a call as a kernel takes them.
template <class Op, class Source>
[[nodiscard]] auto kernel_source(Source const& in, std::size_t n, Op const& op) {
  auto const first = device_iterator(in.first());
  using F = std::remove_cvref_t<decltype(in.function())>;
  return element_source<typename Source::element, std::remove_cv_t<decltype(first)>, F, Op,
                        Source::reversed>{first,    n, in.function(), op, is_vector_aligned(first),
                                          in.base()};
}

template <class Op, class Sink>
[[nodiscard]] auto kernel_sink(Sink const& out, std::size_t n, Op const& op) {
  using U = typename Sink::element;
  auto const first = device_iterator(out.first());
  return element_sink<U, std::remove_cv_t<decltype(first)>, Op, Sink::reversed>{
      first, n, op, is_vector_aligned(first), output_leaves_cache_first(n * sizeof(U))};
}

/// Puts the exact sum into the stream.
template <class Source, class Result>
void enqueue_exact_sum(cuda const& on, Source const& in, std::size_t n, exact_sum const& op,
                       Result const& result) {
  using element = typename Source::element;
  using value = std::remove_cvref_t<std::invoke_result_t<decltype(in.function()), element const&>>;
  static_assert(
      is_float<value>,
      "upsweep::cuda: exact_sum sums floating-point numbers; sums of integers are exact by `plus`");
  cuda_device const device = cuda_device::current();
  with_exact_plan<element, typename Source::accumulator>(
      n, device, [&](auto threads, cuda_plan const& plan) {
        auto const from = kernel_source(in, n, op);
        auto const scratch = cuda_workspace::take(on.workspace, on.stream, plan.workspace_bytes);
        launch<exact_sum_of<threads.value, std::remove_cv_t<decltype(from)>, Result>>(
            plan, on, device, from, n, result,
            workspace_words{static_cast<word*>(scratch.memory())});
      });
}

/// Puts the reduction into the stream; `result` says where it goes.
template <class Source, class Op, class Result>
void enqueue_reduce(cuda const& on, Source const& in, std::size_t n, Op const& op,
                    Result const& result) {
  using A = typename Source::accumulator;
  using element = typename Source::element;
  if constexpr (std::is_same_v<Op, exact_sum>) {
    enqueue_exact_sum(on, in, n, op, result);
  } else {
    check_accumulator<A>();
    auto const from = kernel_source(in, n, op);
    cuda_device const device = cuda_device::current();
    with_reduce_plan<element, A, Source::reversed>(n, device, [&](auto row, cuda_plan const& plan) {
      using shape = typename decltype(row)::template shape<element>;
      auto const scratch = cuda_workspace::take(on.workspace, on.stream, plan.workspace_bytes);
      launch<device::reduce<row.runs, shape, std::remove_cv_t<decltype(from)>, Result>>(
          plan, on, device, from, n, result, workspace_words{static_cast<word*>(scratch.memory())});
    });
  }
}

template <class R>
__global__ void store_kernel(R* out, R value) {
  wait_for_earlier_work();
  *out = value;
}
template <class R>
void store_value(cuda const& on, R* out, R const& value) {
  check_cuda(try_launch<store_kernel<R>>(on, cuda_device::current(), 1, 1, 0, out, value),
             "store a result");
}

/// One value that a kernel leaves for the host. Each thread has its own, so that two of them can
/// wait in one stream.
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

template <class Source, class Op>
typename Source::accumulator reduce_on(cuda const& on, Source const& in, std::size_t n,
                                       Op const& op) {
  using A = typename Source::accumulator;
  if constexpr (sums_std_complex<Source>) {
    return std::bit_cast<A>(reduce_on(on, parts_source(in, n), n, op));
  } else {
    auto* const slot = static_cast<A*>(host_slot::of_this_thread());
    enqueue_reduce(on, in, n, op, accumulator_result<A, Op>{slot});
    check_cuda(cudaStreamSynchronize(on.stream), "finish the reduction");
    return *slot;
  }
}

/// Whether the operator refuses some accumulators, as the checked ones do.
template <class Op, class A>
inline constexpr bool refuses = requires(Op const& op, A const& a) { op.accepts(a); };

/// When `total`, of the n elements behind `before`, is refused: finds the shortest prefix that is,
/// by halving, and throws what finishing it throws. Longer prefixes than a refused one are refused.
template <class Source, class Op, class A>
void expect_accepted_on(cuda const& on, Source const& in, std::size_t n, Op const& op,
                        A const& total, A const* before) {
  if (op.accepts(total)) return;
  using It = typename Source::iterator;
  using part = source<It, std::remove_cvref_t<decltype(in.function())>, Op, Source::reversed>;
  A refused = total;
  std::size_t accepted = 0, end = n;  // prefixes of so many elements are accepted, and refused
  while (end - accepted > 1) {
    std::size_t const middle = accepted + (end - accepted) / 2;
    std::size_t const skipped = Source::reversed ? n - middle : 0;
    A prefix = reduce_on(on,
                         part(in.first() + static_cast<std::iter_difference_t<It>>(skipped), middle,
                              in.function(), op, in.base() + skipped),
                         middle, op);
    if (before != nullptr) prefix = op(*before, prefix);
    if (op.accepts(prefix)) {
      accepted = middle;
    } else {
      end = middle;
      refused = prefix;
    }
  }
  (void)upsweep::finish(op, refused);
}

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_on(cuda const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
             A const* initial, A const* first);

/// The scan by an operator that refuses: first the reduction, which knows whether any prefix is
/// refused, then the scan by the operator that does not ask. So the elements are read twice, and
/// the call waits for the first.
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_checked_on(cuda const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
                     A const* initial, A const* first) {
  using It = typename Source::iterator;
  using unchecked = typename Op::unchecked;
  using F = std::remove_cvref_t<decltype(in.function())>;
  using trusting_source = source<It, F, unchecked, Source::reversed>;
  using B = typename trusting_source::accumulator;
  unchecked const trusting{};
  std::size_t const needed = kind == scan_kind::exclusive ? n - 1 : n;
  if (needed > 0) {
    std::size_t const skipped = Source::reversed ? n - needed : 0;
    source<It, F, Op, Source::reversed> const all(
        in.first() + static_cast<std::iter_difference_t<It>>(skipped), needed, in.function(), op,
        in.base() + skipped);
    A const total = reduce_on(on, all, needed, op);
    expect_accepted_on(on, all, needed, op, initial != nullptr ? A(op(*initial, total)) : total,
                       initial);
  }
  auto value = [](A const* a) {
    return a != nullptr ? std::optional<B>(static_cast<B>(a->total)) : std::nullopt;
  };
  auto pointer = [](std::optional<B> const& b) { return b ? &*b : nullptr; };
  auto const initial_value = value(initial), first_value = value(first);
  scan_on<kind>(on, trusting_source(in.first(), n, in.function(), trusting, in.base()),
                sink<typename Sink::iterator, unchecked, Sink::reversed>(out.first(), n, trusting),
                n, trusting, pointer(initial_value), pointer(first_value));
}

template <cuda_algorithm algorithm, scan_kind kind, class Shape, class From, class To, class A>
void launch_scan(cuda_plan const& plan, cuda const& on, cuda_device const& device, From const& from,
                 To const& to, std::size_t n, scan_start<A> const& start) {
  auto const scratch = cuda_workspace::take(on.workspace, on.stream, plan.workspace_bytes);
  workspace_words const words{static_cast<word*>(scratch.memory())};
  if constexpr (algorithm == cuda_algorithm::scan_wave) {
    launch<scan_wave<kind, false, Shape, From, To>>(plan, on, device, from, to, start, words);
  } else if constexpr (algorithm == cuda_algorithm::scan_ring) {
    launch<scan_ring<kind, Shape, From, To>>(
        plan, on, device, from, to, n, start, words, ring_plan_for<Shape, From>(device, n),
        whole_array<A, typename From::operation, ring_parts>{});
  } else {
    launch<scan_tiles<kind, Shape, From, To>>(plan, on, device, from, to, n, start, words);
  }
}

/// Puts the scan from kernel elements `from` into the stream.
template <scan_kind kind, class From, class To, class A>
void enqueue_scan(cuda const& on, From const& from, To const& to, std::size_t n,
                  scan_start<A> const& start) {
  cuda_device const device = cuda_device::current();
  with_scan_plan<From, typename To::element>(
      n, from.vectors, on.blocks_start_in_order, device,
      [&](auto algorithm, auto row, cuda_plan const& plan) {
        using shape = typename decltype(row)::template shape<typename From::element>;
        launch_scan<algorithm.value, kind, shape>(plan, on, device, from, to, n, start);
      });
}

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_on(cuda const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
             A const* initial, A const* first) {
  static_assert(!std::is_same_v<Op, exact_sum>,
                "upsweep::cuda: exact_sum is for reductions; its scans run on the processor");
  if constexpr (refuses<Op, A>) {
    scan_checked_on<kind>(on, in, out, n, op, initial, first);
  } else if constexpr (sums_std_complex<Source> &&
                       std::contiguous_iterator<typename Sink::iterator> &&
                       std::is_same_v<typename Source::element, typename Sink::element>) {
    using parts = complex_parts<typename A::value_type>;
    auto value = [](A const* a) { return reinterpret_cast<parts const*>(a); };
    sink<parts*, Op, Sink::reversed> const to(
        reinterpret_cast<parts*>(std::to_address(out.first())), n, op);
    scan_on<kind>(on, parts_source(in, n), to, n, op, value(initial), value(first));
  } else {
    check_accumulator<A>();
    auto value = [](A const* a) { return a != nullptr ? *a : A{}; };
    if constexpr (fits_plus_32<Op, typename Source::element, typename Sink::element> &&
                  !Source::transforms) {
      auto narrow = [&](A const* a) { return static_cast<unsigned>(value(a)); };
      scan_start<unsigned> const start{narrow(initial), narrow(first), initial != nullptr};
      enqueue_scan<kind>(on, kernel_source(in, n, plus_32{}), kernel_sink(out, n, plus_32{}), n,
                         start);
    } else {
      scan_start<A> const start{value(initial), value(first), initial != nullptr};
      enqueue_scan<kind>(on, kernel_source(in, n, op), kernel_sink(out, n, op), n, start);
    }
  }
}

}  // namespace upsweep::device
