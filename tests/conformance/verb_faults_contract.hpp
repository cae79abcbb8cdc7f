/// Contract 8 for the verbs on scan: each copy, move, assignment and allocation, and each call of a
/// predicate, an order, an equality or an operator, fails in turn, on one thread and on several.
#pragma once

#include <conformance/backends.hpp>
#include <support/faults.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/padding.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {

inline std::uint64_t number_of(std::uint64_t x) {
  return x;
}
inline std::uint64_t number_of(fragile const& x) {
  return x.number();
}

/// Calls of the verbs on scan over n elements of type T, whose functions are fault points.
template <class E, class T>
class fallible_verbs {
 public:
  fallible_verbs(E const& on, std::size_t n)
      : on_(on), a_(n, T(0)), b_(a_), c_(a_), sums_(n), places_(n), lengths_(n) {
    for (std::size_t i = 0; i < n; ++i) {
      in_.emplace_back(i / 2 * 7919 % 13);
      flags_.push_back(i % 3 == 1);
      numbers_.push_back(static_cast<double>(i % 4));
    }
    offsets_ = {0, n / 3, n / 3, n};
  }

  std::vector<fallible_call> all() {
    auto calls = selections();
    for (auto more : {scans(), sorts(), streams()})
      calls.insert(calls.end(), more.begin(), more.end());
    return calls;
  }

 private:
  static constexpr auto first = [](T const& x) {
    fragile::check();
    return number_of(x) % 3 == 0;
  };
  static constexpr auto second = [](T const& x) {
    fragile::check();
    return number_of(x) % 3 == 1;
  };
  static constexpr auto equal = [](T const& x, T const& y) {
    fragile::check();
    return number_of(x) == number_of(y);
  };
  static constexpr auto less = [](T const& x, T const& y) {
    fragile::check();
    return number_of(x) < number_of(y);
  };
  using combine = combine_as<fragile>;

  std::vector<fallible_call> selections() {
    return {
        call("select", [this] { count_ = upsweep::select(on_, in_, a_, first); }),
        call("select by flags", [this] { count_ = upsweep::select(on_, in_, flags_, a_); }),
        call("select in place", [this] { a_ = in_, count_ = upsweep::select(on_, a_, a_, first); }),
        call("select_positions", [this] { upsweep::select_positions(on_, in_, places_, first); }),
        call("partition", [this] { upsweep::partition(on_, in_, a_, b_, first); }),
        call("partition in three parts",
             [this] { upsweep::partition(on_, in_, a_, b_, c_, first, second); }),
        call("unique", [this] { count_ = upsweep::unique(on_, in_, a_, equal); }),
        call("run_starts", [this] { count_ = upsweep::run_starts(on_, in_, places_, equal); }),
        call("runs", [this] { count_ = upsweep::runs(on_, in_, a_, lengths_, equal); }),
    };
  }
  std::vector<fallible_call> scans() {
    std::size_t const n = in_.size();
    return {
        call("reduce_runs",
             [this] { count_ = upsweep::reduce_runs(on_, in_, in_, a_, sums_, combine{}, equal); }),
        call("inclusive_scan_runs",
             [this] { upsweep::inclusive_scan_runs(on_, in_, in_, sums_, combine{}, equal); }),
        call("exclusive_scan_runs",
             [this] { upsweep::exclusive_scan_runs(on_, in_, in_, sums_, combine{}, equal); }),
        call("reduce_segments",
             [this] {
               upsweep::reduce_segments(on_, in_, offsets_, std::span(sums_).first(3), combine{});
             }),
        call("inclusive_scan_segments",
             [this] { upsweep::inclusive_scan_segments(on_, in_, offsets_, sums_, combine{}); }),
        call("exclusive_scan_segments",
             [this] { upsweep::exclusive_scan_segments(on_, in_, offsets_, sums_, combine{}); }),
        call("windowed",
             [this, n] {
               upsweep::windowed(on_, in_, 3, std::span(sums_).first(n - 2), combine{});
             }),
        call("histogram",
             [this] {
               upsweep::histogram(on_, numbers_, std::span(lengths_).first(3), even{0, 3});
             }),
        call("weighted_histogram",
             [this] {
               upsweep::weighted_histogram(on_, numbers_, in_, std::span(sums_).first(3),
                                           even{0, 3}, combine{});
             }),
        call("count_indices", [this] { upsweep::count_indices(on_, offsets_, wide_counts_); }),
    };
  }
  std::vector<fallible_call> sorts() {
    std::size_t const n = in_.size(), rows = n % 7 == 0 ? 7 : 1, padded = n / rows;
    return {
        call("sort", [this] { a_ = in_, upsweep::sort(on_, a_, less); }),
        call("sort_by_key", [this] { a_ = in_, upsweep::sort_by_key(on_, a_, places_, less); }),
        call("argsort", [this] { upsweep::argsort(on_, in_, places_, less); }),
        call("top", [this] { count_ = upsweep::top(on_, in_, std::span(a_).first(3), less); }),
        call("sort of numbers", [this] { upsweep::sort(on_, numbers_); }),
        call("argsort of numbers", [this] { upsweep::argsort(on_, numbers_, places_); }),
        call("quantile",
             [this] {
               count_ = static_cast<std::size_t>(100 * upsweep::quantile(on_, numbers_, 0.4));
             }),
        call("pad",
             [=, this] { a_ = in_, upsweep::pad(on_, a_, rows, padded - 1, padded, in_[0]); }),
        call("unpad",
             [=, this] {
               a_ = in_, upsweep::unpad(on_, a_, rows, padded - 1, padded);
               std::fill(a_.end() - static_cast<std::ptrdiff_t>(rows), a_.end(), in_[0]);
             }),
    };
  }
  std::vector<fallible_call> streams() {
    using Same = std::remove_const_t<decltype(equal)>;
    return {
        call("unique_stream",
             [this] {
               unique_stream<T, Same, E> stream(on_, equal);
               count_ = 0;
               for (auto const chunk : chunks())
                 count_ += stream.push(chunk, std::span(a_).subspan(count_));
             }),
        call("run_stream",
             [this] {
               run_stream<T, Same, E> stream(on_, equal);
               count_ = 0;
               for (auto const chunk : chunks())
                 count_ += stream.push(chunk, std::span(a_).subspan(count_),
                                       std::span(lengths_).subspan(count_));
               if (auto const last = stream.finish()) lengths_[count_] = last->second;
             }),
        call("reduce_runs_stream",
             [this] {
               reduce_runs_stream<T, T, combine, Same, E> stream(on_, {}, equal);
               count_ = 0;
               for (auto const chunk : chunks())
                 count_ += stream.push(chunk, chunk, std::span(a_).subspan(count_),
                                       std::span(sums_).subspan(count_));
               if (auto const last = stream.finish()) sums_[count_] = last->second;
             }),
        call("scan_runs_stream",
             [this] {
               scan_runs_stream<T, T, combine, Same, E> stream(on_, {}, equal);
               std::size_t at = 0;
               for (auto const chunk : chunks()) {
                 stream.inclusive(chunk, chunk, std::span(sums_).subspan(at, chunk.size()));
                 at += chunk.size();
               }
             }),
    };
  }

  /// The call with the results that it has without a fault.
  fallible_call call(char const* name, std::function<void()> const& run) {
    auto const run_anew = [this, run] { clear(), run(); };
    run_anew();
    return {name, run_anew, [this, expected = results()] { return results() == expected; }};
  }
  [[nodiscard]] std::vector<std::uint64_t> results() const {
    std::vector<std::uint64_t> all{count_};
    for (auto const* part : {&a_, &b_, &c_})
      for (T const& x : *part) all.push_back(number_of(x));
    for (auto const* part : {&sums_, &places_, &lengths_, &wide_counts_})
      all.insert(all.end(), part->begin(), part->end());
    for (double const x : numbers_) all.push_back(static_cast<std::uint64_t>(x));
    return all;
  }
  void clear() {
    count_ = 0;
    for (auto* part : {&a_, &b_, &c_}) std::fill(part->begin(), part->end(), T(0));
    for (auto* part : {&sums_, &places_, &lengths_, &wide_counts_})
      std::fill(part->begin(), part->end(), 0);
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = static_cast<double>(i % 4);
  }
  std::vector<std::span<T const>> chunks() const {
    std::span<T const> const all(in_);
    return {all.first(2), all.subspan(2, all.size() - 3), all.last(1)};
  }

  E on_;
  std::vector<T> in_, a_, b_, c_;
  std::vector<bool> flags_;
  std::vector<double> numbers_;
  std::vector<std::uint64_t> sums_, places_, lengths_,
      wide_counts_ = std::vector<std::uint64_t>(50);
  std::vector<std::size_t> offsets_;
  std::size_t count_ = 0;
};

template <class Backend>
class verb_faults_contract : public testing::Test {
 protected:
  template <class T>
  void survive() {
    every_call_starts_threads const now;
    for (std::size_t const n : {5u, 21u}) {
      fallible_verbs<decltype(Backend::make()), T> verbs(Backend::make(), n);
      for (auto const& call : verbs.all())
        EXPECT_TRUE(survives_every_fault(call)) << n << " elements";
    }
  }
};
TYPED_TEST_SUITE_P(verb_faults_contract);

TYPED_TEST_P(verb_faults_contract, functions_and_allocations_that_fail) {
  this->template survive<std::uint64_t>();
}
TYPED_TEST_P(verb_faults_contract, elements_whose_copies_and_moves_throw) {
  this->template survive<fragile>();
}

REGISTER_TYPED_TEST_SUITE_P(verb_faults_contract, functions_and_allocations_that_fail,
                            elements_whose_copies_and_moves_throw);

}  // namespace upsweep::test
