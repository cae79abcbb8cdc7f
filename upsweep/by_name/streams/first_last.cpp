/// The first and the last element, by name.
#include <upsweep/by_name/streams/stream_of.hpp>
#include <upsweep/ops/first_last.hpp>

namespace upsweep::dynamic {

stream_rows streams_of_first_last() {
  return streams_over<types<first, last>, compute_types>::rows;
}

}  // namespace upsweep::dynamic
