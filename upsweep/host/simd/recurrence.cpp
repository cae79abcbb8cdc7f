/// Blocks of linear recurrences, once for each SIMD target.
///
/// A block is cut into as many rows as a vector has lanes. A vector holds one element, or one node
/// of the combine tree, of each row, so that all nodes inside the rows are combined without
/// shuffles; rows are read and written four floats (two doubles) at a time and transposed in
/// registers. The few nodes above the rows are combined one by one.
///
/// The operator adds products to +0, which only matters where it makes +0 of -0. Here +0 is added
/// to the elements instead, once, after which no right operand is -0.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/recurrence.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/simd/lanes.inl>
#include <upsweep/host/simd/loops.hpp>

#include <bit>
#include <cstddef>
#include <tuple>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using tag = hn::ScalableTag<T>;
template <class T>
using vector = hn::Vec<tag<T>>;
template <class T>
inline constexpr std::size_t rows = hn::MaxLanes(tag<T>());
/// The elements of a row that are read at once.
template <class T>
inline constexpr std::size_t group = rows<T> == 1 ? 1 : 16 / sizeof(T);

/// The elements x[0 .. group) of every row of `rows` / `group` rows that are `apart` elements
/// apart.
template <class T>
HWY_INLINE vector<T> load_rows(T const* x, [[maybe_unused]] std::size_t apart) {
  tag<T> const d;
  if constexpr (rows<T> <= group<T>) {
    return hn::LoadU(d, x);
  }
#if HWY_TARGET != HWY_SCALAR
  else {
    hn::FixedTag<T, group<T>> const d1;
    hn::FixedTag<T, 2 * group<T>> const d2;
    auto const low = hn::Combine(d2, hn::LoadU(d1, x + apart), hn::LoadU(d1, x));
    if constexpr (rows<T> == 2 * group<T>)
      return low;
    else
      return hn::Combine(
          d, hn::Combine(d2, hn::LoadU(d1, x + 3 * apart), hn::LoadU(d1, x + 2 * apart)), low);
  }
#endif
}
/// The inverse.
template <class T>
HWY_INLINE void store_rows(vector<T> v, T* out, [[maybe_unused]] std::size_t apart) {
  if constexpr (rows<T> <= group<T>) {
    hn::StoreU(v, tag<T>(), out);
  }
#if HWY_TARGET != HWY_SCALAR
  else {
    hn::FixedTag<T, group<T>> const d1;
    hn::FixedTag<T, 2 * group<T>> const d2;
    if constexpr (rows<T> == 2 * group<T>) {
      hn::StoreU(hn::LowerHalf(d1, v), d1, out);
      hn::StoreU(hn::UpperHalf(d1, v), d1, out + apart);
    } else {
      auto const low = hn::LowerHalf(d2, v), high = hn::UpperHalf(d2, v);
      hn::StoreU(hn::LowerHalf(d1, low), d1, out);
      hn::StoreU(hn::UpperHalf(d1, low), d1, out + apart);
      hn::StoreU(hn::LowerHalf(d1, high), d1, out + 2 * apart);
      hn::StoreU(hn::UpperHalf(d1, high), d1, out + 3 * apart);
    }
  }
#endif
}

/// Exchanges rows and columns in each 16 bytes of `group` vectors.
template <class T>
HWY_INLINE void transpose_group([[maybe_unused]] vector<T>* v) {
#if HWY_TARGET != HWY_SCALAR
  transpose(tag<T>(), reinterpret_cast<vector<T>(&)[group<T>]>(*v));
#endif
}

/// Asks for the elements one block after those of columns c, c + 1, ... of a group: each of its
/// rows would begin with a cache miss. Inlined, because g++ drops calls of functions that do
/// nothing else.
template <class T>
HWY_INLINE void prefetch_next(T const* block, std::size_t n, std::size_t c) {
  constexpr int to_l2 = 2;
  auto const* const next =
      reinterpret_cast<unsigned char const*>(block) + (n + c * rows<T>)*sizeof(T);
  for (std::size_t byte = 0; byte < group<T> * rows<T> * sizeof(T); byte += 64)
    __builtin_prefetch(next + byte, 0, to_l2);
}

/// The block as columns: number k of the state of node c is in column k * width + c.
template <std::size_t order, class T>
class recurrence_rows {
 public:
  using V = vector<T>;
  static constexpr std::size_t lanes = rows<T>;

  HWY_INLINE explicit recurrence_rows(recurrence_nodes<T> const& block)
      : power_(block.power),
        node_(block.node),
        width_(block.n / lanes),
        weight_(hn::Set(tag<T>(), block.weight)) {}

  void up(T const* x, T* total) const {
    V last[order];
    for (std::size_t c = 0; c < width_; c += group<T>) {
      prefetch_next(x, width_ * lanes, c);
      V v[group<T>];
      // Lane group * b + j of a vector is row group * b + j.
      for (std::size_t j = 0; j < group<T>; ++j)
        v[j] = load_rows(x + j * width_ + c, group<T> * width_);
      transpose_group<T>(v);
      for (auto& column : v) column = hn::Add(hn::Mul(column, weight_), hn::Zero(tag<T>()));
      ascend_group(c, v, last);
    }
    // The totals of the rows become nodes instead of the last column.
    T* const of_rows = node_ + (width_ - 1) * lanes;
    std::size_t const next = width_ * lanes;
    int const level = detail::floor_log2(width_);
    for (std::size_t s = 1; s < lanes; s *= 2)
      for (std::size_t r = 2 * s - 1; r < lanes; r += 2 * s)
        combine_numbers(level + detail::floor_log2(s), of_rows + (r - s), next, of_rows + r, next,
                        of_rows + r, next);
    for (std::size_t k = 0; k < order; ++k) total[k] = of_rows[k * next + lanes - 1];
  }

  void down(bool exclusive, T const* before, T const* after, T* out) const {
    alignas(64) T front[order][2 * lanes];  // the state before each row, and at the end
    fronts(before, after, front[0]);
    V first[order];
    for (std::size_t k = 0; k < order; ++k) first[k] = hn::Load(tag<T>(), front[k]);
    V left[order];
    for (std::size_t k = 0; k < order; ++k) left[k] = first[k];
    for (std::size_t c = 0; c < width_; c += group<T>) {
      prefetch_next(out, width_ * lanes, c);
      V v[group<T> + 1];
      v[0] = left[0];
      descend_group(c, v + 1, first, left);
      if (c + group<T> == width_) v[group<T>] = hn::LoadU(tag<T>(), front[0] + 1);
      V* const results = exclusive ? v : v + 1;
      transpose_group<T>(results);
      for (std::size_t j = 0; j < group<T>; ++j)
        store_rows<T>(results[j], out + j * width_ + c, group<T> * width_);
    }
  }

 private:
  HWY_INLINE T const* matrix(int level) const {
    return power_ + static_cast<std::size_t>(level) * order * order;
  }
  HWY_INLINE T* column(std::size_t k, std::size_t c) const {
    return node_ + (k * width_ + c) * lanes;
  }
  HWY_INLINE void load(std::size_t c, V* state) const {
    for (std::size_t k = 0; k < order; ++k) state[k] = hn::Load(tag<T>(), column(k, c));
  }
  HWY_INLINE void store(std::size_t c, V const* state) const {
    for (std::size_t k = 0; k < order; ++k) hn::Store(state[k], tag<T>(), column(k, c));
  }

  /// Number `row` of the state after `later`, which has 2^level elements of its own.
  HWY_INLINE V row_of(int level, std::size_t row, V const* earlier, V later) const {
    T const* const p = matrix(level) + row * order;
    tag<T> const d;
    V sum = hn::Mul(hn::Set(d, p[0]), earlier[0]);
    for (std::size_t k = 1; k < order; ++k)
      sum = hn::Add(sum, hn::Mul(hn::Set(d, p[k]), earlier[k]));
    return hn::Add(sum, later);
  }
  /// later = the state of both.
  HWY_INLINE void combine(int level, V const* earlier, V* later) const {
    for (std::size_t row = 0; row < order; ++row)
      later[row] = row_of(level, row, earlier, later[row]);
  }
  HWY_INLINE void combine_numbers(int level, T const* earlier, std::size_t earlier_next,
                                  T const* later, std::size_t later_next, T* to,
                                  std::size_t to_next) const {
    T const* p = matrix(level);
    T result[order];
    for (std::size_t row = 0; row < order; ++row, p += order) {
      T sum = p[0] * earlier[0];
      for (std::size_t k = 1; k < order; ++k) sum = sum + p[k] * earlier[k * earlier_next];
      result[row] = sum + later[row * later_next];
    }
    for (std::size_t row = 0; row < order; ++row) to[row * to_next] = result[row];
  }

  /// The state of two elements, the first of which has zeros before it.
  HWY_INLINE void pair(V first, V second, V* state) const {
    tag<T> const d;
    for (std::size_t row = 0; row < order; ++row)
      state[row] = hn::Add(hn::Mul(hn::Set(d, matrix(0)[row * order]), first),
                           row == 0 ? second : hn::Zero(d));
  }

  /// Stores the nodes that end in columns c, c + 1, ... of a group, whose elements are v.
  HWY_INLINE void ascend_group(std::size_t c, V const* v, V* last) const {
    tag<T> const d;
    std::size_t const end = c + group<T>;
    if constexpr (group<T> == 1) {
      last[0] = v[0];
      for (std::size_t k = 1; k < order; ++k) last[k] = hn::Zero(d);
    } else {
      hn::Store(v[0], d, column(0, c));
      pair(v[0], v[1], last);
      if constexpr (group<T> == 4) {
        hn::Store(v[2], d, column(0, c + 2));
        store(c + 1, last);
        V earlier[order];
        for (std::size_t k = 0; k < order; ++k) earlier[k] = last[k];
        pair(v[2], v[3], last);
        combine(1, earlier, last);
      }
    }
    int level = detail::floor_log2(group<T>);
    for (std::size_t s = group<T>; (end & s) == 0 && s < width_; s *= 2, ++level) {
      V earlier[order];
      load(end - 1 - s, earlier);
      combine(level, earlier, last);
    }
    store(end - 1, last);
  }

  /// to = the results after columns c, c + 1, ... of a group, but not of the last column of all;
  /// `left` is the state before the group, and becomes that after it.
  HWY_INLINE void descend_group(std::size_t c, V* to, V const* first, V* left) const {
    tag<T> const d;
    std::size_t const end = c + group<T>;
    if constexpr (group<T> > 1) to[0] = row_of(0, 0, left, hn::Load(d, column(0, c)));
    if constexpr (group<T> == 4) {
      V middle[order];
      load(c + 1, middle);
      combine(1, left, middle);
      to[1] = middle[0];
      to[2] = row_of(0, 0, middle, hn::Load(d, column(0, c + 2)));
    }
    if (end == width_) return;
    V earlier[order];
    std::size_t const s = end & -end;
    if (s == end)
      for (std::size_t k = 0; k < order; ++k) earlier[k] = first[k];
    else
      load(end - 1 - s, earlier);
    load(end - 1, left);
    combine(std::countr_zero(end), earlier, left);
    store(end - 1, left);
    to[group<T> - 1] = left[0];
  }

  /// The states before the rows and at the end, `2 * lanes` numbers for each of the order.
  HWY_INLINE void fronts(T const* before, T const* after, T* front) const {
    T const* const of_rows = node_ + (width_ - 1) * lanes;
    std::size_t const next = width_ * lanes;
    for (std::size_t k = 0; k < order; ++k) {
      front[k * 2 * lanes] = before ? before[k] : T(0);
      front[k * 2 * lanes + lanes] = after[k];
    }
    int const level = detail::floor_log2(width_);
    for (std::size_t r = 1; r < lanes; ++r) {
      std::size_t const s = r & -r;
      combine_numbers(level + std::countr_zero(s), front + (r - s), 2 * lanes, of_rows + (r - 1),
                      next, front + r, 2 * lanes);
    }
  }

  T const* power_;
  T* node_;
  std::size_t width_;
  V weight_;
};

template <std::size_t order, class T>
void up(recurrence_nodes<T> const& block, T const* x, T* total) {
  recurrence_rows<order, T>(block).up(x, total);
}
template <std::size_t order, class T>
void down(recurrence_nodes<T> const& block, bool exclusive, T const* before, T const* after,
          T* out) {
  recurrence_rows<order, T>(block).down(exclusive, before, after, out);
}

template <class T>
recurrence_kernel<T> kernel_of(std::size_t order) {
  constexpr recurrence_kernel<T> kernels[most_recurrence_order] = {{up<1, T>, down<1, T>},
                                                                   {up<2, T>, down<2, T>},
                                                                   {up<3, T>, down<3, T>},
                                                                   {up<4, T>, down<4, T>}};
  return kernels[order - 1];
}

auto const& kernels() {
  static constexpr auto all = std::make_tuple(kernel_of<float>, kernel_of<double>);
  return all;
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(kernels);

template <class T>
recurrence_kernel<T> recurrence_kernel_of(std::size_t order) {
  return std::get<decltype(&recurrence_kernel_of<T>)>(HWY_DYNAMIC_DISPATCH(kernels)())(order);
}
template recurrence_kernel<float> recurrence_kernel_of(std::size_t);
template recurrence_kernel<double> recurrence_kernel_of(std::size_t);
}  // namespace upsweep::host::simd
#endif
