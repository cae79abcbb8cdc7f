/// Ends kernels whose threads need more stack than they have.
#pragma once

#ifndef __wasm__
#include <csignal>
#endif
#include <cstddef>
#include <memory>

namespace upsweep::sim {

/// While an object of this class exists, an access below the running lane's stack ends the launch.
/// The handler of its signal, SIGSEGV, stays installed and hands on to the one before it. Without
/// signals an overflow is noticed when its thread returns.
class stack_watch {
 public:
  /// `leave` is called for such a lane; it does not return.
  explicit stack_watch(void (*leave)());
  ~stack_watch();
  stack_watch(stack_watch const&) = delete;
  stack_watch& operator=(stack_watch const&) = delete;

 private:
#ifndef __wasm__
  std::unique_ptr<std::byte[]> memory_;
  stack_t before_{};
#endif
};

}  // namespace upsweep::sim
