// The levels of the combine tree in registers of UPSWEEP_REGISTER_BYTES, by functions of the
// attribute UPSWEEP_REGISTER_TARGET. Included by register_levels.hpp once for each width: vectors
// of a function without that attribute are taken to pieces before it is inlined.

template <class T>
struct in_register {
  static constexpr std::size_t lanes = UPSWEEP_REGISTER_BYTES / sizeof(T);
  static constexpr int levels = floor_log2(lanes);
  /// The elements of as many registers as one has lanes, whose nodes fill one.
  static constexpr std::size_t step = lanes << levels;

  using array = T[lanes];
  typedef T vector __attribute__((vector_size(UPSWEEP_REGISTER_BYTES), may_alias));
  typedef T anywhere
      __attribute__((vector_size(UPSWEEP_REGISTER_BYTES), may_alias, aligned(alignof(T))));
};
template <class T>
using register_of = typename in_register<T>::vector;
template <class T>
using lane_numbers = std::make_integer_sequence<int, static_cast<int>(in_register<T>::lanes)>;

/// Stores v at `to`, which need not be aligned.
template <class T>
UPSWEEP_REGISTER_INLINE inline void put(T* to, register_of<T> const& v) {
  *reinterpret_cast<typename in_register<T>::anywhere*>(to) = v;
}

/// to = op(a, b), lane by lane.
template <class T, class Op>
UPSWEEP_REGISTER_INLINE inline void apply(register_of<T>& to, register_of<T> const& a,
                                          register_of<T> const& b, Op const& op) {
  constexpr int lanes = static_cast<int>(in_register<T>::lanes);
  alignas(64) typename in_register<T>::array left, right, nodes;
  *reinterpret_cast<register_of<T>*>(left) = a;
  *reinterpret_cast<register_of<T>*>(right) = b;
  UPSWEEP_ONE_REGISTER
  for (int j = 0; j < lanes; ++j)
    nodes[j] = static_cast<T>(op(std::as_const(left[j]), std::as_const(right[j])));
  to = *reinterpret_cast<register_of<T>*>(nodes);
  __asm__("" : "+x"(to));  // so that compilers neither regroup nor fuse
}

/// The left and the right children among the lanes of a and b; which are which, Operands says.
template <class Operands, class T, int... lane>
UPSWEEP_REGISTER_INLINE inline void divide(register_of<T>& left, register_of<T>& right,
                                           register_of<T> const& a, register_of<T> const& b,
                                           std::integer_sequence<int, lane...>) {
  left = __builtin_shufflevector(a, b, Operands::left(lane)...);
  right = __builtin_shufflevector(a, b, Operands::right(lane)...);
}

/// The nodes over 2^level elements each of as many registers, the elements(j) from j = first on.
/// Keeps the left children from left + first on, if that is a pointer.
template <int level, class T, class Elements, class Left, class Op>
UPSWEEP_REGISTER_INLINE inline void nodes(register_of<T>& to, Elements const& elements, int first,
                                          Left left, Op const& op) {
  constexpr int lanes = static_cast<int>(in_register<T>::lanes);
  if constexpr (level > 0) {
    constexpr int half = lanes << (level - 1);
    register_of<T> a, b, earlier, later;
    nodes<level - 1, T>(a, elements, first, left, op);
    nodes<level - 1, T>(b, elements, first + half, left, op);
    divide<by_lane<level - 1, lanes, sizeof(T)>, T>(earlier, later, a, b, lane_numbers<T>());
    if constexpr (std::is_pointer_v<Left>) put(left + first + half - lanes, earlier);
    apply<T>(to, earlier, later, op);
  } else if constexpr (std::is_pointer_v<Elements>) {
    to = *reinterpret_cast<typename in_register<T>::anywhere const*>(elements + first);
  } else {
    alignas(64) typename in_register<T>::array numbers;
    UPSWEEP_ONE_REGISTER
    for (int j = 0; j < lanes; ++j) numbers[j] = static_cast<T>(elements(first + j));
    to = *reinterpret_cast<register_of<T>*>(numbers);
    __asm__("" : "+x"(to));
  }
}

/// The total of n elements, a power of two from `step` to 2^largest_register_log2. Element i + j is
/// elements.from<step>(i)(j), or [j].
template <class T, class From, class Op>
[[gnu::noinline]] UPSWEEP_REGISTER_TARGET T total(From const& elements, std::size_t n,
                                                  Op const& op) {
  constexpr int levels = in_register<T>::levels;
  constexpr std::size_t lanes = in_register<T>::lanes, step = in_register<T>::step;
  alignas(64) T node[(std::size_t{1} << largest_register_log2) >> levels];
  register_of<T> some, more;
  for (std::size_t i = 0; i < n; i += step) {
    nodes<levels, T>(some, elements.template from<step>(i), 0, nullptr, op);
    put(node + (i >> levels), some);
  }
  n >>= levels;
  if constexpr (block_kernel<Op, T>::exists) return block_kernel<Op, T>::total(op, node, n, 0);
  for (; n >= step; n >>= levels)
    for (std::size_t i = 0; i < n; i += step) {
      nodes<levels, T>(some, std::as_const(node) + i, 0, nullptr, op);
      put(node + (i >> levels), some);
    }
  for (; n > lanes; n /= 2)
    for (std::size_t i = 0; i < n; i += 2 * lanes) {
      nodes<0, T>(some, std::as_const(node) + i, 0, nullptr, op);
      nodes<0, T>(more, std::as_const(node) + i + lanes, 0, nullptr, op);
      register_of<T> earlier, later;
      divide<in_order<static_cast<int>(lanes)>, T>(earlier, later, some, more, lane_numbers<T>());
      apply<T>(some, earlier, later, op);
      put(node + i / 2, some);
    }
  return small_block<levels>([&node](int j) -> T const& { return node[j]; }, op);
}
