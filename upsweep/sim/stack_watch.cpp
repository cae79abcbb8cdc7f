/// The handler runs on a stack of its own, as there is none left.
#include <upsweep/sim/stack_watch.hpp>

#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/signal_chain.hpp>

namespace upsweep::sim {

namespace {

constexpr std::size_t handlers_stack = 64 * 1024;  // it makes a sentence and throws
thread_local void (*leave_overflown_stack)() = nullptr;
struct sigaction overflow_handler_before{};

void handle_overflow(int signal, siginfo_t* about, void* context) {
  if (here.by != nullptr && !here.busy && !here.failing && running.lane != nullptr &&
      fiber_pool::guards(*running_lane().on, about->si_addr))
    leave_overflown_stack();
  hand_on(overflow_handler_before, signal, about, context);
}

void install_handler() {
  static bool const once = [] {
    struct sigaction action{};
    action.sa_sigaction = handle_overflow;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // the handler may not return
    return sigaction(SIGSEGV, &action, &overflow_handler_before) == 0;
  }();
  static_cast<void>(once);
}

}  // namespace

stack_watch::stack_watch(void (*leave)())
    : memory_(std::make_unique_for_overwrite<std::byte[]>(handlers_stack)) {
  leave_overflown_stack = leave;
  install_handler();
  stack_t const mine{memory_.get(), 0, handlers_stack};
  sigaltstack(&mine, &before_);
}

stack_watch::~stack_watch() {
  sigaltstack(&before_, nullptr);
}

}  // namespace upsweep::sim
