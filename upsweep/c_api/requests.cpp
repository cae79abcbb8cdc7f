/// The checks that the functions of upsweep.h share.
#include <upsweep/c_api/requests.hpp>

#include <string>

namespace upsweep::c_api {

namespace {

/// Integers have no NaN that MIN_NUMBER and MAX_NUMBER would ignore.
upsweep_operator same_over_integers(upsweep_type type, upsweep_operator op) {
  if (type > UPSWEEP_U64) return op;
  return op == UPSWEEP_MIN_NUMBER ? UPSWEEP_MIN : op == UPSWEEP_MAX_NUMBER ? UPSWEEP_MAX : op;
}

}  // namespace

dynamic::call_entry const& entry_of(char const* function, upsweep_type type, upsweep_operator op) {
  require_known(function, type, op);
  if (dynamic::call_entry const* const e =
          dynamic::find(id_of(same_over_integers(type, op)), dtype_of(type)))
    return *e;
  refuse(function,
         name_of(op) + " is not defined for " + name_of(type) +
             "; upsweep.h lists the types of each operator",
         UPSWEEP_UNSUPPORTED);
}

dynamic::dtype element_of(char const* function, upsweep_type type) {
  require_known(function, type, UPSWEEP_SUM);
  if (!dynamic::find(catalog::id::sum, dtype_of(type)))
    refuse(function, "this library was compiled without " + name_of(type), UPSWEEP_UNSUPPORTED);
  return dtype_of(type);
}

dynamic::request request_of(char const* function, upsweep_options const* given, unsigned flags,
                            char const* flag_names, std::optional<upsweep_type> initial) {
  upsweep_options const o =
      known_options<upsweep_options>(function, given, UPSWEEP_OPTIONS_INIT, "UPSWEEP_OPTIONS_INIT");
  if (o.threads < 0)
    refuse(function, "options->threads is " + std::to_string(o.threads) +
                         "; give 0 for all available, or a count");
  if (flags == 0 && o.flags != 0)
    refuse(function,
           "options->flags is " + std::to_string(o.flags) + ", but this function takes no flags");
  require_mode_and_flags(function, o.mode, o.flags, flags, flag_names);
  if (o.initial && !initial)
    refuse(function, "this function takes no initial value; leave options->initial NULL");
  if (o.initial && misaligned(o.initial, upsweep_type_size(*initial)))
    refuse(function, "options->initial is not aligned to its type, " + name_of(*initial));
  mode const m = o.mode == UPSWEEP_FAST ? mode::fast : mode::reproducible;
  return {cpu{.threads = o.threads, .mode = m}, (o.flags & UPSWEEP_REVERSE) != 0, o.initial,
          (o.flags & UPSWEEP_PAIRWISE) != 0 ? tree::pairwise : tree::prefix};
}

dynamic::request request_of(char const* function, upsweep_options const* given,
                            dynamic::call_entry const& e, unsigned flags) {
  // What is not taken needs no alignment.
  upsweep_type const initial = e.takes_initial ? type_of(e.result) : UPSWEEP_I8;
  char const* const names = (flags & UPSWEEP_PAIRWISE) != 0
                                ? "flags are UPSWEEP_REVERSE and UPSWEEP_PAIRWISE"
                                : "flag is UPSWEEP_REVERSE";
  dynamic::request const how = request_of(function, given, flags, names, initial);
  if (how.initial && !e.takes_initial)
    refuse(function,
           name_of(operator_of(e.op)) + " takes no initial value; leave options->initial NULL");
  return how;
}

cpu executor_of(char const* function, upsweep_options const* given) {
  return request_of(function, given, 0, "", {}).on;
}

void require_array(char const* function, char const* name, upsweep_type type, void const* first,
                   char const* count, std::size_t n) {
  auto const quoted = [&] { return std::string("`") + name + "`"; };
  if (!first && n > 0)
    refuse(function, quoted() + " is NULL, but " + count + " is " + std::to_string(n));
  if (n > most_elements(type))
    refuse(function, std::string(count) + " is " + std::to_string(n) +
                         ", more elements than memory can hold");
  if (misaligned(first, upsweep_type_size(type)))
    refuse(function, quoted() + " is not aligned to its type, " + name_of(type));
}

void require_pointer(char const* function, char const* name, void const* p) {
  if (!p) refuse(function, std::string("`") + name + "` is NULL");
}

void require_room(char const* function, char const* name, std::size_t count, std::size_t capacity) {
  if (count > capacity)
    refuse(function,
           std::string("`") + name + "` has room for " + std::to_string(capacity) +
               " elements, but there are " + std::to_string(count),
           UPSWEEP_CAPACITY);
}

void store_count(char const* function, char const* name, std::size_t count, std::size_t capacity,
                 std::size_t* to) {
  *to = count;
  require_room(function, name, count, capacity);
}

}  // namespace upsweep::c_api
