/// Signals of a timer, of the end of a stack and of instructions that trap.
#include <upsweep/sim/watches.hpp>

#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/access.hpp>
#include <upsweep/sim/fiber.hpp>
#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/runner.hpp>
#include <upsweep/sim/sentences.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <utility>

#if defined(__x86_64__)
#include <ucontext.h>
#endif

namespace upsweep::sim {

namespace {

/// Handlers may not return.
bool install(int signal, void (*handler)(int, siginfo_t*, void*), int flags,
             struct sigaction* before) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | flags;
  return sigaction(signal, &action, before) == 0;
}

/// A signal that is not the emulator's goes to the handler that was there before.
void hand_on(struct sigaction const& before, int signal, siginfo_t* about, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, about, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return before.sa_handler(signal);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// A timer on the thread's own CPU time, so that a loaded machine causes no false alarm.

constexpr long period = 100'000'000;  // nanoseconds
thread_local lane_view* suspect = nullptr;
thread_local std::uint64_t* suspects_log = nullptr;
thread_local bool is_asked = false;
thread_local int kept_countdowns[countdown_count];
thread_local void (*leave_empty_loop)() = nullptr;

/// Requests a sign of life: the log looks full, so the next basic block of the running lane calls
/// scheduler::out_of_log, which reports it by loop_watch::seen and continues. A lane that takes
/// over instead has a log with room.
void ask() {
  context& c = running;
  suspects_log = c.control_limit = c.control;
  if (!is_asked) std::ranges::copy(countdowns, kept_countdowns);
  std::ranges::fill(countdowns, 0);
  is_asked = true;
}

/// Whether the running lane has its stack already: a turn begins on the stack of the one before.
bool is_on_its_stack() {
  fiber const* const f = running_lane().on;
  auto const* const frame = static_cast<std::byte const*>(__builtin_frame_address(0));
  return f != nullptr && f->stack <= frame && frame < f->stack + f->stack_bytes;
}

/// With short turns each turn ends with a sign of life, and a request would change the order of
/// turns.
void look(int, siginfo_t*, void*) {
  context const& c = running;
  if (here.by == nullptr || here.busy || here.failing || c.lane == nullptr || !is_on_its_stack()) {
    suspect = nullptr;
  } else if (c.lane == suspect &&
             (here.interrupts || (c.control == suspects_log && c.control_limit == suspects_log))) {
    leave_empty_loop();
  } else {
    suspect = c.lane;
    if (!here.interrupts) ask();
  }
}

}  // namespace

loop_watch::loop_watch(void (*leave)()) {
  leave_empty_loop = leave;
  suspect = nullptr;
  is_asked = false;
  [[maybe_unused]] static bool const once = install(SIGRTMIN + 7, look, SA_RESTART, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGRTMIN + 7;
  event._sigev_un._tid = gettid();
  itimerspec const every{{0, period}, {0, period}};
  runs_ = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0 &&
          timer_settime(timer_, 0, &every, nullptr) == 0;
}

loop_watch::~loop_watch() {
  if (runs_) timer_delete(timer_);
}

bool loop_watch::seen() {
  suspect = nullptr;
  if (is_asked) std::ranges::copy(kept_countdowns, countdowns);
  return std::exchange(is_asked, false);
}

// The handler runs on a stack of its own, as there is none left.

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

}  // namespace

stack_watch::stack_watch(void (*leave)())
    : memory_(std::make_unique_for_overwrite<std::byte[]>(handlers_stack)) {
  leave_overflown_stack = leave;
  [[maybe_unused]] static bool const once =
      install(SIGSEGV, handle_overflow, SA_ONSTACK, &overflow_handler_before);
  stack_t const mine{memory_.get(), 0, handlers_stack};
  sigaltstack(&mine, &before_);
}

stack_watch::~stack_watch() {
  sigaltstack(&before_, nullptr);
}

// Decodes the instruction that has trapped. After a division its registers get a result, and the
// kernel goes on.

#if defined(__x86_64__)

namespace {

struct sigaction division_handler_before{}, index_handler_before{};

/// DIV or IDIV: [66] [REX] F6 or F7, a ModR/M byte, perhaps a SIB byte and a displacement.
struct division {
  unsigned bytes = 0;  ///< of the operands; 0: another instruction
  bool is_signed = false;
  std::uint64_t divisor = 0;
  std::uint64_t length = 0;
};

std::uint64_t register_of(ucontext_t const& c, unsigned number) {
  static constexpr int names[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15};
  return static_cast<std::uint64_t>(c.uc_mcontext.gregs[names[number]]);
}

template <class T>
std::uint64_t number_at(unsigned char const* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

/// The address of a memory operand; `p` is after the ModR/M byte, and then after the operand.
std::uint64_t address_of(ucontext_t const& c, unsigned modrm, unsigned rex,
                         unsigned char const*& p) {
  unsigned const mod = modrm >> 6;
  unsigned base = modrm & 7;
  std::uint64_t address = 0;
  bool const is_relative = mod == 0 && base == 5;
  bool has_base = !is_relative;
  if (base == 4) {
    unsigned const sib = *p++, index = (sib >> 3 & 7) | (rex & 2) << 2;
    base = sib & 7;
    has_base = !(mod == 0 && base == 5);
    if (index != 4) address += register_of(c, index) << (sib >> 6);
  }
  if (has_base) address += register_of(c, base | (rex & 1) << 3);
  if (mod == 1) {
    address += number_at<std::int8_t>(p);
    p += 1;
  } else if (mod == 2 || !has_base) {
    address += number_at<std::int32_t>(p);
    p += 4;
  }
  return is_relative ? address + reinterpret_cast<std::uint64_t>(p) : address;
}

division decoded(ucontext_t const& c) {
  auto const* const begin = reinterpret_cast<unsigned char const*>(c.uc_mcontext.gregs[REG_RIP]);
  auto const* p = begin;
  division d;
  bool const is_short = *p == 0x66;
  p += is_short ? 1 : 0;
  unsigned const rex = (*p & 0xf0) == 0x40 ? *p++ : 0;
  unsigned const code = *p++;
  unsigned const modrm = *p++;
  if ((code != 0xf6 && code != 0xf7) || (modrm >> 3 & 7) < 6) return d;
  d.bytes = code == 0xf6 ? 1 : (rex & 8) != 0 ? 8 : is_short ? 2 : 4;
  d.is_signed = (modrm >> 3 & 7) == 7;
  bool const is_high = d.bytes == 1 && rex == 0 && (modrm & 7) >= 4;  // AH, CH, DH, BH
  if (modrm >> 6 == 3)
    d.divisor = is_high ? register_of(c, (modrm & 7) - 4) >> 8
                        : register_of(c, (modrm & 7) | (rex & 1) << 3);
  else
    std::memcpy(&d.divisor, reinterpret_cast<void const*>(address_of(c, modrm, rex, p)), d.bytes);
  if (d.bytes < 8) d.divisor &= (std::uint64_t{1} << 8 * d.bytes) - 1;
  d.length = static_cast<std::uint64_t>(p - begin);
  return d;
}

/// The low `bytes` bytes of a register become `value`.
void set(ucontext_t& c, int name, unsigned bytes, std::uint64_t value) {
  auto const old = static_cast<std::uint64_t>(c.uc_mcontext.gregs[name]);
  std::uint64_t const mask = bytes >= 4 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
  std::uint64_t const part = bytes == 4 ? value & 0xffffffff : value & mask;
  c.uc_mcontext.gregs[name] = static_cast<greg_t>((old & ~mask) | part);
}

/// A quotient too large can only be that of the smallest number by -1, since compilers extend the
/// dividend.
void go_on_after(ucontext_t& c, division const& d) {
  auto const dividend = static_cast<std::uint64_t>(c.uc_mcontext.gregs[REG_RAX]);
  bool const by_zero = d.divisor == 0;
  std::uint64_t const quotient = by_zero ? ~std::uint64_t{0} : dividend;
  std::uint64_t const rest = by_zero ? dividend : 0;
  if (d.bytes == 1) {
    set(c, REG_RAX, 2, (quotient & 0xff) | (rest & 0xff) << 8);
  } else {
    set(c, REG_RAX, d.bytes, quotient);
    set(c, REG_RDX, d.bytes, rest);
  }
  c.uc_mcontext.gregs[REG_RIP] += static_cast<greg_t>(d.length);
}

void handle_division(int signal, siginfo_t* about, void* context) {
  auto& c = *static_cast<ucontext_t*>(context);
  if (here.by != nullptr && !here.busy && !here.failing && running.lane != nullptr)
    if (division const d = decoded(c); d.bytes != 0) {
      auto const pc = static_cast<std::uint64_t>(c.uc_mcontext.gregs[REG_RIP]);
      if (d.divisor == 0) note_division(here.by->launch().found, position::of_call(pc + 1));
      return go_on_after(c, d);
    }
  hand_on(division_handler_before, signal, about, context);
}

/// UD2, a mark and the number of elements follow an index that is too large or negative, which is
/// in RDI; RSI has the name of the array.
void handle_index(int signal, siginfo_t* about, void* context) {
  auto const& c = *static_cast<ucontext_t const*>(context);
  auto const* const code = reinterpret_cast<unsigned char const*>(c.uc_mcontext.gregs[REG_RIP]);
  struct {
    std::uint32_t mark, elements;
  } trap{};
  if (here.by != nullptr && !here.busy && running.lane != nullptr && code[0] == 0x0f &&
      code[1] == 0x0b)
    std::memcpy(&trap, code + 2, sizeof trap);
  if (trap.mark != upsweep_emulated_index_mark || here.failing)
    return hand_on(index_handler_before, signal, about, context);
  auto const index = static_cast<std::int64_t>(c.uc_mcontext.gregs[REG_RDI]);
  auto const* const name = reinterpret_cast<char const*>(c.uc_mcontext.gregs[REG_RSI]);
  position const at = position::of_call(reinterpret_cast<std::uint64_t>(code) + 1);
  without_throwing(
      [&] { outside_own_array(here.by->launch().found, index, name, trap.elements, at); });
}

}  // namespace

void watch_traps() {
  [[maybe_unused]] static bool const once =
      install(SIGFPE, handle_division, SA_ONSTACK, &division_handler_before) &&
      install(SIGILL, handle_index, SA_ONSTACK, &index_handler_before);
}

#else

void watch_traps() {}

#endif

}  // namespace upsweep::sim
