/// How one pair of type and operator is called on a GPU through the C interface: an entry of
/// untyped functions over the compiled kernels.
#pragma once

#include <upsweep/cuda.cuh>

#include <upsweep/c_api/vocabulary.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

namespace upsweep::c_api {

/// The arguments of a call, already checked.
struct cuda_call {
  gpu on;
  void const* in;
  std::size_t n;
  bool reverse;
  void const* initial;
  void* out;
};

/// One type with one operator.
struct cuda_entry {
  upsweep_type type;
  upsweep_operator op;
  upsweep_type result;  ///< of a reduction; a scan stores elements of `type`
  void (*reduce)(cuda_call const& c);
  void (*inclusive)(cuda_call const& c);
  void (*exclusive)(cuda_call const& c);
  cuda_plan (*plan_reduce)(std::size_t n, cuda_device const& device, cuda_plan_options const& o);
  cuda_plan (*plan_scan)(std::size_t n, cuda_device const& device, cuda_plan_options const& o);
};

template <class T, class Op>
struct cuda_typed {
  static_assert(dynamic::is_compiled<dynamic::target::gpu, Op, T>);
  using A = accumulator_t<Op, T>;

  static options<A> options_of(cuda_call const& c) {
    options<A> o;
    o.reverse = c.reverse;
    if (c.initial) o.initial = *static_cast<A const*>(c.initial);
    return o;
  }
  static std::span<T const> elements(cuda_call const& c) {
    return {static_cast<T const*>(c.in), c.n};
  }
  static std::span<T> results(cuda_call const& c) { return {static_cast<T*>(c.out), c.n}; }

  static void reduce(cuda_call const& c) {
    reduce_into(c.on, elements(c), static_cast<A*>(c.out), Op{}, options_of(c));
  }
  static void inclusive(cuda_call const& c) {
    inclusive_scan(c.on, elements(c), results(c), Op{}, options_of(c));
  }
  static void exclusive(cuda_call const& c) {
    exclusive_scan(c.on, elements(c), results(c), Op{}, options_of(c));
  }

  static constexpr cuda_entry entry() {
    return {type_of(dynamic::dtype_of<T>),
            operator_of(catalog::id_of<Op>),
            type_of(dynamic::dtype_of<A>),
            reduce,
            inclusive,
            exclusive,
            plan_reduce<T, Op>,
            plan_scan<T, T, Op>};
  }
};

/// The pairs that the library has compiled, less the recurrences, which have no type in C.
constexpr auto cuda_entries = [] {
  using namespace dynamic;
  constexpr std::size_t count =
      types_for<target::gpu, plus>::size + types_for<target::gpu, multiplies>::size +
      types_for<target::gpu, min>::size + types_for<target::gpu, max>::size;
  std::array<cuda_entry, count> all{};
  std::size_t at = 0;
  for_each_pair<target::gpu>([&]<class Op, class T>() {
    if constexpr (!std::is_same_v<Op, affine>) all[at++] = cuda_typed<T, Op>::entry();
  });
  return all;
}();

}  // namespace upsweep::c_api
