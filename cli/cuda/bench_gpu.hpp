/// What `upsweep bench` measures and plans on a GPU: reductions and inclusive scans with the
/// kernels that the library brings compiled.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::cli::gpu {

/// An operator and a type of elements that have compiled kernels: "sum" and "f32".
struct pair {
  std::string op, type;
};
/// All of them; none in a tool without CUDA.
[[nodiscard]] std::vector<pair> pairs();

struct request {
  bool scan = false;
  std::string op, type;  ///< one of pairs()
  std::size_t n = 0;

  /// "inclusive_scan sum f32".
  [[nodiscard]] std::string title() const {
    return (scan ? "inclusive_scan " : "reduce ") + op + ' ' + type;
  }
};

/// A plan of the library, for printing.
struct plan_row {
  request what;
  std::string algorithm;
  std::size_t tile = 0, blocks = 0, shared_bytes = 0, workspace_bytes = 0, traffic_bytes = 0;
  unsigned threads = 0, launches = 0;
};

/// The device for which plans are made: the current one, or the library's default where there is
/// none.
struct planned_device {
  std::string name;  ///< "NVIDIA H200", or "a default device"
  bool is_there = false;
  int capability = 0, multiprocessors = 0;
  std::size_t shared_bytes = 0;
};
[[nodiscard]] planned_device device_for_plans();
[[nodiscard]] std::vector<plan_row> plans(std::vector<request> const& all);

struct settings {
  int cpu_threads = 0;            ///< as many as there are when 0
  double batch_seconds = 300e-6;  ///< calls are repeated until they take about this long together
  double cell_seconds = 0.5;      ///< rounds go on until this is spent ...
  int least_rounds = 3, most_rounds = 11;  ///< ... within these bounds
};

/// The seconds of one call, one value for each round: on the processor, on the GPU for data that
/// are there, and of a copy on the device that moves as many bytes. Times are empty when the
/// results differ.
struct timing {
  std::size_t traffic = 0;  ///< bytes that a call moves at least
  std::vector<double> cpu, gpu, copy;
  std::size_t cpu_calls = 1, gpu_calls = 1, copy_calls = 1;  ///< timed together
  std::string
      difference;  ///< between processor and GPU, as a sentence; empty: every bit is the same
};

/// Bytes of memory that measure() takes here, and on the device.
struct footprint {
  std::size_t host = 0, device = 0;
};
[[nodiscard]] footprint needs(request const& r);
/// Device memory that is free.
[[nodiscard]] std::size_t free_memory();

/// Makes the elements, compares the results of processor and GPU, and times both. Throws
/// unavailable_error when CUDA fails.
[[nodiscard]] timing measure(request const& r, settings const& s);

}  // namespace upsweep::cli::gpu
