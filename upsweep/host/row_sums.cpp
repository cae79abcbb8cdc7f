/// Sums of rows by segments on the CPU: columns side by side, in blocks that stay in registers. The
/// threads share ranges of rows. Segments that are longer than a range are divided into parts of as
/// many rows, which are aligned blocks of the segment's tree; the sums of parts are then combined.
#include <upsweep/host/row_sums.hpp>

#include <upsweep/core/call_memory.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/generic/lines/columns.hpp>
#include <upsweep/host/convert.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/segments.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace upsweep::host {
namespace {

template <class E>
using sum_of = accumulator_t<plus, E>;

/// What rows are added as: compilers vectorize the conversion from bfloat16, not that from float16.
template <class E>
using row_element =
    std::conditional_t<detail::is_narrow_float<E> && !std::is_same_v<E, bfloat16>, float, E>;

/// Rows of the columns from `first` on.
template <class E>
class rows_in_order {
 public:
  rows_in_order(E const* first, std::size_t stride, std::int64_t const* order, std::size_t begin,
                std::size_t count, std::size_t width)
      : rows(count), columns(width), first_(first), stride_(stride), order_(order), begin_(begin) {}

  std::size_t rows, columns;

  static std::size_t position(std::size_t r) { return r; }
  [[nodiscard]] UPSWEEP_INLINED row_element<E> const* row(std::size_t r) const {
    std::size_t const i = begin_ + r, number = order_ ? static_cast<std::size_t>(order_[i]) : i;
    E const* const x = first_ + number * stride_;
    if constexpr (std::is_same_v<E, row_element<E>>) {
      return x;
    } else {
      auto* const wide = wide_[r % detail::rows_of_leaf];
      if (columns < 8)
        for (std::size_t c = 0; c < columns; ++c) wide[c] = static_cast<float>(x[c]);
      else
        convert(wide, x, columns);
      return wide;
    }
  }

 private:
  E const* first_;
  std::size_t stride_;
  std::int64_t const* order_;
  std::size_t begin_;
  mutable row_element<E> wide_[detail::rows_of_leaf]
                              [std::is_same_v<E, row_element<E>> ? 1 : detail::column_width<float>];
};

template <class E>
class sums_of_rows {
  using A = sum_of<E>;
  using columns_by = detail::column_operator<plus, A>;
  using totals = typename detail::column_blocks<columns_by, A>::values;
  static constexpr std::size_t most_columns = detail::column_width<A>;

 public:
  explicit sums_of_rows(row_sums const& call)
      : call_(call),
        range_(std::max<std::size_t>(256, std::bit_floor((std::size_t{1} << 15) / call.columns))),
        ranges_(call.size / range_ + 1),
        blocks_((call.columns + most_columns - 1) / most_columns),
        width_(((call.columns + blocks_ - 1) / blocks_ + 15) / 16 * 16),
        parts_(ranges_ * call.columns) {}

  void run(cpu const& on) {
    for_ranges(on, [&](std::size_t range, std::size_t column, std::size_t columns)
                       UPSWEEP_INLINED { sum_range(range, column, columns); });
    if (!has_parts_) return;
    for_ranges(on, [&](std::size_t range, std::size_t column, std::size_t columns)
                       UPSWEEP_INLINED { sum_parts(range, column, columns); });
  }

 private:
  /// Calls f(range, first column, columns) for all ranges of rows and blocks of columns.
  template <class F>
  void for_ranges(cpu const& on, F const& f) const {
    on.for_each_part(ranges_ * blocks_, range_ * width_, [&](std::size_t job) {
      std::size_t const column = job % blocks_ * width_;
      in_widest_registers<registers::avx2>([&]() UPSWEEP_INLINED {
        f(job / blocks_, column, std::min(width_, call_.columns - column));
      });
    });
  }
  [[nodiscard]] std::size_t border(std::size_t k) const {
    return static_cast<std::size_t>(call_.borders[k]);
  }
  /// The first segment that begins at this row or later.
  [[nodiscard]] std::size_t segment_from(std::size_t row) const {
    return static_cast<std::size_t>(std::lower_bound(call_.borders, call_.borders + call_.count,
                                                     static_cast<std::int64_t>(row)) -
                                    call_.borders);
  }
  [[nodiscard]] bool is_long(std::size_t k) const { return border(k + 1) - border(k) > range_; }
  [[nodiscard]] UPSWEEP_INLINED rows_in_order<E> rows(std::size_t begin, std::size_t count,
                                                      std::size_t column,
                                                      std::size_t columns) const {
    return {
        static_cast<E const*>(call_.x) + column, call_.columns, call_.order, begin, count, columns};
  }
  UPSWEEP_INLINED void store(std::size_t k, std::size_t column, std::size_t columns,
                             totals const& sum) const {
    E* const to = static_cast<E*>(call_.out) + k * call_.columns + column;
    for (std::size_t c = 0; c < columns; ++c) to[c] = static_cast<E>(sum.at(c));
  }

  /// The segments and the parts that begin in a range: of parts at most one.
  UPSWEEP_INLINED void sum_range(std::size_t range, std::size_t column, std::size_t columns) {
    std::size_t const from = range * range_, to = from + range_;
    std::size_t k = segment_from(from);
    totals sum;
    auto const sum_part = [&](std::size_t begin) UPSWEEP_INLINED {
      detail::append_rows<row_element<E>>(by_, rows(begin, range_, column, columns), 0, sum);
      A* const part = parts_.first() + range * call_.columns + column;
      for (std::size_t c = 0; c < columns; ++c) part[c] = sum.at(c);
    };
    if (k > 0 && is_long(k - 1)) {
      std::size_t const begin = border(k - 1),
                        part = begin + (from - begin + range_ - 1) / range_ * range_;
      if (part + range_ <= border(k)) sum_part(part);
    }
    for (; k < call_.count && border(k) < to; ++k) {
      if (is_long(k)) {
        has_parts_.store(true, std::memory_order_relaxed);
        sum_part(border(k));
      } else if (border(k) == border(k + 1)) {
        std::fill_n(static_cast<E*>(call_.out) + k * call_.columns + column, columns, E{});
      } else {
        detail::append_rows<row_element<E>>(
            by_, rows(border(k), border(k + 1) - border(k), column, columns), 0, sum);
        store(k, column, columns, sum);
      }
    }
  }
  /// The sum of the long segment that begins in a range, if one does.
  UPSWEEP_INLINED void sum_parts(std::size_t range, std::size_t column, std::size_t columns) const {
    std::size_t const k = segment_from((range + 1) * range_);
    if (k == 0 || border(k - 1) < range * range_ || !is_long(k - 1)) return;
    std::size_t const begin = border(k - 1), size = border(k) - begin, parts = size / range_;
    totals sum;
    rows_in_order<A> const of_parts(parts_.first() + column, call_.columns, nullptr, begin / range_,
                                    parts, columns);
    detail::append_rows<A>(by_, of_parts, 0, sum);
    detail::append_rows<row_element<E>>(
        by_, rows(begin + parts * range_, size % range_, column, columns), parts, sum);
    store(k - 1, column, columns, sum);
  }

  row_sums const& call_;
  std::size_t range_, ranges_, blocks_, width_;
  detail::call_memory<A> parts_;  ///< of the part that begins in each range
  std::atomic<bool> has_parts_ = false;
  static constexpr plus addition_{};
  columns_by by_{addition_};
};

template <class E>
void sum_typed(cpu const& on, row_sums const& call) {
  if constexpr (std::is_same_v<E, sum_of<E>>)
    if (call.columns == 1 && call.order == nullptr)
      return reduce_segments(on, std::span(static_cast<E const*>(call.x), call.size),
                             std::span(call.borders, call.count + 1),
                             std::span(static_cast<E*>(call.out), call.count));
  detail::expect_offsets(on, call.borders, call.count, call.size);
  if (call.columns > 0 && call.count > 0) sums_of_rows<E>(call).run(on);
}

}  // namespace

void sum_rows(cpu const& on, row_sums const& call) {
  detail::float_environment const ieee;
  using enum simd::lane_type;
  switch (call.type) {
#ifdef UPSWEEP_HAS_FLOAT16
    case f16:
      return sum_typed<float16>(on, call);
#endif
    case bf16:
      return sum_typed<bfloat16>(on, call);
    case f32:
      return sum_typed<float>(on, call);
    case f64:
      return sum_typed<double>(on, call);
    default:
      detail::expects(false, "sums of rows take real elements");
  }
}

bool order_by_index(std::int64_t const* index, std::size_t n, std::size_t size, std::int64_t* order,
                    std::int64_t* borders) {
  std::fill_n(borders, size + 1, 0);
  std::int64_t* const ends = borders + 1;
  for (std::size_t i = 0; i < n; ++i) {
    if (static_cast<std::uint64_t>(index[i]) >= size) return false;
    ++ends[index[i]];
  }
  // Where those of an index begin, and then where the next of them goes.
  std::int64_t begin = 0;
  for (std::size_t k = 0; k < size; ++k) begin += std::exchange(ends[k], begin);
  for (std::size_t i = 0; i < n; ++i) order[ends[index[i]]++] = static_cast<std::int64_t>(i);
  return true;
}

}  // namespace upsweep::host
