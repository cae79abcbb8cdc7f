/// Sums and scans of lines, and logarithms of their sums of exponentials, as segments.
#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/real_types.cuh>
#include <upsweep/cuda/segments/launch.cuh>
#include <upsweep/cuda/segments/lines.hpp>
#include <upsweep/cuda/segments/log_sums.hpp>
#include <upsweep/cuda/segments/on_gpu.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::device {
namespace {

template <class T, class Op>
void reduce_lines_as_segments(gpu const& on, T const* x, std::size_t count, std::size_t size,
                              Op const& op, T* out) {
  using A = accumulator_t<Op, T>;
  A const none = identity_of<A>(op);
  segment_results<A, Op, line_results<T, Op>> const results{op, {out, op}, none, none, false, true};
  enqueue_reductions<A>(on, x, segment_call{{count * size, nullptr}, {count, nullptr}},
                        line_borders{size}, results);
}

/// The scans of `lines`, from `in` on to `out` on.
template <class T, class In, class Out, class Op>
void scan_lines(gpu const& on, In const& in, Out const& out, contiguous_lines const& lines,
                Op const& op, accumulator_t<Op, T> const* initial) {
  using A = accumulator_t<Op, T>;
  segment_call const call{{lines.count * lines.size, nullptr}, {lines.count, nullptr}};
  segment_results<A, Op, line_prefixes<Out>> const results{
      op, {out}, initial != nullptr ? *initial : A{}, A{}, initial != nullptr, true};
  enqueue_scans<scan_kind::inclusive, A, T>(on, in, call, line_borders{lines.size}, results);
}
template <class T, class Op>
void scan_from_either_end(gpu const& on, T const* x, T* out, contiguous_lines const& lines,
                          Op const& op, accumulator_t<Op, T> const* initial) {
  std::size_t const last = lines.count * lines.size - 1;
  if (lines.reverse)
    scan_lines<T>(on, reversed_memory<T const>{x + last}, reversed_memory<T>{out + last}, lines, op,
                  initial);
  else
    scan_lines<T>(on, x, out, lines, op, initial);
}

/// Whether lines have enough chunks to keep all multiprocessors busy. Blocks start in their order.
template <class E>
bool has_log_sum_chunks(gpu const& on, std::size_t count, std::size_t size) {
  if (sizeof(E) == 2) return true;  // there is nothing else
  if (!std::is_same_v<E, float>) return false;
  auto const least = 16 * static_cast<std::size_t>(device_of(on).multiprocessors);
  return on.blocks_start_in_order && count * (size / log_sum_chunk) >= least;
}
template <class E>
void log_sums_by_chunks(gpu const& on, E const* x, std::size_t count, std::size_t size,
                        float* out) {
  std::size_t const chunks = divide_up(size, log_sum_chunk), all = count * chunks;
  detail::expects(all < std::size_t{1} << 31, "logsumexp: lines are too many for one call");
  cuda_plan const plan{.algorithm = cuda_algorithm::line_functions,
                       .tile = log_sum_chunk,
                       .blocks = divide_up(all, log_sum_warps),
                       .threads = 32 * log_sum_warps,
                       .launches = 1,
                       .traffic_bytes = count * size * sizeof(E)};
  std::size_t const words = workspace_words::needed<typename log_sums_by<float>::A>(all);
  auto const memory = take_workspace(on, words * sizeof(word));
  bool const vectors = size * sizeof(E) % 16 == 0 && reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
  log_sums_call<E> const call{x, count, size, static_cast<unsigned>(chunks), vectors, out};
  launch<log_sums_of_lines<E>>(plan, on, device_of(on), call,
                               tile_tickets<true>{words_of_lease(memory)});
}

template <class E>
void log_sums(gpu const& on, log_sum_lines const& c) {
  auto const* const x = static_cast<E const*>(c.x);
  auto* const out = static_cast<log_sum_number<E>*>(c.out);
  if (c.count == 0) return;
  bool const by_chunks = has_log_sum_chunks<E>(on, c.count, c.size);
  if constexpr (sizeof(E) < sizeof(double))
    if (by_chunks) log_sums_by_chunks(on, x, c.count, c.size, out);
  if constexpr (sizeof(E) > 2)
    if (!by_chunks) reduce_lines_as_segments(on, x, c.count, c.size, log_sums_of<E>{}, out);
  if (c.size == 0) return;
  cuda_device const device = device_of(on);
  std::size_t const most = 4 * static_cast<std::size_t>(device.multiprocessors);
  cuda_plan const plan{.algorithm = cuda_algorithm::log_sums_near_zero,
                       .tile = near_threads,
                       .blocks = detail::at_most(c.count, most),
                       .threads = near_threads,
                       .launches = 1,
                       .traffic_bytes = c.count * sizeof(*out)};
  launch<log_sums_near_zero<E>>(plan, on, device, x, c.count, c.size, out);
}

}  // namespace

void sum_lines_on(gpu const& on, float const* x, std::size_t count, std::size_t size, float* out) {
  if (count > 0) reduce_lines_as_segments(on, x, count, size, plus{}, out);
}
void sum_lines_on(gpu const& on, double const* x, std::size_t count, std::size_t size,
                  double* out) {
  if (count > 0) reduce_lines_as_segments(on, x, count, size, plus{}, out);
}
template <class Op, class T>
void scan_lines_as_segments_on(gpu const& on, T const* x, T* out, contiguous_lines const& lines,
                               T const* initial) {
  if (lines.count == 0 || lines.size == 0) return;
  if constexpr (std::is_same_v<Op, min> || std::is_same_v<Op, max>) {
    using W = ordered_word<T>;
    auto const op = extremum_of<T>(std::is_same_v<Op, min>);
    W const first = initial != nullptr ? op.lift(std::bit_cast<W>(*initial)) : W{};
    scan_from_either_end(on, reinterpret_cast<W const*>(x), reinterpret_cast<W*>(out), lines, op,
                         initial != nullptr ? &first : nullptr);
  } else {
    scan_from_either_end(on, x, out, lines, Op{}, initial);
  }
}
#define UPSWEEP_CUDA_SCAN_LINES(Op, T)                                                           \
  static_assert(compiled_scan_lines<Op, T>);                                                     \
  template void scan_lines_as_segments_on<Op>(gpu const&, T const*, T*, contiguous_lines const&, \
                                              T const*);
UPSWEEP_CUDA_SCAN_LINES(plus, float)
UPSWEEP_CUDA_SCAN_LINES(plus, double)
UPSWEEP_CUDA_SCAN_LINES(multiplies, float)
UPSWEEP_CUDA_SCAN_LINES(multiplies, double)
UPSWEEP_CUDA_SCAN_LINES(min, std::int32_t)
UPSWEEP_CUDA_SCAN_LINES(min, std::int64_t)
UPSWEEP_CUDA_SCAN_LINES(min, float)
UPSWEEP_CUDA_SCAN_LINES(min, double)
UPSWEEP_CUDA_SCAN_LINES(max, std::int32_t)
UPSWEEP_CUDA_SCAN_LINES(max, std::int64_t)
UPSWEEP_CUDA_SCAN_LINES(max, float)
UPSWEEP_CUDA_SCAN_LINES(max, double)
void log_sum_lines_on(gpu const& on, log_sum_lines const& c) {
  with_real_type<float>(c.type, [&]<class E, class> { log_sums<E>(on, c); });
}

}  // namespace upsweep::device
