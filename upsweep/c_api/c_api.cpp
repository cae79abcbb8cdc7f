/// The functions of upsweep.h: they check their arguments, find the entry of the pair, and turn
/// exceptions into codes with a sentence.
#include <upsweep/c_api/failures.hpp>
#include <upsweep/c_api/vocabulary.hpp>
#include <upsweep/core/version.hpp>
#include <upsweep/dynamic/run.hpp>

#include <string>

namespace upsweep::c_api {
namespace {

using dynamic::call_entry;
using dynamic::verb;

call_entry const& find(char const* function, upsweep_type type, upsweep_operator op) {
  require_known(function, type, op);
  if (call_entry const* const e = dynamic::find(id_of(op), dtype_of(type))) return *e;
  refuse(function,
         name_of(op) + " is not defined for " + name_of(type) +
             "; upsweep.h lists the types of each operator",
         UPSWEEP_UNSUPPORTED);
}

dynamic::request checked_request(char const* function, call_entry const& e,
                                 upsweep_options const* given) {
  upsweep_options const o =
      known_options<upsweep_options>(function, given, UPSWEEP_OPTIONS_INIT, "UPSWEEP_OPTIONS_INIT");
  if (o.threads < 0)
    refuse(function, "options->threads is " + std::to_string(o.threads) +
                         "; give 0 for all available, or a count");
  require_mode_and_flags(function, o.mode, o.flags, UPSWEEP_REVERSE, "flag is UPSWEEP_REVERSE");
  upsweep_type const result = type_of(e.result);
  if (o.initial && !e.takes_initial)
    refuse(function,
           name_of(operator_of(e.op)) + " takes no initial value; leave options->initial NULL");
  if (misaligned(o.initial, upsweep_type_size(result)))
    refuse(function, "options->initial is not aligned to its type, " + name_of(result));
  mode const m = o.mode == UPSWEEP_FAST ? mode::fast : mode::reproducible;
  return {cpu{.threads = o.threads, .mode = m}, (o.flags & UPSWEEP_REVERSE) != 0, o.initial};
}

upsweep_status run(char const* function, verb v, upsweep_type type, upsweep_operator op,
                   void const* in, std::size_t n, upsweep_options const* options, void* out) {
  return guarded([&] {
    call_entry const& e = find(function, type, op);
    dynamic::request const how = checked_request(function, e, options);
    bool const writes = dynamic::results_of(v, n) > 0;
    require_arrays(function, type, in, n, type_of(e.result), out, writes);
    if (writes) e.run(v, in, n, how, out);
  });
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;

upsweep_status upsweep_reduce(upsweep_type type, upsweep_operator op, void const* in, size_t n,
                              upsweep_options const* options, void* out) {
  return c_api::run("upsweep_reduce", upsweep::dynamic::verb::reduce, type, op, in, n, options,
                    out);
}

upsweep_status upsweep_inclusive_scan(upsweep_type type, upsweep_operator op, void const* in,
                                      size_t n, upsweep_options const* options, void* out) {
  return c_api::run("upsweep_inclusive_scan", upsweep::dynamic::verb::inclusive_scan, type, op, in,
                    n, options, out);
}

upsweep_status upsweep_exclusive_scan(upsweep_type type, upsweep_operator op, void const* in,
                                      size_t n, upsweep_options const* options, void* out) {
  return c_api::run("upsweep_exclusive_scan", upsweep::dynamic::verb::exclusive_scan, type, op, in,
                    n, options, out);
}

upsweep_status upsweep_result_type(upsweep_type type, upsweep_operator op, upsweep_type* result) {
  return c_api::guarded([&] {
    char const* const verb = "upsweep_result_type";
    if (!result) c_api::refuse(verb, "`result` is NULL");
    *result = c_api::type_of(c_api::find(verb, type, op).result);
  });
}

char const* upsweep_version(void) {
  return upsweep::version;
}
int upsweep_tree_version(void) {
  return upsweep::tree_version;
}
