/// The loop that applies all operators to each block of rows while it is in the cache.
#include <cli/engine/column_set.hpp>

#include <io/error.hpp>

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
  return narrow.type == io::dtype::i64 ? same(std::int64_t{}) : same(std::uint64_t{});
}

}  // namespace

template <class F>
void column_set::for_each_state(F const& f) {
  for (auto& each : parts_)
    for (auto* const states : {&each.narrow, &each.wide}) std::ranges::for_each(*states, f);
}

template <class F>
void column_set::for_each_result(F const& f) const {
  for (auto const& r : results_) f(parts_[r.part].narrow[r.member], r.field);
}

bool column_set::looks_ahead() const {
  return std::ranges::any_of(parts_, [](part const& each) {
    return std::ranges::any_of(each.narrow, [](state const& s) { return s.of->looks_ahead(); });
  });
}

void column_set::restart(std::uint64_t first_row) {
  for_each_state([&](state& s) {
    s.of->initialize(first_row);
    s.missing = 0;
    for (auto& latest : s.latest) latest.clear();
  });
}

/// Computes in f64 only, from the first chunk on whose column has decimals.
void column_set::widen(part& of, std::span<io::typed_column const> columns) {
  auto const [column, values] =
      std::ranges::mismatch(of.columns, columns, [](auto const& expected, auto const& found) {
        return found.type == expected.type || !io::is_integer(expected.type);
      });
  if (column == of.columns.end()) return;
  if (of.narrow_only) std::rethrow_exception(of.narrow_only);
  if (!of.shown_the_same)
    throw io::data_error(
        "Column '{}' becomes f64 after results above 2^53 were written, which f64 would have "
        "rounded; give --dtype f64 to compute all of them in f64.",
        column->name);
  for (std::size_t i = 0; i < columns.size(); ++i) of.columns[i].type = columns[i].type;
  if (!of.wide.empty()) of.narrow = std::exchange(of.wide, {});
}

io::typed_column column_set::value_column(io::typed_column values, std::size_t column,
                                          io::dtype type) {
  if (values.type == type) return values;
  auto& [made, is_of_block] =
      converted_.try_emplace({column, type}, converted_column{column_buffer(type)}).first->second;
  if (!is_of_block) {
    made.clear();
    made.append(values);
    is_of_block = true;
  }
  return made.view();
}

/// Calls f(state, values, present, n) for each operator and block of `n` rows; the values are those
/// of the rows that are present, which are all if `present` is empty.
template <class F>
void column_set::for_each_block(std::span<io::typed_column const> columns,
                                std::span<std::uint64_t const> numbers,
                                std::span<io::typed_column const> present, F const& f) {
  for (auto& each : parts_) {
    mine_.clear(), mine_present_.clear();
    for (std::size_t const c : each.inputs) {
      mine_.push_back(columns[c]);
      if (!present.empty()) mine_present_.push_back(present[c]);
    }
    widen(each, mine_);
    for_blocks_of(each, numbers, f);
  }
}

/// The same for the operators of a part, whose columns are mine_.
template <class F>
void column_set::for_blocks_of(part& of, std::span<std::uint64_t const> numbers, F const& f) {
  bool as_they_are = of.wide.empty();
  std::size_t narrowest = 8;
  for (std::size_t m = 0; m < of.members.size(); ++m)
    for (std::size_t const c : of.members[m].inputs) {
      as_they_are = as_they_are && mine_[c].type == of.narrow[m].of->takes();
      narrowest = std::min(narrowest, size_of(mine_[c].type));
    }
  // A single operator that needs no conversion gets all values at once. Several get 1 MiB at a
  // time: the second and later ones find it in the cache, and it is the least that the library
  // distributes over threads.
  std::size_t const rows = mine_[0].size();
  bool const whole = as_they_are && of.members.size() == 1;
  bool const jointly = of.members[0].inputs.size() > 1, gaps = !mine_present_.empty();
  std::size_t const block = whole ? std::max<std::size_t>(rows, 1)
                                  : (std::size_t{1} << 20) / (as_they_are ? narrowest : 8);
  for (std::size_t first = 0; first < rows; first += block) {
    std::size_t const n = std::min(block, rows - first);
    for (auto& [of_column, made] : converted_) made.is_of_block = false;
    if (gaps) block_.take(mine_, numbers, mine_present_, first, n, jointly);
    auto const give = [&](member const& m, state& s) {
      std::size_t const lead = m.inputs[0];
      values_.clear();
      if (s.of->fills_gaps()) {
        std::vector<io::typed_column> here;
        for (std::size_t const c : m.inputs) {
          values_.push_back(slice(mine_[c], first, n));
          if (gaps) here.push_back(slice(mine_present_[c], first, n));
        }
        s.of->gaps(here);
        return f(s, values_, io::typed_column(), n);
      }
      for (std::size_t const c : m.inputs)
        values_.push_back(
            value_column(gaps ? block_.values(c) : slice(mine_[c], first, n), c, s.of->takes()));
      if (!numbers.empty()) s.of->number(gaps ? block_.numbers(lead) : numbers.subspan(first, n));
      s.missing += n - values_[0].size();
      f(s, values_, gaps ? block_.present(lead) : io::typed_column(), n);
    };
    for (auto* const states : {&of.narrow, &of.wide})
      for (std::size_t m = 0; m < states->size(); ++m) give(of.members[m], (*states)[m]);
  }
}

void column_set::reduce(std::span<io::typed_column const> columns,
                        std::span<std::uint64_t const> numbers,
                        std::span<io::typed_column const> present) {
  for_each_block(columns, numbers, present,
                 [](state& s, std::vector<io::typed_column> const& values, auto const&, auto) {
                   if (values[0].size() == 0) return;
                   if (s.not_placed) std::rethrow_exception(s.not_placed);
                   s.of->update(values);
                 });
}

void column_set::scan(scan_kind kind, std::span<io::typed_column const> columns,
                      std::span<std::uint64_t const> numbers,
                      std::span<io::typed_column const> present) {
  for_each_block(columns, numbers, present,
                 [&](state& s, std::vector<io::typed_column> const& values, io::typed_column here,
                     std::size_t n) {
                   if (values[0].size() > 0) s.of->scan(kind, values, s.results);
                   if (may_miss_) put_beside_rows(s, values[0].size(), here, n);
                 });
}

void column_set::collect(std::span<io::typed_column const> columns,
                         std::span<io::typed_column const> present) {
  for_each_block(columns, {}, present,
                 [](state& s, std::vector<io::typed_column> const& values, auto const&, auto) {
                   if (s.of->looks_ahead() && values[0].size() > 0) s.of->update(values);
                 });
}

/// The results of `values` rows, those that are `present` of n, become those of all n.
void column_set::put_beside_rows(state& s, std::size_t values, io::typed_column present,
                                 std::size_t n) {
  for (auto& column : s.results) spread(column, values, present, n);
  auto const has = s.present.extend<bool>(n);
  if (s.of->fills_gaps()) present = s.of->filled();
  if (present.size() == n)
    std::ranges::copy(present.as<bool>(), has.begin());
  else
    std::ranges::fill(has, true);
  if (!carries_) return;
  auto const first = s.latest[0].empty() ? std::ranges::find(has, true) : has.begin();
  for (std::size_t f = 0; f < s.results.size(); ++f) repeat(s.latest[f], s.results[f], has);
  std::fill(first, has.end(), true);
}

void column_set::finish() {
  for_each_state([&](state& s) {
    bool const has = !may_lack_results_ || s.of->has_result();
    if (has)
      s.of->finalize(s.results);
    else
      for (auto& column : s.results) append_zeros(column, 1);
    s.present.push(has);
    for (std::size_t f = 0; f < s.present_fields.size(); ++f)
      s.present_fields[f].push(has && s.of->filled().as<bool>()[f]);
  });
}

std::vector<io::typed_column> column_set::rows() const {
  std::vector<io::typed_column> all;
  for_each_result(
      [&](state const& s, std::size_t field) { all.push_back(s.results[field].view()); });
  return all;
}

std::vector<io::typed_column> column_set::present() const {
  bool wanted = may_miss_;
  for_each_result([&](state const& s, auto) { wanted = wanted || !s.present_fields.empty(); });
  std::vector<io::typed_column> all;
  if (!wanted) return all;
  for_each_result([&](state const& s, std::size_t field) {
    all.push_back(s.present_fields.empty() ? s.present.view() : s.present_fields[field].view());
  });
  return all;
}

std::vector<std::uint64_t> column_set::missing() const {
  std::vector<std::uint64_t> all;
  for_each_result([&](state const& s, auto) { all.push_back(s.missing); });
  return all;
}

void column_set::clear() {
  for (auto& each : parts_)
    for (std::size_t m = 0; m < each.wide.size(); ++m)
      each.shown_the_same =
          each.shown_the_same &&
          std::ranges::equal(each.narrow[m].results, each.wide[m].results, same_values,
                             &column_buffer::view, &column_buffer::view);
  for_each_state([](state& s) {
    for (auto& column : s.results) column.clear();
    s.present.clear();
    for (auto& column : s.present_fields) column.clear();
  });
}

}  // namespace upsweep::cli
