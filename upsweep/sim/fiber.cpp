/// The switch between fibers, and the layout of their stacks.
#include <upsweep/sim/fiber.hpp>

#include <upsweep/sim/host_threads.hpp>

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#if UPSWEEP_SIM_USES_BOOST
#include <boost/context/detail/fcontext.hpp>
#endif
#include <pthread.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace upsweep::sim {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t usable_stack = 256 * 1024;  // red zones make frames larger
#else
constexpr std::size_t usable_stack = 64 * 1024;
#endif
constexpr std::size_t page = 4096;
constexpr std::size_t stack_guard = page;
constexpr std::size_t stack_stride = stack_guard + usable_stack + 2 * page;
constexpr std::size_t stacks_in_region = 64;
constexpr std::size_t region_bytes = stacks_in_region * stack_stride;
// A process may have 65530 mappings, of which a guarded stack takes two.
constexpr int most_guarded_regions = 256;
std::atomic<int> regions_of_all = 0;

/// Regions of pools that are gone, for the next ones: the system takes longer for new stacks than a
/// small launch takes. They hold some 25 MB.
struct spare_regions {
  static constexpr std::size_t most = 32;
  spare_regions() { guarded.reserve(most); }
  host_mutex mutex;
  std::vector<std::byte*> guarded;
};
spare_regions& spares() {
  static auto& all = *new spare_regions;  // outlives static machines
  return all;
}

/// Stacks whose ends lie at the same position of a page would compete for the same cache sets: at a
/// thousand fibers a switch would take three times as long.
constexpr std::size_t stack_shift(std::size_t i) {
  static_assert(stack_reach <= page);
  return i * 21 % 64 * 64;
}

// The offset of a stack within a cache line decides how many lines the frames of a kernel touch:
// with 0 instead of 16, a counted and checked shuffle reduction takes 4 % longer, Kogge-Stone 2 %.
[[maybe_unused]] constexpr std::size_t stack_phase = 16;

}  // namespace

#if UPSWEEP_SIM_USES_BOOST

// boost::context::detail, not boost::context::fiber: that one unwinds abandoned stacks, but no
// exception may pass through the hook of a basic block.
namespace {

namespace context = boost::context::detail;

/// Passed to the stack that is entered: where to save the other stack's position and, when a fiber
/// starts, which fiber it is.
struct arrival {
  switch_point* left;
  fiber* self;
  void (*body)(fiber&);
};

void start(context::transfer_t from) {
  arrival const message = *static_cast<arrival*>(from.data);
  message.left->at = from.fctx;
  message.body(*message.self);
}

}  // namespace

void switch_stacks(fiber&, switch_point& here, fiber& to, switch_point& there) {
  arrival message{&here, &to, to.body};
  context::transfer_t const back = context::jump_fcontext(there.at, &message);
  static_cast<arrival*>(back.data)->left->at = back.fctx;
}

void fiber_pool::prepare(fiber& f) {
  f.job = nullptr;
  f.body = body_;
  std::size_t const bytes = f.stack_bytes - stack_reach;
  f.idle.at = context::make_fcontext(f.stack + bytes, bytes - 64, &start);
}

#else

// rdi: where to save the stack pointer, rsi: the one to load. It ends in a jump, because the
// CPU would predict that a `ret` returns to the caller, which is never right: twice the time
// at a thousand fibers.
asm(R"(
.text
.p2align 4
.globl upsweep_sim_switch
.hidden upsweep_sim_switch
.type upsweep_sim_switch,@function
upsweep_sim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
.size upsweep_sim_switch,.-upsweep_sim_switch
.p2align 4
.globl upsweep_sim_start
.hidden upsweep_sim_start
.type upsweep_sim_start,@function
upsweep_sim_start:
  movq %r12, %rdi
  callq *%r13
  ud2
.size upsweep_sim_start,.-upsweep_sim_start
)");
extern "C" void upsweep_sim_start();
#if defined(__SANITIZE_ADDRESS__)
extern "C" void upsweep_sim_switch(void** keep, void* load);

namespace {

/// The arguments of a fiber's first function.
struct start_record {
  void (*body)(fiber&);
  fiber* self;
};

[[noreturn]] void start(start_record* record) {
  __sanitizer_finish_switch_fiber(record->self->fake_stack, nullptr, nullptr);
  record->body(*record->self);
  __builtin_unreachable();
}

}  // namespace

void switch_stacks(fiber& from, switch_point& here, fiber& to, switch_point& there) {
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack, to.stack_bytes);
  upsweep_sim_switch(&here.at, there.at);
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
}
#endif

void fiber_pool::prepare(fiber& f) {
  f.job = nullptr;
  f.fake_stack = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(f.stack, f.stack_bytes);
#endif
  std::byte* const end = f.stack + f.stack_bytes - stack_reach;
  auto const top = reinterpret_cast<std::uintptr_t>(end) & ~std::uintptr_t{15};
  void** frame = reinterpret_cast<void**>(top - stack_phase);
  *--frame = nullptr;  // a return address: it keeps the stack aligned to 16 at the call in
                       // upsweep_sim_start
  *--frame = nullptr;
  *--frame = reinterpret_cast<void*>(&upsweep_sim_start);
#if defined(__SANITIZE_ADDRESS__)
  auto* const record = ::new (static_cast<void*>(f.stack + 64)) start_record{body_, &f};
  void* const function = reinterpret_cast<void*>(&start);
  void* const argument = record;
#else
  void* const function = reinterpret_cast<void*>(body_);
  void* const argument = &f;
#endif
  for (void* const value : {static_cast<void*>(nullptr), static_cast<void*>(nullptr), argument,
                            function, static_cast<void*>(nullptr), static_cast<void*>(nullptr)})
    *--frame = value;  // rbp rbx r12 r13 r14 r15
  f.idle.at = frame;
}

#endif

void adopt_thread_stack([[maybe_unused]] fiber& f) {
#if defined(__SANITIZE_ADDRESS__)
  pthread_attr_t attributes;
  void* begin = nullptr;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &begin, &f.stack_bytes);
  pthread_attr_destroy(&attributes);
  f.stack = static_cast<std::byte*>(begin);
#endif
}

bool fiber_pool::guards(fiber const& f, void const* address) {
  auto const at = reinterpret_cast<std::uintptr_t>(address),
             end = reinterpret_cast<std::uintptr_t>(f.stack);
  return at < end && end - at <= stack_guard;
}

namespace {

/// Where the system refuses, an overflow is noticed when its thread returns.
void guard(std::byte* begin) {
  for (std::size_t i = 0; i < stacks_in_region; ++i)
    static_cast<void>(mprotect(begin + i * stack_stride, stack_guard, PROT_NONE));
}

}  // namespace

fiber_pool::region fiber_pool::new_region() {
  {
    host_lock const lock(spares().mutex);
    auto& guarded = spares().guarded;
    if (!guarded.empty()) {
      std::byte* const begin = guarded.back();
      guarded.pop_back();
      return {begin, true};
    }
  }
  void* const memory = mmap(nullptr, region_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  region const made{static_cast<std::byte*>(memory), regions_of_all++ < most_guarded_regions};
  if (made.is_guarded) guard(made.begin);
  return made;
}

void fiber_pool::give_back(region const& r) {
  {
    host_lock const lock(spares().mutex);
    auto& guarded = spares().guarded;
    if (r.is_guarded && guarded.size() < spare_regions::most) return guarded.push_back(r.begin);
  }
  munmap(r.begin, region_bytes);
  --regions_of_all;
}

void fiber_pool::grow() {
  regions_.push_back(new_region());
  std::byte* const begin = regions_.back().begin;
  for (std::size_t i = 0; i < stacks_in_region; ++i) {
    auto f = std::make_unique<fiber>();
    f->stack = begin + i * stack_stride + stack_guard;
    f->stack_bytes = usable_stack + stack_reach + stack_shift(i);
    start(*f);
    all_.push_back(std::move(f));
  }
  for (std::size_t i = 0; i < stacks_in_region; ++i)
    idle_.push_back(all_[all_.size() - 1 - i].get());
}

fiber_pool::~fiber_pool() {
  idle_.clear();
  all_.clear();
  for (region const& r : regions_) give_back(r);
}

}  // namespace upsweep::sim
