/// Combines operator, codec and algorithm to the kernels that families.hpp lists, once for each
/// SIMD target.

#if defined(UPSWEEP_SIMD_ENTRIES) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_ENTRIES
#undef UPSWEEP_SIMD_ENTRIES
#else
#define UPSWEEP_SIMD_ENTRIES
#endif

#include <upsweep/host/simd/families.hpp>
#include <upsweep/host/simd/free_reduce.inl>
#include <upsweep/host/simd/scan.inl>
#include <upsweep/host/simd/split_reduce.inl>
#include <upsweep/host/simd/split_scan.inl>
#include <upsweep/host/simd/tree_reduce.inl>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

template <class Op>
inline constexpr bool selects = std::is_same_v<Op, min> || std::is_same_v<Op, max> ||
                                std::is_same_v<Op, min_number> || std::is_same_v<Op, max_number>;

/// The codec of a scan of `Op` over elements of type T.
template <class Op, class T>
struct scan_codec {
  using type =
      std::conditional_t<std::is_integral_v<T> && sizeof(T) <= 2, widened_codec<T>, plain_codec<T>>;
};
template <class Op, class T>
  requires(selects<Op> && std::is_floating_point_v<T>)
struct scan_codec<Op, T> {
  using type = ordered_codec<T, std::is_same_v<Op, min> || std::is_same_v<Op, max_number>>;
};
template <class Op>
struct scan_codec<Op, bfloat16> {
  using type = bfloat16_codec;
};
template <class Op>
struct scan_codec<Op, float16> {
  using type = float16_codec;
};
template <class Op, class T>
struct scan_codec<Op, affine_map<T>> {
  using type = affine_codec<T>;
};

/// The reduction of elements of type T by `Op` in any grouping.
template <class Op, class T>
struct free_fold {
  using type = lane_fold<typename lane_operator<Op>::type, typename scan_codec<Op, T>::type>;
};
template <class Op, class T>
  requires(std::is_integral_v<T>)
struct free_fold<Op, T> {
  using type = lane_fold<typename lane_operator<Op>::type, plain_codec<T>>;
};
template <class T>
  requires(std::is_floating_point_v<T>)
struct free_fold<min, T> {
  using type = lane_fold<lane_min_of_floats, plain_codec<T>>;
};
template <class T>
  requires(std::is_floating_point_v<T>)
struct free_fold<max, T> {
  using type = lane_fold<lane_min_of_floats, negated_codec<T>>;
};
template <class T>
  requires(std::is_integral_v<T> && sizeof(T) < 8)
struct free_fold<plus, T> {
  using type = wide_sum<T>;
};
template <class T>
  requires(std::is_integral_v<T> && sizeof(T) < 8)
struct free_fold<multiplies, T> {
  using type = wide_product<T>;
};

template <class Codec, class A>
HWY_INLINE typename Codec::scalar from_accumulator(A const& a) {
  if constexpr (std::is_same_v<A, typename Codec::memory>)
    return Codec::decode(a);
  else
    return static_cast<typename Codec::scalar>(a);
}
template <class A, class Codec>
HWY_INLINE A to_accumulator(typename Codec::scalar const& s) {
  if constexpr (std::is_same_v<A, typename Codec::memory>)
    return Codec::encode(s);
  else
    return static_cast<A>(s);
}

/// The total of x[0, n) in the tree's order.
template <class Op, class Codec>
typename Codec::scalar total_in_order(typename Codec::memory const* x, std::size_t n) {
  if constexpr (std::is_same_v<Codec, bfloat16_codec>) {
    using codec = bfloat16_pairs<Op>;
    if (n == 1) return *x;
    float const pairs =
        tree_reduce<Op, codec>::run(reinterpret_cast<typename codec::memory const*>(x), n / 2);
    return n % 2 == 0 ? pairs : Op::on_scalars(pairs, static_cast<float>(x[n - 1]));
  } else {
    return tree_reduce<Op, Codec>::run(x, n);
  }
}

template <class Op, class T>
accumulator_t<Op, T> reduce_here(T const* x, std::size_t n, [[maybe_unused]] mode m) {
  clean_registers const on_return;
  using A = accumulator_t<Op, T>;
  using codec = typename scan_codec<Op, T>::type;
  if constexpr (is_exact<Op, A>) {
    using fold = typename free_fold<Op, T>::type;
    if constexpr (std::is_integral_v<T>)
      return static_cast<A>(free_reduce<fold>(x, n));
    else
      return fold::codec::encode(free_reduce<fold>(x, n));
  } else {
    if constexpr (Op::commutative) {
      constexpr std::size_t worth_it = 64;  // with fewer elements the tree is as fast
      if (m == mode::fast && n >= worth_it)
        return to_accumulator<A, codec>(free_reduce<typename free_fold<Op, T>::type>(x, n));
    }
    return to_accumulator<A, codec>(total_in_order<typename lane_operator<Op>::type, codec>(x, n));
  }
}

template <class Op, class T>
accumulator_t<Op, T> split_reduce_here(T const* x, std::size_t n, mode) {
  clean_registers const on_return;
  return split_reduce<Op, T>::run(x, n);
}

template <class Op, class T>
accumulator_t<Op, T> block_up_here(split_block<accumulator_t<Op, T>>& block) {
  clean_registers const on_return;
  return split_scan<Op, T>(block).up();
}
template <class Op, class T>
void block_down_here(split_block<accumulator_t<Op, T>>& block, accumulator_t<Op, T> const* before,
                     accumulator_t<Op, T> const& after, accumulator_t<Op, T> const* initial,
                     bool finish) {
  clean_registers const on_return;
  split_scan<Op, T>(block).down(before, after, initial, finish);
}

template <class Op, class T>
void block_join_here(split_array<T> from, std::uint64_t count, std::size_t n,
                     accumulator_t<Op, T>* to) {
  clean_registers const on_return;
  split_scan<Op, T>::join(from, count, n, to);
}

template <class Op, class T>
void scan_here(scan_kind kind, T const* x, T* out, std::size_t n,
               accumulator_t<Op, T> const* prefix, accumulator_t<Op, T> const* initial, stores s,
               T const* ahead, [[maybe_unused]] accumulator_t<Op, T>* total) {
  clean_registers const on_return;
  using A = accumulator_t<Op, T>;
  using lane_op = typename lane_operator<Op>::type;
  using codec = typename scan_codec<Op, T>::type;
  using scalar = typename codec::scalar;
  scalar before{}, first{};
  if (prefix) before = from_accumulator<codec>(*prefix);
  if (initial) first = from_accumulator<codec>(*initial);
  scalar const* before_if_any = prefix ? &before : nullptr;
  scalar const* first_if_any = initial ? &first : nullptr;
  if constexpr (is_exact<Op, A>) {
    if (initial) {  // initial op (prefix op x) is (initial op prefix) op x
      before = prefix ? lane_op::on_scalars(first, before) : first;
      before_if_any = &before;
      first_if_any = nullptr;
    }
  }
  T const untouched = out[0];
  using tile = tile_scan<lane_op, codec>;
  if constexpr (scan_gives_total<Op, T>) {
    bool const is_small = n < tile::group;
    if (total && is_small) *total = reduce_here<Op, T>(x, n, mode::reproducible);
    auto const found = tile(kind, before_if_any, first_if_any).run(x, out, n, s, ahead);
    if (total && !is_small) *total = to_accumulator<A, codec>(found);
  } else {
    tile(kind, before_if_any, first_if_any).run(x, out, n, s, ahead);
  }
  if (kind == scan_kind::exclusive && !prefix) out[0] = untouched;
}

template <class Entry>
struct kernel_here;
template <class Op, class T>
struct kernel_here<reduce_entry<Op, T>> {
  static constexpr reduce_entry<Op, T> value{&reduce_here<Op, T>};
};
template <class Op, class T>
  requires has_wide_accumulator<Op>
struct kernel_here<reduce_entry<Op, T>> {
  static constexpr reduce_entry<Op, T> value{&split_reduce_here<Op, T>};
};
template <class Op, class T>
struct kernel_here<block_entry<Op, T>> {
  static constexpr block_entry<Op, T> value{&block_up_here<Op, T>, &block_down_here<Op, T>,
                                            &block_join_here<Op, T>};
};
template <class Op, class T>
struct kernel_here<scan_entry<Op, T>> {
  static constexpr scan_entry<Op, T> value{&scan_here<Op, T>};
};

/// The kernels of a family for this target.
template <class Table>
struct table_here;
template <class... Entry>
struct table_here<table<dynamic::types<Entry...>>> {
  static constexpr table<dynamic::types<Entry...>> value{kernel_here<Entry>::value...};
};

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
