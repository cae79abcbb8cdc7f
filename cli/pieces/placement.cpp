/// Counts values by joining what a part has of each group.
#include <cli/pieces/placement.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <utility>

namespace upsweep::cli {

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
    groups_[joined_keys(front.keys, row)] = set.counts(about.kind == piece::unplaced);
  }
}

void placement::begin(aggregation& set, std::string const& keys) const {
  auto const found = groups_.find(keys);
  set.place(found == groups_.end() ? nullptr : &found->second);
}

part_file part_in_front(std::string const& path) {
  auto parts = read_part_file(path);
  auto front = parts.size() == 1 ? std::move(parts[0]) : piece_merge(std::move(parts)).joined();
  if (front.about.begin > 0)
    throw io::data_error(
        fmt::format("{} begins at row {} of the whole; join it with the previous parts: upsweep "
                    "merge --partial.",
                    front.name, front.about.begin));
  return front;
}

}  // namespace upsweep::cli
