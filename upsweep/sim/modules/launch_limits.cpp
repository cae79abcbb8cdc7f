/// What a GPU refuses to launch: the limits of compute capability 9.0, and those of a kernel.
#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/access.hpp>
#include <upsweep/sim/loaded_code.hpp>
#include <upsweep/sim/modules/current_machine.hpp>
#include <upsweep/sim/modules/exported.hpp>
#include <upsweep/sim/sentences.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace upsweep::sim {

namespace {

/// Values of cudaError_t.
constexpr int invalid_value = 1, invalid_configuration = 9, cooperative_too_large = 720,
              invalid_cluster = 912;
constexpr std::size_t multiprocessors = 132, memory_of_multiprocessor = 228 * 1024,
                      reserved_for_block = 1024;

/// By the address of the kernel.
std::map<void const*, std::size_t> most_dynamic;
std::mutex mutex;

/// `f` in "_ZZ1fvE4tile" is the symbol "_Z1fv".
bool is_in_function(std::string const& array, std::string const& function) {
  return function.starts_with("_Z") && array.starts_with("_Z" + function.substr(1) + "E");
}

std::size_t static_bytes(void const* kernel) {
  loaded_code const* const code = kernel == nullptr ? nullptr : code_at(kernel);
  Dl_info info{};
  if (code == nullptr || dladdr(kernel, &info) == 0 || info.dli_sname == nullptr) return 0;
  std::string const function = info.dli_sname;
  std::size_t bytes = 0;
  for (module_array const& a : code->arrays)
    if (is_in_function(a.symbol, function)) bytes += (a.bytes + 15) / 16 * 16;
  return bytes;
}

/// A kernel of unknown address has the largest limit that any kernel was given.
std::size_t most_dynamic_bytes(void const* kernel) {
  std::lock_guard const lock(mutex);
  std::size_t const least =
      most_declared_bytes - std::min(most_declared_bytes, static_bytes(kernel));
  if (auto const found = most_dynamic.find(kernel); found != most_dynamic.end())
    return std::max(least, found->second);
  std::size_t most = least;
  if (kernel == nullptr)
    for (auto const& [other, bytes] : most_dynamic) most = std::max(most, bytes);
  return most;
}

struct refusal {
  int error = 0;
  std::string why;
};

refusal refusal_of(upsweep_emulated_shape const& s, void const* kernel) {
  struct limit {
    char const* what;
    std::size_t value, most;
    char const* remedy;
  };
  std::size_t const threads = std::size_t{s.threads.x} * s.threads.y * s.threads.z,
                    blocks = std::size_t{s.blocks.x} * s.blocks.y * s.blocks.z;
  limit const limits[]{
      {"the block has x = ", s.threads.x, 1024, "use more blocks"},
      {"the block has y = ", s.threads.y, 1024, "use more blocks"},
      {"the block has z = ", s.threads.z, 64, "make x or y its long side"},
      {"the threads of the block are ", threads, 1024, "use more blocks"},
      {"the grid has x = ", s.blocks.x, 0x7fffffff, "let each block do more"},
      {"the grid has y = ", s.blocks.y, 65535, "make x its long side"},
      {"the grid has z = ", s.blocks.z, 65535, "make x its long side"},
  };
  for (limit const& l : limits)
    if (l.value < 1 || l.value > l.most)
      return {invalid_configuration,
              say(l.what, l.value, ", and a GPU takes 1 to ", l.most, ": ",
                  l.value == 0 ? "skip the launch when there is nothing to do" : l.remedy)};
  std::size_t const most = most_dynamic_bytes(kernel);
  if (s.shared_bytes > most)
    return {
        invalid_value,
        say("it asks for ", s.shared_bytes, " bytes of dynamic shared memory, and may have ", most,
            ": set cudaFuncAttributeMaxDynamicSharedMemorySize with cudaFuncSetAttribute() "
            "(the declared arrays and this together have at most 232448 bytes)")};
  if (s.cluster > 8)
    return {invalid_cluster,
            say("the cluster has ", s.cluster, " blocks, and every GPU with clusters takes 8")};
  if (s.cluster == 0 || s.blocks.x % s.cluster != 0)
    return {invalid_cluster,
            say("the grid has ", s.blocks.x,
                " blocks along x, which is no multiple of the cluster's ", s.cluster)};
  if (s.is_cooperative == 0) return {};
  std::size_t const by_threads = 64 / ((threads + 31) / 32),
                    by_memory = memory_of_multiprocessor /
                                (static_bytes(kernel) + s.shared_bytes + reserved_for_block),
                    resident = multiprocessors * std::min({by_threads, by_memory, std::size_t{32}});
  if (blocks > resident)
    return {cooperative_too_large,
            say("a cooperative launch has ", blocks, " blocks, of which ", resident,
                " can be resident on the device: let each block do more")};
  return {};
}

}  // namespace

}  // namespace upsweep::sim

using namespace upsweep::sim;

UPSWEEP_SIM_EXPORTED int upsweep_emulated_check_launch(char const* name,
                                                       upsweep_emulated_shape const* shape,
                                                       void const* kernel) {
  refusal const r = refusal_of(*shape, kernel);
  if (r.error == 0) return 0;
  position const at = position::of_call(UPSWEEP_SIM_CALLER);
  current_machine()->found().note(finding_kind::refused_call, at, {}, [&] {
    return say("the launch of '", name, "' at ", short_name(at), " fails: ", r.why);
  });
  return upsweep_emulated_fail(r.error, nullptr);
}

UPSWEEP_SIM_EXPORTED std::size_t upsweep_emulated_static_bytes(void const* kernel) {
  return static_bytes(kernel);
}

UPSWEEP_SIM_EXPORTED std::size_t upsweep_emulated_most_dynamic_bytes(void const* kernel) {
  return most_dynamic_bytes(kernel);
}

UPSWEEP_SIM_EXPORTED int upsweep_emulated_set_most_dynamic_bytes(void const* kernel, int bytes) {
  std::size_t const most = most_shared_bytes - static_bytes(kernel);
  if (bytes < 0 || static_cast<std::size_t>(bytes) > most) {
    position const at = position::of_call(UPSWEEP_SIM_CALLER);
    current_machine()->found().note(finding_kind::refused_call, at, {}, [&] {
      return say("cudaFuncSetAttribute() at ", short_name(at), " fails: the kernel can have ", most,
                 " bytes of dynamic shared memory, not ", bytes);
    });
    return upsweep_emulated_fail(invalid_value, nullptr);
  }
  std::lock_guard const lock(mutex);
  most_dynamic[kernel] = static_cast<std::size_t>(bytes);
  return 0;
}
