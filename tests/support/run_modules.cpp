/// Runs the tests of modules of emulated kernels. Tests and kernels are compiled together; the
/// emulator and GoogleTest are in this program.
#include <upsweep/sim/modules/module.hpp>

#include <gtest/gtest.h>

/// Their files, in the source that upsweep_runs_modules() of tests/CMakeLists.txt writes.
extern char const* const modules_of_tests[];

int main(int argc, char** argv) {
  for (char const* const* file = modules_of_tests; *file; ++file)
    upsweep::sim::module const loaded(*file);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
