/// Runs the tests of modules of emulated kernels. Tests and kernels are compiled together; the
/// emulator and GoogleTest are in this program.
#include <upsweep/sim/modules/module.hpp>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  for (char const* const tests : {UPSWEEP_TESTS}) upsweep::sim::module const loaded(tests);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
