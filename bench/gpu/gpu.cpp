/// Events, graphs, and the description of a device.
#include <bench/gpu/gpu.hpp>
#include <bench/harness/clock.hpp>

#include <fstream>
#include <memory>
#include <string>
#include <utility>

namespace upsweep::bench {
namespace {

/// "13.0" for 13000.
std::string version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version / 10 % 100);
}

/// "580.159.03" from one of the driver's files; if there is none, the CUDA version that the driver
/// supports.
std::string driver_version() {
  std::ifstream module("/sys/module/nvidia/version");
  std::string text;
  if (std::getline(module, text) && !text.empty()) return text;
  std::ifstream process("/proc/driver/nvidia/version");  // "NVRM version: NVIDIA UNIX ... Kernel
                                                         // Module  580.159.03  ..."
  for (std::string word; process >> word;)
    if (std::count(word.begin(), word.end(), '.') >= 1 &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  int version = 0;
  check_cuda(cudaDriverGetVersion(&version), "query the version of the driver");
  return "of CUDA " + version_text(version);
}

double seconds_between(cudaEvent_t begin, cudaEvent_t end) {
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "read the time");
  return static_cast<double>(milliseconds) * 1e-3;
}

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreate(&event), "create an event");
  return event;
}

void enqueue_all(cudaStream_t stream, enqueue_function const& call, slots& memory,
                 std::size_t calls) {
  for (std::size_t i = 0; i < calls; ++i) {
    auto const [in, out] = memory.take();
    call(stream, in, out);
  }
}

}  // namespace

gpu_description describe_gpu(int number) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, number), "query the GPU's properties");
  return {number,
          properties.name,
          10 * properties.major + properties.minor,
          properties.multiProcessorCount,
          properties.totalGlobalMem,
          static_cast<std::size_t>(properties.l2CacheSize),
          version_text(CUDART_VERSION),
          driver_version()};
}

event_clock::event_clock() : begin_(new_event()), end_(new_event()) {
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
}
event_clock::~event_clock() {
  (void)cudaStreamSynchronize(stream_);
  (void)cudaEventDestroy(begin_);
  (void)cudaEventDestroy(end_);
  (void)cudaStreamDestroy(stream_);
}
void event_clock::wait() const {
  check_cuda(cudaStreamSynchronize(stream_), "finish the launched kernels");
}
double event_clock::seconds(std::function<void()> const& enqueue) const {
  check_cuda(cudaEventRecord(begin_, stream_), "record an event");
  enqueue();
  check_cuda(cudaEventRecord(end_, stream_), "record an event");
  check_cuda(cudaEventSynchronize(end_), "finish the launched kernels");
  return seconds_between(begin_, end_);
}

recording::recording() : begin_(new_event()), end_(new_event()) {}
recording::~recording() {
  if (program_ != nullptr) (void)cudaGraphExecDestroy(program_);
  if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
  (void)cudaEventDestroy(begin_);
  (void)cudaEventDestroy(end_);
}
void recording::record(event_clock const& clock, std::function<void()> const& enqueue) {
  cudaStream_t const stream = clock.stream();
  check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
             "start to record a graph");
  try {
    check_cuda(cudaEventRecordWithFlags(begin_, stream, cudaEventRecordExternal),
               "record an event in a graph");
    enqueue();
    check_cuda(cudaEventRecordWithFlags(end_, stream, cudaEventRecordExternal),
               "record an event in a graph");
  } catch (...) {
    (void)cudaStreamEndCapture(stream, &graph_);
    (void)cudaGetLastError();  // the same failure again
    throw;
  }
  check_cuda(cudaStreamEndCapture(stream, &graph_), "record a graph");
  check_cuda(cudaGraphInstantiate(&program_, graph_, 0), "make a graph");
  check_cuda(cudaGraphUpload(program_, stream), "upload a graph");
}
void recording::replay(event_clock const& clock) const {
  check_cuda(cudaGraphLaunch(program_, clock.stream()), "replay a graph");
}
double recording::seconds(event_clock const& clock) const {
  clock.wait();
  return seconds_between(begin_, end_);
}

timed_run launched_plainly(event_clock const& clock, enqueue_function call) {
  return [&clock, call = std::move(call)](slots& memory, std::size_t repeats) {
    return clock.seconds([&] { enqueue_all(clock.stream(), call, memory, repeats); });
  };
}

timed_run replayed(event_clock const& clock, enqueue_function call,
                   std::function<void()> displace) {
  auto const graph = std::make_shared<recording>();
  return [=, &clock](slots& memory, std::size_t repeats) {
    if (!graph->is_ready()) {
      enqueue_all(clock.stream(), call, memory, 1);  // a workspace cannot grow during recording
      clock.wait();
      graph->record(clock, [&] { enqueue_all(clock.stream(), call, memory, repeats); });
    }
    // Every replay uses the same slots. For cold calls they must be evicted from the cache; for
    // warm calls they must be loaded again after another competitor's turn.
    if (displace)
      displace();
    else
      graph->replay(clock);
    graph->replay(clock);
    return graph->seconds(clock);
  };
}

timed_run host_share(event_clock const& clock, enqueue_function call) {
  return [&clock, call = std::move(call)](slots& memory, std::size_t repeats) {
    clock.wait();
    double const seconds =
        host_seconds([&] { enqueue_all(clock.stream(), call, memory, repeats); });
    clock.wait();
    return seconds;
  };
}

}  // namespace upsweep::bench
