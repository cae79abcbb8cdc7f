/// Calls of which each fault point fails in turn.
#pragma once

#include <support/faults.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <new>
#include <string>

namespace upsweep::test {

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
