/// libFuzzer target: runs of any keys are those of a loop, also in chunks and in small outputs.
#include <upsweep/run_stream.hpp>
#include "verbs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace upsweep;
  fuzz::bytes from(data, size);
  auto const head = fuzz::take<std::uint8_t>(from, 2);
  if (head.size() < 2) return 0;
  auto const keys = fuzz::take<float>(from, size);  // also NaN and zeros with a sign
  std::size_t const n = keys.size(), room = head[0], step = head[1] + std::size_t{1};
  std::vector<std::size_t> starts, lengths;
  for (std::size_t i = 0; i < n; ++i)
    if (i == 0 || !(keys[i] == keys[i - 1])) starts.push_back(i);
  for (std::size_t k = 0; k < starts.size(); ++k)
    lengths.push_back((k + 1 < starts.size() ? starts[k + 1] : n) - starts[k]);
  fuzz::on_processors([&](auto const& on) {
    std::vector<float> values(room);
    std::vector<std::uint8_t> narrow(room);
    std::vector<std::uint64_t> counts(n);
    bool const refused = fuzz::refuses([&] { upsweep::runs(on, keys, values, narrow); });
    fuzz::expect(refused == (n > 255 || starts.size() > room), "runs that fit are stored");
    for (std::size_t k = 0; !refused && k < starts.size(); ++k)
      fuzz::expect(narrow[k] == lengths[k], "a length is another");
    std::vector<float> firsts(n);
    std::size_t const count =
        upsweep::reduce_runs(on, keys, std::vector<std::uint8_t>(n, 1), firsts, counts);
    counts.resize(count);
    fuzz::expect(counts == std::vector<std::uint64_t>(lengths.begin(), lengths.end()),
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
  fuzz::expect(found == lengths, "a length in chunks is another");
  return 0;
}
