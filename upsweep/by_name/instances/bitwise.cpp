/// Bitwise operators, by name. Signed and unsigned types share their instances.
#include <upsweep/by_name/instances/entries.hpp>
#include <upsweep/by_name/streams/stream_of.hpp>

#include <type_traits>

namespace upsweep::dynamic {

template <class Op, class T>
  requires(is_in<Op, bitwise_operators>)
struct shared_element<Op, T> {
  using type = std::make_unsigned_t<T>;
};

template struct calls_of<bitwise_operators>;

stream_rows streams_of_bitwise() {
  return streams_over<bitwise_operators, integers>::rows;
}

}  // namespace upsweep::dynamic
