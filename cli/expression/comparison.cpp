/// Comparisons, a block of rows at a time.
#include <cli/expression/values.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

using node = expression_node;
using enum expression_kind;

template <class T>
void compare(expression_kind kind, std::vector<T> const& a, std::vector<T> const& b,
             std::vector<std::uint8_t>& out) {
  auto const with = [&](auto const& holds) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (holds(a[i], b[i])) out[i] = 1;
  };
  switch (kind) {
    case unequal:
      return with([](T const& x, T const& y) { return x != y; });
    case less:
      return with([](T const& x, T const& y) { return x < y; });
    case less_or_equal:
      return with([](T const& x, T const& y) { return x <= y; });
    case greater:
      return with([](T const& x, T const& y) { return x > y; });
    case greater_or_equal:
      return with([](T const& x, T const& y) { return x >= y; });
    default:
      return with([](T const& x, T const& y) { return x == y; });
  }
}

/// Compares i64 with u64 exactly.
template <class T, class U>
void compare_mixed(expression_kind kind, std::vector<T> const& a, std::vector<U> const& b,
                   std::vector<std::uint8_t>& out) {
  std::vector<int> order, zeros(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    order.push_back(std::cmp_less(a[i], b[i]) ? -1 : std::cmp_equal(a[i], b[i]) ? 0 : 1);
  compare(kind, order, zeros, out);
}

/// Marks where a comparison of two parts holds.
void compare_parts(node const& of, node const& right, block_values const& a, block_values const& b,
                   std::vector<std::uint8_t>& out) {
  using enum expression_type;
  auto const left_type = of.parts[0]->type, right_type = right.type;
  if (left_type == text)
    compare(of.kind, a.texts, b.texts, out);
  else if (left_type == truth)
    compare(of.kind, a.truths, b.truths, out);
  else if (left_type == integer && right_type == integer)
    compare(of.kind, a.integers, b.integers, out);
  else if (left_type == natural && right_type == natural)
    compare(of.kind, a.naturals, b.naturals, out);
  else if (left_type == natural && right_type == integer)
    compare_mixed(of.kind, a.naturals, b.integers, out);
  else if (left_type == integer && right_type == natural)
    compare_mixed(of.kind, a.integers, b.naturals, out);
  else
    compare(of.kind, as_decimals(a).decimals, as_decimals(b).decimals, out);
}

}  // namespace

block_values comparison(node const& of, block& here) {
  block_values out;
  out.truths.assign(here.n, 0);
  auto const first = value_of(*of.parts[0], here);
  for (std::size_t p = 1; p < of.parts.size(); ++p) {
    auto const other = value_of(*of.parts[p], here);
    auto const unknown = unknown_of(first, other);
    if (unknown.empty()) {
      compare_parts(of, *of.parts[p], first, other, out.truths);
      continue;
    }
    std::vector<std::uint8_t> holds(here.n);
    compare_parts(of, *of.parts[p], first, other, holds);
    out.unknown.resize(here.n);
    for (std::size_t i = 0; i < here.n; ++i)
      if (unknown[i] != 0)
        out.unknown[i] = 1;
      else if (holds[i] != 0)
        out.truths[i] = 1;
  }
  for (std::size_t i = 0; i < out.unknown.size(); ++i)
    if (out.truths[i] != 0) out.unknown[i] = 0;
  return out;
}

}  // namespace upsweep::cli
