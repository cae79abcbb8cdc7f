/// `upsweep sort`: the numbers or strings of a file, or the rows of a table, in ascending or
/// descending order.
#include <cli/aggregation/whole_input.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/engine/groups.hpp>
#include <cli/engine/row_pool.hpp>
#include <cli/engine/string_order.hpp>
#include <cli/engine/texts.hpp>
#include <cli/options.hpp>
#include <cli/output/results.hpp>
#include <io/error.hpp>
#include <upsweep/by_name/verbs/selections.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/unique.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct sort_flags : table_flags {
  std::vector<std::string> by;
  bool descends = false, unique = false;
  std::optional<std::size_t> top;

  [[nodiscard]] bool is_descending() const { return descends || top; }
  [[nodiscard]] std::size_t kept_of(std::size_t rows) const {
    return std::min(rows, top.value_or(rows));
  }
};

/// The numbers of the only column in order.
column_buffer sorted_numbers(io::input& input, sort_flags const& flags) {
  cpu const on{.threads = flags.threads};
  row_buffer owned;
  auto const in = read_whole(input, owned).columns[0];
  column_buffer out(in.type);
  if (flags.top && !flags.unique && *flags.top < in.size()) {
    out.resize(*flags.top);
    dynamic::top(on, in.type, in.bytes.data(), in.size(), true, out.bytes(), out.size());
    return out;
  }
  if (owned.columns.empty())
    out.append(in);
  else
    out = std::move(owned.columns[0]);
  std::size_t kept = out.size();
  dynamic::sort(on, out.type(), out.bytes(), kept, flags.is_descending(), out.bytes());
  // Numbers that are equal in the total order have the same bits.
  if (flags.unique)
    kept = with_bits(size_of(out.type()), [&]<class Bits>() {
      return dynamic::unique(on, dynamic::dtype_of<Bits>, out.bytes(), kept, out.bytes(), kept);
    });
  out.resize(flags.kept_of(kept));
  return out;
}

/// A column by which rows are sorted: numbers, in a type in which operators compute, strings, or
/// what decides among numbers that f64 takes for equal.
struct sort_column {
  column_buffer numbers{io::dtype::f64};
  std::optional<io::text_column> texts = {};
  std::vector<int128> wholes = {};

  [[nodiscard]] bool equal(std::size_t a, std::size_t b) const {
    if (texts) return (*texts)[a] == (*texts)[b];
    if (!wholes.empty()) return wholes[a] == wholes[b];
    auto const values = numbers.view();
    return std::memcmp(element(values, a), element(values, b), size_of(values.type)) == 0;
  }
};

/// Sorts the positions `order` stably by the values of a column at them.
void sort_by_column(cpu const& on, sort_column const& column, bool descends,
                    std::vector<std::size_t>& order) {
  auto const sort_by = [&]<class T>(auto const& values) {
    std::vector<T> keys;
    keys.reserve(order.size());
    for (std::size_t const row : order) keys.push_back(values[row]);
    upsweep::sort_by_key(on, keys, order,
                         [descends](T a, T b) { return descends ? b < a : a < b; });
  };
  if (column.texts) return sort_by.operator()<std::string_view>(*column.texts);
  if (!column.wholes.empty()) return sort_by.operator()<int128>(column.wholes);
  auto const type = column.numbers.type();
  with_compute_type(type, [&]<class T>() {
    auto const values = column.numbers.view().as<T>();
    std::vector<T> keys;
    keys.reserve(order.size());
    for (std::size_t const row : order) keys.push_back(values[row]);
    dynamic::sort_by_key(on, type, keys.data(), dynamic::dtype_of<std::size_t>, order.data(),
                         order.size(), descends);
  });
}

/// The number of each row's group, whose keys are the first `by` ones: 0 for that of the first row.
std::vector<std::uint32_t> groups_of(io::chunk const& all, std::size_t by) {
  std::vector<std::uint32_t> groups(all.rows);
  if (by > 0) group_table(by).number(std::span(all.keys).first(by), 0, all.rows, groups);
  return groups;
}

/// Keeps the first rows of each group, `most` of them.
void keep_first(std::size_t most, std::vector<std::uint32_t> const& groups,
                std::vector<std::size_t>& order) {
  std::size_t kept = 0, in_group = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    bool const is_new = kept == 0 || groups[order[i]] != groups[order[kept - 1]];
    if (is_new) in_group = 0;
    if (in_group++ < most) order[kept++] = order[i];
  }
  order.resize(kept);
}

/// Refuses strings whose bytes are in another order than what they say.
class strings_to_sort {
 public:
  /// Before keys are joined, which have the names.
  explicit strings_to_sort(io::input const& in) {
    for (auto const& column : in->where_chosen())
      if (column.is_text) columns_.emplace_back(in->keys[column.index]);
  }
  /// Of the next rows.
  void expect(std::vector<io::chosen_column> const& chosen, io::chunk const& rows) {
    for (std::size_t at = 0; auto const& column : chosen) {
      if (!column.is_text) continue;
      auto& in_order = columns_[at++];
      for (std::size_t row = 0; row < rows.rows; ++row)
        if (auto const text = rows.keys[column.index][row]; !in_order.take(text))
          throw in_order.error(text, fmt::format("Row {}: ", before_ + row + 1));
    }
    before_ += rows.rows;
  }

 private:
  std::vector<strings_in_order> columns_;
  std::size_t before_ = 0;
};

/// The positions of the rows in order: by group, which the first `by` keys tell; by the first
/// column, among equals by the second, and so on.
std::vector<std::size_t> sorted_rows(io::chunk const& all,
                                     std::vector<io::chosen_column> const& chosen,
                                     sort_flags const& flags, std::size_t by = 0) {
  cpu const on{.threads = flags.threads};
  std::vector<sort_column> columns;
  for (auto const& [is_text, index, written, rounds] : chosen) {
    auto& column = columns.emplace_back();
    if (is_text) {
      column.texts = all.keys[index];
    } else {
      column.numbers = column_buffer(compute_type(all.columns[index].type));
      column.numbers.append(all.columns[index]);
    }
    if (written && rounds) {
      auto& wholes = columns.emplace_back().wholes;
      for (std::size_t row = 0; row < all.rows; ++row)
        wholes.push_back(place_of(all.keys[*written][row]).whole);
    }
    if (written && flags.unique) columns.emplace_back().texts = all.keys[*written];
  }
  std::vector<std::size_t> order(all.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t c = columns.size(); c-- > 0;)
    sort_by_column(on, columns[c], flags.is_descending(), order);
  auto const groups = groups_of(all, by);
  if (by > 0) {
    std::vector<std::uint32_t> keys;
    for (std::size_t const row : order) keys.push_back(groups[row]);
    upsweep::sort_by_key(on, keys, order);
  }
  auto const equal = [&](std::size_t a, std::size_t b) {
    return groups[a] == groups[b] &&
           std::all_of(columns.begin(), columns.end(),
                       [&](sort_column const& column) { return column.equal(a, b); });
  };
  if (flags.unique) order.resize(upsweep::unique(on, order, order, equal));
  if (flags.top) keep_first(*flags.top, groups, order);
  return order;
}

/// What the rows seen so far say of later ones: of each group that has as many rows as are shown,
/// the last of these.
class top_bounds {
 public:
  explicit top_bounds(std::size_t by) : by_(by), table_(by) {}

  /// Finds the rows of a chunk that do not come after the bound of their group in descending order
  /// of a column.
  void find_not_after(io::chosen_column const& column, io::chunk const& rows,
                      std::vector<std::size_t>& found) {
    number(rows);
    found.resize(rows.rows);
    std::size_t count = 0;
    auto const find = [&](auto const& comes_after) {
      for (std::size_t row = 0; row < rows.rows; ++row) {
        std::size_t const bound = bound_of_[groups_[row]];
        found[count] = row;
        count += bound == none || !comes_after(row, bound);
      }
    };
    if (column.is_text) {
      auto const least = rows_.texts[column.index].view();
      find([&](auto row, auto bound) { return rows.keys[column.index][row] < least[bound]; });
    } else if (auto const& values = rows.columns[column.index];
               values.type != rows_.columns[column.index].type()) {
      find([](auto, auto) { return false; });
    } else {
      with_compute_type(values.type, [&]<class T>() {
        column_buffer numbers(compute_type(values.type)), least(numbers.type());
        numbers.append(values);
        least.append(rows_.columns[column.index].view());
        find([x = numbers.view().as<T>(), y = least.view().as<T>()](auto row, auto bound) {
          return ascending{}(x[row], y[bound]);
        });
      });
    }
    found.resize(count);
  }

  /// Takes the bounds from rows that are sorted, with at most `most` of each group.
  void take(row_buffer const& sorted, std::size_t most) {
    number(sorted.view());
    std::ranges::fill(bound_of_, none);
    std::vector<std::size_t> last;
    for_each_run(groups_, [&](group_rows const& of) {
      if (of.n < most) return;
      bound_of_[of.group] = last.size();
      last.push_back(of.first + of.n - 1);
    });
    rows_ = sorted;
    rows_.keep(last);
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  void number(io::chunk const& rows) {
    groups_.assign(rows.rows, 0);
    if (by_ > 0) table_.number(std::span(rows.keys).first(by_), 0, rows.rows, groups_);
    bound_of_.resize(std::max<std::size_t>(1, table_.size()), none);
  }

  std::size_t by_;
  group_table table_;
  std::vector<std::uint32_t> groups_;  // of the latest rows
  std::vector<std::size_t> bound_of_;  // of each group, which of `rows_` it is
  row_buffer rows_;
};

/// The rows that --top may show: rows wait until they are many, then the first ones of each group
/// stay.
row_buffer read_top(io::input& in, std::size_t joined, sort_flags const& flags, std::size_t by,
                    strings_to_sort& in_order) {
  auto const chosen = in->where_chosen();
  std::size_t many = std::max(2 * *flags.top, std::size_t{1} << 14);
  row_buffer all = rows_of(in, joined);
  top_bounds bounds(by);
  bounds.take(all, *flags.top);
  std::vector<std::size_t> found;
  for_each_chunk(in, [&](io::chunk const& rows) {
    in_order.expect(chosen, rows);
    bounds.find_not_after(chosen[0], rows, found);
    all.append(rows, found);
    if (all.rows < many) return;
    all.keep(sorted_rows(all.view(), chosen, flags, by));
    bounds.take(all, *flags.top);
    many = std::max(many, 4 * all.rows);
  });
  return all;
}

void write_rows(sort_flags const& flags, io::input& in) {
  strings_to_sort in_order(in);
  // Strings that were sorted are keys after those of whole rows, or the only ones.
  std::size_t shown = in->keys.size();
  std::size_t const by = in->keys_of(flags.by.size());  // the first keys, before whole rows
  shown -= by;
  for (auto const& column : in->where_chosen()) shown -= column.is_text || column.written;
  bool const only_texts = shown == 0;
  if (only_texts) shown = in->keys.size();
  auto const names = std::span(in->keys).subspan(by, shown);
  auto const written = keys_of_input(by + shown, by);
  auto o = options_of_rows(in, flags.in, flags.out, written);
  bool const joins = by == 0 && !only_texts && join_keys(in, shown, flags.out, o);
  if (!joins && !only_texts) keep_tokens(in, by + shown, by, flags.out, o);
  std::size_t const joined = joins ? shown : 0;
  bool const only_top = flags.top.value_or(0) > 0;
  row_buffer owned;
  if (only_top) owned = read_top(in, joined, flags, by, in_order);
  auto const all = only_top ? owned.view() : read_whole(in, owned, joined);
  if (!only_top) in_order.expect(in->where_chosen(), all);
  auto const order = sorted_rows(all, in->where_chosen(), flags, by);
  result_table out(flags.out, o, {}, {names.begin(), names.end()},
                   keys_as_json::of(in, flags.in, written));
  constexpr std::size_t block = std::size_t{1} << 12;
  auto const fields = fields_of(all, by, shown);
  row_buffer rows;
  for (std::size_t done = 0; done < order.size(); done += block) {
    rows.take(fields, std::span(order).subspan(done, std::min(block, order.size() - done)));
    out.write(rows.view());
  }
  out.commit();
}

void run(sort_flags const& flags) {
  io::input_options reading = flags.in.options();
  reading.threads = flags.threads;
  reading.whole_rows = true;
  reading.keys = flags.by;
  if (!flags.by.empty() && flags.in.columns.empty())
    throw io::usage_error(
        "--by: choose the columns by which the rows of a group are sorted with --column.");
  reading.may_be_text = true;
  reading.uses.assign(std::max<std::size_t>(1, reading.columns.size()),
                      {.as_numbers = false, .in_order = true, .as_written = true});
  reading.may_widen = flags.out.may_widen();
  io::input in(reading);
  if (in->keys.empty() && in->columns.size() > 1)
    throw io::usage_error(
        "--column: rows of a .npy array are not kept together; choose one column.");
  if (!in->keys.empty()) return write_rows(flags, in);
  auto const numbers = sorted_numbers(in, flags);
  auto o = options_like(in, flags.in, flags.out);
  o.shape = {numbers.size()};
  result_table out(flags.out, o, {{in->columns[0].name, numbers.type()}}, {});
  io::chunk rows;
  rows.rows = numbers.size();
  rows.columns.push_back(numbers.view());
  out.write(rows);
  out.commit();
}

}  // namespace

void add_sort_command(registry& tool) {
  auto const [add, flags] = add_command<sort_flags>(tool, "sort");
  add("--descending", flags.descends, "Largest first");
  add("--by COLUMN,...", flags.by, "Put rows with equal keys together and sort each group",
      comma_list);
  add("--top K", flags.top,
      "Only the K largest numbers or rows, of each group with --by, largest first", not_negative);
  add("--unique", flags.unique, "Only the first of equal numbers, or of rows with equal numbers");
  add_table_options(add, flags);
}

}  // namespace upsweep::cli
