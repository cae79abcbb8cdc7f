/// The reductions and scans of upsweep.h: they check their arguments, find the entry of the pair,
/// and turn exceptions into codes with a sentence.
#include <upsweep/by_name/verbs/recurrences.hpp>
#include <upsweep/c_api/requests.hpp>
#include <upsweep/core/version.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace upsweep::c_api {
namespace {

using dynamic::verb;

/// The function of a verb. A statically linked program has the code of those that it calls.
using call_of_verb = void (dynamic::call_entry::*)(void const*, std::size_t,
                                                   dynamic::request const&, void*) const;

upsweep_status run(char const* function, verb v, call_of_verb call, upsweep_type type,
                   upsweep_operator op, void const* in, std::size_t n,
                   upsweep_options const* options, void* out) {
  return guarded([&] {
    dynamic::call_entry const& e = entry_of(function, type, op);
    dynamic::request const how = request_of(function, options, e, flags_of(v));
    bool const writes = dynamic::results_of(v, n) > 0;
    require_arrays(function, type, in, n, type_of(e.result), out, writes);
    if (writes) (e.*call)(in, n, how, out);
  });
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;

upsweep_status upsweep_reduce(upsweep_type type, upsweep_operator op, void const* in, size_t n,
                              upsweep_options const* options, void* out) {
  return c_api::run("upsweep_reduce", upsweep::dynamic::verb::reduce,
                    &upsweep::dynamic::call_entry::reduce, type, op, in, n, options, out);
}

upsweep_status upsweep_inclusive_scan(upsweep_type type, upsweep_operator op, void const* in,
                                      size_t n, upsweep_options const* options, void* out) {
  return c_api::run("upsweep_inclusive_scan", upsweep::dynamic::verb::inclusive_scan,
                    &upsweep::dynamic::call_entry::inclusive_scan, type, op, in, n, options, out);
}

upsweep_status upsweep_exclusive_scan(upsweep_type type, upsweep_operator op, void const* in,
                                      size_t n, upsweep_options const* options, void* out) {
  return c_api::run("upsweep_exclusive_scan", upsweep::dynamic::verb::exclusive_scan,
                    &upsweep::dynamic::call_entry::exclusive_scan, type, op, in, n, options, out);
}

upsweep_status upsweep_recurrence(upsweep_type type, double const* coefficients, size_t order,
                                  void const* in, size_t n, upsweep_options const* options,
                                  void* out) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_recurrence";
    auto const element = c_api::element_of(function, type);
    if (type != UPSWEEP_F32 && type != UPSWEEP_F64)
      c_api::refuse(function, "recurrences are defined for UPSWEEP_F32 and UPSWEEP_F64 only",
                    UPSWEEP_UNSUPPORTED);
    if (order < 1 || order > upsweep::dynamic::largest_recurrence)
      c_api::refuse(function, "the order is " + std::to_string(order) + "; it is between 1 and " +
                                  std::to_string(upsweep::dynamic::largest_recurrence));
    auto const how =
        c_api::request_of(function, options, UPSWEEP_REVERSE, "flag is UPSWEEP_REVERSE", type);
    c_api::require_array(function, "coefficients", UPSWEEP_F64, coefficients, "the order", order);
    c_api::require_array(function, "in", type, in, "n", n);
    c_api::require_array(function, "out", type, out, "n", n);
    for (std::size_t k = 0; k < order; ++k)
      if (!std::isfinite(coefficients[k]))
        c_api::refuse(function, "coefficient " + std::to_string(k) + " is " +
                                    std::to_string(coefficients[k]) + "; it must be finite");
    upsweep::dynamic::recurrence(element, coefficients, order, in, n, how, out);
  });
}

upsweep_status upsweep_result_type(upsweep_type type, upsweep_operator op, upsweep_type* result) {
  return c_api::guarded([&] {
    char const* const verb = "upsweep_result_type";
    if (!result) c_api::refuse(verb, "`result` is NULL");
    *result = c_api::type_of(c_api::entry_of(verb, type, op).result);
  });
}

char const* upsweep_version(void) {
  return upsweep::version;
}
int upsweep_tree_version(void) {
  return upsweep::tree_version;
}
