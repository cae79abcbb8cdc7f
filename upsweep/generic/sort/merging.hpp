/// Stable sorting by merges without branches that depend on the data, on one thread and on several.
///
/// Cost: n log2(n) comparisons. A merge is cut into halves, each of which stores its output from
/// both ends. On several threads each sorts parts of the input, and then every merge is cut into
/// parts of equal output, so that all threads have work in every round. Source: O. Green, R.
/// McColl, D. A. Bader, "GPU Merge Path", ICS 2012, for the cuts; O. Peters, "glidesort" (2022),
/// for the merges from both ends.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/core/scratch.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::detail {

/// condition ? a : b, without a branch.
template <class T>
[[nodiscard]] decltype(auto) selected(bool condition, T const& a, T const& b) {
  if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8) {
    using U = bits_of_size<sizeof(T)>;
    return std::bit_cast<T>(condition ? std::bit_cast<U>(a) : std::bit_cast<U>(b));
  } else {
    T const* const chosen = condition ? &a : &b;
    return static_cast<T const&>(*chosen);
  }
}

/// A merge of the sorted [a, a_end) and [b, b_end) into `out`; of equal elements, those of `a` come
/// first. The elements are bytes in memory. Whatever `less` answers, no step reads or writes
/// elsewhere, and each element is stored once.
template <class T>
struct merge {
  T const *a, *a_end, *b, *b_end;
  T *out, *out_end;

  merge(T const* left, std::size_t left_size, T const* right, std::size_t right_size, T* to)
      : a(left),
        a_end(left + left_size),
        b(right),
        b_end(right + right_size),
        out(to),
        out_end(to + left_size + right_size) {}

  [[nodiscard]] std::size_t a_size() const { return static_cast<std::size_t>(a_end - a); }
  [[nodiscard]] std::size_t b_size() const { return static_cast<std::size_t>(b_end - b); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(out_end - out); }

  /// The merges of the first half of the output and of the second.
  template <class Less>
  [[nodiscard]] std::pair<merge, merge> halves(Less const& less) const {
    // Of the first k elements, at least i and at most `most` are from `a`.
    std::size_t const k = size() / 2;
    std::size_t i = k > b_size() ? k - b_size() : 0, most = at_most(k, a_size());
    while (i < most) {
      std::size_t const middle = i + (most - i) / 2;
      if (less(b[k - middle - 1], a[middle]))
        most = middle;
      else
        i = middle + 1;
    }
    return {merge(a, i, b, k - i, out),
            merge(a + i, a_size() - i, b + (k - i), b_size() - (k - i), out + k)};
  }

  /// Part `p` of `parts`, a power of two, each of the same size. Neighbors share a border even if
  /// `less` is no order, because all find it by the same steps.
  template <class Less>
  [[nodiscard]] merge part(std::size_t p, std::size_t parts, Less const& less) const {
    merge m = *this;
    for (parts /= 2; parts > 0; parts /= 2) {
      auto const both = m.halves(less);
      m = (p & parts) == 0 ? both.first : both.second;
    }
    return m;
  }

  /// Both halves at once, so that four chains of instructions do not wait for each other.
  template <class Less>
  void run(Less const& less) const {
    constexpr std::size_t worth_halving = 128;
    if (a == a_end || b == b_end || !less(*b, a_end[-1])) return copy();
    if (size() < worth_halving) return run_alone(less);
    auto [m, other] = halves(less);
    while (std::size_t const steps = std::min(m.steps(), other.steps())) {
      merge const before = m, other_before = other;
      for (std::size_t i = 0; i < steps; ++i) {
        m.step_from_both_ends(less);
        other.step_from_both_ends(less);
      }
      m.end_if_crossed(before);
      other.end_if_crossed(other_before);
    }
    m.run_alone(less);
    other.run_alone(less);
  }
  /// The same for [b, b_end) that lie at the end of the output.
  template <class Less>
  void run_in_place(Less const& less) {
    while (a != a_end && b != b_end) step_from_front(less);
    std::copy(a, a_end, out);
  }

 private:
  /// The shorter input has enough elements for so many steps from each end.
  [[nodiscard]] std::size_t steps() const { return std::min(a_size(), b_size()); }

  template <class Less>
  void run_alone(Less const& less) const {
    merge m = *this;
    while (std::size_t const count = m.steps()) {
      merge const before = m;
      for (std::size_t i = 0; i < count; ++i) m.step_from_both_ends(less);
      m.end_if_crossed(before);
    }
    m.copy();
  }
  template <class Less>
  void step_from_both_ends(Less const& less) {
    step_from_front(less);
    bool const a_is_last = less(b_end[-1], a_end[-1]);
    *--out_end = selected(a_is_last, a_end[-1], b_end[-1]);
    a_end -= a_is_last;
    b_end -= !a_is_last;
  }
  template <class Less>
  void step_from_front(Less const& less) {
    bool const b_is_first = less(*b, *a);
    *out++ = selected(b_is_first, *b, *a);
    b += b_is_first;
    a += !b_is_first;
  }
  /// If `less` is no order, the steps from both ends may take an element twice.
  void end_if_crossed(merge const& before) {
    if (a <= a_end && b <= b_end) return;
    before.copy();
    a = a_end;
    b = b_end;
  }
  void copy() const { std::copy(b, b_end, std::copy(a, a_end, out)); }
};

/// Sorts x[0 .. 4) into `out`, by five comparisons, stably.
template <class T, class Less>
void sort_four(T const* x, T* out, Less const& less) {
  bool const swap_01 = less(x[1], x[0]), swap_23 = less(x[3], x[2]);
  T const *const a = x + swap_01, *const b = x + !swap_01;
  T const *const c = x + 2 + swap_23, *const d = x + 2 + !swap_23;
  bool const c_is_first = less(*c, *a), b_is_last = less(*d, *b);
  T const* const first = c_is_first ? c : a;
  T const* const last = b_is_last ? b : d;
  T const* const left = c_is_first ? a : b_is_last ? c : b;
  T const* const right = b_is_last ? d : c_is_first ? b : c;
  bool const swap = less(*right, *left);
  T const sorted[] = {*first, swap ? *right : *left, swap ? *left : *right, *last};
  std::copy_n(sorted, 4, out);
}

/// Sorts x[0 .. n) stably, and stores it in `x` or, if `moves`, in `other`, memory for n elements.
template <class T, class Less>
void sort_by_merging(T* x, T* other, std::size_t n, bool moves, Less const& less) {
  T *const to = moves ? other : x, *const from = moves ? x : other;
  if (n == 4) return sort_four(x, to, less);
  if (n < 4) {
    if (moves) std::copy_n(x, n, to);
    for (std::size_t i = 1; i < n; ++i)
      for (std::size_t k = i; k > 0 && less(to[k], to[k - 1]); --k) std::swap(to[k], to[k - 1]);
    return;
  }
  std::size_t const half = (n / 2 + 3) / 4 * 4;
  sort_by_merging(x, other, half, !moves, less);
  sort_by_merging(x + half, other + half, n - half, !moves, less);
  merge<T>(from, half, from + half, n - half, to).run(less);
}

/// Sorts x[0 .. n), elements that are bytes in memory, stably and in place. Takes memory for half
/// as many.
template <class T, class Less>
void sort_in_place(T* x, std::size_t n, Less const& less) {
  std::size_t const half = n - n / 2;
  auto const memory = memory_for<T>(half);
  T* const left = memory.get();
  sort_by_merging(x, left, half, true, less);
  sort_by_merging(x + half, x, n - half, false, less);
  merge<T>(left, half, x + half, n - half, x).run_in_place(less);
}

/// Sorts n elements into `x` on several threads, in `parts`, a power of two, that are then merged;
/// `other` is memory for n elements. sort(begin, size, to, spare, on) stores elements [begin, begin
/// + size) of the input, sorted, at `to`, where `spare` is memory for as many, and finish(first,
/// size) is called with each part of the result.
template <class E, class T, class Less, class Sort, class Finish>
void sort_parts(E const& on, T* x, T* other, std::size_t n, std::size_t parts, Less const& less,
                Sort const& sort, Finish const& finish) {
  auto const begin = [&](std::size_t part) { return part_begin(n, parts, part); };
  auto const last = static_cast<std::size_t>(std::countr_zero(parts));
  run_in_rounds(on, last + 1, parts, [&](std::size_t round, std::size_t part, auto const& here) {
    bool const to_x = (last - round) % 2 == 0;
    T *const to = to_x ? x : other, *const from = to_x ? other : x;
    if (round == 0) {
      std::size_t const first = begin(part);
      return sort(first, begin(part + 1) - first, to + first, from + first, here);
    }
    // The round merges the halves of each group of parts.
    std::size_t const merged = std::size_t{1} << round, rank = part % merged;
    std::size_t const a = begin(part - rank), b = begin(part - rank + merged / 2),
                      b_end = begin(part - rank + merged);
    auto const mine =
        merge<T>(from + a, b - a, from + b, b_end - b, to + a).part(rank, merged, less);
    mine.run(less);
    if (round == last) finish(mine.out, mine.size());
  });
}

}  // namespace upsweep::detail
