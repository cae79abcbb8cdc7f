/// The verbs over segments, runs and windows by name: an operator over elements of a type, both
/// known at run time.
///
/// Arrays are contiguous and aligned. Overlaps, wrong borders and `.reverse` are refused by
/// precondition_error as by the C++ verbs, whose bits the results have.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/by_name/run.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::dynamic {

/// `count` segments of an array of n elements: segment k has the elements [borders[k],
/// borders[k + 1]).
struct segments {
  void const* in;
  std::size_t n;
  std::uint64_t const* borders;
  std::size_t count;
};
/// Stores the reduction of segment k at out[k]. A scan stores the result of element i at out[i];
/// its `out` may be the input if elements and results have one type. Throws unless the borders
/// ascend from 0 to n.
UPSWEEP_API void run_segments(verb v, call_entry const& e, segments const& s, request const& how,
                              void* out);

/// An array of n elements with their keys. Neighbors with equal keys (by ==) are a run.
struct keyed_array {
  dtype key;
  void const* keys;
  void const* in;
  std::size_t n;
};
/// Stores the first key of each run and the reduction of its elements, of as many runs as there is
/// room for, and returns the number of runs.
UPSWEEP_API std::size_t reduce_runs(call_entry const& e, keyed_array const& x, request const& how,
                                    void* keys_out, void* out, std::size_t room);
/// The scan of each run; `out` may be the elements.
UPSWEEP_API void scan_runs(verb v, call_entry const& e, keyed_array const& x, request const& how,
                           void* out);

/// Stores the reduction of the `width` > 0 elements from element i on at out[i], for each i for
/// which there are as many.
UPSWEEP_API void windowed(call_entry const& e, void const* in, std::size_t n, std::size_t width,
                          request const& how, void* out);

}  // namespace upsweep::dynamic
