/// What the contract says about results, as functions that return whether an executor obeys it. The
/// suites call them on backends and expect success; mutants.cpp calls them on wrong executors and
/// expects failure.
#pragma once

#include <conformance/contract_test.hpp>
#include <support/bits.hpp>
#include <support/fenced.hpp>
#include <support/random.hpp>
#include <support/scan_by.hpp>
#include <support/sizes.hpp>
#include <support/tree.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <malloc.h>

namespace upsweep::test {

/// Half of the time of these tests went into mapping and clearing memory that had just been given
/// back.
inline bool const keeps_freed_memory =
    mallopt(M_MMAP_THRESHOLD, 32 << 20) == 1 && mallopt(M_TRIM_THRESHOLD, 1 << 30) == 1;

/// The values that every form of one call must give: by the tree, `initial op` applied, in the
/// scan's direction. They hold for every shorter input too, since a prefix does not depend on what
/// follows it.
template <class A>
struct tree_values {
  std::vector<A> inclusive;      // initial op prefix(i + 1)
  std::optional<A> exclusive_0;  // the initial value or the identity, if there is one
};

template <class Range, class Op, class A>
tree_values<A> values_by_tree(Range const& in, Op const& op, options<A> const& o) {
  tree_values<A> v{tree_prefixes(as_accumulators(in, op, o.reverse), op), {}};
  if (o.initial) {
    std::vector<A> with_initial;
    with_initial.reserve(v.inclusive.size());
    for (A const& p : v.inclusive) with_initial.push_back(op(*o.initial, p));
    v.inclusive = std::move(with_initial);
    v.exclusive_0.emplace(*o.initial);
  } else if constexpr (monoid_over<Op, A>) {
    v.exclusive_0.emplace(identity_of<A>(op));
  }
  return v;
}

template <class A>
std::string form(char const* verb, std::size_t n, options<A> const& o) {
  return std::string(verb) + " of " + std::to_string(n) + " elements" +
         (o.initial ? ", with an initial value" : "") + (o.reverse ? ", reversed" : "") +
         (o.mode == mode::fast ? ", fast" : "");
}

template <class R>
testing::AssertionResult equal_at(std::string const& what, std::size_t at, R const& got,
                                  R const& expected) {
  if (same_bits(got, expected)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << what << ": got " << shown(got) << " at " << at
                                     << ", expected " << shown(expected) << "; " << seed_note();
}

/// reduce gives the tree's last prefix, or the result for an empty input.
template <class E, class Range, class Op, class A>
testing::AssertionResult reduce_is(tree_values<A> const& v, E const& on, Range const& in,
                                   Op const& op, options<A> const& o) {
  std::size_t const n = std::ranges::size(in);
  if (n == 0 && (!v.exclusive_0 || (!o.initial && detail::refuses_empty<Op>)))
    return testing::AssertionSuccess();  // an error, tested by its own suite
  auto const got = upsweep::reduce(on, in, op, o);
  using R = std::remove_const_t<decltype(got)>;
  return equal_at<R>(form("reduce", n, o), 0, got,
                     detail::finish(op, A(n == 0 ? *v.exclusive_0 : v.inclusive[n - 1])));
}

/// `out`, in input order, holds what a scan must give.
template <scan_kind kind, class Out, class Op, class A>
testing::AssertionResult holds_scan(tree_values<A> const& v, Out const& out, Op const& op,
                                    options<A> const& o) {
  using R = std::remove_cvref_t<decltype(out[0])>;
  std::size_t const n = std::ranges::size(out);
  char const* const verb = kind == scan_kind::inclusive ? "inclusive_scan" : "exclusive_scan";
  for (std::size_t i = 0; i < n; ++i) {
    A const& expected = kind == scan_kind::inclusive ? v.inclusive[i]
                        : i == 0                     ? *v.exclusive_0
                                                     : v.inclusive[i - 1];
    std::size_t const at = o.reverse ? n - 1 - i : i;
    R const wanted = static_cast<R>(detail::finish(op, A(expected)));
    if (!same_bits(static_cast<R>(out[at]), wanted))
      return equal_at<R>(form(verb, n, o), at, out[at], wanted);
  }
  return testing::AssertionSuccess();
}

/// A scan into a fenced buffer, and in place where results have the elements' type, gives the
/// tree's prefixes and writes nothing else.
template <scan_kind kind, class E, class T, class Op, class A>
testing::AssertionResult scan_is(tree_values<A> const& v, E const& on, std::vector<T> const& in,
                                 Op const& op, options<A> const& o) {
  if (kind == scan_kind::exclusive && !v.exclusive_0)
    return testing::AssertionSuccess();  // an error, tested by its own suite
  using R = result_t<Op, T>;
  fenced<R> out(in.size());
  scan_by<kind>(on, in, out.inside(), op, o);
  if (!out.intact())
    return testing::AssertionFailure()
           << form("a scan", in.size(), o) << " wrote outside its output";
  if (auto const result = holds_scan<kind>(v, out, op, o); !result) return result;
  if constexpr (std::is_same_v<R, T> &&
                !std::is_same_v<T, bool>) {  // several threads cannot write the bits of a
                                             // std::vector<bool>
    std::vector<T> both = in;
    scan_by<kind>(on, both, both, op, o);
    if (auto result = holds_scan<kind>(v, both, op, o); !result) return result << " (in place)";
  }
  return testing::AssertionSuccess();
}

/// Every form of reduce and scan of `in`: with and without an initial value, forwards and reversed,
/// out of place and in place.
template <class E, class T, class Op, class A = accumulator_t<Op, T>>
testing::AssertionResult follows_tree(E const& on, std::vector<T> const& in, Op const& op,
                                      std::type_identity_t<std::optional<A>> const& initial = {}) {
  for (bool const reverse : {false, true}) {
    for (bool const with_initial : {false, true}) {
      if (with_initial && !initial) continue;
      options<A> o{.reverse = reverse};
      if (with_initial) o.initial.emplace(*initial);
      auto const v = values_by_tree(in, op, o);
      if (auto const result = reduce_is(v, on, in, op, o); !result) return result;
      if (auto const result = scan_is<scan_kind::inclusive>(v, on, in, op, o); !result)
        return result;
      if (auto const result = scan_is<scan_kind::exclusive>(v, on, in, op, o); !result)
        return result;
    }
  }
  return testing::AssertionSuccess();
}

/// The same for the first n elements of random input; `extra` is one more random element, the
/// initial value.
template <class T, class E, class Op>
testing::AssertionResult follows_tree_at(E const& on, std::size_t n, Op const& op) {
  std::vector<T> in = random_elements<T>(n + 1, test_seed() + n);
  auto const initial = detail::lift(op, in.back(), n);
  in.pop_back();
  return follows_tree(on, in, op, initial);
}

/// One long random input, of which prefixes are tested, so that the expected values of millions of
/// elements are computed only once.
template <class T, class Op>
class beginnings {
 public:
  using A = accumulator_t<Op, T>;

  beginnings(std::size_t longest, Op const& op)
      : in_(random_elements<T>(longest)),
        op_(op),
        initial_(detail::lift(op, random_elements<T>(1, test_seed() + 1).front(), 0)),
        values_(values_by_tree(in_, op, options<A>{})),
        values_with_initial_(values_by_tree(in_, op, options<A>{.initial = initial_})) {}

  /// reduce and the scans of the first n elements, in one of the forms; a reversed call gets the
  /// elements backwards.
  template <class E>
  testing::AssertionResult follow_tree(E const& on, std::size_t n, bool reverse,
                                       bool with_initial) const {
    options<A> o{.reverse = reverse};
    if (with_initial) o.initial.emplace(initial_);
    auto const& v = with_initial ? values_with_initial_ : values_;
    std::vector<T> in(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(n));
    if (reverse) std::reverse(in.begin(), in.end());
    if (auto const result = reduce_is(v, on, in, op_, o); !result) return result;
    if (auto const result = scan_is<scan_kind::inclusive>(v, on, in, op_, o); !result)
      return result;
    return scan_is<scan_kind::exclusive>(v, on, in, op_, o);
  }

 private:
  std::vector<T> in_;
  Op op_;
  A initial_;
  tree_values<A> values_, values_with_initial_;
};

/// 2^k - 1, 2^k and 2^k + 1 elements for all k up to last_power: small sizes in all forms, larger
/// ones in one form each, in turn.
template <class T, class E, class Op>
testing::AssertionResult follows_tree_around_powers(E const& on, Op const& op) {
  auto const sizes = around_powers(11);
  beginnings<T, Op> const inputs(sizes.back(), op);
  std::size_t turn = 0;
  for (std::size_t const n : sizes)
    for (std::size_t which = 0; which < 4; ++which)
      if (n < (slow_build ? 3000 : 30000) || which == turn++ / 4 % 4)
        if (auto const result = inputs.follow_tree(on, n, which / 2 == 1, which % 2 == 1); !result)
          return result;
  return testing::AssertionSuccess();
}

/// Against reference.hpp itself, whose cost is quadratic: small n only.
template <class T, class E, class Op>
testing::AssertionResult follows_reference_at(E const& on, std::size_t n, Op const& op) {
  using A = accumulator_t<Op, T>;
  std::vector<T> const in = random_elements<T>(n, test_seed() ^ n);
  if (auto const r = equal_at(form("reduce", n, options<A>{}), 0, upsweep::reduce(on, in, op),
                              reference::reduce(in, op));
      !r)
    return r;
  std::vector<result_t<Op, T>> out(n, sentinel<result_t<Op, T>>());
  auto holds = [&](char const* verb, auto const& expected) {
    for (std::size_t i = 0; i < n; ++i)
      if (auto const r = equal_at(form(verb, n, options<A>{}), i, out[i], expected[i]); !r)
        return r;
    return testing::AssertionSuccess();
  };
  upsweep::inclusive_scan(on, in, out, op);
  if (auto const r = holds("inclusive_scan", reference::inclusive_scan(in, op)); !r) return r;
  upsweep::exclusive_scan(on, in, out, op);
  return holds("exclusive_scan", reference::exclusive_scan(in, op));
}

}  // namespace upsweep::test
