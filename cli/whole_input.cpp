/// Appends chunks, widens columns of integers that turn into decimals.
#include <cli/whole_input.hpp>

namespace upsweep::cli {

whole_input read_whole(io::input& in) {
  whole_input all;
  bool const is_one_column = in.columns().size() == 1 && in.columns()[0].name == "value";
  if (in.shape() && !in.fortran_order() && is_one_column) {
    auto const array = in.array();
    all.columns.push_back({array.type, array.bytes});
    all.rows = all.columns[0].size();
    return all;
  }
  for (auto const& info : in.columns()) all.owned.emplace_back(info.type);
  all.keys.resize(in.key_names().size());
  for_each_chunk(in, [&](io::chunk const& rows) {
    for (std::size_t c = 0; c < all.owned.size(); ++c)
      append_widening(all.owned[c], rows.columns[c]);
    for (std::size_t k = 0; k < all.keys.size(); ++k)
      for (std::size_t row = 0; row < rows.rows; ++row) all.keys[k].push(rows.keys[k][row]);
    all.rows += rows.rows;
  });
  for (auto const& column : all.owned) all.columns.push_back(column.view());
  return all;
}

}  // namespace upsweep::cli
