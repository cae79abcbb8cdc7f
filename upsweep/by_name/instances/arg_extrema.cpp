/// Positions of the extremes, without the values, by name.
#include <upsweep/by_name/instances/entries.hpp>

#include <cstdint>

namespace upsweep::dynamic {
namespace {

/// argmin and argmax as one operator, so that the scans of each type are instantiated once for
/// both.
struct arg_either : detail::arg_extremum<detail::given_rule> {
  explicit constexpr arg_either(catalog::id op)
      : detail::arg_extremum<detail::given_rule>{
            {{.largest = op == catalog::id::argmax, .last = false}}} {}
};

}  // namespace

template <class Op>
  requires(is_in<Op, arg_extrema_operators>)
struct shared_operator<Op> {
  using type = arg_either;
};
template <class Op, class T>
struct stored_result<Op, indexed<T>> {
  using type = std::uint64_t;
};

template struct calls_of<arg_extrema_operators>;

}  // namespace upsweep::dynamic
