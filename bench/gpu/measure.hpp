/// Times competitors on one configuration, in turns: plain launches and replays of a graph, cold
/// and warm, and the host's share.
#pragma once

#include <cuda_runtime_api.h>

#include <bench/gpu/line_up.hpp>
#include <bench/gpu/memory.hpp>
#include <string>
#include <vector>

namespace upsweep::gpu_bench {

struct settings {
  int rounds = 7;
  double batch_us = 300;  ///< calls of one batch take about this long together ...
  int least_calls = 2;    ///< ... within these bounds
  int most_calls = 100;
};

/// The times of one competitor on one configuration, in microseconds for a call, one for each
/// round.
struct series {
  std::string competitor;
  std::string launch;  ///< "plain" or "graph"; "host" is what a plain call keeps the host busy
  bool cold = true;
  std::vector<double> us;
};

class meter {
 public:
  /// `flush` is memory of at least twice the size of the L2.
  meter(cudaStream_t stream, device_memory const& flush, settings const& s);
  ~meter();
  meter(meter const&) = delete;
  meter& operator=(meter const&) = delete;

  /// All competitors, launched plainly: each round has one batch of each. A batch lies between two
  /// events.
  [[nodiscard]] std::vector<series> plain(std::vector<competitor> const& all, slots& memory,
                                          bool cold);
  /// Those that can be recorded: a graph of one batch, the events nodes of it, replayed once a
  /// round.
  [[nodiscard]] std::vector<series> graph(std::vector<competitor> const& all, slots& memory,
                                          bool cold);
  /// What a call keeps the host busy while the device keeps up.
  [[nodiscard]] std::vector<series> host(std::vector<competitor> const& all, slots& memory);

 private:
  struct recording;

  double time_calls(competitor const& c, slots& memory, int calls);
  int calls_for(competitor const& c, slots& memory);
  void record(recording& to, competitor const& c, slots& memory, int calls);
  void wait();

  cudaStream_t stream_;
  device_memory const& flush_;
  settings settings_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

[[nodiscard]] double median(std::vector<double> values);

}  // namespace upsweep::gpu_bench
