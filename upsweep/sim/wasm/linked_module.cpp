/// What the loader, the dynamic linker and libbacktrace are for modules elsewhere.
#include <upsweep/sim/wasm/linked_module.hpp>

#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/access.hpp>
#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/modules/current_machine.hpp>
#include <upsweep/sim/modules/kernel_names.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" {
std::uint32_t upsweep_sim_caller = 0;
extern char __global_base, __heap_base;
}

namespace upsweep::sim {

namespace {

constexpr unsigned bits_of_call = 22;  // as in instrument.mjs

struct known_module {
  linked_module const* data = nullptr;
  loaded_code code;
  std::vector<char const*> files;
};

std::map<std::uint32_t, std::unique_ptr<known_module>>& modules() {
  static auto& all = *new std::map<std::uint32_t, std::unique_ptr<known_module>>;
  return all;
}
loaded_code* code_in_use = nullptr;
linked_module const* module_in_use = nullptr;
std::uint64_t launches = 0;

/// The chain of a call; the address is that after it.
template <class F>
void for_each_line(std::uint64_t address, F const& f) {
  auto const call = static_cast<std::uint32_t>((address - 1) / 16);
  auto const found = modules().find(call >> bits_of_call);
  if (found == modules().end()) return;
  known_module const& m = *found->second;
  std::uint32_t const number = call & ((1u << bits_of_call) - 1);
  if (number >= m.data->call_count) return;
  std::uint32_t const* p = m.data->chains + m.data->calls[number];
  for (std::uint32_t rest = *p++; rest > 0; --rest, p += 2)
    if (!is_file_of_emulator(m.files[p[0]]) && !f(source_position{m.files[p[0]], p[1], 0})) return;
}

source_position find_line(std::uint64_t address) {
  source_position found{};
  for_each_line(address, [&](source_position at) {
    found = at;
    return false;
  });
  return found;
}
std::vector<source_position> find_lines(std::uint64_t address) {
  std::vector<source_position> all;
  for_each_line(address, [&](source_position at) {
    all.push_back(at);
    return true;
  });
  return all;
}

template <class F>
void for_each_string(char const* begin, std::uint32_t count, F const& f) {
  for (std::uint32_t i = 0; i < count; ++i, begin += std::strlen(begin) + 1) f(i, begin);
}

/// Which cells the arrays of a launch have. A window has room for those that a block may declare,
/// and not for all arrays of a module.
struct places {
  runner const* launch = nullptr;
  std::uint64_t serial = 0;
  std::size_t next = 0;
};
places placed;

constexpr std::size_t not_placed = ~std::size_t{0};

module_array& placed_array(std::uint32_t number) {
  loaded_code& code = *here.by->launch().code;
  module_array& array = code.arrays[number];
  if (placed.launch != here.by || placed.serial != launches) {
    for (module_array& a : code.arrays) a.offset = not_placed;
    placed = {here.by, launches, 0};
  }
  if (array.offset == not_placed) {
    array.offset = placed.next;
    placed.next += (array.bytes + cell_bytes - 1) / cell_bytes * cell_bytes;
  }
  return array;
}

void create(std::size_t cell) {
  busy_scope const busy;
  static_cast<void>(here.by->shared_arrays().array_in_cell(*running_lane().of->of, cell));
}

void* place_in_cell(std::size_t cell) {
  if (here.cells[cell] == nullptr) create(cell);
  return here.window + cell * cell_bytes;
}

}  // namespace

void use_module(linked_module const& m, data_range data) {
  auto& known = modules()[m.number];
  if (known == nullptr) {
    known = std::make_unique<known_module>();
    known->data = &m;
    for_each_string(m.files, m.file_count,
                    [&](std::uint32_t, char const* name) { known->files.push_back(name); });
    for_each_string(m.arrays, m.array_count, [&](std::uint32_t i, char const* symbol) {
      known->code.arrays.push_back({m.bytes[i], not_placed, short_name_of(symbol), symbol});
    });
    for_each_string(m.variable_names, m.variable_count, [&](std::uint32_t i, char const* symbol) {
      known->code.variables.push_back({m.variables[i], m.variable_bytes[i], short_name_of(symbol)});
    });
    std::ranges::sort(known->code.variables, {}, &module_variable::begin);
    if (*m.dynamic_name != '\0') known->code.dynamic_name = short_name_of(m.dynamic_name);
    // All else lies before them.
    known->code.data = known->code.data_end = data.end;
    for (std::uint32_t i = 0; i < m.writable_count; ++i)
      known->code.data = std::min(known->code.data, m.variables[i]);
    bool const is_loaded = data.begin != nullptr;
    known->code.begin = is_loaded ? data.begin : reinterpret_cast<std::byte*>(&__global_base);
    known->code.end = is_loaded ? data.end : reinterpret_cast<std::byte*>(&__heap_base);
    line_of_call.store(find_line);
    lines_of_calls.store(find_lines);
  }
  code_in_use = &known->code;
  module_in_use = &m;
}

/// A pointer to a function is a small number, which is below all data. Host code asks about it
/// before a launch.
loaded_code* code_at(void const* address) {
  auto const* const p = static_cast<std::byte const*>(address);
  bool const is_data = p >= reinterpret_cast<std::byte*>(&__global_base);
  if (is_data && !code_in_use->contains(p)) return nullptr;
  if (!is_data) ++launches;
  return code_in_use;
}

/// A pointer has no room for a position, so the line is looked up now.
std::source_location location_of_call(std::uint64_t address) {
  struct place {  // as std::source_location of libc++ points to it
    char const *file, *function;
    unsigned line, column;
  };
  static auto& all = *new std::map<std::uint64_t, std::pair<std::string, place>>;
  auto const [known, is_new] = all.try_emplace(address);
  auto& [file, where] = known->second;
  if (is_new) {
    source_position const found = find_line(address);
    file = found.file;
    where = {file.c_str(), "", found.line, 0};
  }
  return __builtin_bit_cast(std::source_location, &where);
}

std::string symbol_of(void const* function) {
  std::string found;
  if (module_in_use == nullptr || function == nullptr) return found;
  for_each_string(module_in_use->function_names, module_in_use->function_count,
                  [&](std::uint32_t i, char const* symbol) {
                    if (module_in_use->functions[i] == function) found = symbol;
                  });
  return found;
}

}  // namespace upsweep::sim

using namespace upsweep::sim;

UPSWEEP_SIM_EXPORTED void* upsweep_sim_shared_array(std::uint32_t number) {
  if (running.lane == nullptr) {
    window_of_host().open(first_cell, cell_bytes);
    return window_of_host().begin() + first_cell * cell_bytes;
  }
  return place_in_cell(first_cell + placed_array(number).offset / cell_bytes);
}
UPSWEEP_SIM_EXPORTED void* upsweep_sim_dynamic_array() {
  return running.lane == nullptr ? window_of_host().begin() + dynamic_cell * cell_bytes
                                 : place_in_cell(dynamic_cell);
}
UPSWEEP_SIM_EXPORTED void const* upsweep_sim_index_variable(std::uint32_t number) {
  static constexpr index3 none{};
  lane_view const* const l = running.lane;
  if (l == nullptr) return &none;
  void const* const values[] = {&l->thread, &l->block->index, &l->block->threads,
                                &l->block->blocks};
  return values[number];
}

// A launch by an address needs the kernel's type, which a call in WebAssembly must have.
UPSWEEP_SIM_EXPORTED int upsweep_emulated_bind(void const*, void**,
                                               upsweep_emulated_bound_kernel* to) {
  *to = {};
  return upsweep_emulated_fail(
      801,
      "a kernel is launched through a void*, which is not possible in a browser: pass the "
      "kernel itself to cudaLaunchKernel()");
}
UPSWEEP_SIM_EXPORTED int upsweep_emulated_launch_bound(upsweep_emulated_bound_kernel const*,
                                                       upsweep_emulated_shape const*) {
  return 801;  // cudaErrorNotSupported
}

// The only thread never ends.
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*);
int __cxa_thread_atexit(void (*)(void*), void*, void*) {
  return 0;
}
