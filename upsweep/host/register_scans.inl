// Blocks of scans in registers of UPSWEEP_REGISTER_BYTES. Included by register_levels.hpp after
// register_levels.inl.

/// Loads a register from `from`, which need not be aligned.
template <class T>
UPSWEEP_REGISTER_INLINE inline register_of<T> get(T const* from) {
  return *reinterpret_cast<typename in_register<T>::anywhere const*>(from);
}

/// The total of the nodes in a register, which repeat with the period 2m. The m left children go to
/// the lanes of `kept` from lanes - 2m on.
template <int m, class T, class Op, int... lane>
UPSWEEP_REGISTER_INLINE inline T ascend_register(register_of<T> const& some, register_of<T>& kept,
                                                 Op const& op,
                                                 std::integer_sequence<int, lane...> each) {
  constexpr int lanes = static_cast<int>(in_register<T>::lanes), end = lanes - m;
  register_of<T> earlier, later, up;
  divide<in_order<lanes>, T>(earlier, later, some, some, each);
  kept = __builtin_shufflevector(kept, earlier,
                                 (lane >= end - m && lane < end ? lanes + lane : lane)...);
  apply<T>(up, earlier, later, op);
  if constexpr (m == 1)
    return up[0];
  else
    return ascend_register<m / 2, T>(up, kept, op, each);
}

/// The total of n elements, a power of two from `step` to 2^largest_scan_log2<T>; see total().
/// Keeps the left children of all nodes, n - 1, at `left`.
template <class T, class From, class Op>
[[gnu::noinline]] UPSWEEP_REGISTER_TARGET T ascend(From const& elements, T* left, std::size_t n,
                                                   Op const& op) {
  constexpr int levels = in_register<T>::levels, lanes = static_cast<int>(in_register<T>::lanes);
  constexpr std::size_t step = in_register<T>::step;
  constexpr std::size_t most_nodes = (std::size_t{1} << largest_scan_log2<T>) >> levels;
  alignas(64) T node[most_nodes];
  register_of<T> some;
  auto const combine_step = [&](auto const& from, std::size_t i) UPSWEEP_REGISTER_INLINE {
    nodes<levels, T>(some, from, 0, left + (i - (i >> levels)), op);
    put(node + (i >> levels), some);
  };
  for (std::size_t i = 0; i < n; i += step) combine_step(elements.template from<step>(i), i);
  left += n - (n >> levels), n >>= levels;
  if constexpr (most_nodes >= step)
    for (; n >= step; n >>= levels) {
      for (std::size_t i = 0; i < n; i += step) combine_step(std::as_const(node) + i, i);
      left += n - (n >> levels);
    }
  for (; n > lanes; n /= 2) {
    for (std::size_t i = 0; i < n; i += 2 * lanes) {
      register_of<T> earlier, later;
      divide<in_order<lanes>, T>(earlier, later, get(node + i), get(node + i + lanes),
                                 lane_numbers<T>());
      put(left + i / 2, earlier);
      apply<T>(some, earlier, later, op);
      put(node + i / 2, some);
    }
    left += n / 2;
  }
  some = get(node);
  T const total = ascend_register<lanes / 2, T>(some, some, op, lane_numbers<T>());
  put(node, some);
  for (int j = 0; j < lanes - 1; ++j) left[j] = node[j];
  return total;
}

/// `appended` = op(before, left) in each lane. If `is_absent`, there is no prefix before lane 0,
/// nor before each m-th lane, which repeats lane 0: their results are `left`. The operator must not
/// be applied to values that are no prefixes, so these lanes apply it to those of the next lane.
template <int m, class T, class Op, int... lane>
UPSWEEP_REGISTER_INLINE inline void append(register_of<T>& appended, register_of<T> const& before,
                                           register_of<T> const& left, bool is_absent, Op const& op,
                                           std::integer_sequence<int, lane...>) {
  if (!is_absent) return apply<T>(appended, before, left, op);
  appended = left;
  if constexpr (m > 1) {
    constexpr int lanes = static_cast<int>(in_register<T>::lanes);
    register_of<T> const other_before =
        __builtin_shufflevector(before, before, (lane % m == 0 ? lane + 1 : lane)...);
    register_of<T> const other_left =
        __builtin_shufflevector(left, left, (lane % m == 0 ? lane + 1 : lane)...);
    apply<T>(appended, other_before, other_left, op);
    appended = __builtin_shufflevector(appended, left, (lane % m == 0 ? lanes + lane : lane)...);
  }
}

/// The prefixes before the children, in the order of the nodes that divide() was given, from
/// those before the left children and after them.
template <class Operands, class T, int... lane>
UPSWEEP_REGISTER_INLINE inline void join(register_of<T>& a, register_of<T>& b,
                                         register_of<T> const& before,
                                         register_of<T> const& appended,
                                         std::integer_sequence<int, lane...>) {
  constexpr int lanes = static_cast<int>(in_register<T>::lanes);
  a = __builtin_shufflevector(before, appended, child<Operands, lanes>(lane)...);
  b = __builtin_shufflevector(before, appended, child<Operands, lanes>(lanes + lane)...);
}

/// Makes of the prefix before a register's nodes, in all lanes, those before each.
/// `kept` has their left children from lane 1 on.
template <int m, class T, class Op, int... lane>
UPSWEEP_REGISTER_INLINE inline void descend_register(register_of<T>& before,
                                                     register_of<T> const& kept, bool is_absent,
                                                     Op const& op,
                                                     std::integer_sequence<int, lane...> each) {
  constexpr int lanes = static_cast<int>(in_register<T>::lanes);
  register_of<T> const left =
      __builtin_shufflevector(kept, kept, (1 + lanes - 2 * m + lane % m)...);
  register_of<T> known = before, appended, unused;
  append<m, T>(appended, known, left, is_absent, op, each);
  join<in_order<lanes>, T>(before, unused, known, appended, each);
  if constexpr (m < lanes / 2) descend_register<2 * m, T>(before, kept, is_absent, op, each);
}

/// Stores the prefixes before elements, or those after them, which come one lane later.
template <scan_kind kind, class T>
struct prefix_store {
  T* results;
  register_of<T> last{};

  /// v has the prefixes before elements i, i + 1, ...
  template <int... lane>
  [[gnu::always_inline]] UPSWEEP_REGISTER_TARGET void operator()(
      std::size_t i, register_of<T> const& v, std::integer_sequence<int, lane...>) {
    if constexpr (kind == scan_kind::exclusive) {
      put(results + i, v);
    } else {
      if (i > 0)
        put(results + i - sizeof...(lane),
            register_of<T>(__builtin_shufflevector(last, v, (lane + 1)...)));
      last = v;
    }
  }
};

/// Stores the prefixes before 2^level registers from number `to` on, where `before` are those
/// before the nodes over them and nodes() has kept the left children at left + first.
template <int level, class T, class Store, class Op>
UPSWEEP_REGISTER_INLINE inline void prefixes(Store& store, std::size_t to,
                                             register_of<T> const& before, T const* left, int first,
                                             bool is_absent, Op const& op) {
  constexpr int lanes = static_cast<int>(in_register<T>::lanes);
  if constexpr (level > 0) {
    constexpr int half = lanes << (level - 1);
    register_of<T> appended, a, b;
    append<lanes, T>(appended, before, get(left + first + half - lanes), is_absent, op,
                     lane_numbers<T>());
    join<by_lane<level - 1, lanes, sizeof(T)>, T>(a, b, before, appended, lane_numbers<T>());
    prefixes<level - 1, T>(store, to, a, left, first, is_absent, op);
    prefixes<level - 1, T>(store, to + half, b, left, first + half, false, op);
  } else {
    store(to, before, lane_numbers<T>());
  }
}

/// Stores the results of n elements whose left children ascend() has kept. `before` is the prefix
/// before them, null at position 0, and `after` that at their end.
template <scan_kind kind, class T, class Op>
[[gnu::noinline]] UPSWEEP_REGISTER_TARGET void descend(T const* left, std::size_t n,
                                                       T const* before, T const& after, T* results,
                                                       Op const& op) {
  constexpr int levels = in_register<T>::levels, lanes = static_cast<int>(in_register<T>::lanes);
  alignas(64) T some_fronts[(std::size_t{1} << largest_scan_log2<T>) >> levels];
  alignas(64) T other_fronts[(std::size_t{1} << largest_scan_log2<T>) >> levels];
  T *front = some_fronts, *other = other_fronts;
  bool const is_first = before == nullptr;
  std::size_t rest = n;
  while (rest >= in_register<T>::step) rest >>= levels;

  register_of<T> some, appended, a, b;
  T const first = before ? *before : after;
  for (int j = 0; j < lanes; ++j) front[j] = first;
  some = get(front);
  left += n - lanes - 1;
  descend_register<1, T>(some, get(left), is_first, op, lane_numbers<T>());
  put(front, some);
  ++left;
  std::size_t known = lanes;
  for (; known < rest; known *= 2) {
    left -= known;
    for (std::size_t i = known; i > 0;) {
      i -= lanes;
      some = get(front + i);
      append<lanes, T>(appended, some, get(left + i), is_first && i == 0, op, lane_numbers<T>());
      join<in_order<lanes>, T>(a, b, some, appended, lane_numbers<T>());
      put(front + 2 * i, a);
      put(front + 2 * i + lanes, b);
    }
  }
  auto const below = [&](auto& store) UPSWEEP_REGISTER_INLINE {
    left -= (known << levels) - known;
    for (std::size_t i = 0; i < known; i += lanes) {
      std::size_t const to = i << levels;
      prefixes<levels, T>(store, to, get(front + i), left + (to - i), 0, is_first && i == 0, op);
    }
    known <<= levels;
  };
  while (known << levels < n) {
    prefix_store<scan_kind::exclusive, T> next{other};
    below(next);
    std::swap(front, other);
  }
  prefix_store<kind, T> store{results};
  below(store);
  if constexpr (kind == scan_kind::inclusive) {
    alignas(64) T last[in_register<T>::lanes + 1];
    put(last, store.last);
    last[lanes] = after;
    put(results + n - lanes, get(last + 1));
  }
}
