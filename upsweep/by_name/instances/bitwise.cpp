/// Bitwise operators, by name. Signed and unsigned types share their instances.
#include <upsweep/by_name/instances/entries.hpp>

namespace upsweep::dynamic {

template <class Op, class T>
  requires(is_in<Op, types<bit_and, bit_or, bit_xor>>)
struct shared_element<Op, T> {
  using type = std::make_unsigned_t<T>;
};

template struct calls_of<bit_and, bit_or, bit_xor>;

}  // namespace upsweep::dynamic
