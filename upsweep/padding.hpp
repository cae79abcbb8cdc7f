/// pad and unpad: rows of a matrix become longer or shorter in place.
#pragma once

#include <upsweep/reduce.hpp>
#include <upsweep/selection.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace upsweep {

namespace detail {

/// Moves the `columns` elements that begin at `from` to `to`, which may overlap them.
template <class It>
void move_row(It const& first, std::size_t from, std::size_t to, std::size_t columns) {
  using T = std::iter_value_t<It>;
  auto const move = [&](std::size_t i) {
    first[static_cast<std::iter_difference_t<It>>(to + i)] = static_cast<T>(
        std::ranges::iter_move(first + static_cast<std::iter_difference_t<It>>(from + i)));
  };
  if constexpr (std::contiguous_iterator<It> && std::is_trivially_copyable_v<T>)
    std::memmove(static_cast<void*>(std::to_address(first) + to), std::to_address(first) + from,
                 columns * sizeof(T));
  else if (to < from)
    for (std::size_t i = 0; i < columns; ++i) move(i);
  else if (to > from)
    for (std::size_t i = columns; i-- > 0;) move(i);
}

/// Calls move(row) for the rows [begin, end), which do not touch each other's elements, on several
/// threads.
template <class E, class Move>
void move_apart(E const& on, std::size_t begin, std::size_t end, std::size_t columns,
                Move const& move) {
  constexpr std::size_t worth_sharing = std::size_t{1} << 14;  // elements
  std::size_t const rows = worth_sharing / (columns + 1) + 1,
                    lines = (end - begin + rows - 1) / rows;
  on.for_each_line(lines, rows * columns, [&](std::size_t k, auto const&) {
    std::size_t const first = begin + k * rows;
    for (std::size_t r = first; r < at_most(end, first + rows); ++r) move(r);
  });
}

/// Throws unless `x` is a matrix of `rows` rows of `padded` elements, of which `columns` are kept.
template <class R>
void expect_matrix(char const* verb, R const& x, std::size_t rows, std::size_t columns,
                   std::size_t padded) {
  using range = std::remove_cvref_t<R>;
  static_assert(!std::is_same_v<std::ranges::range_value_t<range>, bool> ||
                    std::is_lvalue_reference_v<std::ranges::range_reference_t<range>>,
                "upsweep: several threads may not write a std::vector<bool>");
  std::size_t const n = std::ranges::size(x);
  if (columns > padded)
    fail("pad and unpad: rows of %zu elements do not fit into rows of %zu", columns, padded);
  if (padded == 0 ? n != 0 : n % padded != 0 || n / padded != rows)
    fail_matrix(verb, n, rows, padded);
}

/// pad and unpad on a backend with its own memory.
template <class E, class It, class T = std::iter_value_t<It>>
void resize_rows_on(E const& on, It const& first, std::size_t rows, std::size_t in, std::size_t out,
                    T const* fill) {
  constexpr bool fits = requires { on.resize_rows(first, rows, in, out, fill); };
  static_assert(fits,
                "upsweep: pad and unpad run on the executors of the processor, and on upsweep::gpu "
                "in contiguous memory");
  if constexpr (fits) on.resize_rows(first, rows, in, out, fill);
}

/// pad on an executor of the processor.
template <class E, class It>
void pad_rows(E const& on, It const& first, std::size_t rows, std::size_t columns,
              std::size_t padded, std::iter_value_t<It> const& fill) {
  auto const move = [&](std::size_t row) {
    move_row(first, row * columns, row * padded, columns);
    for (std::size_t i = row * padded + columns; i < (row + 1) * padded; ++i)
      first[static_cast<std::iter_difference_t<It>>(i)] = fill;
  };
  for (std::size_t left = rows; left > 0;) {
    std::size_t const begin = (left * columns + padded - 1) / padded;
    if (begin < left)
      move_apart(on, begin, left, padded, move);
    else
      move(left - 1);
    left = at_most(begin, left - 1);
  }
}
/// unpad on an executor of the processor.
template <class E, class It>
void unpad_rows(E const& on, It const& first, std::size_t rows, std::size_t columns,
                std::size_t padded) {
  auto const move = [&](std::size_t row) { move_row(first, row * padded, row * columns, columns); };
  for (std::size_t done = 1; done < rows;) {
    std::size_t const end = at_most(rows, done * padded / columns);
    if (end > done)
      move_apart(on, done, end, columns, move);
    else
      move(done);
    done = end > done ? end : done + 1;
  }
}

}  // namespace detail

/// The `rows` rows of `columns` elements each, one behind the other at the beginning of `x`, are
/// moved apart in place: afterwards each has `padded` >= `columns` elements, the new ones equal to
/// `fill`, which may be a copy of an element of `x`. `x` has rows * padded elements, of which the
/// first rows * columns are read. Threads move the rows, from the last to the first, that end up
/// behind all that has not been moved. Throws precondition_error for other sizes. Runs on the
/// executors of the processor, and on upsweep::gpu for contiguous elements that are trivially
/// copyable and have at most 128 bytes.
template <elements X, executor E = detail::default_executor_t<X>>
void pad(E const& on, X&& x, std::size_t rows, std::size_t columns, std::size_t padded,
         std::ranges::range_value_t<X> fill = {}) {
  using namespace detail;
  expect_matrix("pad", x, rows, columns, padded);
  if (columns == padded) return;
  auto const first = output_iterator(x);
  if constexpr (has_own_memory<E>)
    resize_rows_on(on, first, rows, columns, padded, &fill);
  else
    pad_rows(on, first, rows, columns, padded, fill);
}
template <elements X>
void pad(X&& x, std::size_t rows, std::size_t columns, std::size_t padded,
         std::ranges::range_value_t<X> fill = {}) {
  upsweep::pad(detail::default_executor_t<X>{}, x, rows, columns, padded, std::move(fill));
}

/// The opposite: of each of the `rows` rows of `padded` elements in `x`, the first `columns` are
/// moved together in place, to the first rows * columns elements of `x`; those behind have
/// unspecified values. Sizes and errors as for pad.
template <elements X, executor E = detail::default_executor_t<X>>
void unpad(E const& on, X&& x, std::size_t rows, std::size_t columns, std::size_t padded) {
  using namespace detail;
  expect_matrix("unpad", x, rows, columns, padded);
  if (columns == padded || columns == 0) return;
  auto const first = output_iterator(x);
  if constexpr (has_own_memory<E>)
    resize_rows_on(on, first, rows, padded, columns,
                   static_cast<std::ranges::range_value_t<X> const*>(nullptr));
  else
    unpad_rows(on, first, rows, columns, padded);
}
template <elements X>
void unpad(X&& x, std::size_t rows, std::size_t columns, std::size_t padded) {
  upsweep::unpad(detail::default_executor_t<X>{}, x, rows, columns, padded);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::a_random_access_range_must_come_first_or_after_an_executor<Args...> pad(Args const&...) =
    delete;
template <class... Args>
detail::a_random_access_range_must_come_first_or_after_an_executor<Args...> unpad(Args const&...) =
    delete;

}  // namespace upsweep
