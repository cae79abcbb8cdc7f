/// Which operators are precompiled over which types, and for what. This is the only such list of
/// operators: the SIMD kernels, the instances for the processor and the GPU, the tables of the C
/// interface and the laboratory take their pairs from here. What is compiled of the verbs without
/// an operator is in by_name/verbs/ and cuda/<verb>/on_gpu.hpp.
#pragma once

#include <upsweep/names/types.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/gcd.hpp>
#include <upsweep/ops/log_sum_exp.hpp>
#include <upsweep/ops/logical.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/moments.hpp>

namespace upsweep::dynamic {

/// What a pair is compiled for.
enum class target {
  simd,        ///< vector kernels, and the processor's verbs that use them
  simd_total,  ///< vector kernels of reductions only
  simd_block,  ///< vector kernels of scans of blocks that are converted to this type
  gpu,         ///< kernels of the CUDA backend, for programs that are compiled without nvcc
  call,        ///< calls by name: by_name/run.hpp, and with it the C interface and the tool
  lab          ///< textbook kernels on the emulator
};

/// A row of the list: `Op` over each of the types, for each of the targets.
template <class Op, class Types, target... targets>
struct over {};

template <class... Rows>
struct list {};

using maps = types<affine_map<float>, affine_map<double>>;
using four_widest = types<std::int32_t, std::int64_t, float, double>;
using integers_and_wide_floats = join<integers, wide_floats>;
using words_and_wide_floats =
    join<types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>, wide_floats>;

using compiled_list = list<                                                 //
    over<plus, numbers, target::simd, target::call>,                        //
    over<plus, types<bool>, target::simd_total>,                            //
    over<plus, join<integers, types<bfloat16>, wide_floats>, target::gpu>,  //
    over<plus, four_widest, target::lab>,                                   //
    over<multiplies, numbers, target::simd, target::call>,                  //
    over<multiplies, four_widest, target::gpu, target::lab>,                //
    over<min, numbers, target::call>,                                       //
    over<min, integers_and_wide_floats, target::simd>,                      //
    over<min, four_widest, target::gpu, target::lab>,                       //
    over<max, numbers, target::call>,                                       //
    over<max, integers_and_wide_floats, target::simd>,                      //
    over<max, four_widest, target::gpu, target::lab>,                       //
    over<min_number, floats, target::call>,                                 //
    over<min_number, integers_and_wide_floats, target::simd>,               //
    over<max_number, floats, target::call>,                                 //
    over<max_number, integers_and_wide_floats, target::simd>,               //
    over<bit_and, integers, target::simd, target::call>,                    //
    over<bit_and, types<std::int32_t, std::int64_t>, target::lab>,          //
    over<bit_or, integers, target::simd, target::call>,                     //
    over<bit_or, types<std::int32_t, std::int64_t>, target::lab>,           //
    over<bit_xor, integers, target::simd, target::call>,                    //
    over<bit_xor, types<std::int32_t, std::int64_t>, target::lab>,          //
    over<logical_and, numbers, target::call>,                               //
    over<logical_or, numbers, target::call>,                                //
    over<logical_xor, numbers, target::call>,                               //
    over<argmin, numbers, target::call>,                                    //
    over<argmax, numbers, target::call>,                                    //
    over<gcd, integers, target::call>,                                      //
    over<checked_plus<>, integers, target::call>,                           //
    over<checked_multiplies<>, integers, target::call>,                     //
    over<exact_sum, floats, target::call>,                                  //
    over<moments, words_and_wide_floats, target::simd_total>,               //
    over<moments, types<double>, target::simd_block>,                       //
    over<log_sum_exp, wide_floats, target::simd_total>,                     //
    over<log_sum_exp, wide_floats, target::simd_block>,                     //
    over<affine, maps, target::simd, target::gpu, target::call>,            //
    over<affine, types<affine_map<std::uint32_t>>, target::lab>>;

template <target t, class Op, class Row>
struct types_of_row {
  using type = types<>;
};
template <target t, class Op, class Types, target... targets>
  requires((targets == t) || ...)
struct types_of_row<t, Op, over<Op, Types, targets...>> {
  using type = Types;
};

template <target t, class Op, class List = compiled_list>
struct types_of_list;
template <target t, class Op, class... Rows>
struct types_of_list<t, Op, list<Rows...>> {
  using type = join<typename types_of_row<t, Op, Rows>::type...>;
};
/// The types over which `Op` is compiled for `t`.
template <target t, class Op>
using types_for = typename types_of_list<t, Op>::type;

template <target t, class F, class Op, class Types, target... targets>
constexpr void visit_row(over<Op, Types, targets...>, F& f) {
  if constexpr (((targets == t) || ...))
    for_each_type(Types{}, [&]<class T>() { f.template operator()<Op, T>(); });
}
template <target t, class F, class... Rows>
constexpr void visit_rows(list<Rows...>, F& f) {
  (visit_row<t>(Rows{}, f), ...);
}
/// Calls f.operator()<Op, T>() for each pair that is compiled for `t`, in the order of the list.
template <target t, class F>
constexpr void for_each_pair(F&& f) {
  visit_rows<t>(compiled_list{}, f);
}

template <target t, class Op, class T>
inline constexpr bool is_compiled = is_in<T, types_for<t, Op>>;

}  // namespace upsweep::dynamic
