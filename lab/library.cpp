/// Times the library with its own operators, so that its compiled kernels take part.
#include <lab/library.hpp>

#include <upsweep/upsweep.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace upsweep::lab {

namespace {

template <class F>
double best_seconds(F const& f) {
  double best = 1e300;
  for (int i = 0; i < 2; ++i) {
    auto const begin = std::chrono::steady_clock::now();
    f();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

template <class A>
std::string shown(A const& value) {
  if constexpr (requires { value.a; })
    return fmt::format("{}x+{}", value.a, value.b);
  else
    return fmt::format("{}", value);
}

template <class T, class Op>
void time_reduction(std::vector<T> const& x, Op const& op, library_times& t) {
  using R = result_t<Op, T>;
  R one{}, all{};
  t.serial_seconds = best_seconds([&] { one = reduce(serial{}, x, op); });
  t.parallel_seconds = best_seconds([&] { all = reduce(cpu{}, x, op); });
  t.value = shown(one);
  if (!(one == all)) t.difference = fmt::format("with all threads it is {}", shown(all));
  t.gigabytes = t.bytes * 1e-9;
}

/// Describes the first element at which `out` is not the scan of `x`. The scan is recomputed chunk
/// by chunk, because a second array of results might not fit into memory.
template <class T, class Op, class R>
std::string first_difference(std::vector<T> const& x, Op const& op, std::vector<R> const& out) {
  scan_stream<T, Op, serial> again(serial{}, op);
  std::vector<R> expected(std::size_t{1} << 16);
  for (std::size_t i = 0; i < x.size();) {
    std::size_t const count = std::min(expected.size(), x.size() - i);
    again.inclusive(std::span<T const>(x).subspan(i, count), std::span<R>(expected).first(count));
    for (std::size_t k = 0; k < count; ++k, ++i)
      if (!(expected[k] == out[i]))
        return fmt::format("result {} should be {} but is {}", i, shown(expected[k]),
                           shown(out[i]));
  }
  return {};
}

template <class T, class Op>
void time_scan(std::vector<T> const& x, Op const& op, library_times& t) {
  using R = result_t<Op, T>;
  std::vector<R> out(x.size());
  t.serial_seconds = best_seconds([&] { inclusive_scan(serial{}, x, out, op); });
  if (!x.empty()) t.value = shown(out.back());
  t.difference = first_difference(x, op, out);
  t.parallel_seconds = best_seconds([&] { inclusive_scan(cpu{}, x, out, op); });
  if (t.difference.empty()) t.difference = first_difference(x, op, out);
  t.gigabytes = (t.bytes + static_cast<double>(x.size() * sizeof(R))) * 1e-9;
}

}  // namespace

library_times time_library(request const& asked, bool scan) {
  library_times t;
  t.n = asked.n;
  t.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  with_element(asked.type, [&]<class T>() {
    auto const x = elements_of<T>(asked);
    t.bytes = static_cast<double>(x.size() * sizeof(T));
    dynamic::dispatch_operator(
        dynamic::operators_for<dynamic::target::lab, T>{}, asked.op,
        [&](auto const& own) { scan ? time_scan(x, own, t) : time_reduction(x, own, t); });
  });
  return t;
}

}  // namespace upsweep::lab
