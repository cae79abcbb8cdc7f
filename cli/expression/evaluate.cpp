/// Evaluates columns, literals and what decides which rows are evaluated, a block at a time.
#include <cli/engine/buffers.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/expression/values.hpp>
#include <io/error.hpp>
#include <upsweep/ops/describe.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

std::vector<std::uint8_t> unknown_of(block_values const& a, block_values const& b) {
  auto all = a.unknown.empty() ? b.unknown : a.unknown;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (b.is_unknown(i)) all[i] = 1;
  return all;
}

block_values as_decimals(block_values values) {
  if (!values.integers.empty())
    values.decimals.assign(values.integers.begin(), values.integers.end());
  if (!values.naturals.empty())
    values.decimals.assign(values.naturals.begin(), values.naturals.end());
  values.integers.clear();
  values.naturals.clear();
  return values;
}

double as_exact_decimal(int128 x, expression_node const& of, block const& here, std::size_t i) {
  auto const decimal = static_cast<double>(x);
  if (std::abs(decimal) >= 0x1p53 && static_cast<int128>(decimal) != x)
    throw io::data_error(
        "{}: row {} has {} at character {}, which f64 would round; write a part as a decimal, as "
        "in 2.0, if it may.{}",
        here.source.where, here.number(i), describe(x), character_at(here.source, of.at),
        caret_at(here.source, of.at));
  return decimal;
}

block_values converted(expression_node const& of, std::size_t p, block_values values,
                       block const& here, std::vector<std::uint8_t> const* needed) {
  if (of.parts[p]->type == of.type) return values;
  bool const rounds = std::ranges::any_of(
      of.parts, [](auto const& part) { return part->type == expression_type::decimal; });
  if (!rounds)
    for (std::size_t i = 0; i < here.n; ++i) {
      if (values.is_unknown(i) || (needed != nullptr && (*needed)[i] == 0)) continue;
      static_cast<void>(as_exact_decimal(values.whole(i), *of.parts[p], here, i));
    }
  return as_decimals(std::move(values));
}

void refer_to_owned(block_values& values) {
  values.texts.assign(values.owned.begin(), values.owned.end());
}

namespace {

using node = expression_node;
using enum expression_kind;

block_values column_values(node const& of, block const& here) {
  block_values out;
  if (of.place.is_text) {
    auto const& column = here.rows.keys[of.place.index];
    out.texts.reserve(here.n);
    for (std::size_t i = 0; i < here.n; ++i) out.texts.push_back(column[here.first + i]);
    return out;
  }
  if (!here.rows.present.empty()) {
    auto const present = slice(here.rows.present[of.place.index], here.first, here.n);
    for (bool const has : present.as<bool>()) out.unknown.push_back(has ? 0 : 1);
  }
  if (of.as_written) {
    auto const& column = here.rows.keys[*of.place.written];
    for (std::size_t i = 0; i < here.n; ++i) out.texts.push_back(column[here.first + i]);
    return out;
  }
  auto const values = slice(here.rows.columns[of.place.index], here.first, here.n);
  dispatch(values.type, [&]<class T>() {
    auto const all = values.as<T>();
    auto const take = [&]<class Wide>(std::vector<Wide>& to) {
      to.resize(here.n);
      for (std::size_t i = 0; i < here.n; ++i) to[i] = static_cast<Wide>(all[i]);
    };
    if constexpr (std::is_same_v<T, bool>)
      take(out.truths);
    else if (of.type == expression_type::integer)
      take(out.integers);
    else if (of.type == expression_type::natural)
      take(out.naturals);
    else
      take(out.decimals);
  });
  return out;
}

block_values row_numbers(block const& here) {
  block_values out;
  for (std::size_t i = 0; i < here.n; ++i)
    out.integers.push_back(static_cast<std::int64_t>(here.number(i)));
  return out;
}

/// Sets values[i] of `to` to those of `from` in row `at`.
void assign(block_values& to, std::size_t i, block_values const& from, std::size_t at) {
  auto const take = [&](auto& values, auto const& others) {
    if (!others.empty()) values[i] = others[at];
  };
  take(to.integers, from.integers);
  take(to.naturals, from.naturals);
  take(to.decimals, from.decimals);
  take(to.truths, from.truths);
  if (!from.texts.empty()) to.owned[i] = from.texts[at];
  to.unknown[i] = from.is_unknown(at) ? 1 : 0;
}

/// `n` missing values.
block_values nothing(expression_type type, std::size_t n) {
  using enum expression_type;
  block_values out;
  if (type == integer) out.integers.resize(n);
  if (type == natural) out.naturals.resize(n);
  if (type == decimal) out.decimals.resize(n);
  if (type == truth) out.truths.resize(n);
  if (type == text) out.owned.resize(n);
  out.unknown.assign(n, 1);
  return out;
}

/// The values of a part in the rows that need it. If there is an error, as in x != 0 && 7 % x == 1,
/// then only of these; the others are missing.
block_values values_where(std::vector<std::uint8_t> const& needed, node const& part, block& here) {
  auto const count = static_cast<std::size_t>(std::ranges::count(needed, 1));
  auto const finished = [](block_values all) {
    refer_to_owned(all);
    return all;
  };
  if (count == 0) return finished(nothing(part.type, here.n));
  try {
    return value_of(part, here);
  } catch (io::data_error const&) {
    if (here.n == 1) throw;
  }
  auto all = nothing(part.type, here.n);
  for (std::size_t i = 0; i < here.n; ++i) {
    if (needed[i] == 0) continue;
    block one{here.rows, here.first + i, 1, here.source, here.missing};
    assign(all, i, value_of(part, one), 0);
  }
  return finished(std::move(all));
}

/// && and || are unknown where a part is and none decides. Unknown Booleans are 0.
block_values joined_truths(node const& of, block& here) {
  auto out = value_of(*of.parts[0], here);
  if (of.kind == negation) {
    for (std::size_t i = 0; i < here.n; ++i)
      if (!out.is_unknown(i)) out.truths[i] ^= 1;
    return out;
  }
  std::uint8_t const decides = of.kind == both ? 0 : 1;
  std::vector<std::uint8_t> needed(here.n);
  for (std::size_t p = 1; p < of.parts.size(); ++p) {
    for (std::size_t i = 0; i < here.n; ++i)
      needed[i] = out.truths[i] == decides && !out.is_unknown(i) ? 0 : 1;
    auto const other = values_where(needed, *of.parts[p], here);
    auto unknown = unknown_of(out, other);
    for (std::size_t i = 0; i < here.n; ++i) {
      bool const decided = needed[i] == 0 || (other.truths[i] == decides && !other.is_unknown(i));
      if (decided && !unknown.empty()) unknown[i] = 0;
      bool const open = !unknown.empty() && unknown[i] != 0;
      out.truths[i] = open ? 0 : decided ? decides : 1 - decides;
    }
    out.unknown = std::move(unknown);
  }
  return out;
}

/// if(condition, x, y): missing where the condition is.
block_values chosen(node const& of, block& here) {
  auto const condition = value_of(*of.parts[0], here);
  auto out = nothing(of.type, here.n);
  for (std::size_t p = 1; p < 3; ++p) {
    std::vector<std::uint8_t> needed(here.n);
    for (std::size_t i = 0; i < here.n; ++i)
      needed[i] = !condition.is_unknown(i) && (condition.truths[i] != 0) == (p == 1) ? 1 : 0;
    auto const& part = *of.parts[p];
    auto const values = converted(of, p, values_where(needed, part, here), here, &needed);
    for (std::size_t i = 0; i < here.n; ++i)
      if (needed[i] != 0) assign(out, i, values, i);
  }
  refer_to_owned(out);
  return out;
}

/// coalesce(x, y, ...): the first value that is not missing; of strings, also not empty.
block_values first_known(node const& of, block& here) {
  auto out = nothing(of.type, here.n);
  std::vector<std::uint8_t> needed(here.n, 1);
  for (std::size_t p = 0; p < of.parts.size(); ++p) {
    auto const values = converted(of, p, values_where(needed, *of.parts[p], here), here, &needed);
    for (std::size_t i = 0; i < here.n; ++i) {
      bool const is_empty = !values.texts.empty() && values.texts[i].empty();
      if (needed[i] == 0 || values.is_unknown(i) || is_empty) continue;
      assign(out, i, values, i);
      needed[i] = 0;
    }
  }
  refer_to_owned(out);
  return out;
}

/// The values of an earlier expression, once for each block.
block_values defined_values(node const& of, block& here) {
  auto const* const root = of.parts[0].get();
  auto found = here.earlier.find(root);
  if (found == here.earlier.end()) {
    block its{here.rows, here.first, here.n, *of.defined_by, here.missing, std::move(here.earlier)};
    auto values = value_of(*root, its);
    here.earlier = std::move(its.earlier);
    found = here.earlier.emplace(root, std::move(values)).first;
  }
  auto out = found->second;
  if (!out.owned.empty()) refer_to_owned(out);
  return out;
}

template <class T, class U>
block_values filled(std::vector<T> block_values::* values, U const& value, std::size_t n) {
  block_values out;
  (out.*values).assign(n, static_cast<T>(value));
  return out;
}

}  // namespace

block_values value_of(node const& of, block& here) {
  switch (of.kind) {
    case integer_literal:
      return filled(&block_values::integers, of.integer, here.n);
    case natural_literal:
      return filled(&block_values::naturals, of.natural, here.n);
    case decimal_literal:
      return filled(&block_values::decimals, of.decimal, here.n);
    case text_literal:
      return filled(&block_values::texts, std::string_view(of.text), here.n);
    case truth_literal:
      return filled(&block_values::truths, of.integer, here.n);
    case row:
      return row_numbers(here);
    case column:
      return column_values(of, here);
    case defined:
      return defined_values(of, here);
    case both:
    case either:
    case negation:
      return joined_truths(of, here);
    case call:
      return of.called->evaluate(of, here);
    case matches:
      return where_pattern_occurs(of, here);
    default:
      break;
  }
  if (of.kind >= equal) return comparison(of, here);
  return arithmetic(of, here);
}

std::span<function const> functions() {
  static std::vector<function> const all = [] {
    std::vector<function> rows{{"if", 3, 3, "b.", '.', chosen},
                               {"coalesce", 2, many_arguments, ".", '.', first_known}};
    for (auto const more : {functions_of_numbers(), functions_of_texts()})
      rows.insert(rows.end(), more.begin(), more.end());
    return rows;
  }();
  return all;
}

function const* find_function(std::string_view name) {
  auto const all = functions();
  auto const found = std::ranges::find(all, name, &function::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace upsweep::cli
