/// What a GPU refuses to launch: the limits of the device, and those of a kernel.
#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/access.hpp>
#include <upsweep/sim/device.hpp>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/host_threads.hpp>
#include <upsweep/sim/loaded_code.hpp>
#include <upsweep/sim/modules/current_machine.hpp>
#include <upsweep/sim/modules/kernel_names.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace upsweep::sim {

namespace {

/// Values of cudaError_t.
constexpr int invalid_value = 1, invalid_configuration = 9, cooperative_too_large = 720,
              not_supported = 801, invalid_cluster = 912;

/// By the address of the kernel.
std::map<void const*, std::size_t> most_dynamic;
constinit host_mutex mutex;

/// `f` in "_ZZ1fvE4tile" is the symbol "_Z1fv".
bool is_in_function(std::string const& array, std::string const& function) {
  return function.starts_with("_Z") && array.starts_with("_Z" + function.substr(1) + "E");
}

std::size_t static_bytes(void const* kernel) {
  loaded_code const* const code = kernel == nullptr ? nullptr : code_at(kernel);
  if (code == nullptr) return 0;
  std::string const function = symbol_of(kernel);
  std::size_t bytes = 0;
  for (module_array const& a : code->arrays)
    if (is_in_function(a.symbol, function)) bytes += (a.bytes + 15) / 16 * 16;
  return bytes;
}

/// A kernel of unknown address has the largest limit that any kernel was given.
std::size_t most_dynamic_bytes(void const* kernel) {
  host_lock const lock(mutex);
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

/// "9.0"
std::string capability_text(device_limits const& d) {
  return say(d.major, ".", d.minor);
}

refusal refusal_of_cluster(upsweep_emulated_shape const& s, device_limits const& d) {
  auto const& c = s.cluster;
  std::size_t const blocks = std::size_t{c.x} * c.y;
  if (c.x == 1 && c.y == 1 && c.z == 1) return {};
  if (d.most_cluster == 0)
    return {not_supported,
            say("it has clusters, which begin with compute capability 9.0, and the device, ",
                d.name, ", has ", capability_text(d))};
  auto const most = static_cast<unsigned>(d.most_cluster);
  if (c.x > most || c.y > most || c.z > most || blocks * c.z > most)
    return {invalid_cluster, say("the cluster has ", c.x, " x ", c.y, " x ", c.z,
                                 " blocks, and every GPU with clusters takes ", most)};
  std::pair<unsigned, unsigned> const sides[]{
      {s.blocks.x, c.x}, {s.blocks.y, c.y}, {s.blocks.z, c.z}};
  constexpr char const* names[]{"x", "y", "z"};
  for (int i = 0; i < 3; ++i)
    if (auto const [grid, cluster] = sides[i]; cluster == 0 || grid % cluster != 0)
      return {invalid_cluster, say("the grid has ", grid, " blocks along ", names[i],
                                   ", which is not a multiple of the cluster's ", cluster)};
  return {};
}

/// The blocks that are resident on the device at a time.
std::size_t resident_blocks(std::size_t threads, std::size_t shared_bytes, device_limits const& d) {
  std::size_t const by_threads = static_cast<std::size_t>(d.threads) / 32 / ((threads + 31) / 32),
                    of_block = shared_bytes + d.reserved_bytes,
                    by_memory = of_block == 0 ? by_threads : d.shared_bytes / of_block;
  return static_cast<std::size_t>(d.multiprocessors) *
         std::min({by_threads, by_memory, static_cast<std::size_t>(d.blocks)});
}

refusal refusal_of(upsweep_emulated_shape const& s, void const* kernel, device_limits const& d) {
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
            "(on this device the declared arrays and this together have at most ",
            most_shared_bytes_of(d), " bytes)")};
  if (refusal const of_cluster = refusal_of_cluster(s, d); of_cluster.error != 0) return of_cluster;
  if (s.is_cooperative == 0) return {};
  std::size_t const resident = resident_blocks(threads, static_bytes(kernel) + s.shared_bytes, d);
  if (blocks > resident)
    return {cooperative_too_large,
            say("a cooperative launch has ", blocks, " blocks, of which ", resident,
                " can be resident on the device (", d.name, "): let each block do more")};
  return {};
}

}  // namespace

}  // namespace upsweep::sim

using namespace upsweep::sim;

UPSWEEP_SIM_EXPORTED int upsweep_emulated_check_launch(char const* name,
                                                       upsweep_emulated_shape const* shape,
                                                       void const* kernel) {
  refusal const r = refusal_of(*shape, kernel, *upsweep_emulated_current_device());
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
  device_limits const& d = *upsweep_emulated_current_device();
  std::size_t const most = most_shared_bytes_of(d) - static_bytes(kernel);
  if (bytes < 0 || static_cast<std::size_t>(bytes) > most) {
    position const at = position::of_call(UPSWEEP_SIM_CALLER);
    current_machine()->found().note(finding_kind::refused_call, at, {}, [&] {
      return say("cudaFuncSetAttribute() at ", short_name(at), " fails: the kernel can have ", most,
                 " bytes of dynamic shared memory on this device (", d.name, "), not ", bytes);
    });
    return upsweep_emulated_fail(invalid_value, nullptr);
  }
  host_lock const lock(mutex);
  most_dynamic[kernel] = static_cast<std::size_t>(bytes);
  return 0;
}
