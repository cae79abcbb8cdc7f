/// Threads of the host and their locks. A system with one thread (WebAssembly) has neither.
#pragma once

#include <cstddef>

#ifndef UPSWEEP_ONE_THREAD
#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace upsweep::sim {

#ifdef UPSWEEP_ONE_THREAD

struct host_mutex {};
struct host_lock {
  explicit host_lock(host_mutex&) {}
  void unlock() {}
};
using host_thread_id = int;
[[nodiscard]] inline host_thread_id this_host_thread() {
  return 1;
}
[[nodiscard]] inline unsigned host_cores() {
  return 1;
}
template <class F>
void run_together(std::size_t count, F const& f) {
  for (std::size_t i = 0; i < count; ++i) f(i);
}

#else

using host_mutex = std::mutex;
using host_lock = std::unique_lock<std::mutex>;
using host_thread_id = std::thread::id;
[[nodiscard]] inline host_thread_id this_host_thread() {
  return std::this_thread::get_id();
}
[[nodiscard]] inline unsigned host_cores() {
  return std::max(1u, std::thread::hardware_concurrency());
}
/// Calls f(0) on this thread and f(1), f(2) ... on others, and waits for all.
template <class F>
void run_together(std::size_t count, F const& f) {
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < count; ++i) others.emplace_back(f, i);
  f(std::size_t{0});
}

#endif

}  // namespace upsweep::sim
