/// How several threads share the tiles of a call, for the accumulators of the library's operators.
#include <upsweep/host/schedule.hpp>

namespace upsweep::host {

template <class A>
constinit tile_schedule<A> const compiled_schedule<A>::value{scan_in_parallel<A>,
                                                             reduce_in_parallel<A>};

namespace {

template <class List>
struct addresses;
template <class... A>
struct addresses<dynamic::types<A...>> {
  static constexpr void const* value[] = {&compiled_schedule<A>::value...};
};
/// Instantiates the schedules.
[[gnu::used]] constinit void const* const* const all = addresses<compiled_accumulators>::value;

}  // namespace
}  // namespace upsweep::host
