/// The arguments of a call in the form that kernels take: elements, results, operator, workspace,
/// and the tile shape of a tuning row.
#pragma once

#include <upsweep/simt/device.cuh>

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/tile.hpp>
#include <upsweep/cuda/executor.hpp>
#include <upsweep/cuda/recurrence/powers.hpp>
#include <upsweep/cuda/tuning.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

namespace upsweep::device {

[[nodiscard]] inline std::size_t divide_up(std::size_t n, std::size_t size) {
  return (n + size - 1) / size;
}

/// A tuning row as the tile shape with which kernels for elements of type T are compiled.
template <auto const& rows, unsigned row, class T>
using row_shape = tile_shape<rows[row].warps, rows[row].rows, items_of<T>, rows[row].blocks>;

/// The iterator with which a kernel reads or writes: a pointer for contiguous memory, and two of
/// them with their function for two inputs.
template <class It>
[[nodiscard]] auto device_iterator(It const& it) {
  if constexpr (std::contiguous_iterator<It>) {
    return std::to_address(it);
  } else if constexpr (requires { it.elements().f; }) {
    auto const& [first, second, f] = it.elements();
    auto const x = device_iterator(first + it.index());
    auto const y = device_iterator(second + it.index());
    return zipped_pointers<std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(y)>,
                           std::remove_cvref_t<decltype(*f)>>{x, y, *f};
  } else {
    return it;
  }
}
/// Whether the address `head` elements before `first` is aligned to 16 bytes.
template <class It>
[[nodiscard]] bool is_vector_aligned(It const& first, std::size_t head = 0) {
  if constexpr (std::is_pointer_v<It>)
    return (reinterpret_cast<std::uintptr_t>(first) - head * sizeof(*first)) % 16 == 0;
  else
    return false;
}

template <class Op, class Source>
[[nodiscard]] auto kernel_source(Source const& in, std::size_t n, Op const& op) {
  auto const first = device_iterator(in.first());
  using F = std::remove_cvref_t<decltype(in.function())>;
  return element_source<typename Source::element, std::remove_cv_t<decltype(first)>, F, Op,
                        Source::reversed>{first,    n, in.function(), op, is_vector_aligned(first),
                                          in.base()};
}
/// What a sink needs of `op`, which is less than the table of a recurrence.
template <class Op>
[[nodiscard]] auto sink_operation(Op const& op) {
  if constexpr (depends_on_length<Op>)
    return newest_result{};
  else
    return op;
}
template <class Op, class Sink>
[[nodiscard]] auto kernel_sink(Sink const& out, std::size_t n, Op const& op) {
  using U = typename Sink::element;
  auto const first = device_iterator(out.first());
  auto const finish = sink_operation(op);
  return element_sink<U, std::remove_cv_t<decltype(first)>, std::remove_cv_t<decltype(finish)>,
                      Sink::reversed>{first, n, finish, is_vector_aligned(first),
                                      output_leaves_cache_first(n * sizeof(U))};
}
[[nodiscard]] inline workspace_words words_of_lease(cuda_workspace::lease const& scratch) {
  return {static_cast<word*>(scratch.memory())};
}

/// Whether 32 bits suffice for sums of T that are stored as U.
template <class Op, class T, class U>
inline constexpr bool fits_plus_32 =
    std::is_same_v<Op, plus> && std::is_integral_v<T> && std::is_integral_v<U> && sizeof(U) <= 4 &&
    !std::is_same_v<U, bool>;
/// The operator with which a kernel scans elements of type T by `op` into elements of type U.
template <class T, class U, class Op>
[[nodiscard]] auto kernel_operation_for(Op const& op) {
  if constexpr (fits_plus_32<Op, T, U>)
    return plus_32{};
  else
    return op;
}
/// The same for a source, which may transform its elements.
template <class Source, class U, class Op>
[[nodiscard]] auto kernel_operation(Op const& op) {
  if constexpr (Source::transforms)
    return op;
  else
    return kernel_operation_for<typename Source::element, U>(op);
}

/// The operator of kernels that scan and reduce by `Op`.
template <class Op>
struct kernel_form {
  using type = Op;
};
template <std::size_t order, class T>
struct kernel_form<recurrence<order, T>> {
  using type = recurrence_powers<order, T>;
};
template <class Op>
inline constexpr bool is_recurrence = !std::is_same_v<typename kernel_form<Op>::type, Op>;

/// Whether the operator does not accept some accumulators, as the checked ones do.
template <class Op, class A>
inline constexpr bool refuses = requires(Op const& op, A const& a) { op.accepts(a); };

/// std::complex without its functions, which do not work on the device. It has the same layout and
/// is added part by part.
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
  static constexpr detail::as_is f;
  static constexpr plus op;
  return source<parts const*, detail::as_is, plus, Source::reversed>(
      reinterpret_cast<parts const*>(std::to_address(in.first())), n, f, op);
}
/// The same results as complex_parts.
template <class Sink, class Op>
[[nodiscard]] auto parts_sink(Sink const& out, std::size_t n, Op const& op) {
  using parts = complex_parts<typename Sink::element::value_type>;
  return sink<parts*, Op, Sink::reversed>(reinterpret_cast<parts*>(std::to_address(out.first())), n,
                                          op);
}

template <class A>
inline constexpr bool is_recurrence_state = false;
template <std::size_t order, class T>
inline constexpr bool is_recurrence_state<recurrence_state<order, T>> = true;

template <class A>
void check_accumulator() {
  static_assert(
      std::is_trivially_copyable_v<A> && std::is_default_constructible_v<A> && sizeof(A) <= 64,
      "upsweep::gpu: accumulators must be trivially copyable, default-constructible and at most "
      "64 bytes");
  static_assert(!is_std_complex<A>,
                "upsweep::gpu: std::complex has no functions on the device; only sums of "
                "contiguous memory support it, for other calls use cuda::std::complex");
  static_assert(
      !is_recurrence_state<A>,
      "upsweep::gpu: recurrences scan and reduce whole arrays; their streams, windows and "
      "segments run on the CPU");
}

}  // namespace upsweep::device
