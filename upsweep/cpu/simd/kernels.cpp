/// The instantiations behind kernels.hpp: each forwards to the kernel of the SIMD target in use.
#include <upsweep/cpu/simd/families.hpp>

namespace upsweep::simd {
namespace {

template <std::size_t bytes, bool is_signed>
struct fixed_integer;
template <>
struct fixed_integer<1, true> : std::type_identity<std::int8_t> {};
template <>
struct fixed_integer<1, false> : std::type_identity<std::uint8_t> {};
template <>
struct fixed_integer<2, true> : std::type_identity<std::int16_t> {};
template <>
struct fixed_integer<2, false> : std::type_identity<std::uint16_t> {};
template <>
struct fixed_integer<4, true> : std::type_identity<std::int32_t> {};
template <>
struct fixed_integer<4, false> : std::type_identity<std::uint32_t> {};
template <>
struct fixed_integer<8, true> : std::type_identity<std::int64_t> {};
template <>
struct fixed_integer<8, false> : std::type_identity<std::uint64_t> {};

/// A min_number of integers is their min.
template <class Op, class T>
using operator_for = std::conditional_t<
    std::is_integral_v<T> && std::is_same_v<Op, min_number>, min,
    std::conditional_t<std::is_integral_v<T> && std::is_same_v<Op, max_number>, max, Op>>;

/// The type that stands for T in a kernel: its fixed-width equal, or the unsigned one where both
/// have the same bits.
template <template <class, class> class Entry, class Op, class T>
struct entry_for {
  using type = Entry<Op, T>;
};
template <template <class, class> class Entry, class Op, class T>
  requires(std::is_integral_v<T>)
struct entry_for<Entry, Op, T> {
  using same_sign =
      Entry<operator_for<Op, T>, typename fixed_integer<sizeof(T), std::is_signed_v<T>>::type>;
  using without_sign = Entry<operator_for<Op, T>, typename fixed_integer<sizeof(T), false>::type>;
  template <class E>
  static constexpr bool exists = requires { typename family_with<E>::type; };
  using type = std::conditional_t<exists<same_sign>, same_sign, without_sign>;
};

template <class Entry>
struct types_of;
template <template <class, class> class Entry, class Op, class T>
struct types_of<Entry<Op, T>> {
  using element = T;
  using accumulator = accumulator_t<Op, T>;
};

}  // namespace

template <class Op, class T>
accumulator_t<Op, T> reduce(T const* x, std::size_t n, mode m) {
  using entry = typename entry_for<reduce_entry, Op, T>::type;
  using element = typename types_of<entry>::element;
  return static_cast<accumulator_t<Op, T>>(
      active_kernel<entry>().run(reinterpret_cast<element const*>(x), n, m));
}

template <scan_kind kind, class Op, class T>
void scan(T const* x, T* out, std::size_t n, accumulator_t<Op, T> const* prefix,
          accumulator_t<Op, T> const* initial, stores s, T const* ahead,
          accumulator_t<Op, T>* total) {
  using entry = typename entry_for<scan_entry, Op, T>::type;
  using element = typename types_of<entry>::element;
  using accumulator = typename types_of<entry>::accumulator;
  active_kernel<entry>().run(
      kind, reinterpret_cast<element const*>(x), reinterpret_cast<element*>(out), n,
      reinterpret_cast<accumulator const*>(prefix), reinterpret_cast<accumulator const*>(initial),
      s, reinterpret_cast<element const*>(ahead), reinterpret_cast<accumulator*>(total));
}

#define UPSWEEP_KERNELS(Op, T)                                                                     \
  template accumulator_t<Op, T> reduce<Op, T>(T const*, std::size_t, mode);                        \
  template void scan<scan_kind::inclusive, Op, T>(                                                 \
      T const*, T*, std::size_t, accumulator_t<Op, T> const*, accumulator_t<Op, T> const*, stores, \
      T const*, accumulator_t<Op, T>*);                                                            \
  template void scan<scan_kind::exclusive, Op, T>(                                                 \
      T const*, T*, std::size_t, accumulator_t<Op, T> const*, accumulator_t<Op, T> const*, stores, \
      T const*, accumulator_t<Op, T>*);
#define UPSWEEP_INTEGER_KERNELS(Op)   \
  UPSWEEP_KERNELS(Op, signed char)    \
  UPSWEEP_KERNELS(Op, unsigned char)  \
  UPSWEEP_KERNELS(Op, char)           \
  UPSWEEP_KERNELS(Op, short)          \
  UPSWEEP_KERNELS(Op, unsigned short) \
  UPSWEEP_KERNELS(Op, int)            \
  UPSWEEP_KERNELS(Op, unsigned)       \
  UPSWEEP_KERNELS(Op, long)           \
  UPSWEEP_KERNELS(Op, unsigned long)  \
  UPSWEEP_KERNELS(Op, long long)      \
  UPSWEEP_KERNELS(Op, unsigned long long)
#define UPSWEEP_NUMBER_KERNELS(Op) \
  UPSWEEP_INTEGER_KERNELS(Op)      \
  UPSWEEP_KERNELS(Op, float)       \
  UPSWEEP_KERNELS(Op, double)

UPSWEEP_NUMBER_KERNELS(plus)
UPSWEEP_NUMBER_KERNELS(multiplies)
UPSWEEP_NUMBER_KERNELS(min)
UPSWEEP_NUMBER_KERNELS(max)
UPSWEEP_NUMBER_KERNELS(min_number)
UPSWEEP_NUMBER_KERNELS(max_number)
UPSWEEP_INTEGER_KERNELS(bit_and)
UPSWEEP_INTEGER_KERNELS(bit_or)
UPSWEEP_INTEGER_KERNELS(bit_xor)
UPSWEEP_KERNELS(plus, bfloat16)
UPSWEEP_KERNELS(multiplies, bfloat16)
#ifdef UPSWEEP_HAS_FLOAT16
UPSWEEP_KERNELS(plus, float16)
UPSWEEP_KERNELS(multiplies, float16)
#endif
UPSWEEP_KERNELS(affine, affine_map<float>)
UPSWEEP_KERNELS(affine, affine_map<double>)
template std::uint64_t reduce<plus, bool>(bool const*, std::size_t, mode);

}  // namespace upsweep::simd
