/// The table of operators, and the loop that applies all operators to each block of rows while it
/// is in the cache.
#include <cli/engine/operators.hpp>

#include <io/error.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace upsweep::cli {

std::vector<listed_operator> const& operators() {
  static std::vector<listed_operator> const all = [] {
    std::vector<listed_operator> entries;
    for (auto const& e : catalog::operators)
      entries.push_back({e.id, e.name, e.takes, e.parameter, e.meaning, e.ordered});
    for (auto const& d : catalog::derived)
      entries.push_back(
          {d.id, d.name, catalog::operand_kind::numbers, d.parameter, d.meaning, true});
    entries.push_back({median_id, "median", catalog::operand_kind::numbers, "",
                       "Median, in f64; reduce only, and keeps all values in memory.", true});
    entries.push_back({quantile_id, "quantile", catalog::operand_kind::numbers, "Q",
                       "Quantile Q from 0 to 1, between neighbours linearly, as numpy.quantile; "
                       "like median.",
                       true});
    return entries;
  }();
  return all;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (auto const& entry : operators()) names.emplace_back(entry.name);
  return names;
}

listed_operator const& listed(catalog::id id) {
  return operators()[static_cast<std::size_t>(id)];
}

namespace {

listed_operator const& find_operator(std::string_view name) {
  auto const& all = operators();
  auto const found = std::ranges::find(all, name, &listed_operator::name);
  if (found != all.end()) return *found;
  std::string const hint = text::did_you_mean(name, operator_names());
  throw io::usage_error(
      fmt::format("--op: '{}' is not an operator{} ('upsweep list' shows them all).", name, hint));
}

/// The operators that give the results of an operator with several results.
std::vector<catalog::id> parts_of(catalog::id id) {
  using enum catalog::id;
  if (id == minmax) return {min, max};
  if (id == moments) return {count, mean, var};
  return {id};
}

}  // namespace

std::vector<operator_use> parse_operators(std::vector<std::string> const& words) {
  std::vector<operator_use> uses;
  for (auto const& word : words) {
    auto const colon = word.find(':');
    std::string const name = word.substr(0, colon);
    std::string const parameter = colon == std::string::npos ? "" : word.substr(colon + 1);
    auto const& entry = find_operator(name);
    if (entry.parameter.empty() && colon != std::string::npos)
      throw io::usage_error(
          fmt::format("--op {}: {} takes no parameter; write --op {}.", word, name, name));
    if (!entry.parameter.empty() && entry.parameter[0] != '[' && parameter.empty())
      throw io::usage_error(fmt::format("--op {}: the parameter is missing; write --op {}:{}.",
                                        word, name, entry.parameter));
    for (catalog::id const part : parts_of(entry.id))
      uses.push_back({part, std::string(listed(part).name), parameter});
  }
  return uses;
}

namespace {

using factory = std::unique_ptr<folding> (*)(operator_use const&, io::dtype,
                                             folding_settings const&);

/// For each operator of the catalog with a single result, the function that makes its folding; null
/// for the others.
constexpr auto factories = [] {
  std::array<factory, catalog::operator_count> all{};
  catalog::for_each_row([&]<class Op>(catalog::row<Op> const& row) {
    constexpr bool several = std::is_same_v<Op, minmax> || std::is_same_v<Op, moments>;
    constexpr bool is_text = std::is_same_v<Op, concat>;
    if constexpr (!several && !is_text) all[static_cast<std::size_t>(row.id)] = make_operator<Op>;
  });
  return all;
}();

}  // namespace

std::unique_ptr<folding> make_folding(operator_use const& use, io::dtype type,
                                      folding_settings const& settings) {
  if (use.id == catalog::id::ema) return make_exponential_average(use, type, settings);
  auto const at = static_cast<std::size_t>(use.id);
  factory const make = at < factories.size() ? factories[at] : nullptr;
  if (!make) throw io::usage_error(fmt::format("--op: {} does not work on numbers.", use.name));
  return make(use, type, settings);
}

namespace {

/// True for the results of the operator `moments`, which share one pass.
bool is_moment(catalog::id id) {
  return std::ranges::any_of(catalog::derived, [&](auto const& d) {
    return d.id == id && d.from == catalog::id::moments;
  });
}

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

/// The number of columns that an operator takes together.
std::size_t columns_of(catalog::operand_kind takes) {
  return takes == catalog::operand_kind::maps       ? 2
         : takes == catalog::operand_kind::matrices ? 4
                                                    : 1;
}

}  // namespace

folding_set::folding_set(std::vector<operator_use> const& uses,
                         std::vector<io::column_info> const& columns,
                         folding_settings const& settings) {
  for (auto const& use : uses)
    if (std::size_t const wanted = columns_of(listed(use.id).takes); wanted > 1) {
      if (uses.size() != 1)
        throw io::usage_error(
            fmt::format("--op {}: takes {} columns, but other operators take one; use it alone.",
                        use.name, wanted));
      add_joint(use, wanted, columns, settings);
      return;
    }
  for (std::size_t c = 0; c < columns.size(); ++c) add_column(uses, columns, c, settings);
}

void folding_set::add_joint(operator_use const& use, std::size_t wanted,
                            std::vector<io::column_info> const& columns,
                            folding_settings const& settings) {
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
  add(make_folding(use, common_type(columns), settings), std::move(inputs), settings);
  for (auto const& field : members_[0].fold->fields()) {
    order_.emplace_back(0, order_.size());
    results_.push_back({field.name + "(" + names + ")", field.type});
    origins_.emplace_back(field.name, names);
  }
}

void folding_set::add(std::unique_ptr<folding> fold, std::vector<std::size_t> inputs,
                      folding_settings const& settings) {
  if (settings.monotone) fold = make_monotone(std::move(fold), settings);
  member m{std::move(fold), std::move(inputs), {}};
  for (auto const& field : m.fold->fields()) m.results.emplace_back(field.type);
  members_.push_back(std::move(m));
}

void folding_set::add_column(std::vector<operator_use> const& uses,
                             std::vector<io::column_info> const& columns, std::size_t column,
                             folding_settings const& settings) {
  std::vector<std::string> moments;
  for (auto const& use : uses)
    if (is_moment(use.id)) moments.push_back(use.name);
  std::vector<operator_use> quantiles;
  std::ranges::copy_if(uses, std::back_inserter(quantiles), is_quantile, &operator_use::id);
  std::size_t const shared = members_.size();
  if (!moments.empty()) add(make_moments(moments, settings), {column}, settings);
  std::size_t const ranked = members_.size();
  if (!quantiles.empty()) add(make_quantiles(quantiles, settings), {column}, settings);
  std::size_t moment = 0, quantile = 0;
  for (auto const& use : uses) {
    if (is_moment(use.id)) {
      order_.emplace_back(shared, moment++);
    } else if (is_quantile(use.id)) {
      order_.emplace_back(ranked, quantile++);
    } else {
      add(make_folding(use, columns[column].type, settings), {column}, settings);
      order_.emplace_back(members_.size() - 1, 0);
    }
    auto const& field = members_[order_.back().first].fold->fields()[order_.back().second];
    results_.push_back({field.name + "(" + columns[column].name + ")", field.type});
    origins_.emplace_back(field.name, columns[column].name);
  }
}

bool folding_set::takes_only(io::dtype type) const {
  return std::all_of(members_.begin(), members_.end(),
                     [&](member const& m) { return m.fold->takes() == type; });
}

void folding_set::restart(std::uint64_t first_row) {
  for (auto& m : members_) m.fold->restart(first_row);
}

io::typed_column folding_set::value_column(io::typed_column values, std::size_t column,
                                           io::dtype type, std::vector<bool>& fresh) {
  if (values.type == type) return values;
  for (std::size_t i = 0;; ++i) {
    if (i == widened_.size()) widened_.push_back({column, column_buffer(type)});
    if (i == fresh.size()) fresh.push_back(false);
    auto& w = widened_[i];
    if (w.column != column || w.values.type() != type) continue;
    if (!fresh[i]) {
      w.values.clear();
      w.values.append(values);
      fresh[i] = true;
    }
    return w.values.view();
  }
}

template <class F>
void folding_set::for_each_block(std::span<io::typed_column const> columns,
                                 std::span<std::uint64_t const> numbers, F const& f) {
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
  std::size_t const block = whole ? std::max<std::size_t>(rows, 1)
                                  : (std::size_t{1} << 20) / (as_they_are ? narrowest : 8);
  for (std::size_t first = 0; first < rows; first += block) {
    std::size_t const n = std::min(block, rows - first);
    std::vector<bool> fresh;
    for (auto& m : members_) {
      std::vector<io::typed_column> values;
      for (std::size_t const c : m.inputs)
        values.push_back(value_column(slice(columns[c], first, n), c, m.fold->takes(), fresh));
      if (!numbers.empty()) m.fold->number(numbers.subspan(first, n));
      f(m, values);
    }
  }
}

void folding_set::reduce(std::span<io::typed_column const> columns,
                         std::span<std::uint64_t const> numbers) {
  for_each_block(columns, numbers, [](member& m, std::vector<io::typed_column> const& values) {
    m.fold->reduce(values);
  });
}

void folding_set::scan(scan_kind kind, std::span<io::typed_column const> columns,
                       std::span<std::uint64_t const> numbers) {
  for_each_block(columns, numbers, [&](member& m, std::vector<io::typed_column> const& values) {
    m.fold->scan(kind, values, m.results);
  });
}

void folding_set::finish() {
  for (auto& m : members_) m.fold->result(m.results);
}

std::vector<io::typed_column> folding_set::rows() const {
  std::vector<io::typed_column> all;
  for (auto const& [m, field] : order_) all.push_back(members_[m].results[field].view());
  return all;
}

std::size_t folding_set::row_count() const {
  return members_.front().results.front().size();
}

void folding_set::clear() {
  for (auto& m : members_)
    for (auto& column : m.results) column.clear();
}

}  // namespace upsweep::cli
