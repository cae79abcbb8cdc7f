/// The operators of a command over pieces of a table.
#include <cli/engine/folding_set.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace upsweep::cli {

void folding_set::expect_takes(piece of) const {
  for (std::size_t r = 0; r < order_.size(); ++r) {
    auto const& fold = *members_[order_[r].first].fold;
    auto const& [op, column] = origins_[r];
    if (!fold.takes_piece(piece::in_place))
      throw io::usage_error(fmt::format(
          "{} of '{}' needs all values at once and cannot be put together from pieces; give all "
          "files to one command.",
          op, column));
    if (!fold.takes_piece(of))
      throw io::usage_error(
          fmt::format("{} of '{}' as {} depends on the position of each value among the others, "
                      "which is unknown for a piece with groups or missing values; give --after "
                      "with the part of all previous rows, use an exact operator, such as "
                      "exact-sum, or give all files to one command.",
                      op, column, name_of(fold.takes())));
  }
}

value_counts folding_set::counts(bool only_count) const {
  value_counts all;
  for (std::size_t r = 0; r < order_.size(); ++r) {
    auto const& fold = *members_[order_[r].first].fold;
    bool const knows = !only_count && !fold.takes_piece(piece::unplaced);
    if (knows || origins_[r].first == "count")
      all.emplace_back(origins_[r].second, fold.position());
  }
  return all;
}

void folding_set::place(value_counts const* in_front) {
  for (std::size_t r = 0; r < order_.size(); ++r) {
    auto const& [op, column] = origins_[r];
    auto& fold = *members_[order_[r].first].fold;
    if (fold.takes_piece(piece::unplaced)) continue;
    std::uint64_t position = 0;
    if (in_front != nullptr) {
      auto const known = std::ranges::find(*in_front, column, &value_counts::value_type::first);
      if (known == in_front->end())
        throw io::data_error(fmt::format(
            "{0} of '{1}' depends on how many values of '{1}' come before, which the part that "
            "--after names does not say; make it with the same --op, or with count:{1}.",
            op, column));
      position = known->second;
    }
    fold.place(position);
  }
}

void folding_set::save_part(saved_state& to) const {
  for (auto const& m : members_) {
    put(to, m.missing);
    m.fold->save_part(to);
  }
}

void folding_set::join_part(saved_reader& from) {
  for (auto& m : members_) {
    m.missing += from.take<std::uint64_t>();
    m.fold->join_part(from);
  }
}

void folding_set::join_missing(std::uint64_t rows) {
  for (auto& m : members_) m.missing += rows;
}

}  // namespace upsweep::cli
