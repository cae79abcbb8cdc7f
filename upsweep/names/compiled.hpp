/// Which operators are precompiled over which types, and for what. This is the only such list of
/// operators: the SIMD kernels, the instances for the CPU and the GPU, the tables of the C
/// interface and the laboratory take their pairs from here. What is compiled of the verbs without
/// an operator is in by_name/verbs/ and cuda/on_gpu.hpp.
#pragma once

#include <upsweep/core/number_types.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/first_last.hpp>
#include <upsweep/ops/gcd.hpp>
#include <upsweep/ops/log_sum_exp.hpp>
#include <upsweep/ops/logical.hpp>
#include <upsweep/ops/matrix2x2.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/moments.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::dynamic {

template <class... T>
struct types {
  static constexpr std::size_t size = sizeof...(T);
};

template <class T, class List>
inline constexpr bool is_in = false;
template <class T, class... Ts>
inline constexpr bool is_in<T, types<Ts...>> = (std::is_same_v<T, Ts> || ...);

template <class... Lists>
struct joined_lists {
  using type = types<>;
};
template <class... T>
struct joined_lists<types<T...>> {
  using type = types<T...>;
};
template <class... T, class... U, class... Rest>
struct joined_lists<types<T...>, types<U...>, Rest...> : joined_lists<types<T..., U...>, Rest...> {
};
template <class... Lists>
using join = typename joined_lists<Lists...>::type;

/// Calls f.operator()<T>() for each type of the list.
template <class... T, class F>
constexpr void for_each_type(types<T...>, F&& f) {
  (f.template operator()<T>(), ...);
}

using signed_integers = types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using unsigned_integers = types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using integers = join<signed_integers, unsigned_integers>;
#ifdef UPSWEEP_HAS_FLOAT16
using narrow_floats = types<float16, bfloat16>;
#else
using narrow_floats = types<bfloat16>;
#endif
using wide_floats = types<float, double>;
using floats = join<narrow_floats, wide_floats>;
using numbers = join<integers, floats>;
using numbers_and_bool = join<numbers, types<bool>>;

/// The type that represents T in the library: for an integer, the fixed-width type of its size
/// and sign.
template <class T>
struct fixed_width {
  using type = T;
};
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
struct fixed_width<T> {
  template <class Small, class Middle, class Large, class Largest>
  using by_size =
      std::conditional_t<sizeof(T) == 1, Small,
                         std::conditional_t<sizeof(T) == 2, Middle,
                                            std::conditional_t<sizeof(T) == 4, Large, Largest>>>;
  using type =
      std::conditional_t<std::is_signed_v<T>,
                         by_size<std::int8_t, std::int16_t, std::int32_t, std::int64_t>,
                         by_size<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;
};
template <class T>
using fixed_width_t = typename fixed_width<T>::type;

/// What a pair is compiled for.
enum class target {
  simd,        ///< vector kernels, and the CPU's verbs that use them
  simd_total,  ///< vector kernels of reductions only
  simd_block,  ///< vector kernels of scans of blocks that are converted to this type
  gpu,         ///< kernels of the CUDA backend, for programs that are compiled without nvcc
  call,        ///< calls by name: by_name/run.hpp, and with it the C interface and the tool
  stream,      ///< streams by name: by_name/streams.hpp, and with it the tool
  lab          ///< textbook kernels on the emulator
};

/// A row of the list: each of the operators over each of the types, for each of the targets.
template <class Operators, class Types, target... targets>
struct over {};

template <class... Rows>
struct list {};

// Families of operators: what is compiled together. Each has the stem of its header in ops/.
using affine_operators = types<affine>;
using arg_extrema_operators = types<argmin, argmax>;
using arithmetic_operators = types<plus, multiplies>;
using bitwise_operators = types<bit_and, bit_or, bit_xor>;
using checked_operators = types<checked_plus<>, checked_multiplies<>>;
using exact_sum_operators = types<exact_sum>;
using first_last_operators = types<first, last>;
using gcd_operators = types<gcd>;
using log_sum_exp_operators = types<log_sum_exp>;
using logical_operators = types<logical_and, logical_or, logical_xor>;
using matrix2x2_operators = types<matrix2x2_product>;
using min_max_operators = types<min, max, min_number, max_number>;
using moments_operators = types<moments>;

using maps = types<affine_map<float>, affine_map<double>>;
using wide_maps = join<types<affine_map<std::int64_t>, affine_map<std::uint64_t>>, maps>;
using matrices_2x2 =
    types<matrix2x2<std::int64_t>, matrix2x2<std::uint64_t>, matrix2x2<float>, matrix2x2<double>>;
using wide_integers = types<std::int64_t, std::uint64_t>;
using wide_numbers = join<wide_integers, wide_floats>;
using words_of_64_bits = join<wide_integers, types<double>>;
using four_widest = types<std::int32_t, std::int64_t, float, double>;
using integers_and_wide_floats = join<integers, wide_floats>;
using words_and_wide_floats =
    join<types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>, wide_floats>;

using compiled_list = list<                                                                   //
    over<arithmetic_operators, numbers, target::simd, target::call>,                          //
    over<arithmetic_operators, numbers_and_bool, target::stream>,                             //
    over<types<plus>, types<bool>, target::simd_total>,                                       //
    over<types<plus>, join<integers, types<bfloat16>, wide_floats>, target::gpu>,             //
    over<types<plus>, four_widest, target::lab>,                                              //
    over<types<multiplies>, four_widest, target::gpu, target::lab>,                           //
    over<types<min, max>, numbers, target::call>,                                             //
    over<types<min_number, max_number>, floats, target::call>,                                //
    over<types<min, max>, integers_and_wide_floats, target::stream>,                          //
    over<types<min_number, max_number>, wide_floats, target::stream>,                         //
    over<min_max_operators, integers_and_wide_floats, target::simd>,                          //
    over<types<min, max>, four_widest, target::gpu, target::lab>,                             //
    over<bitwise_operators, integers, target::simd, target::call, target::stream>,            //
    over<bitwise_operators, types<std::int32_t, std::int64_t>, target::lab>,                  //
    over<logical_operators, numbers, target::call>,                                           //
    over<logical_operators, types<bool>, target::stream>,                                     //
    over<arg_extrema_operators, numbers, target::call>,                                       //
    over<types<argmin, argmax, argmin_last, argmax_last>, words_of_64_bits, target::stream>,  //
    over<gcd_operators, integers, target::call>,                                              //
    over<gcd_operators, wide_integers, target::stream>,                                       //
    over<checked_operators, integers, target::call>,                                          //
    over<checked_operators, wide_integers, target::stream>,                                   //
    over<exact_sum_operators, floats, target::call>,                                          //
    over<exact_sum_operators, wide_numbers, target::stream>,                                  //
    over<moments_operators, words_and_wide_floats, target::simd_total>,                       //
    over<moments_operators, types<double>, target::simd_block>,                               //
    over<log_sum_exp_operators, wide_floats, target::simd_total>,                             //
    over<log_sum_exp_operators, wide_floats, target::simd_block, target::stream>,             //
    over<affine_operators, maps, target::simd, target::gpu, target::call>,                    //
    over<affine_operators, wide_maps, target::stream>,                                        //
    over<first_last_operators, wide_numbers, target::stream>,                                 //
    over<matrix2x2_operators, matrices_2x2, target::stream>,                                  //
    over<affine_operators, types<affine_map<std::uint32_t>>, target::lab>>;

template <target t, class Op, class Row>
struct types_of_row {
  using type = types<>;
};
template <target t, class Op, class Operators, class Types, target... targets>
  requires(is_in<Op, Operators> && ((targets == t) || ...))
struct types_of_row<t, Op, over<Operators, Types, targets...>> {
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

template <class Op, class F, class... T>
constexpr void visit_types(types<T...>, F& f) {
  (f.template operator()<Op, T>(), ...);
}
template <target t, class F, class... Op, class Types, target... targets>
constexpr void visit_row(over<types<Op...>, Types, targets...>, F& f) {
  if constexpr (((targets == t) || ...)) (visit_types<Op>(Types{}, f), ...);
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
