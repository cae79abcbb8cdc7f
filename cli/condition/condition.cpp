/// Evaluates a condition, a block of rows at a time.
#include <cli/condition/condition.hpp>
#include <cli/condition/node.hpp>
#include <cli/engine/buffers.hpp>
#include <cli/engine/dispatch.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace upsweep::cli {

namespace {

using node = condition_node;
using enum condition_kind;

/// The values of a node for a block of rows: those of its type.
struct block_values {
  std::vector<std::int64_t> integers{};
  std::vector<std::uint64_t> naturals{};
  std::vector<double> decimals{};
  std::vector<std::string_view> texts{};
  std::vector<std::uint8_t> truths{};
  std::vector<std::uint8_t> unknown{};  ///< 1 where a number is missing; empty: nowhere
  std::vector<std::string> owned{};     ///< what `texts` refers to, if the node makes texts
};

struct block {
  io::chunk const& rows;
  std::size_t first, n;
  std::string const& text;  // of the condition
};

block_values value_of(node const& of, block const& here);

bool is_unknown(block_values const& values, std::size_t i) {
  return !values.unknown.empty() && values.unknown[i] != 0;
}

/// What is made of two parts is unknown where one of them is.
std::vector<std::uint8_t> unknown_of(block_values const& a, block_values const& b) {
  auto all = a.unknown.empty() ? b.unknown : a.unknown;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is_unknown(b, i)) all[i] = 1;
  return all;
}

block_values column_values(node const& of, block const& here) {
  block_values out;
  if (of.place.is_text) {
    for (std::size_t i = 0; i < here.n; ++i)
      out.texts.push_back(here.rows.keys[of.place.index][here.first + i]);
    return out;
  }
  if (!here.rows.present.empty())
    for (bool const has : slice(here.rows.present[of.place.index], here.first, here.n).as<bool>())
      out.unknown.push_back(has ? 0 : 1);
  auto const values = slice(here.rows.columns[of.place.index], here.first, here.n);
  dispatch(values.type, [&]<class T>() {
    for (T const x : values.as<T>())
      if constexpr (std::is_same_v<T, bool>)
        out.truths.push_back(x ? 1 : 0);
      else if (of.type == condition_type::integer)
        out.integers.push_back(static_cast<std::int64_t>(x));
      else if (of.type == condition_type::natural)
        out.naturals.push_back(static_cast<std::uint64_t>(x));
      else
        out.decimals.push_back(static_cast<double>(x));
  });
  return out;
}

/// The values of a part as decimals, if they are integers.
block_values as_decimals(block_values values) {
  if (!values.integers.empty())
    values.decimals.assign(values.integers.begin(), values.integers.end());
  if (!values.naturals.empty())
    values.decimals.assign(values.naturals.begin(), values.naturals.end());
  values.integers.clear();
  values.naturals.clear();
  return values;
}

std::int64_t exact_result(condition_kind kind, std::int64_t a, std::int64_t b, node const& of,
                          block const& here, std::size_t i) {
  std::int64_t result = 0;
  if (kind == remainder) {
    if (b == 0)
      throw io::data_error(fmt::format("--where: row {} divides by 0 in '%'.",
                                       here.rows.number(here.first + i) + 1));
    return b == -1 ? 0 : a % b;
  }
  bool const overflows = kind == add        ? __builtin_add_overflow(a, b, &result)
                         : kind == subtract ? __builtin_sub_overflow(a, b, &result)
                                            : __builtin_mul_overflow(a, b, &result);
  if (overflows)
    throw io::data_error(fmt::format(
        "--where: row {} overflows i64 at character {}; write a factor as a decimal, as in 2.0.",
        here.rows.number(here.first + i) + 1, of.at + 1));
  return result;
}

double decimal_result(condition_kind kind, double a, double b) {
  switch (kind) {
    case add:
      return a + b;
    case subtract:
      return a - b;
    case multiply:
      return a * b;
    case divide:
      return a / b;
    default:
      return std::fmod(a, b);
  }
}

block_values arithmetic(node const& of, block const& here) {
  auto a = value_of(*of.parts[0], here), b = value_of(*of.parts[1], here);
  block_values out;
  out.unknown = unknown_of(a, b);
  if (of.type == condition_type::integer) {
    for (std::size_t i = 0; i < here.n; ++i)
      out.integers.push_back(
          is_unknown(out, i) ? 0
                             : exact_result(of.kind, a.integers[i], b.integers[i], of, here, i));
    return out;
  }
  a = as_decimals(std::move(a));
  b = as_decimals(std::move(b));
  for (std::size_t i = 0; i < here.n; ++i)
    out.decimals.push_back(decimal_result(of.kind, a.decimals[i], b.decimals[i]));
  return out;
}

template <class T>
void compare(condition_kind kind, std::vector<T> const& a, std::vector<T> const& b,
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
void compare_mixed(condition_kind kind, std::vector<T> const& a, std::vector<U> const& b,
                   std::vector<std::uint8_t>& out) {
  std::vector<int> order, zeros(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    order.push_back(std::cmp_less(a[i], b[i]) ? -1 : std::cmp_equal(a[i], b[i]) ? 0 : 1);
  compare(kind, order, zeros, out);
}

/// Marks where a comparison of two parts holds.
void compare_parts(node const& of, node const& right, block_values const& a, block_values const& b,
                   std::vector<std::uint8_t>& out) {
  using enum condition_type;
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

/// The first part beside each of the others: true if it holds for one of them.
block_values comparison(node const& of, block const& here) {
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

block_values changed_case(node const& of, block const& here) {
  auto const from = value_of(*of.parts[0], here);
  block_values out;
  char const first = of.kind == lower ? 'A' : 'a', last = of.kind == lower ? 'Z' : 'z';
  for (auto const text : from.texts) {
    auto& made = out.owned.emplace_back(text);
    for (char& c : made)
      if (c >= first && c <= last) c = static_cast<char>(c ^ 0x20);
  }
  for (auto const& made : out.owned) out.texts.push_back(made);
  return out;
}

block_values test_of_texts(node const& of, block const& here) {
  auto const a = value_of(*of.parts[0], here);
  block_values b, out;
  if (of.parts.size() > 1) b = value_of(*of.parts[1], here);
  for (std::size_t i = 0; i < here.n; ++i) {
    auto const text = a.texts[i];
    bool const holds = of.kind == matches       ? of.pattern.occurs_in(text)
                       : of.kind == starts_with ? text.starts_with(b.texts[i])
                       : of.kind == ends_with   ? text.ends_with(b.texts[i])
                                                : text.find(b.texts[i]) != std::string_view::npos;
    out.truths.push_back(holds ? 1 : 0);
  }
  return out;
}

block_values sign_changed(node const& of, block const& here) {
  auto out = value_of(*of.parts[0], here);
  if (of.type == condition_type::decimal) out = as_decimals(std::move(out));
  for (std::size_t i = 0; i < out.integers.size(); ++i)
    if (of.kind == negate || out.integers[i] < 0)
      out.integers[i] = exact_result(subtract, 0, out.integers[i], of, here, i);
  for (double& x : out.decimals) x = of.kind == negate ? -x : std::abs(x);
  return out;
}

/// The truths of a part of && or ||. If there is an error, as in x != 0 && 7 % x == 1, then only of
/// the rows that the parts before it have not decided by `decides`.
block_values next_truths(node const& part, block const& here, block_values const& before,
                         std::uint8_t decides) {
  try {
    return value_of(part, here);
  } catch (io::data_error const&) {
    block_values all;
    all.truths = before.truths;
    all.unknown.resize(here.n);
    for (std::size_t i = 0; i < here.n; ++i) {
      if (before.truths[i] == decides && !is_unknown(before, i)) continue;
      auto const one = value_of(part, {here.rows, here.first + i, 1, here.text});
      all.truths[i] = one.truths[0];
      all.unknown[i] = is_unknown(one, 0) ? 1 : 0;
    }
    return all;
  }
}

/// && and || are unknown where a part is and none decides. Truths that are unknown are 0.
block_values joined_truths(node const& of, block const& here) {
  auto out = value_of(*of.parts[0], here);
  if (of.kind == negation) {
    for (std::size_t i = 0; i < here.n; ++i)
      if (!is_unknown(out, i)) out.truths[i] ^= 1;
    return out;
  }
  std::uint8_t const decides = of.kind == both ? 0 : 1;
  for (std::size_t p = 1; p < of.parts.size(); ++p) {
    auto const other = next_truths(*of.parts[p], here, out, decides);
    auto unknown = unknown_of(out, other);
    for (std::size_t i = 0; i < here.n; ++i) {
      bool const decided = (out.truths[i] == decides && !is_unknown(out, i)) ||
                           (other.truths[i] == decides && !is_unknown(other, i));
      if (decided && !unknown.empty()) unknown[i] = 0;
      bool const open = !unknown.empty() && unknown[i] != 0;
      out.truths[i] = open ? 0 : decided ? decides : 1 - decides;
    }
    out.unknown = std::move(unknown);
  }
  return out;
}

block_values value_of(node const& of, block const& here) {
  block_values out;
  switch (of.kind) {
    case integer_literal:
      out.integers.assign(here.n, of.integer);
      return out;
    case natural_literal:
      out.naturals.assign(here.n, of.natural);
      return out;
    case decimal_literal:
      out.decimals.assign(here.n, of.decimal);
      return out;
    case text_literal:
      out.texts.assign(here.n, of.text);
      return out;
    case truth_literal:
      out.truths.assign(here.n, static_cast<std::uint8_t>(of.integer));
      return out;
    case row:
      for (std::size_t i = 0; i < here.n; ++i)
        out.integers.push_back(static_cast<std::int64_t>(here.rows.number(here.first + i) + 1));
      return out;
    case column:
      return column_values(of, here);
    case negate:
    case condition_kind::abs:
      return sign_changed(of, here);
    case add:
    case subtract:
    case multiply:
    case divide:
    case remainder:
      return arithmetic(of, here);
    case length:
      for (auto const text : value_of(*of.parts[0], here).texts)
        out.integers.push_back(static_cast<std::int64_t>(
            std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; })));
      return out;
    case field_text:
      return value_of(*of.parts[0], here);
    case lower:
    case upper:
      return changed_case(of, here);
    case matches:
    case starts_with:
    case ends_with:
    case contains:
      return test_of_texts(of, here);
    case both:
    case either:
    case negation:
      return joined_truths(of, here);
    default:
      return comparison(of, here);
  }
}

}  // namespace

condition::condition(std::string const& text) : text_(text), root_(parse_condition(text_)) {
  list_columns(*root_, columns_, texts_);
}
condition::~condition() = default;
condition::condition(condition&&) noexcept = default;
condition& condition::operator=(condition&&) noexcept = default;

bool condition::may_mean_text(std::string const& column) const {
  return has_bare_word(*root_, text_, column);
}

void condition::resolve(io::input const& in) {
  if (std::ranges::find(in.all_names(), "row") != in.all_names().end()) refuse_row(*root_, text_);
  places_ = in.chosen();
  types_ = in.columns();
  set_types(*root_, text_, places_, types_);
}

/// A decimal makes the rest of a column of integers f64, and the operations on it too.
void condition::follow_types(io::chunk const& rows) {
  if (std::ranges::equal(types_, rows.columns, {}, &io::column_info::type, &io::typed_column::type))
    return;
  for (std::size_t c = 0; c < types_.size(); ++c) types_[c].type = rows.columns[c].type;
  set_types(*root_, text_, places_, types_);
}

void condition::evaluate(io::chunk const& rows, std::span<std::uint8_t> marks) {
  follow_types(rows);
  constexpr std::size_t most = 4096;
  for (std::size_t first = 0; first < rows.rows; first += most) {
    block const here{rows, first, std::min(most, rows.rows - first), text_};
    auto const values = value_of(*root_, here);
    for (std::size_t i = 0; i < here.n; ++i)
      marks[first + i] = is_unknown(values, i) ? 2 : values.truths[i];
  }
}

}  // namespace upsweep::cli
