/// The options that the laboratory's commands share.
#pragma once

#include <cli/registry.hpp>
#include <lab/run.hpp>

#include <string>
#include <vector>

namespace upsweep::cli {

struct run_flags {
  std::string op = "sum", type, schedule = "in-order", on = "sim";
  std::uint64_t n = 1000, seed = 0;
  unsigned resident = 16;
  int block = 256;
  bool exclusive = false, json = false;

  /// The run of `stem` that was asked for. Throws usage_error when it makes no sense, and
  /// tool_error 5 for a machine that is not there.
  [[nodiscard]] lab::request of(std::string const& stem) const;
  /// The same for what only the emulator knows: counters and traces. Throws usage_error for --on
  /// cuda.
  [[nodiscard]] lab::request of_emulated(std::string const& stem) const;
};

/// -n, --op, --dtype, --block, --schedule, --seed, --resident, --exclusive, --on.
void add_run_options(registry& tool, CLI::App& command, run_flags& flags);

/// A STEM argument, which completion knows.
CLI::Option* stem_argument(registry& tool, CLI::App& command, std::string& stem);
CLI::Option* stem_arguments(registry& tool, CLI::App& command, std::vector<std::string>& stems);

}  // namespace upsweep::cli
