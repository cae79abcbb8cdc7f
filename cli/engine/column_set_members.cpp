/// Which operators a command has: those that share a pass over a column or its values are made
/// together.
#include <cli/engine/column_set.hpp>
#include <cli/engine/stream_aggregate.hpp>

#include <io/error.hpp>
#include <upsweep/by_name/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// Operators over the same columns, as indices.
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

/// Those of one column: all together, or each column on its own if it may become f64. Then those
/// that name several columns, by these columns.
std::vector<division> divided(std::vector<operator_use> const& all, std::size_t columns,
                              bool may_widen) {
  std::vector<division> parts;
  if (!may_widen) parts.push_back({{}, first_numbers(columns)});
  for (std::size_t c = 0; may_widen && c < columns; ++c) parts.push_back({{}, {c}});
  for (std::size_t u = 0; u < all.size(); ++u)
    if (all[u].others_at.empty()) parts[may_widen ? *all[u].at : 0].uses.push_back(u);
  std::erase_if(parts, [](division const& d) { return d.uses.empty(); });
  auto const first = static_cast<std::ptrdiff_t>(parts.size());
  for (std::size_t u = 0; u < all.size(); ++u) {
    if (all[u].others_at.empty()) continue;
    auto const same = std::find_if(parts.begin() + first, parts.end(), [&](division const& d) {
      return share_a_pass(all[d.uses[0]], all[u]);
    });
    if (same != parts.end()) {
      same->uses.push_back(u);
    } else {
      auto& inputs = parts.emplace_back(division{{u}, {*all[u].at}}).columns;
      inputs.insert(inputs.end(), all[u].others_at.begin(), all[u].others_at.end());
    }
  }
  return parts;
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

std::vector<std::string> names_of(std::vector<operator_use> const& uses) {
  std::vector<std::string> names;
  for (auto const& use : uses) names.push_back(use.name);
  return names;
}

/// Scans with `inner` and replaces each result, in every field, by the largest so far. The results
/// must be numbers.
class monotone_aggregate final : public aggregate {
 public:
  monotone_aggregate(std::unique_ptr<aggregate> inner, int threads)
      : aggregate(inner->takes(), inner->fields()),
        inner_(std::move(inner)),
        on_{.threads = threads} {
    for (auto const& field : fields()) largest_.emplace_back(field.type);
  }

  void initialize(std::uint64_t first_row) override {
    inner_->initialize(first_row);
    for (auto& column : largest_) column.clear();
  }
  void number(std::span<std::uint64_t const> rows) override { inner_->number(rows); }
  void update(std::span<io::typed_column const> values) override { inner_->update(values); }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    inner_->scan(kind, values, results);
    for (std::size_t f = 0; f < results.size(); ++f)
      raise(results[f], values[0].size(), largest_[f]);
  }
  void finalize(std::span<column_buffer> results) override { inner_->finalize(results); }
  void save(saved_state& to) const override {
    inner_->save(to);
    for (auto const& column : largest_) column.save(to);
  }
  void load(saved_reader& from) override {
    inner_->load(from);
    for (auto& column : largest_) column.load(from);
  }

 private:
  /// Replaces each of the last n results by the largest so far, including those of earlier calls.
  void raise(column_buffer& results, std::size_t n, column_buffer& largest) const {
    auto const* const running = dynamic::find(catalog::id::max, results.type());
    std::byte* const latest = results.bytes() + (results.size() - n) * size_of(results.type());
    bool const has_largest = largest.size() > 0;
    running->inclusive_scan(
        latest, n, {.on = on_, .initial = has_largest ? largest.bytes() : nullptr}, latest);
    largest.clear();
    largest.append(slice(results.view(), results.size() - 1, 1));
  }

  std::unique_ptr<aggregate> inner_;
  cpu on_;
  std::vector<column_buffer> largest_;  // for each field: the largest result so far, if any
};

}  // namespace

/// Makes the operators `uses` of columns, each of which is at one of them, or takes all.
class column_set::maker {
 public:
  maker(std::vector<operator_use> const& uses, std::vector<io::column_info> const& columns,
        aggregate_settings const& settings)
      : uses_(uses), columns_(columns), settings_(settings) {
    for (auto const& use : uses_)
      if (std::size_t const wanted = columns_of(listed(use.id).takes); wanted > 1) {
        add_joint(use, wanted);
        return;
      }
    std::vector<std::vector<std::size_t>> of_column(columns_.size());
    for (std::size_t u = 0; u < uses_.size(); ++u) of_column[*uses_[u].at].push_back(u);
    for (std::size_t c = 0; c < columns_.size(); ++c) add_sharing(c, of_column[c]);
    for (std::size_t u = 0; u < uses_.size(); ++u)
      if (auto const& use = uses_[u]; !summary_of(use.id)) add_one(u, *use.at);
  }

  /// Of each use, or of each field of operators that take all columns.
  [[nodiscard]] std::vector<result> results() const {
    std::vector<result> all;
    std::string names;
    for (auto const& column : columns_) names += (names.empty() ? "" : ",") + column.name;
    for (std::size_t m = 0; m < members.size(); ++m) {
      auto const& fields = states[m].of->fields();
      bool const joint = members[m].uses.empty();
      if (!joint) all.resize(uses_.size());
      for (std::size_t f = 0; f < fields.size(); ++f) {
        std::size_t const u = joint ? std::min(f, uses_.size() - 1) : members[m].uses[f];
        std::string const column = joint ? names : columns_[*uses_[u].at].name;
        std::string const& alias = uses_[u].alias;
        io::column_info info{alias, fields[f].type};
        if (alias.empty()) info.name = fields[f].name + "(" + column + ")";
        result made{std::move(info), fields[f].name, column, u, 0, m, f};
        if (joint)
          all.push_back(std::move(made));
        else
          all[u] = std::move(made);
      }
    }
    return all;
  }

  std::vector<member> members;
  std::vector<state> states;  ///< of each

 private:
  /// Operators of integers take a column without values as one of integers.
  static io::dtype type_of(io::column_info const& column, operator_use const& use) {
    return column.has_no_values && takes_only_integers(use.id) ? io::dtype::i64 : column.type;
  }
  void add(std::unique_ptr<aggregate> of, std::vector<std::size_t> inputs,
           std::vector<std::size_t> uses) {
    if (settings_.monotone)
      of = std::make_unique<monotone_aggregate>(std::move(of), settings_.threads);
    state made{std::move(of)};
    for (auto const& field : made.of->fields()) made.results.emplace_back(field.type);
    if (settings_.missing && settings_.carry_missing) made.latest.resize(made.results.size());
    members.push_back({std::move(inputs), std::move(uses)});
    states.push_back(std::move(made));
  }

  void add_joint(operator_use const& joint, std::size_t wanted) {
    auto const of_joint = summary_of(joint.id);
    if (uses_.size() != 1 && !(of_joint && std::ranges::all_of(uses_, [&](auto const& other) {
                                 return summary_of(other.id) == of_joint;
                               })))
      throw io::usage_error(
          "--op {0}: takes {1} columns, but other operators take others; use it alone, or write "
          "{0}:{2}.",
          joint.name, wanted, wanted == 2 ? "X:Y" : "A:B:C:D");
    operator_use const& use = uses_.front();
    if (columns_.size() != wanted)
      throw io::usage_error(
          "--op {}: needs {} columns, but there {}; choose them with --column {}.", use.name,
          wanted, columns_.size() == 1 ? "is one" : fmt::format("are {}", columns_.size()),
          wanted == 2 ? "a,b" : "a,b,c,d");
    auto const summary = summary_of(use.id);
    add(summary ? make_summary(*summary, names_of(uses_), settings_)
        : use.name == "window-by"
            ? make_time_window(use, columns_[0].type, columns_[1].type, settings_)
            : make_aggregate(use, common_type(columns_), settings_),
        first_numbers(columns_.size()), {});
    auto const& fields = states[0].of->fields();
    if (!use.alias.empty() && fields.size() > uses_.size())
      throw io::usage_error("--op {}: its {} results cannot have one name; omit 'as'.", use.name,
                            fields.size());
  }

  /// The statistics of a column that share a pass.
  void add_sharing(std::size_t column, std::vector<std::size_t> const& here) {
    for (auto const summary : {catalog::id::moments, catalog::id::central_moments}) {
      std::vector<std::string> names;
      std::vector<std::size_t> at;
      for (std::size_t const u : here)
        if (summary_of(uses_[u].id) == summary) {
          names.push_back(uses_[u].name);
          at.push_back(u);
        }
      if (!at.empty()) add(make_summary(summary, names, settings_), {column}, std::move(at));
    }
  }
  /// One of a column, or one more result of an operator that keeps its values.
  void add_one(std::size_t u, std::size_t column) {
    auto const& use = uses_[u];
    auto of = make_aggregate(use, type_of(columns_[column], use), settings_);
    auto& here = of_column_[column];
    auto const found =
        std::ranges::find_if(here, [&](std::size_t m) { return states[m].of->absorb(*of); });
    bool const is_new = found == here.end();
    std::size_t const at = is_new ? members.size() : *found;
    if (is_new) {
      here.push_back(at);
      add(std::move(of), {column}, {u});
    }
    state& host = states[at];
    if (!is_new) {
      members[at].uses.push_back(u);
      host.results.emplace_back(host.of->fields().back().type);
    }
    auto& present = host.present_fields;
    if (is(use.id, trait::at_rank) || !present.empty())
      present.resize(host.results.size(), column_buffer(io::dtype::boolean));
  }

  std::vector<operator_use> const& uses_;
  std::vector<io::column_info> const& columns_;
  aggregate_settings const& settings_;
  std::map<std::size_t, std::vector<std::size_t>> of_column_;  ///< what add_one() has made
};

column_set::column_set(std::vector<operator_use> const& uses,
                       std::vector<io::column_info> const& columns,
                       aggregate_settings const& settings, bool may_widen)
    : may_miss_(settings.missing != nullptr),
      may_lack_results_(may_miss_ && settings.may_lack_results),
      carries_(may_miss_ && settings.carry_missing) {
  bool const together = std::ranges::any_of(uses, [](operator_use const& use) {
    return takes_several_columns(use.id) && use.others_at.empty();
  });
  auto const parts =
      together ? std::vector<division>{{first_numbers(uses.size()), first_numbers(columns.size())}}
               : divided(uses, columns.size(), may_widen);
  for (auto const& d : parts) {
    std::vector<operator_use> own;
    for (std::size_t const u : d.uses)
      if (auto& use = own.emplace_back(uses[u]);
          use.at && (*use.at >= d.columns.size() || d.columns[*use.at] != *use.at))
        use.at =
            static_cast<std::size_t>(std::ranges::find(d.columns, *use.at) - d.columns.begin());
    std::size_t const before = results_.size();
    add_part(own, d.columns, columns, settings, may_widen);
    for (auto& made : std::span(results_).subspan(before)) made.use = d.uses[made.use];
  }
  std::ranges::stable_sort(results_, {}, &result::use);
}

void column_set::add_part(std::vector<operator_use> const& uses,
                          std::vector<std::size_t> const& inputs,
                          std::vector<io::column_info> const& table,
                          aggregate_settings const& settings, bool may_widen) {
  auto& made = parts_.emplace_back(part{inputs, {}});
  for (std::size_t const c : inputs) made.columns.push_back(table[c]);
  maker narrow(uses, made.columns, settings);
  for (auto& column : narrow.results()) {
    column.part = parts_.size() - 1;
    results_.push_back(std::move(column));
  }
  made.members = std::move(narrow.members);
  made.narrow = std::move(narrow.states);
  if (settings.of_piece != piece::none) expect_takes(parts_.size() - 1, piece::in_place, false);
  auto columns = made.columns;
  for (auto& column : columns)
    if (io::is_integer(column.type)) column.type = io::dtype::f64;
  bool const differ = !std::ranges::equal(columns, made.columns, {}, &io::column_info::type,
                                          &io::column_info::type);
  if (!may_widen || !differ || std::ranges::all_of(made.narrow, [](state const& s) {
        return s.of->takes() == io::dtype::f64;
      }))
    return;
  try {
    made.wide = maker(uses, columns, settings).states;
    if (settings.of_piece != piece::none) expect_takes(parts_.size() - 1, settings.of_piece, true);
  } catch (io::usage_error const&) {
    made.narrow_only = std::current_exception();
    made.wide.clear();
  }
}

}  // namespace upsweep::cli
