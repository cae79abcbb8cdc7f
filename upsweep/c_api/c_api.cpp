/// The functions of upsweep.h: they check their arguments, find the entry of the tables, and turn exceptions into codes with a
/// sentence.
#include <upsweep/c_api/table.hpp>
#include <upsweep/core/version.hpp>

#include <cstring>
#include <exception>
#include <new>
#include <string>

namespace upsweep::c_api {
namespace {

struct last_error {
  std::string sentence;
  std::uint64_t index = 0;
};
thread_local last_error last;

/// Thrown inside the interface for what is not the C++ verbs' to find.
struct refusal {
  upsweep_status status;
  std::string sentence;
};

void require(bool condition, char const* verb, std::string const& sentence) {
  if (!condition) throw refusal{UPSWEEP_INVALID_ARGUMENT, std::string(verb) + ": " + sentence};
}

constexpr char const* type_names[] = {"?", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "F16", "BF16", "F32", "F64"};
constexpr std::size_t type_sizes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
constexpr char const* operator_names[] = {"?",
                                          "SUM",
                                          "PRODUCT",
                                          "MIN",
                                          "MAX",
                                          "MIN_IGNORING_NAN",
                                          "MAX_IGNORING_NAN",
                                          "BIT_AND",
                                          "BIT_OR",
                                          "BIT_XOR",
                                          "LOGICAL_AND",
                                          "LOGICAL_OR",
                                          "LOGICAL_XOR",
                                          "ARGMIN",
                                          "ARGMAX",
                                          "GCD",
                                          "CHECKED_SUM",
                                          "CHECKED_PRODUCT",
                                          "EXACT_SUM"};

bool known(upsweep_type type) {
  return type >= UPSWEEP_I8 && type <= UPSWEEP_F64;
}
bool known(upsweep_operator op) {
  return op >= UPSWEEP_SUM && op <= UPSWEEP_EXACT_SUM;
}

/// All pairs, by type and operator; a pair that does not exist has no functions.
class directory {
 public:
  directory() {
    for (auto family : {sums, products, minima, maxima, positions, bits, truths, divisors, checked_results, exact_sums})
      for (entry const& e : family()) entries_[e.type][e.op] = e;
  }
  [[nodiscard]] entry const& find(char const* verb, upsweep_type type, upsweep_operator op) const {
    require(known(type), verb, std::to_string(static_cast<int>(type)) + " is not an upsweep_type; the last is UPSWEEP_F64");
    require(known(op), verb, std::to_string(static_cast<int>(op)) + " is not an upsweep_operator; the last is UPSWEEP_EXACT_SUM");
    entry const& e = entries_[type][op];
    if (!e.reduce)
      throw refusal{UPSWEEP_UNSUPPORTED, std::string(verb) + ": UPSWEEP_" + operator_names[op] + " is not defined for UPSWEEP_" +
                                             type_names[type] + "; upsweep.h lists the types of each operator"};
    return e;
  }

 private:
  entry entries_[UPSWEEP_F64 + 1][UPSWEEP_EXACT_SUM + 1] = {};
};

directory const& all() {
  static directory const d;
  return d;
}

bool misaligned(void const* p, std::size_t size) {
  return reinterpret_cast<std::uintptr_t>(p) % size != 0;
}

call checked_call(char const* verb, entry const& e, upsweep_options const* given) {
  upsweep_options o = UPSWEEP_OPTIONS_INIT;
  if (given) {
    require(given->size > 0 && given->size <= sizeof o, verb,
            "options->size is " + std::to_string(given->size) + ", but this library knows " + std::to_string(sizeof o) +
                " bytes of options; start from UPSWEEP_OPTIONS_INIT");
    std::memcpy(&o, given, given->size);
  }
  require(o.threads >= 0, verb, "options->threads is " + std::to_string(o.threads) + "; give 0 for all available, or a count");
  require(o.mode == UPSWEEP_REPRODUCIBLE || o.mode == UPSWEEP_FAST, verb,
          "options->mode is " + std::to_string(static_cast<int>(o.mode)) + "; give UPSWEEP_REPRODUCIBLE or UPSWEEP_FAST");
  require((o.flags & ~static_cast<unsigned>(UPSWEEP_REVERSE)) == 0, verb,
          "options->flags is " + std::to_string(o.flags) + "; the only flag is UPSWEEP_REVERSE");
  require(!o.initial || e.takes_initial, verb,
          std::string("UPSWEEP_") + operator_names[e.op] + " takes no initial value; leave options->initial NULL");
  require(!misaligned(o.initial, type_sizes[e.result]), verb,
          std::string("options->initial is not aligned to its type, UPSWEEP_") + type_names[e.result]);
  return {e.op, cpu{.threads = o.threads, .mode = o.mode == UPSWEEP_FAST ? mode::fast : mode::reproducible},
          (o.flags & UPSWEEP_REVERSE) != 0, o.initial};
}

/// Runs f and turns what it throws into a code and this thread's last error.
template <class F>
upsweep_status guarded(F const& f) noexcept {
  auto failed = [](upsweep_status status, char const* sentence, std::uint64_t index) {
    last.index = index;
    try {
      last.sentence = sentence;
    } catch (...) {
      last.sentence.clear();  // no memory for the sentence; the code still tells
    }
    return status;
  };
  try {
    f();
    return UPSWEEP_OK;
  } catch (refusal const& r) {
    return failed(r.status, r.sentence.c_str(), 0);
  } catch (overflow_error const& e) {
    return failed(UPSWEEP_OVERFLOW, e.what(), e.index());
  } catch (precondition_error const& e) {
    return failed(UPSWEEP_INVALID_ARGUMENT, e.what(), 0);
  } catch (std::bad_alloc const&) {
    return failed(UPSWEEP_OUT_OF_MEMORY, "there is not enough memory for the call's scratch space", 0);
  } catch (std::exception const& e) {
    return failed(UPSWEEP_INTERNAL, e.what(), 0);
  } catch (...) {
    return failed(UPSWEEP_INTERNAL, "an exception that is not a std::exception", 0);
  }
}

upsweep_status run(char const* verb, decltype(&entry::reduce) function, upsweep_type type, upsweep_operator op, void const* in,
                   std::size_t n, upsweep_options const* options, void* out) {
  return guarded([&] {
    entry const& e = all().find(verb, type, op);
    call const c = checked_call(verb, e, options);
    bool const writes = function == &entry::reduce || n > 0;
    require(in || n == 0, verb, "`in` is NULL, but n is " + std::to_string(n));
    require(out || !writes, verb, "`out` is NULL");
    require(n <= SIZE_MAX / 8, verb, "n is " + std::to_string(n) + ", more elements than memory can hold");
    require(!misaligned(in, type_sizes[e.type]), verb,
            std::string("`in` is not aligned to its type, UPSWEEP_") + type_names[e.type]);
    require(!misaligned(out, type_sizes[e.result]), verb,
            std::string("`out` is not aligned to its type, UPSWEEP_") + type_names[e.result]);
    if (writes) (e.*function)(in, n, c, out);
  });
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;

upsweep_status upsweep_reduce(upsweep_type type, upsweep_operator op, void const* in, size_t n, upsweep_options const* options,
                              void* out) {
  return c_api::run("upsweep_reduce", &c_api::entry::reduce, type, op, in, n, options, out);
}

upsweep_status upsweep_inclusive_scan(upsweep_type type, upsweep_operator op, void const* in, size_t n,
                                      upsweep_options const* options, void* out) {
  return c_api::run("upsweep_inclusive_scan", &c_api::entry::inclusive, type, op, in, n, options, out);
}

upsweep_status upsweep_exclusive_scan(upsweep_type type, upsweep_operator op, void const* in, size_t n,
                                      upsweep_options const* options, void* out) {
  return c_api::run("upsweep_exclusive_scan", &c_api::entry::exclusive, type, op, in, n, options, out);
}

upsweep_status upsweep_result_type(upsweep_type type, upsweep_operator op, upsweep_type* result) {
  return c_api::guarded([&] {
    c_api::require(result, "upsweep_result_type", "`result` is NULL");
    *result = c_api::all().find("upsweep_result_type", type, op).result;
  });
}

size_t upsweep_type_size(upsweep_type type) {
  return c_api::known(type) ? c_api::type_sizes[type] : 0;
}
char const* upsweep_version(void) {
  return upsweep::version;
}
int upsweep_tree_version(void) {
  return upsweep::tree_version;
}
char const* upsweep_last_error_message(void) {
  return c_api::last.sentence.c_str();
}
uint64_t upsweep_last_error_index(void) {
  return c_api::last.index;
}
