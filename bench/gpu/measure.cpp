/// Batches of back-to-back calls between two events of the stream, or between two nodes of a graph.
#include <bench/gpu/measure.hpp>
#include <upsweep/cuda/check.cuh>

#include <algorithm>
#include <chrono>
#include <memory>

namespace upsweep::gpu_bench {

double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

meter::meter(cudaStream_t stream, device_memory const& flush, settings const& s)
    : stream_(stream), flush_(flush), settings_(s) {
  check_cuda(cudaEventCreate(&begin_), "create an event");
  check_cuda(cudaEventCreate(&end_), "create an event");
}
meter::~meter() {
  (void)cudaEventDestroy(begin_);
  (void)cudaEventDestroy(end_);
}

void meter::wait() {
  check_cuda(cudaStreamSynchronize(stream_), "finish what was launched");
}

double meter::time_calls(competitor const& c, slots& memory, int calls) {
  check_cuda(cudaEventRecord(begin_, stream_), "record an event");
  for (int i = 0; i < calls; ++i) {
    auto const [in, out] = memory.take();
    c.enqueue(stream_, in, out);
  }
  check_cuda(cudaEventRecord(end_, stream_), "record an event");
  check_cuda(cudaEventSynchronize(end_), "finish the calls of " + c.name);
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "read the time");
  return static_cast<double>(milliseconds) * 1e3 / calls;
}

/// The first call also loads the kernel and lets workspaces grow.
int meter::calls_for(competitor const& c, slots& memory) {
  (void)time_calls(c, memory, 1);
  double const us = time_calls(c, memory, 3);
  return static_cast<int>(std::clamp(settings_.batch_us / us, double(settings_.least_calls),
                                     double(settings_.most_calls)));
}

std::vector<series> meter::plain(std::vector<competitor> const& all, slots& memory, bool cold) {
  std::vector<series> found;
  std::vector<int> calls;
  for (auto const& c : all) {
    calls.push_back(calls_for(c, memory));
    found.push_back({c.name, "plain", cold, {}});
  }
  for (int round = 0; round < settings_.rounds; ++round)
    for (std::size_t i = 0; i < all.size(); ++i)
      found[i].us.push_back(time_calls(all[i], memory, calls[i]));
  return found;
}

/// A batch of calls as a graph. The events are nodes of it, so the time that the graph takes to
/// start is not in the figure.
struct meter::recording {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t program = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  int calls = 0;

  recording() {
    check_cuda(cudaEventCreate(&begin), "create an event");
    check_cuda(cudaEventCreate(&end), "create an event");
  }
  ~recording() {
    if (program != nullptr) (void)cudaGraphExecDestroy(program);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
    (void)cudaEventDestroy(begin);
    (void)cudaEventDestroy(end);
  }
  recording(recording const&) = delete;
  recording& operator=(recording const&) = delete;

  double us() const {
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "read the time of a graph");
    return static_cast<double>(milliseconds) * 1e3 / calls;
  }
};

void meter::record(recording& to, competitor const& c, slots& memory, int calls) {
  auto const& call = c.record ? c.record : c.enqueue;
  auto const [in, out] = memory.take();
  call(stream_, in, out);  // a workspace cannot grow while it is recorded
  wait();
  to.calls = calls;
  check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
             "start to record a graph");
  try {
    check_cuda(cudaEventRecordWithFlags(to.begin, stream_, cudaEventRecordExternal),
               "record an event in a graph");
    for (int i = 0; i < calls; ++i) {
      auto const [from, into] = memory.take();
      call(stream_, from, into);
    }
    check_cuda(cudaEventRecordWithFlags(to.end, stream_, cudaEventRecordExternal),
               "record an event in a graph");
  } catch (...) {
    cudaGraph_t broken = nullptr;
    (void)cudaStreamEndCapture(stream_, &broken);
    if (broken != nullptr) (void)cudaGraphDestroy(broken);
    throw;
  }
  check_cuda(cudaStreamEndCapture(stream_, &to.graph), "record a graph of " + c.name);
  check_cuda(cudaGraphInstantiate(&to.program, to.graph, 0), "make a graph of " + c.name);
  check_cuda(cudaGraphUpload(to.program, stream_), "upload a graph of " + c.name);
}

std::vector<series> meter::graph(std::vector<competitor> const& all, slots& memory, bool cold) {
  std::vector<series> found;
  std::vector<std::unique_ptr<recording>> recordings;
  for (auto const& c : all) {
    if (!c.can_be_recorded) continue;
    int const calls = calls_for(c, memory);
    recordings.push_back(std::make_unique<recording>());
    record(*recordings.back(), c, memory, calls);
    found.push_back({c.name, "graph", cold, {}});
  }
  for (int round = -1; round < settings_.rounds; ++round)
    for (std::size_t i = 0; i < found.size(); ++i) {
      // A replay meets the same slots as the one before it: cold, they must leave the cache; warm,
      // other competitors' data must not be all that is in it.
      if (cold)
        read_all(stream_, flush_.data(), flush_.size());
      else
        check_cuda(cudaGraphLaunch(recordings[i]->program, stream_), "replay a graph");
      check_cuda(cudaGraphLaunch(recordings[i]->program, stream_), "replay a graph");
      wait();
      if (round >= 0) found[i].us.push_back(recordings[i]->us());
    }
  return found;
}

std::vector<series> meter::host(std::vector<competitor> const& all, slots& memory) {
  constexpr int calls = 200;  // fewer than the driver queues before it makes the host wait
  using clock = std::chrono::steady_clock;
  std::vector<series> found;
  for (auto const& c : all) found.push_back({c.name, "host", false, {}});
  for (int round = -1; round < settings_.rounds; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      wait();
      auto const begin = clock::now();
      for (int k = 0; k < calls; ++k) {
        auto const [in, out] = memory.take();
        all[i].enqueue(stream_, in, out);
      }
      std::chrono::duration<double, std::micro> const taken = clock::now() - begin;
      if (round >= 0) found[i].us.push_back(taken.count() / calls);
    }
  wait();
  return found;
}

}  // namespace upsweep::gpu_bench
