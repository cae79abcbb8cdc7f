/// Checks that pieces belong together, and joins them in the order of their rows.
#include <cli/pieces/piece_merge.hpp>

#include <cli/aggregation/along_axis.hpp>
#include <io/error.hpp>
#include <io/records.hpp>
#include <io/shown.hpp>
#include <upsweep/core/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

namespace upsweep::cli {

namespace {

/// "rows 0 to 99".
std::string rows(std::uint64_t begin, std::uint64_t end) {
  return end - begin == 1 ? fmt::format("row {}", begin)
                          : fmt::format("rows {} to {}", begin, end - 1);
}

/// Throws data_error if rows between two pieces are missing, or in both.
void expect_neighbors(part_file const& earlier, part_file const& later) {
  auto const end = earlier.about.end, begin = later.about.begin;
  if (begin > end)
    throw io::data_error(
        "The {} are in no part: {} ends before them, and {} begins after them; add the part that "
        "has them.",
        rows(end, begin), earlier.name, later.name);
  if (begin < end)
    throw io::data_error(
        "{} and {} both have the {}; give each piece once, and tell upsweep reduce with --from-row "
        "where each begins in the whole.",
        earlier.name, later.name, rows(begin, std::min(end, later.about.end)));
}

std::optional<io::dtype> joined_type(io::dtype a, io::dtype b, bool may_widen) {
  if (a == b) return a;
  bool const widens =
      (a == io::dtype::f64 && io::is_integer(b)) || (b == io::dtype::f64 && io::is_integer(a));
  return widens && may_widen ? std::optional(io::dtype::f64) : std::nullopt;
}

std::vector<std::string> names_of(piece_header const& h) {
  std::vector<std::string> names = h.by;
  for (auto const& column : h.table.columns) names.push_back(column.name);
  names.insert(names.end(), h.table.key_names.begin(), h.table.key_names.end());
  return names;
}

}  // namespace

void expect_request(part_file const& one, piece_request const& request, std::string const& other) {
  auto const [a, b] = std::ranges::mismatch(one.about.request, request);
  if (a != one.about.request.end() && b != request.end())
    throw io::data_error(
        "{} has {} '{}', but {} was made with {} '{}'; pieces of one whole need the same options.",
        other, b->first, io::shown(b->second), one.name, io::shown(a->first), io::shown(a->second));
}

void expect_same_request(part_file const& one, part_file const& other) {
  expect_request(one, other.about.request, other.name);
  if (one.about.lines != other.about.lines)
    throw io::data_error(
        "{} has slices of another array than {}; pieces of one array have the same dimensions "
        "after the first.",
        other.name, one.name);
  if (one.about.empty() || other.about.empty()) return;
  auto const first = names_of(one.about), second = names_of(other.about);
  auto const [x, y] = std::ranges::mismatch(first, second);
  if (x != first.end() || y != second.end())
    throw io::data_error(
        "{} has the column {}, where {} has {}; pieces of one whole need the same columns.",
        other.name, y == second.end() ? "no more" : "'" + io::shown(*y) + "'", one.name,
        x == first.end() ? "no more" : "'" + io::shown(*x) + "'");
  if (one.about.by.size() != other.about.by.size() ||
      one.about.table.columns.size() != other.about.table.columns.size() ||
      one.about.table.may_widen != other.about.table.may_widen ||
      (!one.about.by.empty() &&
       is_json(one.about.format.format) != is_json(other.about.format.format)) ||
      one.about.plan.results().size() != other.about.plan.results().size() ||
      !std::ranges::equal(one.about.plan.results(), other.about.plan.results(), {},
                          &aggregation_plan::result::is_text_set,
                          &aggregation_plan::result::is_text_set))
    throw io::data_error(
        "{} has numbers where {} has text, or is of another format; pieces of one whole need the "
        "same columns and format.",
        other.name, one.name);
}

void join_types(piece_header& whole, piece_header const& more, std::string const& name) {
  for (std::size_t c = 0; c < whole.table.columns.size(); ++c) {
    if (!more.has_values[c]) continue;
    auto& column = whole.table.columns[c];
    auto const type = more.table.columns[c].type;
    auto const joined = whole.has_values[c] ? joined_type(column.type, type, whole.table.may_widen)
                                            : std::optional(type);
    if (!joined)
      throw io::data_error(
          "{} has the column '{}' as {}, but others have it as {}; give --dtype when the parts are "
          "made.",
          name, io::shown(column.name), name_of(type), name_of(column.type));
    column.type = *joined;
    column.has_no_values = false;
    whole.has_values[c] = true;
  }
}

/// A key is what the first piece with a value says.
void join_kinds(piece_header& whole, piece_header const& more) {
  whole.key_kinds.resize(std::max(whole.key_kinds.size(), more.key_kinds.size()));
  for (std::size_t k = 0; k < more.key_kinds.size(); ++k)
    if (whole.key_kinds[k] == io::key_kind::unknown) whole.key_kinds[k] = more.key_kinds[k];
}

/// The part as one whose values have no positions. Throws usage_error if operators need them.
part_file without_places(part_file part) {
  auto const name = part.name;
  part = piece_merge({std::move(part)}).joined(piece::unplaced);
  part.name = name;
  return part;
}

piece_merge::piece_merge(std::vector<part_file> pieces)
    : pieces_(std::move(pieces)), table_(pieces_.front().about.by.size()) {
  for (auto const& piece : pieces_) expect_same_request(pieces_.front(), piece);
  if (std::ranges::any_of(pieces_, [](auto const& piece) { return !piece.about.empty(); }))
    std::erase_if(pieces_, [](auto const& piece) { return piece.about.empty(); });
  else
    pieces_.resize(1, pieces_.front());
  std::ranges::sort(pieces_, {}, [](auto const& piece) { return piece.about.begin; });
  auto const has_places = [](part_file const& one) { return one.about.kind == piece::in_place; };
  if (!std::ranges::all_of(pieces_, has_places))
    for (auto& one : pieces_)
      if (has_places(one)) one = without_places(std::move(one));
  about_ = pieces_.front().about;
  about_.source.reset();
  for (std::size_t p = 1; p < pieces_.size(); ++p) {
    auto const& piece = pieces_[p];
    expect_neighbors(pieces_[p - 1], piece);
    expect_same_request(pieces_.front(), piece);
    join_types(about_, piece.about, piece.name);
    join_kinds(about_, piece.about);
    about_.end = piece.about.end;
    about_.skipped += piece.about.skipped;
  }
  for (auto const& piece : pieces_) {
    auto& groups = groups_.emplace_back(piece.parts.size(), 0);
    if (about_.lines) std::iota(groups.begin(), groups.end(), 0u);
    if (about_.by.empty()) continue;
    std::vector<io::text_column> keys;
    for (auto const& column : piece.keys) keys.push_back(column.view());
    table_.number(keys, 0, piece.parts.size(), groups);
  }
}

part_file moved_to(std::uint64_t row, part_file part, std::string const& moved) try {
  auto const old = part.about;
  if (row != old.begin && std::ranges::any_of(old.plan.numeric_uses(), [](operator_use const& use) {
        return is(use.id, trait::finds_row);
      }))
    throw io::usage_error("The results are numbers of rows.");
  if (old.kind == piece::in_place) part = without_places(std::move(part));
  part.about.begin = row;
  part.about.end = row + (old.end - old.begin);
  return part;
} catch (io::usage_error const&) {
  throw io::data_error(
      "{}: there are new rows in another file before its rows, and the results depend on the "
      "positions of rows; let only the last file grow, use exact operators, such as exact-sum, or "
      "remove the state to read all files again.",
      moved);
}

template <class F>
void piece_merge::for_each_group(aggregation& set, F const& f) const {
  struct place {
    std::size_t piece, row;
  };
  set.numbers().expect_takes(about_.kind, about_.has_values);
  std::vector<std::vector<place>> places(about_.by.empty() ? about_.groups_without_keys()
                                                           : table_.size());
  for (std::size_t p = 0; p < pieces_.size(); ++p)
    for (std::size_t row = 0; row < groups_[p].size(); ++row)
      places[groups_[p][row]].push_back({p, row});
  for (std::size_t group = 0; group < places.size(); ++group) {
    set.restart(about_.by.empty() ? about_.begin : 0);
    for (auto const& [p, row] : places[group]) {
      auto const& [name, about, keys, parts] = pieces_[p];
      try {
        set.join_part(std::as_bytes(std::span(parts.view()[row])), about.has_values,
                      about.end - about.begin);
      } catch (precondition_error const& e) {
        throw io::data_error(
            "{} does not follow the earlier parts, whose values it was told by --after ({}); make "
            "it again.",
            name, e.what());
      }
    }
    set.finish();
    f(group);
  }
}

part_file piece_merge::joined(piece as) const {
  part_file whole{"the joined part", about_};
  whole.keys = table_.keys();
  if (as == piece::unplaced) whole.about.kind = as;
  aggregation set(about_.plan, about_.table, about_.settings());
  set.numbers().expect_takes(as, about_.has_values);
  set.deliver_parts(as);
  for_each_group(set, [](auto) {});
  whole.parts.append(set.rows().keys[0], 0, set.rows().rows);
  return whole;
}

std::vector<text_buffer> piece_merge::keys_as_text() const {
  auto all = table_.keys();
  std::vector<io::text_column> views;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k < about_.key_kinds.size() && about_.key_kinds[k] == io::key_kind::token) {
      all[k].clear();
      for (std::size_t row = 0; row < table_.size(); ++row)
        all[k].push(io::text_of_token(table_.keys()[k].view()[row]));
    }
    views.push_back(all[k].view());
  }
  group_table texts(all.size());
  std::vector<std::uint32_t> groups(table_.size());
  texts.number(views, 0, table_.size(), groups);
  for (std::uint32_t row = 0; row < groups.size(); ++row)
    if (groups[row] != row)
      for (std::size_t k = 0; k < all.size(); ++k) {
        auto const tokens = table_.keys()[k].view();
        if (tokens[groups[row]] != tokens[row])
          throw io::data_error(
              "The keys {} and {} of '{}' are the same as text, but their groups were reduced "
              "separately; write JSON, which tells them apart: --to jsonl.",
              io::shown(tokens[groups[row]]), io::shown(tokens[row]), io::shown(about_.by[k]));
      }
  return all;
}

void piece_merge::print(output_flags const& flags, std::string const& name,
                        std::optional<std::string> const& initial) const {
  if (about_.begin > 0)
    throw io::data_error(
        "The {} are in no part: {} is the first and begins after them; add the part that has them, "
        "or write a joined part with --partial.",
        rows(0, about_.begin), pieces_.front().name);
  auto settings = about_.settings();
  settings.initial = initial;
  for (auto const& use : about_.plan.numeric_uses())
    if (initial && use.id == catalog::id::ema)
      throw io::usage_error(
          "--init: the parts of ema were made without an initial value and begin with the first "
          "value; omit --init, or give all files to one upsweep reduce.");
  aggregation set(about_.plan, about_.table, settings);
  if (flags.writes_json() && about_.by.empty() && !about_.lines) {
    for_each_group(set, [](auto) {});
    return write_results_object(
        flags,
        {"reproducible", name, about_.format.format, about_.end - about_.skipped, about_.skipped,
         about_.missing.has_value()},
        set);
  }
  std::vector<std::string> keys = about_.by;
  keys.insert(keys.end(), set.texts().begin(), set.texts().end());
  auto o = about_.lines
               ? options_of_lines(flags, set.columns().size(), *about_.lines)
               : options_of_results(about_.format, keys.size() + set.columns().size(), flags);
  o.order = set.order(about_.by.size());
  keys_as_json const as_json{
      .keys = set.keys(keys_of_input(about_.by.size())),
      .kind_in_input =
          [this](std::size_t k) {
            return k < about_.key_kinds.size() ? about_.key_kinds[k] : io::key_kind::text;
          },
      .missing = io::missing_words(about_.missing.value_or(std::vector<std::string>()))};
  bool const writes_tokens = flags.writes_json() || is_json(o.format);
  auto const keys_of_groups = writes_tokens ? table_.keys() : keys_as_text();
  result_table out(flags, o, set.columns(), keys, as_json);
  std::size_t written = 0;
  auto const flush = [&](std::size_t end) {
    io::chunk rows = set.rows();
    std::vector<text_buffer> of_groups(keys_of_groups.size());
    for (std::size_t k = 0; k < of_groups.size() && end > written; ++k)
      of_groups[k].append(keys_of_groups[k].view(), written, end - written);
    std::vector<io::text_column> views;
    for (auto const& column : of_groups) views.push_back(column.view());
    rows.keys.insert(rows.keys.begin(), views.begin(), views.end());
    out.write(rows);
    set.clear();
    written = end;
  };
  for_each_group(set, [&](std::size_t group) {
    if (group + 1 - written == 4096) flush(group + 1);
  });
  if (set.rows().rows > 0) flush(written + set.rows().rows);
  out.commit();
}

placement::placement(part_file const& front, piece_request request) {
  auto const& about = front.about;
  for (std::size_t i = 0; i < request.size() && i < about.request.size(); ++i)
    if (auto const& name = request[i].first;
        name == "--op" || name == "--column" || name == "--dtype")
      request[i] = about.request[i];
  expect_request(front, request, "this command");
  aggregation set(about.plan, about.table, about.settings());
  for (std::size_t row = 0; row < front.parts.size(); ++row) {
    set.restart(0);
    set.join_part(std::as_bytes(std::span(front.parts.view()[row])), about.has_values,
                  about.end - about.begin);
    groups_[joined_keys(front.keys, row)] = set.numbers().counts(about.kind == piece::unplaced);
  }
}

void placement::begin(aggregation& set, std::string const& keys) const {
  auto const found = groups_.find(keys);
  set.numbers().place(found == groups_.end() ? nullptr : &found->second);
}

part_file part_before(std::string const& path) {
  auto parts = read_part_file(path);
  auto front = parts.size() == 1 ? std::move(parts[0]) : piece_merge(std::move(parts)).joined();
  if (front.about.begin > 0)
    throw io::data_error(
        "{} begins at row {} of the whole; join it with the previous parts: upsweep merge "
        "--partial.",
        front.name, front.about.begin);
  return front;
}

}  // namespace upsweep::cli
