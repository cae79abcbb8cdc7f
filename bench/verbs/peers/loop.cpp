/// The loops of loops.hpp, compiled for this machine.
#include <bench/verbs/loops.hpp>
#include <bench/verbs/peers/peers.hpp>

namespace upsweep::bench {

verb_registration const loop_of_verbs{verb_peer_of("loop", "plain loop", false, loops::plain)};
verb_registration const sliding_loop_of_verbs{
    verb_peer_of("sliding", "sliding loop", false, loops::sliding)};

}  // namespace upsweep::bench
