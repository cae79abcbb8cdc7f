/// Decodes the instruction that has trapped. After a division its registers get a result, and the
/// kernel goes on.
#include <upsweep/sim/trap_watch.hpp>

#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/access.hpp>
#include <upsweep/sim/runner.hpp>
#include <upsweep/sim/sentences.hpp>
#include <upsweep/sim/signal_chain.hpp>

#include <csignal>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <ucontext.h>
#endif

namespace upsweep::sim {

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
  static bool const once = [] {
    struct sigaction action{};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // a handler may not return
    action.sa_sigaction = handle_division;
    bool const divisions = sigaction(SIGFPE, &action, &division_handler_before) == 0;
    action.sa_sigaction = handle_index;
    return divisions && sigaction(SIGILL, &action, &index_handler_before) == 0;
  }();
  static_cast<void>(once);
}

#else

void watch_traps() {}

#endif

}  // namespace upsweep::sim
