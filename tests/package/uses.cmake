# A call of each verb, for a translation unit that includes the verb's header first and no other
# verb's: templates look for names when they are called.
function(upsweep_use header calls)
  set(use_of_${header} "
#include <upsweep/host/executor.hpp>

#include <vector>

namespace {
using floats = std::vector<float>;
using integers = std::vector<int>;
[[maybe_unused]] bool is_positive(float v) { return v > 0; }
[[maybe_unused]] bool is_negative(float v) { return v < 0; }
}  // namespace

void use(floats& x, floats& y, floats& z, floats& w, integers& i, integers& j);
void use([[maybe_unused]] floats& x, [[maybe_unused]] floats& y, [[maybe_unused]] floats& z,
         [[maybe_unused]] floats& w, [[maybe_unused]] integers& i, [[maybe_unused]] integers& j) {
  using namespace upsweep;
  ${calls}
}
" PARENT_SCOPE)
endfunction()

upsweep_use(upsweep/reduce.hpp "(void)reduce(x); (void)transform_reduce(x, is_positive);")
upsweep_use(upsweep/scan.hpp "inclusive_scan(x, y); exclusive_scan(x, y);")
upsweep_use(upsweep/scan_stream.hpp
  "scan_stream<float> s; s.inclusive(std::span<float const>(x), std::span<float>(y));")
upsweep_use(upsweep/anchored_scan.hpp
  "anchored_scan<float> s; s.inclusive(std::span<float const>(x), std::span<float>(y));")
upsweep_use(upsweep/partial.hpp
  "partial<float> p; p.push(std::span<float const>(x)); (void)p.result();")
upsweep_use(upsweep/partial/bytes.hpp "(void)from_bytes<float>(to_bytes(partial<float>(3)));")
upsweep_use(upsweep/ranks/loopback.hpp
  "loopback::run(2, [&](loopback const& c) { (void)reduce(ranks(c, serial{}), x); });")
upsweep_use(upsweep/distribution.hpp "cumulative_distribution(x, y);")
upsweep_use(upsweep/select.hpp
  "select(x, y, is_positive); select(x, i, y); select_positions(x, i, is_positive);
  partition(x, y, z, is_positive); partition(x, y, z, w, is_positive, is_negative);")
upsweep_use(upsweep/unique.hpp "upsweep::unique(x, y); runs(x, y, i); run_starts(x, i);")
upsweep_use(upsweep/segments.hpp
  "reduce_segments(x, i, y); inclusive_scan_segments(x, i, y); exclusive_scan_segments(x, i, y);")
upsweep_use(upsweep/by_key.hpp
  "reduce_runs(i, x, j, y); inclusive_scan_runs(i, x, y); exclusive_scan_runs(i, x, y);")
upsweep_use(upsweep/windowed.hpp "windowed(x, 3, y);")
upsweep_use(upsweep/padding.hpp "pad(x, 2, 3, 5); unpad(x, 2, 3, 5);")
upsweep_use(upsweep/sort.hpp "sort(x); sort_by_key(x, y); argsort(x, i);")
upsweep_use(upsweep/order_statistics.hpp "top(x, y); (void)quantile(x, 0.5);")
upsweep_use(upsweep/histogram.hpp
  "histogram(x, i, even{0, 1}); weighted_histogram(x, y, z, even{0, 1}); count_indices(i, j);
  histogram_stream<float, even> s(4, even{0, 1}); s.push(std::span<float const>(x));")
upsweep_use(upsweep/run_stream.hpp "run_stream<float> s; s.push(x, y, i);")
