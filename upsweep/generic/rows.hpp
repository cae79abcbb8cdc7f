/// Rows of a matrix that become longer or shorter in place, moved by the threads of an executor.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/executor.hpp>

#include <cstddef>
#include <cstring>
#include <span>  // brings the iterator and range concepts
#include <type_traits>

namespace upsweep::detail {

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
/// threads. Two or three would be slower than one: each moves rows to where another has just read.
template <class E, class Move>
void move_apart(E const& on, std::size_t begin, std::size_t end, std::size_t columns,
                Move const& move) {
  if (auto const threads = threads_for(on, (end - begin) * columns); threads == 2 || threads == 3) {
    for (std::size_t r = begin; r < end; ++r) move(r);
    return;
  }
  constexpr std::size_t worth_sharing = std::size_t{1} << 14;  // elements
  std::size_t const rows = worth_sharing / (columns + 1) + 1,
                    lines = (end - begin + rows - 1) / rows;
  on.for_each_line(lines, rows * columns, [&](std::size_t k, auto const&) {
    std::size_t const first = begin + k * rows;
    for (std::size_t r = first; r < at_most(end, first + rows); ++r) move(r);
  });
}

/// Rows of `columns` elements become rows of `padded` ones, filled with `fill`.
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
/// The opposite.
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

}  // namespace upsweep::detail
