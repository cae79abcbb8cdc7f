/// The sum and the running sums of an array of which each process has a piece, with the bits of one
/// call over the whole.
#include <upsweep/partial/bytes.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

int main() {
  std::vector<double> x(1'000'003);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 1);
  std::span<double const> const all(x);

  // Each process knows where its piece begins, and sends a few hundred bytes.
  std::vector<std::vector<std::byte>> sent;
  std::size_t const cuts[] = {0, 300'000, 300'001, 777'777, x.size()};
  for (std::size_t i = 0; i + 1 < std::size(cuts); ++i) {
    upsweep::partial<double> piece(cuts[i]);
    piece.push(all.subspan(cuts[i], cuts[i + 1] - cuts[i]));
    sent.push_back(upsweep::to_bytes(piece));
  }

  // They may arrive in any order.
  upsweep::partial_set<double> arrived;
  for (std::size_t const i : {2u, 0u, 3u, 1u}) arrived.insert(upsweep::from_bytes<double>(sent[i]));
  double const total = arrived.whole(x.size()).result();

  // A process that knows what is before its piece scans it alone.
  auto before = upsweep::from_bytes<double>(sent[0]);
  before.append(upsweep::from_bytes<double>(sent[1]));
  upsweep::scan_stream<double> stream;
  before.resume(stream);
  std::vector<double> running(cuts[3] - cuts[2]);
  stream.inclusive(all.subspan(cuts[2], running.size()), running);

  std::vector<double> whole(x.size());
  upsweep::inclusive_scan(x, whole);
  bool const same = total == upsweep::reduce(x) && running.back() == whole[cuts[3] - 1];
  std::printf("%.17g from %zu pieces: %s\n", total, sent.size(),
              same ? "the bits of one call" : "DIFFERENT BITS");
  return same ? 0 : 1;
}
