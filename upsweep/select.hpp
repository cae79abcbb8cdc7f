/// select and select_positions: the elements, or their positions, that satisfy a predicate; and
/// partition, which divides the elements among two or three outputs by predicates.
#pragma once

#include <upsweep/call/selection.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace upsweep::detail {

/// True when `F` returns something like bool for `Argument`s; otherwise a static_assert says so.
template <class F, class... Argument>
constexpr bool is_predicate() {
  constexpr bool fits = std::is_invocable_v<F const&, Argument...>;
  static_assert(fits,
                "upsweep: the predicate must be callable, also when it is const, with the elements "
                "that it tests, by value or by reference to const");
  if constexpr (fits) {
    constexpr bool answers =
        std::is_constructible_v<bool, std::invoke_result_t<F const&, Argument...>>;
    static_assert(answers, "upsweep: the predicate must return a bool");
    return answers;
  }
  return false;
}

/// True when elements of `In` can be assigned to those of `Out`.
template <class In, class Out>
constexpr bool stores_elements() {
  if constexpr (is_output<Out>()) {
    using T = std::ranges::range_value_t<Out>;
    constexpr bool writable = std::is_assignable_v<std::ranges::range_reference_t<Out>, T>;
    constexpr bool converts = casts_to<std::ranges::range_reference_t<In const>, T>;
    static_assert(writable,
                  "upsweep: the output range is const; give one whose elements can be assigned");
    constexpr bool copies = converts || !std::is_same_v<T, std::ranges::range_value_t<In>> ||
                            std::is_copy_constructible_v<T>;
    static_assert(
        copies,
        "upsweep: the elements are copied to the output, and these cannot be copied; "
        "store their positions by select_positions, run_starts or argsort, and move them");
    static_assert(converts || !copies,
                  "upsweep: the elements do not convert to those of the output range");
    return writable && converts && keeps_fractions<std::ranges::range_value_t<In>, T>();
  }
  return false;
}

/// True when positions or lengths can be stored in `Out`.
template <class Out>
constexpr bool stores_integers() {
  if constexpr (is_output<Out>()) {
    using T = std::ranges::range_value_t<Out>;
    constexpr bool integers = std::is_integral_v<T> && !std::is_same_v<T, bool>;
    constexpr bool writable = std::is_assignable_v<std::ranges::range_reference_t<Out>, T>;
    static_assert(integers, "upsweep: positions and lengths are stored in an output of integers");
    static_assert(writable,
                  "upsweep: the output range is const; give one whose elements can be assigned");
    return integers && writable;
  }
  return false;
}

/// Marks elements that satisfy the predicate by 0, others by 1.
template <class It, class F>
struct marks_by_predicate {
  It first;
  F const& test;

  UPSWEEP_INLINED void operator()(std::size_t begin, std::size_t end, mark* to) const {
    mark_each(begin, end, to, [*this](std::size_t i) UPSWEEP_INLINED {
      return static_cast<mark>(!static_cast<bool>(invoke_function(test, element_at(first, i))));
    });
  }
};
template <class In, class F>
auto marks_by(In const& in, F const& test) {
  return marks_by_predicate<first_of_t<In>, F>{first_of(in), test};
}

/// All selections: how many elements `out` takes.
template <class E, class Marks, class Output>
std::size_t select_into(char const* verb, E const& on, Marks const& marks, std::size_t n,
                        Output const& out) {
  float_environment const ieee;
  std::size_t const count = select_on(on, marks, n, out).of[0];
  expect_room(verb, "the output", out.room, count);
  return count;
}

}  // namespace upsweep::detail

namespace upsweep {

/// Copies the elements of `in` for which `keep` returns true to `out`, in input order, and returns
/// their number. `keep` is called once for each element, from several threads, in any order.
///
/// `out` must have room for the selected elements. It may begin at the same memory as `in` (in
/// place); elements after the last result are unchanged. Throws precondition_error if the ranges
/// overlap in another way. If `out` is too small, it stores what fits and throws precondition_error
/// with the required size. If `keep` throws, the exception for the first such element propagates,
/// and the contents of `out` are unspecified. Runs on the CPU executors and, in files that nvcc
/// compiles, on upsweep::gpu.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          detail::not_output Predicate>
std::size_t select(E const& on, In const& in, Out&& out, Predicate const& keep) {
  detail::expect_kept<Out>();
  if constexpr (detail::is_predicate<Predicate, std::ranges::range_reference_t<In const>>() &&
                detail::stores_elements<In, Out>()) {
    detail::expect_apart<true>("select", in, out);
    return detail::select_into("select", on, detail::marks_by(in, keep), std::ranges::size(in),
                               detail::values_to(in, out));
  }
  return 0;
}
template <elements In, detail::output_like Out, detail::not_output Predicate>
std::size_t select(In const& in, Out&& out, Predicate const& keep) {
  detail::expect_kept<Out>();
  return upsweep::select(detail::default_executor_t<In>{}, in, out, keep);
}

/// Copies the elements whose flag, at the same position, is true. Also throws precondition_error if
/// `flags` and `in` differ in size, or if `flags` and `out` overlap.
template <elements In, executor E = detail::default_executor_t<In>, elements Flags,
          detail::output_like Out>
std::size_t select(E const& on, In const& in, Flags const& flags, Out&& out) {
  detail::expect_kept<Out>();
  detail::as_is const flag;
  if constexpr (detail::is_predicate<detail::as_is,
                                     std::ranges::range_reference_t<Flags const>>() &&
                detail::stores_elements<In, Out>()) {
    std::size_t const n = std::ranges::size(in);
    if (n != std::ranges::size(flags)) detail::fail_inputs("select", n, std::ranges::size(flags));
    detail::expect_apart<true>("select", in, out);
    detail::expect_apart<false>("select", flags, out);
    return detail::select_into("select", on, detail::marks_by(flags, flag), n,
                               detail::values_to(in, out));
  }
  return 0;
}
template <elements In, elements Flags, detail::output_like Out>
std::size_t select(In const& in, Flags const& flags, Out&& out) {
  detail::expect_kept<Out>();
  return upsweep::select(detail::default_executor_t<In>{}, in, flags, out);
}

/// Stores the positions of the elements for which `keep` returns true in `out`, a range of
/// integers, in ascending order, and returns their number. Errors are those of select. Also throws
/// precondition_error if the last position does not fit the integers of `out`.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          detail::not_output Predicate>
std::size_t select_positions(E const& on, In const& in, Out&& out, Predicate const& keep) {
  detail::expect_kept<Out>();
  if constexpr (detail::is_predicate<Predicate, std::ranges::range_reference_t<In const>>() &&
                detail::stores_integers<Out>()) {
    detail::expect_apart<false>("select_positions", in, out);
    std::size_t const n = std::ranges::size(in);
    return detail::select_into("select_positions", on, detail::marks_by(in, keep), n,
                               detail::positions_to("select_positions", n, out));
  }
  return 0;
}
template <elements In, detail::output_like Out, detail::not_output Predicate>
std::size_t select_positions(In const& in, Out&& out, Predicate const& keep) {
  detail::expect_kept<Out>();
  return upsweep::select_positions(detail::default_executor_t<In>{}, in, out, keep);
}

/// Stores the positions of the flags that are true.
template <elements Flags, executor E = detail::default_executor_t<Flags>, detail::output_like Out>
std::size_t select_positions(E const& on, Flags const& flags, Out&& out) {
  detail::expect_kept<Out>();
  return upsweep::select_positions(on, flags, out, detail::as_is{});
}
template <elements Flags, detail::output_like Out>
std::size_t select_positions(Flags const& flags, Out&& out) {
  detail::expect_kept<Out>();
  return upsweep::select_positions(detail::default_executor_t<Flags>{}, flags, out);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> select(Args const&...) = delete;
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> select_positions(Args const&...) = delete;

/// Numbers of elements that satisfy the predicate of partition, and that do not.
struct partition_counts {
  std::size_t yes = 0, no = 0;
  friend bool operator==(partition_counts const&, partition_counts const&) = default;
};
/// Numbers of elements in each part of a three-way partition.
struct three_way_counts {
  std::size_t first = 0, second = 0, rest = 0;
  friend bool operator==(three_way_counts const&, three_way_counts const&) = default;
};

namespace detail {

/// Marks elements by 0 or 1, for the first of two predicates that they satisfy, others by 2. The
/// positions that the first leaves are listed without a branch, which would often be predicted
/// wrongly.
template <class It, class P, class Q>
struct marks_by_two {
  It first;
  P const& is_first;
  Q const& is_second;

  void operator()(std::size_t begin, std::size_t end, mark* to) const {
    constexpr std::size_t block = 256;
    for (; begin < end; begin += block, to += block) {
      std::size_t const n = at_most(end - begin, block);
      mark_each(begin, begin + n, to, [*this](std::size_t i) UPSWEEP_INLINED {
        return static_cast<mark>(
            static_cast<bool>(invoke_function(is_first, element_at(first, i))) ? 0 : 2);
      });
      std::uint8_t left[block];
      std::size_t count = 0;
      for (std::size_t j = 0; j < n; ++j) {
        left[count] = static_cast<std::uint8_t>(j);
        count += to[j] >> 1;
      }
      for (std::size_t k = 0; k < count; ++k)
        to[left[k]] = static_cast<mark>(
            2 - static_cast<bool>(invoke_function(is_second, element_at(first, begin + left[k]))));
    }
  }
};

}  // namespace detail

/// Stores the elements for which `test` returns true in `yes` and all others in `no`, both in input
/// order, and returns both numbers. `test` is called once for each element, from several threads,
/// in any order. The three ranges must not overlap; `yes` and `no` must have room for their
/// elements. Throws precondition_error otherwise; if an output is too small, it first stores what
/// fits, and the message has the required size. Runs on the executors of select.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Yes,
          detail::output_like No, detail::not_output Predicate>
partition_counts partition(E const& on, In const& in, Yes&& yes, No&& no, Predicate const& test) {
  detail::expect_kept<Yes, No>();
  using namespace detail;
  if constexpr (is_predicate<Predicate, std::ranges::range_reference_t<In const>>() &&
                stores_elements<In, Yes>() && stores_elements<In, No>()) {
    float_environment const ieee;
    expect_apart<false>("partition", in, yes);
    expect_apart<false>("partition", in, no);
    expect_apart<false>("partition", yes, no);
    auto const taken = select_on(on, marks_by(in, test), std::ranges::size(in), values_to(in, yes),
                                 values_to(in, no, 1));
    expect_room("partition", "the output for true", std::ranges::size(yes), taken.of[0]);
    expect_room("partition", "the output for false", std::ranges::size(no), taken.of[1]);
    return {taken.of[0], taken.of[1]};
  }
  return {};
}
template <elements In, detail::output_like Yes, detail::output_like No,
          detail::not_output Predicate>
partition_counts partition(In const& in, Yes&& yes, No&& no, Predicate const& test) {
  detail::expect_kept<Yes, No>();
  return upsweep::partition(detail::default_executor_t<In>{}, in, yes, no, test);
}

/// Divides the elements in three parts: those that `is_first` accepts, those that only `is_second`
/// accepts, and the rest. `is_second` is called for the elements that `is_first` rejects.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like First,
          detail::output_like Second, detail::output_like Rest, detail::not_output P,
          detail::not_output Q>
three_way_counts partition(E const& on, In const& in, First&& first, Second&& second, Rest&& rest,
                           P const& is_first, Q const& is_second) {
  detail::expect_kept<First, Second, Rest>();
  using namespace detail;
  using reference = std::ranges::range_reference_t<In const>;
  if constexpr (is_predicate<P, reference>() && is_predicate<Q, reference>() &&
                stores_elements<In, First>() && stores_elements<In, Second>() &&
                stores_elements<In, Rest>()) {
    float_environment const ieee;
    expect_apart<false>("partition", in, first);
    expect_apart<false>("partition", in, second);
    expect_apart<false>("partition", in, rest);
    expect_apart<false>("partition", first, second);
    expect_apart<false>("partition", first, rest);
    expect_apart<false>("partition", second, rest);
    marks_by_two<first_of_t<In>, P, Q> const marks{first_of(in), is_first, is_second};
    auto const taken = select_on(on, marks, std::ranges::size(in), values_to(in, first),
                                 values_to(in, second, 1), values_to(in, rest, 2));
    expect_room("partition", "the first output", std::ranges::size(first), taken.of[0]);
    expect_room("partition", "the second output", std::ranges::size(second), taken.of[1]);
    expect_room("partition", "the output of the rest", std::ranges::size(rest), taken.of[2]);
    return {taken.of[0], taken.of[1], taken.of[2]};
  }
  return {};
}
template <elements In, detail::output_like First, detail::output_like Second,
          detail::output_like Rest, detail::not_output P, detail::not_output Q>
three_way_counts partition(In const& in, First&& first, Second&& second, Rest&& rest,
                           P const& is_first, Q const& is_second) {
  detail::expect_kept<First, Second, Rest>();
  return upsweep::partition(detail::default_executor_t<In>{}, in, first, second, rest, is_first,
                            is_second);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> partition(Args const&...) = delete;

}  // namespace upsweep
