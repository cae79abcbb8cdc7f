/// The host's side of the interface in upsweep/simt/cuda/abi.h.
#include <upsweep/sim/modules/runtime.hpp>

#include <upsweep/simt/cuda/abi.h>
#include <upsweep/simt/cuda/words/error_codes.h>
#include <upsweep/core/errors.hpp>
#include <upsweep/sim/access.hpp>
#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/device.hpp>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/modules/current_machine.hpp>
#include <upsweep/sim/modules/kernel_names.hpp>
#include <upsweep/sim/sentences.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <source_location>
#include <string_view>
#include <utility>

namespace upsweep::sim {

namespace {

constinit std::atomic<machine_engine*> machine_in_use = nullptr;
constinit std::atomic<int> last_error = 0;
constinit std::atomic<std::uint64_t> launches = 0;
std::function<void()> launch_ended;

/// Values of cudaError_t.
enum cuda_error {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_configuration = 9,
  launch_failure = 719
};

int failed_with(cuda_error e) {
  last_error.store(e);
  return e;
}

machine_engine& serving() {
  machine_engine* const m = machine_in_use.load();
  detail::expects(m != nullptr, "a module calls CUDA's runtime, but there is no sim::runtime");
  return *m;
}

/// `sums` of "(void**)&plan.sums".
std::string name_in(std::string_view expression) {
  std::size_t const end = expression.find_last_not_of(" )");
  expression = expression.substr(0, end + 1);
  std::size_t const before = expression.find_last_of("&*(). >");
  return std::string(before == expression.npos ? expression : expression.substr(before + 1));
}

/// A buffer, or a variable of a module; null for the host's own memory.
memory* memory_of_host_call(std::byte const* p) {
  if (memory* const m = buffer_at(p); m != nullptr) return m;
  loaded_code const* const code = code_at(p);
  module_variable const* const v = code == nullptr ? nullptr : code->variable_at(p);
  return v == nullptr ? nullptr : serving().buffers().adopt(*v);
}

int refuse_host_call(position at, std::string const& sentence) {
  serving().found().note(finding_kind::refused_call, at, {}, [&] { return sentence; });
  return failed_with(invalid_value);
}

/// The host reads or writes a part of a buffer. Returns what is wrong with that, or an empty text.
std::string host_accesses(void const* place, std::size_t bytes, bool writes) {
  auto const* const p = static_cast<std::byte const*>(place);
  if (serving().heap().contains(p)) return "the heap of the device, which only kernels can use";
  memory* const m = memory_of_host_call(p);
  if (m == nullptr || bytes == 0) return {};
  if (m->is_released) return say(name_of(*m), ", which has been freed by cudaFree()");
  std::ptrdiff_t const byte = p - m->data;
  if (byte < 0 || static_cast<std::size_t>(byte) + bytes > m->bytes)
    return say("bytes ", byte, " to ", byte + static_cast<std::ptrdiff_t>(bytes) - 1, " of ",
               name_of(*m), ", which has ", m->bytes, " bytes");
  static_cast<void>(serving().buffers().host_access(m, byte, bytes, writes));
  return {};
}

/// What one end of a copy is, if it must be the device's or must be the host's and is not.
/// Variables of a module may be either's.
char const* wrong_side(void const* place, bool is_devices) {
  auto const* const p = static_cast<std::byte const*>(place);
  memory const* const m = buffer_at(p);
  if (is_devices) return m == nullptr && code_at(p) == nullptr ? "memory of the host" : nullptr;
  return m != nullptr && !m->is_managed ? "memory of the device" : nullptr;
}

/// A sentence about a copy whose direction does not fit, or an empty text.
std::string wrong_direction(void const* to, void const* from, int direction, position at) {
  constexpr char const* names[]{"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
  if (direction < 0 || direction > 3) return {};
  char const* const bad_from = wrong_side(from, direction >= 2);
  char const* const bad_to = wrong_side(to, direction % 2 == 1);
  if (bad_from == nullptr && bad_to == nullptr) return {};
  void const* const place = bad_from != nullptr ? from : to;
  memory const* const m = buffer_at(static_cast<std::byte const*>(place));
  return say("a copy at ", short_name(at), " says ", names[direction], ", but its ",
             bad_from != nullptr ? "source" : "destination",
             m == nullptr ? say(" is ") : say(", ", name_of(*m), ", is "),
             bad_from != nullptr ? bad_from : bad_to,
             ": the arguments are the destination, the source, the bytes and the direction");
}

simt::extent3 extent_of(upsweep_emulated_extent const& e) {
  return {e.x, e.y, e.z};
}

}  // namespace

machine_engine* current_machine() {
  return machine_in_use.load();
}

std::uint64_t current_launch() {
  return launches.load();
}

runtime::runtime(machine& on, std::function<void()> after_launch) {
  machine_engine* none = nullptr;
  detail::expects(machine_in_use.compare_exchange_strong(none, on.engine_.get()),
                  "sim::runtime: another one exists");
  last_error.store(success);
  launch_ended = std::move(after_launch);
}

runtime::~runtime() {
  launch_ended = nullptr;
  machine_in_use.store(nullptr);
}

}  // namespace upsweep::sim

using namespace upsweep::sim;

UPSWEEP_SIM_EXPORTED unsigned long long upsweep_emulated_position() {
  return UPSWEEP_SIM_CALLER;
}

UPSWEEP_SIM_EXPORTED upsweep_emulated_device const* upsweep_emulated_current_device() {
  return &device_of(serving().how().capability);
}

UPSWEEP_SIM_EXPORTED int upsweep_emulated_launch(char const* name,
                                                 upsweep_emulated_shape const* shape,
                                                 void (*invoke)(void const*), void const* call,
                                                 std::size_t call_bytes, void const* code) {
  ++launches;
  int error = success;
  auto const at = location_of_call(shape->at);
  machine_engine& on = serving();
  std::string const kernel = kernel_name(name, code);
  try {
    on.launch({.name = kernel.c_str(),
               .blocks = extent_of(shape->blocks),
               .threads = extent_of(shape->threads),
               .cluster = extent_of(shape->cluster),
               .shared_bytes = shape->shared_bytes,
               .is_cooperative = shape->is_cooperative != 0,
               .at = at},
              invoke, call, code, call_bytes);
  } catch (kernel_failure const&) {
    error = failed_with(launch_failure);
  } catch (upsweep::precondition_error const& e) {
    error = failed_with(invalid_configuration);
    on.found().note(finding_kind::refused_call, at, {}, [&] { return std::string(e.what()); });
  }
  if (launch_ended) launch_ended();
  return error;
}

UPSWEEP_SIM_EXPORTED int upsweep_emulated_allocate(void** place, std::size_t bytes,
                                                   std::size_t element, char const* expression,
                                                   int is_managed) {
  // Shadows begin with words, or with what the type is aligned to.
  unsigned const unit = element == 0 || element % 8 != 0 ? element % 4 == 0 ? 4 : 1 : 8;
  global_memory& buffers = serving().buffers();
  try {
    memory* const m = buffers.allocate_bytes(bytes, unit, name_in(expression).c_str());
    m->is_managed = is_managed != 0;
    *place = m->data;
    return success;
  } catch (std::bad_alloc const&) {
  } catch (upsweep::precondition_error const&) {  // no addresses, or too many buffers
  }
  *place = nullptr;
  return failed_with(out_of_memory);
}

UPSWEEP_SIM_EXPORTED void upsweep_emulated_note_type(void const* place, void const* pointer) {
  memory* const m = buffer_at(static_cast<std::byte const*>(place));
  if (m != nullptr && m->data == place) m->element_pointer = pointer;
}

UPSWEEP_SIM_EXPORTED int upsweep_emulated_release(void* place) {
  if (place == nullptr) return success;
  position const at = position::of_call(UPSWEEP_SIM_CALLER);
  memory* const m = buffer_at(static_cast<std::byte*>(place));
  serving().synchronize();
  if (m != nullptr && m->data == place && !m->is_released) {
    serving().buffers().release(*m);
    return success;
  }
  return refuse_host_call(
      at, say("cudaFree() at ", short_name(at), " is given ",
              m == nullptr ? say("what cudaMalloc() has not returned")
              : m->is_released
                  ? say(name_of(*m), ", which has been freed before")
                  : say("byte ", static_cast<std::byte*>(place) - m->data, " of ", name_of(*m)),
              ": free each pointer from cudaMalloc() once, and nothing else"));
}

UPSWEEP_SIM_EXPORTED int upsweep_emulated_host_copy(void* to, void const* from, std::size_t bytes,
                                                    int direction, unsigned long long pc) {
  position const at = position::of_call(pc);
  if (bytes == 0) return success;
  if (std::string const wrong = wrong_direction(to, from, direction, at); !wrong.empty())
    return refuse_host_call(at, wrong);
  if (std::string const wrong = host_accesses(from, bytes, false); !wrong.empty())
    return refuse_host_call(at, say("a copy at ", short_name(at), " reads ", wrong));
  if (std::string const wrong = host_accesses(to, bytes, true); !wrong.empty())
    return refuse_host_call(at, say("a copy at ", short_name(at), " writes ", wrong));
  std::memmove(to, from, bytes);
  return success;
}

UPSWEEP_SIM_EXPORTED void upsweep_emulated_note_async_copy(void* to, void const* from,
                                                           std::size_t bytes) {
  for (auto const& [place, writes] :
       {std::pair{from, false}, std::pair<void const*, bool>{to, true}}) {
    auto const* const p = static_cast<std::byte const*>(place);
    if (memory* const m = buffer_at(p); m != nullptr && m->is_managed)
      serving().note_async_copy(*m, static_cast<std::uint64_t>(p - m->data), bytes, writes);
  }
}

UPSWEEP_SIM_EXPORTED void upsweep_emulated_synchronize() {
  serving().synchronize();
}

UPSWEEP_SIM_EXPORTED int upsweep_emulated_host_set(void* to, int value, std::size_t bytes,
                                                   unsigned long long pc) {
  position const at = position::of_call(pc);
  if (bytes == 0) return success;
  if (wrong_side(to, true) != nullptr && !serving().heap().contains(to))
    return refuse_host_call(
        at, say("cudaMemset() at ", short_name(at),
                " is given memory of the host: use memset(), or a pointer from cudaMalloc()"));
  if (std::string const wrong = host_accesses(to, bytes, true); !wrong.empty())
    return refuse_host_call(at, say("cudaMemset() at ", short_name(at), " writes ", wrong));
  std::memset(to, value, bytes);
  return success;
}

UPSWEEP_SIM_EXPORTED int upsweep_emulated_last_error(int take) {
  return take != 0 ? last_error.exchange(success) : last_error.load();
}

UPSWEEP_SIM_EXPORTED int upsweep_emulated_fail(int error, char const* sentence) {
  if (sentence != nullptr) {
    position const at = position::of_call(UPSWEEP_SIM_CALLER);
    current_machine()->found().note(finding_kind::refused_call, at, {},
                                    [&] { return say(sentence, " (", short_name(at), ")"); });
  }
  if (error != success) last_error.store(error);
  return error;
}

UPSWEEP_SIM_EXPORTED char const* upsweep_emulated_error_text(int error, int is_name) {
  switch (error) {
#define UPSWEEP_SIM_ERROR(name, value, text) \
  case value:                                \
    return is_name != 0 ? #name : text;
    UPSWEEP_EMULATED_ERRORS(UPSWEEP_SIM_ERROR)
#undef UPSWEEP_SIM_ERROR
    default:
      return "unrecognized error code";
  }
}

UPSWEEP_SIM_EXPORTED std::size_t upsweep_emulated_allocated_bytes() {
  return current_machine()->buffers().allocated_bytes();
}

UPSWEEP_SIM_EXPORTED int upsweep_emulated_memory_type(void const* place) {
  enum { unregistered = 0, device = 2, managed = 3 };
  memory const* const m = buffer_at(static_cast<std::byte const*>(place));
  return m == nullptr ? unregistered : m->is_managed ? managed : device;
}

UPSWEEP_SIM_EXPORTED double upsweep_emulated_milliseconds() {
  double nanoseconds = 0;
  for (launch_report const& l : current_machine()->result().launches)
    nanoseconds += 1000 + static_cast<double>(l.total.steps);
  return nanoseconds * 1e-6;
}
