/// Contract 8 for what may fail besides the operator: each copy, move, assignment and allocation of
/// each verb fails in turn, on one thread and on several. The call then gives the right result or
/// throws that exception; nothing is destroyed twice or leaked, and the next call works.
#pragma once

#include <conformance/backends.hpp>
#include <conformance/checks.hpp>
#include <support/faults.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::test {

/// The calls that are tested on one executor: all verbs over n numbers, with operator Op.
template <class E, class T, class Op>
class fallible_calls {
 public:
  fallible_calls(E const& on, std::size_t n) : on_(on), out_(n) {
    std::vector<std::uint64_t> numbers(n);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = i * 7919 % 1009;
    in_.reserve(n);
    for (std::uint64_t const x : numbers) in_.emplace_back(x);
    forwards_ = tree_prefixes(numbers, plain);
    backwards_ = tree_prefixes(std::vector<std::uint64_t>(numbers.rbegin(), numbers.rend()), plain);
    std::reverse(backwards_.begin(), backwards_.end());
    for (std::uint64_t const p : forwards_) with_initial_.push_back(plain(first, p));
    exclusive_.assign(1, 0);
    exclusive_.insert(exclusive_.end(), forwards_.begin(), forwards_.end() - 1);
  }

  std::vector<fallible_call> all() {
    using A = accumulator_t<Op, T>;
    auto const same = [this](std::vector<std::uint64_t> const& expected) {
      return [&] { return out_ == expected; };
    };
    auto const total = [this](std::uint64_t expected) {
      return [this, expected] { return total_ == expected; };
    };
    auto const forget = [this] { std::fill(out_.begin(), out_.end(), 0); };
    return {
        {"reduce", [this] { total_ = upsweep::reduce(on_, in_, op_); }, total(forwards_.back())},
        {"reduce with initial",
         [this] { total_ = upsweep::reduce(on_, in_, op_, options<A>{.initial = A(first)}); },
         total(with_initial_.back())},
        {"transform_reduce",
         [this] {
           total_ = upsweep::transform_reduce(on_, in_, [](T const& x) { return x; }, op_,
                                              {.reverse = true});
         },
         total(backwards_.front())},
        {"inclusive_scan", [=, this] { forget(), upsweep::inclusive_scan(on_, in_, out_, op_); },
         same(forwards_)},
        {"exclusive_scan", [=, this] { forget(), upsweep::exclusive_scan(on_, in_, out_, op_); },
         same(exclusive_)},
        {"inclusive_scan with initial",
         [=, this] {
           forget(), upsweep::inclusive_scan(on_, in_, out_, op_, options<A>{.initial = A(first)});
         },
         same(with_initial_)},
        {"reversed inclusive_scan",
         [=, this] { forget(), upsweep::inclusive_scan(on_, in_, out_, op_, {.reverse = true}); },
         same(backwards_)},
        {"reduce_stream",
         [this] {
           reduce_stream<T, Op, E> stream(on_, op_);
           for (std::span<T const> const chunk : chunks()) stream.push(chunk);
           total_ = stream.result();
         },
         total(forwards_.back())},
        {"scan_stream",
         [=, this] {
           forget();
           scan_stream<T, Op, E> stream(on_, op_);
           for (std::span<T const> const chunk : chunks())
             stream.inclusive(chunk, std::span(out_).subspan(stream.size(), chunk.size()));
         },
         same(forwards_)},
    };
  }

 private:
  static std::uint64_t plain(std::uint64_t earlier, std::uint64_t later) {
    if constexpr (is_exact<Op, accumulator_t<Op, T>>)
      return std::max(earlier, later);
    else
      return Op::mix(earlier, later);
  }
  std::vector<std::span<T const>> chunks() const {
    std::span<T const> const all(in_);
    return {all.first(2), all.subspan(2, all.size() - 3), all.last(1)};
  }
  static constexpr std::uint64_t first = 17;

  E on_;
  Op op_;
  std::vector<T> in_;
  std::vector<std::uint64_t> out_, forwards_, backwards_, with_initial_, exclusive_;
  std::uint64_t total_ = 0;
};

template <class Backend>
class faults_contract : public testing::Test {
 protected:
  template <class T, class Op>
  void survive() {
    every_call_starts_threads const now;
    for (std::size_t const n : {5u, 21u}) {
      fallible_calls<decltype(Backend::make()), T, Op> calls(Backend::make(), n);
      for (auto const& call : calls.all())
        ASSERT_TRUE(survives_every_fault(call)) << n << " elements";
    }
  }
};
TYPED_TEST_SUITE_P(faults_contract);

TYPED_TEST_P(faults_contract, accumulators_whose_copies_and_moves_throw) {
  this->template survive<std::uint64_t, combine_as<fragile>>();
}
TYPED_TEST_P(faults_contract, accumulators_that_throw_and_cannot_be_assigned) {
  this->template survive<std::uint64_t, combine_as<fragile_constant>>();
}
TYPED_TEST_P(faults_contract, accumulators_whose_copies_allocate) {
  this->template survive<std::uint64_t, combine_as<two_strings>>();
}
TYPED_TEST_P(faults_contract, large_accumulators) {
  this->template survive<std::uint64_t, combine_as<large>>();
}
TYPED_TEST_P(faults_contract, exact_operators) {
  this->template survive<std::uint64_t, largest_as<fragile>>();
}
TYPED_TEST_P(faults_contract, exact_operators_over_what_cannot_be_assigned) {
  this->template survive<std::uint64_t, largest_as<fragile_constant>>();
}
TYPED_TEST_P(faults_contract, elements_that_throw_themselves) {
  this->template survive<fragile, combine_as<fragile>>();
}

REGISTER_TYPED_TEST_SUITE_P(faults_contract, accumulators_whose_copies_and_moves_throw,
                            accumulators_that_throw_and_cannot_be_assigned,
                            accumulators_whose_copies_allocate, large_accumulators, exact_operators,
                            exact_operators_over_what_cannot_be_assigned,
                            elements_that_throw_themselves);

}  // namespace upsweep::test
