/// libFuzzer target: segments between any offsets are refused or those of a loop.
#include "verbs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace upsweep;
  fuzz::bytes from(data, size);
  auto const head = fuzz::take<std::uint8_t>(from, 1);
  auto offsets = fuzz::take<std::int8_t>(from, head.empty() ? 0 : head[0]);
  auto const x = fuzz::take<std::uint8_t>(from, 127);
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
  fuzz::on_processors([&](auto const& on) {
    std::vector<std::uint64_t> sums(count), running(x.size());
    bool const refused = fuzz::refuses([&] { upsweep::reduce_segments(on, x, offsets, sums); });
    fuzz::expect(refused != right, "offsets that cover the input are taken, and no others");
    fuzz::expect(refused == fuzz::refuses(
                                [&] { upsweep::inclusive_scan_segments(on, x, offsets, running); }),
                 "scans refuse other offsets than reductions");
    if (refused) return;
    for (std::size_t k = 0; k < count; ++k) {
      std::uint64_t sum = 0;
      for (auto i = static_cast<std::size_t>(offsets[k]);
           i < static_cast<std::size_t>(offsets[k + 1]); ++i)
        fuzz::expect(running[i] == (sum += x[i]), "a running sum is another");
      fuzz::expect(sums[k] == sum, "a sum is another");
    }
  });
  return 0;
}
