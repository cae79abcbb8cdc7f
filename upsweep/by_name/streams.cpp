/// The rows of all streams.
#include <upsweep/by_name/instances.hpp>

namespace upsweep::dynamic {
namespace {

template <class... Families>
stream_row const* find(types<Families...>, catalog::id op, dtype element) {
  static std::span<stream_row const> const all[] = {streams_of<Families>::rows()...};
  for (auto const& family : all)
    for (auto const& row : family)
      if (row.op == op && row.element == element) return &row;
  return nullptr;
}

}  // namespace

stream_row const* find_stream(catalog::id op, dtype element) noexcept {
  return find(all_streams{}, op, element);
}

}  // namespace upsweep::dynamic
