/// pad and unpad: rows of a matrix become longer or shorter in place.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/call/requirements.hpp>
#include <upsweep/call/selection.hpp>
#include <upsweep/core/call_memory.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/compiler.hpp>

#include <cstddef>
#include <cstring>
#include <span>  // brings the iterator and range concepts
#include <type_traits>
#include <utility>

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

/// Whether n elements of rows are moved in rounds, each to where the round before has read: two or
/// three threads, to which these come from another's cache, would be slower than one.
template <class E>
[[nodiscard]] bool worth_rounds(E const& on, std::size_t n) {
  return threads_for(on, n) >= 4;
}

/// Calls move(row) for the rows [begin, end), which do not touch each other's elements, on several
/// threads.
template <class E, class Move>
void move_apart(E const& on, std::size_t begin, std::size_t end, std::size_t columns,
                Move const& move) {
  constexpr std::size_t worth_sharing = std::size_t{1} << 14;  // elements
  std::size_t const rows = worth_sharing / (columns + 1) + 1,
                    lines = (end - begin + rows - 1) / rows;
  for_each_part(on, lines, rows * columns, [&](std::size_t k) {
    std::size_t const first = begin + k * rows;
    for (std::size_t r = first; r < at_most(end, first + rows); ++r) move(r);
  });
}

/// Rows of `in` elements at `x` become rows of `out` elements; finish(row) fills those that become
/// longer. Each thread has consecutive rows, first saves those that another thread overwrites, and
/// moves them when all threads have saved theirs.
template <class T>
struct rows_in_shares {
  T* x;
  std::size_t rows, in, out, shares, columns = at_most(in, out);

  /// How many rows the shares before share s save.
  [[nodiscard]] std::size_t saved_before(std::size_t s) const {
    std::size_t count = 0;
    while (s-- > 0) count += last_saved(s) - first_saved(s);
    return count;
  }
  template <class E, class Finish>
  void run(E const& on, Finish const& finish) const {
    call_memory<T> const memory(saved_before(shares) * columns);
    auto const saved = [&](std::size_t s) { return memory.first() + saved_before(s) * columns; };
    std::size_t const size = rows / shares * (in + out) / 2;
    for_each_part(on, shares, size, [&](std::size_t s) {
      T* to = saved(s);
      for (std::size_t r = first_saved(s); r < last_saved(s); ++r, to += columns)
        move(x + r * in, to);
    });
    for_each_part(on, shares, size, [&](std::size_t s) {
      auto const resize = [&](T const* from, std::size_t row) {
        move(from, x + row * out);
        finish(row);
      };
      for (std::size_t r = begin(s + 1); out > in && r-- > last_saved(s);) resize(x + r * in, r);
      for (std::size_t r = begin(s); out < in && r < first_saved(s); ++r) resize(x + r * in, r);
      T const* from = saved(s);
      for (std::size_t r = first_saved(s); r < last_saved(s); ++r, from += columns) resize(from, r);
    });
  }

 private:
  [[nodiscard]] std::size_t begin(std::size_t s) const { return part_begin(rows, shares, s); }
  /// Rows that become longer overwrite the first ones of the next shares, others the last ones of
  /// the previous shares.
  [[nodiscard]] std::size_t first_saved(std::size_t s) const {
    if (out > in) return begin(s);
    if (s + 1 == shares) return rows;
    std::size_t const first = (begin(s + 1) - 1) * out / in + 1;
    return first < begin(s) ? begin(s) : first;
  }
  [[nodiscard]] std::size_t last_saved(std::size_t s) const {
    return out > in ? at_most(begin(s + 1), (begin(s) * out + in - 1) / in) : begin(s + 1);
  }
  void move(T const* from, T* to) const {
    std::memmove(static_cast<void*>(to), from, columns * sizeof(T));
  }
};

/// The same, if the rows are bytes in memory, several threads are worth it and they save at
/// most half of the rows; otherwise returns false.
template <class E, class It, class Finish>
[[nodiscard]] bool resized_in_shares(E const& on, It const& first, std::size_t rows, std::size_t in,
                                     std::size_t out, Finish const& finish) {
  using T = std::iter_value_t<It>;
  if constexpr (std::contiguous_iterator<It> && std::is_trivially_copyable_v<T> &&
                std::is_trivially_default_constructible_v<T>) {
    constexpr std::size_t bytes_a_nanosecond = 32;
    std::size_t const bytes = rows * at_most(in, out) * sizeof(T),
                      shares = at_most(threads_for(on, bytes / bytes_a_nanosecond), rows);
    if (shares < 2) return false;
    rows_in_shares<T> const all{std::to_address(first), rows, in, out, shares};
    if (all.saved_before(shares) > rows / 2) return false;
    all.run(on, finish);
    return true;
  } else {
    return false;
  }
}

/// Rows of `columns` elements become rows of `padded` ones, filled with `fill`.
template <class E, class It>
void pad_rows(E const& on, It const& first, std::size_t rows, std::size_t columns,
              std::size_t padded, std::iter_value_t<It> const& fill) {
  // A copy of `fill`, which is no element for what the compiler knows.
  auto const finish = [=](std::size_t row) {
    for (std::size_t i = row * padded + columns; i < (row + 1) * padded; ++i)
      first[static_cast<std::iter_difference_t<It>>(i)] = fill;
  };
  if (columns > 0 && resized_in_shares(on, first, rows, columns, padded, finish)) return;
  auto const move = [&](std::size_t row) {
    move_row(first, row * columns, row * padded, columns);
    finish(row);
  };
  bool const in_rounds = worth_rounds(on, rows * padded);
  for (std::size_t left = rows; left > 0;) {
    std::size_t const begin = in_rounds ? (left * columns + padded - 1) / padded : left;
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
  if (resized_in_shares(on, first, rows, padded, columns, [](std::size_t) {})) return;
  auto const move = [&](std::size_t row) { move_row(first, row * padded, row * columns, columns); };
  bool const in_rounds = worth_rounds(on, rows * padded);
  for (std::size_t done = 1; done < rows;) {
    std::size_t const end = in_rounds ? at_most(rows, done * padded / columns) : done;
    if (end > done)
      move_apart(on, done, end, columns, move);
    else
      move(done);
    done = end > done ? end : done + 1;
  }
}

}  // namespace upsweep::detail

namespace upsweep {

namespace detail {

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
  constexpr bool fits = has_resize_rows<E, It, T>;
  static_assert(fits,
                "upsweep: pad and unpad run on the executors of the CPU, and on upsweep::gpu "
                "in contiguous memory");
  if constexpr (fits) on.resize_rows(first, rows, in, out, fill);
}

}  // namespace detail

/// Moves the `rows` rows of `columns` elements each, which are contiguous at the beginning of `x`,
/// apart in place. Afterwards each row has `padded` >= `columns` elements; the new ones equal
/// `fill`, which may be a copy of an element of `x`. `x` has rows * padded elements, of which the
/// first rows * columns are read. Threads move rows from the last to the first. Throws
/// precondition_error for other sizes. Runs on the CPU executors, and on upsweep::gpu for
/// contiguous, trivially copyable elements of at most 128 bytes.
template <elements X, executor E = detail::default_executor_t<X>>
void pad(E const& on, X&& x, std::size_t rows, std::size_t columns, std::size_t padded,
         std::ranges::range_value_t<X> fill = {}) {
  detail::expect_kept<X>();
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  constexpr bool copies = std::is_copy_constructible_v<T> && std::is_copy_assignable_v<T>;
  static_assert(copies, "upsweep: pad copies `fill`, but these elements cannot be copied");
  if constexpr (copies) {
    expect_matrix("pad", x, rows, columns, padded);
    if (columns == padded) return;
    auto const first = output_iterator(x);
    if constexpr (has_own_memory<E>)
      resize_rows_on(on, first, rows, columns, padded, &fill);
    else
      pad_rows(on, first, rows, columns, padded, fill);
  }
}
template <elements X>
void pad(X&& x, std::size_t rows, std::size_t columns, std::size_t padded,
         std::ranges::range_value_t<X> fill = {}) {
  detail::expect_kept<X>();
  upsweep::pad(detail::default_executor_t<X>{}, x, rows, columns, padded, std::move(fill));
}

/// The inverse of pad: moves the first `columns` elements of each of the `rows` rows of `padded`
/// elements together in place, to the first rows * columns elements of `x`. The elements after them
/// are unspecified. Sizes and errors are those of pad.
template <elements X, executor E = detail::default_executor_t<X>>
void unpad(E const& on, X&& x, std::size_t rows, std::size_t columns, std::size_t padded) {
  detail::expect_kept<X>();
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
  detail::expect_kept<X>();
  upsweep::unpad(detail::default_executor_t<X>{}, x, rows, columns, padded);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::a_random_access_range_readable_when_const_must_come_first_or_after_an_executor<Args...> pad(
    Args const&...) = delete;
template <class... Args>
detail::a_random_access_range_readable_when_const_must_come_first_or_after_an_executor<Args...>
unpad(Args const&...) = delete;

}  // namespace upsweep
