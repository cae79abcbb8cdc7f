/// Options shared by the laboratory's commands.
#pragma once

#include <cli/registry.hpp>
#include <lab/run.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace upsweep::cli {

struct run_flags {
  std::string op = "sum", type, schedule = "in-order", on = "sim";
  std::uint64_t n = 1000, seed = 0;
  unsigned resident = 16;
  std::string values;         ///< the elements, "6,2,7,4"; empty: they are made from the seed
  std::string block = "256";  ///< threads; for a kernel of a file up to three numbers: "16,16"
  bool exclusive = false, ones = false, json = false;
  std::string gpu;  ///< whose time is estimated; empty: none

  /// The requested run of `stem`. Throws usage_error for an invalid combination and
  /// unavailable_error for a machine that is not available.
  [[nodiscard]] lab::request of(std::string const& stem) const;
  /// `block` as one number. Throws usage_error.
  [[nodiscard]] int threads() const;
  /// The emulator's options, which all kinds of runs have.
  [[nodiscard]] sim::options machine() const;
  /// The same as `of` for counters and traces, which only the emulator has. Throws usage_error for
  /// --on cuda.
  [[nodiscard]] lab::request of_emulated(std::string const& stem) const;
};

/// -n, --op, --dtype, --block, --ones, --schedule, --seed, --resident, --exclusive, --on.
void add_run_options(options const& add, run_flags& flags);

/// --op, --dtype.
void add_element_options(options const& add, run_flags& flags);
/// --values: the elements of a textbook kernel, or of a buffer of a kernel of a file.
void add_values_option(options const& add, run_flags& flags);
/// Sets n to the number of --values of a textbook kernel. Throws usage_error if -n or --ones says
/// otherwise.
void settle_values(CLI::App const& command, run_flags& flags);

/// Of a STEM argument: completion knows the kernels, and these words.
[[nodiscard]] std::function<option_trait> a_stem(std::vector<std::string> const& others = {});

}  // namespace upsweep::cli
