/// libFuzzer targets: the verb that UPSWEEP_FUZZED names, on any arguments, is refused or has the
/// results of a loop.
#include <upsweep/generic/reference.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/host/threads.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace upsweep::fuzz {
namespace {

using bytes = std::span<std::uint8_t const>;

/// Takes up to `count` numbers from the front of `from`.
template <class T>
std::vector<T> take(bytes& from, std::size_t count) {
  std::vector<T> numbers(std::min(count, from.size() / sizeof(T)));
  if (!numbers.empty()) std::memcpy(numbers.data(), from.data(), numbers.size() * sizeof(T));
  from = from.subspan(numbers.size() * sizeof(T));
  return numbers;
}

void expect(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// Whether `call` refuses its arguments; any other exception is a finding.
template <class Call>
bool refuses(Call const& call) {
  try {
    call();
  } catch (precondition_error const&) {
    return true;
  }
  return false;
}

/// Calls f on each executor. Inputs of any size start threads.
template <class F>
void on_processors(F const& f) {
  host::threads::largest_cutoff = 1;
  f(serial{});
  f(cpu{.threads = 2});
}

/// Histograms with any borders of any numbers.
[[maybe_unused]] void try_histogram(bytes from) {
  auto const head = take<std::uint8_t>(from, 2);
  if (head.size() < 2) return;
  std::size_t const bins = 1 + head[0] % 40;
  bool const closed_right = head[1] % 2 == 1;
  auto const borders = take<double>(from, bins + 1);
  if (borders.size() <= bins) return;
  auto const x = take<float>(from, from.size());
  bool ascends = true;
  for (std::size_t b = 0; b < bins; ++b) ascends = ascends && borders[b] < borders[b + 1];
  on_processors([&](auto const& on) {
    std::vector<std::uint32_t> counts(bins), expected(bins);
    outside_counts outside, expected_outside;
    bool const refused = refuses([&] {
      outside = upsweep::histogram(on, x, counts, borders, {.closed_right = closed_right});
    });
    expect(refused != ascends, "borders that ascend are taken, and no others");
    if (refused) return;
    for (float const value : x) {
      long const b = reference::bin_of(value, borders, closed_right);
      if (b >= 0)
        ++expected[static_cast<std::size_t>(b)];
      else
        ++(b == -1   ? expected_outside.below
           : b == -2 ? expected_outside.above
                     : expected_outside.nan);
    }
    expect(counts == expected && outside == expected_outside, "the counts are others");
  });
}

/// Runs of any keys, also in chunks and in small outputs.
[[maybe_unused]] void try_runs(bytes from) {
  auto const head = take<std::uint8_t>(from, 2);
  if (head.size() < 2) return;
  auto const keys = take<float>(from, from.size());  // also NaN and zeros with a sign
  std::size_t const n = keys.size(), room = head[0], step = head[1] + std::size_t{1};
  std::vector<std::size_t> starts, lengths;
  for (std::size_t i = 0; i < n; ++i)
    if (i == 0 || !(keys[i] == keys[i - 1])) starts.push_back(i);
  for (std::size_t k = 0; k < starts.size(); ++k)
    lengths.push_back((k + 1 < starts.size() ? starts[k + 1] : n) - starts[k]);
  on_processors([&](auto const& on) {
    std::vector<float> values(room);
    std::vector<std::uint8_t> narrow(room);
    std::vector<std::uint64_t> counts(n);
    bool const refused = refuses([&] { upsweep::runs(on, keys, values, narrow); });
    expect(refused == (n > 255 || starts.size() > room), "runs that fit are stored");
    for (std::size_t k = 0; !refused && k < starts.size(); ++k)
      expect(narrow[k] == lengths[k], "a length is another");
    std::vector<float> firsts(n);
    std::size_t const count =
        upsweep::reduce_runs(on, keys, std::vector<std::uint8_t>(n, 1), firsts, counts);
    counts.resize(count);
    expect(counts == std::vector<std::uint64_t>(lengths.begin(), lengths.end()),
           "a reduction by key is another");
  });
  run_stream<float> stream;
  std::vector<float> values(n);
  std::vector<std::size_t> found(n);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; i += step)
    count += stream.push(std::span(keys).subspan(i, std::min(step, n - i)),
                         std::span(values).subspan(count), std::span(found).subspan(count));
  found.resize(count);
  if (auto const last = stream.finish()) found.push_back(last->second);
  expect(found == lengths, "a length in chunks is another");
}

/// Segments between any offsets.
[[maybe_unused]] void try_segments(bytes from) {
  auto const head = take<std::uint8_t>(from, 1);
  auto offsets = take<std::int8_t>(from, head.empty() ? 0 : head[0]);
  auto const x = take<std::uint8_t>(from, 127);
  // Half of the inputs have offsets that are right but for one.
  if (head.size() == 1 && head[0] % 2 == 1 && !offsets.empty()) {
    std::sort(offsets.begin(), offsets.end());
    offsets.front() = 0;
    for (auto& offset : offsets) offset = std::max<std::int8_t>(offset, 0);
    offsets.back() = static_cast<std::int8_t>(x.size());
  }
  bool const right = !offsets.empty() && offsets.front() == 0 &&
                     static_cast<std::size_t>(offsets.back()) == x.size() &&
                     std::is_sorted(offsets.begin(), offsets.end());
  std::size_t const count = offsets.empty() ? 0 : offsets.size() - 1;
  on_processors([&](auto const& on) {
    std::vector<std::uint64_t> sums(count), running(x.size());
    bool const refused = refuses([&] { upsweep::reduce_segments(on, x, offsets, sums); });
    expect(refused != right, "offsets that cover the input are taken, and no others");
    expect(refused == refuses([&] { upsweep::inclusive_scan_segments(on, x, offsets, running); }),
           "scans refuse other offsets than reductions");
    if (refused) return;
    for (std::size_t k = 0; k < count; ++k) {
      std::uint64_t sum = 0;
      for (auto i = static_cast<std::size_t>(offsets[k]);
           i < static_cast<std::size_t>(offsets[k + 1]); ++i)
        expect(running[i] == (sum += x[i]), "a running sum is another");
      expect(sums[k] == sum, "a sum is another");
    }
  });
}

}  // namespace
}  // namespace upsweep::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  upsweep::fuzz::UPSWEEP_FUZZED({data, size});
  return 0;
}
