/// The states of operators: saved between chunks of a scan, and of pieces of a table.
#include <cli/engine/column_set.hpp>

#include <io/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace upsweep::cli {

/// The i64 states and, if it `has_wide`, those of f64. If there are both, the size of the first
/// comes before them.
template <class F>
void column_set::save_part(part const& of, bool has_wide, saved_state& to, F const& save) {
  saved_state narrow;
  for (auto const& s : of.narrow) save(s, narrow);
  put(to, std::uint64_t{has_wide ? narrow.size() : 0});
  put_all(to, std::span<std::byte const>(narrow));
  if (!has_wide) return;
  for (auto const& s : of.wide) save(s, to);
}

template <class F>
void column_set::load_part(part& of, saved_reader& from, F const& load) {
  auto const narrow = from.take<std::uint64_t>();
  if (narrow > 0 && of.wide.empty()) from.skip(narrow);
  for (auto* const states : {&of.narrow, &of.wide})
    for (auto& s : *states) load(s, from);
}

void column_set::save(saved_state& to) const {
  for (auto const& each : parts_)
    save_part(each, !each.wide.empty(), to, [](state const& s, saved_state& bytes) {
      s.of->save(bytes);
      for (auto const& latest : s.latest) put_counted(bytes, std::span<std::byte const>(latest));
    });
}

void column_set::load(saved_reader& from) {
  for (auto& each : parts_)
    load_part(each, from, [](state& s, saved_reader& bytes) {
      s.of->load(bytes);
      for (auto& latest : s.latest) bytes.take_counted(latest);
    });
}

bool column_set::part::has_any(std::vector<bool> const& has_values) const {
  return std::ranges::any_of(inputs, [&](std::size_t c) { return has_values[c]; });
}

void column_set::expect_takes(std::size_t p, piece of, bool is_wide) const {
  for (auto const& r : results_) {
    if (r.part != p) continue;
    auto const& one = *(is_wide ? parts_[p].wide : parts_[p].narrow)[r.member].of;
    if (!one.takes_piece(piece::in_place))
      throw io::usage_error(
          "{} of '{}' needs all values at once and cannot be put together from pieces; give all "
          "files to one command.",
          r.op, r.column);
    if (!one.takes_piece(of))
      throw io::usage_error(
          "{} of '{}' as {} depends on the position of each value among the others, which is "
          "unknown for a piece with groups or missing values; give --after with the part of all "
          "previous rows, use an exact operator, such as exact-sum, or give all files to one "
          "command.",
          r.op, r.column, name_of(one.takes()));
  }
}

void column_set::expect_takes(piece of, std::vector<bool> const& has_values) const {
  for (std::size_t p = 0; p < parts_.size(); ++p)
    if (parts_[p].has_any(has_values)) expect_takes(p, of, false);
}

value_counts column_set::counts(bool only_count) const {
  value_counts all;
  for (auto const& r : results_) {
    auto const& from = parts_[r.part];
    auto const& one = *(from.wide.empty() ? from.narrow : from.wide)[r.member].of;
    bool const knows = !only_count && !one.takes_piece(piece::unplaced);
    if (knows || r.op == "count") all.emplace_back(r.column, one.position());
  }
  return all;
}

void column_set::place(value_counts const* before) {
  auto const place = [&](state& s, result const& r) {
    if (s.of->takes_piece(piece::unplaced)) return;
    if (before == nullptr) return s.of->place(0);
    auto const known = std::ranges::find(*before, r.column, &value_counts::value_type::first);
    if (known != before->end()) return s.of->place(known->second);
    // A column without values has no type either, so the operator may not be that of the others.
    s.not_placed = std::make_exception_ptr(io::data_error(
        "{0} of '{1}' depends on how many values of '{1}' come before, which the part that --after "
        "names does not say; make it with the same --op, or with count:{1}.",
        r.op, r.column));
  };
  for (auto const& r : results_) {
    auto& of = parts_[r.part];
    place(of.narrow[r.member], r);
    if (!of.wide.empty()) place(of.wide[r.member], r);
  }
}

void column_set::serialize(saved_state& to, piece as) const {
  for (auto const& each : parts_) {
    bool const wide = !each.wide.empty() && std::ranges::all_of(each.wide, [&](state const& s) {
      return s.of->takes_piece(as);
    });
    saved_state both;
    save_part(each, wide, both, [](state const& s, saved_state& bytes) {
      put(bytes, s.missing);
      s.of->serialize(bytes);
    });
    put_counted(to, std::span<std::byte const>(both));
  }
}

void column_set::combine(saved_reader& from, std::vector<bool> const& has_values,
                         std::uint64_t rows) {
  for (auto& each : parts_) {
    saved_reader both(from.take_bytes(from.take_count()));
    if (each.has_any(has_values)) {
      load_part(each, both, [](state& s, saved_reader& bytes) {
        s.missing += bytes.take<std::uint64_t>();
        s.of->combine(bytes);
      });
      continue;
    }
    for (auto* const states : {&each.narrow, &each.wide})
      for (auto& s : *states) s.missing += rows;
  }
}

}  // namespace upsweep::cli
