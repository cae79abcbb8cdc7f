/// Computes with i64 and f64 in parallel as long as a column holds only integers, and drops one of
/// them when a decimal arrives.
#include <cli/widening_set.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace upsweep::cli {
namespace {

/// True if both columns print as the same text: f64 holds all the integers.
bool same_values(io::typed_column narrow, io::typed_column wide) {
  if (narrow.type == wide.type) return std::ranges::equal(narrow.bytes, wide.bytes);
  auto const same = [&]<class T>(T) {
    return std::ranges::equal(narrow.as<T>(), wide.as<double>(), [](T a, double b) {
      return static_cast<double>(a) == b && std::abs(b) <= 0x1p53;
    });
  };
  return narrow.type == io::dtype::i64 ? same(std::int64_t{})
                                       : narrow.type == io::dtype::u64 && same(std::uint64_t{});
}

}  // namespace

widening_set::widening_set(std::vector<operator_use> const& uses,
                           std::vector<io::column_info> const& columns,
                           folding_settings const& settings, bool may_widen) {
  bool const joint = std::any_of(uses.begin(), uses.end(), [](auto const& use) {
    auto const takes = listed(use.id).takes;
    return takes == catalog::operand_kind::maps || takes == catalog::operand_kind::matrices;
  });
  std::size_t const together = joint || !may_widen ? columns.size() : 1;
  for (auto first = columns.begin(); first != columns.end();
       first += static_cast<std::ptrdiff_t>(together)) {
    std::vector<io::column_info> const some(first, first + static_cast<std::ptrdiff_t>(together));
    auto& made = parts_.emplace_back(part{some, folding_set(uses, some, settings)});
    results_.insert(results_.end(), made.set.results().begin(), made.set.results().end());
    origins_.insert(origins_.end(), made.set.origins().begin(), made.set.origins().end());
    auto wide = some;
    for (auto& column : wide)
      if (io::is_integer(column.type)) column.type = io::dtype::f64;
    bool const differ =
        !std::ranges::equal(some, wide, {}, &io::column_info::type, &io::column_info::type);
    if (!may_widen || !differ || made.set.takes_only(io::dtype::f64)) continue;
    try {
      made.wide.emplace(uses, wide, settings);
    } catch (io::usage_error const&) {
      made.narrow_only = std::current_exception();
    }
  }
}

void widening_set::widen(part& of, std::span<io::typed_column const> columns) {
  auto const column = std::ranges::mismatch(of.columns, columns, {}, &io::column_info::type,
                                            &io::typed_column::type)
                          .in1;
  if (column == of.columns.end()) return;
  if (of.narrow_only) std::rethrow_exception(of.narrow_only);
  if (!of.shown_the_same)
    throw io::data_error(fmt::format(
        "Column '{}' becomes f64 after results above 2^53 were written, which f64 would "
        "have rounded; give --dtype f64 to compute all of them in f64.",
        column->name));
  for (std::size_t i = 0; i < columns.size(); ++i) of.columns[i].type = columns[i].type;
  if (of.wide) of.set = std::move(*of.wide);
  of.wide.reset();
}

template <class F>
void widening_set::for_each_part(std::span<io::typed_column const> columns, F const& f) {
  for (auto& each : parts_) {
    auto const mine = columns.first(each.columns.size());
    columns = columns.subspan(each.columns.size());
    widen(each, mine);
    f(each.set, mine);
    if (each.wide) f(*each.wide, mine);
  }
}

void widening_set::restart(std::uint64_t first_row) {
  for (auto& each : parts_) {
    each.set.restart(first_row);
    if (each.wide) each.wide->restart(first_row);
  }
}

void widening_set::reduce(std::span<io::typed_column const> columns,
                          std::span<std::uint64_t const> numbers) {
  for_each_part(columns,
                [&](folding_set& set, auto const& values) { set.reduce(values, numbers); });
}

void widening_set::scan(scan_kind kind, std::span<io::typed_column const> columns,
                        std::span<std::uint64_t const> numbers) {
  for_each_part(columns,
                [&](folding_set& set, auto const& values) { set.scan(kind, values, numbers); });
}

void widening_set::finish() {
  for (auto& each : parts_) {
    each.set.finish();
    if (each.wide) each.wide->finish();
  }
}

std::vector<io::typed_column> widening_set::rows() const {
  std::vector<io::typed_column> all;
  for (auto const& each : parts_)
    for (auto const& column : each.set.rows()) all.push_back(column);
  return all;
}

void widening_set::clear() {
  for (auto& each : parts_) {
    if (each.wide) {
      each.shown_the_same = each.shown_the_same &&
                            std::ranges::equal(each.set.rows(), each.wide->rows(), same_values);
      each.wide->clear();
    }
    each.set.clear();
  }
}

}  // namespace upsweep::cli
