/// The suites' main: without a GPU it says so and exits with 5, which ctest counts as skipped.
#include <cuda_runtime_api.h>

#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int devices = 0;
  bool const found = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  if (found || GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  std::puts("there is no GPU here: nothing was tested");
  return 5;
}
