/// A signal that is not the emulator's goes to the handler that was there before.
#pragma once

#include <csignal>

namespace upsweep::sim {

inline void hand_on(struct sigaction const& before, int signal, siginfo_t* about, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, about, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return before.sa_handler(signal);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace upsweep::sim
