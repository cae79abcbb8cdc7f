/// Upsweep's side of the rows: reductions and scans by name and in a large source file, and the
/// verbs, one file a kind.
#pragma once

#include <bench/harness/competitor.hpp>

#include <upsweep/host/executor.hpp>

#include <cstddef>
#include <span>

namespace upsweep::bench {

/// The plan of the call that is measured, on up to `threads` threads.
[[nodiscard]] host::plan plan_of(work const& w, std::size_t n, int threads);

/// How `on` does a work that is by name, and its plan.
[[nodiscard]] timed_run run_by_name(work const& w, std::size_t n, cpu on);
[[nodiscard]] host::plan plan_by_name(work const& w, std::size_t n, int threads);

/// The calls of operation::user_in_large_file.
[[nodiscard]] run_function find_user_in_large_file(work const& w);
/// The other calls of that file.
float other_calls(std::span<float const> x, std::span<float const> y, std::span<float> out);

[[nodiscard]] verb_entries our_selections();
[[nodiscard]] verb_entries our_parts();  ///< segments, by key, windows
[[nodiscard]] verb_entries our_counts();
[[nodiscard]] verb_entries our_sorts();
[[nodiscard]] verb_entries our_scans();  ///< recurrences, polynomials, comma-separated values

/// All of them.
[[nodiscard]] verb_entries our_verbs();

}  // namespace upsweep::bench
