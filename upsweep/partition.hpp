/// partition: divides the elements of a range among two or three outputs by predicates.
#pragma once

#include <upsweep/generic/select.hpp>
#include <upsweep/select.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep {

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
/// places that the first leaves are listed without a branch, which would often be predicted
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
