/// Look-ups by address.
#include <upsweep/sim/loaded_code.hpp>

#include <upsweep/sim/host_threads.hpp>

#include <algorithm>

namespace upsweep::sim {

namespace {

constinit host_mutex mutex;

std::vector<loaded_code*>& all() {
  static auto& list = *new std::vector<loaded_code*>;  // outlives static machines
  return list;
}

}  // namespace

void add_code(loaded_code& code) {
  host_lock const lock(mutex);
  all().push_back(&code);
}

#ifndef __wasm__  // upsweep/sim/wasm/linked_module.cpp
loaded_code* code_at(void const* address) {
  host_lock const lock(mutex);
  auto const found =
      std::ranges::find_if(all(), [&](loaded_code const* c) { return c->contains(address); });
  return found == all().end() ? nullptr : *found;
}
#endif

module_variable const* loaded_code::variable_at(std::byte const* p) const {
  auto const after = std::ranges::upper_bound(variables, p, {}, &module_variable::begin);
  if (after == variables.begin()) return nullptr;
  module_variable const& v = *(after - 1);
  return p < v.begin + v.bytes ? &v : nullptr;
}

module_variable const* loaded_code::variable_near(std::byte const* p) const {
  constexpr std::ptrdiff_t page = 4096;
  if (module_variable const* const v = variable_at(p); v != nullptr) return v;
  if (p < data || p >= data_end + page) return nullptr;
  auto const after = std::ranges::upper_bound(variables, p, {}, &module_variable::begin);
  return after == variables.begin() || (after - 1)->begin < data ? nullptr : &*(after - 1);
}

module_array* loaded_code::array_at(std::size_t offset) {
  auto const distance = [offset](module_array const& a) {
    return offset < a.offset ? a.offset - offset : offset - a.offset;
  };
  auto const nearest = std::ranges::min_element(arrays, {}, distance);
  return nearest == arrays.end() ? nullptr : &*nearest;
}

}  // namespace upsweep::sim
