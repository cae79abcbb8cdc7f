/// unique, runs and run_starts: runs of equal neighbors.
#pragma once

#include <upsweep/call/selection.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/select.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep {

/// Equality of neighbors by ==: a NaN never equals another NaN, and -0 equals +0.
struct same {
  template <class T>
  UPSWEEP_BOTH constexpr bool operator()(T const& a, T const& b) const {
    return a == b;
  }
};

namespace detail {

/// Types whose bytes are all bits of the value: without padding, as long double has it.
template <class T>
inline constexpr bool has_only_value_bits =
    std::has_unique_object_representations_v<T> || (is_float<T> && !std::is_same_v<T, long double>);

}  // namespace detail

/// Equality of bits, for types whose bytes are all part of the value: a NaN equals itself, and -0
/// does not equal +0.
struct same_bits {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    static_assert(detail::has_only_value_bits<T>,
                  "upsweep: same_bits compares numbers except long double, and types without "
                  "padding");
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
};

namespace detail {

/// The numbers whose == says what `Same` says of elements of T: T itself, or the unsigned integers
/// of their bits; void if there are none.
template <class T, class Same>
using compared_as = std::conditional_t<
    std::is_same_v<Same, same> && (std::is_same_v<T, float> || std::is_same_v<T, double>), T,
    std::conditional_t<(std::is_same_v<Same, same> && std::is_integral_v<T>) ||
                           (std::is_same_v<Same, same_bits> && has_only_value_bits<T>),
                       bits_of_size<sizeof(T)>, void>>;

/// Marks the first element of each run by 0.
template <class It, class Same>
struct marks_of_runs {
  using number = std::conditional_t<std::contiguous_iterator<It>,
                                    compared_as<std::iter_value_t<It>, Same>, void>;

  It first;
  Same const& equal;

  [[nodiscard]] numbers_from<number> numbers(std::size_t begin) const
    requires(!std::is_void_v<number>)
  {
    return {reinterpret_cast<number const*>(std::to_address(first) + begin), begin > 0};
  }

  void operator()(std::size_t begin, std::size_t end, mark* to) const {
    if (begin == 0) {
      *to++ = 0;
      ++begin;
    }
    mark_each(begin, end, to, [*this](std::size_t i) UPSWEEP_INLINED {
      return static_cast<mark>(static_cast<bool>(
          invoke_function(equal, element_at(first, i - 1), element_at(first, i))));
    });
  }
};
template <class In, class Same>
auto heads_of(In const& in, Same const& equal) {
  return marks_of_runs<first_of_t<In>, Same>{first_of(in), equal};
}

/// Throws `sentence` if the integers of the output `Lengths` are too narrow for a length of n.
template <class Lengths>
void expect_length_fits(char const* sentence, std::size_t n) {
  using T = std::ranges::range_value_t<Lengths>;
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>,
                "upsweep: lengths are stored in an output of integers");
  if (n > static_cast<std::uintmax_t>(std::numeric_limits<T>::max()))
    fail(sentence, n, 8 * sizeof(T));
}

/// starts[k] = the distance to the next start, or to n.
template <class E, class It>
void lengths_of_starts(E const& on, It const& starts, std::size_t count, std::size_t n) {
  using T = std::iter_value_t<It>;
  constexpr std::size_t part = std::size_t{1} << 12, block = 64;
  std::size_t const parts = (count + part - 1) / part;
  // What a part needs of the next one, which another thread may have changed.
  std::vector<std::size_t> ends(parts, n);
  for (std::size_t p = 1; p < parts; ++p)
    ends[p - 1] = static_cast<std::size_t>(element_at(starts, p * part));
  for_each_part(on, parts, part, [&](std::size_t p) {
    std::size_t k = p * part;
    std::size_t const last = at_most(count, k + part) - 1;
    for (; k + block <= last; k += block) {  // compilers vectorize loops of constant length
      T next[block];
      for (std::size_t j = 0; j < block; ++j) next[j] = element_at(starts, k + j + 1);
      for (std::size_t j = 0; j < block; ++j)
        element_at(starts, k + j) = static_cast<T>(next[j] - element_at(starts, k + j));
    }
    for (; k <= last; ++k) {
      auto const next = k < last ? static_cast<std::size_t>(element_at(starts, k + 1)) : ends[p];
      element_at(starts, k) =
          static_cast<T>(next - static_cast<std::size_t>(element_at(starts, k)));
    }
  });
}

}  // namespace detail

/// Stores the first element of each run of equal neighbors in `out`, and returns the number of
/// runs. `equal(x[i - 1], x[i])` is called once for each i > 0, from several threads, in any order.
/// `out` may be `in`. Memory, errors and executors are those of select.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          detail::not_output Same = same>
std::size_t unique(E const& on, In const& in, Out&& out, Same const& equal = {}) {
  detail::expect_kept<Out>();
  using reference = std::ranges::range_reference_t<In const>;
  if constexpr (detail::is_predicate<Same, reference, reference>() &&
                detail::stores_elements<In, Out>()) {
    detail::expect_apart<true>("unique", in, out);
    return detail::select_into("unique", on, detail::heads_of(in, equal), std::ranges::size(in),
                               detail::values_to(in, out));
  }
  return 0;
}
template <elements In, detail::output_like Out, detail::not_output Same = same>
std::size_t unique(In const& in, Out&& out, Same const& equal = {}) {
  detail::expect_kept<Out>();
  return upsweep::unique(detail::default_executor_t<In>{}, in, out, equal);
}

/// Stores the position of the first element of each run of equal neighbors in `starts`, a range of
/// integers, and returns the number of runs. Errors are those of select_positions.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          detail::not_output Same = same>
std::size_t run_starts(E const& on, In const& in, Out&& starts, Same const& equal = {}) {
  detail::expect_kept<Out>();
  using reference = std::ranges::range_reference_t<In const>;
  if constexpr (detail::is_predicate<Same, reference, reference>() &&
                detail::stores_integers<Out>()) {
    detail::expect_apart<false>("run_starts", in, starts);
    std::size_t const n = std::ranges::size(in);
    return detail::select_into("run_starts", on, detail::heads_of(in, equal), n,
                               detail::positions_to("run_starts", n, starts));
  }
  return 0;
}
template <elements In, detail::output_like Out, detail::not_output Same = same>
std::size_t run_starts(In const& in, Out&& starts, Same const& equal = {}) {
  detail::expect_kept<Out>();
  return upsweep::run_starts(detail::default_executor_t<In>{}, in, starts, equal);
}

/// Run-length encoding: stores the first element of each run in `values` and its length in
/// `lengths`, a range of integers. Returns the number of runs. The three ranges must not overlap.
/// Errors are those of select_positions. Also throws precondition_error, before anything is stored,
/// if the integers of `lengths` cannot hold n, the length of a run of all n elements.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Values,
          detail::output_like Lengths, detail::not_output Same = same>
std::size_t runs(E const& on, In const& in, Values&& values, Lengths&& lengths,
                 Same const& equal = {}) {
  detail::expect_kept<Values, Lengths>();
  using namespace detail;
  using reference = std::ranges::range_reference_t<In const>;
  if constexpr (is_predicate<Same, reference, reference>() && stores_elements<In, Values>() &&
                stores_integers<Lengths>()) {
    float_environment const ieee;
    expect_apart<false>("runs", in, values);
    expect_apart<false>("runs", in, lengths);
    expect_apart<false>("runs", values, lengths);
    std::size_t const n = std::ranges::size(in);
    expect_length_fits<Lengths>(
        "runs: a run in %zu elements may be longer than the output's integers of %zu bits hold; "
        "give lengths of std::size_t",
        n);
    std::size_t const count = select_on(on, heads_of(in, equal), n, values_to(in, values),
                                        positions_to("runs", n, lengths))
                                  .of[0];
    expect_room("runs", "the output of the values", std::ranges::size(values), count);
    expect_room("runs", "the output of the lengths", std::ranges::size(lengths), count);
    if constexpr (!requires { E::stores_run_lengths; })
      lengths_of_starts(on, output_iterator(lengths), count, n);
    return count;
  }
  return 0;
}
template <elements In, detail::output_like Values, detail::output_like Lengths,
          detail::not_output Same = same>
std::size_t runs(In const& in, Values&& values, Lengths&& lengths, Same const& equal = {}) {
  detail::expect_kept<Values, Lengths>();
  return upsweep::runs(detail::default_executor_t<In>{}, in, values, lengths, equal);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> unique(Args const&...) = delete;
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> run_starts(Args const&...) = delete;
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> runs(Args const&...) = delete;

}  // namespace upsweep
