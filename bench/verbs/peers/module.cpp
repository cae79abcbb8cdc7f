/// The list of peers in the module; bench/baselines/module.cpp limits their threads.
#include <bench/baselines/runners.hpp>
#include <bench/verbs/peers/peers.hpp>

#include <cstdlib>
#include <string>
#include <vector>

namespace upsweep::bench {
namespace {

std::vector<verb_peer>& registered_for_verbs() {
  static std::vector<verb_peer> all;
  return all;
}

}  // namespace

verb_registration::verb_registration(verb_peer const& p) {
  registered_for_verbs().push_back(p);
}

}  // namespace upsweep::bench

extern "C" upsweep::bench::peer_list upsweep_bench_peers(int threads);

extern "C" __attribute__((visibility("default"))) upsweep::bench::verb_peer_list
upsweep_bench_verb_peers(int threads) {
  (void)upsweep_bench_peers(threads);
  setenv("PARLAY_NUM_THREADS", std::to_string(threads).c_str(), 1);  // read by its first call
  auto const& all = upsweep::bench::registered_for_verbs();
  return {all.data(), all.size()};
}
