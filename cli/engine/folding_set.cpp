/// The loop that applies all operators to each block of rows while it is in the cache.
#include <cli/engine/folding_set.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>

namespace upsweep::cli {

namespace {

/// The type to which all columns can be converted.
io::dtype common_type(std::vector<io::column_info> const& columns) {
  io::dtype common = compute_type(columns[0].type);
  for (auto const& column : columns) {
    io::dtype const type = compute_type(column.type);
    if (type != common)
      common = io::is_integer(type) && io::is_integer(common) ? io::dtype::i64 : io::dtype::f64;
  }
  return common;
}

std::vector<std::string> names_of(std::vector<operator_use> const& uses) {
  std::vector<std::string> names;
  for (auto const& use : uses) names.push_back(use.name);
  return names;
}

}  // namespace

folding_set::folding_set(std::vector<operator_use> const& uses,
                         std::vector<io::column_info> const& columns,
                         folding_settings const& settings)
    : may_miss_(settings.missing != nullptr),
      may_lack_results_(may_miss_ && settings.may_lack_results),
      carries_(may_miss_ && settings.carry_missing) {
  for (auto const& use : uses)
    if (std::size_t const wanted = columns_of(listed(use.id).takes); wanted > 1) {
      auto const summary = summary_of(use.id);
      if (uses.size() != 1 && !(summary && std::ranges::all_of(uses, [&](auto const& other) {
                                  return summary_of(other.id) == summary;
                                })))
        throw io::usage_error(fmt::format(
            "--op {0}: takes {1} columns, but other operators take others; use it alone, or write "
            "{0}:{2}.",
            use.name, wanted, wanted == 2 ? "X:Y" : "A:B:C:D"));
      add_joint(uses, wanted, columns, settings);
      return;
    }
  auto const all = applied(uses, columns.size());
  std::vector<std::vector<std::size_t>> of_column(columns.size());
  for (std::size_t u = 0; u < all.size(); ++u) of_column[*all[u].at].push_back(u);
  for (std::size_t c = 0; c < columns.size(); ++c)
    add_sharing(all, of_column[c], c, columns[c].type, settings);
  for (std::size_t u = 0; u < all.size(); ++u)
    if (!summary_of(all[u].id) && !is_quantile(all[u].id))
      add(make_folding(all[u], columns[*all[u].at].type, settings), {*all[u].at}, {u}, settings);
  order_.resize(all.size());
  for (std::size_t m = 0; m < members_.size(); ++m)
    for (std::size_t f = 0; f < members_[m].uses.size(); ++f) order_[members_[m].uses[f]] = {m, f};
  for (std::size_t u = 0; u < all.size(); ++u) {
    auto const& field = members_[order_[u].first].fold->fields()[order_[u].second];
    auto const& column = columns[*all[u].at].name;
    results_.push_back(
        {all[u].alias.empty() ? field.name + "(" + column + ")" : all[u].alias, field.type});
    origins_.emplace_back(field.name, column);
  }
}

void folding_set::add_joint(std::vector<operator_use> const& uses, std::size_t wanted,
                            std::vector<io::column_info> const& columns,
                            folding_settings const& settings) {
  operator_use const& use = uses.front();
  std::string names;
  std::vector<std::size_t> inputs;
  for (auto const& column : columns) {
    names += (names.empty() ? "" : ",") + column.name;
    inputs.push_back(inputs.size());
  }
  if (columns.size() != wanted)
    throw io::usage_error(fmt::format(
        "--op {}: needs {} columns, but there {}; choose them with --column {}.", use.name, wanted,
        columns.size() == 1 ? "is one" : fmt::format("are {}", columns.size()),
        wanted == 2 ? "a,b" : "a,b,c,d"));
  auto const summary = summary_of(use.id);
  add(summary ? make_summary(*summary, names_of(uses), settings)
      : use.id == tool_operators::window_by
          ? make_time_window(use, columns[0].type, columns[1].type, settings)
          : make_folding(use, common_type(columns), settings),
      std::move(inputs), {}, settings);
  auto const& fields = members_[0].fold->fields();
  if (!use.alias.empty() && fields.size() > uses.size())
    throw io::usage_error(fmt::format("--op {}: its {} results cannot have one name; omit 'as'.",
                                      use.name, fields.size()));
  for (std::size_t f = 0; f < fields.size(); ++f) {
    order_.emplace_back(0, f);
    std::string const& alias = uses[std::min(f, uses.size() - 1)].alias;
    results_.push_back(
        {alias.empty() ? fields[f].name + "(" + names + ")" : alias, fields[f].type});
    origins_.emplace_back(fields[f].name, names);
  }
}

void folding_set::add(std::unique_ptr<folding> fold, std::vector<std::size_t> inputs,
                      std::vector<std::size_t> uses, folding_settings const& settings) {
  if (settings.monotone) fold = make_monotone(std::move(fold), settings);
  member m{std::move(fold), std::move(inputs), std::move(uses)};
  for (auto const& field : m.fold->fields()) m.results.emplace_back(field.type);
  if (carries_) m.latest.resize(m.results.size());
  members_.push_back(std::move(m));
}

/// The operators of a column that share a pass or the values: moments, and quantiles.
void folding_set::add_sharing(std::vector<operator_use> const& uses,
                              std::vector<std::size_t> const& here, std::size_t column,
                              io::dtype type, folding_settings const& settings) {
  std::vector<operator_use> sharing;
  std::vector<std::size_t> places;
  auto const choose = [&](auto const& belongs) {
    sharing.clear(), places.clear();
    for (std::size_t const u : here)
      if (belongs(uses[u].id)) {
        sharing.push_back(uses[u]);
        places.push_back(u);
      }
    return !sharing.empty();
  };
  for (auto const summary : {catalog::id::moments, catalog::id::central_moments})
    if (choose([&](catalog::id id) { return summary_of(id) == summary; }))
      add(make_summary(summary, names_of(sharing), settings), {column}, places, settings);
  if (!choose(is_quantile)) return;
  add(make_quantiles(sharing, type, settings), {column}, places, settings);
  if (std::ranges::any_of(sharing, [](operator_use const& use) { return has_place(use.id); }))
    members_.back().present_fields.resize(sharing.size(), column_buffer(io::dtype::boolean));
}

bool folding_set::takes_only(io::dtype type) const {
  return std::all_of(members_.begin(), members_.end(),
                     [&](member const& m) { return m.fold->takes() == type; });
}

void folding_set::restart(std::uint64_t first_row) {
  for (auto& m : members_) {
    m.fold->restart(first_row);
    m.missing = 0;
    for (auto& latest : m.latest) latest.clear();
  }
}

bool folding_set::looks_ahead() const {
  return std::ranges::any_of(members_, [](member const& m) { return m.fold->looks_ahead(); });
}

io::typed_column folding_set::value_column(io::typed_column values, std::size_t column,
                                           io::dtype type, std::vector<bool>& fresh) {
  if (values.type == type) return values;
  widened_of_.resize(std::max(widened_of_.size(), column + 1));
  auto& known = widened_of_[column];
  auto const found =
      std::ranges::find(known, type, [this](std::size_t i) { return widened_[i].type(); });
  std::size_t const i = found != known.end() ? *found : widened_.size();
  if (found == known.end()) {
    known.push_back(i);
    widened_.emplace_back(type);
  }
  fresh.resize(widened_.size());
  if (!fresh[i]) {
    widened_[i].clear();
    widened_[i].append(values);
    fresh[i] = true;
  }
  return widened_[i].view();
}

/// Takes all rows for an operator that fills gaps.
void folding_set::give_gaps(member& m, std::span<io::typed_column const> columns,
                            std::span<io::typed_column const> present, std::size_t first,
                            std::size_t n) {
  std::vector<io::typed_column> here;
  for (std::size_t const c : m.inputs) {
    values_.push_back(slice(columns[c], first, n));
    if (!present.empty()) here.push_back(slice(present[c], first, n));
  }
  m.fold->gaps(here);
}

/// Calls f(member, values, present, n) for each member and block of `n` rows; the values are those
/// of the rows that are present, which are all if `present` is empty.
template <class F>
void folding_set::for_each_block(std::span<io::typed_column const> columns,
                                 std::span<std::uint64_t const> numbers,
                                 std::span<io::typed_column const> present, F const& f) {
  bool as_they_are = true;
  std::size_t narrowest = 8;
  for (auto const& m : members_)
    for (std::size_t const c : m.inputs) {
      as_they_are = as_they_are && columns[c].type == m.fold->takes();
      narrowest = std::min(narrowest, size_of(columns[c].type));
    }
  // A single operator that needs no conversion gets all values at once. Several get 1 MiB at a
  // time: the second and later ones find it in the cache, and it is the least that the library
  // distributes over threads.
  std::size_t const rows = columns[0].size();
  bool const whole = as_they_are && members_.size() == 1;
  bool const jointly = members_[0].inputs.size() > 1, gaps = !present.empty();
  std::size_t const block = whole ? std::max<std::size_t>(rows, 1)
                                  : (std::size_t{1} << 20) / (as_they_are ? narrowest : 8);
  for (std::size_t first = 0; first < rows; first += block) {
    std::size_t const n = std::min(block, rows - first);
    std::vector<bool> fresh;
    if (gaps) block_.take(columns, numbers, present, first, n, jointly);
    for (auto& m : members_) {
      std::size_t const lead = m.inputs[0];
      values_.clear();
      if (m.fold->fills_gaps()) {
        give_gaps(m, columns, present, first, n);
        f(m, values_, io::typed_column(), n);
        continue;
      }
      for (std::size_t const c : m.inputs)
        values_.push_back(value_column(gaps ? block_.values(c) : slice(columns[c], first, n), c,
                                       m.fold->takes(), fresh));
      if (!numbers.empty()) m.fold->number(gaps ? block_.numbers(lead) : numbers.subspan(first, n));
      m.missing += n - values_[0].size();
      f(m, values_, gaps ? block_.present(lead) : io::typed_column(), n);
    }
  }
}

void folding_set::reduce(std::span<io::typed_column const> columns,
                         std::span<std::uint64_t const> numbers,
                         std::span<io::typed_column const> present) {
  for_each_block(columns, numbers, present,
                 [](member& m, std::vector<io::typed_column> const& values, auto const&, auto) {
                   if (values[0].size() > 0) m.fold->reduce(values);
                 });
}

void folding_set::scan(scan_kind kind, std::span<io::typed_column const> columns,
                       std::span<std::uint64_t const> numbers,
                       std::span<io::typed_column const> present) {
  for_each_block(columns, numbers, present,
                 [&](member& m, std::vector<io::typed_column> const& values, io::typed_column here,
                     std::size_t n) {
                   if (values[0].size() > 0) m.fold->scan(kind, values, m.results);
                   if (may_miss_) put_beside_rows(m, values[0].size(), here, n);
                 });
}

void folding_set::collect(std::span<io::typed_column const> columns,
                          std::span<io::typed_column const> present) {
  for_each_block(columns, {}, present,
                 [](member& m, std::vector<io::typed_column> const& values, auto const&, auto) {
                   if (m.fold->looks_ahead() && values[0].size() > 0) m.fold->reduce(values);
                 });
}

/// The results of `values` rows, those that are `present` of n, become those of all n.
void folding_set::put_beside_rows(member& m, std::size_t values, io::typed_column present,
                                  std::size_t n) {
  for (auto& column : m.results) spread(column, values, present, n);
  auto const has = m.present.extend<bool>(n);
  if (m.fold->fills_gaps()) present = m.fold->filled();
  if (present.size() == n)
    std::ranges::copy(present.as<bool>(), has.begin());
  else
    std::ranges::fill(has, true);
  if (!carries_ || n == 0) return;
  auto const first = m.latest[0].exists() ? has.begin() : std::ranges::find(has, true);
  for (std::size_t f = 0; f < m.results.size(); ++f) m.latest[f].repeat_in(m.results[f], has);
  std::fill(first, has.end(), true);
}

void folding_set::finish() {
  for (auto& m : members_) {
    bool const has = !may_lack_results_ || m.fold->has_result();
    if (has)
      m.fold->result(m.results);
    else
      for (auto& column : m.results) append_zeros(column, 1);
    m.present.push(has);
    for (std::size_t f = 0; f < m.present_fields.size(); ++f)
      m.present_fields[f].push(has && m.fold->filled().as<bool>()[f]);
  }
}

void folding_set::save(saved_state& to) const {
  for (auto const& m : members_) {
    m.fold->save(to);
    for (auto const& latest : m.latest) {
      put(to, latest.bytes().size());
      put_all(to, std::span<std::byte const>(latest.bytes()));
    }
  }
}

void folding_set::load(saved_reader& from) {
  for (auto& m : members_) {
    m.fold->load(from);
    for (auto& latest : m.latest) latest.load(from.take_bytes(from.take_count()));
  }
}

std::vector<io::typed_column> folding_set::rows() const {
  std::vector<io::typed_column> all;
  for (auto const& [m, field] : order_) all.push_back(members_[m].results[field].view());
  return all;
}

bool folding_set::may_lack_fields() const {
  return std::ranges::any_of(members_, [](member const& m) { return !m.present_fields.empty(); });
}

std::vector<io::typed_column> folding_set::present(bool wanted) const {
  std::vector<io::typed_column> all;
  if (!may_miss_ && !wanted) return all;
  for (auto const& [m, field] : order_) {
    auto const& fields = members_[m].present_fields;
    all.push_back(fields.empty() ? members_[m].present.view() : fields[field].view());
  }
  return all;
}

std::vector<std::uint64_t> folding_set::missing() const {
  std::vector<std::uint64_t> all;
  for (auto const& [m, field] : order_) all.push_back(members_[m].missing);
  return all;
}

std::size_t folding_set::row_count() const {
  return members_.front().results.front().size();
}

void folding_set::clear() {
  for (auto& m : members_) {
    for (auto& column : m.results) column.clear();
    m.present.clear();
    for (auto& column : m.present_fields) column.clear();
  }
}

}  // namespace upsweep::cli
