/// Lays out the memory of a configuration, compares Upsweep's result with CUB's, and times the
/// competitors in turn.
#include <bench/gpu/bench.hpp>
#include <bench/harness/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <utility>

namespace upsweep::bench {
namespace {

constexpr std::size_t most_graph_n = 1 << 24;  // above, the launch time is negligible
constexpr std::size_t host_n = 1 << 10;        // the size at which the host's time is measured
constexpr std::size_t host_calls = 200;        // fewer than the driver queues before it blocks

enum class launch { plain, graph, host };

char const* name_of(launch l) {
  return l == launch::plain ? "plain" : l == launch::graph ? "graph" : "host";
}

class gpu_bench {
 public:
  gpu_bench(gpu_bench_options const& o, run& to)
      : options_(o), to_(to), flush_(2 * to.gpu->l2_bytes), arena_(arena_bytes(o, *to.gpu)) {
    check_cuda(cudaMemset(flush_.data(), 0, flush_.size()),
               "clear the memory that displaces the cache");
    check_cuda(cudaDeviceSynchronize(), "clear the memory that displaces the cache");
  }

  void measure(planned_cell const& p) {
    auto const& [w, n] = p.what;
    std::size_t const in_bytes = n * element_bytes(w);
    gpu_layout const layout(in_bytes, w.verb == verb::reduce ? gpu_layout::alignment : in_bytes,
                            rotation_for(to_.gpu->l2_bytes));
    std::size_t const needed = layout.in_stride + layout.bytes();  // and the expected result
    if (needed > arena_.size()) {
      to_.skipped.push_back({p.what, "it needs " + std::to_string(needed) + " bytes, but only " +
                                         std::to_string(arena_.size()) + " are free"});
      return;
    }
    std::byte* const expected = arena_.data();
    slots cold = layout.at(expected + layout.in_stride);
    p.kind->fill(cold.first_in, layout.count * layout.in_stride / element_bytes(w),
                 clock_.stream());
    auto const calls = p.kind->calls(w.verb, n, clock_.stream());
    if (std::string const found = difference(p, calls.front(), cold.one(), expected);
        !found.empty()) {
      add({w, n, true, {{"upsweep", role::upsweep, 1, {}, found}}, "plain"});
      return;
    }
    displace_cache();
    bool const fits_in_cache = layout.pair() <= to_.gpu->l2_bytes / 2;
    slots warm = cold.one();
    time(p.what, calls, cold, true);
    if (fits_in_cache) time(p.what, calls, warm, false);
    if (n == host_n) turns(p.what, contestants(calls, launch::host), warm, false, launch::host);
  }

 private:
  /// Enough for the largest configuration, or most of the free memory.
  static std::size_t arena_bytes(gpu_bench_options const& o, gpu_description const& gpu) {
    std::size_t const largest = (std::size_t{1} << o.what.most_log2) * 16 * 3 + 7 * gpu.l2_bytes +
                                gpu_layout::most_slots * 2 * gpu_layout::alignment;
    std::size_t free = 0, all = 0;
    check_cuda(cudaMemGetInfo(&free, &all), "query the free memory");
    return std::min(largest, free - free / 8);
  }

  void displace_cache() { read_all(clock_.stream(), flush_.data(), flush_.size()); }

  /// How our result differs from CUB's; empty if it does not.
  std::string difference(planned_cell const& p, gpu_call const& ours, slots memory,
                         std::byte* theirs) {
    auto const& [w, n] = p.what;
    auto const expected = p.kind->expected(w.verb, n);
    auto const [in, out] = memory.take();
    std::size_t const bytes = w.verb == verb::reduce ? gpu_layout::alignment : n * element_bytes(w);
    check_cuda(cudaMemsetAsync(out, 0xa5, bytes, clock_.stream()), "poison the output");
    expected.enqueue(clock_.stream(), in, theirs);
    ours.enqueue(clock_.stream(), in, out);
    clock_.wait();
    if (w.verb == verb::reduce) {
      std::byte const* const total = theirs + (expected.scans ? (n - 1) * element_bytes(w) : 0);
      return p.kind->is_same_total(out, total) ? "" : "the total differs from CUB's";
    }
    std::size_t const different = count_differences(out, theirs, bytes);
    return different == 0 ? "" : std::to_string(different) + " words of 16 bytes differ from CUB's";
  }

  std::vector<contestant> contestants(std::vector<gpu_call> const& calls, launch how,
                                      bool cold = false) {
    std::vector<contestant> all;
    for (auto const& c : calls) {
      if (how == launch::graph && !c.can_be_recorded) continue;
      timed_run run = launched_plainly(clock_, c.enqueue);
      if (how == launch::host) run = host_share(clock_, c.enqueue);
      if (how == launch::graph)
        run = replayed(clock_, c.record ? c.record : c.enqueue,
                       cold ? [this] { displace_cache(); } : std::function<void()>{});
      auto const who = std::find_if(to_.competitors.begin(), to_.competitors.end(),
                                    [&](auto const& known) { return known.name == c.name; });
      all.push_back({{c.name, who->role, host_calls}, std::move(run)});
    }
    return all;
  }

  /// Times plain launches, and replays of graphs with the same number of calls.
  void time(configuration const& what, std::vector<gpu_call> const& calls, slots& memory,
            bool cold) {
    auto plain = contestants(calls, launch::plain);
    for (auto& c : plain) {
      (void)c.run(memory, 1);  // loads the kernel and lets workspaces grow
      calibrate(c, memory, options_.how);
    }
    auto graph = contestants(calls, launch::graph, cold);
    for (auto& c : graph)
      for (auto const& p : plain)
        if (p.times.name == c.times.name) c.times.repeats = p.times.repeats;
    turns(what, std::move(plain), memory, cold, launch::plain);
    if (what.n <= most_graph_n) turns(what, std::move(graph), memory, cold, launch::graph);
  }

  void turns(configuration const& what, std::vector<contestant> all, slots& memory, bool cold,
             launch how) {
    if (how != launch::plain)
      for (auto& c : all) (void)c.run(memory, c.times.repeats);  // records its graph
    take_turns(all, memory, options_.how);
    cell found{what.work, what.n, cold, {}, name_of(how)};
    for (auto& c : all) found.all.push_back(std::move(c.times));
    add(std::move(found));
  }

  void add(cell found) {
    std::printf("%-26s n = %-11zu %-5s %-4s", title_of(found.work).c_str(), found.n,
                found.launch.c_str(), found.cold ? "cold" : "warm");
    for (auto const& s : found.all)
      if (s.correct())
        std::printf("  %s %.4g", s.name.c_str(), summary(s.seconds).median * 1e6);
      else
        std::printf("  WRONG: %s", s.difference.c_str());
    std::printf(" us\n");
    std::fflush(stdout);
    to_.cells.push_back(std::move(found));
  }

  gpu_bench_options const& options_;
  run& to_;
  event_clock clock_;
  device_memory flush_, arena_;
};

}  // namespace

std::vector<competitor> gpu_competitors() {
  return {{"upsweep", "Upsweep", role::upsweep},
          {cub_name(), cub_title(), role::peer},
          {"thrust", "Thrust", role::peer},
          {"decoupled", "Upsweep with decoupled look-back", role::peer},
          {"chunk", "Upsweep, as a chunk of a stream", role::peer},
          {"four_chunks", "Upsweep, as four chunks of a stream", role::peer},
          {"memcpy", "copy on the device", role::limit},
          {"read_4", "read loop, 4 vectors per thread", role::limit},
          {"read_8", "read loop, 8 vectors per thread", role::limit}};
}

void run_all(std::vector<element_kind> const& kinds, gpu_bench_options const& o, run& to) {
  using clock = std::chrono::steady_clock;
  auto const begin = clock::now();
  auto const seconds = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
  gpu_bench all(o, to);
  double written = 0;
  for (auto const& p : plan_cells(kinds, o.what)) {
    if (seconds() > o.seconds) {
      to.skipped.push_back({p.what, "the time given by --seconds was over"});
      continue;
    }
    try {
      all.measure(p);
    } catch (std::exception const& e) {
      to.skipped.push_back({p.what, e.what()});
      std::printf("%-26s n = %-11zu %s\n", title_of(p.what.work).c_str(), p.what.n, e.what());
      if (cudaDeviceSynchronize() != cudaSuccess)
        throw;  // an error from which the process cannot recover
    }
    if (o.json.empty() || seconds() - written < 10) continue;
    write_file(o.json, as_json(to));  // so that an interrupted run leaves a report
    written = seconds();
  }
}

void write_file(std::string const& path, std::string const& text) {
  std::string const temporary = path + ".part";
  std::remove(temporary.c_str());
  std::FILE* const file =
      std::fopen(temporary.c_str(), "wbx");  // x: a planted link is not followed
  bool good = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file && std::fclose(file) != 0) good = false;
  if (!good)
    throw std::runtime_error("cannot write '" + temporary +
                             "'; check that the folder exists and that the disk is not full");
  std::filesystem::rename(temporary, path);
}

}  // namespace upsweep::bench
