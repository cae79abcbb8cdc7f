/// Executors with one defect each, taken from defects that backends have had. The checks of the
/// contract must fail on them.
#pragma once

#include <support/tree.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <exception>
#include <vector>

namespace upsweep::test {

/// A serial executor whose prefixes are computed by `Grouping::prefixes(x, op)`; everything else is
/// right.
template <class Grouping>
struct model {
  static constexpr bool is_executor = true;

  template <class Call>
  static auto elements(Call const& c) {
    std::vector<typename Call::accumulator> x;
    for (std::size_t i = 0; i < c.n; ++i) x.push_back(c.in(i));
    return x;
  }
  template <class Call>
  typename Call::accumulator reduce(Call const& c) const {
    return Grouping::prefixes(elements(c), c.op).back();
  }
  template <scan_kind kind, class Call, class Sink>
  detail::scan_total_t<Sink, typename Call::accumulator> scan(Call const& c,
                                                              Sink const& out) const {
    auto const p = Grouping::prefixes(elements(c), c.op);
    store<kind>(p, c, out, c.n, c.initial);
    return static_cast<detail::scan_total_t<Sink, typename Call::accumulator>>(
        c.initial ? c.op(*c.initial, p.back()) : p.back());
  }
  template <scan_kind kind, class Call, class Sink, class A>
  static void store(std::vector<A> const& p, Call const& c, Sink const& out, std::size_t n,
                    A const* initial) {
    for (std::size_t i = 0; i < n; ++i) {
      if (kind == scan_kind::exclusive && i == 0) {
        out(0, *c.first);
        continue;
      }
      A const& prefix = p[kind == scan_kind::inclusive ? i : i - 1];
      out(i, initial ? c.op(*initial, prefix) : prefix);
    }
  }
  template <class Call, class A>
  void reduce_chunk(Call const& c, carry<A>& left) const {
    for (std::size_t i = 0; i < c.n; ++i) left.push(0, c.in(left.position()), c.op);
  }
  template <scan_kind kind, class Call, class Sink, class A>
  void scan_chunk(Call const& c, Sink const& out, carry<A>& left) const {
    for (std::size_t i = 0; i < c.n; ++i) {
      std::size_t const at = left.position();
      auto const store_prefix = [&](A const& p) { out(at, c.initial ? c.op(*c.initial, p) : p); };
      A const x = c.in(at);
      if (kind == scan_kind::exclusive && at == 0) out(0, *c.first);
      if (kind == scan_kind::exclusive && at > 0) store_prefix(*left.prefix());
      left.push(0, x, c.op);
      if (kind == scan_kind::inclusive) store_prefix(*left.prefix());
    }
  }
  template <class F>
  void for_each_line(std::size_t count, std::size_t, F const& f) const {
    for (std::size_t line = 0; line < count; ++line) f(line, *this);
  }
};

/// The control, without a defect.
struct right {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, Op const& op) {
    return tree_prefixes(x, op);
  }
};

/// The up-sweep gives the operator its operands in the wrong order.
struct swapped_up_sweep {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, Op const& op) {
    return tree_prefixes(x, [&](A const& a, A const& b) { return op(b, a); });
  }
};

/// Only the last application of a prefix has its operands in the wrong order.
struct swapped_down_sweep {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, Op const& op) {
    auto p = tree_prefixes(x, op);
    for (std::size_t i = 2; i < p.size(); i += 2) p[i] = op(x[i], p[i - 1]);
    return p;
  }
};

/// From left to right, like a loop.
struct left_fold {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, Op const& op) {
    std::vector<A> p{x.front()};
    for (std::size_t i = 1; i < x.size(); ++i) p.push_back(op(p.back(), x[i]));
    return p;
  }
};

/// Kogge and Stone: after step s, element i covers the 2^s elements that end at it.
struct kogge_stone {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, Op const& op) {
    std::vector<A> p = x;
    for (std::size_t stride = 1; stride < p.size(); stride *= 2)
      for (std::size_t i = p.size(); i-- > stride;) p[i] = op(p[i - stride], p[i]);
    return p;
  }
};

/// Every prefix starts with the identity (zero-filled registers, a carry set to 0).
struct identity_first {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, Op const& op) {
    auto p = tree_prefixes(x, op);
    for (A& each : p) each = op(identity_of<A>(op), each);
    return p;
  }
};

/// The last block is padded with the identity to a power of two.
struct identity_padded {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, Op const& op) {
    auto p = tree_prefixes(x, op);
    std::vector<A> padded = x;
    while ((padded.size() & (padded.size() - 1)) != 0) padded.push_back(identity_of<A>(op));
    p.back() = tree_prefixes(padded, op).back();
    return p;
  }
};

/// Blocks combined from the smallest: b8 op (b4 op b1).
struct ragged_end_first {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, Op const& op) {
    auto p = tree_prefixes(x, op);
    if (x.size() == 7) {
      A const b4 = p[3], b2 = op(x[4], x[5]);
      p[6] = op(b4, op(b2, x[6]));
    }
    return p;
  }
};

/// Tiles of 16 scanned from their own prefix: wrong at a tile's last element, where the tree
/// combines larger blocks.
struct tile_local_last {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, Op const& op) {
    auto p = tree_prefixes(x, op);
    constexpr std::size_t tile = 16;
    for (std::size_t end = 2 * tile; end <= x.size(); end += tile) {
      std::vector<A> const inside(x.begin() + static_cast<std::ptrdiff_t>(end - tile),
                                  x.begin() + static_cast<std::ptrdiff_t>(end));
      p[end - 1] = op(p[end - tile - 1], tree_prefixes(inside, op).back());
    }
    return p;
  }
};

/// The right bits, but a reduction computes all prefixes to use one, and a scan computes half of
/// them twice.
struct wasteful {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, Op const& op) {
    (void)tree_prefixes(
        std::vector<A>(x.begin(), x.begin() + static_cast<std::ptrdiff_t>((x.size() + 1) / 2)), op);
    return tree_prefixes(x, op);
  }
};

/// Positions stored in too few bits.
struct forgets_high_bits {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, Op const& op) {
    auto p = tree_prefixes(x, op);
    for (std::size_t i = 65536; i < p.size(); ++i) p[i] = p[i & 0xffff];
    return p;
  }
};

/// The initial value becomes the leftmost element of the tree.
struct initial_as_element : model<right> {
  template <scan_kind kind, class Call, class Sink>
  detail::scan_total_t<Sink, typename Call::accumulator> scan(Call const& c,
                                                              Sink const& out) const {
    using A = typename Call::accumulator;
    auto x = elements(c);
    if (c.initial) x.front() = c.op(*c.initial, x.front());
    auto const p = tree_prefixes(x, c.op);
    store<kind>(p, c, out, c.n, static_cast<A const*>(nullptr));
    return static_cast<detail::scan_total_t<Sink, A>>(p.back());
  }
};

/// One store too many.
struct writes_past_the_end : model<right> {
  template <scan_kind kind, class Call, class Sink>
  detail::scan_total_t<Sink, typename Call::accumulator> scan(Call const& c,
                                                              Sink const& out) const {
    out(c.n, c.in(0));
    return model<right>::scan<kind>(c, out);
  }
};

/// The last result of a long scan is never stored.
struct forgets_the_last : model<right> {
  template <scan_kind kind, class Call, class Sink>
  detail::scan_total_t<Sink, typename Call::accumulator> scan(Call const& c,
                                                              Sink const& out) const {
    auto const p = tree_prefixes(elements(c), c.op);
    store<kind>(p, c, out, c.n > 40 ? c.n - 1 : c.n, c.initial);
    return static_cast<detail::scan_total_t<Sink, typename Call::accumulator>>(p.back());
  }
};

/// Reads an element after a result has been stored at its index: right out of place, wrong in
/// place.
struct reads_after_writing : model<right> {
  template <scan_kind kind, class Call, class Sink>
  detail::scan_total_t<Sink, typename Call::accumulator> scan(Call const& c,
                                                              Sink const& out) const {
    if (c.n > 1) out(c.n - 1, c.in(0));  // in place, this is an element that has not been read
    return model<right>::scan<kind>(c, out);
  }
};

/// Elements are read from the last to the first, so that the last exception in input order arrives.
struct throws_the_last : model<right> {
  template <class Call>
  typename Call::accumulator reduce(Call const& c) const {
    for (std::size_t i = c.n; i-- > 0;) (void)c.in(i);
    return model<right>::reduce(c);
  }
};

/// An exception is swallowed, and the result so far returned.
struct swallows_exceptions : model<right> {
  template <class Call>
  typename Call::accumulator reduce(Call const& c) const {
    try {
      return model<right>::reduce(c);
    } catch (std::exception const&) {
      return model<right>::reduce(call{c.in, 1, c.op});
    }
  }
};

/// One accumulator is never destroyed when the operator throws.
struct leaks : model<right> {
  template <class Call>
  typename Call::accumulator reduce(Call const& c) const {
    using A = typename Call::accumulator;
    alignas(A) static std::byte
        place[sizeof(A)];  // not the heap: LeakSanitizer would report what this test is about
    A* const lost = new (place) A(c.in(0));
    auto const total = model<right>::reduce(c);
    lost->~A();
    return total;
  }
};

}  // namespace upsweep::test
