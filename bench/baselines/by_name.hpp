/// Upsweep's side of the rows by name.
#pragma once

#include <bench/harness/competitor.hpp>

#include <upsweep/host/executor.hpp>

namespace upsweep::bench {

/// How `on` does a work that is by name.
[[nodiscard]] timed_run run_by_name(work const& w, std::size_t n, cpu on);

/// The library's plan for it.
[[nodiscard]] host::plan plan_by_name(work const& w, std::size_t n, int threads);

}  // namespace upsweep::bench
