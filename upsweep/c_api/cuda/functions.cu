/// The functions of upsweep_cuda.h: they check their arguments, find the entry of the table, and
/// turn exceptions into codes with a sentence.
#include <upsweep/upsweep_cuda.h>
#include <upsweep/c_api/cuda/calls.hpp>
#include <upsweep/c_api/vocabulary.hpp>
#include <upsweep/cuda.cuh>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace upsweep::c_api {
namespace {

/// The arguments of a call, already checked.
struct cuda_call {
  gpu on;
  void const* in;
  std::size_t n;
  bool reverse;
  void const* initial;
  void* out;
};

/// One type with one operator.
struct cuda_entry {
  upsweep_type type;
  upsweep_operator op;
  upsweep_type result;  ///< of a reduction; a scan stores elements of `type`
  void (*reduce)(cuda_call const& c);
  void (*inclusive)(cuda_call const& c);
  void (*exclusive)(cuda_call const& c);
  cuda_plan (*plan_reduce)(std::size_t n, cuda_device const& device, cuda_plan_options const& o);
  cuda_plan (*plan_scan)(std::size_t n, cuda_device const& device, cuda_plan_options const& o);
};

template <class T, class Op>
struct cuda_typed {
  static_assert(dynamic::is_compiled<dynamic::target::gpu, Op, T>);
  using A = accumulator_t<Op, T>;

  static options<A> options_of(cuda_call const& c) {
    options<A> o;
    o.reverse = c.reverse;
    if (c.initial) o.initial = *static_cast<A const*>(c.initial);
    return o;
  }
  static std::span<T const> elements(cuda_call const& c) {
    return {static_cast<T const*>(c.in), c.n};
  }
  static std::span<T> results(cuda_call const& c) { return {static_cast<T*>(c.out), c.n}; }

  static void reduce(cuda_call const& c) {
    reduce_into(c.on, elements(c), static_cast<A*>(c.out), Op{}, options_of(c));
  }
  static void inclusive(cuda_call const& c) {
    inclusive_scan(c.on, elements(c), results(c), Op{}, options_of(c));
  }
  static void exclusive(cuda_call const& c) {
    exclusive_scan(c.on, elements(c), results(c), Op{}, options_of(c));
  }

  static constexpr cuda_entry entry() {
    return {type_of(dynamic::dtype_of<T>),
            operator_of(catalog::id_of<Op>),
            type_of(dynamic::dtype_of<A>),
            reduce,
            inclusive,
            exclusive,
            plan_reduce<T, Op>,
            plan_scan<T, T, Op>};
  }
};

/// The pairs that the library has compiled, less the recurrences, which have no type in C.
constexpr auto cuda_entries = [] {
  using namespace dynamic;
  constexpr std::size_t count =
      types_for<target::gpu, plus>::size + types_for<target::gpu, multiplies>::size +
      types_for<target::gpu, min>::size + types_for<target::gpu, max>::size;
  std::array<cuda_entry, count> all{};
  std::size_t at = 0;
  for_each_pair<target::gpu>([&]<class Op, class T>() {
    if constexpr (!std::is_same_v<Op, affine>) all[at++] = cuda_typed<T, Op>::entry();
  });
  return all;
}();

cuda_entry const* entry_of(upsweep_type type, upsweep_operator op) {
  for (cuda_entry const& e : cuda_entries)
    if (e.type == type && e.op == op) return &e;
  return nullptr;
}

cuda_entry const& find(char const* verb, upsweep_type type, upsweep_operator op) {
  require_known(verb, type, op);
  if (cuda_entry const* const e = entry_of(type, op)) return *e;
  refuse(verb,
         "the library has no CUDA kernel for " + name_of(op) + " over " + name_of(type) +
             "; upsweep_cuda.h lists the pairs, and upsweep.h has it on the CPU",
         UPSWEEP_UNSUPPORTED);
}

thread_local int last_code = 0;

upsweep_status status_of(cudaError_t code) {
  switch (code) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary:
    case cudaErrorNoKernelImageForDevice:
      return UPSWEEP_UNAVAILABLE;
    case cudaErrorMemoryAllocation:
      return UPSWEEP_OUT_OF_MEMORY;
    default:
      return UPSWEEP_DEVICE_ERROR;
  }
}

/// The options of a call of `e`.
upsweep_cuda_options options_of(char const* verb, cuda_entry const& e,
                                upsweep_cuda_options const* given) {
  return checked_options(verb, given, UPSWEEP_REVERSE,
                         "flags are UPSWEEP_REVERSE and UPSWEEP_CUDA_ANY_BLOCK_ORDER", e.result);
}

upsweep_status run(char const* verb, decltype(&cuda_entry::reduce) function, upsweep_type type,
                   upsweep_operator op, void const* in, std::size_t n,
                   upsweep_cuda_options const* options, void* out, CUstream_st* stream) {
  return guarded_on_device([&] {
    cuda_entry const& e = find(verb, type, op);
    upsweep_cuda_options const o = options_of(verb, e, options);
    bool const reduces = function == &cuda_entry::reduce;
    require_arrays(verb, type, in, n, reduces ? e.result : type, out, reduces || n > 0);
    if (!reduces && n == 0) return;
    (e.*
     function)({executor_of(o, stream), in, n, (o.flags & UPSWEEP_REVERSE) != 0, o.initial, out});
  });
}

/// Writes as many bytes of the plan as the caller's version of the struct has.
void give(char const* verb, cuda_plan const& from, upsweep_cuda_plan* to) {
  upsweep_cuda_plan plan = UPSWEEP_CUDA_PLAN_INIT;
  plan.size = to->size;
  plan.tile = from.tile;
  plan.blocks = from.blocks;
  plan.threads = from.threads;
  plan.launches = from.launches;
  plan.shared_bytes = from.shared_bytes;
  plan.workspace_bytes = from.workspace_bytes;
  plan.traffic_bytes = from.traffic_bytes;
  std::snprintf(plan.sentence, sizeof plan.sentence, "%s", from.describe().c_str());
  if (to->size < sizeof to->size || to->size > sizeof plan)
    refuse(verb, "plan->size is " + std::to_string(to->size) + ", but this library knows " +
                     std::to_string(sizeof plan) +
                     " bytes of a plan; start from UPSWEEP_CUDA_PLAN_INIT");
  std::memcpy(to, &plan, to->size);
}

upsweep_status plan(char const* verb, bool reduces, upsweep_type type, upsweep_operator op,
                    std::size_t n, upsweep_cuda_options const* options, upsweep_cuda_plan* result) {
  return guarded_on_device([&] {
    cuda_entry const& e = find(verb, type, op);
    upsweep_cuda_options const o = options_of(verb, e, options);
    if (!result) refuse(verb, "`plan` is NULL");
    cuda_plan_options const how{
        .reverse = (o.flags & UPSWEEP_REVERSE) != 0,
        .blocks_start_in_order = (o.flags & UPSWEEP_CUDA_ANY_BLOCK_ORDER) == 0};
    cuda_device const device = cuda_device::current();
    give(verb, (reduces ? e.plan_reduce : e.plan_scan)(n, device, how), result);
  });
}

/// Makes a workspace from the arguments of one of its constructors.
template <class... Arguments>
upsweep_status create(char const* verb, upsweep_cuda_workspace** workspace,
                      Arguments... arguments) {
  return guarded_on_device([&] {
    if (!workspace) refuse(verb, "`workspace` is NULL");
    *workspace = new upsweep_cuda_workspace(arguments...);
  });
}

/// Throws unless the library has code for the current device.
void require_code_for_device() {
  cuda_device const device = cuda_device::current();
  cudaFuncAttributes attributes;
  cudaError_t const code = cudaFuncGetAttributes(&attributes, device::store_kernel<float>);
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
    (void)cudaGetLastError();
    std::string const sentence = "upsweep_cuda_available: device " + std::to_string(device.number) +
                                 " has compute capability " +
                                 std::to_string(device.capability / 10) + "." +
                                 std::to_string(device.capability % 10) +
                                 ", for which this library was built without kernels; build it "
                                 "with CMAKE_CUDA_ARCHITECTURES=" +
                                 std::to_string(device.capability);
    throw cuda_error(cudaErrorNoKernelImageForDevice, sentence.c_str());
  }
  check_cuda(code, "query the attributes of a kernel");
}

}  // namespace

upsweep_status failed_on_device() noexcept {
  try {
    throw;
  } catch (cuda_error const& e) {
    last_code = static_cast<int>(e.code());
    return failed(status_of(e.code()), e.what());
  } catch (...) {
    last_code = 0;
    return failed_by_current_exception();
  }
}

upsweep_cuda_options checked_options(char const* verb, upsweep_cuda_options const* given,
                                     unsigned flags, char const* flag_names,
                                     std::optional<upsweep_type> initial) {
  auto const o = known_options<upsweep_cuda_options>(verb, given, UPSWEEP_CUDA_OPTIONS_INIT,
                                                     "UPSWEEP_CUDA_OPTIONS_INIT");
  require_mode_and_flags(verb, o.mode, o.flags, flags | unsigned{UPSWEEP_CUDA_ANY_BLOCK_ORDER},
                         flag_names);
  if (o.initial && !initial)
    refuse(verb, "this function takes no initial value; leave options->initial NULL");
  if (o.initial && misaligned(o.initial, upsweep_type_size(*initial)))
    refuse(verb, "options->initial is not aligned to its type, " + name_of(*initial));
  return o;
}

}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;

upsweep_status upsweep_cuda_available(void) {
  return c_api::guarded_on_device([] { c_api::require_code_for_device(); });
}
int upsweep_cuda_last_error_code(void) {
  return c_api::last_code;
}

upsweep_status upsweep_cuda_reduce(upsweep_type type, upsweep_operator op, void const* in, size_t n,
                                   upsweep_cuda_options const* options, void* out,
                                   CUstream_st* stream) {
  return c_api::run("upsweep_cuda_reduce", &c_api::cuda_entry::reduce, type, op, in, n, options,
                    out, stream);
}
upsweep_status upsweep_cuda_inclusive_scan(upsweep_type type, upsweep_operator op, void const* in,
                                           size_t n, upsweep_cuda_options const* options, void* out,
                                           CUstream_st* stream) {
  return c_api::run("upsweep_cuda_inclusive_scan", &c_api::cuda_entry::inclusive, type, op, in, n,
                    options, out, stream);
}
upsweep_status upsweep_cuda_exclusive_scan(upsweep_type type, upsweep_operator op, void const* in,
                                           size_t n, upsweep_cuda_options const* options, void* out,
                                           CUstream_st* stream) {
  return c_api::run("upsweep_cuda_exclusive_scan", &c_api::cuda_entry::exclusive, type, op, in, n,
                    options, out, stream);
}

upsweep_status upsweep_cuda_workspace_bytes(upsweep_type type, upsweep_operator op, size_t n,
                                            size_t* bytes) {
  return c_api::guarded_on_device([&] {
    char const* const verb = "upsweep_cuda_workspace_bytes";
    c_api::cuda_entry const& e = c_api::find(verb, type, op);
    if (!bytes) c_api::refuse(verb, "`bytes` is NULL");
    upsweep::cuda_device const any;  // a workspace does not depend on the device
    *bytes = 0;
    for (bool const reverse : {false, true})
      for (auto const plan : {e.plan_reduce, e.plan_scan})
        *bytes = std::max(*bytes, plan(n, any, {.reverse = reverse}).workspace_bytes);
  });
}

upsweep_status upsweep_cuda_workspace_create(CUstream_st* stream, size_t bytes,
                                             upsweep_cuda_workspace** workspace) {
  return c_api::create("upsweep_cuda_workspace_create", workspace, stream, bytes);
}
upsweep_status upsweep_cuda_workspace_create_in(CUstream_st* stream, void* memory, size_t bytes,
                                                upsweep_cuda_workspace** workspace) {
  return c_api::create("upsweep_cuda_workspace_create_in", workspace, stream, memory, bytes);
}
size_t upsweep_cuda_workspace_size(upsweep_cuda_workspace const* workspace) {
  return workspace ? workspace->size() : 0;
}
void upsweep_cuda_workspace_destroy(upsweep_cuda_workspace* workspace) {
  delete workspace;
}
void upsweep_cuda_release_workspaces(void) {
  (void)c_api::guarded([] { upsweep::release_cuda_workspaces(); });
}
upsweep_status upsweep_cuda_release_workspace(CUstream_st* stream) {
  return c_api::guarded_on_device([&] { upsweep::release_cuda_workspaces(stream); });
}

upsweep_status upsweep_cuda_plan_reduce(upsweep_type type, upsweep_operator op, size_t n,
                                        upsweep_cuda_options const* options,
                                        upsweep_cuda_plan* plan) {
  return c_api::plan("upsweep_cuda_plan_reduce", true, type, op, n, options, plan);
}
upsweep_status upsweep_cuda_plan_scan(upsweep_type type, upsweep_operator op, size_t n,
                                      upsweep_cuda_options const* options,
                                      upsweep_cuda_plan* plan) {
  return c_api::plan("upsweep_cuda_plan_scan", false, type, op, n, options, plan);
}
