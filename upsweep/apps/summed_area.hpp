/// Summed-area tables: the sum of any box of an array from one lookup per corner.
///
/// A scan along each axis, in place after the first: d passes over n elements for d dimensions. A
/// box then costs 2^d lookups, for any size. Crow 1984, Summed-area tables for texture mapping; as
/// scans, Hensley et al. 2005. docs/apps/summed_area.md.
#pragma once

#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// Sums of any elements in accumulators of type `R`.
template <class R>
struct sum_in : plus {
  template <class>
  using accumulator = R;
};
/// The same for elements of type `T`: `plus` itself where its accumulators have that type.
template <class T, class R>
using sums_as =
    std::conditional_t<std::is_same_v<upsweep::accumulator_t<plus, T>, R>, plus, sum_in<R>>;

}  // namespace upsweep::detail

namespace upsweep::apps {

/// The default type of the elements of a table: 64-bit integers for sums of integers, double for
/// sums of float and double. The sum of a box is a difference of large sums, of which float would
/// keep few digits.
template <class T>
using total_of =
    std::conditional_t<!std::is_integral_v<T>,
                       std::conditional_t<std::is_same_v<T, float>, double, T>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

/// table[i, j, ...] = the sum of the elements of `in` whose index is at most i, j, ... in every
/// dimension: a scan along the first dimension, then the second, and so on. Sums are computed in
/// the element type of the table; total_of<T> is a good choice, and integers wrap. `in` and `table`
/// have the same extents, of 1 to 32 dimensions, and may be the same view. The bits do not depend
/// on the executor or the layout. Throws precondition_error if the extents differ, if the views
/// overlap in another way, or if there is no dimension.
template <nd_view In, nd_view Table, executor E = cpu>
void summed_area_table(In const& in, Table const& table, E const& on = {}) {
  using T = std::remove_cv_t<typename In::element_type>;
  using R = typename Table::element_type;
  detail::expects(in.rank() > 0, "summed_area_table: the view has no dimension to scan");
  if constexpr (detail::has_summed_area<E, detail::matrices<T const>, detail::matrices<R>>)
    if (in.rank() <= 2) {
      detail::check_scan_views("summed_area_table", in, table);
      return on.summed_area_table(detail::matrix_of<T const>(in), detail::matrix_of<R>(table));
    }
  upsweep::inclusive_scan(on, in, table, detail::sums_as<T, R>{}, {.axis = 0});
  for (std::size_t axis = 1; axis < table.rank(); ++axis)
    upsweep::inclusive_scan(on, table, table, plus{}, {.axis = static_cast<int>(axis)});
}

/// The sum of the elements whose index is in [first[d], last[d]) in each dimension d, from their
/// summed-area table: 2^d lookups, added where an even number of corners are low and subtracted
/// otherwise. An empty box has the sum 0. Integers are exact if the sum fits, even if the table
/// wrapped; floats have an error of the order of the rounding of the table at the last corner of
/// the box. Throws precondition_error unless `first` and `last` have an index for each dimension
/// with first[d] <= last[d] <= extent(d).
template <nd_view Table>
[[nodiscard]] std::remove_cv_t<typename Table::element_type> box_sum(
    Table const& table, std::span<std::size_t const> first, std::span<std::size_t const> last) {
  using R = std::remove_cv_t<typename Table::element_type>;
  std::size_t const rank = table.rank();
  detail::expects(first.size() == rank && last.size() == rank,
                  "box_sum: give an index for each dimension of the table");
  bool empty = false;
  for (std::size_t d = 0; d < rank; ++d) {
    if (first[d] > last[d] || last[d] > detail::extent_of(table, d))
      detail::fail(
          "box_sum: the box ends at %zu in dimension %zu, which is before "
          "its first index or after the table's end",
          last[d], d);
    empty = empty || first[d] == last[d];
  }
  R added{}, subtracted{};
  for (std::size_t low = 0; !empty && low < std::size_t{1} << rank; ++low) {
    std::ptrdiff_t offset = 0;
    bool outside = false, odd = false;
    for (std::size_t d = 0; d < rank; ++d) {
      bool const is_low = (low >> d & 1) != 0;
      outside = outside || (is_low && first[d] == 0);  // nothing lies before index 0
      odd = odd != is_low;
      offset += (static_cast<std::ptrdiff_t>(is_low ? first[d] : last[d]) - 1) *
                static_cast<std::ptrdiff_t>(table.stride(d));
    }
    if (outside) continue;
    R& sum = odd ? subtracted : added;
    sum = static_cast<R>(plus{}(sum, table.data_handle()[offset]));
  }
  if constexpr (std::is_integral_v<R>)  // unsigned differences wrap
    return static_cast<R>(static_cast<std::make_unsigned_t<R>>(added) -
                          static_cast<std::make_unsigned_t<R>>(subtracted));
  else
    return added - subtracted;
}
template <nd_view Table>
[[nodiscard]] auto box_sum(Table const& table, std::initializer_list<std::size_t> first,
                           std::initializer_list<std::size_t> last) {
  return apps::box_sum(table, std::span(first.begin(), first.size()),
                       std::span(last.begin(), last.size()));
}

}  // namespace upsweep::apps
UPSWEEP_IEEE_END
