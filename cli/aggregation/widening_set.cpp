/// Computes with i64 and f64 in parallel as long as a column holds only integers, and drops one of
/// them when a decimal arrives.
#include <cli/aggregation/widening_set.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

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

/// Operators over the same columns, as indices: those of a folding_set.
struct division {
  std::vector<std::size_t> uses, columns;
};

std::vector<std::size_t> first_numbers(std::size_t n) {
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// Statistics of one pass over the same columns.
bool share_a_pass(operator_use const& a, operator_use const& b) {
  auto const summary = summary_of(a.id);
  return summary && summary == summary_of(b.id) && a.at == b.at && a.others_at == b.others_at;
}

/// The operators that name several columns, by these columns.
std::vector<division> divided_joint(std::vector<operator_use> const& all) {
  std::vector<division> parts;
  for (std::size_t u = 0; u < all.size(); ++u) {
    if (all[u].others_at.empty()) continue;
    auto const same = std::ranges::find_if(
        parts, [&](division const& d) { return share_a_pass(all[d.uses[0]], all[u]); });
    if (same != parts.end()) {
      same->uses.push_back(u);
    } else {
      auto& columns = parts.emplace_back(division{{u}, {*all[u].at}}).columns;
      columns.insert(columns.end(), all[u].others_at.begin(), all[u].others_at.end());
    }
  }
  return parts;
}

/// Those of one column: all together, or each column on its own if it may become f64.
std::vector<division> divided(std::vector<operator_use> const& all, std::size_t columns,
                              bool may_widen) {
  std::vector<division> parts;
  if (!may_widen) parts.push_back({{}, first_numbers(columns)});
  for (std::size_t c = 0; may_widen && c < columns; ++c) parts.push_back({{}, {c}});
  for (std::size_t u = 0; u < all.size(); ++u)
    if (all[u].others_at.empty()) parts[may_widen ? *all[u].at : 0].uses.push_back(u);
  std::erase_if(parts, [](division const& d) { return d.uses.empty(); });
  for (auto& joint : divided_joint(all)) parts.push_back(std::move(joint));
  return parts;
}

/// Saves the i64 part of `of` and, if it `has_wide`, the f64 part. If there are both, the size of
/// the i64 part comes first.
template <class Part>
void save_both(Part const& of, bool has_wide, saved_state& to,
               void (folding_set::*save)(saved_state&) const) {
  std::size_t const at = to.size();
  put(to, std::uint64_t{0});
  (of.set.*save)(to);
  if (!has_wide) return;
  std::uint64_t const size = to.size() - at - sizeof(std::uint64_t);
  std::memcpy(to.data() + at, &size, sizeof size);
  ((*of.wide).*save)(to);
}

bool takes(folding_set const& set, piece of) try {
  set.expect_takes(of);
  return true;
} catch (io::usage_error const&) {
  return false;
}

template <class Part>
void load_both(Part& of, saved_reader& from, void (folding_set::*load)(saved_reader&)) {
  auto const narrow = from.take<std::uint64_t>();
  if (narrow > 0 && !of.wide) from.skip(narrow);
  (of.set.*load)(from);
  if (of.wide) ((*of.wide).*load)(from);
}

}  // namespace

widening_set::widening_set(std::vector<operator_use> const& uses,
                           std::vector<io::column_info> const& columns,
                           folding_settings const& settings, bool may_widen) {
  bool const together = std::ranges::any_of(uses, [](operator_use const& use) {
    return takes_several_columns(use.id) && use.others_at.empty();
  });
  auto const all = together ? uses : applied(uses, columns.size());
  auto const parts =
      together ? std::vector<division>{{first_numbers(uses.size()), first_numbers(columns.size())}}
               : divided(all, columns.size(), may_widen);
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> results(all.size());
  for (auto const& d : parts) {
    std::vector<operator_use> own;
    for (std::size_t const u : d.uses) {
      auto& use = own.emplace_back(all[u]);
      bool const has_all = d.columns.size() == columns.size() && d.columns[0] == 0;
      if (use.at && !(has_all && d.columns[*use.at] == *use.at))
        use.at =
            static_cast<std::size_t>(std::ranges::find(d.columns, *use.at) - d.columns.begin());
    }
    add_part(own, columns, d.columns, settings, may_widen);
    std::size_t const count = parts_.back().set.results().size();
    for (std::size_t r = 0; r < count; ++r)
      results[d.uses[std::min(r, d.uses.size() - 1)]].emplace_back(parts_.size() - 1, r);
  }
  for (auto const& of : results) order_.insert(order_.end(), of.begin(), of.end());
  for (auto const& [p, r] : order_) {
    results_.push_back(parts_[p].set.results()[r]);
    origins_.push_back(parts_[p].set.origins()[r]);
  }
}

void widening_set::add_part(std::vector<operator_use> const& uses,
                            std::vector<io::column_info> const& table,
                            std::vector<std::size_t> const& inputs,
                            folding_settings const& settings, bool may_widen) {
  std::vector<io::column_info> columns;
  for (std::size_t const c : inputs) columns.push_back(table[c]);
  auto& made = parts_.emplace_back(part{inputs, columns, folding_set(uses, columns, settings)});
  if (settings.of_piece != piece::none) made.set.expect_takes(piece::in_place);
  bool differ = false;
  for (auto& column : columns) {
    differ = differ || io::is_integer(column.type);
    if (io::is_integer(column.type)) column.type = io::dtype::f64;
  }
  if (!may_widen || !differ || made.set.takes_only(io::dtype::f64)) return;
  try {
    folding_set wide(uses, columns, settings);
    if (settings.of_piece != piece::none) wide.expect_takes(settings.of_piece);
    made.wide = std::move(wide);
  } catch (io::usage_error const&) {
    made.narrow_only = std::current_exception();
  }
}

void widening_set::widen(part& of, std::span<io::typed_column const> columns) {
  auto const [column, values] =
      std::ranges::mismatch(of.columns, columns, [](auto const& expected, auto const& found) {
        return found.type == expected.type || !io::is_integer(expected.type);
      });
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
void widening_set::for_each_part(std::span<io::typed_column const> columns,
                                 std::span<io::typed_column const> present, F const& f) {
  for (auto& each : parts_) {
    mine_.clear(), mine_present_.clear();
    for (std::size_t const c : each.inputs) {
      mine_.push_back(columns[c]);
      if (!present.empty()) mine_present_.push_back(present[c]);
    }
    widen(each, mine_);
    f(each.set, mine_, mine_present_);
    if (each.wide) f(*each.wide, mine_, mine_present_);
  }
}

void widening_set::restart(std::uint64_t first_row) {
  for (auto& each : parts_) {
    each.set.restart(first_row);
    if (each.wide) each.wide->restart(first_row);
  }
}

void widening_set::reduce(std::span<io::typed_column const> columns,
                          std::span<std::uint64_t const> numbers,
                          std::span<io::typed_column const> present) {
  for_each_part(columns, present, [&](folding_set& set, auto const& values, auto const& has) {
    set.reduce(values, numbers, has);
  });
}

bool widening_set::looks_ahead() const {
  return std::ranges::any_of(parts_, [](part const& each) { return each.set.looks_ahead(); });
}

void widening_set::collect(std::span<io::typed_column const> columns,
                           std::span<io::typed_column const> present) {
  for_each_part(columns, present, [](folding_set& set, auto const& values, auto const& has) {
    set.collect(values, has);
  });
}

void widening_set::scan(scan_kind kind, std::span<io::typed_column const> columns,
                        std::span<std::uint64_t const> numbers,
                        std::span<io::typed_column const> present) {
  for_each_part(columns, present, [&](folding_set& set, auto const& values, auto const& has) {
    set.scan(kind, values, numbers, has);
  });
}

void widening_set::finish() {
  for (auto& each : parts_) {
    each.set.finish();
    if (each.wide) each.wide->finish();
  }
}

void widening_set::save(saved_state& to) const {
  for (auto const& each : parts_) save_both(each, each.wide.has_value(), to, &folding_set::save);
}

void widening_set::load(saved_reader& from) {
  for (auto& each : parts_) load_both(each, from, &folding_set::load);
}

void widening_set::expect_takes(piece of, std::vector<bool> const& has_values) const {
  for (std::size_t first = 0; auto const& each : parts_) {
    if (each.has_any(has_values, first)) each.set.expect_takes(of);
    first += each.columns.size();
  }
}

value_counts widening_set::counts(bool only_count) const {
  value_counts all;
  for (auto const& each : parts_) {
    auto const counts = (each.wide ? *each.wide : each.set).counts(only_count);
    all.insert(all.end(), counts.begin(), counts.end());
  }
  return all;
}

void widening_set::place(value_counts const* in_front) {
  for (auto& each : parts_) {
    each.set.place(in_front);
    if (each.wide) each.wide->place(in_front);
  }
}

void widening_set::save_part(saved_state& to, piece as) const {
  for (auto const& each : parts_) {
    saved_state both;
    save_both(each, each.wide && takes(*each.wide, as), both, &folding_set::save_part);
    put(to, both.size());
    put_all(to, std::span<std::byte const>(both));
  }
}

void widening_set::join_part(saved_reader& from, std::vector<bool> const& has_values,
                             std::uint64_t rows) {
  std::size_t first = 0;
  for (auto& each : parts_) {
    saved_reader both(from.take_bytes(from.take_count()));
    bool const has = each.has_any(has_values, first);
    first += each.columns.size();
    if (has) {
      load_both(each, both, &folding_set::join_part);
    } else {
      each.set.join_missing(rows);
      if (each.wide) each.wide->join_missing(rows);
    }
  }
}

template <class F>
auto widening_set::collected(F const& of) const {
  std::vector<decltype(of(parts_[0].set))> found;
  for (auto const& each : parts_) found.push_back(of(each.set));
  typename decltype(found)::value_type all;
  for (auto const& [p, r] : order_)
    if (r < found[p].size()) all.push_back(found[p][r]);
  return all;
}

std::vector<io::typed_column> widening_set::rows() const {
  return collected([](folding_set const& set) { return set.rows(); });
}

std::vector<io::typed_column> widening_set::present() const {
  bool const wanted =
      std::ranges::any_of(parts_, [](part const& each) { return each.set.may_lack_fields(); });
  return collected([&](folding_set const& set) { return set.present(wanted); });
}

std::vector<std::uint64_t> widening_set::missing() const {
  return collected([](folding_set const& set) { return set.missing(); });
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
