/// First-order recurrences, by name.
#include <upsweep/by_name/instances/entries.hpp>
#include <upsweep/by_name/streams/stream_of.hpp>

#include <cstdint>

namespace upsweep::dynamic {

template struct calls_of<affine_operators>;

template <class... T>
using maps_of = types<affine_map<T>...>;
stream_rows streams_of_affine() {
  return streams_over<affine_operators, maps_of<std::int64_t, std::uint64_t, float, double>>::rows;
}

}  // namespace upsweep::dynamic
