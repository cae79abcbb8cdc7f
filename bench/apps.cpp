/// The applications beside what a user would pick instead, on one thread and on all: prints
/// docs/generated/performance_apps.md.
#include <bench/apps_rows.hpp>

#include <cstdio>
#include <thread>

int main() {
  std::printf("# The applications, on a CPU\n\n");
  std::printf("Printed by `apps_bench` (bench/apps.cpp): medians of repeated calls, on\n");
  std::printf("%s with %u threads. The calls under \"instead\" use one thread.\n",
              upsweep::bench::processor().c_str(), std::thread::hardware_concurrency());
  std::printf("One thread is timed in CPU time, all threads in elapsed time.\n");
  upsweep::bench::text_rows();
  upsweep::bench::numeric_rows();
  upsweep::bench::structure_rows();
  return 0;
}
