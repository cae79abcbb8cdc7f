/// CUDA runtime calls that fail on demand: the linker redirects the library's calls to them
/// (--wrap). Without a GPU they are not forwarded but simulate a device on which kernels do
/// nothing, so that every failure is tested on every machine.
#pragma once

#include <cstddef>
#include <string>

namespace upsweep::test::injected {

/// From now on the calls of the library are counted, and call number `k` (from 1) fails; none if k
/// is 0.
void start(int k);
/// Every call fails as on a machine without a GPU.
void start_without_device();
/// Calls pass again. Returns the name of the function that failed, or nothing.
[[nodiscard]] std::string stop();

/// Kernels that have been launched since start().
[[nodiscard]] int launches();

/// Whether the library's sentence about a failure of that function says what it was doing.
[[nodiscard]] bool names(std::string const& function, std::string const& sentence);
/// CUDA's number for the failure.
[[nodiscard]] int code_for(std::string const& function);
/// True for functions that free something, whose failure need not be reported.
[[nodiscard]] bool is_free(std::string const& function);

/// Allocations of the library that have not been freed.
[[nodiscard]] std::size_t live();
/// An error that the library has left for the program's own cudaGetLastError().
[[nodiscard]] bool left_an_error();

/// Whether the machine has a GPU; without one the calls simulate one.
[[nodiscard]] bool has_gpu();
/// For the simulated device: whether streams report that they are captured.
void play_recording(bool recorded);
/// Turns the simulation off: without a GPU the calls then go to the runtime.
void play(bool yes);

}  // namespace upsweep::test::injected
