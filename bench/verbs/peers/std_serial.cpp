/// The algorithms of the standard library on one thread.
#include <bench/verbs/peers/peers.hpp>
#include <bench/verbs/std_calls.hpp>

namespace upsweep::bench {
verb_registration const std_serial_of_verbs{
    verb_peer_of("std-serial", "std::", false, std_calls<without_policy>::all)};

}  // namespace upsweep::bench
