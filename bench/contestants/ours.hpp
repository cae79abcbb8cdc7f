/// Upsweep's side of the rows: reductions and scans by name and in a large source file, and the
/// verbs, one file a kind.
#pragma once

#include <bench/harness/competitor.hpp>

#include <upsweep/host/executor.hpp>

#include <cstddef>
#include <span>

namespace upsweep::bench {

/// How `on` does a work that is by name.
[[nodiscard]] timed_run run_by_name(work const& w, std::size_t n, cpu on);
/// The library's plan for it.
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
