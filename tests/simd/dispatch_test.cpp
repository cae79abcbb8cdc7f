/// The selection of a SIMD target, also when a test forces one.
#include <upsweep/core/errors.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/kernels.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace upsweep::host::simd {

TEST(dispatch, uses_the_fastest_of_its_targets) {
  ASSERT_FALSE(targets().empty());
  EXPECT_EQ(target(), targets().front());
}

TEST(dispatch, uses_the_target_that_a_test_forces_and_afterwards_the_fastest_again) {
  auto const all = targets();
  std::vector<float> const x(1000, 1.0f);
  for (std::string const& name : all) {
    {
      forced_target const forced(name);
      EXPECT_EQ(target(), name);
      EXPECT_EQ(reduce<plus>(x.data(), x.size(), mode::reproducible), 1000.0f);
    }
    EXPECT_EQ(target(), all.front());
    EXPECT_EQ(targets(), all);
  }
}

TEST(dispatch, says_which_targets_there_are_when_asked_for_another) {
  try {
    forced_target const forced("AVX1024");
    FAIL() << "accepted a target that does not exist";
  } catch (precondition_error const& e) {
    EXPECT_NE(std::string(e.what()).find("no SIMD target \"AVX1024\""), std::string::npos)
        << e.what();
    EXPECT_NE(std::string(e.what()).find(targets().front()), std::string::npos) << e.what();
  }
  EXPECT_EQ(target(), targets().front());
}

}  // namespace upsweep::host::simd
