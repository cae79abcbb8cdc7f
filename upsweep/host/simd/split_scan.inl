/// The scan of a block by an operator whose accumulator is made of two numbers, once for each SIMD
/// target.
///
/// up() combines pairs of nodes level by level, as split_reduce does, and keeps the left ones.
/// down() goes back: the prefix before a pair, combined with its left node, is the prefix
/// before its right node. Both levels have the same order of lanes, so the same shuffle that
/// pairs nodes puts two such prefixes in position. The operator itself combines the totals of the
/// lanes at the top, and blocks in which a value has a branch of its own.

#if defined(UPSWEEP_SIMD_SPLIT_SCAN) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_SPLIT_SCAN
#undef UPSWEEP_SIMD_SPLIT_SCAN
#else
#define UPSWEEP_SIMD_SPLIT_SCAN
#endif

#include <upsweep/host/compiled.hpp>
#include <upsweep/host/simd/split_operators.inl>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

template <class Op, class T>
class split_scan {
 public:
  using A = accumulator_t<Op, T>;

  explicit split_scan(split_block<A>& block) : b_(block) {}

  /// The total of the block.
  A up() const {
#if UPSWEEP_SIMD_VECTORS
    if (b_.n >= 2 * lanes) {
      int const levels = ascend<sizeof(T), true>(0);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        b_.node.a[place(lane, levels)] = upper().a[lane];
        b_.node.b[place(lane, levels)] = upper().b[lane];
      }
      A const total = ascend_nodes(lanes);
      b_.by_lanes = Lanes::is_regular(total);
      if (b_.by_lanes) return total;
    }
#endif
    return up_in_order();
  }

  /// The results of the block of the last up(), finished if wanted: result i is the prefix before
  /// element i, and result n the prefix `after` the block. Result 0 of the first block, which
  /// has no `before`, is not defined.
  void down(A const* before, A const& after, A const* initial, bool finish) const {
    A const start = before ? *before : identity_of<A>(Op{});
    if (!down_by_lanes(before, start, initial, finish)) {
      if (b_.by_lanes) (void)up_in_order();
      descend_nodes(b_.n, start);
      std::uint64_t const count = split(start).count;
      for (std::size_t i = before ? 0 : 1; i < b_.n; ++i)
        put_result(i, get(b_.result, i, count + i), initial, finish);
    }
    put_result(b_.n, after, initial, finish);
  }

  /// to[i] = the accumulator of `count` + i elements with the numbers i of `from`, for i < n.
  static void join(split_array<T> from, std::uint64_t count, std::size_t n, A* to) {
    std::size_t i = 0;
#if UPSWEEP_SIMD_VECTORS
    if constexpr (requires { Lanes::is_counted; }) {
      hn::RebindToUnsigned<D> const d;
      auto counts = hn::Add(hn::Iota(d, 0), hn::Set(d, count));
      for (; i + lanes <= n; i += lanes) {
        hn::StoreInterleaved3(hn::BitCast(D(), counts), hn::LoadU(D(), from.a + i),
                              hn::LoadU(D(), from.b + i), D(), reinterpret_cast<T*>(to + i));
        counts = hn::Add(counts, hn::Set(d, lanes));
      }
    }
#endif
    for (; i < n; ++i) to[i] = join_parts<A>(count + i, from.a[i], from.b[i]);
  }

 private:
  static A get(split_array<T> const& from, std::size_t i, std::uint64_t count) {
    return join_parts<A>(count, from.a[i], from.b[i]);
  }
  static void put(split_array<T> const& to, std::size_t i, A const& value) {
    auto const parts = split(value);
    to.a[i] = parts.a;
    to.b[i] = parts.b;
  }
  void put_result(std::size_t i, A const& prefix, A const* initial, bool finish) const {
    A const result = initial ? Op{}(*initial, prefix) : prefix;
    put(b_.result, i, result);
    if constexpr (requires { Op{}.finish(result); })
      if (finish) b_.result.a[i] = Op{}.finish(result);
  }

  A up_in_order() const {
    b_.by_lanes = false;
    for (std::size_t i = 0; i < b_.n; ++i) put(b_.node, i, Op{}.lift(b_.x[i]));
    return ascend_nodes(b_.n);
  }
  /// Combines the first `count` nodes, of as many elements each: afterwards node j - 1 is the total
  /// of the largest aligned block that ends at j.
  A ascend_nodes(std::size_t count) const {
    std::size_t size = b_.n / count;
    for (std::size_t s = 1; s < count; s *= 2, size *= 2)
      for (std::size_t j = 2 * s - 1; j < count; j += 2 * s)
        put(b_.node, j, Op{}(get(b_.node, j - s, size), get(b_.node, j, size)));
    return get(b_.node, count - 1, b_.n);
  }
  /// The prefixes before these nodes, to `result`.
  void descend_nodes(std::size_t count, A const& start) const {
    std::uint64_t const first = split(start).count;
    std::size_t const size = b_.n / count;
    put(b_.result, 0, start);
    for (std::size_t s = count / 2; s > 0; s /= 2)
      for (std::size_t j = s; j < count; j += 2 * s)
        put(b_.result, j,
            Op{}(get(b_.result, j - s, first + (j - s) * size), get(b_.node, j - 1, s * size)));
  }

#if UPSWEEP_SIMD_VECTORS
  using Lanes = typename lane_operator<Op>::type;
  using D = hn::ScalableTag<T>;
  using V = pair_vector<D>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr int log2_lanes = std::countr_zero(lanes);
  static constexpr std::size_t most_at_once = Lanes::template registers_at_once<T>;

  /// False if the block needs the operator itself.
  bool down_by_lanes(A const* before, A const& start, A const* initial, bool finish) const {
    if (!b_.by_lanes || (before && !Lanes::is_regular(start)) ||
        (initial && !Lanes::is_regular(*initial)))
      return false;
    descend_nodes(lanes, start);
    descend<sizeof(T), true>(0, before);
    if (initial) combine_initial(*initial, split(start).count);
    if (!Lanes::are_regular(D(), b_.result.a, b_.n)) return false;
    if constexpr (requires { Op{}.finish(start); })
      if (finish)
        in_steps<false>(b_.n / lanes, [&]<std::size_t many>(std::size_t j) HWY_ATTR
                        __attribute__((always_inline)) {
                          V result[many];
                          for (std::size_t i = 0; i < many; ++i) result[i] = load(b_.result, j + i);
                          Lanes::finish(D(), result);
                          for (std::size_t i = 0; i < many; ++i) store(b_.result, j + i, result[i]);
                        });
    return true;
  }

  static V load(split_array<T> const& from, std::size_t i) {
    return {hn::Load(D(), from.a + i * lanes), hn::Load(D(), from.b + i * lanes)};
  }
  static void store(split_array<T> const& to, std::size_t i, V v) {
    hn::Store(v.a, D(), to.a + i * lanes);
    hn::Store(v.b, D(), to.b + i * lanes);
  }
  static hn::Vec<D> element(T const* x, std::size_t i) {
    return Lanes::load(D(), hn::LoadU(D(), x + i * lanes));
  }
  /// A count in all lanes; conversions from signed integers are faster.
  static hn::Vec<D> count_of(std::uint64_t n) {
    return hn::Set(D(), static_cast<T>(static_cast<std::int64_t>(n)));
  }
  /// The nodes, or the prefixes before them, of the level at hand.
  [[nodiscard]] split_array<T> upper() const {
    return {b_.node.a + b_.n / 2, b_.node.b + b_.n / 2};
  }
  /// The left nodes of the pairs of a level above the elements. Before them all are the lanes'
  /// totals.
  [[nodiscard]] split_array<T> left(int level) const {
    std::size_t const first = b_.n >> (level + 1);
    return {b_.node.a + first, b_.node.b + first};
  }
  /// The node in a lane of the first register of a level.
  static constexpr std::size_t place(std::size_t lane, int level) {
    int const turns = level % log2_lanes;
    return ((lane >> turns) | (lane << (log2_lanes - turns))) & (lanes - std::size_t{1});
  }
  /// The same as numbers.
  struct all_places {
    alignas(64) T of[log2_lanes][lanes];
  };
  static constexpr all_places places = [] {
    all_places p{};
    for (int level = 0; level < log2_lanes; ++level)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        p.of[level][lane] = static_cast<T>(place(lane, level));
    return p;
  }();
  /// The distance of the lanes that are combined on the level above.
  template <int distance>
  static constexpr int above =
      2 * distance < vector_bytes<D> ? 2 * distance : static_cast<int>(sizeof(T));

  /// Calls step.operator()<many>(j) for blocks [j, j + many) of `count` registers, from the last to
  /// the first if `back`.
  template <bool back, class Step>
  HWY_INLINE static void in_steps(std::size_t count, Step const& step) {
    if (count >= most_at_once)
      for (std::size_t j = 0; j < count; j += most_at_once)
        step.template operator()<most_at_once>(back ? count - most_at_once - j : j);
    else
      for (std::size_t j = 0; j < count; ++j) step.template operator()<1>(back ? count - 1 - j : j);
  }

  /// The nodes above `level`, up to one register of them; returns their level.
  template <int distance, bool leaves>
  int ascend(int level) const {
    std::size_t const count = (b_.n >> (level + 1)) / lanes;
    auto const nodes = upper(), lefts = left(level);
    auto const x = b_.x;
    in_steps<false>(count,
                    [=]<std::size_t many>(std::size_t j) HWY_ATTR __attribute__((always_inline)) {
                      std::conditional_t<leaves, hn::Vec<D>, V> below[2 * many];
                      V total[many];
                      for (std::size_t i = 0; i < 2 * many; ++i)
                        if constexpr (leaves)
                          below[i] = element(x, 2 * j + i);
                        else
                          below[i] = load(nodes, 2 * j + i);
                      for (std::size_t i = 0; i < many; ++i) {
                        pair_lanes<distance>(D(), below[2 * i], below[2 * i + 1]);
                        if constexpr (!leaves) store(lefts, j + i, below[2 * i]);
                      }
                      Lanes::combine(D(), below, 1 << level, total);
                      for (std::size_t i = 0; i < many; ++i) store(nodes, j + i, total[i]);
                    });
    return count > 1 ? ascend<above<distance>, false>(level + 1) : level + 1;
  }

  /// The prefixes before the nodes of `level`, to `upper`, of the elements to `result`; from
  /// those of the lanes' totals, which are in `result`.
  template <int distance, bool leaves>
  void descend(int level, A const* before) const {
    std::size_t const count = (b_.n >> (level + 1)) / lanes;
    if (count > 1)
      descend<above<distance>, false>(level + 1, before);
    else
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        upper().a[lane] = b_.result.a[place(lane, level + 1)];
        upper().b[lane] = b_.result.b[place(lane, level + 1)];
      }
    std::uint64_t const start = before ? split(*before).count : 0;
    // The elements before each pair of the first register.
    auto const places_here = hn::Load(D(), places.of[(level + 1) % log2_lanes]);
    auto const first =
        hn::Add(count_of(start), hn::Mul(places_here, count_of(std::size_t{2} << level)));
    // From the last to the first, because prefixes replace those of the level above.
    auto const nodes = upper(), lefts = left(level), to = leaves ? b_.result : nodes;
    auto const x = b_.x;
    in_steps<true>(count,
                   [=]<std::size_t many>(std::size_t j) HWY_ATTR __attribute__((always_inline)) {
                     V prefix[many], node[many], next[many];
                     hn::Vec<D> count_before[many], size[many];
                     for (std::size_t i = 0; i < many; ++i) {
                       prefix[i] = load(nodes, j + i);
                       if constexpr (leaves)
                         node[i] = left_leaves<distance>(x, j + i);
                       else
                         node[i] = load(lefts, j + i);
                       count_before[i] = hn::Add(first, count_of(((j + i) * lanes) << (level + 1)));
                       size[i] = count_of(std::size_t{1} << level);
                     }
                     Lanes::append(D(), prefix, count_before, node, size, next);
                     if (j == 0 && !before) {  // nothing precedes the first node
                       auto const is_first = hn::FirstN(D(), 1);
                       next[0].a = hn::IfThenElse(is_first, node[0].a, next[0].a);
                       next[0].b = hn::IfThenElse(is_first, node[0].b, next[0].b);
                     }
                     for (std::size_t i = 0; i < many; ++i) {
                       pair_lanes<distance>(D(), prefix[i], next[i]);
                       store(to, 2 * (j + i), prefix[i]);
                       store(to, 2 * (j + i) + 1, next[i]);
                     }
                   });
  }
  /// The left elements of a register of pairs.
  template <int distance>
  HWY_INLINE static V left_leaves(T const* x, std::size_t i) {
    auto earlier = element(x, 2 * i), later = element(x, 2 * i + 1);
    pair_lanes<distance>(D(), earlier, later);
    return {earlier, hn::Set(D(), split(Op{}.lift(T{})).b)};
  }

  /// Combines `initial` with each result.
  void combine_initial(A const& initial, std::uint64_t before) const {
    auto const parts = split(initial);
    in_steps<false>(
        b_.n / lanes, [&]<std::size_t many>(std::size_t j) HWY_ATTR __attribute__((always_inline)) {
          V earlier[many], prefix[many], next[many];
          hn::Vec<D> count[many], size[many];
          for (std::size_t i = 0; i < many; ++i) {
            earlier[i] = broadcast(D(), pair_value<T>{parts.a, parts.b});
            prefix[i] = load(b_.result, j + i);
            count[i] = count_of(parts.count);
            size[i] = hn::Add(hn::Load(D(), places.of[0]), count_of(before + (j + i) * lanes));
          }
          Lanes::append(D(), earlier, count, prefix, size, next);
          for (std::size_t i = 0; i < many; ++i) store(b_.result, j + i, next[i]);
        });
  }
#else
  static bool down_by_lanes(A const*, A const&, A const*, bool) { return false; }
#endif

  split_block<A>& b_;
};

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
