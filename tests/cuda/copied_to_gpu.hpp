/// An executor for the contract's suites, whose data is in the host's memory: it copies the
/// elements of every call into device memory between fences, runs the call on the GPU, and copies
/// the results back. Its kernels are compiled by nvcc in copies_*.cu.
#pragma once

#include <support/types.hpp>
#include <upsweep/cuda/on_gpu.hpp>
#include <upsweep/cuda/stream/device_carry.hpp>
#include <upsweep/ops/catalog.hpp>
#include <upsweep/upsweep.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace upsweep::test {

using mixed_up_monoid = monoid<mixed_up, unsigned long>;

/// Elements in memory, `stride` apart.
template <class T>
struct memory_line {
  T* first;
  std::ptrdiff_t stride;
};

/// How a call runs: upsweep::gpu's own switch, and the direction.
struct manner {
  bool blocks_start_in_order, reverse;
};

/// Calls on contiguous memory, transformed by `F`. Defined in copies.cuh; instantiated for the
/// combinations below.
template <class Op, class T, class U = result_t<Op, T>, class F = detail::as_is>
struct copies {
  using A = accumulator_t<Op, detail::transformed_t<T const*, F>>;
  static A reduce(manner how, T const* in, std::size_t n, Op const& op);
  static void scan(scan_kind kind, manner how, T const* in, U* out, std::size_t n, Op const& op,
                   A const* initial, A const* first);
};
/// Chunks of a stream.
template <class Op, class T, class U = result_t<Op, T>>
struct chunk_copies {
  using A = accumulator_t<Op, T>;
  static void reduce(manner how, T const* in, std::size_t n, std::size_t base, Op const& op,
                     cuda_carry<A>& left);
  static void scan(scan_kind kind, manner how, T const* in, U* out, std::size_t n, std::size_t base,
                   Op const& op, A const* initial, A const* first, cuda_carry<A>& left);
};
/// Lines of a view, with the gaps between their elements.
template <class Op, class T>
struct line_copies {
  using A = accumulator_t<Op, T>;
  static A reduce(manner how, memory_line<T const> in, std::size_t n, Op const& op);
  static void scan(scan_kind kind, manner how, memory_line<T const> in, memory_line<T> out,
                   std::size_t n, Op const& op, A const* initial, A const* first);
};

template <class Op, class T, class U = result_t<Op, T>, class F = detail::as_is>
struct combination {};
template <class C, class... Cs>
inline constexpr bool is_among = (std::is_same_v<C, Cs> || ...);

/// The library's own kernels that are tested; narrow elements are summed into accumulators, which
/// the library has not compiled.
template <class Op, class T>
inline constexpr bool is_in_library =
    dynamic::is_compiled<dynamic::target::gpu, Op, T> &&
    (std::is_same_v<T, result_t<Op, T>> || std::is_same_v<T, std::int32_t>);

/// The combinations. All operators times all types would compile for an hour, so: sums of every
/// type (most of them are in the library), every other operator with one type or two, and of those
/// that do not commute all that there are.
template <class Op, class T, class U, class F = detail::as_is>
inline constexpr bool has_copies =
    (is_in_library<Op, T> && std::is_same_v<combination<Op, T, U, F>, combination<Op, T, T>>) ||
    is_among<combination<Op, T, U, F>,
             // copies_forms.cu: functions of transforms, and user-defined operators
             combination<plus, float, double, squared>, combination<plus, double, double, halved>,
             combination<larger_of_two, int>, combination<mixed_up_monoid, unsigned short>,
             // copies_order.cu: the operators of the suites of order
             combination<name_tree, tree_name>,
             combination<compose_maps<true>, affine_map<std::uint64_t>>,
             combination<compose_maps<false>, affine_map<double>>,
             combination<matrix_product, matrix>,
             // copies_sums.cu: sums that are kept in their accumulators' type, or in another
             combination<plus, std::int8_t>, combination<plus, std::uint8_t>,
             combination<plus, std::int16_t>, combination<plus, std::uint16_t>,
             combination<plus, std::int32_t>, combination<plus, std::uint32_t>,
             combination<plus, bfloat16>, combination<plus, std::int32_t, double>,
             combination<plus, std::int32_t, std::uint8_t>,
             // copies_structs.cu: numbers of two words, and structs from 1 to 64 bytes
             combination<plus, std::complex<float>>, combination<plus, std::complex<double>>,
             combination<mix_blobs, blob<1>>, combination<mix_blobs, blob<3>>,
             combination<mix_words, words<5>>, combination<mix_words, words<8>>,
             // copies_catalog.cu: the catalog
             combination<multiplies, std::int32_t>, combination<bit_and, std::int64_t>,
             combination<bit_or, std::uint16_t>, combination<bit_xor, std::uint32_t>,
             combination<logical_and, std::int32_t>, combination<logical_or, std::int32_t>,
             combination<logical_xor, std::int32_t>, combination<min, std::uint64_t>,
             combination<max, std::int16_t>, combination<min_number, float>,
             combination<max_number, float>, combination<gcd, std::int32_t>,
             // copies_indexed*.cu and copies_pairs.cu: the catalog's operators whose accumulators
             // are structs
             combination<argmin, float>, combination<argmax_last, float>,
             combination<argmax, double>, combination<argmin_last, std::int32_t>,
             combination<minmax, double>, combination<moments, double>,
             combination<upsweep::affine, upsweep::affine_map<std::int64_t>>,
             combination<matrix2x2_product, matrix2x2<double>>,
             combination<matrix2x2_product, matrix2x2<std::int64_t>>>;
template <class Op, class T, class U>
inline constexpr bool has_chunk_copies =
    is_among<combination<Op, T, U>, combination<name_tree, tree_name>,
             combination<compose_maps<true>, affine_map<std::uint64_t>>, combination<plus, float>,
             combination<plus, double>>;
template <class Op, class T>
inline constexpr bool has_line_copies =
    is_among<combination<Op, T>, combination<name_tree, tree_name>,
             combination<compose_maps<true>, affine_map<std::uint64_t>>,
             combination<plus, std::int32_t>, combination<plus, float>, combination<plus, double>>;

template <class It>
inline constexpr bool is_line_iterator = false;
template <class It>
  requires std::is_lvalue_reference_v<std::iter_reference_t<It>>
inline constexpr bool is_line_iterator<It> =
    std::is_same_v<It, typename detail::strided_line<
                           std::remove_reference_t<std::iter_reference_t<It>>>::iterator>;

template <class It>
[[nodiscard]] auto line_of(It const& it, std::size_t n) {
  return memory_line<std::remove_reference_t<std::iter_reference_t<It>>>{
      &it[0], n > 1 ? &it[1] - &it[0] : 1};
}

[[noreturn]] inline void no_kernel() {
  throw std::logic_error(
      "copied_to_gpu has no kernel for this operator, these elements or this kind of range: leave "
      "the test out for devices, or add the combination to copied_to_gpu.hpp");
}

/// The executor. Calls without kernels compile, and throw when they are made.
struct copied_to_gpu {
  static constexpr bool is_executor = true, has_own_memory = true;
  bool blocks_start_in_order = true;

  template <class Call, class Source = typename Call::source>
  typename Call::accumulator reduce(Call const& c) const {
    auto const& [in, n, op, how_to, initial, first] = c;
    using Op = typename Call::operation;
    using It = typename Source::iterator;
    using T = typename Source::element;
    using F = std::remove_cvref_t<decltype(in.function())>;
    using R = result_t<Op, typename Source::transformed>;
    manner const how{blocks_start_in_order, Source::reversed};
    if constexpr (std::contiguous_iterator<It> && has_copies<Op, T, R, F>) {
      return copies<Op, T, R, F>::reduce(how, std::to_address(in.first()), n, op);
    } else if constexpr (is_line_iterator<It> && has_line_copies<Op, T>) {
      auto const from = line_of(in.first(), n);
      return line_copies<Op, T>::reduce(how, {from.first, from.stride}, n, op);
    } else {
      no_kernel();
    }
  }

  template <scan_kind kind, class Call, class Sink, class Source = typename Call::source>
  void scan(Call const& c, Sink const& out) const {
    auto const& [in, n, op, how_to, initial, first] = c;
    using Op = typename Call::operation;
    using It = typename Source::iterator;
    using OutIt = typename Sink::iterator;
    using T = typename Source::element;
    using U = typename Sink::element;
    using F = std::remove_cvref_t<decltype(in.function())>;
    manner const how{blocks_start_in_order, Source::reversed};
    if constexpr (std::contiguous_iterator<It> && std::contiguous_iterator<OutIt> &&
                  has_copies<Op, T, U, F>) {
      copies<Op, T, U, F>::scan(kind, how, std::to_address(in.first()),
                                std::to_address(out.first()), n, op, initial, first);
    } else if constexpr (is_line_iterator<It> && is_line_iterator<OutIt> &&
                         has_line_copies<Op, T> && std::is_same_v<T, U>) {
      auto const from = line_of(in.first(), n);
      line_copies<Op, T>::scan(kind, how, {from.first, from.stride}, line_of(out.first(), n), n, op,
                               initial, first);
    } else {
      no_kernel();
    }
  }

  template <class A>
  using carry_of = cuda_carry<A>;

  template <class Call, class Carry, class Source = typename Call::source>
  void reduce_chunk(Call const& c, Carry& left) const {
    auto const& [in, n, op, how_to, initial, first] = c;
    using Op = typename Call::operation;
    using T = typename Source::element;
    if constexpr (has_chunk_copies<Op, T, result_t<Op, T>>)
      chunk_copies<Op, T>::reduce({blocks_start_in_order, false}, in.first(), n, in.base(), op,
                                  left);
    else
      no_kernel();
  }
  template <scan_kind kind, class Call, class Sink, class Carry,
            class Source = typename Call::source>
  void scan_chunk(Call const& c, Sink const& out, Carry& left) const {
    auto const& [in, n, op, how_to, initial, first] = c;
    using Op = typename Call::operation;
    using T = typename Source::element;
    using U = typename Sink::element;
    if constexpr (has_chunk_copies<Op, T, U>)
      chunk_copies<Op, T, U>::scan(kind, {blocks_start_in_order, false}, in.first(), out.first(), n,
                                   in.base(), op, initial, first, left);
    else
      no_kernel();
  }

  template <class F>
  void for_each_line(std::size_t count, std::size_t, F const& f) const {
    for (std::size_t i = 0; i < count; ++i) f(i, *this);
  }

  /// Whether the suites of the operator catalog may give it this operator and these elements.
  template <class Op, class T>
  static constexpr bool takes = has_copies<Op, T, result_t<Op, T>>;
};

/// What reductions along an axis ask of a device: the result goes where the results are, here into
/// the host's memory.
template <class In, class R, class F, class Op, class Options>
void transform_reduce_into(copied_to_gpu const& on, In const& in, R* out, F const& f, Op const& op,
                           Options const& o) {
  *out = static_cast<R>(upsweep::transform_reduce(on, in, f, op, o));
}

/// A backend of the suites.
struct on_gpu_copies {
  static copied_to_gpu make() { return {}; }
  static std::string name() { return "cuda"; }
};
/// The same without a kernel that relies on blocks starting in order.
struct on_gpu_copies_by_tickets {
  static copied_to_gpu make() { return {.blocks_start_in_order = false}; }
  static std::string name() { return "cuda_by_tickets"; }
};

}  // namespace upsweep::test
