/// pad and unpad: rows of a matrix become longer or shorter in place.
#pragma once

#include <upsweep/call/arguments.hpp>
#include <upsweep/call/requirements.hpp>
#include <upsweep/call/selection.hpp>
#include <upsweep/generic/rows.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

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
detail::a_random_access_range_must_come_first_or_after_an_executor<Args...> pad(Args const&...) =
    delete;
template <class... Args>
detail::a_random_access_range_must_come_first_or_after_an_executor<Args...> unpad(Args const&...) =
    delete;

}  // namespace upsweep
