/// Calls by name: a verb with an operator over elements of a type, all three known at run time. The
/// C interface, the tool and the benchmark call the library through these entries.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/executor.hpp>
#include <upsweep/names/dtype.hpp>
#include <upsweep/names/verb.hpp>
#include <upsweep/ops/catalog.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::dynamic {

/// How a call runs; the caller has checked it.
struct request {
  cpu on{};
  bool reverse = false;
  void const* initial = nullptr;  ///< one result, combined on the left of everything; null: none
  upsweep::tree tree = tree::prefix;  ///< of reduce()
};

/// An operator over elements of one type; for `affine` an element is a pair of numbers of that
/// type. Arrays are contiguous and aligned; a call writes results_of(verb, n) results. A program
/// that is linked statically has the code of those verbs that it calls; run() and plan() reach all.
struct UPSWEEP_API call_entry {
  catalog::id op;
  dtype element;
  dtype result;
  bool takes_initial;     ///< false for argmin and argmax, whose results lack the value
  bool shares_windows;    ///< whether windowed() may be called: windows share totals
  std::uint8_t place[2];  ///< its family, and its position there (by_name/instances.hpp)

  void reduce(void const* in, std::size_t n, request const& how, void* out) const;
  void inclusive_scan(void const* in, std::size_t n, request const& how, void* out) const;
  void exclusive_scan(void const* in, std::size_t n, request const& how, void* out) const;
  void run(verb v, void const* in, std::size_t n, request const& how, void* out) const;
  [[nodiscard]] host::plan plan(verb v, std::size_t n, int threads, bool in_place) const;
  /// The reductions of all windows (by_name/verbs/segments.hpp).
  void windowed(void const* in, std::size_t n, std::size_t width, request const& how,
                void* out) const;
};

/// The entry of a pair, or null if it is not compiled (names/compiled.hpp has the list).
[[nodiscard]] UPSWEEP_API call_entry const* find(catalog::id op, dtype element) noexcept;

/// All entries, family by family.
[[nodiscard]] UPSWEEP_API std::span<std::span<call_entry const> const> all_entries() noexcept;

}  // namespace upsweep::dynamic
