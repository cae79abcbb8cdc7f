/// How the functions of the C interface check their arguments and fail: with a code, and a sentence
/// per thread. They are exported because the CUDA backend, a separate library, uses them.
#pragma once

#include <upsweep/upsweep.h>
#include <upsweep/core/rounding.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace upsweep::c_api {

/// Thrown inside the C interface for faults that the C++ verbs do not check.
struct UPSWEEP_API refusal {
  upsweep_status status;
  std::string sentence;
};

/// Throws a refusal with "verb: sentence". Callers test first and build the sentence afterwards, so
/// that a call that succeeds builds no strings: these took twenty times as long as the sum of eight
/// numbers.
[[noreturn]] UPSWEEP_API void refuse(char const* verb, std::string const& sentence,
                                     upsweep_status status = UPSWEEP_INVALID_ARGUMENT);
/// Refuses values that are not enumerators.
UPSWEEP_API void require_known(char const* verb, upsweep_type type, upsweep_operator op);
/// Refuses null or misaligned pointers and an impossible n; `writes` is whether `out` is needed.
UPSWEEP_API void require_arrays(char const* verb, upsweep_type type, void const* in, std::size_t n,
                                upsweep_type result, void const* out, bool writes);
/// Refuses an array of n elements of `type` that is null, misaligned or larger than memory. `name`
/// is that of the argument, `count` that of n.
UPSWEEP_API void require_array(char const* function, char const* name, upsweep_type type,
                               void const* first, char const* count, std::size_t n);
/// Refuses a null pointer.
UPSWEEP_API void require_pointer(char const* function, char const* name, void const* p);

/// "UPSWEEP_F32", "UPSWEEP_SUM": the names of known enumerators.
[[nodiscard]] UPSWEEP_API std::string name_of(upsweep_type type);
[[nodiscard]] UPSWEEP_API std::string name_of(upsweep_operator op);

/// How many elements of a type memory can hold.
[[nodiscard]] inline std::size_t most_elements(upsweep_type type) {
  std::size_t const size = upsweep_type_size(type);
  return PTRDIFF_MAX / (size > 0 ? size : 1);
}
/// Whether `p` is not a multiple of `size`, a power of two.
[[nodiscard]] inline bool misaligned(void const* p, std::size_t size) {
  return (reinterpret_cast<std::uintptr_t>(p) & (size - 1)) != 0;
}

/// The options that the caller's version of the struct has; this library's defaults for the rest.
/// `init` is the name of the caller's initializer, for messages. Null gives the defaults.
template <class Options>
[[nodiscard]] Options known_options(char const* verb, Options const* given, Options const& defaults,
                                    char const* init) {
  Options o = defaults;
  if (!given) return o;
  if (given->size < sizeof given->size || given->size > sizeof o)
    refuse(verb, "options->size is " + std::to_string(given->size) + ", but this library knows " +
                     std::to_string(sizeof o) + " bytes of options; start from " + init);
  std::memcpy(&o, given, given->size);
  return o;
}
/// Checks the members that all kinds of options have. `flags` are the flags that the call accepts,
/// `flag_names` their names.
UPSWEEP_API void require_mode_and_flags(char const* verb, upsweep_mode mode, unsigned given,
                                        unsigned flags, char const* flag_names);

/// Stores the sentence of a failure for this thread, and returns its code.
UPSWEEP_API upsweep_status failed(upsweep_status status, char const* sentence,
                                  std::uint64_t index = 0) noexcept;
/// Inside a catch block: the same for the exception that is being handled.
UPSWEEP_API upsweep_status failed_by_current_exception() noexcept;

/// Runs f and turns what it throws into a code and this thread's last error, by `code` inside the
/// catch block. Coefficients are converted, and statistics derived, outside of a verb: therefore
/// the environment.
template <class F>
upsweep_status guarded(F const& f,
                       upsweep_status (*code)() noexcept = failed_by_current_exception) noexcept {
  detail::float_environment const ieee;
  try {
    f();
    return UPSWEEP_OK;
  } catch (...) {
    return code();
  }
}

}  // namespace upsweep::c_api
