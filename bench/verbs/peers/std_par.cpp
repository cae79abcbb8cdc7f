/// The same with the execution policy par_unseq (libstdc++: on TBB).
#include <bench/verbs/peers/peers.hpp>
#include <bench/verbs/std_calls.hpp>

#include <execution>

namespace upsweep::bench {
namespace {

struct parallel_policy {
  template <class F>
  static void with(F const& f) {
    f(std::execution::par_unseq);
  }
};

}  // namespace

verb_registration const std_par_of_verbs{
    verb_peer_of("std", "std:: with par_unseq", false, std_calls<parallel_policy>::all)};

}  // namespace upsweep::bench
