/// What the functions of upsweep.h share: the entry of a pair, their options, their arrays.
#pragma once

#include <upsweep/by_name/run.hpp>
#include <upsweep/c_api/failures.hpp>
#include <upsweep/c_api/vocabulary.hpp>

#include <cstddef>
#include <optional>

namespace upsweep::c_api {

/// The entry of a pair; refuses unknown enumerators, and pairs that do not exist.
[[nodiscard]] dynamic::call_entry const& entry_of(char const* function, upsweep_type type,
                                                  upsweep_operator op);
/// The element type; refuses unknown enumerators, and types that the library was compiled without.
[[nodiscard]] dynamic::dtype element_of(char const* function, upsweep_type type);

/// The options of a call. `flags` are those that it accepts, `flag_names` their names;
/// `initial` is the type of its initial value, if it takes one.
[[nodiscard]] dynamic::request request_of(char const* function, upsweep_options const* given,
                                          unsigned flags, char const* flag_names,
                                          std::optional<upsweep_type> initial);
/// The flags that reductions and scans accept.
[[nodiscard]] constexpr unsigned flags_of(dynamic::verb v) {
  return v == dynamic::verb::reduce ? UPSWEEP_REVERSE | UPSWEEP_PAIRWISE
                                    : unsigned{UPSWEEP_REVERSE};
}
/// The options of a call with an entry: those of upsweep_reduce.
[[nodiscard]] dynamic::request request_of(char const* function, upsweep_options const* given,
                                          dynamic::call_entry const& e, unsigned flags);
/// The options of a call that takes only threads.
[[nodiscard]] cpu executor_of(char const* function, upsweep_options const* given);

/// Refuses an output that takes more elements than its capacity.
void require_room(char const* function, char const* name, std::size_t count, std::size_t capacity);
/// The same after storing how many elements it takes.
void store_count(char const* function, char const* name, std::size_t count, std::size_t capacity,
                 std::size_t* to);

}  // namespace upsweep::c_api
