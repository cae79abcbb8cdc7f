/// Faults on demand: the k-th copy, move or allocation from now on fails, on whatever thread it
/// happens; and calls of which each fault point fails in turn.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace upsweep::test {

/// How many fault points may still be passed; negative when none is to fail.
inline std::atomic<std::ptrdiff_t> faults_in{-1};
/// Whether a fault has happened since arm().
inline std::atomic<bool> fault_happened{false};

inline void arm(std::ptrdiff_t k) {
  fault_happened = false;
  faults_in = k;
}
inline void disarm() {
  faults_in = -1;
}

/// True at the k-th call after arm(k), counted from 0, and false at all others.
inline bool is_fault_point() {
  if (faults_in.load(std::memory_order_relaxed) < 0) return false;
  bool const fails = faults_in.fetch_sub(1) == 0;
  if (fails) fault_happened = true;
  return fails;
}

struct copy_failed : std::runtime_error {
  copy_failed() : std::runtime_error("a copy failed on demand") {}
};

/// How many objects of the types below exist, and how many were destroyed without having been
/// constructed, or twice.
inline std::atomic<std::ptrdiff_t> objects_now{0};
inline std::atomic<std::ptrdiff_t> wrong_destructions{0};

/// Knows whether it is alive: the destructor counts a destruction of an object that is not.
class watched {
 public:
  watched() : self_(this) { ++objects_now; }
  watched(watched const&) : watched() {}
  watched& operator=(watched const&) { return *this; }
  ~watched() {
    if (self_ != this) ++wrong_destructions;
    self_ = nullptr;
    --objects_now;
  }

 private:
  watched const* volatile self_;  // volatile: the last store must stay
};

/// Every copy, move and assignment may fail.
struct fragile : watched {
  explicit fragile(std::uint64_t v) : value(v) {}
  fragile(fragile const& other) : watched((check(), other)), value(other.value) {}
  fragile(fragile&& other)
      : watched((check(), other)), value(other.value) {}  // NOLINT: it throws on purpose
  fragile& operator=(fragile const& other) {
    check();
    value = other.value;
    return *this;
  }
  static void check() {
    if (is_fault_point()) throw copy_failed();
  }
  [[nodiscard]] std::uint64_t number() const { return value; }
  std::uint64_t value;
};

/// The same without assignment.
struct fragile_constant : watched {
  explicit fragile_constant(std::uint64_t v) : value(v) {}
  fragile_constant(fragile_constant const& other)
      : watched((fragile::check(), other)), value(other.value) {}
  [[nodiscard]] std::uint64_t number() const { return value; }
  std::uint64_t const value;
};

/// Moves never fail, but copies allocate, twice.
struct two_strings : watched {
  explicit two_strings(std::uint64_t v) : first(std::to_string(v) + padding), second(first) {}
  [[nodiscard]] std::uint64_t number() const { return std::stoull(first); }
  static constexpr char padding[] = " is too long for the place that a string has in itself";
  std::string first, second;
};

/// Too large for the stack.
struct large : fragile {
  explicit large(std::uint64_t v) : fragile(v) {}
  std::byte more[1000] = {};
};

/// Elements are numbers; A combines them, neither commutatively nor associatively, so that the tree
/// shows.
template <class A>
struct combine_as {
  template <class>
  using accumulator = A;
  static std::uint64_t mix(std::uint64_t earlier, std::uint64_t later) {
    return (earlier * 3 + (later ^ earlier >> 7)) % 1000003;
  }
  A lift(std::uint64_t x) const { return A(x); }
  A lift(A const& x) const { return x; }
  A operator()(A const& earlier, A const& later) const {
    return A(mix(earlier.number(), later.number()));
  }
  std::uint64_t finish(A const& a) const { return a.number(); }
  A identity() const { return A(0); }
};

/// Exactly associative, so scans use a running value.
template <class A>
struct largest_as : combine_as<A> {
  static constexpr bool exact = true;
  static constexpr bool commutative = true;
  A operator()(A const& earlier, A const& later) const {
    return A(std::max(earlier.number(), later.number()));
  }
};

/// One verb in one form: `run` calls it, `is_right` says whether its results are those of the tree.
struct fallible_call {
  std::string name;
  std::function<void()> run;
  std::function<bool()> is_right;
};

/// Runs `call` with a failure at its first fault point, then at its second, and so on for all.
inline testing::AssertionResult survives_every_fault(fallible_call const& call) {
  for (std::ptrdiff_t k = 0;; ++k) {
    std::ptrdiff_t const before = objects_now;
    std::string thrown;
    arm(k);
    try {
      call.run();
    } catch (copy_failed const&) {
      thrown = "copy_failed";
    } catch (std::bad_alloc const&) {
      thrown = "bad_alloc";
    }
    bool const happened = fault_happened;
    disarm();
    auto const where = call.name + " with fault " + std::to_string(k);
    if (wrong_destructions != 0)
      return testing::AssertionFailure() << where << " destroys what is not there";
    if (objects_now != before)
      return testing::AssertionFailure()
             << where << " leaves " << objects_now - before << " objects";
    if (thrown.empty() && !call.is_right())
      return testing::AssertionFailure() << where << " gives a wrong result";
    if (!thrown.empty() && !happened)
      return testing::AssertionFailure() << where << " throws " << thrown << " by itself";
    if (!thrown.empty()) call.run();
    if (!call.is_right())
      return testing::AssertionFailure() << "the call after " << where << " gives a wrong result";
    if (!happened) return testing::AssertionSuccess();
  }
}

}  // namespace upsweep::test
