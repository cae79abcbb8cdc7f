/// Launches of kernels that are known as an address: cudaLaunchCooperativeKernel((void*)kernel,
/// ...).
///
/// The parameters' types are read from the kernel's symbol. The arguments are passed as x86-64's
/// calling convention says: integers and pointers in six registers, floating-point numbers in
/// eight, the rest on the stack.
#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/modules/kernel_names.hpp>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::sim {

namespace {

constexpr int not_supported = 801;

using raw_call = upsweep_emulated_bound_kernel;

void call_kernel(void const* made) {
  auto const& [kernel, i, f, s] = *static_cast<raw_call const*>(made);
  using u = std::uint64_t;
  auto* const run =
      reinterpret_cast<void (*)(u, u, u, u, u, u, double, double, double, double, double, double,
                                double, double, u, u, u, u, u, u, u, u)>(const_cast<void*>(kernel));
  run(i[0], i[1], i[2], i[3], i[4], i[5], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], s[0],
      s[1], s[2], s[3], s[4], s[5], s[6], s[7]);
}

/// `float*, int` of `void scale<float>(float*, int)`, split; false if the symbol has no types.
bool parameters_of(void const* kernel, std::vector<std::string>& types) {
  std::string const signature = signature_of(kernel);
  if (signature.empty()) return false;
  std::size_t const begin = parameters_in(signature);
  int depth = 0;
  types.emplace_back();
  for (char const c : signature.substr(begin + 1, signature.size() - begin - 2)) {
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      types.emplace_back();
    else if (c != ' ' || !types.back().empty())
      types.back() += c;
  }
  if (types.size() == 1 && types[0].empty()) types.clear();
  return true;
}

/// 0: no scalar. `int (*)(float)` and `int (*) [4]` are pointers, one to a member function is not.
std::size_t size_of(std::string_view type) {
  bool const is_pointer = type.ends_with('*') || type.ends_with(']') ||
                          (type.ends_with(')') && type.find("::*)") == type.npos);
  if (is_pointer || type == "long" || type == "unsigned long" || type == "long long" ||
      type == "unsigned long long" || type == "double")
    return 8;
  if (type == "int" || type == "unsigned int" || type == "float") return 4;
  if (type == "short" || type == "unsigned short") return 2;
  return type == "char" || type == "signed char" || type == "unsigned char" || type == "bool" ? 1
                                                                                              : 0;
}

/// False if a parameter is no scalar, or there are too many.
bool pass(std::vector<std::string> const& types, void** arguments, raw_call& call) {
  std::size_t integers = 0, floats = 0, stack = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    std::size_t const bytes = size_of(types[i]);
    if (bytes == 0) return false;
    bool const is_float = types[i] == "float" || types[i] == "double";
    void* to = nullptr;
    if (is_float && floats < std::size(call.floats))
      to = &call.floats[floats++];
    else if (!is_float && integers < std::size(call.integers))
      to = &call.integers[integers++];
    else if (stack < std::size(call.stack))
      to = &call.stack[stack++];
    if (to == nullptr) return false;
    std::memcpy(to, arguments[i], bytes);
  }
  return true;
}

}  // namespace

}  // namespace upsweep::sim

using namespace upsweep::sim;

UPSWEEP_SIM_EXPORTED int upsweep_emulated_bind(void const* kernel, void** arguments,
                                               upsweep_emulated_bound_kernel* to) {
  *to = {};
  to->kernel = kernel;
  std::vector<std::string> types;
  if (parameters_of(kernel, types) && pass(types, arguments, *to)) return 0;
  return upsweep_emulated_fail(
      not_supported,
      "a kernel is launched through a void*, and its parameters are not all scalars or pointers, "
      "or it is static or extern \"C\": pass the kernel itself to cudaLaunchKernel()");
}

UPSWEEP_SIM_EXPORTED int upsweep_emulated_launch_bound(upsweep_emulated_bound_kernel const* kernel,
                                                       upsweep_emulated_shape const* shape) {
  return upsweep_emulated_launch("kernel", shape, call_kernel, kernel, sizeof *kernel,
                                 kernel->kernel);
}
