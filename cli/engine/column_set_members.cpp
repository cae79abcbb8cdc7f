/// Which operators a command has: those that share a pass over a column or its values are made
/// together.
#include <cli/engine/column_set.hpp>
#include <cli/engine/stream_aggregate.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <numeric>
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

}  // namespace

/// Makes the operators `uses` of columns, each of which is at one of them, or takes all.
class column_set::maker {
 public:
  maker(std::vector<operator_use> const& uses, std::vector<io::column_info> const& columns,
        aggregate_settings const& settings)
      : uses_(uses), columns_(columns), settings_(settings) {}

  [[nodiscard]] std::vector<member> members() {
    for (auto const& use : uses_)
      if (std::size_t const wanted = columns_of(listed(use.id).takes); wanted > 1) {
        add_joint(use, wanted);
        return std::move(members_);
      }
    std::vector<std::vector<std::size_t>> of_column(columns_.size());
    for (std::size_t u = 0; u < uses_.size(); ++u) of_column[*uses_[u].at].push_back(u);
    for (std::size_t c = 0; c < columns_.size(); ++c) add_sharing(c, of_column[c]);
    for (std::size_t u = 0; u < uses_.size(); ++u)
      if (auto const& use = uses_[u]; !summary_of(use.id)) add_one(u, *use.at);
    return std::move(members_);
  }

  /// Of each use, or of each field of operators that take all columns.
  [[nodiscard]] std::vector<result> results(std::vector<member> const& members) const {
    std::vector<result> all;
    std::string names;
    for (auto const& column : columns_) names += (names.empty() ? "" : ",") + column.name;
    for (std::size_t m = 0; m < members.size(); ++m) {
      auto const& fields = members[m].narrow.of->fields();
      bool const joint = members[m].uses.empty();
      if (!joint) all.resize(uses_.size());
      for (std::size_t f = 0; f < fields.size(); ++f) {
        std::size_t const u = joint ? std::min(f, uses_.size() - 1) : members[m].uses[f];
        std::string const column = joint ? names : columns_[*uses_[u].at].name;
        std::string const& alias = uses_[u].alias;
        io::column_info info{alias, fields[f].type};
        if (alias.empty()) info.name = fields[f].name + "(" + column + ")";
        result made{m, f, std::move(info), fields[f].name, column};
        if (joint)
          all.push_back(std::move(made));
        else
          all[u] = std::move(made);
      }
    }
    return all;
  }

 private:
  /// Operators of integers take a column without values as one of integers.
  static io::dtype type_of(io::column_info const& column, operator_use const& use) {
    return column.has_no_values && takes_only_integers(use.id) ? io::dtype::i64 : column.type;
  }
  void add(std::unique_ptr<aggregate> of, std::vector<std::size_t> inputs,
           std::vector<std::size_t> uses) {
    if (settings_.monotone) of = make_monotone(std::move(of), settings_);
    state made{std::move(of)};
    for (auto const& field : made.of->fields()) made.results.emplace_back(field.type);
    if (settings_.missing && settings_.carry_missing) made.latest.resize(made.results.size());
    members_.push_back({std::move(inputs), std::move(uses), std::move(made)});
  }

  void add_joint(operator_use const& joint, std::size_t wanted) {
    auto const of_joint = summary_of(joint.id);
    if (uses_.size() != 1 && !(of_joint && std::ranges::all_of(uses_, [&](auto const& other) {
                                 return summary_of(other.id) == of_joint;
                               })))
      throw io::usage_error(fmt::format(
          "--op {0}: takes {1} columns, but other operators take others; use it alone, or write "
          "{0}:{2}.",
          joint.name, wanted, wanted == 2 ? "X:Y" : "A:B:C:D"));
    operator_use const& use = uses_.front();
    if (columns_.size() != wanted)
      throw io::usage_error(fmt::format(
          "--op {}: needs {} columns, but there {}; choose them with --column {}.", use.name,
          wanted, columns_.size() == 1 ? "is one" : fmt::format("are {}", columns_.size()),
          wanted == 2 ? "a,b" : "a,b,c,d"));
    auto const summary = summary_of(use.id);
    add(summary ? make_summary(*summary, names_of(uses_), settings_)
        : use.name == "window-by"
            ? make_time_window(use, columns_[0].type, columns_[1].type, settings_)
            : make_aggregate(use, common_type(columns_), settings_),
        first_numbers(columns_.size()), {});
    auto const& fields = members_[0].narrow.of->fields();
    if (!use.alias.empty() && fields.size() > uses_.size())
      throw io::usage_error(fmt::format("--op {}: its {} results cannot have one name; omit 'as'.",
                                        use.name, fields.size()));
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
    auto const found = std::ranges::find_if(
        here, [&](std::size_t m) { return members_[m].narrow.of->absorb(*of); });
    bool const is_new = found == here.end();
    std::size_t const at = is_new ? members_.size() : *found;
    if (is_new) {
      here.push_back(at);
      add(std::move(of), {column}, {u});
    }
    member& host = members_[at];
    if (!is_new) {
      host.uses.push_back(u);
      host.narrow.results.emplace_back(host.narrow.of->fields().back().type);
    }
    auto& present = host.narrow.present_fields;
    if (is(use.id, trait::at_rank) || !present.empty())
      present.resize(host.uses.size(), column_buffer(io::dtype::boolean));
  }

  std::vector<operator_use> const& uses_;
  std::vector<io::column_info> const& columns_;
  aggregate_settings const& settings_;
  std::vector<member> members_;
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
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> results(uses.size());
  for (auto const& d : parts) {
    std::vector<operator_use> own;
    for (std::size_t const u : d.uses)
      if (auto& use = own.emplace_back(uses[u]);
          use.at && (*use.at >= d.columns.size() || d.columns[*use.at] != *use.at))
        use.at =
            static_cast<std::size_t>(std::ranges::find(d.columns, *use.at) - d.columns.begin());
    add_part(own, d.columns, columns, settings, may_widen);
    for (std::size_t r = 0; r < parts_.back().results.size(); ++r)
      results[d.uses[std::min(r, d.uses.size() - 1)]].emplace_back(parts_.size() - 1, r);
  }
  for (auto const& of : results) order_.insert(order_.end(), of.begin(), of.end());
  for (auto const& [p, r] : order_) {
    auto const& made = parts_[p].results[r];
    results_.push_back(made.info);
    origins_.emplace_back(made.op, made.column);
  }
}

void column_set::add_part(std::vector<operator_use> const& uses,
                          std::vector<std::size_t> const& inputs,
                          std::vector<io::column_info> const& table,
                          aggregate_settings const& settings, bool may_widen) {
  auto& made = parts_.emplace_back(part{inputs, {}});
  for (std::size_t const c : inputs) made.columns.push_back(table[c]);
  maker narrow(uses, made.columns, settings);
  made.members = narrow.members();
  made.results = narrow.results(made.members);
  if (settings.of_piece != piece::none) made.expect_takes(piece::in_place, false);
  auto columns = made.columns;
  for (auto& column : columns)
    if (io::is_integer(column.type)) column.type = io::dtype::f64;
  bool const differ = !std::ranges::equal(columns, made.columns, {}, &io::column_info::type,
                                          &io::column_info::type);
  if (!may_widen || !differ || std::ranges::all_of(made.members, [](member const& m) {
        return m.narrow.of->takes() == io::dtype::f64;
      }))
    return;
  try {
    auto wide = maker(uses, columns, settings).members();
    for (std::size_t m = 0; m < wide.size(); ++m) made.members[m].wide = std::move(wide[m].narrow);
    if (settings.of_piece != piece::none) made.expect_takes(settings.of_piece, true);
  } catch (io::usage_error const&) {
    made.narrow_only = std::current_exception();
    for (auto& m : made.members) m.wide.reset();
  }
}

}  // namespace upsweep::cli
