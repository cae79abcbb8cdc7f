/// The CPU's verbs on the vector kernels; upsweep/CMakeLists.txt lists the operators for which
/// they are compiled.
/// Private to the library.
#pragma once

#include <upsweep/host/scan.hpp>
#include <upsweep/host/simd/kernels.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// A scan of contiguous memory. `initial` may be null; *first is the exclusive result at position
/// 0. Position 0 of the stream is x[-base].
template <class Op, class T>
struct memory_scan {
  using A = accumulator_t<Op, T>;
  T const* x;
  T* out;
  std::size_t base;
  A const* initial;
  A const* first;
  simd::stores stores;
  bool as_accumulators = false;  ///< results are not finished
};

/// Scans a tile by the vector kernels.
template <scan_kind kind, class Op, class T>
class vector_engine {
 public:
  using A = accumulator_t<Op, T>;

  static constexpr bool keeps_nothing = true, repeats_totals = true;

  explicit vector_engine(memory_scan<Op, T> const& s) noexcept : s_(s) {}

  A up(std::size_t position, int k) {
    return simd::reduce<Op>(s_.x + (position - s_.base), std::size_t{1} << k, mode::reproducible);
  }
  /// The next down() prefetches the block of the same size at `position`, so that reading it
  /// overlaps with writing this block.
  void expect(std::size_t position) { ahead_ = s_.x + (position - s_.base); }
  void down(std::size_t position, int k, A const* before, A const& after) {
    run(position, position + (std::size_t{1} << k), before, std::exchange(ahead_, nullptr));
    finish(position, k, after);
  }
  /// up() and down() in one pass over memory, except for the last inclusive result, which finish()
  /// stores.
  A pass(std::size_t position, int k, A const* before)
    requires simd::scan_gives_total<Op, T>
  {
    A total;
    run(position, position + (std::size_t{1} << k), before, nullptr, &total);
    return total;
  }
  void finish(std::size_t position, int k, A const& after) {
    if constexpr (kind == scan_kind::inclusive)
      store_last(position - s_.base + (std::size_t{1} << k) - 1, after);
  }
  void run(std::size_t position, std::size_t end, A const* before, T const* ahead = nullptr,
           A* total = nullptr) {
    std::size_t const i = position - s_.base;
    if constexpr (restores_products<Op, T>) {
      if (s_.x == s_.out)
        scan_in_place(i, end - position, before, total);
      else
        scan_products(s_.x + i, s_.out + i, end - position, before, ahead, total);
    } else {
      simd::scan<kind, Op>(s_.x + i, s_.out + i, end - position, before, s_.initial, s_.stores,
                           ahead, total);
    }
    if constexpr (kind == scan_kind::exclusive)
      if (!before) s_.out[i] = static_cast<T>(finished(*s_.first));
  }

 private:
  [[nodiscard]] A finished(A const& a) const {
    return s_.as_accumulators ? a : A(detail::finish(Op{}, a));
  }
  void store_last(std::size_t i, A const& after) {
    s_.out[i] = static_cast<T>(finished(s_.initial ? A(Op{}(*s_.initial, after)) : after));
  }
  void scan_products(T const* x, T* out, std::size_t n, A const* before, T const* ahead, A* total) {
    auto const plain = [](A const* a) { return a ? detail::marks<A>::unmarked(*a) : A{}; };
    A const from = plain(before), initial = plain(s_.initial);
    simd::scan<kind, Op>(x, out, n, before ? &from : nullptr, s_.initial ? &initial : nullptr,
                         s_.stores, ahead, total);
    if (total) *total = total_of_product(x, n, *total);
    // A zero is often an underflow: only a NaN is corrected.
    if (s_.as_accumulators || (!is_regular(static_cast<A>(out[n - 1])) && has_nan(out, n)))
      restore_scan<kind>(x, out, n, before, s_.initial, s_.as_accumulators);
  }
  static bool has_nan(T const* x, std::size_t n) {
    constexpr std::size_t block = 64;  // compilers vectorize a loop of constant length
    for (; n >= block; n -= block, x += block) {
      bool found = false;
      for (std::size_t i = 0; i < block; ++i) found |= x[i] != x[i];
      if (found) return true;
    }
    return std::any_of(x, x + n, [](T e) { return e != e; });
  }
  /// By blocks whose elements are copied, because the results are looked at beside them.
  void scan_in_place(std::size_t first, std::size_t n, A const* before, A* total) {
    constexpr int log2 = 10;
    alignas(64) T x[std::size_t{1} << log2];
    carry<A> left(before);
    detail::block_sequence const blocks(0, n, log2);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      auto const [position, k] = blocks[b];
      std::size_t const size = std::size_t{1} << k, i = first + position;
      __builtin_memcpy(x, s_.out + i, size * sizeof(T));
      A of_block;
      scan_products(x, s_.out + i, size, left.prefix(), nullptr, &of_block);
      left.push(k, of_block, Op{});
      if constexpr (kind == scan_kind::inclusive) store_last(i + size - 1, *left.prefix());
    }
    if (total) *total = left.total(detail::floor_log2(n));
  }

  memory_scan<Op, T> const& s_;
  T const* ahead_ = nullptr;
};

/// The functions in the tables of compiled.hpp.
template <class Op, class T>
struct vector_verbs {
  using A = accumulator_t<Op, T>;

  static A block(T const* x, std::size_t n, mode m) { return simd::reduce<Op>(x, n, m); }

  static A reduce(T const* x, std::size_t n, mode m, plan const& p) {
    if (p.threads <= 1) return simd::reduce<Op>(x, n, m);
    carry<A> left;
    reduce_tiles(total_of_block{x, 0, m}, n, Op{}, p, left);
    return *left.prefix();
  }
  static void reduce_chunk(T const* x, std::size_t n, plan const& p, carry<A>& left) {
    std::size_t const base = left.position();
    reduce_tiles(total_of_block{x, base, mode::reproducible}, base + n, Op{}, p, left);
  }

  static A reduce_reversed(T const* x, std::size_t n, plan const& p) {
    return host::reduce(call{reversed(x, n), n, operation}, p);
  }

  template <scan_kind kind>
  static void scan(T const* x, T* out, std::size_t n, plan const& p, A const* initial,
                   A const* first) {
    memory_scan<Op, T> const s{x, out, 0, initial, first, stores_of(p)};
    if (p.threads <= 1) return vector_engine<kind, Op, T>(s).run(0, n, nullptr);
    carry<A> left;
    scan_tiles<vector_engine<kind, Op, T>>(s, n, Op{}, p, left);
  }
  template <scan_kind kind>
  static void scan_reversed(T const* x, T* out, std::size_t n, plan const& p, A const* initial,
                            A const* first) {
    host::scan<kind>(call{reversed(x, n), n, operation, mode::reproducible, initial, first},
                     sink<T*, Op, true>(out, n, operation), p);
  }
  static void scan_block(T* x, std::size_t n, A const* before, A const& after) {
    memory_scan<Op, T> const s{x, x, 0, nullptr, nullptr, simd::stores::cached, true};
    vector_engine<scan_kind::inclusive, Op, T>(s).down(0, detail::floor_log2(n), before, after);
  }
  template <scan_kind kind>
  static void scan_chunk(T const* x, T* out, std::size_t n, plan const& p, A const* initial,
                         A const* first, carry<A>& left) {
    memory_scan<Op, T> const s{x, out, left.position(), initial, first, stores_of(p)};
    scan_tiles<vector_engine<kind, Op, T>>(s, left.position() + n, Op{}, p, left);
  }

 private:
  static constexpr Op operation{};
  static constexpr detail::as_is unchanged{};
  static source<T const*, detail::as_is, Op, true> reversed(T const* x, std::size_t n) {
    return {x, n, unchanged, operation};
  }

  struct total_of_block {
    T const* x;
    std::size_t base;
    mode m;
    A operator()(std::size_t position, int k) const {
      return simd::reduce<Op>(x + (position - base), std::size_t{1} << k, m);
    }
  };
  static simd::stores stores_of(plan const& p) {
    return p.streamed ? simd::stores::streamed : simd::stores::cached;
  }
};

template <class Op, class T>
constinit compiled_reduce<Op, T> const compiled<Op, T>::reductions{
    vector_verbs<Op, T>::block, vector_verbs<Op, T>::reduce, vector_verbs<Op, T>::reduce_reversed,
    vector_verbs<Op, T>::reduce_chunk};
template <class Op, class T>
constinit compiled_scan<Op, T> const compiled<Op, T>::scans{
    vector_verbs<Op, T>::template scan<scan_kind::inclusive>,
    vector_verbs<Op, T>::template scan<scan_kind::exclusive>,
    vector_verbs<Op, T>::template scan_reversed<scan_kind::inclusive>,
    vector_verbs<Op, T>::template scan_reversed<scan_kind::exclusive>,
    vector_verbs<Op, T>::template scan_chunk<scan_kind::inclusive>,
    vector_verbs<Op, T>::template scan_chunk<scan_kind::exclusive>,
    vector_verbs<Op, T>::scan_block};
template <class Op, class T>
constinit compiled_block_scan<Op, T> const compiled<Op, T>::block_scans{
    simd::block_up<Op, T>, simd::block_down<Op, T>, simd::block_join<Op, T>};

template <class Op, class Scans, class Totals, class Blocks>
struct addresses_of_verbs;
template <class Op, class... T, class... Total, class... Block>
struct addresses_of_verbs<Op, dynamic::types<T...>, dynamic::types<Total...>,
                          dynamic::types<Block...>> {
  static constexpr void const* value[] = {
      &compiled<Op, T>::reductions..., &compiled<Op, Total>::reductions...,
      &compiled<Op, T>::scans..., &compiled<Op, Block>::block_scans...};
};
/// Which element types a source takes; two for a family halve the longest of compiles.
enum class kinds { all, integers, floats };
template <kinds kind, class Types>
struct types_of_kind;
template <kinds kind, class... T>
struct types_of_kind<kind, dynamic::types<T...>> {
  template <class U>
  static constexpr bool takes =
      kind == kinds::all || std::is_integral_v<U> == (kind == kinds::integers);
  using type = dynamic::join<std::conditional_t<takes<T>, dynamic::types<T>, dynamic::types<>>...>;
};

/// Instantiates the verbs of some operators over all types of a kind for which they are compiled.
template <class Operators, kinds kind = kinds::all>
struct compiled_operators;
template <class... Op, kinds kind>
struct compiled_operators<dynamic::types<Op...>, kind> {
  template <dynamic::target t, class O>
  using over = typename types_of_kind<kind, dynamic::types_for<t, O>>::type;
  template <class O>
  using addresses =
      addresses_of_verbs<O, over<dynamic::target::simd, O>, over<dynamic::target::simd_total, O>,
                         over<dynamic::target::simd_block, O>>;
  static void const* const* const verbs[];
};
template <class... Op, kinds kind>
constinit void const* const* const compiled_operators<dynamic::types<Op...>, kind>::verbs[] = {
    addresses<Op>::value...};

}  // namespace upsweep::host
