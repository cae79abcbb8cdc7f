/// Runs the `main` of a module, or one of its kernels, on the emulator, in a process of its own.
#pragma once

#include <upsweep/sim/options.hpp>
#include <upsweep/sim/report.hpp>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::lab {

/// A buffer that a kernel could write, after the launch.
struct output_buffer {
  std::string name, type;
  std::vector<std::string> values;

  friend bool operator==(output_buffer const&, output_buffer const&) = default;
};

/// A line that the program wrote by upsweep_check_say().
struct program_note {
  std::string text;
  std::size_t launches = 0;  ///< that had ended before
};

/// What became of a program that ran on the emulator.
struct program_outcome {
  sim::report report;                  ///< without counts of blocks
  std::vector<output_buffer> outputs;  ///< of a kernel called by name
  std::string failure;  ///< why the program did not end by itself, or not with status 0: a sentence
  bool stopped_by_limit = false;
  std::string running;  ///< if a limit stopped it in a launch: which thread was where
  std::vector<program_note> notes;
  std::string printed;  ///< its output, if that is kept
  int status = 0;       ///< exit status, or 128 + the signal that ended it
  double seconds = 0;

  [[nodiscard]] bool clean() const { return report.findings.empty() && failure.empty(); }
};

/// An argument of a kernel that is called by name.
struct kernel_argument {
  std::string name;
  std::optional<std::uint64_t> count;  ///< of a buffer's elements; none: it is a number
  std::string fill;                    ///< ramp, ones, zeros, random or nothing; empty: the default
  std::vector<std::string> values;     ///< the number, or the buffer's numbers
};

/// A launch of a kernel for which the module has an entry.
struct kernel_request {
  std::array<unsigned, 3> blocks{1, 1, 1}, threads{256, 1, 1};
  std::array<unsigned, 3> cluster{1, 1, 1};
  std::size_t shared_bytes = 0;
  std::vector<kernel_argument> arguments;  ///< in the order of the kernel's parameters
};

struct program_request {
  std::filesystem::path module;
  std::vector<std::string> arguments;      ///< argv, the name of the file first
  std::optional<kernel_request> kernel{};  ///< runs instead of main
  sim::options machine{};
  double seconds = 0;           ///< wall-clock limit; 0: none
  std::uint64_t memory = 0;     ///< limit of resident bytes; 0: none
  bool shows_progress = false;  ///< on standard error, after some seconds
  enum class output {
    own,        ///< standard output is the tool's
    to_errors,  ///< it goes to standard error
    none,       ///< nowhere
    kept,       ///< into the outcome
    checked     ///< a checker runs: the first bytes of all output go into the outcome, there is no
                ///< input, upsweep_check_say() makes notes, and files have at most 16 MiB
  } printed = output::own;
};

/// Runs the program; what it launched until it crashed or was stopped is in the outcome. Throws
/// io_error if no process can be made, data_error if the module cannot be loaded, and usage_error
/// if a kernel's arguments do not fit its parameters.
[[nodiscard]] program_outcome run_program(program_request const& asked);

/// A process that gets this signal ends; it says first where its kernel is.
inline constexpr int signal_to_say_where = SIGXCPU;

/// Loads the module, calls its `main` and exits as that says, or runs the kernel that is asked for.
/// Lines about launches and findings go to the file descriptor `report`.
[[noreturn]] void become_program(program_request const& asked, int report);

}  // namespace upsweep::lab
