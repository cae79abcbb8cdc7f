/// Ends kernels whose threads need more stack than they have.
#pragma once

#include <csignal>
#include <cstddef>
#include <memory>

namespace upsweep::sim {

/// While an object of this class exists, an access below the running lane's stack ends the launch.
/// The handler of its signal, SIGSEGV, stays installed and hands on to the one before it.
class stack_watch {
 public:
  /// `leave` is called for such a lane; it does not return.
  explicit stack_watch(void (*leave)());
  ~stack_watch();
  stack_watch(stack_watch const&) = delete;
  stack_watch& operator=(stack_watch const&) = delete;

 private:
  std::unique_ptr<std::byte[]> memory_;
  stack_t before_{};
};

}  // namespace upsweep::sim
