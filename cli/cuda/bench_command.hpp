/// `upsweep bench --on cuda`, and the plans of both devices.
#pragma once

#include <bench/rows/tables.hpp>

#include <string>
#include <vector>

#include <cli/bench/session.hpp>
#include <cli/bench/verbs.hpp>

namespace upsweep::cli {

/// Measures and prints these cells on the GPU and on the CPU, in about `seconds`. Throws
/// unavailable_error if CUDA fails.
void measure_on_gpu(bench_session& session, std::vector<bench::configuration> const& all,
                    double seconds);

/// Prints the plans for the current GPU, or for a default one if there is none; runs nothing. Also
/// writes the plans to the file `json` unless that is empty.
int explain_gpu_plans(std::vector<bench::configuration> const& all, std::string const& json,
                      bool force);

/// The same for the rows of `bench verbs`, and those that only a GPU has.
int explain_gpu_verbs(verbs_choice const& o);

/// Prints the plans of the CPU for these rows, on up to `threads` threads.
int explain_cpu_plans(std::vector<bench::row> const& rows, int threads, std::string const& json,
                      bool force);

}  // namespace upsweep::cli
