/// The same bits with one thread, with all threads, and from a stream of chunks of random lengths,
/// for a column of numbers on standard input.
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <random>
#include <span>
#include <vector>

namespace {

struct answer {
  double total;
  std::vector<double> running;

  void print(char const* how) const {
    std::uint64_t mixed = 0;  // a hash of the bits of all running sums
    for (double x : running)
      mixed = (std::rotl(mixed, 5) ^ std::bit_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15u;
    std::printf("%-24s total %.17g   all %zu prefix sums: %016llx\n", how, total, running.size(),
                static_cast<unsigned long long>(mixed));
  }
  bool operator==(answer const&) const = default;
};

answer in_one_call(std::vector<double> const& x, int threads) {
  answer a{upsweep::reduce(upsweep::cpu{.threads = threads}, x), std::vector<double>(x.size())};
  upsweep::inclusive_scan(upsweep::cpu{.threads = threads}, x, a.running);
  return a;
}

answer in_random_chunks(std::vector<double> const& x, unsigned seed) {
  std::mt19937 random(seed);
  upsweep::scan_stream<double> stream;
  answer a{0, std::vector<double>(x.size())};
  for (std::size_t done = 0; done < x.size();) {
    std::size_t const length = std::min<std::size_t>(x.size() - done, random() % 1000);  // may be 0
    stream.inclusive(std::span(x).subspan(done, length),
                     std::span(a.running).subspan(done, length));
    done += length;
  }
  a.total = stream.result();
  return a;
}

}  // namespace

int main() {
  std::vector<double> x;
  for (double value; std::cin >> value;) x.push_back(value);
  if (x.empty()) {
    std::fprintf(stderr,
                 "stream_chunks: no numbers on standard input; give one column of numbers\n");
    return 3;
  }
  answer const one = in_one_call(x, 1), all = in_one_call(x, 0),
               chunks = in_random_chunks(x, std::random_device{}());
  one.print("1 thread");
  all.print("all threads");
  chunks.print("chunks of random lengths");
  bool const same = one == all && one == chunks;
  std::printf("%s\n", same ? "the same bits" : "DIFFERENT BITS");
  return same ? 0 : 1;
}
