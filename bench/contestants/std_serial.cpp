/// The algorithms of the standard library on one thread.
#include <bench/plain/std_calls.hpp>

namespace upsweep::bench {

registration const std_serial_registration{
    {"std-serial", "std::", false, nullptr, std_calls<without_policy>::all}};

}  // namespace upsweep::bench
