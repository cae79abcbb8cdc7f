/// How one pair of type and operator is called on a GPU through the C interface: an entry of
/// untyped functions over the compiled kernels.
#pragma once

#include <upsweep/cuda.cuh>

#include <upsweep/c_api/type_of.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

namespace upsweep::c_api {

/// The arguments of a call, already checked.
struct cuda_call {
  cuda on;
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
  static_assert(device::is_compiled_pair<T, Op>);
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

  static constexpr cuda_entry entry(upsweep_operator op) {
    return {type_of<T>, op,        type_of<A>,         reduce,
            inclusive,  exclusive, plan_reduce<T, Op>, plan_scan<T, T, Op>};
  }
};

template <class Op, class... T>
constexpr std::array<cuda_entry, sizeof...(T)> cuda_entries(upsweep_operator op) {
  return {cuda_typed<T, Op>::entry(op)...};
}

}  // namespace upsweep::c_api
