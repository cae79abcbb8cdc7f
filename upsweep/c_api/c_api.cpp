/// The functions of upsweep.h: they check their arguments, find the entry of the tables, and turn
/// exceptions into codes with a sentence.
#include <upsweep/c_api/failures.hpp>
#include <upsweep/c_api/table.hpp>
#include <upsweep/core/version.hpp>

#include <string>

namespace upsweep::c_api {
namespace {

/// All pairs, by type and operator; a pair that does not exist has no functions.
class directory {
 public:
  directory() {
    for (auto family : {sums, products, minima, maxima, positions, bits, truths, divisors,
                        checked_results, exact_sums})
      for (entry const& e : family()) entries_[e.type][e.op] = e;
  }
  [[nodiscard]] entry const& find(char const* verb, upsweep_type type, upsweep_operator op) const {
    require_known(verb, type, op);
    entry const& e = entries_[type][op];
    if (!e.reduce)
      refuse(verb,
             name_of(op) + " is not defined for " + name_of(type) +
                 "; upsweep.h lists the types of each operator",
             UPSWEEP_UNSUPPORTED);
    return e;
  }

 private:
  entry entries_[UPSWEEP_F64 + 1][UPSWEEP_EXACT_SUM + 1] = {};
};

directory const& all() {
  static directory const d;
  return d;
}

call checked_call(char const* verb, entry const& e, upsweep_options const* given) {
  upsweep_options const o =
      known_options<upsweep_options>(verb, given, UPSWEEP_OPTIONS_INIT, "UPSWEEP_OPTIONS_INIT");
  if (o.threads < 0)
    refuse(verb, "options->threads is " + std::to_string(o.threads) +
                     "; give 0 for all available, or a count");
  require_mode_and_flags(verb, o.mode, o.flags, UPSWEEP_REVERSE, "flag is UPSWEEP_REVERSE");
  if (o.initial && !e.takes_initial)
    refuse(verb, name_of(e.op) + " takes no initial value; leave options->initial NULL");
  if (misaligned(o.initial, upsweep_type_size(e.result)))
    refuse(verb, "options->initial is not aligned to its type, " + name_of(e.result));
  return {
      e.op,
      cpu{.threads = o.threads, .mode = o.mode == UPSWEEP_FAST ? mode::fast : mode::reproducible},
      (o.flags & UPSWEEP_REVERSE) != 0, o.initial};
}

upsweep_status run(char const* verb, decltype(&entry::reduce) function, upsweep_type type,
                   upsweep_operator op, void const* in, std::size_t n,
                   upsweep_options const* options, void* out) {
  return guarded([&] {
    entry const& e = all().find(verb, type, op);
    call const c = checked_call(verb, e, options);
    bool const writes = function == &entry::reduce || n > 0;
    require_arrays(verb, e.type, in, n, e.result, out, writes);
    if (writes) (e.*function)(in, n, c, out);
  });
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;

upsweep_status upsweep_reduce(upsweep_type type, upsweep_operator op, void const* in, size_t n,
                              upsweep_options const* options, void* out) {
  return c_api::run("upsweep_reduce", &c_api::entry::reduce, type, op, in, n, options, out);
}

upsweep_status upsweep_inclusive_scan(upsweep_type type, upsweep_operator op, void const* in,
                                      size_t n, upsweep_options const* options, void* out) {
  return c_api::run("upsweep_inclusive_scan", &c_api::entry::inclusive, type, op, in, n, options,
                    out);
}

upsweep_status upsweep_exclusive_scan(upsweep_type type, upsweep_operator op, void const* in,
                                      size_t n, upsweep_options const* options, void* out) {
  return c_api::run("upsweep_exclusive_scan", &c_api::entry::exclusive, type, op, in, n, options,
                    out);
}

upsweep_status upsweep_result_type(upsweep_type type, upsweep_operator op, upsweep_type* result) {
  return c_api::guarded([&] {
    char const* const verb = "upsweep_result_type";
    if (!result) c_api::refuse(verb, "`result` is NULL");
    *result = c_api::all().find(verb, type, op).result;
  });
}

char const* upsweep_version(void) {
  return upsweep::version;
}
int upsweep_tree_version(void) {
  return upsweep::tree_version;
}
