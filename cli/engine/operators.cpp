/// The table of operators, and the loop that hands each block of rows to all of them while it is in
/// the cache.
#include <cli/engine/operators.hpp>

#include <cli/engine/families.hpp>
#include <io/error.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace upsweep::cli {

std::vector<operator_entry> const& operators() {
  using enum takes_values;
  static std::vector<operator_entry> const all{
      {"sum", numbers, "",
       "Sum. Integers add up in 64 bits and wrap (checked-sum does not); 16-bit floats in f32."},
      {"product", numbers, "", "Product, with the same types."},
      {"min", numbers, "", "Smallest value; NaN if there is one."},
      {"max", numbers, "", "Largest value; NaN if there is one."},
      {"min-number", numbers, "", "Smallest value that is not NaN."},
      {"max-number", numbers, "", "Largest value that is not NaN."},
      {"minmax", numbers, "", "min and max, two results."},
      {"mean", numbers, "", "Mean, in f64 (Welford, Chan)."},
      {"var", numbers, "",
       "Population variance: squared distances from the mean, divided by their number."},
      {"std", numbers, "", "Population standard deviation, the root of var."},
      {"sample-var", numbers, "", "Unbiased variance: divided by their number less one."},
      {"sample-std", numbers, "", "The root of sample-var."},
      {"count", numbers, "", "How many values there are."},
      {"moments", numbers, "", "count, mean and var, three results."},
      {"argmin", numbers, "", "Row of the first smallest value, counted from 0.", false},
      {"argmax", numbers, "", "Row of the first largest value.", false},
      {"argmin-last", numbers, "", "Row of the last smallest value.", false},
      {"argmax-last", numbers, "", "Row of the last largest value.", false},
      {"first", numbers, "", "First value."},
      {"last", numbers, "", "Last value; as an exclusive scan it shifts a column by one row."},
      {"exact-sum", numbers, "",
       "Correctly rounded sum, in any order of the values; in f64 for integers."},
      {"log-sum-exp", numbers, "", "log(exp(x[0]) + exp(x[1]) + ...) without overflow."},
      {"checked-sum", integers, "", "Sum in 64 bits; overflow is an error that names the row."},
      {"checked-product", integers, "",
       "Product in 64 bits; overflow is an error that names the row."},
      {"and", integers, "", "Bits that are set in every value.", false},
      {"or", integers, "", "Bits that are set in any value.", false},
      {"xor", integers, "", "Bits that are set in an odd number of values.", false},
      {"gcd", integers, "", "Greatest common divisor."},
      {"all", numbers, "", "True when no value is 0.", false},
      {"any", numbers, "", "True when a value is not 0.", false},
      {"parity", numbers, "", "True when an odd number of values are not 0.", false},
      {"ema", numbers, "WEIGHT",
       "Exponential moving average y[i] = (1-WEIGHT) y[i-1] + WEIGHT x[i]; y[0] = x[0], or --init "
       "is y[-1]."},
      {"affine", maps, "",
       "Recurrence x[i] = a[i] x[i-1] + b[i] of two columns a,b; x[-1] is 0 or --init."},
      {"matrix2x2", matrices, "",
       "Product of 2x2 matrices in row order, whose rows (a, b) and (c, d) are four columns "
       "a,b,c,d.",
       false},
      {"concat", text, "[SEPARATOR]", "The values as text, one after another.", false},
  };
  return all;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (auto const& entry : operators()) names.push_back(entry.name);
  return names;
}

operator_entry const& find_operator(std::string_view name) {
  auto const& all = operators();
  auto const found =
      std::find_if(all.begin(), all.end(), [&](auto const& entry) { return entry.name == name; });
  if (found != all.end()) return *found;
  std::string const hint = text::did_you_mean(name, operator_names());
  throw io::usage_error(
      fmt::format("--op: '{}' is not an operator{} ('upsweep list' shows all).", name, hint));
}

std::vector<operator_use> parse_operators(std::vector<std::string> const& words) {
  std::vector<operator_use> uses;
  for (auto const& word : words) {
    auto const colon = word.find(':');
    operator_use use{word.substr(0, colon),
                     colon == std::string::npos ? "" : word.substr(colon + 1)};
    auto const& entry = find_operator(use.name);
    if (entry.parameter.empty() && colon != std::string::npos)
      throw io::usage_error(
          fmt::format("--op {}: {} has no parameter; write --op {}.", word, use.name, use.name));
    if (!entry.parameter.empty() && entry.parameter[0] != '[' && use.parameter.empty())
      throw io::usage_error(fmt::format("--op {}: the parameter is missing; write --op {}:{}.",
                                        word, use.name, entry.parameter));
    std::vector<char const*> parts;
    if (use.name == "minmax") parts = {"min", "max"};
    if (use.name == "moments") parts = {"count", "mean", "var"};
    for (char const* part : parts) uses.push_back({part, ""});
    if (parts.empty()) uses.push_back(std::move(use));
  }
  return uses;
}

std::unique_ptr<folding> make_folding(operator_use const& use, io::dtype type,
                                      folding_settings const& settings) {
  for (auto* make : {make_sum, make_checked, make_selection, make_position, make_logic,
                     make_precise, make_recurrence})
    if (auto made = make(use, type, settings)) return made;
  throw io::usage_error(fmt::format("--op: {} does not work on numbers.", use.name));
}

namespace {

bool is_moment(std::string const& name) {
  constexpr std::string_view names[] = {"mean", "var", "std", "sample-var", "sample-std", "count"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// The type in which columns meet.
io::dtype common_type(std::vector<io::column_info> const& columns) {
  io::dtype common = compute_type(columns[0].type);
  for (auto const& column : columns) {
    io::dtype const type = compute_type(column.type);
    if (type != common)
      common = io::is_integer(type) && io::is_integer(common) ? io::dtype::i64 : io::dtype::f64;
  }
  return common;
}

/// How many columns an operator takes at a time.
std::size_t columns_of(takes_values takes) {
  return takes == takes_values::maps ? 2 : takes == takes_values::matrices ? 4 : 1;
}

}  // namespace

folding_set::folding_set(std::vector<operator_use> const& uses,
                         std::vector<io::column_info> const& columns,
                         folding_settings const& settings) {
  for (auto const& use : uses)
    if (std::size_t const wanted = columns_of(find_operator(use.name).takes); wanted > 1) {
      if (uses.size() != 1)
        throw io::usage_error(fmt::format(
            "--op {}: takes {} columns where other operators take one; run it by itself.", use.name,
            wanted));
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
        "--op {}: needs {} columns, and there {}; choose them with --column {}.", use.name, wanted,
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
    if (is_moment(use.name)) moments.push_back(use.name);
  std::size_t const shared = members_.size();
  if (!moments.empty()) add(make_moments(moments, settings), {column}, settings);
  std::size_t moment = 0;
  for (auto const& use : uses) {
    if (is_moment(use.name)) {
      order_.emplace_back(shared, moment++);
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
  // One operator that takes the values as they are sees them all at once. Several see 1 MiB at a
  // time: the later ones find it in the cache, and it is the least that the library shares out
  // between threads.
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
