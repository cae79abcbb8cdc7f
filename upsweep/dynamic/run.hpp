/// Calls by name: a verb with an operator over elements of a type, all three known at run time. The
/// C interface, the tool and the benchmark call the library through these entries.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/dynamic/dtype.hpp>
#include <upsweep/dynamic/verb.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/catalog.hpp>

#include <cstddef>
#include <span>

namespace upsweep::dynamic {

/// How a call runs; the caller has checked it.
struct request {
  cpu on{};
  bool reverse = false;
  void const* initial = nullptr;  ///< one result, combined on the left of everything; null: none
};

/// An operator over elements of one type; for `affine` an element is a pair of numbers of that
/// type. Arrays are contiguous and aligned; a call writes results_of(verb, n) results.
struct call_entry {
  catalog::id op;
  dtype element;
  dtype result;
  bool takes_initial;  ///< false for argmin and argmax, whose results lack the value
  void (*calls[3])(void const* in, std::size_t n, request const& how, void* out);  ///< by verb
  host::plan (*plan)(verb v, std::size_t n, int threads, bool in_place);
  /// The reductions of all windows (dynamic/verbs/segments.hpp); null if they share no totals.
  void (*windowed)(void const* in, std::size_t n, std::size_t width, request const& how, void* out);

  void run(verb v, void const* in, std::size_t n, request const& how, void* out) const {
    calls[static_cast<int>(v)](in, n, how, out);
  }
};

/// The entry of a pair, or null if it is not compiled (dynamic/compiled.hpp has the list).
[[nodiscard]] UPSWEEP_API call_entry const* find(catalog::id op, dtype element) noexcept;

/// All entries, family by family.
[[nodiscard]] UPSWEEP_API std::span<std::span<call_entry const> const> all_entries() noexcept;

}  // namespace upsweep::dynamic
