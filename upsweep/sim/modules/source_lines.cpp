/// Debug data is read when the first line of a module is asked for, and of that module only.
#include <upsweep/sim/modules/object_file.hpp>

#include <upsweep/sim/loaded_code.hpp>
#include <upsweep/sim/modules/current_machine.hpp>
#include <upsweep/sim/modules/kernel_names.hpp>
#include <upsweep/sim/position.hpp>

#include <backtrace.h>
#include <link.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <source_location>
#include <unordered_map>
#include <vector>

namespace upsweep::sim {

namespace {

std::mutex mutex;
constinit thread_local loaded_code const* being_read = nullptr;

void ignore(void*, char const*, int) {}

/// Called for the line itself first, then for the calls that were inlined around it: words of CUDA
/// and counted operators are inlined from the emulator's headers.
int take_line(void* data, std::uintptr_t, char const* file, int line, char const*) {
  auto& found = *static_cast<source_position*>(data);
  if (file == nullptr || is_file_of_emulator(file)) return 0;
  found = {file, static_cast<unsigned>(line), 0};
  return 1;
}

int take_each_line(void* data, std::uintptr_t, char const* file, int line, char const*) {
  auto& found = *static_cast<std::vector<source_position>*>(data);
  if (file != nullptr && !is_file_of_emulator(file))
    found.push_back({file, static_cast<unsigned>(line), 0});
  return 0;
}

backtrace_state* state_of(loaded_code const& code) {
  static auto& states = *new std::map<loaded_code const*, backtrace_state*>;
  backtrace_state*& state = states[&code];
  if (state == nullptr) state = backtrace_create_state(nullptr, 1, ignore, nullptr);
  return state;
}

source_position find_line(std::uint64_t address) {
  std::lock_guard const lock(mutex);
  static auto& known = *new std::unordered_map<std::uint64_t, source_position>;
  auto const [entry, is_new] = known.try_emplace(address);
  if (!is_new) return entry->second;
  loaded_code const* const code = code_at(reinterpret_cast<void const*>(address));
  if (code == nullptr) return {};
  being_read = code;
  backtrace_pcinfo(state_of(*code), address - 1, take_line, ignore, &entry->second);
  being_read = nullptr;
  return entry->second;
}

std::vector<source_position> find_lines(std::uint64_t address) {
  std::lock_guard const lock(mutex);
  std::vector<source_position> all;
  loaded_code const* const code = code_at(reinterpret_cast<void const*>(address));
  if (code == nullptr) return all;
  being_read = code;
  backtrace_pcinfo(state_of(*code), address - 1, take_each_line, ignore, &all);
  being_read = nullptr;
  return all;
}

/// What libbacktrace passes on to its own function.
struct passed_on {
  int (*take)(dl_phdr_info*, std::size_t, void*);
  void* data;
};
int pass_module_on(dl_phdr_info* info, std::size_t size, void* data) {
  auto const& [take, its] = *static_cast<passed_on*>(data);
  bool const is_it = reinterpret_cast<std::byte*>(info->dlpi_addr) == being_read->begin;
  return is_it ? take(info, size, its) : 0;
}

}  // namespace

std::source_location location_of_call(std::uint64_t address) {
  return std::bit_cast<std::source_location>(position::of_call(address).word());
}

void find_lines_with_backtrace() {
  line_of_call.store(find_line);
  lines_of_calls.store(find_lines);
}

}  // namespace upsweep::sim

// The linker gives libbacktrace this function (--wrap), which asks for every object of the program
// and would read and inflate the debug data of each.
extern "C" {
int __real_dl_iterate_phdr(int (*take)(dl_phdr_info*, std::size_t, void*), void* data);
int __wrap_dl_iterate_phdr(int (*take)(dl_phdr_info*, std::size_t, void*), void* data);
}
int __wrap_dl_iterate_phdr(int (*take)(dl_phdr_info*, std::size_t, void*), void* data) {
  using namespace upsweep::sim;
  if (being_read == nullptr) return __real_dl_iterate_phdr(take, data);
  passed_on p{take, data};
  return __real_dl_iterate_phdr(pass_module_on, &p);
}
