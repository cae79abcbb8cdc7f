/// The executors of the CPU on which the contract's suites run, and small inputs that several
/// threads work on.
#pragma once

#include <upsweep/host/executor.hpp>
#include <upsweep/host/threads.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace upsweep::test {

/// What the suites need of a backend: how to make its executor, and its name.
struct on_serial {
  static serial make() { return {}; }
  static std::string name() { return "serial"; }
};

/// The executor of the on_cpu whose test runs.
struct on_any_cpu {
  static inline int threads = 0;
  static cpu make() { return {.threads = threads}; }
};

template <int Threads>
struct on_cpu {
  using compiled_as = on_any_cpu;
  static void use() { on_any_cpu::threads = Threads; }
  static cpu make() { return {.threads = Threads}; }
  static std::string name() { return "cpu_" + std::to_string(Threads); }
};

#ifdef UPSWEEP_FULL_TESTS
using host_backends = testing::Types<on_serial, on_cpu<1>, on_cpu<2>, on_cpu<3>, on_cpu<7>>;
using cpu_backends = host_backends;
#else
/// Two threads divide an array as three do, at fewer positions.
using host_backends = testing::Types<on_serial, on_cpu<1>, on_cpu<3>, on_cpu<7>>;
/// For suites that compile for ten seconds and more: `serial` only calls `cpu` with one thread. Its
/// own loops are run by `axis`, `segments`, `weighted_histogram` and the small suites.
using cpu_backends = testing::Types<on_cpu<1>, on_cpu<3>, on_cpu<7>>;
#endif

struct backend_name {
  template <class Backend>
  static std::string GetName(int) {
    return Backend::name();
  }
};

/// While it lives, inputs of any size start threads.
struct every_call_starts_threads {
  every_call_starts_threads() { host::threads::largest_cutoff = 1; }
  ~every_call_starts_threads() { host::threads::largest_cutoff = ~std::size_t{0}; }
};

}  // namespace upsweep::test
