/// reduce() and scans of the lanes of a group.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T = void>
struct plus {
  template <class A>
  UPSWEEP_EMULATED_WORD constexpr A operator()(A a, A b) const {
    return static_cast<A>(a + b);
  }
};
template <class T = void>
struct less {
  template <class A>
  UPSWEEP_EMULATED_WORD constexpr A operator()(A a, A b) const {
    return b < a ? b : a;
  }
};
template <class T = void>
struct greater {
  template <class A>
  UPSWEEP_EMULATED_WORD constexpr A operator()(A a, A b) const {
    return a < b ? b : a;
  }
};
template <class T = void>
struct bit_and {
  template <class A>
  UPSWEEP_EMULATED_WORD constexpr A operator()(A a, A b) const {
    return static_cast<A>(a & b);
  }
};
template <class T = void>
struct bit_or {
  template <class A>
  UPSWEEP_EMULATED_WORD constexpr A operator()(A a, A b) const {
    return static_cast<A>(a | b);
  }
};
template <class T = void>
struct bit_xor {
  template <class A>
  UPSWEEP_EMULATED_WORD constexpr A operator()(A a, A b) const {
    return static_cast<A>(a ^ b);
  }
};

namespace details {

UPSWEEP_EMULATED_WORD unsigned ranks(lane_group const& g) {
  return g.lane_group::num_threads();
}

/// Of the elements up to the caller's, in the order of ranks.
template <class T, class Op>
UPSWEEP_EMULATED_WORD T scan(lane_group const& g, T value, Op op) {
  unsigned const me = g.thread_rank();
  for (unsigned stride = 1; stride < ranks(g); stride *= 2) {
    T const left = g.shfl_up(value, stride);
    if (me >= stride) value = op(left, value);
  }
  return value;
}

}  // namespace details

/// In a tree of shuffles, whose result the first thread hands to all. A GPU may combine in another
/// order.
template <class Group, class T, class Op>
UPSWEEP_EMULATED_WORD T reduce(Group const& group, T value, Op&& op) {
  lane_group const& g = group;
  unsigned const me = g.thread_rank(), all = details::ranks(g);
  for (unsigned stride = 1; stride < all; stride *= 2) {
    T const right = g.shfl_down(value, stride);
    if (me + stride < all) value = op(value, right);
  }
  return g.shfl(value, 0);
}
/// The totals of the warps are combined in order.
template <unsigned size, class Parent, class T, class Op>
  requires(size > 32)
UPSWEEP_EMULATED_WORD T reduce(thread_block_tile<size, Parent> const& tile, T value, Op&& op) {
  T const of_warp = reduce(thread_block_tile<32>(), value, op);
  T total = tile.shfl(of_warp, 0);
  for (unsigned rank = 32; rank < size; rank += 32)
    total = op(total, tile.shfl(of_warp, static_cast<int>(rank)));
  return total;
}
template <class Group, class T, class Op>
UPSWEEP_EMULATED_WORD T inclusive_scan(Group const& group, T value, Op&& op) {
  return details::scan(group, value, op);
}
template <class Group, class T>
UPSWEEP_EMULATED_WORD T inclusive_scan(Group const& group, T value) {
  return details::scan(group, value, plus<T>());
}
/// The first thread gets T{}.
template <class Group, class T, class Op>
UPSWEEP_EMULATED_WORD T exclusive_scan(Group const& group, T value, Op&& op) {
  lane_group const& g = group;
  T const left = g.shfl_up(details::scan(g, value, op), 1);
  return g.thread_rank() == 0 ? T{} : left;
}
template <class Group, class T>
UPSWEEP_EMULATED_WORD T exclusive_scan(Group const& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}
/// One thread of the group adds the group's total to `place`.
template <class Group, class T, class Value, class Op>
UPSWEEP_EMULATED_WORD void reduce_update_async(Group const& group, T& place, Value value, Op op) {
  auto const total = reduce(group, value, op);
  if (group.thread_rank() == 0) place.fetch_add(total);
}

}  // namespace cooperative_groups
