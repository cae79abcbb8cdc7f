/// An executor for the contract's suites, whose data is in the host's memory: it copies the
/// elements of every call into device memory between fences, runs the call on the GPU, and copies
/// the results back. Its kernels are compiled by nvcc, list by list (copies.cuh).
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
#include <tuple>
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
/// lists below.
template <class Op, class T, class U = result_t<Op, T>, class F = detail::as_is>
struct copies {
  using A = accumulator_t<Op, detail::transformed_t<T const*, F>>;
  static A reduce(manner how, T const* in, std::size_t n, Op const& op);
  static void scan(scan_kind kind, manner how, T const* in, U* out, std::size_t n, Op const& op,
                   A const* initial, A const* first);
  static constexpr std::tuple functions{&reduce, &scan};
};
/// Chunks of a stream.
template <class Op, class T, class U = result_t<Op, T>>
struct chunk_copies {
  using A = accumulator_t<Op, T>;
  static void reduce(manner how, T const* in, std::size_t n, std::size_t base, Op const& op,
                     cuda_carry<A>& left);
  static void scan(scan_kind kind, manner how, T const* in, U* out, std::size_t n, std::size_t base,
                   Op const& op, A const* initial, A const* first, cuda_carry<A>& left);
  static constexpr std::tuple functions{&reduce, &scan};
};
/// Lines of a view, with the gaps between their elements.
template <class Op, class T>
struct line_copies {
  using A = accumulator_t<Op, T>;
  static A reduce(manner how, memory_line<T const> in, std::size_t n, Op const& op);
  static void scan(scan_kind kind, manner how, memory_line<T const> in, memory_line<T> out,
                   std::size_t n, Op const& op, A const* initial, A const* first);
  static constexpr std::tuple functions{&reduce, &scan};
};

/// Compiles the functions of each class of a list. A source that CMake writes for each list
/// (CMakeLists.txt) instantiates it. All operators times all types would compile for an hour, so:
/// sums of every type (most of them are in the library), every other operator with one type or two,
/// and of those that do not commute all that there are.
template <class List>
struct compiled;
template <class... Calls>
struct compiled<dynamic::types<Calls...>> {
  static constexpr std::tuple<decltype(Calls::functions)...> functions{Calls::functions...};
};

namespace lists {

/// The library's own kernels, as the suites reach them.
using compiled_copies =
    dynamic::types<copies<plus, std::int32_t, std::int32_t>, copies<plus, std::int64_t>,
                   copies<plus, std::uint64_t>, copies<plus, float>, copies<plus, double>,
                   copies<multiplies, float>, copies<multiplies, double>, copies<min, float>,
                   copies<min, double>, copies<max, float>, copies<max, double>,
                   copies<upsweep::affine, upsweep::affine_map<float>>,
                   copies<upsweep::affine, upsweep::affine_map<double>>>;
/// Functions of transforms, and operators that a user would write.
using forms_copies =
    dynamic::types<copies<plus, float, double, squared>, copies<plus, double, double, halved>,
                   copies<larger_of_two, int>, copies<mixed_up_monoid, unsigned short>>;
/// Operators that show every grouping, or that do not commute.
using order_copies =
    dynamic::types<copies<name_tree, tree_name>,
                   copies<compose_maps<true>, affine_map<std::uint64_t>>,
                   copies<compose_maps<false>, affine_map<double>>, copies<matrix_product, matrix>>;
/// Sums of narrow numbers, kept in their accumulators' type or in another than their own.
using sums_copies =
    dynamic::types<copies<plus, std::int8_t>, copies<plus, std::uint8_t>,
                   copies<plus, std::int16_t>, copies<plus, std::uint16_t>,
                   copies<plus, std::int32_t>, copies<plus, std::uint32_t>, copies<plus, bfloat16>,
                   copies<plus, std::int32_t, double>, copies<plus, std::int32_t, std::uint8_t>>;
/// Complex numbers, and structs from 1 to 64 bytes.
using structs_copies =
    dynamic::types<copies<plus, std::complex<float>>, copies<plus, std::complex<double>>,
                   copies<mix_blobs, blob<1>>, copies<mix_blobs, blob<3>>,
                   copies<mix_words, words<5>>, copies<mix_words, words<8>>>;
/// The catalog's operators whose accumulators are numbers.
using catalog_copies =
    dynamic::types<copies<multiplies, std::int32_t>, copies<bit_and, std::int64_t>,
                   copies<bit_or, std::uint16_t>, copies<bit_xor, std::uint32_t>,
                   copies<logical_and, std::int32_t>, copies<logical_or, std::int32_t>,
                   copies<logical_xor, std::int32_t>, copies<min, std::uint64_t>,
                   copies<max, std::int16_t>, copies<min_number, float>, copies<max_number, float>,
                   copies<gcd, std::int32_t>>;
/// Those whose accumulators are a float and its position.
using indexed_copies = dynamic::types<copies<argmin, float>, copies<argmax_last, float>>;
/// Another number and its position.
using indexed_others_copies =
    dynamic::types<copies<argmax, double>, copies<argmin_last, std::int32_t>>;
/// Several numbers.
using pairs_copies = dynamic::types<copies<minmax, double>, copies<moments, double>,
                                    copies<upsweep::affine, upsweep::affine_map<std::int64_t>>,
                                    copies<matrix2x2_product, matrix2x2<double>>,
                                    copies<matrix2x2_product, matrix2x2<std::int64_t>>>;
using all_copies =
    dynamic::join<compiled_copies, forms_copies, order_copies, sums_copies, structs_copies,
                  catalog_copies, indexed_copies, indexed_others_copies, pairs_copies>;
/// Those of the suites of streams and of axes; of the second, lines whose elements are a stride
/// apart.
using stream_copies = dynamic::types<chunk_copies<name_tree, tree_name>,
                                     chunk_copies<compose_maps<true>, affine_map<std::uint64_t>>,
                                     chunk_copies<plus, float>, chunk_copies<plus, double>>;
using strided_copies = dynamic::types<
    line_copies<name_tree, tree_name>, line_copies<compose_maps<true>, affine_map<std::uint64_t>>,
    line_copies<plus, std::int32_t>, line_copies<plus, float>, line_copies<plus, double>>;

}  // namespace lists

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
    if constexpr (std::contiguous_iterator<It> &&
                  dynamic::is_in<copies<Op, T, R, F>, lists::all_copies>) {
      return copies<Op, T, R, F>::reduce(how, std::to_address(in.first()), n, op);
    } else if constexpr (is_line_iterator<It> &&
                         dynamic::is_in<line_copies<Op, T>, lists::strided_copies>) {
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
                  dynamic::is_in<copies<Op, T, U, F>, lists::all_copies>) {
      copies<Op, T, U, F>::scan(kind, how, std::to_address(in.first()),
                                std::to_address(out.first()), n, op, initial, first);
    } else if constexpr (is_line_iterator<It> && is_line_iterator<OutIt> &&
                         dynamic::is_in<line_copies<Op, T>, lists::strided_copies> &&
                         std::is_same_v<T, U>) {
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
    if constexpr (dynamic::is_in<chunk_copies<Op, T>, lists::stream_copies>)
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
    if constexpr (dynamic::is_in<chunk_copies<Op, T, U>, lists::stream_copies>)
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
  static constexpr bool takes = dynamic::is_in<copies<Op, T>, lists::all_copies>;
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
