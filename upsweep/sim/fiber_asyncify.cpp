/// Fibers of WebAssembly, by binaryen's Asyncify.
///
/// `wasm-opt --asyncify` changes the functions from which park() can be reached. When park() starts
/// to unwind, each saves its variables in the fiber's `frames` and returns; when they are called
/// again while rewinding, each takes its variables from there and goes on to the call in which it
/// was. enter_fibers() is below all of them: it is not changed, and calls the next fiber's.
///
/// A program that is loaded later has not gone through wasm-opt. lab/wasm/resume.mjs changes its
/// functions to the same end: they look at upsweep_sim_fiber_state, and their variables stay on a
/// stack of their own.
#include <upsweep/sim/fiber.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

// The stack that is in memory: of variables whose address is taken.
asm(R"(
.globaltype __stack_pointer, i32
.globl upsweep_sim_stack_pointer
.type upsweep_sim_stack_pointer,@function
upsweep_sim_stack_pointer:
  .functype upsweep_sim_stack_pointer () -> (i32)
  global.get __stack_pointer
  end_function
.globl upsweep_sim_set_stack_pointer
.type upsweep_sim_set_stack_pointer,@function
upsweep_sim_set_stack_pointer:
  .functype upsweep_sim_set_stack_pointer (i32) -> ()
  local.get 0
  global.set __stack_pointer
  end_function
)");
extern "C" std::byte* upsweep_sim_stack_pointer();
extern "C" void upsweep_sim_set_stack_pointer(std::byte* to);

#define UPSWEEP_SIM_ASYNCIFY(result, name, ...)  \
  extern "C" [[clang::import_module("asyncify"), \
               clang::import_name(#name)]] result asyncify_##name(__VA_ARGS__)
UPSWEEP_SIM_ASYNCIFY(void, start_unwind, void* frames);
UPSWEEP_SIM_ASYNCIFY(void, stop_unwind, void);
UPSWEEP_SIM_ASYNCIFY(void, start_rewind, void* frames);
UPSWEEP_SIM_ASYNCIFY(void, stop_rewind, void);
#undef UPSWEEP_SIM_ASYNCIFY

/// As resume.mjs knows it.
enum fiber_state : std::uint32_t { is_normal, is_unwinding, is_rewinding_program };
extern "C" std::uint32_t upsweep_sim_fiber_state = is_normal;
/// Of each thread's variables in functions of the program. program.mjs sets it before the first
/// launch.
extern "C" std::uint32_t upsweep_sim_program_stack_bytes = 16 * 1024;

namespace upsweep::sim {

std::byte* (*exchange_program_stack)(std::byte* to) = nullptr;

namespace {

constexpr std::size_t stack_bytes = 24 * 1024, frames_bytes = 8 * 1024, fibers_in_region = 32;

fiber* entered = nullptr;  // by park(), when all functions have returned
bool is_rewinding = false;

/// Returns twice: at once, while the functions above it return, and when `from` is resumed.
[[gnu::noinline]] void park(fiber& from) {
  if (is_rewinding) {
    is_rewinding = false;
    upsweep_sim_fiber_state = is_normal;
    asyncify_stop_rewind();
    return;
  }
  from.frames.end = from.frames_begin;
  from.is_suspended = true;
  upsweep_sim_fiber_state = is_unwinding;
  asyncify_start_unwind(&from.frames);
}

/// Sets the stack pointer of the program, if there is one.
std::byte* use_program_stack(std::byte* to) {
  return exchange_program_stack == nullptr ? nullptr : exchange_program_stack(to);
}
std::byte* top_of_program_stack(fiber const& f) {
  return f.stack + f.stack_bytes - stack_reach;
}
/// Of a fiber, by the program of the time at which it is made.
std::size_t all_stack_bytes() {
  return stack_bytes + stack_reach +
         (exchange_program_stack == nullptr ? 0 : upsweep_sim_program_stack_bytes + stack_reach);
}

}  // namespace

void adopt_thread_stack(fiber&) {}

// The point is only compared: repetition_watch.
void switch_stacks(fiber& from, switch_point& here, fiber& to, switch_point&) {
  entered = &to;
  from.idle.at = here.at = upsweep_sim_stack_pointer();
  park(from);
}

[[gnu::noinline]] void enter_fibers(fiber& host, switch_point&, fiber& to, switch_point&) {
  std::byte* const mine = upsweep_sim_stack_pointer();
  std::byte* const programs = use_program_stack(nullptr);
  for (fiber* f = &to; f != &host; f = entered) {
    upsweep_sim_set_stack_pointer(static_cast<std::byte*>(f->idle.at));
    use_program_stack(top_of_program_stack(*f));  // functions that returned have put it there
    if (f->is_suspended) {
      f->is_suspended = false;
      is_rewinding = true;
      upsweep_sim_fiber_state = is_rewinding_program;
      asyncify_start_rewind(&f->frames);
    }
    try {
      f->body(*f);
    } catch (...) {
      upsweep_sim_set_stack_pointer(mine);
      use_program_stack(programs);
      throw;
    }
    upsweep_sim_fiber_state = is_normal;
    asyncify_stop_unwind();
    upsweep_sim_set_stack_pointer(mine);
  }
  use_program_stack(programs);
}

void fiber_pool::prepare(fiber& f) {
  f.job = nullptr;
  f.body = body_;
  f.is_suspended = false;
  f.frames = {f.frames_begin, f.frames_begin + frames_bytes};
  f.idle.at = f.stack + stack_bytes;
}

bool fiber_pool::guards(fiber const&, void const*) {
  return false;
}

fiber_pool::region fiber_pool::new_region() {
  return {new std::byte[fibers_in_region * (all_stack_bytes() + frames_bytes)], false};
}
void fiber_pool::give_back(region const& r) {
  delete[] r.begin;
}

void fiber_pool::grow() {
  regions_.push_back(new_region());
  std::byte* place = regions_.back().begin;
  for (std::size_t i = 0; i < fibers_in_region; ++i) {
    auto f = std::make_unique<fiber>();
    f->stack = place;
    f->stack_bytes = all_stack_bytes();
    if (exchange_program_stack != nullptr) f->program_stack = place + stack_bytes + stack_reach;
    f->frames_begin = place + f->stack_bytes;
    place = f->frames_begin + frames_bytes;
    start(*f);
    idle_.push_back(f.get());
    all_.push_back(std::move(f));
  }
}

fiber_pool::~fiber_pool() {
  for (region const& r : regions_) give_back(r);
}

}  // namespace upsweep::sim
