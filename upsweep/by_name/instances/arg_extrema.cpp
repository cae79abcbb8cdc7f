/// Positions of the extremes, without the values, by name.
#include <upsweep/by_name/instances/entries.hpp>

namespace upsweep::dynamic {
namespace {

/// argmin and argmax as one operator, so that the scans of each type are instantiated once for
/// both.
struct arg_either {
  static constexpr bool exact = true;
  static constexpr bool refuses_empty = true;
  template <class T>
  using accumulator = argmin::accumulator<T>;

  bool largest;

  explicit constexpr arg_either(catalog::id op) : largest(op == catalog::id::argmax) {}
  template <class A>
  [[nodiscard]] constexpr A identity() const {
    return largest ? argmax{}.template identity<A>() : argmin{}.template identity<A>();
  }
  template <class T>
  [[nodiscard]] constexpr accumulator<T> lift(T const& x, std::size_t index) const {
    return argmin{}.lift(x, index);
  }
  template <class T>
  [[nodiscard]] constexpr indexed<T> operator()(indexed<T> const& earlier,
                                                indexed<T> const& later) const {
    return largest ? argmax{}(earlier, later) : argmin{}(earlier, later);
  }
  friend constexpr host::extremum_rule rule_of(arg_either const& op) { return {op.largest, false}; }
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
