/// The checks of the C interface, and the last error of each thread.
#include <upsweep/c_api/failures.hpp>
#include <upsweep/c_api/vocabulary.hpp>
#include <upsweep/core/errors.hpp>

#include <exception>
#include <new>
#include <string_view>

namespace upsweep::c_api {
namespace {

struct last_error {
  std::string sentence;
  std::uint64_t index = 0;
};
thread_local last_error last;

/// "F32" for "f32", "MIN_NUMBER" for "min-number": the names of C.
std::string in_c(std::string_view name) {
  std::string result = "UPSWEEP_";
  for (char const c : name)
    result += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

bool known(upsweep_type type) {
  return type >= UPSWEEP_I8 && type <= UPSWEEP_F64;
}
bool known(upsweep_operator op) {
  return op >= UPSWEEP_SUM && op <= last_operator;
}

}  // namespace

void refuse(char const* verb, std::string const& sentence, upsweep_status status) {
  throw refusal{status, std::string(verb) + ": " + sentence};
}

void require_known(char const* verb, upsweep_type type, upsweep_operator op) {
  if (!known(type))
    refuse(verb, std::to_string(static_cast<int>(type)) +
                     " is not an upsweep_type; the last is UPSWEEP_F64");
  if (!known(op))
    refuse(verb, std::to_string(static_cast<int>(op)) +
                     " is not an upsweep_operator; the last is " + name_of(last_operator));
}

void require_arrays(char const* verb, upsweep_type type, void const* in, std::size_t n,
                    upsweep_type result, void const* out, bool writes) {
  if (!in && n > 0) refuse(verb, "`in` is NULL, but n is " + std::to_string(n));
  if (!out && writes) refuse(verb, "`out` is NULL");
  if (n > most_elements(type))
    refuse(verb, "n is " + std::to_string(n) + ", more elements than memory can hold");
  if (misaligned(in, upsweep_type_size(type)))
    refuse(verb, "`in` is not aligned to its type, " + name_of(type));
  if (misaligned(out, upsweep_type_size(result)))
    refuse(verb, "`out` is not aligned to its type, " + name_of(result));
}

void require_mode_and_flags(char const* verb, upsweep_mode mode, unsigned given, unsigned flags,
                            char const* flag_names) {
  if (mode != UPSWEEP_REPRODUCIBLE && mode != UPSWEEP_FAST)
    refuse(verb, "options->mode is " + std::to_string(static_cast<int>(mode)) +
                     "; give UPSWEEP_REPRODUCIBLE or UPSWEEP_FAST");
  if ((given & ~flags) != 0)
    refuse(verb, "options->flags is " + std::to_string(given) + "; the only " + flag_names);
}

std::string name_of(upsweep_type type) {
  return in_c(dynamic::name_of(dtype_of(type)));
}
std::string name_of(upsweep_operator op) {
  return in_c(catalog::name_of(id_of(op)));
}

upsweep_status failed(upsweep_status status, char const* sentence, std::uint64_t index) noexcept {
  last.index = index;
  try {
    last.sentence = sentence;
  } catch (...) {
    last.sentence.clear();  // no memory for the sentence; the caller still gets the code
  }
  return status;
}

upsweep_status failed_by_current_exception() noexcept {
  try {
    throw;
  } catch (refusal const& r) {
    return failed(r.status, r.sentence.c_str());
  } catch (overflow_error const& e) {
    return failed(UPSWEEP_OVERFLOW, e.what(), e.index());
  } catch (precondition_error const& e) {
    return failed(UPSWEEP_INVALID_ARGUMENT, e.what());
  } catch (std::bad_alloc const&) {
    return failed(UPSWEEP_OUT_OF_MEMORY,
                  "there is not enough memory for the call's temporary storage");
  } catch (std::exception const& e) {
    return failed(UPSWEEP_INTERNAL, e.what());
  } catch (...) {
    return failed(UPSWEEP_INTERNAL,
                  "a function of the caller threw something that is no exception");
  }
}

}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;

size_t upsweep_type_size(upsweep_type type) {
  return c_api::known(type) ? upsweep::dynamic::size_of(c_api::dtype_of(type)) : 0;
}
char const* upsweep_last_error_message(void) {
  return c_api::last.sentence.c_str();
}
uint64_t upsweep_last_error_index(void) {
  return c_api::last.index;
}
