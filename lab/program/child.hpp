/// The process of a user's program.
#pragma once

#include <lab/program/program.hpp>

#include <csignal>

namespace upsweep::lab {

/// A process that gets this signal ends; it says first where its kernel is.
inline constexpr int signal_to_say_where = SIGXCPU;

/// Loads the module, calls its `main` and exits as that says, or runs the kernel that is asked for.
/// Lines about launches and findings go to the file descriptor `report`.
[[noreturn]] void become_program(program_request const& asked, int report);

}  // namespace upsweep::lab
