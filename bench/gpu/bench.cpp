/// Lays out the memory of a configuration, holds Upsweep's result to CUB's, and has the competitors
/// timed.
#include <bench/gpu/bench.hpp>
#include <bench/gpu/memory.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

namespace upsweep::gpu_bench {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t most_slots =
    65536;  // more than the calls of one configuration, so that small ones are cold too
constexpr std::size_t most_graph_n = 1 << 24;  // above, launching is nothing beside the work
constexpr std::size_t host_n = 1 << 10;        // the size at which the host's share is measured

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// What one configuration needs, and where it lies in one block of memory: the result to compare
/// with, inputs, outputs.
struct layout {
  std::size_t in_stride, out_stride, expected, count;

  layout(configuration const& c, std::size_t rotate) {
    expected = in_stride = rounded_up(c.n * c.what->bytes);
    out_stride = c.work == work::reduce ? alignment : in_stride;
    count = std::clamp<std::size_t>((rotate + pair() - 1) / pair(), 1, most_slots);
  }
  std::size_t pair() const { return in_stride + out_stride; }
  std::size_t bytes() const { return expected + count * pair(); }
};

class bench {
 public:
  bench(run_options const& o, run& to)
      : options_(o), to_(to), flush_(2 * to.where.l2_bytes), arena_(arena_bytes(o, to.where)) {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
    check_cuda(cudaMemset(flush_.data(), 0, flush_.size()),
               "clear the memory that displaces the cache");
    check_cuda(cudaDeviceSynchronize(), "clear the memory that displaces the cache");
  }
  ~bench() { (void)cudaStreamDestroy(stream_); }
  bench(bench const&) = delete;
  bench& operator=(bench const&) = delete;

  void measure(configuration const& c) {
    layout const l(c, rotate());
    if (l.bytes() > arena_.size()) {
      to_.skipped.push_back({c, "it needs " + std::to_string(l.bytes()) + " bytes, and " +
                                    std::to_string(arena_.size()) + " are free"});
      return;
    }
    std::byte* const in = arena_.data() + l.expected;
    slots memory{in, in + l.count * l.in_stride, l.in_stride, l.out_stride, l.count, 0};
    c.what->fill(in, l.count * l.in_stride / c.what->bytes, stream_);
    auto const competitors = c.what->line_up(c.work, c.n, stream_);
    if (!is_right(c, competitors.front(), memory)) return;
    read_all(stream_, flush_.data(), flush_.size());
    time(c, competitors, memory);
  }

 private:
  /// Bytes through which calls rotate: the L2 holds none of a slot when its turn comes again.
  std::size_t rotate() const { return 6 * to_.where.l2_bytes; }

  /// As much as the largest configuration can need, or most of what is free.
  static std::size_t arena_bytes(run_options const& o, machine const& m) {
    std::size_t const largest =
        (std::size_t{1} << o.what.most_log2) * 16 * 3 + 7 * m.l2_bytes + most_slots * 2 * alignment;
    return std::min(largest, m.free_bytes - m.free_bytes / 8);
  }

  bool is_right(configuration const& c, competitor const& ours, slots memory) {
    auto const expected = c.what->reference_for(c.work, c.n);
    std::byte* const theirs = arena_.data();
    auto const [in, out] = memory.take();
    std::size_t const bytes = c.work == work::reduce ? alignment : c.n * c.what->bytes;
    check_cuda(cudaMemsetAsync(out, 0xa5, bytes, stream_), "poison the output");
    expected.enqueue(stream_, in, theirs);
    ours.enqueue(stream_, in, out);
    check_cuda(cudaStreamSynchronize(stream_), "finish the calls that are compared");
    std::string sentence;
    if (c.work == work::reduce) {
      std::byte const* const total = theirs + (expected.scans ? (c.n - 1) * c.what->bytes : 0);
      if (!c.what->is_same_total(out, total)) sentence = "the total is not CUB's";
    } else if (std::size_t const different = count_differences(out, theirs, bytes); different > 0) {
      sentence = std::to_string(different) + " words of 16 bytes are not CUB's";
    }
    if (!sentence.empty()) {
      std::printf("%-26s n = %-11zu WRONG: %s\n", c.name().c_str(), c.n, sentence.c_str());
      to_.wrong.push_back({c, sentence});
    }
    return sentence.empty();
  }

  void time(configuration const& c, std::vector<competitor> const& all, slots& memory) {
    meter clock(stream_, flush_, options_.how);
    auto const add = [&](std::vector<series> const& found) {
      for (auto const& s : found) to_.rows.push_back({c, s});
      print(c, found);
    };
    bool const fits = memory.in_stride + memory.out_stride <= to_.where.l2_bytes / 2;
    slots one = memory.one();
    add(clock.plain(all, memory, true));
    if (c.n <= most_graph_n) add(clock.graph(all, memory, true));
    if (fits) add(clock.plain(all, one, false));
    if (fits && c.n <= most_graph_n) add(clock.graph(all, one, false));
    if (c.n == host_n) add(clock.host(all, one));
  }

  static void print(configuration const& c, std::vector<series> const& found) {
    if (found.empty()) return;
    std::printf("%-26s n = %-11zu %-5s %-4s", c.name().c_str(), c.n, found.front().launch.c_str(),
                found.front().cold ? "cold" : "warm");
    for (auto const& s : found) std::printf("  %s %.4g", s.competitor.c_str(), median(s.us));
    std::printf(" us\n");
    std::fflush(stdout);
  }

  run_options const& options_;
  run& to_;
  device_memory flush_, arena_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace

void run_all(std::vector<subject> const& subjects, run_options const& o, run& to) {
  using clock = std::chrono::steady_clock;
  auto const begin = clock::now();
  auto const seconds = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
  bench all(o, to);
  double written = 0;
  for (auto const& c : configurations(subjects, o.what)) {
    if (seconds() > o.seconds) {
      to.skipped.push_back({c, "the time that --seconds gives was over"});
      continue;
    }
    try {
      all.measure(c);
    } catch (std::exception const& e) {
      to.skipped.push_back({c, e.what()});
      std::printf("%-26s n = %-11zu %s\n", c.name().c_str(), c.n, e.what());
      to.seconds = seconds();
      if (cudaDeviceSynchronize() != cudaSuccess)
        throw;  // an error from which the process cannot recover
    }
    to.seconds = seconds();
    if (o.json.empty() || to.seconds - written < 10) continue;
    write_file(o.json, as_json(to));  // what a run that is ended from outside leaves behind
    written = to.seconds;
  }
}

}  // namespace upsweep::gpu_bench
